"""Calibrations of an accuracy-first search: everything is decided from public facts, to pay the least ε in all.

Tight: one-sided noise, a truncated query on the smallest proved ball, the threshold at its exact place, and ladder and
test chosen together (`design`).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tacit.errors import ParameterError
from tacit.losses import Loss
from tacit.mechanisms.accuracy.design import Wish, best_design, least_budget
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
from tacit.mechanisms.accuracy.stationary import stationary_radius
from tacit.mechanisms.problem import Problem, Shape
from tacit.privacy import Approx, Pure

DOUBLING_BELOW, DOUBLING_ABOVE = 0.5, 8.0  # ends of the doubling ladder around the expected ε


@dataclass(frozen=True)
class Goal:
    """What the user asks for: excess risk at most α except with probability γ, and never more than a budget."""

    excess_risk: float
    failure: float
    most: Pure | Approx

    def __post_init__(self) -> None:
        if not 0 < self.excess_risk < math.inf:
            raise ParameterError(f"excess_risk must be a positive number, got {self.excess_risk!r}")
        if not 0 < self.failure < 0.5:
            raise ParameterError(f"failure must lie between 0 and 0.5, got {self.failure!r}")

    @property
    def epsilon(self) -> float:
        return self.most.epsilon


@dataclass(frozen=True)
class Question:
    """The model that is to be found: rows of a shape, a loss, λ, an optional public radius, a source of hypotheses."""

    shape: Shape
    loss: Loss
    l2: float
    radius: float | None
    mechanism: str

    def tight_query(self, goal: Goal) -> ExcessRisk:
        """Truncated at α, on the smallest ball that is proved to hold the minimiser. By `stationary-norm`."""
        problem = Problem(self.shape, self.loss, self.l2, self.radius)
        query = ExcessRisk(replace(problem, radius=stationary_radius(problem)), goal.excess_risk)
        if query.bad_value >= 0:
            raise ParameterError(
                f"excess_risk of {goal.excess_risk:g} is below what the rounding of sums and the solver leave certain, "
                f"{query.error:.3g}; ask for a larger one"
            )
        return query


def plan_noise_reduction(
    question: Question, goal: Goal, levels: int | None, noises: Sequence[GradualNoise] = PURE_NOISES
) -> AccuracySearch:
    """The source that needs least by the public guess, and the ladder and test with the smallest expected total."""
    query = question.tight_query(goal)
    source = min(sources(query, question.mechanism, tuple(noises)), key=lambda each: each.expected)
    wish = Wish(query.sensitivity.total, -query.bad_value, goal.failure, goal.epsilon)
    design = best_design(wish, source.easy, source.hard, levels)
    if design is None:
        raise ParameterError(_too_little(goal, least_budget(wish, levels)))
    test = tight_test(design.noise, len(design.epsilons) + 1, goal.failure, query.bad_value)
    return AccuracySearch(query, test, ZeroFirst(query.problem, source.build(design.epsilons)))


def plan_brownian(question: Question, goal: Goal, levels: int | None) -> AccuracySearch:
    """Noise reduction with Gaussian noise: every level has its share of δ. By `ex-post-delta`."""
    if not isinstance(goal.most, Approx):
        raise ParameterError("Gaussian noise has no pure loss: pass max_privacy=Approx(epsilon, delta) for 'brownian'")
    if levels is not None and levels > MOST_LEVELS:
        raise ParameterError(f"a Gaussian ladder has at most {MOST_LEVELS} levels, got {levels}")
    return plan_noise_reduction(question, goal, levels, [BrownianReduction(goal.most.delta)])


def plan_doubling(question: Question, goal: Goal) -> AccuracySearch:
    """Independent releases at ε, 2ε, 4ε, … each with a test of its own. By `doubling-method`."""
    query = question.tight_query(goal)
    source = sources(query, "output", (FreshNoise(SphericalReduction()),))[0]
    chances = max(2, math.ceil(math.log2(DOUBLING_ABOVE * source.hard / (DOUBLING_BELOW * source.easy))))
    test = tight_doubling_test(query.sensitivity.total, chances, goal.failure, query.bad_value)
    epsilons = [DOUBLING_BELOW * source.easy * 2**k for k in range(chances)]
    while epsilons and test.cost(len(epsilons)) + sum(epsilons) * (1 + 2.0**-40) > goal.epsilon:
        epsilons.pop()
    if not epsilons:
        raise ParameterError(_too_little(goal, test.cost(1)))
    return AccuracySearch(query, test, source.build(tuple(epsilons)))


def _too_little(goal: Goal, least: float) -> str:
    return (
        f"max_privacy of {goal.epsilon:g} does not even pay for the test of accuracy, which asks for {least:.3g} or "
        "more; allow more, ask for a larger excess_risk, or declare a smaller public radius"
    )
