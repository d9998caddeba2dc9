"""The largest guarantee of one currency that another currency's budget can pay for, rounded down."""

import math

from tacit.errors import ParameterError
from tacit.privacy.budgets import MAX_EPSILON, MAX_RHO, ZCDP, Approx, Budget, Pure
from tacit.privacy.renyi import epsilon_of_rho, solve_increasing
from tacit.privacy.rounding import exact, largest_certified, lower


def zcdp_within(budget: Budget) -> ZCDP:
    """The largest ρ whose zCDP guarantee implies the budget. By `zcdp-to-approx`.

    A pure budget cannot pay for any Gaussian mechanism, so it is refused.
    """
    match budget:
        case ZCDP():
            return budget
        case Approx(epsilon, delta):
            guess = solve_increasing(lambda rho: epsilon_of_rho(rho, delta), epsilon, MAX_RHO)
            return ZCDP(largest_certified(guess, lambda rho: epsilon_of_rho(rho, delta) <= epsilon))
        case Pure():
            raise ParameterError("a pure ε cannot pay for a zCDP mechanism; declare privacy=Approx(ε, δ) or ZCDP(ρ)")


def pure_within(budget: Budget) -> Pure:
    """The largest ε whose pure guarantee implies the budget. By `pure-to-zcdp` and by `pure-to-approx`."""
    match budget:
        case Pure():
            return budget
        case ZCDP(rho):
            guess = solve_increasing(lambda e: e * math.tanh(e / 2), rho, MAX_EPSILON)
            return Pure(largest_certified(guess, lambda e: Pure(e).to_zcdp().rho <= rho))
        case Approx(epsilon, delta):
            e, d = epsilon, delta
            # (1−δ)e^x − δ ≤ e^ε  ⇔  x ≤ ε + log(1 + δe^−ε) − log(1−δ)
            larger = lower(lambda: exact(e) + (1 + exact(d) * (-exact(e)).exp()).log() - (1 - exact(d)).log())
            return Pure(min(MAX_EPSILON, max(e, larger)))
