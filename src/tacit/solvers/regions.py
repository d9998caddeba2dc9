"""Where θ may be: everywhere, or in a ball. Each region knows its optimality residual and its model minimiser."""

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from tacit.arithmetic import UNIT_ROUNDOFF, Floats, enlarged
from tacit.errors import ParameterError
from tacit.solvers.objective import (
    ObjectiveBounds,
    norm_above,
    norm_below,
)
from tacit.solvers.quadratic import minimise_quadratic


class Region(Protocol):
    """A closed convex set C that contains 0."""

    def reach(self, bounds: ObjectiveBounds) -> float:
        """A public bound on the norm of the minimiser of J over C."""

    def project(self, point: Floats) -> Floats:
        """A point of C within `projection_error`·‖point‖ of the nearest one."""

    def projection_error(self, dimension: int) -> float: ...

    def certified_distance(self, bounds: ObjectiveBounds, theta: Floats, g: Floats, e: float) -> float:
        """A bound on ‖theta − θ*‖₂, given the gradient g at theta within e."""

    def variation(self, theta: Floats, g: Floats, e: float) -> tuple[float, float]:
        """(ρ, s) with ⟨g', theta − t⟩ ≤ ρ‖theta − t‖ + s for every t in C and every g' within e of g."""

    def residual(self, theta: Floats, g: Floats) -> float:
        """‖g + normal-cone part‖: zero exactly at the minimiser. Steers the iteration, certifies nothing."""

    def model_minimiser(self, theta: Floats, g: Floats, hessian: Floats, floor: float) -> Floats:
        """argmin over C of ⟨g, p⟩ + ½pᵀHp, p = · − theta; `floor` > 0 is a lower bound on H's eigenvalues."""

    def model_step(self, theta: Floats, g: Floats, hessian: Floats, floor: float) -> Floats:
        """The way to the model's minimiser, to full relative accuracy where the curvature is large.

        On a ball it ends 2⁻⁴⁴ R before the sphere, so that rounding never has to be undone by a projection.
        """


@dataclass(frozen=True, slots=True)
class Everywhere:
    """C = R^d."""

    def reach(self, bounds: ObjectiveBounds) -> float:
        return bounds.minimiser_norm

    def project(self, point: Floats) -> Floats:
        return point

    def projection_error(self, dimension: int) -> float:
        return 0.0

    def certified_distance(self, bounds: ObjectiveBounds, theta: Floats, g: Floats, e: float) -> float:
        """(‖g‖ + e)/λ, rounded up, by `minimiser-distance`."""
        return enlarged((norm_above(g) + e) / bounds.strong_convexity)

    def variation(self, theta: Floats, g: Floats, e: float) -> tuple[float, float]:
        return enlarged(norm_above(g) + e), 0.0

    def residual(self, theta: Floats, g: Floats) -> float:
        return float(np.linalg.norm(g))

    def model_minimiser(self, theta: Floats, g: Floats, hessian: Floats, floor: float) -> Floats:
        return theta - _solve(hessian, g, floor)

    def model_step(self, theta: Floats, g: Floats, hessian: Floats, floor: float) -> Floats:
        return -_solve(hessian, g, floor)


