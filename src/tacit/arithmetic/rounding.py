"""Directed rounding: python-flint balls in, floats on the safe side out.

A privacy loss is rounded up and a budget is rounded down, so that no statement about ε, ρ or δ is ever
better than the truth. A ball contains the exact value (FLINT's contract); `upper` and `lower` return the
nearest floats outside it. By `outward-rounding`.
"""

import math
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction

from flint import arb, ctx

_PRECISIONS = (128, 512, 2048, 8192)  # bits; each is tried until cancellation no longer shows in a float
_ENOUGH_BITS = 64
_LOCK = threading.RLock()


def exact(x: float | Fraction) -> arb:
    """The number itself as a ball: radius 0 for a float, one unit of the working precision for a fraction."""
    if isinstance(x, Fraction):
        return arb(x.numerator) / arb(x.denominator)
    return arb(float(x))


def upper(formula: Callable[[], arb]) -> float:
    """A float ≥ the formula's exact value; +inf where the formula is undefined. By `outward-rounding`."""
    top = _evaluate(formula, arb.upper)
    return _toward(top, round_up) if top.is_finite() else math.inf


def lower(formula: Callable[[], arb]) -> float:
    """A float ≤ the formula's exact value; −inf where the formula is undefined. By `outward-rounding`."""
    bottom = _evaluate(formula, arb.lower)
    return _toward(bottom, round_down) if bottom.is_finite() else -math.inf


def sum_up(*terms: float) -> float:
    """The sum of floats, exact if it is a float and rounded up otherwise. By `outward-rounding`."""
    return round_up(sum(map(Fraction, terms), Fraction(0)))


def round_up(x: Fraction) -> float:
    """The smallest float ≥ x, infinities included."""
    return 0.0 - round_down(-x)  # unlike a plain minus sign, this leaves zero without one


def round_down(x: Fraction) -> float:
    """The largest float ≤ x, infinities included."""
    try:
        nearest = float(x)
    except OverflowError:
        nearest = math.inf if x > 0 else -math.inf
    return math.nextafter(nearest, -math.inf) if nearest > x else nearest


def largest_float(holds: Callable[[float], bool], largest: float) -> float:
    """The largest float in (0, largest] for which a decreasing condition holds, by bisection over the floats.

    What is returned has been checked itself, so a condition that is only nearly monotone costs tightness, not truth.
    """
    low, high = 0, _rank(largest) + 1
    while high - low > 1:
        middle = (low + high) // 2
        if holds(_float_of_rank(middle)):
            low = middle
        else:
            high = middle
    if low == 0:
        raise ArithmeticError("no positive float satisfies the condition")
    return _float_of_rank(low)


def _evaluate(formula: Callable[[], arb], end: Callable[[arb], arb]) -> arb:
    """One end of the formula's ball, at the first precision whose ball is narrow; a wide ball is still true."""
    for bits in _PRECISIONS[:-1]:
        with working_precision(bits):
            ball = formula()
            if _is_narrow(ball):
                return end(ball)
    with working_precision(_PRECISIONS[-1]):
        return end(formula())


@contextmanager
def working_precision(bits: int) -> Iterator[None]:
    """Evaluate balls with so many bits. FLINT's precision belongs to the whole process, hence the one lock."""
    with _LOCK:
        before = ctx.prec
        ctx.prec = bits
        try:
            yield
        finally:
            ctx.prec = before


def _is_narrow(ball: arb) -> bool:
    """Whether more precision could not move the float by much: small relative radius, or below all floats."""
    return bool(ball.rel_accuracy_bits() >= _ENOUGH_BITS or ball.rad() < arb(2) ** -1140)


def _toward(end: arb, rounding: Callable[[Fraction], float]) -> float:
    """The exact binary number mantissa · 2^exponent, rounded once; exponents may exceed those of floats by far."""
    mantissa, exponent = (int(part) for part in end.man_exp())
    magnitude = mantissa.bit_length() + exponent
    if magnitude < -1100 or magnitude > 1100:  # stands for every number of that sign beyond the floats
        mantissa, exponent = (mantissa > 0) - (mantissa < 0), 1100 if magnitude > 0 else -1100
    return rounding(Fraction(mantissa) * Fraction(2) ** exponent)


def _rank(x: float) -> int:
    """The position of a positive float among the positive floats: its bits read as an integer."""
    return int.from_bytes(struct.pack(">d", x))


def _float_of_rank(rank: int) -> float:
    return float(struct.unpack(">d", rank.to_bytes(8))[0])
