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
from numpy.typing import ArrayLike, NDArray

from tacit.arithmetic import Floats
from tacit.noise import balls
from tacit.noise.grid import OUTPUT_BITS, clamped
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


Exponents = int | NDArray[np.int64]
"""One exponent for a vector, or a column of them for a matrix: one a row."""


class Evaluator(Protocol):
    """Computes floor(x + 1/2) of x = (value + noise) 2^-exponent in every coordinate of a vector or of a matrix."""

    def integers(self, values: Floats, noise: RealNoise, exponents: Exponents) -> Floats: ...


@dataclass(frozen=True)
class Balls:
    """Every coordinate in ball arithmetic: complete on its own, and the reference for the kernel."""

    def integers(self, values: Floats, noise: RealNoise, exponents: Exponents) -> Floats:
        result = np.empty(values.shape)
        _settle(result, range(values.size), values, noise, exponents)
        return result


@dataclass(frozen=True)
class Binary64:
    """Binary64 enclosures first; the one coordinate in a million they leave open goes to the balls.

    `widening` multiplies the claimed bounds: larger values send more coordinates to the balls and must
    not change any output.
    """

    widening: float = 1.0

    def integers(self, values: Floats, noise: RealNoise, exponents: Exponents) -> Floats:
        result = np.empty(values.shape)
        decided = np.empty(values.shape, dtype=bool)
        unit = np.ldexp(1.0, np.negative(exponents))
        rows = max(1, values.size // max(1, values.shape[-1]))
        for block in blocks(values.shape[-1], BLOCK // rows):
            centre, bound = noise.enclosure(block)
            rest = values[..., block] * unit
            whole = np.rint(rest)
            rest -= whole
            place = centre * unit
            place += rest
            nearest = np.rint(place)
            np.add(whole, nearest, out=result[..., block])
            slack = np.abs(place)
            slack += 1.0
            slack *= 2.0 * CLAIM
            slack += np.multiply(bound, unit, out=rest)
            slack *= self.widening
            with np.errstate(invalid="ignore"):
                place -= nearest
                slack += np.abs(place, out=place)
                np.less(slack, 0.5, out=decided[..., block])
        _settle(result, np.flatnonzero(~decided).tolist(), values, noise, exponents)
        return result


def blocks(size: int, width: int = BLOCK) -> Iterator[slice]:
    """Consecutive slices of at most `width` coordinates, two at least, and an even number for pairs."""
    even = max(2, width // 2 * 2)
    for start in range(0, size, even):
        yield slice(start, min(start + even, size))


def release(values: ArrayLike, noise: RealNoise, exponent: int, evaluator: Evaluator | None = None) -> Floats:
    """R_g(f + Z) with g = 2^exponent, in the shape of the values, by `certified-rounding`.

    f is the vector of values after the public rule of `grid.clamped`.
    """
    return release_flat(clamped(values, exponent), noise, exponent, evaluator).reshape(np.shape(values))


def release_flat(clamped: Floats, noise: RealNoise, exponents: Exponents, evaluator: Evaluator | None) -> Floats:
    """The same for values that are clamped already: a vector, or a matrix with a grid for each row.

    Outputs beyond 2^52 grid units are clamped, which is post-processing.
    """
    chosen: Evaluator = Binary64() if evaluator is None else evaluator
    limit = math.ldexp(1.0, OUTPUT_BITS)
    integers = np.clip(chosen.integers(clamped, noise, exponents), -limit, limit)
    integers += 0.0  # -0.0 becomes 0.0: the sign of a zero would tell on which side of it the value lay
    return np.asarray(integers * np.ldexp(1.0, exponents))


def _settle(result: Floats, indices: Iterable[int], values: Floats, noise: RealNoise, exponents: Exponents) -> None:
    """Coordinates by balls; an index counts along the rows."""
    limit, every_exponent = 2 ** (OUTPUT_BITS + 1), np.broadcast_to(exponents, values.shape)
    for index in indices:
        bits, integer = balls.WORD, None
        while integer is None:
            with balls.precision(bits + 2 * balls.WORD):
                real = balls.exact_float(float(values.flat[index])) + noise.ball(index, bits)
                integer = balls.nearest_integer(real * balls.power_of_two(-int(every_exponent.flat[index])))
            bits += balls.WORD
        result.flat[index] = float(max(-limit, min(limit, integer)))
