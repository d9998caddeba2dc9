"""Certified rounding: release R_g(f + Z) for a Z that is exactly the law, by `certified-rounding`.

Z is a function of infinite bit strings. A coordinate is released once an enclosure of f + Z, valid for
every continuation of the bits drawn so far, lies inside one cell of the grid; otherwise more bits of
the same strings are drawn. The output is therefore a function of the bits alone, and two evaluators
given equal bits must agree on every coordinate.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from tacit.noise import balls
from tacit.noise.grid import OUTPUT_BITS, Floats, clamped
from tacit.noise.kernel import CLAIM, Enclosure

BLOCK = 8192
"""Coordinates evaluated at a time: the temporaries of one block stay in the cache. Even, for pairs."""


class RealNoise(Protocol):
    """A vector of exact reals, each a function of bit strings that are known as far as needed."""

    def enclosure(self, block: slice) -> Enclosure:
        """Binary64 enclosure of the coordinates of a block, from the words drawn first."""
        ...

    def ball(self, index: int, bits: int) -> balls.Ball:
        """Ball around one coordinate, from `bits` bits of each of its strings (drawn if need be)."""
        ...


class Evaluator(Protocol):
    """Computes floor(x + 1/2) of x = (value + noise) 2^-exponent in every coordinate."""

    def integers(self, values: Floats, noise: RealNoise, exponent: int) -> Floats: ...


@dataclass(frozen=True)
class Balls:
    """Every coordinate in ball arithmetic: complete on its own, and the reference for the kernel."""

    def integers(self, values: Floats, noise: RealNoise, exponent: int) -> Floats:
        result = np.empty(values.size)
        _settle(result, range(values.size), values, noise, exponent)
        return result


@dataclass(frozen=True)
class Binary64:
    """Binary64 enclosures first; the one coordinate in a million they leave open goes to the balls.

    `widening` multiplies the claimed bounds: larger values send more coordinates to the balls and must
    not change any output.
    """

    widening: float = 1.0

    def integers(self, values: Floats, noise: RealNoise, exponent: int) -> Floats:
        result = np.empty(values.size)
        undecided: list[int] = []
        unit = math.ldexp(1.0, -exponent)
        for block in blocks(values.size):
            centre, bound = noise.enclosure(block)
            units = values[block] * unit
            whole = np.rint(units)
            place = (units - whole) + centre * unit
            nearest = np.rint(place)
            slack = bound * unit
            slack += 2.0 * CLAIM * (1.0 + np.abs(place))
            slack *= self.widening
            with np.errstate(invalid="ignore"):
                decided = np.abs(place - nearest) + slack < 0.5
            result[block] = whole + nearest
            undecided.extend((block.start + np.flatnonzero(~decided)).tolist())
        _settle(result, undecided, values, noise, exponent)
        return result


def blocks(size: int) -> Iterator[slice]:
    """Consecutive slices of at most BLOCK coordinates."""
    for start in range(0, size, BLOCK):
        yield slice(start, min(start + BLOCK, size))


def release(values: ArrayLike, noise: RealNoise, exponent: int, evaluator: Evaluator | None = None) -> Floats:
    """R_g(f + Z) with g = 2^exponent, in the shape of the values, by `certified-rounding`.

    f is the vector of values after the public rule of `grid.clamped`; outputs beyond 2^52 grid units
    are clamped, which is post-processing.
    """
    flat = clamped(values, exponent)
    chosen: Evaluator = Binary64() if evaluator is None else evaluator
    limit = math.ldexp(1.0, OUTPUT_BITS)
    integers = np.clip(chosen.integers(flat, noise, exponent), -limit, limit)
    integers += 0.0  # -0.0 becomes 0.0: the sign of a zero would tell on which side of it the value lay
    return (integers * math.ldexp(1.0, exponent)).reshape(np.shape(values))


def _settle(result: Floats, indices: Iterable[int], values: Floats, noise: RealNoise, exponent: int) -> None:
    limit = 2 ** (OUTPUT_BITS + 1)
    for index in indices:
        bits, integer = balls.WORD, None
        while integer is None:
            with balls.precision(bits + 2 * balls.WORD):
                real = balls.exact_float(float(values[index])) + noise.ball(index, bits)
                integer = balls.nearest_integer(real * balls.power_of_two(-exponent))
            bits += balls.WORD
        result[index] = float(max(-limit, min(limit, integer)))
