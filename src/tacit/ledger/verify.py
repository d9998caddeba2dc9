"""Verification: replay the whole history and compare. By `ledger-chain`."""

import json
from dataclasses import dataclass

from tacit.errors import LedgerError
from tacit.ledger.chain import GENESIS, Event, event_hash, sha256
from tacit.ledger.store import Row, Session
from tacit.ledger.tables import EVENT_COLUMNS

_WIDTH = len(Event._fields)
_BATCH = 4096


@dataclass(frozen=True)
class Verified:
    """A history that was found to be whole."""

    events: int
    charges: int
    head: str


@dataclass
class _Sums:
    """One row of the balances, rebuilt from the history."""

    currency: str
    main_limit: int
    delta_limit: int
    bits: tuple[int, int]
    main: int = 0
    delta: int = 0

    def add(self, event: Event) -> None:
        self.main += event.main
        self.delta += event.delta
        if not (0 <= self.main <= self.main_limit and 0 <= self.delta <= self.delta_limit):
            raise _broken(event, "takes the account beyond its limit")


class _Replay:
    """The state after each event, and what may come next."""

    def __init__(self) -> None:
        self.previous = GENESIS
        self.sequence = -1
        self.sums: dict[str, dict[str, _Sums]] = {}
        self.charged: dict[str, int] = {}
        self.stored: set[str] = set()

    def take(self, row: Row) -> None:
        event, output = Event(*row[:_WIDTH]), row[_WIDTH]
        if event.sequence != self.sequence + 1 or event.previous != self.previous:
            raise _broken(event, "does not follow the one before it: entries are missing or were reordered")
        if event_hash(row[: _WIDTH - 1]) != event.hash:
            raise _broken(event, "was changed after it was written: its hash does not match")
        self.sequence, self.previous = event.sequence, event.hash
        match event.kind:
            case "create":
                pass
            case "open":
                self._begin(event, ("", *json.loads(event.label)["parts"]))
            case "stage":
                self._begin(event, tuple(self.sums[event.account]))
            case "charge":
                self.charged[event.key] = event.main
                self._book(event)
            case "store":
                self._store(event, output)
            case "settle":
                self._settle(event)
            case _:
                raise _broken(event, f"is of the unknown kind {event.kind!r}")

    def _begin(self, event: Event, parts: tuple[str, ...]) -> None:
        main, delta = json.loads(event.label)["bits"]
        self.sums[event.account] = {p: _Sums(event.currency, event.main, event.delta, (main, delta)) for p in parts}

    def _book(self, event: Event) -> None:
        rows = self.sums[event.account]
        for sums in rows.values() if not event.part else (rows[event.part],):
            sums.add(event)

    def _store(self, event: Event, output: bytes | None) -> None:
        if event.key not in self.charged or event.key in self.stored:
            raise _broken(event, "stores a release without one charge of its own")
        if event.digest != ("" if output is None else sha256(output)):
            raise _broken(event, "holds a release that was changed after it was stored")
        self.stored.add(event.key)

    def _settle(self, event: Event) -> None:
        charged = self.charged.get(event.key)
        if charged is None or not -charged <= event.main <= 0 or event.delta:
            raise _broken(event, "settles what was never charged, or more than was charged")
        if event.main:
            self._book(event)


def verify(db: Session) -> Verified:
    """Replay the history in one snapshot: chain, releases, limits at every step, and the balances at the end."""
    replay = _Replay()
    start = 0
    while rows := db.rows(
        f"SELECT {EVENT_COLUMNS}, output FROM tacit_event WHERE sequence >= ? ORDER BY sequence LIMIT {_BATCH}", start
    ):
        for row in rows:
            replay.take(row)
        start = replay.sequence + 1
    kept = db.rows(
        "SELECT account, part, currency, main_limit, delta_limit, main_bits, delta_bits, main, delta FROM tacit_balance"
    )
    rebuilt = {
        (account, part, s.currency, s.main_limit, s.delta_limit, *s.bits, s.main, s.delta)
        for account, parts in replay.sums.items()
        for part, s in parts.items()
    }
    if set(kept) != rebuilt or len(kept) != len(rebuilt):
        raise LedgerError("the balances are not the sums of the charges: somebody changed them beside the history")
    return Verified(replay.sequence + 1, len(replay.charged), f"{replay.sequence}:{replay.previous}")


def _broken(event: Event, what: str) -> LedgerError:
    return LedgerError(f"entry {event.sequence} ({event.kind}) {what}; restore the newest copy that verifies")
