"""The certified minimum of a problem over rows, and the tolerance that can be promised before reading them."""

from tacit.mechanisms.erm import EmpiricalRisk
from tacit.mechanisms.erm_bounds import RiskBounds
from tacit.mechanisms.laws import Vector
from tacit.mechanisms.problem import Problem
from tacit.rows import Rows
from tacit.solvers import minimise

TILTED_SHARE = 2.0**-28


def public_tolerance(problem: Problem) -> float:
    """τ for the minimum of J, reached on every table by `newton-terminates`."""
    return RiskBounds(problem.shape, problem.loss, problem.l2).tolerance(problem.radius)


def public_tilted_tolerance(problem: Problem, longest_tilt: float) -> float:
    """τ for the minimum of J(θ) + ⟨tilt, θ⟩ with ‖tilt‖₂ ≤ longest_tilt; finer, as it is paid from a small share."""
    bounds = RiskBounds(problem.shape, problem.loss, problem.l2, longest_tilt)
    return bounds.tolerance(problem.radius, TILTED_SHARE)


def certified_minimum(rows: Rows, problem: Problem, tolerance: float, tilt: Vector | None = None) -> Vector:
    """A point within `tolerance` of argmin J(θ) + ⟨tilt, θ⟩ over the problem's region."""
    return minimise(EmpiricalRisk(rows, problem.loss, problem.l2, tilt), tolerance, problem.radius).theta
