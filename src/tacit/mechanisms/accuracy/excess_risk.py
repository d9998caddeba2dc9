"""The accuracy query: how far a hypothesis is from the best one, truncated at α, with a sensitivity that is proved.

    h(θ; D) = max(J(θ*; D) − J(θ; D), −α),      ‖θ‖₂ ≤ R,  ‖θ*‖₂ ≤ R

Truncation costs no power, since a hypothesis is bad from α on, and it makes the query less sensitive: above −α the
hypothesis is within ρ = √(2α/λ) of θ*, so one row cannot tell the two apart by more than the loss moves over ρ:

    Δ = (2/n) sup {φ(s', y) − φ(s, y) : |s|, |s'| ≤ R r, |s − s'| ≤ r (ρ + 2G/(λn))}  +  2 × (rounding and solver)

By `truncated-excess-risk`.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tacit.arithmetic import UNIT_ROUNDOFF, Floats, enlarged, exact, reduced, upper
from tacit.errors import ParameterError
from tacit.mechanisms.accuracy.excess_bounds import ExcessBound, excess_bound
from tacit.mechanisms.erm import EmpiricalRisk, RiskBounds, score_error
from tacit.mechanisms.laws import Vector
from tacit.mechanisms.problem import Problem
from tacit.mechanisms.release import Sensitivity
from tacit.rows import Rows
from tacit.solvers import minimise


@dataclass(frozen=True)
class ExcessRisk:
    """The query for one problem on a ball. `cap` is the α at which the query is truncated, None for no truncation."""

    problem: Problem
    cap: float | None

    def __post_init__(self) -> None:
        if self.problem.radius is None:
            raise ParameterError("an accuracy query needs a ball: hypotheses outside every ball have no sensitivity")
        if not self.problem.loss.smooth:
            raise ParameterError(f"accuracy-first search is for smooth losses, not {self.problem.loss!r}")

    @property
    def radius(self) -> float:
        """R: every hypothesis is projected onto this ball."""
        assert self.problem.radius is not None
        return self.problem.radius

    @cached_property
    def tolerance(self) -> float:
        """τ: how near the computed minimiser is, on every table."""
        problem = self.problem
        return RiskBounds(problem.shape, problem.loss, problem.l2).tolerance(problem.radius)

    @cached_property
    def sensitivity(self) -> Sensitivity:
        """Δ. By `truncated-excess-risk`."""
        swing, n = self._swing, self.problem.shape.n
        row = upper(lambda: 2 * exact(swing) / n)
        rounding = 2 * self.error
        return Sensitivity.adding("absolute value", {"one replaced row": row, "rounding": rounding})

    @cached_property
    def error(self) -> float:
        """η: the computed query differs from the exact one by no more. By `truncated-excess-risk`."""
        bounds = RiskBounds(self.problem.shape, self.problem.loss, self.problem.l2)
        solver = bounds.gradient_bounds(self.radius).magnitude * self.tolerance
        return enlarged(2 * self._value_error + solver)

    @property
    def bad_value(self) -> float:
        """The computed query of a hypothesis whose excess risk exceeds α is at most this."""
        assert self.cap is not None
        return -reduced(self.cap - self.error, 50)

    def open(self, rows: Rows) -> "OpenedRisk":
        """The minimiser on these rows, ready to be compared with."""
        problem = self.problem
        risk = EmpiricalRisk(rows, problem.loss, problem.l2)
        best = minimise(risk, self.tolerance, problem.radius).theta
        known = excess_bound(problem, risk, best, self.tolerance)
        return OpenedRisk(self, risk, best, float(_values(risk, best[None, :])[0]), known)

    @property
    def _reach(self) -> float:
        """Scores of a hypothesis above the cap and of a neighbour's minimiser differ by at most this."""
        r, widest = self.problem.shape.norms.l2, enlarged(2 * self.problem.shape.norms.l2 * self.radius)
        if self.cap is None:
            return widest
        cap, l2, moved = self.cap, self.problem.l2, self.problem.minimiser_sensitivity
        return min(widest, upper(lambda: exact(r) * ((2 * exact(cap) / exact(l2)).sqrt() + exact(moved))))

    @cached_property
    def _swing(self) -> float:
        """sup {φ(s', y) − φ(s, y)} over the scores that can be met. By `truncated-excess-risk`."""
        return self.problem.loss.swing(enlarged(self.problem.shape.norms.l2 * self.radius), self._reach)

    @cached_property
    def _value_error(self) -> float:
        """|computed J(θ) − J(θ)| for ‖θ‖ ≤ R: sums, products and the penalty. By `truncated-excess-risk`."""
        shape, loss, R = self.problem.shape, self.problem.loss, self.radius
        r, n = shape.norms.l2, shape.n
        penalty = 0.5 * self.problem.l2 * R * R
        if loss.quadratic:
            b = loss.target_bound
            sums = 0.5 * shape.summation_error(r * r) * R * R + shape.summation_error(r * b) * R
            sums += 0.5 * shape.summation_error(b * b)
            magnitude = 0.5 * n * (r * R + b) ** 2
            total = sums + score_error(2 * shape.width + 8, 2 * (magnitude + sums))
        else:
            constants = loss.constants(enlarged(r * R))
            per_row = constants.slope * score_error(shape.max_nonzeros, r * R)
            per_row += constants.value_rounding * UNIT_ROUNDOFF
            magnitude = n * constants.value
            total = shape.summation_error(enlarged(constants.value), enlarged(per_row))
        rest = score_error(shape.width + 8, penalty) + 4 * UNIT_ROUNDOFF * (magnitude / n + penalty)
        return enlarged(total / n + rest)


