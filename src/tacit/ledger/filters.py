"""Which charges fit together: one filter at a time, exact, valid for adaptively chosen charges.

An account works through stages. A stage has one main currency and two integer limits:

    "epsilon"   Σε ≤ main, Σδ ≤ delta     basic composition, pathwise      by `ledger-basic-filter`
    "rho"       Σρ ≤ main, Σδ ≤ delta     zCDP filter with a δ pool        by `ledger-zcdp-filter`

A `Pure` limit is an "epsilon" stage without δ, a `ZCDP` limit a "rho" stage without δ. An `Approx` limit starts in
"epsilon"; its first charge that has no ε of its own (`ZCDP`) turns all that is left into a "rho" stage. The turn
happens at most once, and the new filter depends only on the public history. By `ledger-stages`.
"""

import json
from dataclasses import astuple, dataclass
from typing import Literal

from tacit.errors import LedgerError
from tacit.ledger.store import RESTORE
from tacit.ledger.units import Cost, Scale, amount_down, bits_for, units_exactly
from tacit.privacy import ZCDP, Approx, Budget, Pure

Currency = Literal["epsilon", "rho"]
_CURRENCIES: dict[str, Currency] = {"epsilon": "epsilon", "rho": "rho"}


@dataclass(frozen=True)
class Stage:
    """A filter: the currency of its sums, its units, and the largest sums it admits."""

    currency: Currency
    main: int
    delta: int
    scale: Scale


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


def price(charge: Budget, currency: Currency, scale: Scale) -> Cost | None:
    """What a charge costs in a stage, rounded up; None if it has no finite price there.

    In "epsilon" (ε, δ) is booked as it is, by `ledger-basic-filter`. In "rho" a pure ε costs ρ = ε tanh(ε/2), and
    (ε, δ) costs the same beside its δ, by `ledger-zcdp-filter`.
    """
    if charge.unit == currency:
        return scale.charge(charge.amount, charge.own_delta)
    if charge.unit == "rho":
        return None
    return scale.charge(Pure(charge.amount).to_zcdp().rho, charge.own_delta)


def concentrated_rest(left: Cost, scale: Scale) -> Stage | None:
    """The "rho" stage that (ε, δ) units left of an `Approx` limit can pay for; None if nothing usable is left.

    Half of the δ left pays for the conversion: ρ is the largest with ρ-zCDP ⇒ (ε, δ/2). By `ledger-stages`.
    """
    conversion = left.delta // 2
    if left.main <= 0 or conversion <= 0:
        return None
    rest = Approx(amount_down(left.main, scale.main), amount_down(conversion, scale.delta))
    rho = rest.zcdp_within().rho
    bits = bits_for(rho)
    return Stage("rho", units_exactly(rho, bits), left.delta - conversion, Scale(bits, scale.delta))


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
