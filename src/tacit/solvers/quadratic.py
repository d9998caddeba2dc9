"""The exact minimiser of a quadratic, on a ball or everywhere, convex or not."""

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from tacit.errors import ParameterError
from tacit.solvers.objective import FloatArray, norm_above


@dataclass(frozen=True, slots=True)
class QuadraticSolution:
    """A computed minimiser θ of q(θ) = ½θᵀAθ − cᵀθ over ‖θ‖ ≤ R, its multiplier μ ≥ 0 and what certifies it.

    residual: ‖(A + μI)θ − c‖₂.
    gap: q(θ) − min q ≤ gap, up to rounding in evaluating the formula, by `trust-region`.
    """

    theta: FloatArray
    multiplier: float
    residual: float
    gap: float


def minimise_quadratic(matrix: FloatArray, linear: FloatArray, radius: float | None = None) -> QuadraticSolution:
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
    if radius is not None and norm_above(theta) > radius:
        theta *= radius / norm_above(theta)
    return _certified(matrix, linear, theta, multiplier, float(eigenvalues[0]), radius)


def _on_ball(eigenvalues: FloatArray, c: FloatArray, radius: float) -> tuple[FloatArray, float]:
    """Coordinates in the eigenbasis, and the multiplier μ = σ − λ₁, with σ > 0 the root of ‖c/(λ − λ₁ + σ)‖ = R.

    Working with σ and the gaps λ − λ₁ keeps full relative accuracy next to the pole σ = 0.
    """
    smallest = float(eigenvalues[0])
    if smallest > 0.0:
        inside = c / eigenvalues
        if float(np.linalg.norm(inside)) <= radius:
            return inside, 0.0
    gaps = eigenvalues - smallest
    least_shift = max(smallest, 0.0)

    def inverse_norm(shift: float) -> float:
        """1/‖c/(gaps + σ)‖: increasing and nearly linear in σ, unlike the norm itself."""
        largest = float(np.max(np.abs(c) / (gaps + shift)))
        return 1.0 / float(np.linalg.norm(c / (gaps + shift))) if largest > 0.0 else math.inf

    low = max(least_shift, float(np.max(np.abs(c) / radius - gaps)), np.finfo(float).tiny)
    high = max(low, 2.0 * float(np.linalg.norm(c)) / radius)
    if inverse_norm(low) * radius >= 1.0:
        return _hard_case(gaps, c, radius, least_shift), max(0.0, -smallest)
    shift = float(brentq(lambda s: inverse_norm(s) * radius - 1.0, low, high, xtol=1e-300, rtol=1e-15, maxiter=2000))
    coordinates = c / (gaps + shift)
    return coordinates * (radius / float(np.linalg.norm(coordinates))), max(0.0, shift - smallest)


def _hard_case(gaps: FloatArray, c: FloatArray, radius: float, least_shift: float) -> FloatArray:
    """c is orthogonal to the lowest eigenspace: move inside that eigenspace until the sphere is reached.

    The curvature there is −μ, so with θ on the sphere the objective does not depend on the direction chosen.
    """
    free = gaps + least_shift <= 0.0
    coordinates = np.divide(c, gaps + least_shift, out=np.zeros_like(c), where=~free)
    missing = radius**2 - float(coordinates @ coordinates)
    coordinates[0] = math.copysign(math.sqrt(max(0.0, missing + coordinates[0] ** 2)), c[0])
    return coordinates


def _certified(
    matrix: FloatArray, linear: FloatArray, theta: FloatArray, multiplier: float, smallest: float, radius: float | None
) -> QuadraticSolution:
    residual = norm_above(matrix @ theta + multiplier * theta - linear)
    if radius is None:
        return QuadraticSolution(theta, 0.0, residual, 0.5 * residual**2 / smallest)
    indefinite = max(0.0, -(smallest + multiplier))
    slack = max(0.0, radius**2 - float(theta @ theta))
    gap = 2.0 * radius * residual + 0.5 * multiplier * slack + 2.0 * radius**2 * indefinite
    return QuadraticSolution(theta, multiplier, residual, gap)


def _check(matrix: FloatArray, linear: FloatArray, radius: float | None) -> None:
    if matrix.shape != (linear.size, linear.size):
        raise ParameterError(
            f"a quadratic in {linear.size} unknowns needs a {linear.size} × {linear.size} matrix, not {matrix.shape}"
        )
    if not (np.all(np.isfinite(matrix)) and np.all(np.isfinite(linear))):
        raise ParameterError("the quadratic has coefficients that are not finite")
    if radius is not None and not 0.0 < radius < math.inf:
        raise ParameterError(f"radius is {radius!r}; expected a finite number > 0, or None for no ball")
