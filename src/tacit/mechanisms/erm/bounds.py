"""What is public about an empirical risk: how far its minimiser can be, how large and how exact its gradient is."""

import math
from dataclasses import dataclass

from tacit.arithmetic import UNIT_ROUNDOFF, enlarged
from tacit.errors import ParameterError
from tacit.losses import Loss
from tacit.mechanisms.problem import Shape
from tacit.rows import summation_error
from tacit.solvers import GradientBounds, public_tolerance

RELATIVE_TOLERANCE = 2.0**-20
"""Solver tolerance as a share of the sensitivity: twice this share is added to the noise."""


@dataclass(frozen=True, slots=True)
class RiskBounds:
    """Public bounds of J(θ) = (1/n) Σ φ(⟨xᵢ, θ⟩, yᵢ) + (l2/2)‖θ‖² + ⟨b, θ⟩, ‖b‖ ≤ linear_norm, over all tables."""

    shape: Shape
    loss: Loss
    l2: float
    linear_norm: float = 0.0

    def __post_init__(self) -> None:
        check_penalty(self.l2, self.linear_norm)
        if not self.loss.smooth:
            raise ParameterError(f"{self.loss!r} is not smooth; use HingeRisk")

    @property
    def dimension(self) -> int:
        return self.shape.width

    @property
    def strong_convexity(self) -> float:
        return self.l2

    @property
    def smoothness(self) -> float:
        """L = r² sup φ'' + l2, by `loss-constants`."""
        return enlarged(self.shape.norms.l2**2 * self.loss.constants().curvature + self.l2)

    @property
    def minimiser_norm(self) -> float:
        return minimiser_norm(self.shape, self.loss, self.l2, self.linear_norm)

    def gradient_bounds(self, norm: float) -> GradientBounds:
        """sup ‖∇J(θ)‖ and the largest ℓ2 error of its computed value over ‖θ‖ ≤ norm, by `gradient-rounding`."""
        n, r = self.shape.n, self.shape.norms.l2
        slope = self.loss.constants(enlarged(norm * r)).slope
        magnitude = enlarged(slope * r + self.l2 * norm + self.linear_norm)
        if self.loss.quadratic:
            total_error = _gram_gradient_error(self.shape, self.loss, norm)
        else:
            total_error = _loss_gradient_error(self.shape, self.loss, norm)
        return GradientBounds(magnitude, enlarged(total_error / n + 4.0 * UNIT_ROUNDOFF * magnitude))

    def tolerance(self, radius: float | None = None, share: float = RELATIVE_TOLERANCE) -> float:
        """A public solver tolerance: `share` of the sensitivity 2G/(l2 n), or the smallest that is proved reachable.

        G = r sup |φ'| over all θ that can be minimisers: ‖θ‖ ≤ radius, or ≤ minimiser_norm without a ball.
        """
        r = self.shape.norms.l2
        reach = self.minimiser_norm if radius is None else radius
        slope = self.loss.constants(enlarged(reach * r)).slope
        return public_tolerance(self, share * 2.0 * slope * r / (self.l2 * self.shape.n), radius)


def check_penalty(l2: float, linear_norm: float) -> None:
    """Refuse what is no penalty (l2/2)‖θ‖² + ⟨b, θ⟩ with ‖b‖ ≤ linear_norm."""
    if not 0.0 < l2 < math.inf:
        raise ParameterError(f"l2 is {l2!r}; expected a finite number > 0, so that the minimiser is unique")
    if not 0.0 <= linear_norm < math.inf:
        raise ParameterError(f"linear_norm is {linear_norm!r}; expected a finite number >= 0")


def minimiser_norm(shape: Shape, loss: Loss, l2: float, linear_norm: float) -> float:
    """‖θ*‖ ≤ (‖b‖ + √(‖b‖² + 2 l2 φ₀))/l2 with φ₀ = sup φ(0, ·), from J(θ*) ≤ J(0), by `minimiser-norm`.

    A loss with |φ'| ≤ s also gives ‖θ*‖ ≤ (s r + ‖b‖)/l2, from 0 ∈ ∂J(θ*).
    """
    b = linear_norm
    by_value = (b + math.sqrt(b * b + 2.0 * l2 * loss.constants(0.0).value)) / l2
    by_slope = (loss.constants().slope * shape.norms.l2 + b) / l2
    return enlarged(min(by_value, by_slope))


def _loss_gradient_error(shape: Shape, loss: Loss, norm: float) -> float:
    """Error of Σ φ'(⟨x, θ⟩, y) x: score and slope errors per row, summed by `blocked-sum`."""
    r = shape.norms.l2
    constants = loss.constants(enlarged(norm * r))
    slope_error = loss.constants().curvature * score_error(shape.max_nonzeros, r * norm)
    slope_error += constants.slope_rounding * UNIT_ROUNDOFF
    return summation_error(shape.n, shape.block_rows, enlarged(constants.slope * r), enlarged(slope_error * r))


def _gram_gradient_error(shape: Shape, loss: Loss, norm: float) -> float:
    """Error of Ĝθ − m̂ with Ĝ = Σ xxᵀ, m̂ = Σ yx: ‖Ĝ − G‖_F ‖θ‖ + ‖m̂ − m‖ + rounding of the product."""
    n, r, width = shape.n, shape.norms.l2, shape.width
    gram_error = summation_error(n, shape.block_rows, enlarged(r * r))
    moment_error = summation_error(n, shape.block_rows, enlarged(r * loss.target_bound))
    size = (n * r * r + gram_error) * norm + n * r * loss.target_bound + moment_error
    return enlarged(gram_error * norm + moment_error + score_error(width + 2, size))


def score_error(terms: int, size: float) -> float:
    """γ_k·size + underflow: error of a sum of k products with absolute values adding to at most `size`, any order."""
    return enlarged(terms * UNIT_ROUNDOFF / (1.0 - terms * UNIT_ROUNDOFF) * size + terms * 2.0**-1000)
