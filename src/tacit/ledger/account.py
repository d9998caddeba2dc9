"""An account: the privacy budget of one dataset, charged before anything is read.

    release = account.run(charge, query, compute)      reserve → compute → store → the stored bytes

A charge is durable before `compute` starts, it pays for one computation, and nothing leaves before it is durably
stored: a crash at any point loses no charge and leaks no release. By `ledger-protocol`.
"""

import secrets
from collections.abc import Callable
from types import TracebackType
from typing import Self

import pandas as pd

from tacit.errors import LedgerError, ParameterError
from tacit.ledger import accounts, books
from tacit.ledger.accounts import Terms
from tacit.ledger.amounts import Amount
from tacit.ledger.books import Request
from tacit.ledger.chain import Event, sha256
from tacit.ledger.checked import CheckedStore
from tacit.ledger.planned import planned_spending
from tacit.ledger.store import Row
from tacit.ledger.tables import EVENT_COLUMNS
from tacit.privacy import Approx, Budget, ExPost, as_budget

_LONGEST_NAME = 200


class Account:
    """A handle on an account of a ledger; copies are the same account, and it may travel to other processes."""

    def __init__(self, store: CheckedStore, terms: Terms, part: str = "", key: str | None = None) -> None:
        self._store = store
        self._terms = terms
        self._part = part
        self._key = key

    @property
    def name(self) -> str:
        """The account's name in its ledger."""
        return self._terms.name

    @property
    def limit(self) -> Budget:
        """The most this account may ever spend."""
        return self._terms.limit

    @property
    def schema(self) -> str | None:
        """The fingerprint of the schema the account was opened for."""
        return self._terms.schema

    @property
    def spent(self) -> Amount:
        """What was charged, settlements taken off; with declared parts: for the part that lost most."""
        with self._store.reading(self.name) as db:
            return accounts.spent(db, self.name, self._part)

    @property
    def remaining(self) -> Amount:
        """What may still be charged; with declared parts: to all of them at once."""
        with self._store.reading(self.name) as db:
            return accounts.remaining(db, self.name, self._part)

    def planned(self, delta: float) -> float:
        """ε(δ) if all charges had been fixed in advance; informational, the guarantee is the limit."""
        delta = Approx(1.0, delta).delta
        events = self.entries()
        parts = (self._part,) if self._part else ("", *self._terms.parts)
        return max(planned_spending(events, part, delta) for part in parts)

    def part(self, name: str) -> "Account":
        """The same account for charges that read only this declared part of the rows. By `ledger-parts`."""
        if name not in self._terms.parts:
            raise ParameterError(
                f"account {self.name!r} declares the parts {list(self._terms.parts)}, not {name!r}; parts are "
                f"declared when the account is opened"
            )
        return Account(self._store, self._terms, name, self._key)

    def keyed(self, key: str) -> "Account":
        """The same account for one job: whatever is run through this handle is one release, charged once.

        A job that is tried again with the same key gets the stored release back, so that retries cannot be averaged.
        A fit takes it as `ledger=account.keyed("job-17")`: one key for one fit of one table. By `ledger-protocol`.
        """
        return Account(self._store, self._terms, self._part, checked_name("key", key))

    def run(
        self,
        charge: Budget | float,
        query: bytes,
        compute: Callable[[], bytes],
        key: str | None = None,
        label: str = "",
        schema: str | None = None,
    ) -> bytes:
        """Charge, compute, store, and return the stored bytes. By `ledger-protocol`.

        Running the same key, charge and query again returns the same bytes and costs nothing; without a key every
        run is a new release. If `compute` fails the charge stays and the key is closed: whether it failed may depend
        on the noise, so a second try is a second release and needs a key and a charge of its own.
        """
        with self.reserve(charge, query, key, label, schema) as reservation:
            if reservation.released is not None:
                return reservation.released
            return reservation.store(compute())

    def reserve(
        self,
        charge: Budget | float,
        query: bytes = b"",
        key: str | None = None,
        label: str = "",
        schema: str | None = None,
    ) -> "Reservation":
        """Book a charge durably now; BudgetExceeded if it does not fit. See `Reservation`.

        schema  the fingerprint of the declaration the rows are read by; an account opened for one takes no other
        """
        if self.schema is not None and schema != self.schema:
            raise ParameterError(
                f"account {self.name!r} was opened for the declaration {self.schema!r}, and this charge is for "
                f"{'none that it names' if schema is None else repr(schema)}; use that declaration, or another account"
            )
        if not isinstance(query, bytes):
            raise ParameterError(f"a query is bytes that say what is asked, got {type(query).__name__}")
        key = self._key if key is None else checked_name("key", key)
        key = secrets.token_hex(16) if key is None else key
        label = checked_name("label", label) if label else ""
        request = Request(self.name, self._part, key, as_budget(charge), sha256(query), label)
        with self._store.writing(self.name) as db:
            released = books.charge(db, request)
        return Reservation(self._store, self.name, key, released)

    def fetch(self, key: str) -> bytes:
        """The release stored under a key, as it was released: free, and checked against its digest."""
        with self._store.reading() as db:
            return books.fetch(db, self.name, self._part, checked_name("key", key))

    def entries(self) -> list[Event]:
        """This account's events, oldest first."""
        return [Event(*row) for row in self._rows()]

    def history(self) -> pd.DataFrame:
        """The events as a frame, one row each."""
        return pd.DataFrame.from_records(self._rows(), columns=list(Event._fields), index="sequence")

    def _rows(self) -> list[Row]:
        with self._store.reading() as db:
            return db.rows(f"SELECT {EVENT_COLUMNS} FROM tacit_event WHERE account = ? ORDER BY sequence", self.name)

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __copy__(self) -> Self:
        return self

    def __reduce__(self) -> tuple[Callable[..., "Account"], tuple[str, str, str, str | None]]:
        from tacit.ledger.ledger import reopen  # a ledger makes accounts, so it imports this file

        return reopen, (self._store.store.url, self.name, self._part, self._key)

    def __repr__(self) -> str:
        part = f", part={self._part!r}" if self._part else ""
        key = f", key={self._key!r}" if self._key else ""
        return f"Account({self.name!r}, limit={self.limit!r}{part}{key})"


