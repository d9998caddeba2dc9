"""The hinge by smoothing: Newton on narrower and narrower Huber hinges, certified for the hinge itself.

A slope of the Huber hinge of width h is an ε-subgradient of the hinge with ε ≤ h/8, and ε = 0 for a row whose margin
is further than h from 1. So a small gradient of the smoothed objective, and a count of the rows near the corner,
bound the distance to the minimiser of the hinge: no duality gap has to be evaluated.
"""

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from tacit.arithmetic import UNIT_ROUNDOFF, Floats, enlarged
from tacit.errors import ParameterError
from tacit.solvers.line_search import Measured, search, shortened
from tacit.solvers.objective import (
    ObjectiveBounds,
    Solution,
    norm_above,
)
from tacit.solvers.regions import Ball, Region, region_of

WIDEST = 0.5
SHRINK = 4.0
NARROWEST = 2.0**-60
MOST_STEPS = 60


class HingeBounds(ObjectiveBounds, Protocol):
    """Public facts of (1/n) Σ max(0, 1 − yᵢ⟨xᵢ, θ⟩) + (λ/2)‖θ‖² + ⟨b, θ⟩.

    The error of `gradient_bounds` is that of summing given slopes: errors of scores are counted by `score_error`.
    """

    def score_error(self, norm: float) -> float:
        """Largest error of a computed ⟨xᵢ, θ⟩ over ‖θ‖ ≤ norm."""


class CentredHinge(Protocol):
    """The objective smoothed to one width, as a function of the shift from a fixed centre.

    The margin of a row is computed as (1 − y⟨x, centre⟩) − y⟨x, shift⟩. The first part keeps its rounding error for
    all shifts, so small shifts are seen exactly: near a corner narrower than the spacing of floats that is needed.
    """

    def gradient_and_hessian(self, shift: Floats) -> tuple[Floats, Floats]: ...

    def undecided(self, shift: Floats) -> float:
        """The share of rows whose computed margin is within the width of 1."""


class HingeObjective(Protocol):
    """A hinge objective that can be smoothed."""

    @property
    def bounds(self) -> HingeBounds: ...

    def smoothed(self, width: float, centre: Floats) -> CentredHinge:
        """The same with the Huber hinge of that width, around a centre."""

    def subgradient(self, theta: Floats) -> Floats:
        """A subgradient, up to the errors in `bounds`."""


def public_hinge_tolerance(bounds: HingeBounds, aim: float, radius: float | None = None) -> float:
    """max(aim, smallest proved distance): what `minimise_hinge` may be asked for, by `hinge-terminates`."""
    if not aim >= 0.0:
        raise ParameterError(f"aim is {aim!r}; expected a distance >= 0")
    return max(aim, plan_subgradient(bounds, radius).distance)


@np.errstate(all="ignore")
def minimise_hinge(objective: HingeObjective, tolerance: float, radius: float | None = None) -> Solution:
    """θ̂ with ‖θ̂ − θ*‖₂ ≤ tolerance, θ* the minimiser of the hinge objective over ‖θ‖₂ ≤ radius (None: everywhere).

    Accepted by `hinge-smoothing`; reached on every input by `hinge-terminates`.
    """
    plan = plan_subgradient(objective.bounds, radius)
    if not tolerance >= plan.distance:
        raise ParameterError(
            f"tolerance {tolerance!r} is below {plan.distance:.3g}, the smallest distance proved to be reached; use "
            "public_hinge_tolerance to choose one"
        )
    theta = narrowing_newton(objective, region_of(radius), tolerance)
    return subgradient_descent(objective, plan) if theta is None else Solution(theta, tolerance)


def hinge_distance(
    bounds: HingeBounds, region: Region, centre: Floats, point: Measured, width: float, undecided: float
) -> float:
    """D ≤ (ρ + √(ρ² + 4λε))/(2λ) from λD² ≤ ρD + ε, by `hinge-smoothing`, for centre + shift rounded to floats.

    ε = f·(h/8 + 4uh) + score error + slack of the region, f the share of undecided rows.
    """
    theta = centre + point.theta
    norm = norm_above(centre) + norm_above(point.theta)
    rho, slack = region.variation(theta, point.gradient, bounds.gradient_bounds(norm).error)
    epsilon = undecided * width * (0.125 + 4.0 * UNIT_ROUNDOFF) + bounds.score_error(norm) + slack
    convexity = bounds.strong_convexity
    distance = (rho + math.sqrt(rho * rho + 4.0 * convexity * epsilon)) / (2.0 * convexity)
    return enlarged(distance + 4.0 * UNIT_ROUNDOFF * norm)


