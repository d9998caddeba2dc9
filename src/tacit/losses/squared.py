"""The squared loss ½(y − s)² for targets |y| ≤ b."""

import math
from dataclasses import dataclass

import numpy as np

from tacit.arithmetic import enlarged
from tacit.errors import ParameterError
from tacit.losses.base import CurvatureTie, FloatArray, LossConstants, checked_score_bound


@dataclass(frozen=True, slots=True)
class Squared:
    """φ(s, y) = ½(y − s)² with |y| ≤ target_bound; φ' = s − y, φ'' = 1."""

    target_bound: float = 1.0

    def __post_init__(self) -> None:
        if not 0.0 < self.target_bound < math.inf:
            raise ParameterError(f"target_bound is {self.target_bound!r}; expected a finite number > 0")

    @property
    def smooth(self) -> bool:
        return True

    @property
    def one_sided_slope(self) -> bool:
        return False

    @property
    def curvature_tie(self) -> CurvatureTie:
        return CurvatureTie(1.0)

    def value(self, score: FloatArray, y: FloatArray) -> FloatArray:
        with np.errstate(over="ignore", under="ignore"):
            residual = y - score
            return 0.5 * residual * residual

    def slope(self, score: FloatArray, y: FloatArray) -> FloatArray:
        return score - y

    def curvature(self, score: FloatArray, y: FloatArray) -> FloatArray:
        return np.ones_like(score)

    def slope_and_curvature(self, score: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        return score - y, np.ones_like(score)

    def constants(self, score_bound: float | None = None) -> LossConstants:
        """sup |φ'| = B + b, sup φ'' = 1, sup φ = ½(B + b)², by `loss-constants`."""
        slope = enlarged(checked_score_bound(score_bound) + self.target_bound)
        value = enlarged(0.5 * slope * slope)
        return LossConstants(value=value, slope=slope, curvature=1.0, value_rounding=4.0 * value, slope_rounding=slope)