class Reservation:
    """A charge that has been booked, waiting for its release.

    Compute once after it exists, `store` the release, and only then let it leave. As a context manager it closes the
    key when the block ends without a stored release, in whichever way: the charge stays and pays for nothing else.
    """

    def __init__(self, store: CheckedStore, account: str, key: str, released: bytes | None) -> None:
        self.key = key
        self.released = released  # set if this key was run before: return it and compute nothing
        self._store = store
        self._account = account
        self._own = False  # whether this reservation ended the key: stored its release or closed it

    def store(self, release: bytes, paid: ExPost | None = None) -> bytes:
        """Store the release durably, settle it in the same transaction if `paid` is given, return what is stored.

        A second call returns the bytes of the first and ignores `paid`; one that failed (a full disk) may be repeated.
        """
        if not isinstance(release, bytes):
            raise ParameterError(f"a release must be bytes, got {type(release).__name__}; the charge stays booked")
        stored = self._close(release, paid)
        if stored is None:
            raise LedgerError(
                f"key {self.key!r} was closed without a stored release, so this one must not leave; store before you "
                f"settle, or both in one step: store(release, paid)"
            )
        return stored

    def settle(self, paid: ExPost) -> None:
        """Charge an ex-post mechanism what it really lost instead of its maximum. By `ledger-ex-post`.

        Only for the release computed under this reservation: a replayed one was settled before or keeps its maximum.
        Without a stored release the key is closed.
        """
        if not isinstance(paid, ExPost):
            raise ParameterError(
                f"only an ExPost loss can be settled, got {type(paid).__name__}; any other mechanism costs what was "
                f"reserved, whatever it returned"
            )
        if not self._own:
            self._close(None, paid)
            return
        with self._store.writing(self._account) as db:
            books.settle(db, self.key, paid)

    def _close(self, release: bytes | None, paid: ExPost | None) -> bytes | None:
        with self._store.writing(self._account) as db:
            self.released, first = books.store(db, self._account, self.key, release)
            if first and paid is not None:
                books.settle(db, self.key, paid)
        self._own = self._own or first
        return self.released

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.released is not None or self._own:
            return
        try:
            self._close(None, None)
        except LedgerError:
            if kind is None:
                raise  # after an error, that error is told: the key stays open and is refused like a closed one


def checked_name(what: str, text: str) -> str:
    """A name that both databases can hold and a person can read."""
    if not isinstance(text, str) or not 0 < len(text) <= _LONGEST_NAME or not text.isprintable():
        raise ParameterError(f"a {what} is 1 to {_LONGEST_NAME} printable characters, got {text!r:.80}")
    return text
