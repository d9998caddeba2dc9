"""A ledger in one SQLite file: write-ahead log, an fsync for every commit, one writer at a time."""

import os
import sqlite3
import time
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tacit.errors import LedgerError
from tacit.ledger.mounts import network_filesystem
from tacit.ledger.store import RESTORE, ProcessLocal, Row, Session
from tacit.ledger.tables import TABLES

_TRIGGERS = (
    """CREATE TRIGGER tacit_event_no_update BEFORE UPDATE ON tacit_event
       BEGIN SELECT RAISE(ABORT, 'the history is append-only'); END""",
    """CREATE TRIGGER tacit_event_no_delete BEFORE DELETE ON tacit_event
       BEGIN SELECT RAISE(ABORT, 'the history is append-only'); END""",
    """CREATE TRIGGER tacit_balance_no_delete BEFORE DELETE ON tacit_balance
       BEGIN SELECT RAISE(ABORT, 'a balance is never deleted'); END""",
)


class SqliteStore:
    """A file next to the user's work."""

    def __init__(self, path: Path, timeout: float) -> None:
        self.path = path.absolute()
        self._timeout = timeout
        kind = network_filesystem(self.path.parent)
        if kind is not None:
            raise LedgerError(
                f"{self.path} is on a network file system ({kind}), where locks and fsync cannot be relied on and "
                f"charges could be lost; keep the ledger on a local disk or use a postgresql:// URL"
            )
        self._connections = 0  # opened so far
        self._handle = ProcessLocal(self._connect)

    @property
    def url(self) -> str:
        """An absolute URL, valid in any working directory."""
        return f"sqlite:///{self.path}"

    @property
    def place(self) -> str:
        """The file."""
        return str(self.path)

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """BEGIN IMMEDIATE: the lock is taken before the first read, so what was checked is what is committed."""
        with self._transaction("BEGIN IMMEDIATE") as session:
            yield session

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A snapshot; writers go on."""
        with self._transaction("BEGIN") as session:
            yield session

    def has_tables(self, session: Session) -> bool:
        """Whether the tables exist."""
        return bool(session.rows("SELECT 1 FROM sqlite_master WHERE name = 'tacit_version'"))

    def create_tables(self, session: Session) -> None:
        """Tables and append-only triggers."""
        for statement in (*TABLES, *_TRIGGERS):
            session.change(statement.format(integer="INTEGER", bytes="BLOB", strict=" STRICT"))

    def check_pages(self) -> None:
        """PRAGMA quick_check: every page readable, every row well-formed, CHECK constraints included."""
        with self.reading() as session:
            findings = session.rows("PRAGMA quick_check(1)")
        if findings != [("ok",)]:
            raise LedgerError(f"{self.path} is damaged: {findings[0][0]}; {RESTORE}")

    def mark(self, session: Session) -> Hashable:
        """SQLite counts what other connections write, for as long as this one is open."""
        return self._connections, session.rows("PRAGMA data_version")[0][0]

    def close(self) -> None:
        """Close the file."""
        self._handle.close()

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[Session]:
        with self._handle.lock, self._clear_errors():
            connection = self._handle.get()
            try:
                connection.execute(begin)
                yield _SqliteSession(connection)
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
            finally:
                if self._is_frozen():  # read without a lock, so nothing is remembered of it
                    self._handle.close()

    def _connect(self) -> sqlite3.Connection:
        self._connections += 1
        if self._is_frozen():
            return self._open(f"{self.path.as_uri()}?mode=ro&immutable=1")
        connection = self._open(self.path.as_uri())
        try:
            self._use_write_ahead_log(connection)
            connection.execute("PRAGMA synchronous = FULL")  # with NORMAL a power cut may undo a committed charge
            connection.execute("PRAGMA fullfsync = ON")  # on macOS fsync alone does not reach the disk
        except BaseException:
            connection.close()
            raise
        return connection

    def _open(self, uri: str) -> sqlite3.Connection:
        return sqlite3.connect(uri, uri=True, timeout=self._timeout, isolation_level=None, check_same_thread=False)

    def _is_frozen(self) -> bool:
        """Whether the file can be read and no log can be put beside it, in a directory that is read-only.

        Without a log the file alone is the ledger and may be read as it is; one that is there must be read too.
        """
        logs = [self.path.with_name(f"{self.path.name}{end}") for end in ("-wal", "-shm")]
        return not os.access(self.path.parent, os.W_OK) and self.path.is_file() and not any(map(Path.exists, logs))

    def _use_write_ahead_log(self, connection: sqlite3.Connection) -> None:
        """Changing the journal mode ignores the busy timeout, so processes that meet here have to try again."""
        deadline = time.monotonic() + self._timeout
        while True:
            try:
                connection.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                    raise
            time.sleep(0.01)

    @contextmanager
    def _clear_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the primary code of an extended one
            raise LedgerError(f"{self.path}: {error}. {self._advice(code)}") from error

    def _advice(self, code: int) -> str:
        match code:
            case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
                return (
                    f"Another process held the ledger for more than {self._timeout:g} s; nothing was booked. Try "
                    f"again, or open it with a larger timeout"
                )
            case sqlite3.SQLITE_FULL | sqlite3.SQLITE_IOERR:
                return "The disk is full or failing; make room and try again. No key is ever charged twice"
            case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM:
                return "The file and its directory must exist and be writable; nothing was booked"
            case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
                return f"The file is damaged or not a ledger; {RESTORE}"
            case _:
                return "Nothing was booked"


class _SqliteSession:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def rows(self, sql: str, *parameters: object) -> list[Row]:
        return self._connection.execute(sql, parameters).fetchall()

    def change(self, sql: str, *parameters: object) -> int:
        return self._connection.execute(sql, parameters).rowcount
