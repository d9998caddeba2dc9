"""Which charges fit together: one filter at a time, exact, valid for adaptively chosen charges.

An account works through stages. A stage has one main currency and two integer limits:

    "epsilon"   Σε ≤ main, Σδ ≤ delta     basic composition, pathwise      by `ledger-basic-filter`
    "rho"       Σρ ≤ main, Σδ ≤ delta     zCDP filter with a δ pool        by `ledger-zcdp-filter`

A `Pure` limit is an "epsilon" stage without δ, a `ZCDP` limit a "rho" stage without δ. An `Approx` limit starts in
"epsilon"; its first charge that has no ε of its own (`ZCDP`) turns all that is left into a "rho" stage. The turn
happens at most once, and the new filter depends only on the public history and that charge. By `ledger-stages`.
"""

import json
from dataclasses import astuple, dataclass, field
from fractions import Fraction
from typing import Literal

from tacit.errors import LedgerError
from tacit.ledger.store import RESTORE
from tacit.ledger.units import Cost, Scale, amount_down, bits_for, units_exactly, units_up
from tacit.privacy import ZCDP, Approx, Budget, Pure, best_excess

Currency = Literal["epsilon", "rho"]
_CURRENCIES: dict[str, Currency] = {"epsilon": "epsilon", "rho": "rho"}


@dataclass(frozen=True)
class Stage:
    """A filter: the currency of its sums, its units, and the largest sums it admits.

    excess: α − 1 for the Rényi order α at which the "rho" limit of an `Approx` account was certified to be worth what
    was left; None where there is no such order.
    """

    currency: Currency
    main: int
    delta: int
    scale: Scale
    excess: float | None = field(default=None, compare=False)  # known from the turn; balances do not repeat it


def as_currency(text: str) -> Currency:
    """The currency a line of the books names."""
    if text not in _CURRENCIES:
        raise LedgerError(f"the ledger holds {text!r} where a currency was expected; {RESTORE}")
    return _CURRENCIES[text]


def first_stage(limit: Budget) -> Stage:
    """The filter an account with this limit starts with. By `ledger-units`."""
    scale = Scale(bits_for(limit.amount), bits_for(limit.own_delta))
    main, delta = units_exactly(limit.amount, scale.main), units_exactly(limit.own_delta, scale.delta)
    return Stage(limit.unit, main, delta, scale)


def price(charge: Budget, stage: Stage) -> Cost | None:
    """What a charge costs in a stage, rounded up; None if it has no finite price there.

    In "epsilon" (ε, δ) is booked as it is, by `ledger-basic-filter`. In "rho" a pure ε costs ρ = ε tanh(ε/2), or ε/α
    if that is less and the stage has an order α; (ε, δ) costs the same beside its δ. By `ledger-zcdp-filter`.
    """
    if charge.unit == stage.currency:
        return stage.scale.charge(charge.amount, charge.own_delta)
    if charge.unit == "rho":
        return None
    cost = stage.scale.charge(Pure(charge.amount).to_zcdp().rho, charge.own_delta)
    if stage.excess is None:
        return cost
    at_its_order = Fraction(charge.amount) / (1 + Fraction(stage.excess))
    return Cost(min(cost.main, units_up(at_its_order, stage.scale.main)), cost.delta)


def concentrated_rest(left: Cost, scale: Scale, rho: float) -> Stage | None:
    """The "rho" stage that (ε, δ) units left of an `Approx` limit turn into for a charge of this ρ; None: does not fit.

    Half of the δ left pays for the conversion, or all of it if the charge fits no other way. By `ledger-stages`.
    """
    for conversion in (left.delta // 2, left.delta):
        if left.main > 0 and conversion > 0:
            stage = _converted(left, conversion, scale)
            if units_up(rho, stage.scale.main) <= stage.main:
                return stage
    return None


def _converted(left: Cost, conversion: int, scale: Scale) -> Stage:
    """The largest ρ with ρ-zCDP ⇒ (ε left, the δ put aside), and the rest of δ. By `zcdp-to-approx`."""
    epsilon, delta = amount_down(left.main, scale.main), amount_down(conversion, scale.delta)
    rho = Approx(epsilon, delta).zcdp_within().rho
    bits = bits_for(rho)
    excess = best_excess(rho, delta)
    return Stage("rho", units_exactly(rho, bits), left.delta - conversion, Scale(bits, scale.delta), excess)


_KINDS: dict[str, type[Pure] | type[ZCDP] | type[Approx]] = {"Pure": Pure, "ZCDP": ZCDP, "Approx": Approx}


def budget_text(budget: Budget) -> str:
    """A budget as it is written in the books; floats survive the round trip exactly."""
    return json.dumps([type(budget).__name__, *astuple(budget)])


def budget_from_text(text: str) -> Budget:
    """The inverse of `budget_text`."""
    try:
        kind, *numbers = json.loads(text)
        return _KINDS[kind](*numbers)
    except (ValueError, KeyError, TypeError) as error:
        raise LedgerError(f"the ledger holds {text!r} where a budget was expected; {RESTORE}") from error