@dataclass(frozen=True, slots=True)
class Ball:
    """C = {‖θ‖₂ ≤ radius}."""

    radius: float

    def __post_init__(self) -> None:
        if not 0.0 < self.radius < math.inf:
            raise ParameterError(f"radius is {self.radius!r}; expected a finite number > 0")

    def reach(self, bounds: ObjectiveBounds) -> float:
        """If the free minimiser cannot leave the ball, it is the minimiser: so the smaller of the two bounds."""
        return min(self.radius, bounds.minimiser_norm)

    def project(self, point: Floats) -> Floats:
        above = norm_above(point)
        if above <= self.radius:
            return point
        return point * (self.radius / above * (1.0 - (point.size + 10) * 2.0 * UNIT_ROUNDOFF))

    def projection_error(self, dimension: int) -> float:
        return 6.0 * (dimension + 12) * UNIT_ROUNDOFF

    def certified_distance(self, bounds: ObjectiveBounds, theta: Floats, g: Floats, e: float) -> float:
        """The smaller of the interior and the boundary bound, by `ball-residual`.

        interior: (‖g‖ + e)/λ.
        boundary: (‖g + νθ‖ + e + (L + ν)s)/(λ + ν/2) + s for any ν ≥ 0, where s ≥ R − ‖θ‖.
        """
        if not norm_above(theta) <= self.radius:
            return math.inf
        interior = (norm_above(g) + e) / bounds.strong_convexity
        nu = _multiplier(theta, g)
        missing = self.radius - norm_below(theta)
        rounding = 4.0 * UNIT_ROUNDOFF * (norm_above(g) + nu * self.radius)
        residual = norm_above(g + nu * theta) + rounding + e + (bounds.smoothness + nu) * missing
        boundary = residual / (bounds.strong_convexity + 0.5 * nu) + missing
        return enlarged(min(interior, boundary))

    def variation(self, theta: Floats, g: Floats, e: float) -> tuple[float, float]:
        """ρ = ‖g + νθ‖ + e and s = ν‖θ‖(R − ‖θ‖), by `ball-residual`; ν = 0 when that makes both smaller."""
        if not norm_above(theta) <= self.radius:
            return math.inf, math.inf
        nu = _multiplier(theta, g)
        missing = self.radius - norm_below(theta)
        if missing > 2.0**-30 * self.radius:
            return enlarged(norm_above(g) + e), 0.0
        rounding = 4.0 * UNIT_ROUNDOFF * (norm_above(g) + nu * self.radius)
        return enlarged(norm_above(g + nu * theta) + rounding + e), enlarged(nu * self.radius * missing)

    def residual(self, theta: Floats, g: Floats) -> float:
        if norm_above(theta) < self.radius * (1.0 - 2.0**-30):
            return float(np.linalg.norm(g))
        return float(np.linalg.norm(g + _multiplier(theta, g) * theta))

    def model_minimiser(self, theta: Floats, g: Floats, hessian: Floats, floor: float) -> Floats:
        free = theta - _solve(hessian, g, floor)
        if norm_above(free) <= self.radius:
            return free
        return self.project(minimise_quadratic(hessian, hessian @ theta - g, self.radius).theta)

    def model_step(self, theta: Floats, g: Floats, hessian: Floats, floor: float) -> Floats:
        radius = self.radius * (1.0 - 2.0**-44)
        step = -_solve(hessian, g, floor)
        if float(np.linalg.norm(theta + step)) <= radius:
            return step
        multiplier = minimise_quadratic(hessian, hessian @ theta - g, radius).multiplier
        shifted = hessian + multiplier * np.eye(theta.size)
        return -_solve(shifted, g + multiplier * theta, floor + multiplier)


def region_of(radius: float | None) -> Region:
    """The ball of that radius; everywhere for None."""
    return Everywhere() if radius is None else Ball(radius)


def _multiplier(theta: Floats, g: Floats) -> float:
    """The ν ≥ 0 that makes ‖g + νθ‖ smallest."""
    square = float(theta @ theta)
    return max(0.0, -float(g @ theta) / square) if square > 0.0 else 0.0


def _solve(hessian: Floats, g: Floats, floor: float) -> Floats:
    """H⁻¹g by Cholesky; by eigenvalues raised to `floor` if rounding has made H look singular."""
    try:
        factor = cho_factor(hessian, lower=True, check_finite=False)
    except LinAlgError:
        eigenvalues, basis = np.linalg.eigh(hessian)
        return np.asarray(basis @ ((basis.T @ g) / np.maximum(eigenvalues, floor)))
    return np.asarray(cho_solve(factor, g, check_finite=False))
