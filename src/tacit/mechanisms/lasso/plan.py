"""What a private sparse fit will do, decided from public facts only."""

import warnings
from dataclasses import dataclass

from tacit.mechanisms.choice import Plan
from tacit.mechanisms.lasso.candidates import Candidates
from tacit.mechanisms.lasso.frank_wolfe import VertexFrankWolfe
from tacit.mechanisms.lasso.l1_problem import L1Problem
from tacit.mechanisms.lasso.loss import ClippedLoss
from tacit.mechanisms.lasso.path import with_loss_path
from tacit.mechanisms.lasso.schedule import Schedule
from tacit.mechanisms.problem import Shape
from tacit.privacy import Budget


@dataclass(frozen=True)
class SparseFitRequest:
    """What the user fixed; steps=None leaves their number to the bound."""

    loss: ClippedLoss
    radius: float
    steps: int | None
    schedule: Schedule
    candidates: Candidates
    column_moment: float
    constant_work: bool


def plan_lasso(shape: Shape, request: SparseFitRequest, budget: Budget, path: Budget | None) -> tuple[Plan, int]:
    """A calibrated plan and its number of steps; warns if the noise must drown every signal."""
    problem = L1Problem(shape, request.loss, request.radius, request.column_moment, request.candidates)
    charge = budget.additive()
    steps = problem.recommended_steps(charge) if request.steps is None else request.steps
    fit = VertexFrankWolfe(problem, charge, steps, request.schedule, request.constant_work)
    if fit.hopeless:
        warnings.warn(
            f"at this budget the noise of a selection exceeds any score that {shape.n} rows can give to one of "
            f"{shape.width} features in {steps} steps: expect features chosen at random. Collect more rows, declare "
            "fewer features, take fewer steps or spend more",
            UserWarning,
            stacklevel=4,
        )
    origin = "from a bound with public numbers" if request.steps is None else "as asked"
    return Plan(with_loss_path(fit, path), f"private Frank–Wolfe; {steps} steps, {origin}"), steps
