"""What curvature costs objective perturbation under zCDP: ρ = 2G²/σ² + K η², η = t/(nλ), q = η²σ²/G².

Rényi orders up to 1 + v/η are bounded by a change of variables, those above by the corners of the slopes. Any v in
(0, 1) gives a valid K, so a good one is searched. By `objective-zcdp`.

    any loss:           K = max(−log(1 − v²)/v², 1/v + Y/v²)
                        Y = log(1 + 2e^(−1.5v²/q) + e^(−2v²/q)) for slopes of one sign, log(2 + 2e^(−2v²/q)) otherwise
    φ'' ≤ p(1 − p):     K = log(1 + e^(−1.5v²/q)(1 + e^(4v)) + e^(4v − 2v²/q))/v²,
    slopes up to 1          if 16g⁵ q (−log(1 − v) − v) ≤ v² and 4q ≤ 3v, g = (√5 − 1)/2

The second is nearly nothing for q ≤ 0.2: a row that pulls hard is flat, and a curved one pulls half as hard.
"""

import math
from collections.abc import Callable

from flint import arb

from tacit.arithmetic import exact, lower, upper
from tacit.losses import LOGISTIC_TIE
from tacit.mechanisms.problem import Problem

WORST_PRICE = 2.6
"""K for every loss and every q, with v = 0.9505."""

_TIED_PRICES = (2.0**-10, 2.0**-7, 2.0**-5, 2.0**-3, 0.5)
_PRICES = (1.42, 1.46, 1.5, 1.6, 1.7, 1.8, 2.0, 2.2, 2.4)
ORDER_LIMITS = (0.9985, 0.997, 0.994, 0.99, 0.9505, *(step / 64 for step in range(60, 31, -1)))


def largest_zcdp_ratio(problem: Problem, rho: float) -> float | None:
    """G²/σ² for Gaussian noise under ρ-zCDP, rounded down; None if λ is too small. By `objective-zcdp`.

    The smallest K on a list that is proved for the q it leads to.
    """
    t, l2, n = problem.curvature_bound, problem.l2, problem.shape.n

    def left(price: float) -> float:
        return lower(lambda: (exact(rho) - exact(price) * (exact(t) / (exact(l2) * n)) ** 2) / 2)

    def q(ratio: float) -> float:
        return upper(lambda: (exact(t) / (exact(l2) * n)) ** 2 / exact(ratio))

    if problem.loss.curvature_tie == LOGISTIC_TIE and problem.steepest_slope == 1.0:
        for price in _TIED_PRICES:
            if left(price) > 0 and tied_price(q(left(price))) <= price:
                return left(price)
    for price in _PRICES:
        if left(price) > 0 and _covers(price, q(left(price)), one_sided=problem.loss.one_sided_slope):
            return left(price)
    return left(WORST_PRICE) if left(WORST_PRICE) > 0 else None


def tied_price(q: float) -> float:
    """K for φ'' ≤ p(1 − p), rounded up: at the largest v for which small orders cost nothing. By `objective-zcdp`."""

    def small_orders(v: arb) -> arb:
        golden = (arb(5).sqrt() - 1) / 2
        return 16 * golden**5 * exact(q) * (-(1 - v).log() - v) / v**2

    def large_orders(v: arb) -> arb:
        far = v**2 / exact(q)
        return (1 + (-1.5 * far).exp() * (1 + (4 * v).exp()) + (4 * v - 2 * far).exp()).log() / v**2

    for v in ORDER_LIMITS:
        if _upper_at(small_orders, v) <= 1 and 4 * q <= 3 * v:
            return _upper_at(large_orders, v)
    return math.inf


def _covers(price: float, q: float, *, one_sided: bool) -> bool:
    """Whether K = price is proved for this q, with the largest v that small orders allow. By `objective-zcdp`."""

    def small_orders(v: arb) -> arb:
        return -(1 - v**2).log() / v**2

    def large_orders(v: arb) -> arb:
        far = v**2 / exact(q)
        corners = 1 + 2 * (-1.5 * far).exp() + (-2 * far).exp() if one_sided else 2 + 2 * (-2 * far).exp()
        return 1 / v + corners.log() / v**2

    for v in ORDER_LIMITS:
        if _upper_at(small_orders, v) <= price:
            return _upper_at(large_orders, v) <= price
    return False


def _upper_at(formula: Callable[[arb], arb], v: float) -> float:
    return upper(lambda: formula(exact(v)))
