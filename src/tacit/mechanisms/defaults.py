"""Data-independent defaults: λ and the radius from n, d, the budget and the loss alone.

Objective perturbation, b with standard deviation s in each coordinate, N = s√d/n:

    λ = max(0.7 N √(N/c), least λ whose curvature term makes the noise at most 1/0.85 as large)

c is the steepest slope of a classifier's loss (½ for the capped logistic loss), 1 otherwise.

λ ~ N would be right if curvature were negligible, λ ~ N² if it dominated; 1.5 was the best exponent on real tables.
Noise grows as 1/ε', so the curvature may cost 15 % of an ε; it grows as 1/√ρ', so it may cost 1 − 0.85² of a ρ.
Output perturbation: λ such that the noise on a coordinate of θ has standard deviation 1/3.
Losses whose slope has no bound, on a ball: R = min(2, max(½, 0.06/√N₀)), N₀ the same N for slopes up to 1.
"""

import math
from dataclasses import replace

from tacit.losses import Loss
from tacit.mechanisms.laws import calibrate
from tacit.mechanisms.objective_noise import least_l2, quietest_deviation
from tacit.mechanisms.problem import Problem, Shape
from tacit.privacy import Budget

NOISE_FACTOR = 0.7
NOISE_POWER = 1.5
NOISE_LEFT = 0.85
LARGEST_CURVATURE_SHARE = 0.5
OUTPUT_DEVIATION = 1 / 3


def objective_l2(shape: Shape, loss: Loss, budget: Budget, radius: float | None) -> float:
    """λ for objective perturbation."""
    probe = Problem(shape, loss, 1.0, radius)
    spread = quietest_deviation(probe, budget) * math.sqrt(shape.width) / shape.n
    steepest = min(1.0, probe.steepest_slope) if loss.labels else 1.0
    pull = NOISE_FACTOR * math.pow(spread, NOISE_POWER) / math.sqrt(steepest)
    return max(pull, least_l2(probe, budget, curvature_share(budget)))


def curvature_share(budget: Budget) -> float:
    """The share of the budget that the curvature term may cost: the same growth of the noise in every currency."""
    return 1 - math.pow(NOISE_LEFT, 1 / budget.noise_power)


def raised_l2(problem: Problem, budget: Budget) -> Problem:
    """The problem, with λ raised if its curvature term would eat more than half of the budget."""
    least = least_l2(problem, budget, LARGEST_CURVATURE_SHARE)
    return problem if problem.l2 >= least else replace(problem, l2=least)


def output_l2(shape: Shape, loss: Loss, budget: Budget, radius: float | None) -> float:
    """λ for output perturbation: deviation of a coordinate = 1/3; slopes may depend on λ, so three rounds."""
    l2 = 1.0
    for _ in range(3):
        problem = Problem(shape, loss, l2, radius)
        per_unit = calibrate(l2 * problem.minimiser_sensitivity, budget).deviation(shape.width)
        l2 = per_unit / OUTPUT_DEVIATION
    return l2


def radius_for_steep_losses(shape: Shape, budget: Budget) -> float:
    """R for objective perturbation of an unbounded slope; N₀ is the noise that a gradient change of 2 needs."""
    unit_noise = calibrate(2.0, budget).deviation(shape.width) * math.sqrt(shape.width) / shape.n
    return min(2.0, max(0.5, 0.06 / math.sqrt(unit_noise)))
