"""The public facts of one regularised problem: all that a calibration may look at.

J(θ) = (1/n) Σ φ(⟨xᵢ, θ⟩, yᵢ) + (λ/2)‖θ‖₂²,   θ ∈ R^d or ‖θ‖₂ ≤ R,   rows inside public norms
"""

import math
from dataclasses import dataclass
from functools import cached_property

from tacit.domain import Norms
from tacit.errors import ParameterError
from tacit.losses import Loss
from tacit.privacy.rounding import exact, upper
from tacit.rows import Rows, summation_error


@dataclass(frozen=True)
class Shape:
    """What is public about rows: how many, how wide, how long, how they are blocked.

    max_nonzeros: most entries of a row that can differ from 0 (one per number, block and constant).
    constant: the value of the last column in every row, None without an intercept.
    """

    n: int
    width: int
    norms: Norms
    max_nonzeros: int
    block_rows: int
    constant: float | None

    @classmethod
    def of(cls, rows: Rows) -> "Shape":
        """The public facts of these rows."""
        encoding = rows.encoding
        return cls(rows.n, rows.width, rows.norms, encoding.max_nonzeros, rows.block_rows, encoding.constant)

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
        """A ball that holds the minimiser for every table. By `minimiser-sensitivity`.

        λ‖θ*‖²/2 ≤ J(θ*) ≤ J(0) ≤ sup φ(0, y);  λ‖θ*‖ ≤ sup |φ'| ‖x‖₂ by stationarity;  and R.
        """
        at_zero = self.loss.constants(0.0).value
        by_value = upper(lambda: (2 * exact(at_zero) / exact(self.l2)).sqrt())
        by_slope = self.loss.constants(None).slope * self.shape.norms.l2 / self.l2 * _HAIR
        return min(by_value, by_slope, math.inf if self.radius is None else self.radius)

    @cached_property
    def gradient_bound(self) -> float:
        """G: no row's gradient ‖φ'x‖₂ is longer, at any minimiser of J. By `minimiser-sensitivity`."""
        return self._slope_within(self.minimiser_radius) * self.shape.norms.l2 * _HAIR

    @cached_property
    def feasible_gradient_bound(self) -> float:
        """The same at every feasible θ: where a perturbed objective may have its minimum. By `objective-pure`."""
        return self._slope_within(self.radius) * self.shape.norms.l2 * _HAIR

    @cached_property
    def feasible_gradient_bound_l1(self) -> float:
        """The same in the ℓ1 norm. By `objective-pure`."""
        return self._slope_within(self.radius) * self.shape.norms.l1 * _HAIR

    @cached_property
    def curvature_bound(self) -> float:
        """t: no row's curvature φ''‖x‖₂² is larger; infinite for the hinge. By `loss-constants`."""
        return self.loss.constants(None).curvature * self.shape.norms.l2**2 * _HAIR

    @cached_property
    def minimiser_sensitivity(self) -> float:
        """‖θ*(S) − θ*(S')‖₂ ≤ 2G/(λn) for tables that differ in one row, or the ball's diameter if that is less.

        By `minimiser-sensitivity`.
        """
        moved = upper(lambda: 2 * exact(self.gradient_bound) / (exact(self.l2) * self.shape.n))
        return min(moved, 2 * self.minimiser_radius)

    def _slope_within(self, radius: float | None) -> float:
        if radius is None:
            return self.loss.constants(None).slope
        return self.loss.constants(self.shape.norms.l2 * radius * _HAIR).slope


_HAIR = 1 + 2.0**-50  # rounds a product of two or three floats up
