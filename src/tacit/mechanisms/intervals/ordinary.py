"""Plans for intervals of ordinary logistic coefficients: no λ in the target, and words for what a budget can resolve.

    zCDP      pilot 30 %, joint releases 30 % and 40 %
    pure ε    pilot 55 %, Hessian 43 %, trace of the score covariance 2 %
    (ε, δ)    spent as the one of the two that resolves smaller curvatures

Without λ nothing lifts the Hessian above its noise: a direction whose curvature is below l* = 4τ is not determined.
"""

import math
from fractions import Fraction

from tacit.losses import Logistic
from tacit.mechanisms.choice import Plan
from tacit.mechanisms.intervals.debiased import DebiasedWithIntervals
from tacit.mechanisms.intervals.joint_release import JointRelease
from tacit.mechanisms.intervals.newton import RESOLVED, NewtonWithIntervals
from tacit.mechanisms.intervals.row_weights import Curvature, SquaredSlope
from tacit.mechanisms.intervals.weighted_moments import SecondMoments, Trace, WeightedMoments
from tacit.mechanisms.moments import quietest_measure
from tacit.mechanisms.objective import ObjectivePerturbation
from tacit.mechanisms.objective_noise import least_l2, quietest_deviation
from tacit.mechanisms.problem import Problem, Shape
from tacit.privacy import Budget, Pure

NEWTON_SHARES = (Fraction(3, 10), Fraction(3, 10), Fraction(4, 10))
DEBIASED_SHARES = (Fraction(55, 100), Fraction(43, 100), Fraction(2, 100))
NEWTON_CURVATURE, DEBIASED_CURVATURE = 0.3, 0.2  # of the pilot's budget: pays for a small λ
SMALL_PULL = 1 / 16  # of λ beside the noise of the pilot: with less the minimum could be farther away than floats reach
OUTCOME_VARIANCE = 0.12  # of the outcome given the row: p(1 − p) at p = 0.14, between rare and even outcomes
LEVEL_WEIGHT = 0.49  # squared size of a level in the encoding

Ordinary = NewtonWithIntervals | DebiasedWithIntervals


def plan_ordinary(shape: Shape, budget: Budget) -> Plan:
    """Logistic regression whose intervals are for the coefficients without a penalty."""
    mechanism = _chosen(shape, budget)
    spread, share = resolvable(mechanism)
    kind = "two Newton steps" if isinstance(mechanism, NewtonWithIntervals) else "one step that undoes its penalty"
    why = (
        f"intervals for ordinary coefficients: a pilot with l2 = {mechanism.pilot.problem.l2:.3g}, then {kind}; this "
        f"budget can determine a column whose spread given the others is at least {spread:.2g} of its half-range, and "
        f"a level with at least {share:.2g} of the rows (if the outcome varies by {OUTCOME_VARIANCE} within like rows)"
    )
    return Plan(mechanism, why)


def resolution(mechanism: Ordinary) -> float:
    """l*: the least curvature that is told from its noise."""
    return RESOLVED * mechanism.hessian_noise


def resolvable(mechanism: Ordinary) -> tuple[float, float]:
    """(spread of a number given the other columns, in half-ranges; share of a level) that reach the resolution.

    A number of half-range 1 is divided by R = 1/constant, a level of weight 0.7 likewise, and the curvature of either
    is the outcome's variance times its own: h̄·spread²/R² and 0.49·h̄·share/R².
    """
    constant = mechanism.pilot.problem.shape.constant
    squares = (1.0 if constant is None else constant**-2) * resolution(mechanism) / OUTCOME_VARIANCE
    return math.sqrt(squares), squares / LEVEL_WEIGHT


def _chosen(shape: Shape, budget: Budget) -> Ordinary:
    if not budget.allows_gaussian:
        return _debiased(shape, budget.as_pure())
    newton = _newton(shape, budget.additive())
    if not budget.own_delta:
        return newton
    offers: tuple[Ordinary, ...] = (newton, _debiased(shape, budget.as_pure()))
    return min(offers, key=resolution)


def _newton(shape: Shape, budget: Budget) -> NewtonWithIntervals:
    pilot, first, second = (budget.share(share) for share in NEWTON_SHARES)
    joint = (JointRelease(shape, part, shape.inner_ball) for part in (first, second))
    return NewtonWithIntervals(_pilot(shape, pilot, NEWTON_CURVATURE), *joint)


def _debiased(shape: Shape, budget: Pure) -> DebiasedWithIntervals:
    pilot, curvature, scores = (budget.share(share) for share in DEBIASED_SHARES)
    return DebiasedWithIntervals(
        _pilot(shape, pilot, DEBIASED_CURVATURE),
        _quietest_hessian(shape, curvature),
        WeightedMoments(shape, SquaredSlope(Logistic()), scores, Trace(), shape.inner_ball),
    )


def _quietest_hessian(shape: Shape, budget: Pure) -> WeightedMoments:
    """Spherical noise in narrow tables, a difference of Wisharts in wider ones, where its exact sums fit."""
    moments = SecondMoments(quietest_measure(shape.width, shape.n, budget))
    return WeightedMoments(shape, Curvature(Logistic()), budget, moments, shape.inner_ball)


def _pilot(shape: Shape, budget: Budget, curvature_share: float) -> ObjectivePerturbation:
    """The least λ whose curvature term costs this share of the budget, but not less than is of any use."""
    free = Problem(shape, Logistic(), 1.0)
    l2 = max(least_l2(free, budget, curvature_share), SMALL_PULL * quietest_deviation(free, budget) / shape.n)
    return ObjectivePerturbation(Problem(shape, Logistic(), l2), budget)
