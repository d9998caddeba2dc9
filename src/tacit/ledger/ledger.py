"""A ledger: one durable place for the privacy accounts of a machine or a team."""

import secrets
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from tacit.errors import LedgerError, ParameterError
from tacit.ledger import accounts, history
from tacit.ledger.account import Account, checked_name
from tacit.ledger.accounts import Terms
from tacit.ledger.checked import CheckedStore, Verified
from tacit.ledger.sqlite import SqliteStore
from tacit.ledger.store import RESTORE, Store
from tacit.ledger.tables import VERSION
from tacit.privacy import Budget, as_budget


class Ledger:
    """Opens a ledger, creating it if there is none.

    url          "sqlite:///budget.db", "postgresql://user@host/db", or the path of an SQLite file
    timeout      seconds to wait for other writers
    expect_head  a head noted earlier: a ledger that does not contain it (an older backup, another file, a rewritten
                 history) is refused, and none is created
    """

    def __init__(self, url: str | Path, *, timeout: float = 30.0, expect_head: str | None = None) -> None:
        if isinstance(timeout, bool) or not isinstance(timeout, int | float) or not 0 <= timeout < 1e9:
            raise ParameterError(f"timeout is a number of seconds to wait for other writers, got {timeout!r:.80}")
        if expect_head is not None and not isinstance(expect_head, str):
            raise ParameterError(f"a head is text such as '12:3fa9…', from ledger.head(); got {expect_head!r:.80}")
        store = open_store(url, timeout)
        with store.reading() as db:
            exists = store.has_tables(db)
        if not exists:
            if expect_head is not None:
                raise LedgerError(f"there is no ledger at {store.place}, but head {expect_head[:20]}… was expected")
            _create(store)
        _check_version(store)
        self._store = CheckedStore(store)
        self._store.check_all()
        if expect_head is not None:
            self._check_contains(expect_head)

    @property
    def url(self) -> str:
        """Where the ledger is: enough to open it again, so it may contain a password."""
        return self._store.store.url

    def open(
        self,
        name: str,
        limit: Budget | float,
        schema: str | None = None,
        parts: Sequence[str] = (),
    ) -> Account:
        """The account of this name, created with these terms if it is new.

        schema  a fingerprint of the declaration the account is for
        parts   names of disjoint parts of the rows; which part a row belongs to must be public. By `ledger-parts`.

        An account that exists with other terms is an error: a limit is a promise and is never changed.
        """
        if isinstance(parts, str) or not isinstance(parts, Sequence) or len(set(parts)) != len(parts):
            raise ParameterError("parts must be a list of different names, for example parts=['north', 'south']")
        names = tuple(checked_name("part", part) for part in parts)
        schema = None if schema is None else checked_name("schema fingerprint", schema)
        asked = Terms(checked_name("name", name), as_budget(limit), schema, names)
        with self._store.reading() as db:
            found = accounts.find_terms(db, name)
        if found is None:
            with self._store.writing() as db:
                found = accounts.find_terms(db, name)
                if found is None:
                    accounts.open_account(db, asked)
                    found = asked
        if found != asked:
            raise LedgerError(f"account {name!r} exists with other terms: {_difference(found, asked)}")
        return Account(self._store, found)

    def account(self, name: str) -> Account:
        """An account that exists already, whatever its terms."""
        with self._store.reading() as db:
            found = accounts.find_terms(db, checked_name("name", name))
        if found is None:
            raise LedgerError(f"there is no account {name!r} in {self._place}; open it with a limit first")
        return Account(self._store, found)

    def accounts(self) -> list[str]:
        """The names of all accounts, oldest first."""
        with self._store.reading() as db:
            return [row[0] for row in db.rows("SELECT key FROM tacit_event WHERE kind = 'open' ORDER BY sequence")]

    def head(self) -> str:
        """The newest point of the history, "sequence:hash". Note it where this ledger's backups cannot reach."""
        with self._store.reading() as db:
            last = db.rows("SELECT sequence, hash FROM tacit_event ORDER BY sequence DESC LIMIT 1")
        return f"{last[0][0]}:{last[0][1]}"

    def verify(self) -> Verified:
        """Check every page, hash, sum, limit and stored release; LedgerError says what is wrong. By `ledger-chain`."""
        return self._store.verify()

    def close(self) -> None:
        """Close the connection; the next use opens it again."""
        self._store.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Ledger({self._place!r})"

    @property
    def _place(self) -> str:
        return self._store.store.place

    def _check_contains(self, head: str) -> None:
        sequence, _, expected = head.partition(":")
        if not sequence.isdecimal() or len(expected) != 64:
            raise ParameterError(f"a head looks like '12:3fa9…' (from ledger.head()), got {head!r:.80}")
        with self._store.reading() as db:
            found = db.rows("SELECT hash FROM tacit_event WHERE sequence = ?", int(sequence))
        if found != [(expected,)]:
            raise LedgerError(
                f"{self._place} does not contain the expected head at entry {sequence}: it is an older copy, "
                f"another ledger, or its history was rewritten. Charges may be missing: find the newest copy"
            )


def _create(store: Store) -> None:
    with store.writing() as db:
        if store.has_tables(db):
            return  # another process was faster
        store.create_tables(db)
        db.change("INSERT INTO tacit_version (version) VALUES (?)", VERSION)
        history.append(db, "create", "", secrets.token_hex(16))


def _check_version(store: Store) -> None:
    with store.reading() as db:
        found = db.rows("SELECT version FROM tacit_version")
    if len(found) != 1:
        raise LedgerError(f"{store.place} does not say which layout it has: it was changed by hand; {RESTORE}")
    version = found[0][0]
    if version != VERSION:
        raise LedgerError(
            f"{store.place} has layout {version}, this tacit writes layout {VERSION}; "
            f"{'upgrade tacit on this machine' if version > VERSION else 'open it with the tacit that made it'}"
        )


def open_store(url: str | Path, timeout: float) -> Store:
    """The database a URL names."""
    if not isinstance(url, str | Path):
        raise ParameterError(f"a ledger is named by text or a path, got {type(url).__name__}")
    text = str(url)
    if text.startswith(("postgresql://", "postgres://")):
        from tacit.ledger.postgres import PostgresStore  # psycopg is an optional extra

        return PostgresStore(text, timeout)
    if text.startswith("sqlite:///"):
        return SqliteStore(Path(text.removeprefix("sqlite:///")), timeout)
    if "://" in text or not text or text == ":memory:":
        scheme, separator, _ = text.partition("://")  # the rest may hold a password
        shown = f"{scheme}://…" if separator else text
        raise ParameterError(f"a ledger is a file path, sqlite:///path or postgresql://…, got {shown!r:.80}")
    if "password=" in text:
        raise ParameterError("a PostgreSQL ledger is named by a URL, postgresql://user:password@host/database")
    return SqliteStore(Path(text), timeout)


def reopen(url: str, name: str, part: str, key: str | None) -> Account:
    """An account in another process: how a pickled account arrives."""
    account = Ledger(url).account(name)
    account = account.part(part) if part else account
    return account.keyed(key) if key else account


def _difference(found: Terms, asked: Terms) -> str:
    fields = (("limit", found.limit, asked.limit), ("schema", found.schema, asked.schema))
    told = [f"{what} {old!r}, not {new!r}" for what, old, new in fields if old != new]
    if found.parts != asked.parts:
        told.append(f"parts {list(found.parts)}, not {list(asked.parts)}")
    return f"{'; '.join(told)}. Terms never change: use the old ones, or another name for another dataset"
