"""Coefficients together with what their intervals need, one budget for all of it.

Classifiers: θ̃ first, then the Hessian and the score covariance at θ̃, each with its own noise. The later releases look
at θ̃, which is public by then, so the parts add up by adaptive composition, by `composition`.
Linear regression: all second moments once, and perhaps the covariance of the residual scores at the estimate.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tacit.mechanisms.intervals.weighted_moments import WeightedMoments
from tacit.mechanisms.laws import Matrix, Vector
from tacit.mechanisms.moments import MomentRelease
from tacit.mechanisms.objective import ObjectivePerturbation
from tacit.mechanisms.output import OutputPerturbation
from tacit.mechanisms.release import Facts, Release
from tacit.mechanisms.robust_ridge import plain_ridge
from tacit.noise import Entropy
from tacit.privacy import Budget, compose
from tacit.rows import Rows


@dataclass(frozen=True)
class FitWithIntervals:
    """A private minimum, then Hessian and score covariance (or its trace) at it."""

    fit: ObjectivePerturbation | OutputPerturbation
    curvature: WeightedMoments
    scores: WeightedMoments

    @cached_property
    def charge(self) -> Budget:
        """All three releases. By `composition`."""
        return compose(self.fit.charge, self.curvature.charge, self.scores.charge)

    @property
    def facts(self) -> tuple[Facts, ...]:
        return (*self.fit.facts, self.curvature.facts, self.scores.facts)

    def __call__(self, rows: Rows, entropy: Entropy) -> Release:
        released = self.fit(rows, entropy)
        statistics = {
            "curvature": self.curvature(rows, released.theta, entropy),
            "scores": self.scores(rows, released.theta, entropy),
        }
        return Release(released.theta, released.deviation, statistics)


@dataclass(frozen=True)
class RegressionWithIntervals:
    """Ridge from noisy second moments of (x, ay); `scores` None: residual variance is read off the same moments."""

    moments: MomentRelease
    l2: float
    scores: WeightedMoments | None = None

    @cached_property
    def charge(self) -> Budget:
        """One or two releases. By `composition`."""
        return self.moments.budget if self.scores is None else compose(self.moments.budget, self.scores.charge)

    @property
    def facts(self) -> tuple[Facts, ...]:
        moments = Facts(
            mechanism="covariance perturbation",
            theorems=self.moments.theorems,
            sensitivity=self.moments.sensitivity,
            charge=self.moments.budget,
            law=self.moments.law,
            grid=self.moments.law.grid(self.moments.size),
            l2=self.l2,
            radius=None,
            tolerance=0.0,
        )
        return (moments,) if self.scores is None else (moments, self.scores.facts)

    def __call__(self, rows: Rows, entropy: Entropy) -> Release:
        noisy = self.moments(rows, entropy)
        statistics = {"moments": noisy.matrix}
        theta = ridge_estimate(noisy.matrix, self.moments, self.l2)
        if self.scores is not None:
            statistics["scores"] = self.scores(rows, theta, entropy)
        size = noisy.deviation * np.hypot(1 / self.moments.target_weight, np.linalg.norm(theta))
        return Release(theta, np.full(theta.size, float(size) / (self.moments.shape.n * self.l2)), statistics)


def ridge_estimate(moments: Matrix, release: MomentRelease, l2: float) -> Vector:
    """argmin ½θᵀMθ − mᵀθ + (λ/2)‖θ‖² for the released M (made positive semi-definite) and m: post-processing."""
    shape = release.shape
    gram = moments[:-1, :-1].copy()
    if shape.constant is not None:
        gram[-1, -1] = shape.n * shape.constant**2
    return plain_ridge(gram, moments[:-1, -1] / release.target_weight, shape.n * l2)
