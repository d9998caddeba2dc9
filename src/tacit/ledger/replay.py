"""The history read again from its first entry: what every sum and limit must be. By `ledger-chain`."""

import json

from tacit.errors import LedgerError
from tacit.ledger.amounts import Balance, worst
from tacit.ledger.chain import Event, Walk, broken
from tacit.ledger.filters import Stage, as_currency, budget_from_text, first_stage, price
from tacit.ledger.store import RESTORE, Row
from tacit.ledger.units import Scale, amount_down, amount_up
from tacit.privacy import best_excess, epsilon_at_order


class Replay(Walk):
    """The state after the entries taken so far, and what may come next; `take` refuses everything else."""

    def __init__(self) -> None:
        super().__init__()
        self.balances: dict[str, dict[str, Balance]] = {}
        self.charged: dict[str, int] = {}
        self.stored: set[str] = set()
        self._prices: dict[tuple[str, str], tuple[int, int] | None] = {}  # of an account and a loss, as text

    def take(self, row: Row) -> None:
        """Add up the next entry, which costs and gives back what it may."""
        try:
            self._add_up(row)
        except (LookupError, TypeError, ValueError, ArithmeticError) as error:
            raise broken(row, "does not read like an entry that tacit wrote") from error

    def _add_up(self, row: Row) -> None:
        match row[1]:
            case "charge":
                self._charge(row)
            case "store":
                if row[4] not in self.charged or row[4] in self.stored:
                    raise broken(row, "stores a release without one charge of its own")
                self.stored.add(row[4])
            case "settle":
                self._settle(Event(*row))
            case "open":
                self._open(Event(*row))
            case "stage":
                self._turn(Event(*row))
            case "create":
                pass
            case kind:
                raise broken(row, f"is of the unknown kind {kind!r}")

    def compare(self, kept: list[Balance], account: str) -> None:
        """LedgerError unless these are the sums of the account's charges and the limits of its terms."""
        if {row.part: row for row in kept} != self.balances.get(account, {}):
            raise LedgerError(
                f"the balances of account {account!r} are not the sums of its charges under its limits: somebody "
                f"changed them beside the history; {RESTORE}"
            )

    def _open(self, event: Event) -> None:
        detail, stage = json.loads(event.label), first_stage(budget_from_text(event.loss))
        if _stage(event, Scale(*detail["bits"])) != stage:
            raise broken(event, "does not have the limits of its terms")
        self._begin(event.account, stage, ("", *detail["parts"]))

    def _turn(self, event: Event) -> None:
        """The new limits must be worth no more than what was left. By `ledger-stages`."""
        detail, most = json.loads(event.label), worst(list(self.balances[event.account].values()))
        stage, scale, conversion = _stage(event, Scale(*detail["bits"])), most.stage.scale, detail["conversion"]
        rho, delta = amount_up(stage.main, stage.scale.main), amount_down(conversion, scale.delta)
        excess = detail.get("excess", best_excess(rho, delta))  # any order proves what it was certified for
        worth, left = epsilon_at_order(excess, rho, delta), amount_down(most.left.main, scale.main)
        if worth > left or stage.delta > most.left.delta - conversion or stage.scale.delta != scale.delta:
            raise broken(event, "turns to limits that are worth more than what was left")
        self._prices = {asked: price for asked, price in self._prices.items() if asked[0] != event.account}
        self._begin(event.account, stage, tuple(self.balances[event.account]))

    def _begin(self, account: str, stage: Stage, parts: tuple[str, ...]) -> None:
        self.balances[account] = {part: Balance(part, stage, 0, 0) for part in parts}

    def _charge(self, row: Row) -> None:
        _, _, account, part, key, currency, main, delta, loss, *_ = row
        stage = self.balances[account][part].stage
        if (account, loss) not in self._prices:
            self._prices[account, loss] = _plain_price(loss, stage)
        due = self._prices[account, loss]
        if key in self.charged or currency != stage.currency or (due is not None and due != (main, delta)):
            raise broken(row, "does not cost what its loss says")
        self.charged[key] = main
        self._book(row, account, part, main, delta)

    def _settle(self, event: Event) -> None:
        charged = self.charged.get(event.key)
        if charged is None or not -charged <= event.main <= 0 or event.delta:
            raise broken(event, "settles what was never charged, or more than was charged")
        if event.main:
            self._book(event, event.account, event.part, event.main, 0)

    def _book(self, entry: Row, account: str, part: str, main: int, delta: int) -> None:
        sums = self.balances[account]
        for one in sums.values() if not part else (sums[part],):
            one.main += main
            one.delta += delta
            if not (0 <= one.main <= one.stage.main and 0 <= one.delta <= one.stage.delta):
                raise broken(entry, "takes the account beyond its limit")


def _plain_price(loss: str, stage: Stage) -> tuple[int, int] | None:
    """The units a loss costs; None where it was converted, which a later version may do more tightly."""
    charge = budget_from_text(loss)
    cost = price(charge, stage)
    converted = stage.currency == "rho" and charge.unit != "rho"
    return None if converted or cost is None else (cost.main, cost.delta)


def _stage(event: Event, scale: Scale) -> Stage:
    return Stage(as_currency(event.currency), event.main, event.delta, scale)
