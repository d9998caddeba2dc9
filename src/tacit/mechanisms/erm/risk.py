"""Empirical risk as an objective: rows and a loss become numbers that a solver understands."""

from functools import cached_property

import numpy as np

from tacit.arithmetic import Floats
from tacit.errors import ParameterError
from tacit.losses import Loss
from tacit.mechanisms.erm.bounds import RiskBounds
from tacit.mechanisms.erm.sums import GramSums, LossSums, RiskSums
from tacit.mechanisms.problem import Shape
from tacit.rows import Rows
from tacit.solvers import norm_above


class EmpiricalRisk:
    """J(θ) = (1/n) Σ φ(⟨xᵢ, θ⟩, yᵢ) + (l2/2)‖θ‖² + ⟨linear, θ⟩ as a `SmoothObjective`.

    Building one reads no rows, and `bounds` is public. With the squared loss the rows are read once in all.
    """

    def __init__(self, rows: Rows, loss: Loss, l2: float, linear: Floats | None = None) -> None:
        if linear is not None and linear.shape != (rows.width,):
            raise ParameterError(f"linear has shape {linear.shape}; expected ({rows.width},)")
        self.rows = rows
        self.loss = loss
        self.l2 = l2
        self.linear = np.zeros(rows.width) if linear is None else linear
        self.bounds = RiskBounds(Shape.of(rows), loss, l2, norm_above(self.linear))

    @property
    def sample_size(self) -> int:
        """Rows read by one evaluation; sufficient statistics read none."""
        return 1 if self.loss.quadratic else self.rows.n

    def value(self, theta: Floats) -> float:
        penalty = 0.5 * self.l2 * float(theta @ theta) + float(self.linear @ theta)
        return self._sums.value(theta) / self.rows.n + penalty

    def gradient(self, theta: Floats) -> tuple[Floats, float]:
        return self._completed(self._sums.gradient(theta), theta), self._error_at(theta)

    def gradient_and_hessian(self, theta: Floats) -> tuple[Floats, float, Floats]:
        total, hessian = self._sums.gradient_and_hessian(theta)
        hessian = hessian / self.rows.n
        hessian[np.diag_indices_from(hessian)] += self.l2
        return self._completed(total, theta), self._error_at(theta), hessian

    def head(self, terms: int) -> "EmpiricalRisk":
        return EmpiricalRisk(self.rows.head(terms), self.loss, self.l2, self.linear)

    @property
    def second_moments(self) -> tuple[Floats, Floats, float]:
        """Σxxᵀ, Σyx and Σy², which say everything about a squared loss: the rows are not read again for them."""
        if not isinstance(self._sums, GramSums):
            raise ParameterError(f"{self.loss!r} is not a function of second moments")
        return self._sums.statistics

    @cached_property
    def _sums(self) -> RiskSums:
        return GramSums(self.rows) if self.loss.quadratic else LossSums(self.rows, self.loss)

    def _completed(self, total: Floats, theta: Floats) -> Floats:
        return total / self.rows.n + (self.l2 * theta + self.linear)

    def _error_at(self, theta: Floats) -> float:
        """By `gradient-rounding`."""
        return self.bounds.gradient_bounds(norm_above(theta)).error
