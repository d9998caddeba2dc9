"""The logistic loss log(1 + e^(−ys)), y = ±1, and its form whose slope is capped at ½."""

import math
from dataclasses import dataclass

import numpy as np
from flint import arb

from tacit.arithmetic import Floats, enlarged, exact, upper
from tacit.losses.base import (
    LOGISTIC_TIE,
    CurvatureTie,
    Expansion,
    Loss,
    LossConstants,
    checked_score_bound,
)

LARGEST_REACH = 1.5
"""Of a score, for which the gradients of two rows are proved to be less than twice the steepest apart."""


@dataclass(frozen=True, slots=True)
class Logistic(Loss):
    """φ(s, y) = log(1 + e^(−ys)); φ' = −y p and φ'' = p(1 − p) with p = 1/(1 + e^(ys))."""

    name = "logistic"
    labels = True
    one_sided_slope = True
    likelihood = True
    self_concordant = True
    change_theorems = ("logistic-gradient-change",)
    expansion = Expansion(quadratic=0.125, linear=0.5, l1_change=(0.25, 3.0, 0.0))

    @property
    def curvature_tie(self) -> CurvatureTie:
        """φ'' = p(1 − p)."""
        return LOGISTIC_TIE

    def value(self, score: Floats, y: Floats) -> Floats:
        margin = y * score
        with np.errstate(under="ignore"):
            return np.maximum(-margin, 0.0) + np.log1p(np.exp(-np.abs(margin)))

    def slope(self, score: Floats, y: Floats) -> Floats:
        return -y * _miss_probability(y * score)

    def curvature(self, score: Floats, y: Floats) -> Floats:
        p = _miss_probability(y * score)
        with np.errstate(under="ignore"):
            return p * (1.0 - p)

    def slope_and_curvature(self, score: Floats, y: Floats) -> tuple[Floats, Floats]:
        p = _miss_probability(y * score)
        slope = -y * p
        with np.errstate(under="ignore"):
            p -= p * p
        return slope, p

    def probability(self, score: Floats) -> Floats:
        """P(y = 1) = 1/(1 + e^(−s))."""
        return _miss_probability(-score)

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

    def gradient_change(self, row_norm: float, radius: float) -> float:
        """2r max sin γ σ(k cos γ) for k = r·radius ≤ 3/2: rows that both pull hard lie at an angle. 2rσ(k) beyond.

        s = cos γ; the logarithm of √(1 − s²) σ(ks) is concave, so its tangent at any s₀ bounds it on [−1, 1].
        By `logistic-gradient-change`.
        """
        reach = enlarged(row_norm * radius, 50)
        if not reach <= LARGEST_REACH:
            return Loss.gradient_change(self, row_norm, radius)
        low, high = 0.0, 0.9
        for _ in range(60):
            middle = (low + high) / 2
            rises = reach / (1 + math.exp(reach * middle)) > middle / (1 - middle * middle)
            low, high = (middle, high) if rises else (low, middle)

        def widest() -> arb:
            s, k = exact(low), exact(reach)
            pull = 1 / (1 + (-k * s).exp())
            steepness = k * (1 - pull) - s / (1 - s**2)
            return 2 * exact(row_norm) * (1 - s**2).sqrt() * pull * (2 * abs(steepness)).exp()

        return upper(widest)

    @property
    def largest_pull(self) -> float:
        """κ = W(1/e), W the Lambert function. By `stationary-norm`."""
        return upper(lambda: arb(-1).exp().lambertw())

    def swing(self, end: float, reach: float) -> float:
        """log(1 + e^end) − log(1 + e^(end − reach)). By `truncated-excess-risk`."""
        return upper(lambda: (1 + exact(end).exp()).log() - (1 + (exact(end) - exact(reach)).exp()).log())


@dataclass(frozen=True, slots=True)
class CappedLogistic(Loss):
    """The logistic loss where the score is right (z = ys ≥ 0), its tangent at 0 where it is wrong:

    φ = log(1 + e^(−z)) for z ≥ 0, log 2 − z/2 for z < 0;  φ' = −y p with p = 1/(1 + e^max(z, 0)) ≤ ½.

    No row pulls harder than one at the border between the classes, so that private noise is half of the logistic one.
    A score is not a log odds; `probability` turns it into what it stands for.
    """

    name = "capped logistic"
    labels = True
    one_sided_slope = True

    @property
    def curvature_tie(self) -> CurvatureTie:
        """φ'' ≤ p(1 − p): equal on the curve, 0 on the tangent."""
        return LOGISTIC_TIE

    def value(self, score: Floats, y: Floats) -> Floats:
        margin = y * score
        with np.errstate(under="ignore"):
            return np.log1p(np.exp(-np.maximum(margin, 0.0))) - 0.5 * np.minimum(margin, 0.0)

    def slope(self, score: Floats, y: Floats) -> Floats:
        return -y * _miss_probability(np.maximum(y * score, 0.0))

    def slope_and_curvature(self, score: Floats, y: Floats) -> tuple[Floats, Floats]:
        margin = y * score
        right = margin >= 0.0
        p = _miss_probability(np.maximum(margin, 0.0, out=margin))
        slope = -y * p
        with np.errstate(under="ignore"):
            p -= p * p
        p *= right
        return slope, p

    def probability(self, score: Floats) -> Floats:
        """P(y = 1) = (1 + e)/(1 + 3e) for s ≥ 0, 2e/(1 + 3e) for s < 0, e = e^(−|s|). By `capped-link`."""
        with np.errstate(under="ignore"):
            e = np.exp(-np.abs(score))
        return np.where(score >= 0.0, 1.0 + e, 2.0 * e) / (1.0 + 3.0 * e)

    def constants(self, score_bound: float | None = None) -> LossConstants:
        """sup |φ'| = ½, sup φ'' = ¼, sup φ = log 2 + B/2, by `loss-constants`.

        The rounding constants assume exp and log1p within 4 units in the last place.
        """
        value = enlarged(math.log(2.0) + 0.5 * checked_score_bound(score_bound))
        return LossConstants(value, slope=0.5, curvature=0.25, value_rounding=20.0 * value, slope_rounding=8.0)

    @property
    def largest_pull(self) -> float:
        """That of the logistic loss: it is at a score on the right side. By `stationary-norm`."""
        return Logistic().largest_pull


def _miss_probability(margin: Floats) -> Floats:
    """p = 1/(1 + e^z), in the place of z; e^z may overflow to ∞, which gives the right p = 0."""
    with np.errstate(over="ignore", under="ignore"):
        np.exp(margin, out=margin)
        margin += 1.0
        np.divide(1.0, margin, out=margin)
    return margin
