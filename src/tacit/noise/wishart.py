"""Symmetric noise N = (s/2)(UVᵀ + VUᵀ), U and V m×(m+1) standard normal: a difference of two Wisharts.

With G = (U + V)/√2 and H = (U − V)/√2 it is (s/2)(GGᵀ − HHᵀ). Its density changes by a factor of at most exp(‖D‖_*/s)
when a matrix moves by D, by `wishart-difference`. Every entry is a polynomial in refinable normals, so it can be
enclosed as narrowly as its cell of the grid asks, by `certified-rounding`.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from tacit.arithmetic import Floats
from tacit.errors import ParameterError
from tacit.noise import balls, kernel
from tacit.noise.balls import Ball
from tacit.noise.entropy import Entropy
from tacit.noise.grid import VALUE_BITS, Number, exact_scale, grid_exponent
from tacit.noise.kernel import ADDITION, Enclosure
from tacit.noise.laws import FixedSpread, NormalNoise
from tacit.noise.rounding import Evaluator, release


def wishart_difference(
    values: ArrayLike, scale: Number, entropy: Entropy, *, evaluator: Evaluator | None = None
) -> Floats:
    """svec(M) + svec(N) for a symmetric M given as svec(M), by `certified-rounding`.

    svec: the diagonal, then √2 times what lies above it, row by row; every coordinate of the noise has the standard
    deviation scale·√(m + 1). 2m(m + 1) words, whatever the values, which must not be longer than `largest_value`.
    """
    exact = exact_scale("scale", scale)
    noise = WishartDifference(matrix_order(np.size(values)), exact, entropy)
    return release(values, noise, grid_exponent(exact), evaluator)


def largest_value(scale: Number) -> float:
    """Up to here no coordinate is clamped: clamping one by one could lengthen a difference in the nuclear norm."""
    return math.ldexp(1.0, VALUE_BITS + grid_exponent(scale))


def matrix_order(size: int) -> int:
    """m for the m(m + 1)/2 numbers of svec."""
    order = (math.isqrt(8 * size + 1) - 1) // 2
    if order * (order + 1) // 2 != size:
        raise ParameterError(f"{size} numbers are no upper triangle of a symmetric matrix; expected m(m + 1)/2 numbers")
    return order


class WishartDifference:
    """svec(N) as exact reals: Box-Muller normals, those of U first, then those of V, row by row."""

    def __init__(self, order: int, scale: Fraction, entropy: Entropy) -> None:
        self._order = order
        self._half = scale / 2
        self._normals = NormalNoise(2 * order * (order + 1), FixedSpread(Fraction(1)), entropy)
        rows, columns = np.triu_indices(order, 1)
        self._rows = np.concatenate([np.arange(order), rows])
        self._columns = np.concatenate([np.arange(order), columns])
        self._packed: Enclosure | None = None
        self._balls: dict[tuple[int, int], Ball] = {}

    def enclosure(self, block: slice) -> Enclosure:
        if self._packed is None:
            self._packed = self._enclosed()
        return Enclosure(self._packed.centre[block], self._packed.bound[block])

    def ball(self, index: int, bits: int) -> Ball:
        i, j = int(self._rows[index]), int(self._columns[index])
        total = balls.exact_float(0.0)
        for k in range(self._order + 1):
            total += self._normal(0, i, k, bits) * self._normal(1, j, k, bits)
            total += self._normal(1, i, k, bits) * self._normal(0, j, k, bits)
        weight = balls.rational(self._half)
        return total * (weight if i == j else weight * balls.exact_float(2.0).sqrt())

    def _enclosed(self) -> Enclosure:
        """UVᵀ errs by |Û|eᵥᵀ + eᵤ(|V̂| + eᵥ)ᵀ + 8u(m + 2)|Û||V̂|ᵀ at most. By `binary64-enclosures`."""
        shape = (2, self._order, self._order + 1)
        normals = self._normals.enclosure(slice(None))
        (u, v), (u_bound, v_bound) = normals.centre.reshape(shape), normals.bound.reshape(shape)
        with np.errstate(invalid="ignore"):  # 0 times an infinite bound: undecided, not an error
            bound = np.abs(u) @ v_bound.T + u_bound @ (np.abs(v) + v_bound).T
        bound += ADDITION * (self._order + 2) * (np.abs(u) @ np.abs(v).T)
        product = u @ v.T
        entries = self._rows, self._columns
        weights = float(self._half) * np.where(self._rows == self._columns, 1.0, math.sqrt(2.0))
        return kernel.scaled(Enclosure((product + product.T)[entries], (bound + bound.T)[entries]), weights)

    def _normal(self, matrix: int, row: int, column: int, bits: int) -> Ball:
        index = (matrix * self._order + row) * (self._order + 1) + column
        if (index, bits) not in self._balls:
            self._balls[index, bits] = self._normals.ball(index, bits)
        return self._balls[index, bits]
