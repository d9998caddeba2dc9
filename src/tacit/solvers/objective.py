"""What solvers ask of an objective, and what they promise about the answer."""

from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np

from tacit.arithmetic import UNIT_ROUNDOFF, Floats


@dataclass(frozen=True, slots=True)
class Solution:
    """A computed minimiser. ‖theta − θ*‖₂ ≤ distance, where distance is the public number promised beforehand."""

    theta: Floats
    distance: float


@dataclass(frozen=True, slots=True)
class GradientBounds:
    """Public bounds valid for all ‖θ‖₂ ≤ r: magnitude of ∇J(θ), and the error of its computed value (ℓ2)."""

    magnitude: float
    error: float


class ObjectiveBounds(Protocol):
    """What is public about a λ-strongly convex J on R^d whose gradient is L-Lipschitz; nothing here depends on data."""

    @property
    def dimension(self) -> int: ...

    @property
    def strong_convexity(self) -> float: ...

    @property
    def smoothness(self) -> float: ...

    @property
    def minimiser_norm(self) -> float:
        """A bound on the norm of the unconstrained minimiser."""

    def gradient_bounds(self, norm: float) -> GradientBounds:
        """Bounds for every θ with ‖θ‖ ≤ norm."""


class SmoothObjective(Protocol):
    """A J with public bounds whose gradient is computed with a known error."""

    @property
    def bounds(self) -> ObjectiveBounds: ...

    @property
    def sample_size(self) -> int:
        """How many terms one evaluation reads; a head pays only where there are many. Public."""

    def value(self, theta: Floats) -> float: ...

    def gradient(self, theta: Floats) -> tuple[Floats, float]:
        """The computed gradient and a bound on the ℓ2 norm of its error."""

    def gradient_and_hessian(self, theta: Floats) -> tuple[Floats, float, Floats]:
        """As `gradient`, with a symmetric matrix close to the Hessian (no promise is built on it)."""

    def head(self, terms: int) -> Self:
        """The same objective averaged over its first `terms` terms only."""


UNDERFLOW = 2.0**-500
"""More than a norm can lose when squares of its entries vanish."""


def norm_above(vector: Floats) -> float:
    """An upper bound on the exact ‖vector‖₂, too large by about (d + 8)·2⁻⁵² in relative terms."""
    return float(np.linalg.norm(vector)) * (1.0 + (vector.size + 8) * 2.0 * UNIT_ROUNDOFF) + UNDERFLOW


def shortened(theta: Floats, radius: float) -> Floats:
    """The nearest point of the ball ‖θ‖₂ ≤ radius, up to rounding."""
    length = norm_above(theta)
    return theta if length <= radius else theta * (radius / length)


def norm_below(vector: Floats) -> float:
    """A lower bound on the exact ‖vector‖₂."""
    return float(np.linalg.norm(vector)) * (1.0 - (vector.size + 8) * 2.0 * UNIT_ROUNDOFF) - UNDERFLOW
