"""Calibrations of an accuracy-first search: everything is decided from public facts, to pay the least ε in all.

Tight: one-sided noise, a truncated query on the smallest proved ball, the threshold at its exact place, and ladder and
test chosen together (`design`).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tacit.arithmetic import enlarged
from tacit.errors import ParameterError
from tacit.losses import Loss
from tacit.mechanisms.accuracy.design import HaltingTask, best_design, least_budget
from tacit.mechanisms.accuracy.excess_risk import ExcessRisk
from tacit.mechanisms.accuracy.gradual import ZeroFirst
from tacit.mechanisms.accuracy.gradual_noise import (
    MOST_LEVELS,
    BrownianReduction,
    FreshNoise,
    GradualNoise,
    SphericalReduction,
)
from tacit.mechanisms.accuracy.halting import tight_doubling_test, tight_test
from tacit.mechanisms.accuracy.search import AccuracySearch
from tacit.mechanisms.accuracy.sources import PURE_NOISES, sources
from tacit.mechanisms.problem import Problem, Shape
from tacit.privacy import Budget

DOUBLING_BELOW, DOUBLING_ABOVE = 0.5, 8.0  # ends of the doubling ladder around the expected ε


@dataclass(frozen=True)
class AccuracyRequest:
    """What the user asks for: excess risk at most α except with probability γ, and never more than a budget."""

    excess_risk: float
    failure: float
    most: Budget

    def __post_init__(self) -> None:
        if not 0 < self.excess_risk < math.inf:
            raise ParameterError(f"excess_risk must be a positive number, got {self.excess_risk!r}")
        if not 0 < self.failure < 0.5:
            raise ParameterError(f"failure must lie between 0 and 0.5, got {self.failure!r}")

    @property
    def epsilon(self) -> float:
        return self.most.amount


@dataclass(frozen=True)
class AccuracyProblem:
    """The model that is to be found: rows of a shape, a loss, λ, an optional public radius, a source of hypotheses."""

    shape: Shape
    loss: Loss
    l2: float
    radius: float | None
    mechanism: str

    def tight_query(self, asked: AccuracyRequest) -> ExcessRisk:
        """Truncated at α, on the smallest ball that is proved to hold the minimiser. By `stationary-norm`."""
        problem = Problem(self.shape, self.loss, self.l2, self.radius)
        query = ExcessRisk(replace(problem, radius=problem.minimiser_radius), asked.excess_risk)
        if query.bad_value >= 0:
            raise ParameterError(
                f"excess_risk of {asked.excess_risk:g} is below what the rounding of sums and the solver leave "
                f"certain, {query.error:.3g}; ask for a larger one"
            )
        return query


def plan_noise_reduction(
    problem: AccuracyProblem, asked: AccuracyRequest, levels: int | None, noises: Sequence[GradualNoise] = PURE_NOISES
) -> AccuracySearch:
    """The source that needs least by the public guess, and the ladder and test with the smallest expected total."""
    query = problem.tight_query(asked)
    source = min(sources(query, problem.mechanism, tuple(noises)), key=lambda each: each.expected)
    task = HaltingTask(query.sensitivity.total, -query.bad_value, asked.failure, asked.epsilon)
    design = best_design(task, source.optimistic_epsilon, source.pessimistic_epsilon, levels)
    if design is None:
        raise ParameterError(_too_little(asked, least_budget(task, levels)))
    test = tight_test(design.noise, len(design.epsilons) + 1, asked.failure, query.bad_value)
    return AccuracySearch(query, test, ZeroFirst(query.problem, source.build(design.epsilons)))


def plan_brownian(problem: AccuracyProblem, asked: AccuracyRequest, levels: int | None) -> AccuracySearch:
    """Noise reduction with Gaussian noise: every level has its share of δ. By `ex-post-delta`."""
    if not asked.most.own_delta:
        raise ParameterError("Gaussian noise has no pure loss: pass max_privacy=Approx(epsilon, delta) for 'brownian'")
    if levels is not None and levels > MOST_LEVELS:
        raise ParameterError(f"a Gaussian ladder has at most {MOST_LEVELS} levels, got {levels}")
    return plan_noise_reduction(problem, asked, levels, [BrownianReduction(asked.most.own_delta)])


def plan_doubling(problem: AccuracyProblem, asked: AccuracyRequest) -> AccuracySearch:
    """Independent releases at ε, 2ε, 4ε, … each with a test of its own. By `doubling-method`."""
    query = problem.tight_query(asked)
    source = sources(query, "output", (FreshNoise(SphericalReduction()),))[0]
    lowest, highest = DOUBLING_BELOW * source.optimistic_epsilon, DOUBLING_ABOVE * source.pessimistic_epsilon
    chances = max(2, math.ceil(math.log2(highest / lowest)))
    test = tight_doubling_test(query.sensitivity.total, chances, asked.failure, query.bad_value)
    epsilons = [lowest * 2**k for k in range(chances)]
    while epsilons and test.cost(len(epsilons)) + enlarged(sum(epsilons), 40) > asked.epsilon:
        epsilons.pop()
    if not epsilons:
        raise ParameterError(_too_little(asked, test.cost(1)))
    return AccuracySearch(query, test, source.build(tuple(epsilons)))


def _too_little(asked: AccuracyRequest, least: float) -> str:
    return (
        f"max_privacy of {asked.epsilon:g} does not even pay for the test of accuracy, which asks for {least:.3g} or "
        "more; allow more, ask for a larger excess_risk, or declare a smaller public radius"
    )