@dataclass(frozen=True)
class OpenedRisk:
    """Holds private numbers: nothing in here may leave. `known` bounds an excess risk from below without a pass."""

    query: ExcessRisk
    risk: EmpiricalRisk
    best: Vector
    best_value: float
    known: ExcessBound

    def values(self, hypotheses: Floats) -> Floats:
        """The computed query for each row θ of `hypotheses`, all inside the ball.

        Where the excess risk is known to be beyond the cap the query is −cap, by `truncated-excess-risk`.
        """
        cap = self.query.cap
        if cap is None:
            return self.best_value - _values(self.risk, hypotheses)
        gaps = np.full(len(hypotheses), -cap)
        near = self.known.below(hypotheses) < cap
        if near.any():
            gaps[near] = np.maximum(self.best_value - _values(self.risk, hypotheses[near]), -cap)
        return gaps

    def bounds(self, hypotheses: Floats) -> Floats:
        """Numbers that `values` does not exceed: those themselves where no pass over the rows is needed for them."""
        if self.risk.loss.quadratic:
            return self.values(hypotheses)
        cap, excess = self.query.cap, self.known.below(hypotheses)
        highest = self.query.error - excess
        return highest if cap is None else np.where(excess >= cap, -cap, np.maximum(highest, -cap))


def _values(risk: EmpiricalRisk, thetas: Floats) -> Floats:
    """J at each row of `thetas`. Squared loss: from the moments alone; others: one pass over the rows in blocks."""
    penalties = 0.5 * risk.l2 * np.einsum("ij,ij->i", thetas, thetas)
    if risk.loss.quadratic:
        products, cross, squares = risk.second_moments
        sums = 0.5 * np.einsum("ij,ij->i", thetas @ products, thetas) - thetas @ cross + 0.5 * squares
        return np.asarray(sums / risk.rows.n + penalties)
    columns = np.ascontiguousarray(thetas.T)

    def kernel(X: Any, y: Floats) -> Floats:
        return np.asarray(risk.loss.value(X @ columns, y[:, None]).sum(axis=0))

    return np.asarray(risk.rows.total(kernel) / risk.rows.n + penalties)
