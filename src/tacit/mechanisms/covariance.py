"""Covariance perturbation: private linear regression from one release of all second moments.

The moments of (x, ay) are released once; everything after is post-processing:
    λ given:  the exact minimiser of the noisy quadratic on the ball (a trust-region problem, convex or not)
    no λ:     noise-aware ridge, which weighs each direction against the known size of the noise
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tacit.mechanisms.laws import Matrix, Vector
from tacit.mechanisms.moments import Measure, MomentRelease, NoisyMoments
from tacit.mechanisms.problem import Shape
from tacit.mechanisms.release import Facts, Release
from tacit.mechanisms.robust_ridge import plain_ridge, robust_ridge, robust_ridge_without_constant
from tacit.noise import Entropy
from tacit.privacy import Budget
from tacit.rows import Rows
from tacit.solvers import minimise_quadratic, shortened

TARGET_WEIGHT = 0.7


@dataclass(frozen=True)
class CovariancePerturbation:
    """θ from noisy moments; `l2` None asks for the noise-aware penalty."""

    shape: Shape
    charge: Budget
    measure: Measure
    l2: float | None = None
    radius: float | None = None
    notes: tuple[str, ...] = ()

    @cached_property
    def moments(self) -> MomentRelease:
        return MomentRelease(self.shape, self.charge, self.measure, TARGET_WEIGHT)

    @property
    def facts(self) -> tuple[Facts, ...]:
        return (
            Facts(
                mechanism="covariance perturbation",
                theorems=self.moments.theorems,
                sensitivity=self.moments.sensitivity,
                charge=self.charge,
                law=self.moments.law,
                grid=self.moments.law.grid(self.moments.size),
                l2=self.l2,
                radius=self.radius,
                tolerance=0.0,
                notes=self.notes,
            ),
        )

    def __call__(self, rows: Rows, entropy: Entropy) -> Release:
        noisy = self.moments(rows, entropy)
        gram, cross, cross_noise = self._parts(noisy)
        theta = self._estimate(gram, cross, noisy.deviation, cross_noise)
        return Release(theta, self._deviation(gram, theta, noisy.deviation, cross_noise))

    def _parts(self, noisy: NoisyMoments) -> tuple[Matrix, Vector, float]:
        """(Σxxᵀ, Σxy, deviation of Σxy); the constant's own moment is public and put back exactly."""
        gram = noisy.matrix[:-1, :-1].copy()
        if self.shape.constant is not None:
            gram[-1, -1] = self.shape.n * self.shape.constant**2
        return gram, noisy.matrix[:-1, -1] / TARGET_WEIGHT, noisy.deviation / TARGET_WEIGHT

    def _estimate(self, gram: Matrix, cross: Vector, gram_noise: float, cross_noise: float) -> Vector:
        if self.l2 is None:
            solve = robust_ridge_without_constant if self.shape.constant is None else robust_ridge
            theta = solve(gram, cross, gram_noise, cross_noise)
            return theta if self.radius is None else shortened(theta, self.radius)
        n = self.shape.n
        if self.radius is None:
            return plain_ridge(gram, cross, n * self.l2)
        return minimise_quadratic(gram / n + self.l2 * np.eye(self.shape.width), cross / n, self.radius).theta

    def _deviation(self, gram: Matrix, theta: Vector, gram_noise: float, cross_noise: float) -> Vector:
        """First-order size of the privacy noise in θ: (A + κI)⁻¹ applied to noise of size √(τ_c² + τ_A²‖θ‖²)."""
        ridge = gram_noise * math.sqrt(self.shape.width) if self.l2 is None else self.l2 * self.shape.n
        values, vectors = np.linalg.eigh(gram)
        size = math.hypot(cross_noise, gram_noise * float(np.linalg.norm(theta)))
        return np.asarray(size * np.linalg.norm(vectors / (np.maximum(values, 0.0) + ridge), axis=1))
