"""The largest guarantee of one currency that another currency's budget can pay for, rounded down."""

from tacit.arithmetic import exact, largest_float, lower
from tacit.errors import ParameterError
from tacit.privacy.budgets import MAX_EPSILON, MAX_RHO, ZCDP, Approx, Budget, Pure
from tacit.privacy.renyi import epsilon_of_rho


def zcdp_within(budget: Budget) -> ZCDP:
    """The largest ρ whose zCDP guarantee implies the budget. By `zcdp-to-approx`.

    A pure budget cannot pay for any Gaussian mechanism, so it is refused.
    """
    match budget:
        case ZCDP():
            return budget
        case Approx(epsilon, delta):
            return ZCDP(largest_float(lambda rho: epsilon_of_rho(rho, delta) <= epsilon, MAX_RHO))
        case Pure():
            raise ParameterError("a pure ε cannot pay for a zCDP mechanism; declare privacy=Approx(ε, δ) or ZCDP(ρ)")


def pure_within(budget: Budget) -> Pure:
    """The largest ε whose pure guarantee implies the budget. By `pure-to-zcdp` and by `pure-to-approx`."""
    match budget:
        case Pure():
            return budget
        case ZCDP(rho):
            return Pure(largest_float(lambda epsilon: Pure(epsilon).to_zcdp().rho <= rho, MAX_EPSILON))
        case Approx(epsilon, delta):
            e, d = epsilon, delta
            # (1−δ)e^x − δ ≤ e^ε  ⇔  x ≤ ε + log(1 + δe^−ε) − log(1−δ)
            larger = lower(lambda: exact(e) + (1 + exact(d) * (-exact(e)).exp()).log() - (1 - exact(d)).log())
            return Pure(min(MAX_EPSILON, max(e, larger)))
