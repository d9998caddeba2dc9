"""Directed rounding: python-flint balls in, floats on the safe side out.

A privacy loss is rounded up and a budget is rounded down, so that no statement about ε, ρ or δ is ever
better than the truth. A ball contains the exact value (FLINT's contract); `upper` and `lower` return the
nearest floats outside it. By `outward-rounding`.
"""

import math
import threading
from collections.abc import Callable
from fractions import Fraction

from flint import arb, ctx

_BITS = 256
_LOCK = threading.RLock()  # flint's working precision is one number for the whole process


def exact(x: float | Fraction) -> arb:
    """The number itself as a ball: radius 0 for a float, one unit of the working precision for a fraction."""
    if isinstance(x, Fraction):
        return arb(x.numerator) / arb(x.denominator)
    return arb(float(x))


def upper(formula: Callable[[], arb]) -> float:
    """A float ≥ every value the formula's ball contains."""
    ball = _evaluate(formula)
    return _nudge(float(ball.upper()), math.inf) if ball.is_finite() else math.inf


def lower(formula: Callable[[], arb]) -> float:
    """A float ≤ every value the formula's ball contains."""
    ball = _evaluate(formula)
    return _nudge(float(ball.lower()), -math.inf) if ball.is_finite() else -math.inf


def _evaluate(formula: Callable[[], arb]) -> arb:
    with _LOCK:
        before = ctx.prec
        ctx.prec = _BITS
        try:
            return formula()
        finally:
            ctx.prec = before


def _nudge(x: float, direction: float) -> float:
    """One float further out: covers the conversion of an end point, which rounds to nearest."""
    return math.nextafter(x, direction)


def sum_up(*terms: float) -> float:
    """The sum of floats, exact if it is a float and rounded up otherwise."""
    return round_up(sum(map(Fraction, terms), Fraction(0)))


def round_up(x: Fraction) -> float:
    """The smallest float ≥ x."""
    nearest = float(x)
    return nearest if Fraction(nearest) >= x else math.nextafter(nearest, math.inf)


def round_down(x: Fraction) -> float:
    """The largest float ≤ x."""
    nearest = float(x)
    return nearest if Fraction(nearest) <= x else math.nextafter(nearest, -math.inf)


def largest_certified(candidate: float, holds: Callable[[float], bool]) -> float:
    """The candidate, lowered by a growing hair until `holds` proves it; `holds` must be true near 0."""
    step = 2.0**-52
    while not holds(candidate):
        candidate *= 1 - step
        step *= 2
        if not candidate > 0:
            raise ArithmeticError("no positive value satisfies the condition")
    return candidate
