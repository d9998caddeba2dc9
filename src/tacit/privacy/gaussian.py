"""The privacy profile of the Gaussian mechanism (Balle and Wang 2018).

For sensitivity Δ and standard deviation σ only μ = Δ/σ matters:

    δ(ε; μ) = Φ(−ε/μ + μ/2) − e^ε Φ(−ε/μ − μ/2)

which increases with μ and decreases with ε. By `gaussian-profile`.
"""

import math

from flint import arb
from scipy.optimize import brentq
from scipy.special import log_ndtr

from tacit.privacy.budgets import Approx
from tacit.privacy.rounding import exact, largest_certified, upper


def gaussian_delta(epsilon: float, mu: float) -> float:
    """The smallest δ for which sensitivity/σ = μ is (ε, δ)-private, rounded up. By `gaussian-profile`."""

    def profile() -> arb:
        e, m = exact(epsilon), exact(mu)
        return _normal_cdf(m / 2 - e / m) - e.exp() * _normal_cdf(-m / 2 - e / m)

    return min(1.0, max(0.0, upper(profile)))


def gaussian_mu(budget: Approx) -> float:
    """The largest sensitivity/σ whose profile stays within the budget, rounded down. By `gaussian-profile`."""
    guess = _solve_profile(budget.epsilon, budget.delta)
    return largest_certified(guess, lambda mu: gaussian_delta(budget.epsilon, mu) <= budget.delta)


def _normal_cdf(x: arb) -> arb:
    return (-x / arb(2).sqrt()).erfc() / 2


def _solve_profile(epsilon: float, delta: float) -> float:
    """A float solution of δ(ε; μ) = δ; certified afterwards, so its own accuracy costs nothing but tightness."""

    def excess(log_mu: float) -> float:
        mu = math.exp(log_mu)
        first = float(log_ndtr(mu / 2 - epsilon / mu))
        second = epsilon + float(log_ndtr(-mu / 2 - epsilon / mu))
        if second >= first:
            return -math.inf if delta > 0 else math.inf
        return first + math.log1p(-math.exp(second - first)) - math.log(delta)

    low, high = math.log(1e-12), math.log(1e8)
    while excess(high) < 0:
        high += 10
    while math.isinf(excess(low)):
        low += 0.25
    return math.exp(float(brentq(excess, low - 0.25, high, xtol=1e-15))) if excess(low) < 0 else math.exp(low)
