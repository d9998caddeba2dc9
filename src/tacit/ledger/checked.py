"""A ledger that looks before it trusts: each transaction starts from a history that was checked. By `ledger-chain`.

Opening reads the whole history: every hash, sum and limit. After that the state is kept in memory, and a transaction
checks the entries that were added since, and that the balances it is about to use are their sums. What a process has
seen once cannot be taken back behind its back.
"""

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tacit.errors import LedgerError
from tacit.ledger.accounts import all_balances, balances
from tacit.ledger.chain import Walk, check_releases
from tacit.ledger.replay import Replay
from tacit.ledger.store import Session, Store


@dataclass(frozen=True)
class Verified:
    """A history that was found to be whole."""

    events: int
    charges: int
    head: str


class CheckedStore:
    """The transactions of a store, each behind the check."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._replay = Replay()
        self._finding: str | None = None
        self._walked: Hashable | None = None  # the mark of the database when all of it was walked along

    @contextmanager
    def writing(self, account: str | None = None) -> Iterator[Session]:
        """As `Store.writing`; the balances of the account are the sums of its charges."""
        with self.store.writing() as db:
            self._check(db, account)
            yield db

    @contextmanager
    def reading(self, account: str | None = None) -> Iterator[Session]:
        """As `Store.reading`; the balances of the account are the sums of its charges."""
        with self.store.reading() as db:
            self._check(db, account)
            yield db

    def check_all(self) -> None:
        """Check the entries not seen yet, and the balances of all accounts."""
        with self.reading() as db:
            _compare_all(self._replay, db)

    def verify(self) -> Verified:
        """Check all pages, all entries from the first one on, all balances and all stored releases.

        Entries that were added up before and lead to the same head again are the same entries. Where the database can
        tell that nobody else has written since they were last walked along, they are not walked along again.
        """
        self.store.check_pages()
        with self.reading() as db:
            if self._walked is None or self.store.mark(db) != self._walked:
                Walk().take_new(db)
                self._walked = self.store.mark(db)
            _compare_all(self._replay, db)
            check_releases(db)
        return Verified(self._replay.sequence + 1, len(self._replay.charged), self._replay.head)

    def _check(self, db: Session, account: str | None) -> None:
        if self._finding is not None:
            raise LedgerError(self._finding)  # what was seen once stays seen until the ledger is opened again
        try:
            fresh = self._replay.sequence < 0
            self._replay.take_new(db)
            if fresh:
                self._walked = self.store.mark(db)
        except LedgerError as error:
            self._finding = str(error)
            raise
        except BaseException:
            self._replay = Replay()  # interrupted half way: look at everything again
            raise
        if account is not None:
            self._replay.compare(balances(db, account), account)


def _compare_all(replay: Replay, db: Session) -> None:
    kept = all_balances(db)
    for account in {**replay.balances, **kept}:
        replay.compare(kept.get(account, []), account)
