"""Exact values at many digits, computed with mpmath and independently of the library's balls."""

import functools
from collections.abc import Callable, Iterable
from itertools import product

import mpmath
from mpmath import mpf

TIGHTNESS = mpf(10) ** -9
DIGITS = 400  # a δ of 1e-300 beside numbers near 1


def at_high_precision(function: Callable[..., mpf]) -> Callable[..., mpf]:
    @functools.wraps(function)
    def evaluated(*arguments: float) -> mpf:
        with mpmath.workdps(DIGITS):
            return +function(*map(mpf, arguments))

    return evaluated


def check_all(check: Callable[..., None], candidate: object, *axes: Iterable[object]) -> None:
    """Run a check of one candidate at every point of a grid."""
    for point in product(*axes):
        check(candidate, *point)


def assert_rounded_up(reported: float, truth: mpf) -> None:
    """On the safe side of the truth and at most 1e-9 (relative) away from it."""
    with mpmath.workdps(DIGITS):
        assert mpf(reported) >= truth
        assert mpf(reported) <= truth * (1 + TIGHTNESS)


def assert_rounded_down(reported: float, truth: mpf) -> None:
    with mpmath.workdps(DIGITS):
        assert mpf(reported) <= truth
        assert mpf(reported) >= truth * (1 - TIGHTNESS)


@at_high_precision
def randomised_response_renyi(epsilon: mpf, order: mpf) -> mpf:
    """D_α of (p, 1−p) from (1−p, p), p = e^ε/(1+e^ε), straight from the definition."""
    p = 1 / (1 + mpmath.exp(-epsilon))
    q = mpmath.exp(-epsilon) / (1 + mpmath.exp(-epsilon))
    return mpmath.log(p**order * q ** (1 - order) + q**order * p ** (1 - order)) / (order - 1)


@at_high_precision
def randomised_response_kl(epsilon: mpf) -> mpf:
    """The limit of the Rényi divergence at order 1."""
    p, q = 1 / (1 + mpmath.exp(-epsilon)), mpmath.exp(-epsilon) / (1 + mpmath.exp(-epsilon))
    return (p - q) * epsilon


@at_high_precision
def randomised_response_delta(loss: mpf, epsilon: mpf) -> mpf:
    """max_S P(S) − e^ε Q(S) for randomised response with parameter `loss`."""
    p, q = 1 / (1 + mpmath.exp(-loss)), mpmath.exp(-loss) / (1 + mpmath.exp(-loss))
    return max(p - mpmath.exp(epsilon) * q, 0) + max(q - mpmath.exp(epsilon) * p, 0)


def gaussian_profile(epsilon: float, mu: float) -> mpf:
    """Balle and Wang's profile, with digits to spare for the cancellation at small μ."""
    with mpmath.workdps(200):
        e, m = mpf(epsilon), mpf(mu)

        def tail(x: mpf) -> mpf:
            return mpmath.erfc(x / mpmath.sqrt(2)) / 2

        return tail(e / m - m / 2) - mpmath.exp(e) * tail(e / m + m / 2)


@at_high_precision
def concentrated_bound(rho: mpf, delta: mpf, order: mpf) -> mpf:
    """Canonne, Kamath and Steinke's ε at one order."""
    return order * rho - mpmath.log(order * delta) / (order - 1) + mpmath.log(1 - 1 / order)
