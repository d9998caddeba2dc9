"""Projected gradient descent: slow, but its accuracy is a theorem. And the tolerance that theorem allows."""

import math
from dataclasses import dataclass

import numpy as np

from tacit.arithmetic import UNIT_ROUNDOFF, enlarged
from tacit.solvers.objective import ObjectiveBounds, SmoothObjective, Solution
from tacit.solvers.regions import Region


@dataclass(frozen=True, slots=True)
class DescentPlan:
    """Public numbers: after `steps` steps from 0 the distance to θ* is at most `distance`, by `newton-terminates`."""

    steps: int
    distance: float


def plan_descent(bounds: ObjectiveBounds, region: Region) -> DescentPlan:
    """With M ≥ ‖θ*‖, q = 1 − λ/L and a perturbation of at most (e + Lδ)/L per step,

        ‖θ_k − θ*‖ ≤ q^k M + a,   a = (e + Lδ)/λ,

    so that k = ⌈(L/λ) log(M/a)⌉ steps reach 2a, by `newton-terminates`. If 2a > M, zero steps reach M.
    """
    reach = region.reach(bounds)
    smoothness, convexity = bounds.smoothness, bounds.strong_convexity
    gradient = bounds.gradient_bounds(3.0 * reach)
    longest = 3.0 * reach + (gradient.magnitude + gradient.error) / smoothness
    rounding = (4.0 * UNIT_ROUNDOFF + region.projection_error(bounds.dimension)) * longest
    limit = enlarged((gradient.error + smoothness * rounding) / convexity)
    if 2.0 * limit >= reach:
        return DescentPlan(0, reach)
    return DescentPlan(math.ceil(enlarged(smoothness / convexity * math.log(reach / limit))) + 1, 2.0 * limit)


def smallest_tolerance(bounds: ObjectiveBounds, region: Region) -> float:
    """The smallest distance that is proved to be reached for every data set, by `newton-terminates`. Public."""
    return plan_descent(bounds, region).distance


def descend(objective: SmoothObjective, region: Region, tolerance: float) -> Solution:
    """Gradient steps of length 1/L from 0, until certified or until the theorem applies."""
    theta = np.zeros(objective.bounds.dimension)
    for _ in range(plan_descent(objective.bounds, region).steps):
        g, error = objective.gradient(theta)
        if region.certified_distance(objective.bounds, theta, g, error) <= tolerance:
            break
        theta = region.project(theta - g / objective.bounds.smoothness)
    return Solution(theta, tolerance)
