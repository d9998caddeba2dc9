"""Losses for Frank–Wolfe over the ℓ1 ball: convex, with a slope that is clipped and measured in whole units.

The slope of row i is the integer

    Dᵢ = round(2^14 · clip_L(φ'(sᵢ, yᵢ)) / L),      |Dᵢ| ≤ 2^14,

so that scores of vertices are sums of integers. Clipping the slope of a convex loss gives the slope of another convex
loss: logistic loss with a straight branch where the margin is negative, Huber's loss instead of the square. With a
smaller L less noise is needed; the loss that is minimised is the clipped one.
"""

from dataclasses import dataclass
from functools import cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log1p

from tacit.errors import ParameterError
from tacit.mechanisms.laws import Vector

SLOPE_UNITS = 2**14
"""Units in the largest slope."""

_MARGIN_UNITS = 2**12
_LARGEST_MARGIN = 12  # the logistic slope there is below half a unit


class ClippedLoss(Protocol):
    """φ(s, y) for |y| ≤ 1 with |φ'| ≤ slope_bound and φ'' ≤ curvature."""

    @property
    def name(self) -> str:
        """What a reader of the certificate calls it."""

    @property
    def slope_bound(self) -> float:
        """L: where the slope is clipped."""

    @property
    def curvature(self) -> float:
        """sup φ''."""

    def units(self, score: Vector, y: Vector, grain: int = 1) -> Vector:
        """D: whole numbers up to ±2^14, multiples of the grain, a power of two up to 2^14.

        Each is a function of its own score and target, by `integer-vertex-scores`.
        """

    def value(self, score: Vector, y: Vector) -> Vector:
        """φ(s, y)."""


@dataclass(frozen=True)
class ClippedLogistic:
    """log(1 + e^(−ys)) for y = ±1, continued as a straight line where the slope would exceed L.

    L = ½ clips at margin 0, where a row is on the wrong side: halving the noise cost nothing in accuracy.
    """

    slope_bound: float = 0.5
    name: str = "logistic loss"
    curvature: float = 0.25

    def __post_init__(self) -> None:
        if not 0 < self.slope_bound <= 1:
            raise ParameterError(f"the slope of the logistic loss is clipped in (0, 1], got {self.slope_bound!r}")

    def units(self, score: Vector, y: Vector, grain: int = 1) -> Vector:
        """Read from a table, so that a row's units do not depend on its neighbours in a vector of exponentials."""
        place = y * score
        place *= _MARGIN_UNITS
        np.rint(place, out=place)
        place += _LARGEST_MARGIN * _MARGIN_UNITS
        np.maximum(place, 0.0, out=place)
        np.minimum(place, 2 * _LARGEST_MARGIN * _MARGIN_UNITS, out=place)
        return np.asarray(_logistic_units(self.slope_bound, grain)[place.astype(np.intp)] * -y)

    def value(self, score: Vector, y: Vector) -> Vector:
        margin, L = y * score, self.slope_bound
        edge = np.inf if L == 1 else np.log((1 - L) / L)  # where the slope is L
        inside = np.maximum(margin, edge) if np.isfinite(edge) else margin
        curved = np.maximum(-inside, 0.0) + log1p(np.exp(-np.abs(inside)))
        return np.asarray(curved + L * (inside - margin))


@cache
def _logistic_units(slope_bound: float, grain: int) -> NDArray[np.int16]:
    """Units of |slope| at the margins k/2^12, |k| ≤ 12 · 2^12: computed once, from no row."""
    margins = np.arange(-_LARGEST_MARGIN * _MARGIN_UNITS, _LARGEST_MARGIN * _MARGIN_UNITS + 1) / _MARGIN_UNITS
    return _in_grains(np.minimum(expit(-margins), slope_bound), slope_bound, grain).astype(np.int16)


def _in_grains(slopes: Vector, slope_bound: float, grain: int) -> Vector:
    """2^14·slope/L, rounded to a multiple of the grain; in place."""
    slopes *= SLOPE_UNITS / (slope_bound * grain)
    np.rint(slopes, out=slopes)
    slopes *= grain
    return slopes


@dataclass(frozen=True)
class ClippedSquared:
    """½(s − y)² for |y| ≤ 1, continued as a straight line where |s − y| exceeds L: Huber's loss."""

    slope_bound: float = 1.0
    name: str = "squared loss"
    curvature: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.slope_bound < 2**20:
            raise ParameterError(f"residuals are clipped at a positive number, got {self.slope_bound!r}")

    def units(self, score: Vector, y: Vector, grain: int = 1) -> Vector:
        """Subtraction, comparison and rounding: the same floats whatever stands beside them."""
        residual = score - y
        np.clip(residual, -self.slope_bound, self.slope_bound, out=residual)
        return _in_grains(residual, self.slope_bound, grain)

    def value(self, score: Vector, y: Vector) -> Vector:
        size, L = np.abs(score - y), self.slope_bound
        near = np.minimum(size, L)
        return np.asarray(near * near / 2 + L * (size - near))
