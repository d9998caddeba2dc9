"""The curvature term of objective perturbation, when a row that pulls hard must be flat.

The privacy loss at θ is at most (slope part) + h(p), h(p) = log(1 + x κ(p)), x = r²/(nλ), where p is the slope of the
removed row at θ and κ(p) the curvature that its loss leaves at that slope (`curvature_tie`). κ is concave and so is h:
it lies below each of its tangents T, and a straight line is paid for at its ends p = 0 and p = c only, c the steepest
slope. Any tangent gives a valid bound, so a good one is chosen. With G = c r bounding a gradient:

    pure:    ε ≥ G/s + max(T(0), T(c) + G/s)
    (ε, δ):  δ ≥ H(ε − T(c); μ) + H(ε − T(c); μ/2) + H(ε − T(0); μ/2),    μ = 2G/σ, H the Gaussian profile

A horizontal tangent gives the bounds of objective-pure and objective-gaussian. By `slope-and-curvature`.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import arb
from scipy.optimize import brentq
from scipy.special import log_ndtr, ndtr

from tacit.arithmetic import exact, lower, round_down, upper
from tacit.mechanisms.problem import Problem
from tacit.privacy import gaussian_delta

TANGENTS = 16
KEPT_BITS = 32


@dataclass(frozen=True)
class Tangent:
    """T(0) and T(c), rounded up."""

    at_zero: float
    at_steepest: float

    @property
    def largest(self) -> float:
        """No curvature term is larger."""
        return max(self.at_zero, self.at_steepest)


def tangent(problem: Problem, steepness: float) -> Tangent:
    """The tangent at a slope p₀ between that of the largest curvature (steepness 0) and the steepest (1).

        T(p) = log(1 + x κ₀) + x κ₀' (p − p₀)/(1 + x κ₀)                           By `slope-and-curvature`.

    Slopes of either sign, and losses that leave every slope the same curvature, allow a horizontal line only.
    """
    tie, steepest = problem.loss.curvature_tie, problem.steepest_slope
    if tie.quadratic == 0.0 or not problem.loss.one_sided_slope:
        flat = upper(lambda: (1 + exact(problem.curvature_bound) / (exact(problem.l2) * problem.shape.n)).log())
        return Tangent(flat, flat)
    widest = min(steepest, tie.linear / (2 * tie.quadratic))
    touching = widest + steepness * (steepest - widest)

    def at(slope: float) -> arb:
        x = exact(problem.shape.norms.l2) ** 2 / (exact(problem.l2) * problem.shape.n)
        p, linear, quadratic = exact(touching), exact(tie.linear), exact(tie.quadratic)
        height = 1 + x * (exact(tie.constant) + linear * p - quadratic * p**2)
        return height.log() + x * (linear - 2 * quadratic * p) * (exact(slope) - p) / height

    return Tangent(upper(lambda: at(0.0)), upper(lambda: at(steepest)))


def largest_pure_ratio(problem: Problem, epsilon: float) -> float:
    """G/s for noise of density ∝ exp(−‖b‖/s), rounded down; not positive if λ is too small. By `slope-and-curvature`.

    A steeper tangent is lower at c and higher at 0: the best one makes both ends cost the same, or is the last.
    """

    def ratios(steepness: float) -> tuple[float, float]:
        line = tangent(problem, steepness)
        at_zero = lower(lambda: exact(epsilon) - exact(line.at_zero))
        return at_zero, lower(lambda: (exact(epsilon) - exact(line.at_steepest)) / 2)

    low, high = 0.0, 1.0
    best = ratios(high)
    if best[0] >= best[1]:
        return best[1]
    for _ in range(KEPT_BITS):
        middle = (low + high) / 2
        found = ratios(middle)
        low, high = (middle, high) if found[0] >= found[1] else (low, middle)
        best = max(best, found, key=min)
    return min(best)


def largest_gaussian_ratio(problem: Problem, epsilon: float, delta: float) -> float | None:
    """2G/σ for Gaussian noise, rounded down; None if λ is too small. By `slope-and-curvature`.

    The tangent is chosen in floats; what is returned has been checked in balls.
    """
    one_sided = problem.loss.one_sided_slope
    lines = dict.fromkeys(tangent(problem, step / TANGENTS) for step in range(TANGENTS + 1))
    corners = [slope_corners(epsilon, line, one_sided=one_sided) for line in lines]
    estimates = [
        (_estimated_mu(known, delta), known) for known in corners if min(left for left, _ in known) > 2.0**-20 * epsilon
    ]
    if not estimates:
        return None
    estimate, best = max(estimates)
    mu = round_down(Fraction(round(estimate * 2.0**KEPT_BITS), 2**KEPT_BITS))
    while objective_delta(best, mu) > Fraction(delta):
        mu *= 1 - 2.0**-KEPT_BITS
    return mu


Corners = tuple[tuple[float, int], ...]
"""(ε that is left, squared length of the gradient change in units of G²), for each corner of the slopes that counts."""


def slope_corners(epsilon: float, line: Tangent, *, one_sided: bool) -> Corners:
    """The corners of the box of the old and the new row's slopes. By `slope-and-curvature`.

    Lengths 2, 1, 1 and 0, which costs nothing, for slopes of one sign; 2, 2, √2, √2 for either sign.
    """
    at_steepest, at_zero = (round_down(Fraction(epsilon) - Fraction(cost)) for cost in (line.at_steepest, line.at_zero))
    if one_sided:
        return (at_steepest, 4), (at_steepest, 1), (at_zero, 1)
    return (at_zero, 4), (at_zero, 4), (at_zero, 2), (at_zero, 2)


def objective_delta(corners: Corners, mu: float) -> Fraction:
    """Σ H(ε left; (μ/2)√squares) over the corners, rounded up. By `slope-and-curvature`."""

    def profile(left: float, squares: int) -> Fraction:
        strength = upper(lambda: exact(mu) * exact(float(squares)).sqrt() / 2)
        return Fraction(gaussian_delta(left, strength))

    return sum((profile(*corner) for corner in corners), Fraction(0))


def _estimated_mu(corners: Corners, delta: float) -> float:
    """The μ at which the sum of profiles is δ, in plain floats: a start for the certified search."""
    left, halves = np.array([left for left, _ in corners]), np.sqrt([squares for _, squares in corners]) / 2

    def excess(log_mu: float) -> float:
        mu = np.exp(log_mu) * halves
        return float(np.sum(ndtr(mu / 2 - left / mu) - np.exp(left + log_ndtr(-mu / 2 - left / mu)))) - delta

    return float(np.exp(brentq(excess, -40.0, 14.0, xtol=1e-13)))
