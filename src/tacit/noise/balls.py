"""Reals as python-flint balls: the reference evaluator, valid at any precision.

An `arb` ball returned by FLINT contains the exact image of its argument balls. A bit string of which
n bits w are known is the ball [w, w+1] 2^-n, with exact end points; nothing else is assumed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

from flint import arb, fmpq, fmpz

from tacit.arithmetic import working_precision
from tacit.noise.entropy import Entropy

Ball = Any
"""A flint.arb; FLINT's classes carry no usable types."""

WORD = 64
GUARD_BITS = 64


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Evaluate balls whose bit strings are known to `bits` bits.

    Someone else's change of FLINT's precision can only widen balls, which costs a refinement and never falsifies a
    result.
    """
    with working_precision(bits + GUARD_BITS):
        yield


class BitString:
    """An infinite string of random bits, of which the first are known: a uniform real in [0, 1]."""

    __slots__ = ("_entropy", "_known", "_length")

    def __init__(self, word: int, length: int, entropy: Entropy) -> None:
        self._known = word
        self._length = length
        self._entropy = entropy

    def ball(self, bits: int) -> Ball:
        """Encloses every continuation of the first `bits` bits (at least), drawing them if need be."""
        while self._length < bits:
            self._draw()
        return arb((2 * self._known + 1, -self._length - 1), (1, -self._length - 1))

    def at_least(self, number: Fraction) -> bool:
        """Whether the real is >= a rational, exactly; draws bits while the number lies inside the cell."""
        while True:
            scaled = number * 2**self._length
            if scaled <= self._known:
                return True
            if scaled >= self._known + 1:
                return False
            self._draw()

    def _draw(self) -> None:
        self._known = (self._known << WORD) | self._entropy.more()
        self._length += WORD


def rational(number: Fraction) -> Ball:
    """A ball around an exact rational."""
    return arb(fmpq(number.numerator, number.denominator))


def power_of_two(exponent: int) -> Ball:
    return arb((1, exponent))


def exponential(uniform: Ball) -> Ball:
    """-log U ~ Exp(1)."""
    return -(uniform.log())


def normal_pair(uniform: Ball, turn: Ball) -> tuple[Ball, Ball]:
    """Box-Muller: √(-2 log U) (cos 2πV, sin 2πV) are two independent N(0, 1)."""
    radius = (2 * exponential(uniform)).sqrt()
    sine, cosine = (2 * turn).sin_cos_pi()
    return radius * cosine, radius * sine


def positive_part(ball: Ball) -> Ball:
    """max(0, x), exactly 0 as soon as the ball is negative."""
    return arb(0) if ball < 0 else ball.max(arb(0))


def square_root(ball: Ball) -> Ball:
    """√x for a ball around a number known to be non-negative."""
    return ball.nonnegative_part().sqrt()


def nearest_integer(ball: Ball) -> int | None:
    """floor(x + 1/2) if it is the same for every point of the ball, else None."""
    unique: fmpz | None = (ball + arb(0.5)).floor().unique_fmpz()
    return None if unique is None else int(unique)


def as_interval(ball: Ball) -> tuple[float, float]:
    """(centre, bound) in binary64 with every point of the ball within `bound` of `centre`.

    Reading centre and radius rounds each by 2^-52 relatively at most; 2^-50 of the centre and 2^-40 of
    the radius are added for that.
    """
    centre, radius = float(ball.mid()), float(ball.rad())
    return centre, radius * (1 + 2.0**-40) + abs(centre) * 2.0**-50


def exact_float(number: float) -> Ball:
    """A finite binary64 number, exactly."""
    return arb(number)


def product(factors: list[Ball]) -> Ball:
    """The product of balls; 1 for none."""
    result = arb(1)
    for factor in factors:
        result *= factor
    return result
