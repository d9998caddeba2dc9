"""The exact minimiser of a quadratic, on a ball or everywhere, convex or not."""

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from tacit.arithmetic import Floats
from tacit.errors import ParameterError
from tacit.solvers.objective import norm_above, shortened


@dataclass(frozen=True, slots=True)
class QuadraticSolution:
    """A computed minimiser θ of q(θ) = ½θᵀAθ − cᵀθ over ‖θ‖ ≤ R, its multiplier μ ≥ 0 and what certifies it.

    residual: ‖(A + μI)θ − c‖₂.
    gap: q(θ) − min q ≤ gap, up to rounding in evaluating the formula, by `trust-region`.
    """

    theta: Floats
    multiplier: float
    residual: float
    gap: float


def minimise_quadratic(matrix: Floats, linear: Floats, radius: float | None = None) -> QuadraticSolution:
    """argmin ½θᵀAθ − cᵀθ subject to ‖θ‖₂ ≤ radius (None: everywhere, which needs a positive definite A).

    A point of the ball is optimal iff (A + μI)θ = c, A + μI ⪰ 0, μ ≥ 0 and μ(R − ‖θ‖) = 0, by `trust-region`.
    """
    _check(matrix, linear, radius)
    eigenvalues, basis = np.linalg.eigh(0.5 * (matrix + matrix.T))
    rotated = basis.T @ linear
    if radius is None:
        if eigenvalues[0] <= 0.0:
            raise ParameterError(
                f"the quadratic's smallest eigenvalue is {eigenvalues[0]:.3g}: it has no minimum without a ball; "
                "give a radius or add a larger ridge"
            )
        coordinates, multiplier = rotated / eigenvalues, 0.0
    else:
        coordinates, multiplier = _on_ball(eigenvalues, rotated, radius)
    theta = basis @ coordinates
    if radius is not None:
        theta = shortened(theta, radius)
    return _certified(matrix, linear, theta, multiplier, float(eigenvalues[0]), radius)


def _on_ball(eigenvalues: Floats, c: Floats, radius: float) -> tuple[Floats, float]:
    """Coordinates in the eigenbasis, and the multiplier μ = σ − λ₁, with σ > 0 the root of ‖c/(λ − λ₁ + σ)‖ = R.

    Working with σ and the gaps λ − λ₁ keeps full relative accuracy next to the pole σ = 0.
    """
    smallest = float(eigenvalues[0])
    if smallest > 0.0:
        inside = c / eigenvalues
        if float(np.linalg.norm(inside)) <= radius:
            return inside, 0.0
    gaps = eigenvalues - smallest
    low = max(smallest, 0.0, float(np.max(np.abs(c) / radius - gaps)))
    if low == 0.0:
        hard = _hard_case(gaps, c, radius)
        if hard is not None:
            return hard, -smallest

    def excess(shift: float) -> float:
        """R/‖c/(gaps + σ)‖ − 1: increasing and nearly linear in σ, unlike the norm itself."""
        return radius / float(np.linalg.norm(c / (gaps + shift))) - 1.0

    low = max(low, float(np.finfo(float).tiny))
    high = max(low, 2.0 * float(np.linalg.norm(c)) / radius)
    shift = low if excess(low) >= 0.0 else float(brentq(excess, low, high, xtol=1e-300, rtol=1e-15, maxiter=2000))
    coordinates = c / (gaps + shift)
    return coordinates * (radius / float(np.linalg.norm(coordinates))), max(0.0, shift - smallest)


def _hard_case(gaps: Floats, c: Floats, radius: float) -> Floats | None:
    """c has no part in the lowest eigenspace and μ = −λ₁ leaves room: move inside that eigenspace to the sphere.

    The curvature of q + (μ/2)‖θ‖² is 0 there, so every direction chosen gives the same value. None: not this case.
    """
    coordinates = np.divide(c, gaps, out=np.zeros_like(c), where=gaps > 0.0)
    missing = radius**2 - float(coordinates @ coordinates)
    if missing < 0.0:
        return None
    coordinates[0] = math.sqrt(missing)
    return coordinates


def _certified(
    matrix: Floats, linear: Floats, theta: Floats, multiplier: float, smallest: float, radius: float | None
) -> QuadraticSolution:
    residual = norm_above(matrix @ theta + multiplier * theta - linear)
    if radius is None:
        return QuadraticSolution(theta, 0.0, residual, 0.5 * residual**2 / smallest)
    indefinite = max(0.0, -(smallest + multiplier))
    slack = max(0.0, radius**2 - float(theta @ theta))
    gap = 2.0 * radius * residual + 0.5 * multiplier * slack + 2.0 * radius**2 * indefinite
    return QuadraticSolution(theta, multiplier, residual, gap)


def _check(matrix: Floats, linear: Floats, radius: float | None) -> None:
    if matrix.shape != (linear.size, linear.size):
        raise ParameterError(
            f"a quadratic in {linear.size} unknowns needs a {linear.size} × {linear.size} matrix, not {matrix.shape}"
        )
    if not (np.all(np.isfinite(matrix)) and np.all(np.isfinite(linear))):
        raise ParameterError("the quadratic has coefficients that are not finite")
    if radius is not None and not 0.0 < radius < math.inf:
        raise ParameterError(f"radius is {radius!r}; expected a finite number > 0, or None for no ball")
