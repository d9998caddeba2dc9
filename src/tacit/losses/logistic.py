"""The logistic loss log(1 + e^(−ys)), y = ±1."""

import math
from dataclasses import dataclass

import numpy as np

from tacit.arithmetic import enlarged
from tacit.losses.base import FloatArray, LossConstants, checked_score_bound


@dataclass(frozen=True, slots=True)
class Logistic:
    """φ(s, y) = log(1 + e^(−ys)); φ' = −y p and φ'' = p(1 − p) with p = 1/(1 + e^(ys))."""

    @property
    def smooth(self) -> bool:
        return True

    @property
    def one_sided_slope(self) -> bool:
        return True

    def value(self, score: FloatArray, y: FloatArray) -> FloatArray:
        margin = y * score
        with np.errstate(under="ignore"):
            return np.maximum(-margin, 0.0) + np.log1p(np.exp(-np.abs(margin)))

    def slope(self, score: FloatArray, y: FloatArray) -> FloatArray:
        return -y * _miss_probability(score, y)

    def curvature(self, score: FloatArray, y: FloatArray) -> FloatArray:
        p = _miss_probability(score, y)
        with np.errstate(under="ignore"):
            return p * (1.0 - p)

    def slope_and_curvature(self, score: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        p = _miss_probability(score, y)
        slope = -y * p
        with np.errstate(under="ignore"):
            p -= p * p
        return slope, p

    def constants(self, score_bound: float | None = None) -> LossConstants:
        """sup |φ'| = 1/(1 + e^(−B)), sup φ'' = ¼, sup φ = log(1 + e^B), by `loss-constants`.

        The rounding constants assume exp and log1p within 4 units in the last place.
        """
        bound = checked_score_bound(score_bound)
        largest = bound + math.log1p(math.exp(-bound))
        return LossConstants(
            value=enlarged(largest),
            slope=min(1.0, enlarged(1.0 / (1.0 + math.exp(-bound)))),
            curvature=0.25,
            value_rounding=20.0 * enlarged(largest),
            slope_rounding=16.0,
        )


def _miss_probability(score: FloatArray, y: FloatArray) -> FloatArray:
    """p = 1/(1 + e^(ys)); e^(ys) may overflow to ∞, which gives the right p = 0."""
    p = y * score
    with np.errstate(over="ignore", under="ignore"):
        np.exp(p, out=p)
        p += 1.0
        np.divide(1.0, p, out=p)
    return p
