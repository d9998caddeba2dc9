"""Which mechanism: decided from n, d, the budget, λ and the loss, never from data; the reason goes on the certificate.

The measure of error is the standard deviation of the noise in one coordinate of θ. For a smooth loss objective
perturbation is usually quieter, because curvature shrinks its noise; where λ is larger than the curvature, in small
tables at small ε, output perturbation can be. A hinge leaves no choice. For linear regression:

    (ε, δ) or zCDP:  moments with Gaussian noise
    pure ε:          moments if d ≤ 3 or d^1.5/(nε) < 0.02, else mean first and objective perturbation
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

from tacit.errors import ParameterError
from tacit.losses import Loss
from tacit.mechanisms import defaults
from tacit.mechanisms.centred import MEAN_SHARE, CentredObjective
from tacit.mechanisms.covariance import CovariancePerturbation
from tacit.mechanisms.functional import FunctionalMechanism
from tacit.mechanisms.moments import Entrywise, Measure, quietest_measure
from tacit.mechanisms.objective import ObjectivePerturbation
from tacit.mechanisms.output import OutputPerturbation
from tacit.mechanisms.problem import Problem, Shape
from tacit.mechanisms.release import Mechanism
from tacit.privacy import Budget


@dataclass(frozen=True)
class FitRequest:
    """What the user fixed; None leaves a value to the defaults."""

    loss: Loss
    l2: float | None = None
    radius: float | None = None


@dataclass(frozen=True)
class Plan:
    """A calibrated mechanism and why it was chosen."""

    mechanism: Mechanism
    why: str


FEW_COLUMNS = 3
LITTLE_CROWDING = 0.02

Planner = Callable[[Shape, FitRequest, Budget], Plan]


def plan_fit(shape: Shape, request: FitRequest, budget: Budget, mechanism: str) -> Plan:
    """A plan for the loss of the request: what its loss allows is offered, "auto" takes the quietest."""
    if mechanism == "auto":
        return _automatic(shape, request, budget)
    planners: dict[str, Planner] = {"output": output, "objective": objective}
    if request.loss.quadratic:
        planners |= {"centred": centred, "covariance": covariance}
    planners["functional"] = functional
    if mechanism not in planners:
        offered = ", ".join(repr(name) for name in ("auto", *planners))
        raise ParameterError(f"mechanism={mechanism!r} is not known here; expected one of {offered}")
    return planners[mechanism](shape, request, budget)


def output(shape: Shape, request: FitRequest, budget: Budget) -> Plan:
    """Output perturbation."""
    l2 = request.l2 or defaults.output_l2(shape, request.loss, budget, request.radius)
    problem = Problem(shape, request.loss, l2, request.radius)
    return Plan(OutputPerturbation(problem, budget), "output perturbation, as asked")


def objective(shape: Shape, request: FitRequest, budget: Budget) -> Plan:
    """Objective perturbation, with λ raised where the theorem needs it."""
    if not request.loss.smooth:
        raise ParameterError("objective perturbation needs a smooth loss; for the hinge use mechanism='output'")
    radius = request.radius
    if radius is None and math.isinf(request.loss.constants(None).slope):
        radius = defaults.radius_for_steep_losses(shape, budget)
    asked = request.l2 or defaults.objective_l2(shape, request.loss, budget, radius)
    problem = defaults.raised_l2(Problem(shape, request.loss, asked, radius), budget)
    notes = () if problem.l2 == asked else (f"l2 raised from {asked:.6g} to {problem.l2:.6g}: the theorem needs it",)
    mechanism = ObjectivePerturbation(problem, budget, notes)
    law = mechanism.law
    why = (
        f"objective perturbation with {law.name.split(' (')[0]} noise, the law with the least noise in a coordinate: "
        f"standard deviation {law.deviation(shape.width):.4g} for n = {shape.n:,}, d = {shape.width} "
        f"and rows with at most {shape.max_nonzeros} non-zeros"
    )
    return Plan(mechanism, why)


def covariance(shape: Shape, request: FitRequest, budget: Budget) -> Plan:
    """Covariance perturbation; under pure ε in the norm with less noise."""
    measure: Measure = quietest_measure(shape.width + 1, shape.n, budget)
    if not budget.allows_gaussian:
        offers: tuple[Measure, ...] = (measure, Entrywise())
        measure = min(offers, key=lambda offer: _entry_noise(shape, budget, offer))
    mechanism = CovariancePerturbation(shape, budget, measure, request.l2, request.radius)
    return Plan(mechanism, f"covariance perturbation with {mechanism.moments.law.name.split(' (')[0]} noise")


def centred(shape: Shape, request: FitRequest, budget: Budget) -> Plan:
    """Mean of y first, then objective perturbation of the rest."""
    inner = objective(shape, request, budget.share(1 - MEAN_SHARE))
    assert isinstance(inner.mechanism, ObjectivePerturbation)
    mechanism = CentredObjective(shape, budget.share(MEAN_SHARE), inner.mechanism)
    return Plan(mechanism, "mean of the target first, then objective perturbation of the rest on a ball")


def functional(shape: Shape, request: FitRequest, budget: Budget) -> Plan:
    """The published functional mechanism."""
    if budget.allows_gaussian:
        raise ParameterError("the functional mechanism is published for pure ε; pass privacy=Pure(...) or a number")
    if request.l2 is not None or request.radius is not None:
        raise ParameterError("the functional mechanism chooses its own regularisation; leave l2 and radius out")
    mechanism = FunctionalMechanism(shape, request.loss, budget.as_pure())
    return Plan(mechanism, "functional mechanism, as asked: a published baseline")


def _automatic(shape: Shape, request: FitRequest, budget: Budget) -> Plan:
    if request.loss.quadratic:
        return _automatic_regression(shape, request, budget)
    if request.loss.smooth:
        return _quieter(objective(shape, request, budget))
    plan = output(shape, request, budget)
    return Plan(plan.mechanism, "output perturbation: the loss has a corner, which rules objective perturbation out")


def _quieter(plan: Plan) -> Plan:
    """Objective perturbation, or output perturbation at the same λ if that has less noise on a prediction.

    Noise in the output arrives as it is. A tilt b arrives as H⁻¹b/n, and the d eigenvalues of H = λI + mean of φ''xxᵀ
    are on average at most λ + t/d. Output perturbation pays for no determinant and only for gradients at minimisers.
    """
    tilted = plan.mechanism
    assert isinstance(tilted, ObjectivePerturbation)
    problem, width = tilted.problem, tilted.problem.shape.width
    curvature = problem.l2 + problem.curvature_bound / width
    offered = OutputPerturbation(problem, tilted.budget, tilted.notes)
    noise, other = offered.law.deviation(width), tilted.law.deviation(width) / (problem.shape.n * curvature)
    if noise >= other:
        return plan
    why = f"output perturbation: noise {noise:.4g} in a coordinate, against {other:.4g} through the objective"
    return Plan(offered, f"{why}, both for λ = {problem.l2:.4g}")


def _automatic_regression(shape: Shape, request: FitRequest, budget: Budget) -> Plan:
    if budget.allows_gaussian:
        plan = covariance(shape, request, budget)
        return Plan(plan.mechanism, f"{plan.why}: one release, under a budget that allows Gaussian noise")
    crowding = shape.width**1.5 / (shape.n * budget.amount)
    facts = f"d = {shape.width}, d^1.5/(nε) = {crowding:.2g}"
    if shape.width <= FEW_COLUMNS or crowding < LITTLE_CROWDING or shape.constant is None:
        plan = covariance(shape, request, budget)
        return Plan(plan.mechanism, f"{plan.why}: d ≤ 3 or d^1.5/(nε) < 0.02 or no intercept ({facts})")
    plan = centred(shape, request, budget)
    return Plan(plan.mechanism, f"{plan.why}: d > 3 and d^1.5/(nε) ≥ 0.02 ({facts})")


def _entry_noise(shape: Shape, budget: Budget, measure: Measure) -> float:
    """Standard deviation of a noisy off-diagonal moment, in the user's scale."""
    candidate = CovariancePerturbation(shape, budget, measure).moments
    return candidate.law.deviation(candidate.size) / measure.off_diagonal
