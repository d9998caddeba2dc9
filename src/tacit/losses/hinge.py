"""The hinge loss max(0, 1 − ys), y = ±1, and its smoothed form, the Huber hinge."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacit.arithmetic import Floats, enlarged, exact, upper
from tacit.errors import ParameterError
from tacit.losses.base import Loss, LossConstants, checked_score_bound


@dataclass(frozen=True, slots=True)
class Hinge(Loss):
    """φ(s, y) = max(0, 1 − ys); the slope is the subgradient −y·1[ys < 1], the curvature 0 almost everywhere."""

    name = "hinge"
    smooth = False
    labels = True
    one_sided_slope = True

    def value(self, score: Floats, y: Floats) -> Floats:
        return np.maximum(1.0 - y * score, 0.0)

    def slope(self, score: Floats, y: Floats) -> Floats:
        return np.where(y * score < 1.0, -y, 0.0)

    def slope_and_curvature(self, score: Floats, y: Floats) -> tuple[Floats, Floats]:
        return self.slope(score, y), np.zeros_like(score)

    def constants(self, score_bound: float | None = None) -> LossConstants:
        """sup |φ'| = 1, no curvature bound, sup φ = 1 + B, by `loss-constants`."""
        value = enlarged(1.0 + checked_score_bound(score_bound))
        return LossConstants(value=value, slope=1.0, curvature=math.inf, value_rounding=value, slope_rounding=0.0)


@dataclass(frozen=True, slots=True)
class HuberHinge(Loss):
    """The hinge with its corner replaced by a parabola of half width h, z = ys:

    φ = 0 for z ≥ 1 + h,  (1 + h − z)²/(4h) for |1 − z| ≤ h,  1 − z for z ≤ 1 − h.
    """

    name = "Huber hinge"

    width: float = 0.5

    labels = True
    one_sided_slope = True

    def __post_init__(self) -> None:
        if not 2.0**-100 <= self.width <= 2.0**100:
            raise ParameterError(f"width is {self.width!r}; expected a number between 2^-100 and 2^100")

    def value(self, score: Floats, y: Floats) -> Floats:
        excess = 1.0 - y * score
        return self.width * np.square(self.activity(excess)) + np.maximum(excess - self.width, 0.0)

    def slope(self, score: Floats, y: Floats) -> Floats:
        return -y * self.activity(1.0 - y * score)

    def slope_and_curvature(self, score: Floats, y: Floats) -> tuple[Floats, Floats]:
        excess = 1.0 - y * score
        curvature = np.where(self.undecided(excess), 0.5 / self.width, 0.0)
        return -y * self.activity(excess), curvature

    def constants(self, score_bound: float | None = None) -> LossConstants:
        """sup |φ'| = 1, sup φ'' = 1/(2h), sup φ = φ(−B); less where |s| ≤ B cannot reach, by `loss-constants`."""
        bound, h = checked_score_bound(score_bound), self.width
        excess = 1.0 + bound
        active = 1.0 if excess >= h else min(1.0, enlarged((excess + h) / (2.0 * h)))
        value = enlarged(excess if excess >= h else h * active * active)
        return LossConstants(
            value=value,
            slope=active,
            curvature=enlarged(0.5 / h) if bound >= 1.0 - enlarged(h) else 0.0,
            value_rounding=8.0 * value,
            slope_rounding=4.0,
        )

    @property
    def largest_pull(self) -> float:
        """κ = (1 + h)²/(8h) for h ≥ ⅓, else 1 − h. By `stationary-norm`."""
        h = self.width
        return upper(lambda: (1 + exact(h)) ** 2 / (8 * exact(h))) if 3 * h >= 1 else upper(lambda: 1 - exact(h))

    def activity(self, excess: Floats) -> Floats:
        """−yφ' = (min(h, max(−h, 1 − z)) + h)/(2h); 1 − z comes first, so that no digit of a small h is lost."""
        return (np.clip(excess, -self.width, self.width) + self.width) / (2.0 * self.width)

    def undecided(self, excess: Floats) -> NDArray[np.bool_]:
        """Where the excess 1 − z lies on the parabola."""
        return np.abs(excess) <= self.width
