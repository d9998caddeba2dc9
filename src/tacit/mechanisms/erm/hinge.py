"""The hinge risk: not smooth, so it is handed to the solver as a family of smoothed risks and a count."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.arithmetic import UNIT_ROUNDOFF, Floats, enlarged
from tacit.errors import ParameterError
from tacit.losses import Hinge, HuberHinge
from tacit.mechanisms.erm.bounds import check_penalty, minimiser_norm, score_error
from tacit.mechanisms.erm.sums import weighted_gram
from tacit.mechanisms.problem import Shape
from tacit.rows import Rows, summation_error
from tacit.solvers import GradientBounds, norm_above, public_hinge_tolerance

RELATIVE_HINGE_TOLERANCE = 0.01
"""Solver tolerance as a share of the sensitivity: near a corner only the square of a distance can be certified."""


@dataclass(frozen=True, slots=True)
class HingeRiskBounds:
    """Public bounds of J(θ) = (1/n) Σ max(0, 1 − yᵢ⟨xᵢ, θ⟩) + (l2/2)‖θ‖² + ⟨b, θ⟩, ‖b‖ ≤ linear_norm."""

    shape: Shape
    l2: float
    linear_norm: float = 0.0

    def __post_init__(self) -> None:
        check_penalty(self.l2, self.linear_norm)

    @property
    def dimension(self) -> int:
        return self.shape.width

    @property
    def strong_convexity(self) -> float:
        return self.l2

    @property
    def smoothness(self) -> float:
        return math.inf

    @property
    def minimiser_norm(self) -> float:
        return minimiser_norm(self.shape, Hinge(), self.l2, self.linear_norm)

    def gradient_bounds(self, norm: float) -> GradientBounds:
        """Magnitude over ‖θ‖ ≤ norm, and the error of summing given slopes, by `gradient-rounding`."""
        r = self.shape.norms.l2
        magnitude = enlarged(r + self.l2 * norm + self.linear_norm)
        total_error = summation_error(self.shape.n, self.shape.block_rows, enlarged(r))
        return GradientBounds(magnitude, enlarged(total_error / self.shape.n + 4.0 * UNIT_ROUNDOFF * magnitude))

    def score_error(self, norm: float) -> float:
        """Error of (1 − y⟨x, centre⟩) − y⟨x, shift⟩ when the two norms add to at most `norm`."""
        return score_error(self.shape.max_nonzeros + 3, 1.0 + self.shape.norms.l2 * norm)

    def tolerance(self, radius: float | None = None, share: float = RELATIVE_HINGE_TOLERANCE) -> float:
        """A public solver tolerance: `share` of the sensitivity 2r/(l2 n), or the smallest that is proved reachable."""
        aim = share * 2.0 * self.shape.norms.l2 / (self.l2 * self.shape.n)
        return public_hinge_tolerance(self, aim, radius)


class HingeRisk:
    """J(θ) = (1/n) Σ max(0, 1 − yᵢ⟨xᵢ, θ⟩) + (l2/2)‖θ‖² + ⟨linear, θ⟩ as a `HingeObjective`; y = ±1."""

    def __init__(self, rows: Rows, l2: float, linear: Floats | None = None) -> None:
        if linear is not None and linear.shape != (rows.width,):
            raise ParameterError(f"linear has shape {linear.shape}; expected ({rows.width},)")
        self.rows = rows
        self.l2 = l2
        self.linear = np.zeros(rows.width) if linear is None else linear
        self.bounds = HingeRiskBounds(Shape.of(rows), l2, norm_above(self.linear))

    def smoothed(self, width: float, centre: Floats) -> "CentredHingeRisk":
        return CentredHingeRisk(self.rows, HuberHinge(width), self.l2, self.linear, centre)

    def value(self, theta: Floats) -> float:
        hinge = Hinge()
        total = self.rows.total(lambda X, y: float(np.sum(hinge.value(X @ theta, y))))
        return total / self.rows.n + 0.5 * self.l2 * float(theta @ theta) + float(self.linear @ theta)

    def subgradient(self, theta: Floats) -> Floats:
        hinge = Hinge()

        def kernel(X: Any, y: Floats) -> Floats:
            return np.asarray(hinge.slope(X @ theta, y) @ X)

        return self.rows.total(kernel) / self.rows.n + (self.l2 * theta + self.linear)


@dataclass(frozen=True, slots=True, eq=False)
class CentredHingeRisk:
    """The smoothed hinge risk as a function of the shift from a centre, a `CentredHinge`."""

    rows: Rows
    loss: HuberHinge
    l2: float
    linear: Floats
    centre: Floats

    def gradient_and_hessian(self, shift: Floats) -> tuple[Floats, Floats]:
        both = np.stack([self.centre, shift], axis=1)

        def kernel(X: Any, y: Floats) -> tuple[Floats, Floats]:
            excess = _excess(X, y, both)
            slope = -y * self.loss.activity(excess)
            return slope @ X, weighted_gram(X, np.where(self.loss.undecided(excess), 0.5 / self.loss.width, 0.0))

        total, hessian = self.rows.total(kernel)
        hessian = hessian / self.rows.n
        hessian[np.diag_indices_from(hessian)] += self.l2
        return total / self.rows.n + (self.l2 * (self.centre + shift) + self.linear), hessian

    def undecided(self, shift: Floats) -> float:
        both = np.stack([self.centre, shift], axis=1)
        count = self.rows.total(lambda X, y: float(np.count_nonzero(self.loss.undecided(_excess(X, y, both)))))
        return count / self.rows.n


def _excess(X: Any, y: Floats, both: Floats) -> Floats:
    """1 − y⟨x, centre + shift⟩; the large part first, because it is exact near the corner."""
    scores: Floats = np.asarray(X @ both)
    return np.asarray((1.0 - y * scores[:, 0]) - y * scores[:, 1])
