"""Solvers that return a certificate, not a hope. They know numbers only, never rows."""

from tacit.solvers.hinge import CentredHinge, HingeBounds, HingeObjective, minimise_hinge, public_hinge_tolerance
from tacit.solvers.newton import minimise, public_tolerance
from tacit.solvers.objective import (
    UNDERFLOW,
    GradientBounds,
    ObjectiveBounds,
    SmoothObjective,
    Solution,
    norm_above,
    shortened,
)
from tacit.solvers.quadratic import QuadraticSolution, minimise_quadratic

__all__ = [
    "UNDERFLOW",
    "CentredHinge",
    "GradientBounds",
    "HingeBounds",
    "HingeObjective",
    "ObjectiveBounds",
    "QuadraticSolution",
    "SmoothObjective",
    "Solution",
    "minimise",
    "minimise_hinge",
    "minimise_quadratic",
    "norm_above",
    "public_hinge_tolerance",
    "public_tolerance",
    "shortened",
]
