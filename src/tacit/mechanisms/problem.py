"""The public facts of one regularised problem: all that a calibration may look at.

J(θ) = (1/n) Σ φ(⟨xᵢ, θ⟩, yᵢ) + (λ/2)‖θ‖₂²,   θ ∈ R^d or ‖θ‖₂ ≤ R,   rows inside public norms
"""

import math
from dataclasses import dataclass
from functools import cached_property

from tacit.arithmetic import enlarged, exact, upper
from tacit.domain import Norms
from tacit.errors import ParameterError
from tacit.losses import Loss
from tacit.rows import Rows, SealedRows, summation_error


@dataclass(frozen=True)
class Shape:
    """What is public about rows: how many, how wide, how long, how they are blocked.

    max_nonzeros: most entries of a row that can differ from 0 (one per number, block and constant).
    constant: the value of the last column in every row, None without an intercept.
    typical_norm: most rows are no longer than this in the public model of the declaration; None without such a model.
    """

    n: int
    width: int
    norms: Norms
    max_nonzeros: int
    block_rows: int
    constant: float | None
    typical_norm: float | None = None

    @classmethod
    def of(cls, rows: Rows | SealedRows) -> "Shape":
        """The public facts of these rows."""
        encoding = rows.encoding
        constant, typical = encoding.constant, encoding.typical_norm
        return cls(rows.n, rows.width, rows.norms, encoding.max_nonzeros, rows.block_rows, constant, typical)

    @property
    def inner_ball(self) -> float:
        """The radius of a ball that holds most rows, for statistics of rows pulled into it."""
        return self.norms.l2 if self.typical_norm is None else min(self.typical_norm, self.norms.l2)

    def summation_error(self, magnitude: float, evaluation: float = 0.0) -> float:
        """Bound on the error of a total over such rows, by `blocked-sum`."""
        return summation_error(self.n, self.block_rows, magnitude, evaluation)


@dataclass(frozen=True)
class Problem:
    """Rows of a public shape, a loss, λ = l2 > 0 and an optional ball of radius R."""

    shape: Shape
    loss: Loss
    l2: float
    radius: float | None = None

    def __post_init__(self) -> None:
        if not 0 < self.l2 < math.inf:
            raise ParameterError(f"l2 must be a positive, finite number, got {self.l2!r}")
        if self.radius is not None and not 0 < self.radius < math.inf:
            raise ParameterError(f"radius must be a positive, finite number or None, got {self.radius!r}")

    @cached_property
    def minimiser_radius(self) -> float:
        """A ball that holds the minimiser for every table. By `minimiser-sensitivity` and by `stationary-norm`.

        λ‖θ*‖²/2 ≤ J(θ*) ≤ J(0) ≤ sup φ(0, y);  by stationarity λ‖θ*‖ ≤ sup |φ'| ‖x‖₂ and λ‖θ*‖² ≤ sup −sφ';  and R.
        """
        at_zero = self.loss.constants(0.0).value
        by_value = upper(lambda: (2 * exact(at_zero) / exact(self.l2)).sqrt())
        by_slope = enlarged(self.loss.constants(None).slope * self.shape.norms.l2 / self.l2, 50)
        by_pull = upper(lambda: (exact(self.loss.largest_pull) / exact(self.l2)).sqrt())
        return min(by_value, by_slope, by_pull, self._feasible)

    @property
    def steepest_slope(self) -> float:
        """c: no row's slope |φ'| is larger, at any feasible θ. By `loss-constants`."""
        return self._slope_within(self._feasible)

    @cached_property
    def feasible_gradient_bound(self) -> float:
        """G: no row's gradient ‖φ'x‖₂ is longer where a perturbed minimum can lie. By `objective-pure`."""
        return enlarged(self._slope_within(self._feasible) * self.shape.norms.l2, 50)

    @cached_property
    def feasible_gradient_change(self) -> float:
        """How far the gradients of two rows can be apart at one feasible θ. By `objective-pure`."""
        return self.loss.gradient_change(self.shape.norms.l2, self._feasible)

    @cached_property
    def feasible_gradient_bound_l1(self) -> float:
        """No row's gradient ‖φ'x‖₁ is longer, at any feasible θ. By `objective-pure`."""
        return enlarged(self._slope_within(self._feasible) * self.shape.norms.l1, 50)

    @cached_property
    def curvature_bound(self) -> float:
        """t: no row's curvature φ''‖x‖₂² is larger; infinite for the hinge. By `loss-constants`."""
        return enlarged(self.loss.constants(None).curvature * self.shape.norms.l2**2, 50)

    @cached_property
    def minimiser_sensitivity(self) -> float:
        """‖θ*(S) − θ*(S')‖₂ ≤ Δ/(λn) ≤ 2G/(λn) for tables that differ in one row, or the ball's diameter if less.

        Δ bounds the difference of two rows' gradients at one θ. By `minimiser-sensitivity`.
        """
        change = self.loss.gradient_change(self.shape.norms.l2, self.minimiser_radius)
        moved = upper(lambda: exact(change) / (exact(self.l2) * self.shape.n))
        return min(moved, 2 * self.minimiser_radius)

    @property
    def change_theorems(self) -> tuple[str, ...]:
        """What proves that two rows' gradients are less than 2G apart, where that is used."""
        return self.loss.change_theorems

    @property
    def _feasible(self) -> float:
        return math.inf if self.radius is None else self.radius

    def _slope_within(self, radius: float) -> float:
        return self.loss.constants(enlarged(self.shape.norms.l2 * radius, 50)).slope
