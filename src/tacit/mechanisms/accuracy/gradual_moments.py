"""Ridge hypotheses from second moments under ever less noise."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from scipy.linalg.lapack import dposv

from tacit.mechanisms.accuracy.excess_risk import ExcessRisk, OpenedRisk
from tacit.mechanisms.accuracy.gradual import Sequence, into_ball, lengths_above, prefix_charge
from tacit.mechanisms.accuracy.gradual_noise import GradualNoise, Ladder
from tacit.mechanisms.laws import Matrix, Vector
from tacit.mechanisms.release import Facts, Sensitivity
from tacit.noise import Entropy
from tacit.solvers import minimise_quadratic


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

    def matrix(self, products: Matrix, cross: Vector, squares: float) -> Matrix:
        """From Σxxᵀ, Σyx and Σy²."""

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
        packed = self.moments.pack(self.moments.matrix(*risk.risk.second_moments))
        ladder = self.noise.ladder(packed, self.moments.sensitivity.total, self.epsilons, entropy)
        return _Quadratics(self, ladder)

    def entry_deviations(self, epsilons: tuple[float, ...]) -> Vector:
        """Standard deviation of an off-diagonal entry of the noisy matrix, for each ε."""
        total = self.moments.sensitivity.total
        law = self.noise.law(total, epsilons[0])
        per_scale = law.deviation(self.moments.size) / (law.scale * self.moments.off_diagonal)
        return self.noise.scales(total, epsilons) * per_scale

    def deviation(self, level: int) -> float:
        """To first order: noise in Σxy − Σxxᵀθ, divided by the smallest curvature n(λ + damping)."""
        entry, n = self.entry_deviations(self.epsilons[level : level + 1]), self.query.problem.shape.n
        ridge = self.ridges(level, level + 1)
        return float(entry[0] * math.hypot(1 / self.moments.target_weight, 1.0) / (n * ridge[0]))

    def ridges(self, start: int, stop: int) -> Vector:
        """λ + damping·2√d·(noise in an entry)/n for some levels: a noisy matrix is then rarely indefinite."""
        shape = self.query.problem.shape
        spectral = 2 * math.sqrt(shape.width) * self.entry_deviations(self.epsilons[start:stop]) / shape.n
        return self.query.problem.l2 + self.damping * spectral

    def facts(self, level: int) -> Facts:
        law = self.noise.law(self.moments.sensitivity.total, self.epsilons[level])
        return Facts(
            mechanism="covariance perturbation",
            theorems=("symmetric-moments", "blocked-sum", *self.noise.theorems),
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
    """Hypotheses of one run: functions of released moments and of public numbers."""

    source: GradualMoments
    ladder: Ladder

    def hypotheses(self, start: int, stop: int) -> Matrix:
        source, radius = self.source, self.source.query.radius
        grams, crosses = self._quadratics(self.ladder.releases(start, stop))
        diagonal = np.arange(grams.shape[1])
        grams[:, diagonal, diagonal] += source.ridges(start, stop)[:, None]
        return into_ball(_minimisers(grams, crosses, radius), radius)

    def _quadratics(self, released: Matrix) -> tuple[Matrix, Matrix]:
        """Symmetric matrices Σxxᵀ/n and vectors Σyx/n, one of each a level."""
        shape = self.source.query.problem.shape
        positions, weights = self._layout
        matrices = released[:, positions] * weights
        grams = matrices[:, :-1, :-1] / shape.n
        grams = 0.5 * (grams + grams.transpose(0, 2, 1))
        if shape.constant is not None:
            grams[:, -1, -1] = shape.constant**2
        return grams, matrices[:, :-1, -1] / (self.source.moments.target_weight * shape.n)

    @cached_property
    def _layout(self) -> tuple[np.ndarray[tuple[int, int], np.dtype[np.int64]], Matrix]:
        """Which entry of the released vector stands where in the matrix, and times which weight."""
        size = self.source.moments.size
        weights = self.source.moments.unpack(np.ones(size))
        numbered = self.source.moments.unpack(np.arange(float(size)))
        return np.rint(numbered / np.where(weights > 0, weights, 1.0)).astype(np.int64), weights


def _minimisers(grams: Matrix, crosses: Matrix, radius: float) -> Matrix:
    """argmin ½θᵀAθ − cᵀθ over the ball, for each A and c: by Cholesky where that ends inside, else by trust region."""
    solved = [dposv(gram.T, cross)[1:] for gram, cross in zip(grams, crosses, strict=True)]
    thetas = np.stack([theta for theta, _ in solved])
    failed = np.array([info != 0 for _, info in solved]) | ~(lengths_above(thetas) <= radius)
    for level in np.flatnonzero(failed):
        thetas[level] = minimise_quadratic(grams[level], crosses[level], radius).theta
    return thetas
