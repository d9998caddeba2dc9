"""Ridge hypotheses from second moments under ever less noise."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from tacit.mechanisms.accuracy.excess_risk import ExcessRisk, OpenedRisk
from tacit.mechanisms.accuracy.gradual import Sequence, into_ball, prefix_charge
from tacit.mechanisms.accuracy.gradual_noise import GradualNoise, Ladder
from tacit.mechanisms.laws import Vector
from tacit.mechanisms.moments import Matrix
from tacit.mechanisms.release import Facts, Sensitivity
from tacit.noise import Entropy
from tacit.rows import Rows
from tacit.solvers import minimise_quadratic, norm_above


class Moments(Protocol):
    """Second moments of (x, ay) as one vector with a known sensitivity."""

    @property
    def target_weight(self) -> float:
        """a."""

    @property
    def off_diagonal(self) -> float:
        """Weight of an off-diagonal entry in the vector."""

    @property
    def sensitivity(self) -> Sensitivity:
        """What one replaced row moves, rounding included."""

    @property
    def size(self) -> int:
        """Length of the vector."""

    def total(self, rows: Rows) -> Matrix: ...

    def pack(self, matrix: Matrix) -> Vector: ...

    def unpack(self, packed: Vector) -> Matrix: ...


@dataclass(frozen=True)
class GradualMoments:
    """Ridge regression from moments under ever less noise. By `symmetric-moments`.

    θ_t minimises the noisy quadratic over the ball, with λ raised by the size of the noise in the matrix.
    """

    query: ExcessRisk
    moments: Moments
    noise: GradualNoise
    epsilons: tuple[float, ...]
    damping: float = 1.0

    @cached_property
    def costs(self) -> tuple[float, ...]:
        return self.noise.prefix_costs(self.epsilons)

    @property
    def delta(self) -> float:
        return self.noise.delta

    def open(self, risk: OpenedRisk, entropy: Entropy) -> Sequence:
        packed = self.moments.pack(self.moments.total(risk.risk.rows))
        ladder = self.noise.ladder(packed, self.moments.sensitivity.total, self.epsilons, entropy)
        return _Quadratics(self, ladder)

    def entry_deviation(self, epsilon: float) -> float:
        """Standard deviation of an off-diagonal entry of the noisy matrix."""
        law = self.noise.law(self.moments.sensitivity.total, epsilon)
        return law.deviation(self.moments.size) / self.moments.off_diagonal

    def deviation(self, level: int) -> float:
        """To first order: noise in Σxy − Σxxᵀθ, divided by the smallest curvature n(λ + damping)."""
        entry, n = self.entry_deviation(self.epsilons[level]), self.query.problem.shape.n
        return entry * math.hypot(1 / self.moments.target_weight, 1.0) / (n * self.ridge(level))

    def ridge(self, level: int) -> float:
        """λ + damping·2√d·(noise in an entry)/n: the noisy matrix is then rarely indefinite."""
        shape = self.query.problem.shape
        spectral = 2 * math.sqrt(shape.width) * self.entry_deviation(self.epsilons[level]) / shape.n
        return self.query.problem.l2 + self.damping * spectral

    def hypothesis(self, noisy: Vector, level: int) -> Vector:
        """θ_t from the released moments."""
        shape = self.query.problem.shape
        matrix = self.moments.unpack(noisy)
        gram: Matrix = matrix[:-1, :-1] / shape.n
        if shape.constant is not None:
            gram[-1, -1] = shape.constant**2
        gram += self.ridge(level) * np.eye(shape.width)
        cross = matrix[:-1, -1] / (self.moments.target_weight * shape.n)
        return into_ball(_minimiser(gram, cross, self.query.radius), self.query.radius)

    def facts(self, level: int) -> Facts:
        law = self.noise.law(self.moments.sensitivity.total, self.epsilons[level])
        return Facts(
            mechanism="covariance perturbation, noise reduced step by step",
            theorems=("symmetric-moments", "blocked-sum", "interactive-above-threshold"),
            sensitivity=self.moments.sensitivity,
            charge=prefix_charge(self, level),
            law=law,
            grid=law.grid(self.moments.size),
            l2=self.query.problem.l2,
            radius=self.query.radius,
            tolerance=0.0,
        )


@dataclass(frozen=True)
class _Quadratics:
    source: GradualMoments
    ladder: Ladder

    def hypothesis(self, level: int) -> Vector:
        return self.source.hypothesis(self.ladder.release(level), level)


def _minimiser(gram: Matrix, cross: Vector, radius: float) -> Vector:
    """argmin ½θᵀAθ − cᵀθ over the ball: by Cholesky where that ends inside, else as a trust-region problem."""
    symmetric = (gram + gram.T) / 2
    try:
        inside = np.asarray(cho_solve(cho_factor(symmetric, check_finite=False), cross, check_finite=False))
    except LinAlgError:
        return minimise_quadratic(symmetric, cross, radius).theta
    return inside if norm_above(inside) <= radius else minimise_quadratic(symmetric, cross, radius).theta
