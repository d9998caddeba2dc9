"""The privacy profile of the Gaussian mechanism (Balle and Wang 2018).

For sensitivity Δ and standard deviation σ only μ = Δ/σ matters:

    δ(ε; μ) = Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ)

which increases with μ and decreases with ε. By `gaussian-profile`.
"""

import math

from flint import arb

from tacit.arithmetic import exact, largest_float, lower, upper
from tacit.errors import ParameterError
from tacit.privacy.budgets import ZCDP, Approx, Budget

_LARGEST_MU = 2.0**20  # δ(ε; μ) rounds to 1 there for every ε a budget may have


def gaussian_delta(epsilon: float, mu: float) -> float:
    """The smallest δ for which sensitivity/σ = μ is (ε, δ)-private, rounded up. By `gaussian-profile`."""
    if not (0 <= epsilon < math.inf and 0 < mu < math.inf):
        raise ParameterError(f"the Gaussian profile needs finite epsilon >= 0 and mu > 0, got {epsilon!r} and {mu!r}")

    def profile() -> arb:
        e, m = exact(epsilon), exact(mu)
        return _normal_cdf(m / 2 - e / m) - e.exp() * _normal_cdf(-m / 2 - e / m)

    return min(1.0, max(0.0, upper(profile)))


def gaussian_mu(budget: Approx) -> float:
    """The largest sensitivity/σ whose profile stays within the budget, rounded down. By `gaussian-profile`."""
    return largest_float(lambda mu: gaussian_delta(budget.epsilon, mu) <= budget.delta, _LARGEST_MU)


def gaussian_strength(budget: Budget) -> ZCDP:
    """ρ = μ²/2 for the largest μ that an (ε, δ) budget allows, rounded down; a zCDP budget is its own.

    Gaussian releases with Σ Δᵢ²/(2σᵢ²) ≤ ρ, each chosen after the ones before, keep the budget together: less noise
    than through zCDP, for releases that are nothing but Gaussian noise on a sum. By `gaussian-composition`.
    """
    if not budget.own_delta:
        return budget.zcdp_within()
    mu = gaussian_mu(Approx(budget.amount, budget.own_delta))
    return ZCDP(lower(lambda: exact(mu) ** 2 / 2))


def _normal_cdf(x: arb) -> arb:
    return (-x / arb(2).sqrt()).erfc() / 2