def narrowing_newton(objective: HingeObjective, region: Region, tolerance: float) -> Floats | None:
    """Solve for h = ½, ⅛, …, each start extrapolated from the two solutions before; None if never certified.

    While the rows near the corner stay the same, the solution is linear in h: then the extrapolation is exact.
    """
    convexity = objective.bounds.strong_convexity
    width, centre = WIDEST, np.zeros(objective.bounds.dimension)
    wider: tuple[float, Floats] | None = None
    while width > NARROWEST:
        bias = math.sqrt(width / (8.0 * convexity))
        goal = 0.25 * convexity * max(tolerance, 0.03 * bias)
        smoothed = objective.smoothed(width, centre)
        point = _solve_smoothed(smoothed, objective.bounds, region, centre, goal)
        undecided = smoothed.undecided(point.theta)
        theta = centre + point.theta
        if hinge_distance(objective.bounds, region, centre, point, width, undecided) <= tolerance:
            return theta
        narrower = width / SHRINK
        centre = theta
        if wider is not None:
            centre = region.project(theta + (theta - wider[1]) * ((width - narrower) / (wider[0] - width)))
        wider, width = (width, theta), narrower
    return None


def _solve_smoothed(
    objective: CentredHinge, bounds: HingeBounds, region: Region, centre: Floats, goal: float
) -> Measured:
    """Newton in the shift, with a full Hessian at each trial: few rows carry curvature, so it costs little more."""
    hessian = np.empty((0, 0))
    longest = 2.0 * region.reach(bounds)

    def measure(shift: Floats) -> Measured:
        nonlocal hessian
        g, hessian = objective.gradient_and_hessian(shift)
        return Measured(shift, g, 0.0, region.residual(centre + shift, g))

    point = measure(np.zeros_like(centre))
    best = point.residual
    for _ in range(MOST_STEPS):
        if point.residual <= goal:
            break
        step = region.model_step(centre + point.theta, point.gradient, hessian, bounds.strong_convexity)
        moved = search(measure, point, shortened(point.theta, point.theta + step, longest), best)
        if moved is None:
            break
        point, best = moved, min(best, moved.residual)
    return point


@dataclass(frozen=True, slots=True)
class SubgradientPlan:
    """Public numbers: `steps` steps of length `step` inside ‖θ‖ ≤ radius end within `distance` of θ*."""

    radius: float
    step: float
    steps: int
    distance: float


def plan_subgradient(bounds: HingeBounds, radius: float | None) -> SubgradientPlan:
    """D² ≤ 7E/λ after (2/(sλ)) log(M²λ/E) steps of length s = E/G², by `hinge-terminates`.

    E collects the error of a score, of a summed gradient and of arithmetic; M bounds ‖θ*‖.
    """
    reach = bounds.minimiser_norm if radius is None else min(radius, bounds.minimiser_norm)
    convexity = bounds.strong_convexity
    gradient = bounds.gradient_bounds(reach)
    size = gradient.magnitude + gradient.error
    error = gradient.error + 8.0 * UNIT_ROUNDOFF * size
    inward = 8.0 * (bounds.dimension + 16) * UNIT_ROUNDOFF * reach
    excess = enlarged(
        bounds.score_error(reach) + error * error / convexity + inward * (2.0 * size + 4.0 * convexity * reach)
    )
    distance = enlarged(math.sqrt(8.0 * excess / convexity) + 2.0 * inward)
    if distance >= reach:
        return SubgradientPlan(reach, 0.0, 0, reach)
    step = excess / size**2
    steps = math.ceil(enlarged(2.0 / (step * convexity) * math.log(max(2.0, reach**2 * convexity / excess)))) + 1
    return SubgradientPlan(reach, step, steps, distance)


def subgradient_descent(objective: HingeObjective, plan: SubgradientPlan) -> Solution:
    """The method behind the promise: too slow to be waited for, but free of exceptions to the rule.

    The iterate is kept as an unevaluated sum of two floats, because a step is shorter than the spacing of floats.
    """
    ball = Ball(plan.radius)
    high = np.zeros(objective.bounds.dimension)
    low = np.zeros_like(high)
    for _ in range(plan.steps):
        high, low = _two_sum(high, low - plan.step * objective.subgradient(high))
        above = norm_above(high) * (1.0 + 2.0 * UNIT_ROUNDOFF)
        if above > ball.radius:
            high, low = _two_sum(high, low - (1.0 - ball.radius / above) * high)
    return Solution(ball.project(high), plan.distance)


def _two_sum(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """s = fl(a + b) and the exact error a + b − s (Knuth)."""
    s = a + b
    part = s - a
    return s, (a - (s - part)) + (b - part)
