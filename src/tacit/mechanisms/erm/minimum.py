"""The certified minimum of a problem over rows, and the tolerance that can be promised before reading them."""

from tacit.mechanisms.erm.bounds import RiskBounds
from tacit.mechanisms.erm.hinge import HingeRisk, HingeRiskBounds
from tacit.mechanisms.erm.risk import EmpiricalRisk
from tacit.mechanisms.laws import Vector
from tacit.mechanisms.problem import Problem
from tacit.rows import Rows
from tacit.solvers import minimise, minimise_hinge

TILTED_SHARE = 2.0**-28


def public_tolerance(problem: Problem) -> float:
    """τ for the minimum of J: reached on every table by `newton-terminates`, for the hinge by `hinge-terminates`."""
    if not problem.loss.smooth:
        return HingeRiskBounds(problem.shape, problem.l2).tolerance(problem.radius)
    return RiskBounds(problem.shape, problem.loss, problem.l2).tolerance(problem.radius)


def certified_minimum(rows: Rows, problem: Problem, tolerance: float) -> Vector:
    """A point within `tolerance` of argmin J over the problem's region."""
    if not problem.loss.smooth:
        return minimise_hinge(HingeRisk(rows, problem.l2), tolerance, problem.radius).theta
    return minimise(EmpiricalRisk(rows, problem.loss, problem.l2), tolerance, problem.radius).theta


def public_tilted_tolerance(problem: Problem, longest_tilt: float) -> float:
    """τ for the minimum of J(θ) + ⟨tilt, θ⟩ with ‖tilt‖₂ ≤ longest_tilt; finer, as it is paid from a small share."""
    bounds = RiskBounds(problem.shape, problem.loss, problem.l2, longest_tilt)
    return bounds.tolerance(problem.radius, TILTED_SHARE)


def public_tilted_reach(problem: Problem, longest_tilt: float) -> float:
    """A ball around 0 that holds every such minimum, by `minimiser-norm`."""
    free = RiskBounds(problem.shape, problem.loss, problem.l2, longest_tilt).minimiser_norm
    return free if problem.radius is None else min(free, problem.radius)


def certified_tilted_minimum(rows: Rows, problem: Problem, tolerance: float, tilt: Vector) -> Vector:
    """A point within `tolerance` of argmin J(θ) + ⟨tilt, θ⟩ over the problem's region, for a smooth loss."""
    return minimise(EmpiricalRisk(rows, problem.loss, problem.l2, tilt), tolerance, problem.radius).theta
