"""The public facts of one regularised problem: all that a calibration may look at.

J(θ) = (1/n) Σ φ(⟨xᵢ, θ⟩, yᵢ) + (λ/2)‖θ‖₂²,   θ ∈ R^d or ‖θ‖₂ ≤ R,   rows inside public norms
"""

import math
from dataclasses import dataclass
from functools import cached_property

from flint import arb

from tacit.arithmetic import exact, upper
from tacit.domain import Norms
from tacit.errors import ParameterError
from tacit.losses import Loss, Squared
from tacit.rows import Rows, SealedRows, summation_error


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
    def of(cls, rows: Rows | SealedRows) -> "Shape":
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
        return min(by_value, by_slope, self._feasible)

    @cached_property
    def feasible_gradient_bound(self) -> float:
        """The same at every feasible θ: where a perturbed objective may have its minimum. By `objective-pure`."""
        return self._slope_within(self._feasible) * self.shape.norms.l2 * _HAIR

    @cached_property
    def feasible_gradient_change(self) -> float:
        """How far the gradients of two rows can be apart at one feasible θ. By `squared-gradient-change`."""
        return self._change_within(self._feasible)

    @cached_property
    def feasible_gradient_bound_l1(self) -> float:
        """No row's gradient ‖φ'x‖₁ is longer, at any feasible θ. By `objective-pure`."""
        return self._slope_within(self._feasible) * self.shape.norms.l1 * _HAIR

    @cached_property
    def curvature_bound(self) -> float:
        """t: no row's curvature φ''‖x‖₂² is larger; infinite for the hinge. By `loss-constants`."""
        return self.loss.constants(None).curvature * self.shape.norms.l2**2 * _HAIR

    @cached_property
    def minimiser_sensitivity(self) -> float:
        """‖θ*(S) − θ*(S')‖₂ ≤ Δ/(λn) ≤ 2G/(λn) for tables that differ in one row, or the ball's diameter if less.

        Δ bounds the difference of two rows' gradients at one θ. By `minimiser-sensitivity`.
        """
        change = self._change_within(self.minimiser_radius)
        moved = upper(lambda: exact(change) / (exact(self.l2) * self.shape.n))
        return min(moved, 2 * self.minimiser_radius)

    @property
    def change_theorems(self) -> tuple[str, ...]:
        """What proves that two rows' gradients are less than 2G apart, where that is used."""
        return ("squared-gradient-change",) if isinstance(self.loss, Squared) else ()

    @property
    def _feasible(self) -> float:
        return math.inf if self.radius is None else self.radius

    def _change_within(self, radius: float) -> float:
        """sup ‖∇φ(x, y) − ∇φ(x', y')‖₂ over ‖θ‖₂ ≤ radius: 2G, less for the squared loss.

        There a long gradient points along θ or against it, never both: with k = r·radius/b for ‖x‖₂ ≤ r, |y| ≤ b

            ‖∇φ − ∇φ'‖₂ ≤ 2rb max_s (1 + ks)√(1 − s²) < 2rb(1 + k) = 2G.    By `squared-gradient-change`.
        """
        if not isinstance(self.loss, Squared) or math.isinf(radius):
            return 2 * self._slope_within(radius) * self.shape.norms.l2 * _HAIR
        r, b = self.shape.norms.l2, self.loss.target_bound

        def widest() -> arb:
            k = exact(r) * exact(radius) / exact(b)
            s = ((1 + 8 * k**2).sqrt() - 1) / (4 * k)
            return 2 * exact(r) * exact(b) * (1 + k * s) * (1 - s**2).sqrt()

        return upper(widest)

    def _slope_within(self, radius: float) -> float:
        return self.loss.constants(self.shape.norms.l2 * radius * _HAIR).slope


_HAIR = 1 + 2.0**-50  # rounds a product of two or three floats up
