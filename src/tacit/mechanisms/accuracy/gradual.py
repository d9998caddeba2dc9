"""Hypotheses of growing accuracy: what a search asks of them, and the minimiser under ever less noise."""

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from tacit.arithmetic import UNIT_ROUNDOFF, exact, upper
from tacit.mechanisms.accuracy.excess_risk import ExcessRisk, OpenedRisk
from tacit.mechanisms.accuracy.gradual_noise import GradualNoise, Ladder
from tacit.mechanisms.laws import Matrix, Vector
from tacit.mechanisms.problem import Problem
from tacit.mechanisms.release import Facts, Sensitivity
from tacit.noise import Entropy
from tacit.privacy import Approx, Budget, Pure
from tacit.solvers import UNDERFLOW


class Hypotheses(Protocol):
    """A prefix-private sequence of hypotheses inside the ball of a query."""

    @property
    def costs(self) -> tuple[float, ...]:
        """ε of seeing hypotheses 0..t, increasing in t."""

    @property
    def delta(self) -> float:
        """δ spent whatever is seen; 0 for pure privacy."""

    def open(self, risk: OpenedRisk, entropy: Entropy) -> "Sequence":
        """Draw all noise; nothing leaves before it is asked for."""

    def deviation(self, level: int) -> float:
        """Standard deviation of the privacy noise in one coordinate of θ, exact or to first order."""

    def facts(self, level: int) -> Facts | None:
        """What the certificate says of the hypothesis of this level; None if it does not depend on rows."""


class Sequence(Protocol):
    """The hypotheses of one run."""

    def hypotheses(self, start: int, stop: int) -> Matrix:
        """Hypotheses start..stop-1, one row each."""


@dataclass(frozen=True)
class GradualOutput:
    """θ* plus noise, projected onto the ball. By `minimiser-sensitivity` and by `inexact-minimiser`."""

    query: ExcessRisk
    noise: GradualNoise
    epsilons: tuple[float, ...]

    @cached_property
    def costs(self) -> tuple[float, ...]:
        return self.noise.prefix_costs(self.epsilons)

    @property
    def delta(self) -> float:
        return self.noise.delta

    @cached_property
    def sensitivity(self) -> Sensitivity:
        """2G/(λn) + 2τ in ℓ2; √d times that in ℓ1, by the inequality of norms."""
        problem = self.query.problem
        factor = upper(lambda: exact(float(problem.shape.width)).sqrt()) if self.noise.norm == "l1" else 1.0
        minimiser = upper(lambda: exact(problem.minimiser_sensitivity) * exact(factor))
        solver = upper(lambda: 2 * exact(self.query.tolerance) * exact(factor))
        parts = {"one replaced row": minimiser, "solver tolerance": solver}
        return Sensitivity.adding(self.noise.norm, parts)

    def open(self, risk: OpenedRisk, entropy: Entropy) -> Sequence:
        ladder = self.noise.ladder(risk.best, self.sensitivity.total, self.epsilons, entropy)
        return _Projected(ladder, self.query.radius)

    def deviation(self, level: int) -> float:
        law = self.noise.law(self.sensitivity.total, self.epsilons[level])
        return law.deviation(self.query.problem.shape.width)

    def facts(self, level: int) -> Facts:
        law = self.noise.law(self.sensitivity.total, self.epsilons[level])
        return Facts(
            mechanism="output perturbation",
            theorems=("minimiser-sensitivity", "inexact-minimiser", *self.noise.theorems),
            sensitivity=self.sensitivity,
            charge=prefix_charge(self, level),
            law=law,
            grid=law.grid(self.query.problem.shape.width),
            l2=self.query.problem.l2,
            radius=self.query.radius,
            tolerance=self.query.tolerance,
        )


@dataclass(frozen=True)
class _Projected:
    ladder: Ladder
    radius: float

    def hypotheses(self, start: int, stop: int) -> Matrix:
        return into_ball(self.ladder.releases(start, stop), self.radius)


@dataclass(frozen=True)
class ZeroFirst:
    """θ = 0, which depends on no row and costs nothing, before the hypotheses of another source."""

    problem: Problem
    inner: Hypotheses

    @cached_property
    def costs(self) -> tuple[float, ...]:
        return (0.0, *self.inner.costs)

    @property
    def delta(self) -> float:
        return self.inner.delta

    def open(self, risk: OpenedRisk, entropy: Entropy) -> Sequence:
        return _AfterZero(np.zeros((1, self.problem.shape.width)), self.inner.open(risk, entropy))

    def deviation(self, level: int) -> float:
        return 0.0 if level == 0 else self.inner.deviation(level - 1)

    def facts(self, level: int) -> Facts | None:
        return None if level == 0 else self.inner.facts(level - 1)


@dataclass(frozen=True)
class _AfterZero:
    zero: Matrix
    inner: Sequence

    def hypotheses(self, start: int, stop: int) -> Matrix:
        if start > 0:
            return self.inner.hypotheses(start - 1, stop - 1)
        return self.zero if stop == 1 else np.vstack([self.zero, self.inner.hypotheses(0, stop - 1)])


def into_ball(thetas: Matrix, radius: float) -> Matrix:
    """Each row θ itself, or shortened to the ball when ‖θ‖ > R; the result is inside it, rounding included."""
    lengths = lengths_above(thetas)
    shortened = radius / lengths * (1 - (thetas.shape[1] + 10) * 2.0**-52)
    return np.asarray(thetas * np.where(lengths <= radius, 1.0, shortened)[:, None])


def lengths_above(thetas: Matrix) -> Vector:
    """An upper bound on the exact ‖θ‖₂ of each row: `norm_above`, row by row."""
    rounding = (thetas.shape[1] + 8) * 2 * UNIT_ROUNDOFF
    return np.asarray(np.linalg.norm(thetas, axis=1) * (1 + rounding) + UNDERFLOW)


def prefix_charge(source: Hypotheses, level: int) -> Budget:
    """What hypotheses 0..level cost, as a budget."""
    epsilon = source.costs[level]
    return Approx(epsilon, source.delta) if source.delta else Pure(epsilon)
