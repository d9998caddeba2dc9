"""The Huber loss for targets |y| ≤ 1: squared near the target, linear beyond, so that no outlier pulls without end."""

from dataclasses import dataclass

import numpy as np

from tacit.arithmetic import Floats, enlarged, exact, upper
from tacit.errors import ParameterError
from tacit.losses.base import Loss, LossConstants, checked_score_bound


@dataclass(frozen=True, slots=True)
class Huber(Loss):
    """With the residual r = s − y and the threshold h:

    φ = ½r² for |r| ≤ h,  h(|r| − h/2) beyond;   φ' = min(h, max(−h, r)),   φ'' = 1 for |r| ≤ h, else 0.
    """

    name = "Huber"

    threshold: float = 0.05

    def __post_init__(self) -> None:
        if not 2.0**-100 <= self.threshold <= 2.0**100:
            raise ParameterError(f"threshold is {self.threshold!r}; expected a number between 2^-100 and 2^100")

    @property
    def scoring_cap(self) -> float:
        """φ of a residual of 4.5 thresholds: what is further off is an outlier to a score as well."""
        return 4.0 * self.threshold * self.threshold

    def value(self, score: Floats, y: Floats) -> Floats:
        with np.errstate(over="ignore", under="ignore"):
            residual = score - y
            near = np.clip(residual, -self.threshold, self.threshold)
            return near * (residual - 0.5 * near)

    def slope(self, score: Floats, y: Floats) -> Floats:
        return np.clip(score - y, -self.threshold, self.threshold)

    def slope_and_curvature(self, score: Floats, y: Floats) -> tuple[Floats, Floats]:
        residual = score - y
        curvature = (np.abs(residual) <= self.threshold).astype(np.float64)
        return np.clip(residual, -self.threshold, self.threshold), curvature

    def constants(self, score_bound: float | None = None) -> LossConstants:
        """sup |φ'| = min(h, B + 1), sup φ'' = 1, sup φ at the longest residual B + 1, by `huber-constants`."""
        furthest = enlarged(checked_score_bound(score_bound) + self.target_bound)
        slope = min(self.threshold, furthest)
        value = enlarged(slope * (furthest - 0.5 * slope))
        return LossConstants(value, slope, curvature=1.0, value_rounding=5.0 * value, slope_rounding=enlarged(slope))

    @property
    def largest_pull(self) -> float:
        """κ = ¼ for h ≥ ½, else h(1 − h). By `huber-constants`."""
        h = min(self.threshold, 0.5)
        return upper(lambda: exact(h) * (1 - exact(h)))

    def capped_slope(self, cap: float) -> float:
        """min(h, √(2 cap)): φ ≥ ½φ'². By `huber-constants`."""
        return min(self.threshold, upper(lambda: (2 * exact(cap)).sqrt()))
