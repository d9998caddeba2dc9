"""Which charges fit together: one filter at a time, exact, valid for adaptively chosen charges.

An account works through stages. A stage has one main currency and two integer limits:

    "epsilon"   Σε ≤ main, Σδ ≤ delta     basic composition, pathwise      by `ledger-basic-filter`
    "rho"       Σρ ≤ main, Σδ ≤ delta     zCDP filter with a δ pool        by `ledger-zcdp-filter`

A `Pure` limit is an "epsilon" stage without δ, a `ZCDP` limit a "rho" stage without δ. An `Approx` limit starts in
"epsilon"; its first charge that has no ε of its own (`ZCDP`) turns all that is left into a "rho" stage. The turn
happens at most once, and the new filter depends only on the public history. By `ledger-stages`.
"""

import json
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from tacit.errors import LedgerError
from tacit.ledger.units import DELTA_UNITS, MAIN_UNITS, Cost, amount_down, units_down, units_up
from tacit.privacy import ZCDP, Approx, Budget, Pure, zcdp_within

Currency = Literal["epsilon", "rho"]

CONVERSION_SHARE = Fraction(1, 2)  # of the δ left at the turn: the rest is the pool for charges with their own δ


@dataclass(frozen=True)
class Stage:
    """A filter: the currency of its sums and the largest sums it admits, in units."""

    currency: Currency
    main: int
    delta: int


def first_stage(limit: Budget) -> Stage:
    """The filter an account with this limit starts with, limits rounded down. By `ledger-units`."""
    match limit:
        case Pure(epsilon):
            return Stage("epsilon", units_down(epsilon, MAIN_UNITS), 0)
        case ZCDP(rho):
            return Stage("rho", units_down(rho, MAIN_UNITS), 0)
        case Approx(epsilon, delta):
            return Stage("epsilon", units_down(epsilon, MAIN_UNITS), units_down(delta, DELTA_UNITS))


def price(charge: Budget, currency: Currency) -> Cost | None:
    """What a charge costs in a stage, rounded up; None if it has no finite price there.

    In "epsilon" (ε, δ) is booked as it is, by `ledger-basic-filter`. In "rho" a pure ε costs ρ = ε tanh(ε/2), and
    (ε, δ) costs the same beside its δ, by `ledger-zcdp-filter`.
    """
    match charge, currency:
        case Pure(epsilon), "epsilon":
            return Cost(units_up(epsilon, MAIN_UNITS), 0)
        case Approx(epsilon, delta), "epsilon":
            return Cost(units_up(epsilon, MAIN_UNITS), units_up(delta, DELTA_UNITS))
        case ZCDP(), "epsilon":
            return None
        case ZCDP(rho), _:
            return Cost(units_up(rho, MAIN_UNITS), 0)
        case Pure(), _:
            return Cost(units_up(charge.to_zcdp().rho, MAIN_UNITS), 0)
        case Approx(epsilon, delta), _:
            return Cost(units_up(Pure(epsilon).to_zcdp().rho, MAIN_UNITS), units_up(delta, DELTA_UNITS))
    raise AssertionError("every budget has been matched")


def concentrated_rest(left: Cost) -> Stage | None:
    """The "rho" stage that (ε, δ) units left of an `Approx` limit can pay for; None if nothing usable is left.

    Half of the δ left pays for the conversion: ρ is the largest with ρ-zCDP ⇒ (ε, δ/2). By `ledger-stages`.
    """
    conversion = int(left.delta * CONVERSION_SHARE)
    if left.main <= 0 or conversion <= 0:
        return None
    rest = Approx(amount_down(left.main, MAIN_UNITS), amount_down(conversion, DELTA_UNITS))
    return Stage("rho", units_down(zcdp_within(rest).rho, MAIN_UNITS), left.delta - conversion)


_KINDS: dict[str, type[Pure] | type[ZCDP] | type[Approx]] = {"Pure": Pure, "ZCDP": ZCDP, "Approx": Approx}


def budget_text(budget: Budget) -> str:
    """A budget as it is written in the books; floats survive the round trip exactly."""
    match budget:
        case Pure(epsilon):
            return json.dumps(["Pure", epsilon])
        case ZCDP(rho):
            return json.dumps(["ZCDP", rho])
        case Approx(epsilon, delta):
            return json.dumps(["Approx", epsilon, delta])


def budget_from_text(text: str) -> Budget:
    """The inverse of `budget_text`."""
    try:
        kind, *numbers = json.loads(text)
        return _KINDS[kind](*numbers)
    except (ValueError, KeyError, TypeError) as error:
        raise LedgerError(f"the ledger holds {text!r} where a budget was expected; run ledger.verify()") from error
