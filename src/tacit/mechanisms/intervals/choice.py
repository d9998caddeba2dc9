"""Plans for fits with intervals: λ, split and statistics from public facts, like every other plan.

Intervals need a Hessian that survives its own noise: where λ is left to the rules it is at least twice the standard
deviation of that noise, so that no direction is mistaken for one without curvature.
"""

from collections.abc import Callable
from fractions import Fraction

from tacit.errors import ParameterError
from tacit.losses import Logistic
from tacit.mechanisms import choice
from tacit.mechanisms.choice import FitRequest, Plan
from tacit.mechanisms.covariance import TARGET_WEIGHT
from tacit.mechanisms.intervals.ordinary import plan_ordinary
from tacit.mechanisms.intervals.row_weights import Curvature, SquaredSlope
from tacit.mechanisms.intervals.shares import TRACE_PURE, TRACE_ZCDP, Split, mean_noise, second_moments, shared
from tacit.mechanisms.intervals.weighted_moments import WeightedMoments
from tacit.mechanisms.intervals.with_intervals import FitWithIntervals, RegressionWithIntervals
from tacit.mechanisms.laws import calibrate
from tacit.mechanisms.moments import MomentRelease, quietest_measure
from tacit.mechanisms.objective import ObjectivePerturbation
from tacit.mechanisms.output import OutputPerturbation
from tacit.mechanisms.problem import Shape
from tacit.mechanisms.svec import svec_size
from tacit.privacy import Budget

HESSIAN_NOISE_IN_L2 = 2.0
RESIDUAL_CAP = 2.0
RESIDUAL_SHARE = Fraction(1, 10)
SMALL_NOISE = 0.002
MUCH_LESS = 1.5  # pure ε makes the Hessian noisier than zCDP does: less noise in the fit has to outweigh that


def plan_with_intervals(shape: Shape, request: FitRequest, budget: Budget, mechanism: str, split: Split | None) -> Plan:
    """Coefficients and what their intervals need, for the loss of the request."""
    planner = _plan_from_moments if request.loss.quadratic else _plan_minimum
    return planner(shape, request, budget, mechanism, split)


def _plan_minimum(shape: Shape, request: FitRequest, budget: Budget, mechanism: str, split: Split | None) -> Plan:
    """Ordinary coefficients of a logistic model whose λ is left to the library; otherwise a penalised minimum.

    That is objective or output perturbation, then Hessian and score covariance.
    """
    if not request.loss.smooth:
        raise ParameterError("intervals need a loss with curvature: use loss='huber', or inference=False")
    _refuse_radius(request)
    if request.loss == Logistic() and request.l2 is None and split is None and mechanism == "auto":
        return plan_ordinary(shape, budget)
    planners: dict[str, Callable[[Shape, FitRequest, Budget], Plan]] = {
        "auto": choice.objective,
        "objective": choice.objective,
        "output": choice.output,
    }
    if mechanism not in planners:
        offered = ", ".join(repr(name) for name in planners)
        raise ParameterError(f"mechanism={mechanism!r} has no intervals; expected one of {offered}")
    whole = adding_up(budget, shape.width)
    draft = split or (TRACE_ZCDP if whole.allows_gaussian else TRACE_PURE)
    draft_fit = planners[mechanism](shape, request, draft.of(whole)[0]).mechanism
    assert isinstance(draft_fit, (ObjectivePerturbation, OutputPerturbation))
    l2 = draft_fit.problem.l2
    if request.l2 is None:
        l2 = max(l2, HESSIAN_NOISE_IN_L2 * mean_noise(shape, Curvature(request.loss), draft.of(whole)[1]))
    used, statistic = shared(shape, request.loss, l2, whole, split)
    fit_budget, curvature_budget, scores_budget = used.of(whole)
    plan = planners[mechanism](shape, FitRequest(request.loss, l2), fit_budget)
    fit = plan.mechanism
    assert isinstance(fit, (ObjectivePerturbation, OutputPerturbation))
    curvature = WeightedMoments(
        shape, Curvature(request.loss), curvature_budget, second_moments(shape, curvature_budget)
    )
    scores = WeightedMoments(shape, SquaredSlope(request.loss), scores_budget, statistic)
    why = (
        f"{plan.why}; with intervals: {used.fit:.0%} of the budget for coefficients, {used.curvature:.0%} for the "
        f"Hessian, {used.scores:.0%} for the {scores.statistic.label}score covariance"
    )
    return Plan(FitWithIntervals(fit, curvature, scores), why)


def _plan_from_moments(shape: Shape, request: FitRequest, budget: Budget, mechanism: str, split: Split | None) -> Plan:
    """Second moments with nine tenths of the budget and residual scores with the rest, or moments with all of it.

    The residual scores are released if their noise is at most a tenth of max(λ, 0.002) under Gaussian noise, a third
    under pure ε: in large tables, where sampling errors dominate and their shape matters.
    """
    if mechanism not in ("auto", "covariance"):
        raise ParameterError(f"mechanism={mechanism!r} has no intervals for regression; expected 'auto', 'covariance'")
    if split is not None:
        raise ParameterError("the split of a regression follows from public facts; pass inference=True")
    _refuse_radius(request)
    whole = adding_up(budget, svec_size(shape.width + 1))
    measure = quietest_measure(shape.width + 1, shape.n, whole)
    moments = MomentRelease(shape, whole.share(1 - RESIDUAL_SHARE), measure, TARGET_WEIGHT)
    l2 = request.l2 or HESSIAN_NOISE_IN_L2 * moments.law.deviation(moments.size) / shape.n
    residuals = SquaredSlope(request.loss, RESIDUAL_CAP)
    scores = WeightedMoments(shape, residuals, whole.share(RESIDUAL_SHARE), second_moments(shape, whole))
    limit = max(l2, SMALL_NOISE) / (10 if whole.allows_gaussian else 3)
    if scores.law().deviation(scores.size) / shape.n <= limit:
        return Plan(
            RegressionWithIntervals(moments, l2, scores),
            "second moments with 90 % of the budget, residual scores with 10 %: their noise is small",
        )
    moments = MomentRelease(shape, whole, measure, TARGET_WEIGHT)
    return Plan(
        RegressionWithIntervals(moments, l2),
        "second moments with the whole budget: residual scores would be too noisy for their price",
    )


def adding_up(budget: Budget, width: int) -> Budget:
    """A budget that adds up over releases without loss and implies this one.

    For (ε, δ) that is zCDP, by `zcdp-to-approx`, or pure ε where a vector of this width has much less noise under it:
    then δ is given back.
    """
    if not budget.own_delta:
        return budget
    pure, zcdp = budget.as_pure(), budget.additive()
    quiet = MUCH_LESS * calibrate(1.0, pure).deviation(width) <= calibrate(1.0, zcdp).deviation(width)
    return pure if quiet else zcdp


def _refuse_radius(request: FitRequest) -> None:
    if request.radius is not None:
        raise ParameterError(
            "intervals describe an unconstrained minimum; leave radius out, or fit with inference=False"
        )
