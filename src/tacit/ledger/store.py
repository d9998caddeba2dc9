"""What the books ask of a database: exclusive, durable transactions; and how a handle survives threads and forks."""

import os
import threading
import weakref
from collections.abc import Callable, Hashable
from contextlib import AbstractContextManager
from typing import Any, Generic, Protocol, TypeVar

Row = tuple[Any, ...]

RESTORE = "stop charging it, restore the newest backup and open that with expect_head set to the last head you noted"


class Session(Protocol):
    """An open transaction; `?` marks a parameter."""

    def rows(self, sql: str, *parameters: object) -> list[Row]:
        """The rows of a query."""

    def change(self, sql: str, *parameters: object) -> int:
        """The number of rows a statement changed."""


class Store(Protocol):
    """A database that holds one ledger."""

    @property
    def url(self) -> str:
        """Where it is; enough for another process to open it."""

    @property
    def place(self) -> str:
        """Where it is, for messages: without a password."""

    def writing(self) -> AbstractContextManager[Session]:
        """A transaction no other writer overlaps; on leaving it, durable or not done at all."""

    def reading(self) -> AbstractContextManager[Session]:
        """A transaction that sees one state of the ledger."""

    def has_tables(self, session: Session) -> bool:
        """Whether the tables exist."""

    def create_tables(self, session: Session) -> None:
        """Create tables and the triggers that keep the history append-only."""

    def check_pages(self) -> None:
        """Raise LedgerError if the database itself finds its pages damaged."""

    def mark(self, session: Session) -> Hashable | None:
        """Stays equal as long as nobody but this connection writes; None if the database cannot tell."""

    def close(self) -> None:
        """Close the connection; the next use opens it again."""


class Closable(Protocol):
    """A database connection."""

    def close(self) -> None:
        """Release it."""


C = TypeVar("C", bound=Closable)


class ProcessLocal(Generic[C]):
    """One connection per process, one user at a time.

    A child that was forked opens its own connection at its first use. The inherited one is kept, unused and
    unclosed: closing it would speak to the database in the parent's name.
    """

    def __init__(self, connect: Callable[[], C]) -> None:
        self._connect = connect
        self._connection: C | None = None
        self._closing: weakref.finalize[[], ProcessLocal[C]] | None = None
        self.lock = threading.RLock()
        _HANDLES.add(self)

    def get(self) -> C:
        """The connection; the caller holds `lock`."""
        if self._connection is None:
            self._connection = self._connect()
            self._closing = weakref.finalize(self, self._connection.close)
        return self._connection

    def close(self) -> None:
        """Close it if it is open."""
        with self.lock:
            if self._closing is not None:
                self._closing()
            self._connection = self._closing = None

    def forget(self) -> None:
        """Leave the parent's connection alone."""
        if self._closing is not None:
            self._closing.detach()
        _INHERITED.append(self._connection)
        self._connection = self._closing = None
        self.lock = threading.RLock()


_HANDLES: "weakref.WeakSet[ProcessLocal[Any]]" = weakref.WeakSet()
_INHERITED: list[object] = []


def _forget_after_fork() -> None:
    for handle in _HANDLES:
        handle.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_after_fork)
