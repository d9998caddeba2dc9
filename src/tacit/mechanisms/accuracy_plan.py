"""Calibrations of an accuracy-first search: everything is decided from public facts, to pay the least ε in all.

Tight: one-sided noise, the threshold at its exact place, and ε₀ and the number of levels chosen together for the
smallest expected total under the public guess  excess(ε) = α (H/ε)². Few levels mean few chances to accept a bad
hypothesis, hence a cheap test; many levels stop nearer to the ε that is needed.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tacit.errors import ParameterError
from tacit.losses import Loss
from tacit.mechanisms.above_threshold import OneSidedNoise
from tacit.mechanisms.accuracy_search import AccuracySearch
from tacit.mechanisms.accuracy_sources import PURE_NOISES, Source, sources
from tacit.mechanisms.accuracy_test import smallest_margin, tight_doubling_test, tight_test
from tacit.mechanisms.excess_risk import ExcessRisk
from tacit.mechanisms.gradual import ZeroFirst
from tacit.mechanisms.gradual_noise import BrownianReduction, FreshNoise, GradualNoise, SphericalReduction
from tacit.mechanisms.problem import Problem, Shape
from tacit.mechanisms.stationary import stationary_radius
from tacit.privacy import Approx, Pure

STEPS = (1.08, 1.12, 1.18, 1.27, 1.4, 1.6)  # ratios of neighbouring levels that are considered
TEST_PRICES = np.geomspace(4.0, 120.0, 18)  # ε₀ in units of Δ/α that are considered
BELOW_EASY, ABOVE_HARD = 0.5, 8.0  # ends of the ladder around the expected ε
NEVER = 20.0  # a search that halts nowhere is counted as this many times its largest ε


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
        return ExcessRisk(replace(problem, radius=stationary_radius(problem)), goal.excess_risk)


def plan_noise_reduction(
    question: Question, goal: Goal, levels: int | None, noises: Sequence[GradualNoise] = PURE_NOISES
) -> AccuracySearch:
    """The source, the ladder and the test with the smallest expected total."""
    query = question.tight_query(goal)
    found = sources(query, question.mechanism, tuple(noises))
    designs = [design for source in found for design in _designs(query, goal, source, levels)]
    if not designs:
        raise ParameterError(_too_little(query, goal))
    best = min(designs, key=lambda design: design.expected_total)
    return best.search(query, goal)


def plan_brownian(question: Question, goal: Goal, levels: int | None) -> AccuracySearch:
    """Noise reduction with Gaussian noise: every level has its share of δ. By `ex-post-delta`."""
    if not isinstance(goal.most, Approx):
        raise ParameterError("Gaussian noise has no pure loss: pass max_privacy=Approx(epsilon, delta) for 'brownian'")
    return plan_noise_reduction(question, goal, levels, [BrownianReduction(goal.most.delta)])


def plan_doubling(question: Question, goal: Goal) -> AccuracySearch:
    """Independent releases at ε, 2ε, 4ε, … each with a test of its own. By `doubling-method`."""
    query = question.tight_query(goal)
    source = sources(query, "output", (FreshNoise(SphericalReduction()),))[0]
    chances = max(2, math.ceil(math.log2(ABOVE_HARD * source.hard / (BELOW_EASY * source.easy))))
    test = tight_doubling_test(query.sensitivity.total, chances, goal.failure, query.bad_value)
    epsilons = [BELOW_EASY * source.easy * 2**k for k in range(chances)]
    while epsilons and test.cost(len(epsilons)) + sum(epsilons) * (1 + 2.0**-40) > goal.epsilon:
        epsilons.pop()
    if not epsilons:
        raise ParameterError(_too_little(query, goal))
    return AccuracySearch(query, test, source.build(tuple(epsilons)))


@dataclass(frozen=True)
class Design:
    """One ladder and one ε₀, with what they are expected to cost in all."""

    source: Source
    noise: OneSidedNoise
    epsilons: tuple[float, ...]
    expected_total: float

    def search(self, query: ExcessRisk, goal: Goal) -> AccuracySearch:
        hypotheses = ZeroFirst(query.problem, self.source.build(self.epsilons))
        test = tight_test(self.noise, len(self.epsilons) + 1, goal.failure, query.bad_value)
        return AccuracySearch(query, test, hypotheses)


def _designs(query: ExcessRisk, goal: Goal, source: Source, levels: int | None) -> list[Design]:
    unit = query.sensitivity.total / goal.excess_risk
    designs = []
    for price in TEST_PRICES * unit:
        top = (goal.epsilon - price) * (1 - 2.0**-40)
        if top <= 0:
            continue
        noise = OneSidedNoise(query.sensitivity.total, float(price))
        for epsilons in _ladders(source, top, levels, 1 / query.problem.shape.n):
            total = float(price) + _expected_price(query, goal, source, noise, epsilons)
            designs.append(Design(source, noise, epsilons, total))
    return designs


def _ladders(source: Source, top: float, levels: int | None, lowest: float) -> list[tuple[float, ...]]:
    """Geometric ladders: over the expected range, or with the number of levels asked for from 1/n to the top."""
    if levels is not None:
        return [tuple(np.geomspace(min(lowest, top / 2), top, levels).tolist())]
    high = min(top, ABOVE_HARD * source.hard)
    low = min(BELOW_EASY * source.easy, high / 2)
    counts = sorted({math.ceil(math.log(high / low) / math.log(step)) + 1 for step in STEPS})
    return [tuple(np.geomspace(low, high, count).tolist()) for count in counts]


def _expected_price(
    query: ExcessRisk, goal: Goal, source: Source, noise: OneSidedNoise, epsilons: tuple[float, ...]
) -> float:
    """Σ ε_t P(halt at t) if the excess risk at ε is α (H/ε)², and a large price if the search never halts."""
    margin = _unit_margin(noise, len(epsilons) + 1, goal.failure) * noise.query_scale
    threshold = margin + query.bad_value
    quantiles = (np.arange(_POINTS) + 0.5) / _POINTS
    level = threshold - noise.threshold_scale * np.log(quantiles)
    alive, price = np.ones(_POINTS), 0.0
    for epsilon in epsilons:
        excess = goal.excess_risk * min(1.0, (source.expected / epsilon) ** 2)
        passing = alive * np.exp(-np.maximum(level + excess, 0.0) / noise.query_scale)
        price += epsilon * float(passing.mean())
        alive = alive - passing
    return price + NEVER * epsilons[-1] * float(alive.mean())


_POINTS = 64
_MARGINS: dict[tuple[int, float], float] = {}


def _unit_margin(noise: OneSidedNoise, chances: int, failure: float) -> float:
    """The margin in units of the query noise: the same for every ε₀, as both scales move together."""
    if (chances, failure) not in _MARGINS:
        _MARGINS[chances, failure] = smallest_margin(noise, chances, failure) / noise.query_scale
    return _MARGINS[chances, failure]


def _too_little(query: ExcessRisk, goal: Goal) -> str:
    least = TEST_PRICES[0] * query.sensitivity.total / goal.excess_risk
    return (
        f"max_privacy of {goal.epsilon:g} does not even pay for the test of accuracy, which costs {least:.3g} or more; "
        "allow more, ask for a larger excess_risk, or declare a smaller public radius"
    )
