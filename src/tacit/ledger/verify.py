"""Verification: replay the whole history and compare. By `ledger-chain`."""

import json
from dataclasses import dataclass, field

from tacit.errors import LedgerError
from tacit.ledger.chain import GENESIS, Event, event_hash, sha256
from tacit.ledger.filters import Currency, Stage, budget_from_text, first_stage, price
from tacit.ledger.store import Row, Session
from tacit.ledger.tables import EVENT_COLUMNS
from tacit.ledger.units import Scale, amount_down, amount_up
from tacit.privacy import ZCDP

_WIDTH = len(Event._fields)
_BATCH = 4096
_CURRENCIES: dict[str, Currency] = {"epsilon": "epsilon", "rho": "rho"}


@dataclass(frozen=True)
class Verified:
    """A history that was found to be whole."""

    events: int
    charges: int
    head: str


@dataclass
class _Sums:
    """One row of the balances, rebuilt from the history."""

    currency: Currency
    main_limit: int
    delta_limit: int
    scale: Scale
    main: int = 0
    delta: int = 0

    prices: dict[str, tuple[int, int] | None] = field(default_factory=dict)

    def plain_price(self, loss: str) -> tuple[int, int] | None:
        """The units a loss costs; None where it was converted, which a later version may do more tightly."""
        if loss not in self.prices:
            charge = budget_from_text(loss)
            cost = price(charge, self.currency, self.scale)
            converted = self.currency == "rho" and charge.unit != "rho"
            self.prices[loss] = None if converted or cost is None else (cost.main, cost.delta)
        return self.prices[loss]

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
        event, output = Event._make(row[:_WIDTH]), row[_WIDTH]
        if event.sequence != self.sequence + 1 or event.previous != self.previous:
            raise _broken(event, "does not follow the one before it: entries are missing or were reordered")
        if event_hash(row[: _WIDTH - 1]) != event.hash:
            raise _broken(event, "was changed after it was written: its hash does not match")
        self.sequence, self.previous = event.sequence, event.hash
        match event.kind:
            case "create":
                pass
            case "open":
                self._open(event)
            case "stage":
                self._turn(event)
            case "charge":
                self._charge(event)
            case "store":
                self._store(event, output)
            case "settle":
                self._settle(event)
            case _:
                raise _broken(event, f"is of the unknown kind {event.kind!r}")

    def _open(self, event: Event) -> None:
        detail, stage = json.loads(event.label), first_stage(budget_from_text(event.loss))
        scale = Scale(*detail["bits"])
        if Stage(stage.currency, event.main, event.delta, scale) != stage or event.currency != stage.currency:
            raise _broken(event, "does not have the limits of its terms")
        self._begin(event, scale, ("", *detail["parts"]))

    def _turn(self, event: Event) -> None:
        """The new limits must be worth no more than what was left. By `ledger-stages`."""
        detail, rows = json.loads(event.label), list(self.sums[event.account].values())
        old, new = rows[0].scale, Scale(*detail["bits"])
        left = rows[0].main_limit - max(row.main for row in rows)
        pool = rows[0].delta_limit - max(row.delta for row in rows) - detail["conversion"]
        worth = ZCDP(amount_up(event.main, new.main)).to_approx(amount_down(detail["conversion"], old.delta))
        if worth.epsilon > amount_up(left, old.main) or event.delta > pool or new.delta != old.delta:
            raise _broken(event, "turns to limits that are worth more than what was left")
        self._begin(event, new, tuple(self.sums[event.account]))

    def _begin(self, event: Event, scale: Scale, parts: tuple[str, ...]) -> None:
        self.sums[event.account] = {
            p: _Sums(_CURRENCIES[event.currency], event.main, event.delta, scale) for p in parts
        }

    def _charge(self, event: Event) -> None:
        sums = self.sums[event.account][event.part]
        due = sums.plain_price(event.loss)
        if event.key in self.charged or event.currency != sums.currency or due not in (None, (event.main, event.delta)):
            raise _broken(event, "does not cost what its loss says")
        self.charged[event.key] = event.main
        self._book(event)

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
        (account, part, s.currency, s.main_limit, s.delta_limit, s.scale.main, s.scale.delta, s.main, s.delta)
        for account, parts in replay.sums.items()
        for part, s in parts.items()
    }
    if set(kept) != rebuilt or len(kept) != len(rebuilt):
        raise LedgerError("the balances are not the sums of the charges: somebody changed them beside the history")
    return Verified(replay.sequence + 1, len(replay.charged), f"{replay.sequence}:{replay.previous}")


def _broken(event: Event, what: str) -> LedgerError:
    return LedgerError(f"entry {event.sequence} ({event.kind}) {what}; restore the newest copy that verifies")
