"""From parameters of encoded rows back to the user's units: an affine map."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tacit.arithmetic import Floats
from tacit.domain.features import Category


@dataclass(frozen=True, eq=False)
class Levels:
    """Encoded columns among all features: column j is feature places[j]; the others are zero levels, coefficient 0."""

    count: int
    places: npt.NDArray[np.intp]

    def spread(self, coef: Floats) -> Floats:
        """One coefficient per feature from one per encoded column, along the last axis."""
        every = np.zeros((*coef.shape[:-1], self.count))
        every[..., self.places] = coef
        return every

    def spread_rows(self, array: Floats) -> Floats:
        """The same along the first axis, whose last entry belongs to the intercept."""
        every = np.zeros((self.count + 1, *array.shape[1:]))
        every[self.places], every[-1] = array[:-1], array[-1]
        return every


def columns_without(zeros: Sequence[int | None], categories: Sequence[Category], numbers: int) -> Levels:
    """The features that have a column: all numbers and flags, and all levels but the zero level of each category."""
    places, first = list(range(numbers)), numbers
    for feature, zero in zip(categories, zeros, strict=True):
        places += [first + level for level in range(len(feature.levels)) if level != zero]
        first += len(feature.levels)
    return Levels(first, np.array(places, dtype=np.intp))


@dataclass(frozen=True, eq=False)
class Decoder:
    """x̃_j = slope_j (x_j − origin_j) for unclipped rows, x̃_last = constant; score units to outcome units.

    ⟨θ, x̃⟩·scale + offset = Σ coef_j x_j + intercept with coef_j = scale·slope_j·θ_j and
    intercept = offset + scale·(constant·θ_last − Σ slope_j·origin_j·θ_j).
    """

    slopes: Floats
    origins: Floats
    constant: float | None
    scale: float
    offset: float
    levels: Levels | None = None

    def decode(self, theta: Floats) -> tuple[Floats, Floats]:
        """(coef, intercept) of one parameter vector, or of each row of a matrix of them."""
        features = theta[..., : self.slopes.size]
        coef = self.scale * (self.slopes * features)
        intercept = self.offset - coef @ self.origins
        if self.constant is not None:
            intercept = intercept + self.scale * (self.constant * theta[..., -1])
        return coef if self.levels is None else self.levels.spread(coef), np.asarray(intercept)

    def linear_map(self) -> tuple[Floats, Floats]:
        """(A, b) with (coef, intercept) stacked = A θ + b; A is dense, (features + 1) × width."""
        count = self.slopes.size
        width = count + (self.constant is not None)
        matrix = np.zeros((count + 1, width))
        steps = self.scale * self.slopes
        matrix[np.arange(count), np.arange(count)] = steps
        matrix[count, :count] = -steps * self.origins
        if self.constant is not None:
            matrix[count, count] = self.scale * self.constant
        shift = np.zeros(count + 1)
        shift[count] = self.offset
        if self.levels is None:
            return matrix, shift
        return self.levels.spread_rows(matrix), self.levels.spread_rows(shift)
