"""Certified Newton: minimise a smooth strongly convex objective to a public distance.

Newton's iteration is free to be clever, because nothing is believed about it: its answer is accepted only with a
certificate computed from the gradient at the answer. If it ever fails to earn one, a gradient descent whose
accuracy is a theorem takes over.
"""

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from tacit.arithmetic import Floats
from tacit.errors import ParameterError
from tacit.solvers.descent import descend, smallest_tolerance
from tacit.solvers.line_search import Measured, search, shortened
from tacit.solvers.objective import ObjectiveBounds, SmoothObjective, Solution
from tacit.solvers.regions import Region, region_of

MOST_STEPS = 500
HEAD_RATIO = 8
SMALLEST_HEAD = 1024
CORRECTION_RATIO = 16
FAST = 0.05
"""A Hessian is kept while one step shrinks the residual at least this much."""


def public_tolerance(bounds: ObjectiveBounds, aim: float, radius: float | None = None) -> float:
    """max(aim, smallest proved distance): what `minimise` may be asked for on every data set, by `newton-terminates`.

    Depends on public numbers only. A good aim is 2⁻²⁰ of the sensitivity of the minimiser.
    """
    if not aim >= 0.0:
        raise ParameterError(f"aim is {aim!r}; expected a distance >= 0")
    return max(aim, smallest_tolerance(bounds, region_of(radius)))


@np.errstate(all="ignore")
def minimise(objective: SmoothObjective, tolerance: float, radius: float | None = None) -> Solution:
    """θ̂ with ‖θ̂ − θ*‖₂ ≤ tolerance, θ* = argmin J over ‖θ‖₂ ≤ radius (None: everywhere).

    Accepted by `minimiser-distance` or `ball-residual`; reached on every input by `newton-terminates`.
    """
    region = region_of(radius)
    smallest = smallest_tolerance(objective.bounds, region)
    if not tolerance >= smallest:
        raise ParameterError(
            f"tolerance {tolerance!r} is below {smallest:.3g}, the smallest distance that is proved to be reached; "
            "use public_tolerance to choose one"
        )
    theta = newton(objective, region, tolerance)
    return descend(objective, region, tolerance) if theta is None else Solution(theta, tolerance)


def newton(objective: SmoothObjective, region: Region, tolerance: float) -> Floats | None:
    """Newton's iteration from a warm start; None if no certificate was earned within MOST_STEPS steps."""

    def certified(point: Measured) -> bool:
        return region.certified_distance(objective.bounds, point.theta, point.gradient, point.error) <= tolerance

    final = _iterate(objective, region, _warm_start(objective, region), certified)
    return final.theta if certified(final) else None


Accept = Callable[[Measured], bool]


def _warm_start(objective: SmoothObjective, region: Region) -> Floats:
    """The minimiser over the first terms, good to its own sampling error; 0 when there are few terms.

    How many terms is decided by their number alone, so the choice is public.
    """
    terms = objective.sample_size // HEAD_RATIO
    if terms < max(SMALLEST_HEAD, 8 * objective.bounds.dimension):
        return np.zeros(objective.bounds.dimension)
    head = objective.head(terms)
    sampling_error = 0.05 * objective.bounds.gradient_bounds(0.0).magnitude / math.sqrt(terms)
    start = _warm_start(head, region)
    return _iterate(head, region, start, lambda point: point.residual <= sampling_error).theta


def _iterate(objective: SmoothObjective, region: Region, start: Floats, accept: Accept) -> Measured:
    """Newton steps until `accept`, or until progress ends."""
    curvature = _Curvature(objective, region)
    longest = 2.0 * region.reach(objective.bounds)
    point = curvature.measure(start, refresh=True)
    best = point.residual
    refresh = False
    for _ in range(MOST_STEPS):
        if accept(point):
            break
        target = region.model_minimiser(
            point.theta, point.gradient, curvature.near(point.theta), objective.bounds.strong_convexity
        )
        target = shortened(point.theta, target, longest)
        moved = search(partial(curvature.measure, refresh=refresh), point, target, best)
        if moved is None and curvature.fresh_at(point.theta):
            break
        refresh = moved is None or moved.residual > FAST * point.residual
        point = curvature.measure(point.theta, refresh=True) if moved is None else moved
        best = min(best, point.residual)
    return point


class _Curvature:
    """The Hessian of an objective, recomputed in full rarely and corrected from a small part of its terms often.

    H(θ) ≈ H(θ₀) + H_head(θ) − H_head(θ₀): only the change is estimated from the head, so the error is the product
    of two small numbers, the distance to θ₀ and the sampling error of the head.
    """

    def __init__(self, objective: SmoothObjective, region: Region) -> None:
        self._objective = objective
        self._region = region
        terms = objective.sample_size // CORRECTION_RATIO
        self._head = objective.head(terms) if terms >= max(SMALLEST_HEAD, 8 * objective.bounds.dimension) else None
        self._reference = np.empty(0)
        self._hessian = np.empty((0, 0))
        self._head_hessian: Floats | None = None

    def measure(self, theta: Floats, refresh: bool) -> Measured:
        """The gradient at theta; with `refresh`, in the same pass, the full Hessian."""
        if refresh:
            g, error, self._hessian = self._objective.gradient_and_hessian(theta)
            self._reference, self._head_hessian = theta, None
        else:
            g, error = self._objective.gradient(theta)
        return Measured(theta, g, error, self._region.residual(theta, g))

    def fresh_at(self, theta: Floats) -> bool:
        return theta is self._reference

    def near(self, theta: Floats) -> Floats:
        """An estimate of the Hessian at theta."""
        if self._head is None or self.fresh_at(theta):
            return self._hessian
        if self._head_hessian is None:
            self._head_hessian = self._head.gradient_and_hessian(self._reference)[2]
        return self._hessian + (self._head.gradient_and_hessian(theta)[2] - self._head_hessian)
