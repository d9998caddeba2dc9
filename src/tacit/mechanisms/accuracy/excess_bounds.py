"""Lower bounds on an excess risk that need no pass over the rows: most hypotheses of a search are far too bad.

    any loss:   J(θ) − J(θ*) ≥ (λ/2) ‖θ − θ*‖²
    logistic:   J(θ) − J(θ*) ≥ ⟨∇J(θ̂), v⟩ + (λ/2)‖v‖² + ω(ρ) vᵀĤv,   v = θ − θ̂,  ω(ρ) = (e^−ρ + ρ − 1)/ρ²

with θ̂ the computed minimiser, Ĥ the Hessian of the mean loss there and ρ ≥ |⟨x, v⟩| for every row x. Both are private
numbers; they only save time. By `excess-risk-bound`.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from tacit.arithmetic import enlarged
from tacit.mechanisms.erm import EmpiricalRisk, score_error
from tacit.mechanisms.laws import Matrix, Vector
from tacit.mechanisms.problem import Problem, Shape

SAFETY = 2.0**-30
"""Relative slack for the rounding of a bound itself: some hundred additions in binary64 err by less than 2⁻⁴⁰."""


class ExcessBound(Protocol):
    """A lower bound for all hypotheses at once."""

    def below(self, hypotheses: Matrix) -> Vector:
        """For each row θ a number that is at most J(θ) − J(θ*), and at least 0."""


@dataclass(frozen=True)
class StrongConvexity:
    """(λ/2) max(0, ‖θ − θ̂‖ − τ)². By `excess-risk-bound`."""

    best: Vector
    l2: float
    tolerance: float

    def below(self, hypotheses: Matrix) -> Vector:
        lengths = np.linalg.norm(hypotheses - self.best, axis=1) * (1 - SAFETY)
        return np.asarray(0.5 * self.l2 * np.maximum(lengths - self.tolerance, 0.0) ** 2 * (1 - SAFETY))


@dataclass(frozen=True)
class SelfConcordance:
    """The bound from gradient and Hessian at θ̂, both computed, with bounds on their errors. By `excess-risk-bound`."""

    shape: Shape
    best: Vector
    l2: float
    gradient: Vector
    gradient_error: float
    hessian: Matrix
    hessian_error: float

    @classmethod
    def at(cls, risk: EmpiricalRisk, best: Vector, radius: float) -> "SelfConcordance":
        """Read the rows once more, at the computed minimiser."""
        gradient, error, hessian = risk.gradient_and_hessian(best)
        shape = risk.bounds.shape
        return cls(shape, best, risk.l2, gradient, error, hessian, _hessian_error(shape, radius, risk.l2))

    def below(self, hypotheses: Matrix) -> Vector:
        v = hypotheses - self.best
        squares = np.einsum("ij,ij->i", v, v)
        lengths = np.sqrt(squares)
        share = _least_share(self._largest_scores(v, lengths))
        curved = np.einsum("ij,ij->i", v @ self.hessian, v)
        slope = v @ self.gradient
        bound = slope + share * curved + (0.5 - share) * self.l2 * squares
        rounding = SAFETY * (np.abs(slope) + share * curved + self.l2 * squares)
        known = self.gradient_error * lengths + self.hessian_error * squares
        return np.asarray(np.maximum(bound - (1 + SAFETY) * known - rounding, 0.0))

    def _largest_scores(self, v: Matrix, lengths: Vector) -> Vector:
        """ρ ≥ |⟨x, v⟩| for every row, by the three norms that are public for rows."""
        norms, sizes = self.shape.norms, np.abs(v)
        found = [norms.l2 * lengths, norms.l1 * sizes.max(axis=1), norms.linf * sizes.sum(axis=1)]
        return np.asarray(np.min(found, axis=0) * (1 + SAFETY))


def excess_bound(problem: Problem, risk: EmpiricalRisk, best: Vector, tolerance: float) -> ExcessBound:
    """The best bound there is for the loss."""
    if problem.loss.self_concordant:
        assert problem.radius is not None
        return SelfConcordance.at(risk, best, problem.radius)
    return StrongConvexity(best, problem.l2, tolerance)


def _least_share(rho: Vector) -> Vector:
    """A number at most ω(ρ) = (e^−ρ + ρ − 1)/ρ²: itself, or ½ − ρ/6 where it would cancel. By `excess-risk-bound`."""
    large = np.maximum(rho, 0.1)
    return np.asarray(np.where(rho < 0.1, 0.5 - rho / 6, (np.exp(-large) + large - 1) / large**2) * (1 - SAFETY))


def _hessian_error(shape: Shape, radius: float, l2: float) -> float:
    """Spectral norm of computed minus exact Hessian at any ‖θ‖ ≤ R. By `excess-risk-bound` and by `blocked-sum`."""
    r = shape.norms.l2
    per_row = enlarged(r * r * (0.25 * 2.0**-44 + score_error(shape.max_nonzeros, r * radius)))
    return enlarged(shape.summation_error(enlarged(r * r), per_row) / shape.n + 2.0**-50 * (r * r + l2))
