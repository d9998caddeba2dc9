"""The calibrations of Ligett et al. (2017) as printed, for comparison: algorithms 3, 4 and 5, theorems 3.1 and 3.3.

    ball C:      ‖θ‖ ≤ √(2φ(0)/λ), the public radius if that is smaller
    test:        untruncated query, Laplace noise, ε₀ = 16Δ log(2T/γ)/α, threshold −α/2
    hypotheses:  ridge: Laplace(4/ε) on every moment; others: Laplace on θ*, ℓ1 sensitivity √d times the ℓ2 one
    levels:      T from 1/n to 4E, geometric, E from inverting the theorem on expected excess risk

What is different from print: the sign of the threshold in algorithm 5 and the sense of its projection are corrected,
rounding enters the sensitivities, and θ* is never released.
"""

import math
from dataclasses import replace

import numpy as np

from tacit.arithmetic import reduced, sum_up
from tacit.errors import ParameterError
from tacit.mechanisms.accuracy.excess_risk import ExcessRisk
from tacit.mechanisms.accuracy.gradual import GradualOutput, Hypotheses
from tacit.mechanisms.accuracy.gradual_moments import GradualMoments
from tacit.mechanisms.accuracy.gradual_noise import FreshNoise, GradualNoise, LaplaceReduction
from tacit.mechanisms.accuracy.halting import NoTest, published_doubling_test, published_test
from tacit.mechanisms.accuracy.plan import AccuracyProblem, AccuracyRequest
from tacit.mechanisms.accuracy.published_moments import PublishedMoments
from tacit.mechanisms.accuracy.search import AccuracySearch
from tacit.mechanisms.problem import Problem

PUBLISHED_LEVELS = 1000


def published_noise_reduction(problem: AccuracyProblem, asked: AccuracyRequest, levels: int | None) -> AccuracySearch:
    """CovNR for ridge (algorithm 3), OutputNR for other losses (algorithm 5)."""
    query = published_query(problem)
    count = PUBLISHED_LEVELS if levels is None else levels
    test = published_test(query.sensitivity.total, count, asked.failure, asked.excess_risk)
    top = min(4 * theory_epsilon(problem, asked), reduced(asked.epsilon - test.cost(1), 40))
    if top <= 1 / problem.shape.n:
        raise ParameterError(
            f"the published test costs ε₀ = {test.cost(1):.3g}, nothing is left of max_privacy = {asked.epsilon:g}; "
            "allow more, or use calibration='tight'"
        )
    epsilons = tuple(np.geomspace(1 / problem.shape.n, top, count).tolist())
    return AccuracySearch(query, test, _hypotheses(problem, query, LaplaceReduction(), epsilons))


def published_doubling(problem: AccuracyProblem, asked: AccuracyRequest) -> AccuracySearch:
    """Algorithm 4: ε doubles from 1/n until it exceeds 4E; as far as max_privacy allows."""
    query = published_query(problem)
    lowest = 1 / problem.shape.n
    count = max(1, math.ceil(math.log2(4 * theory_epsilon(problem, asked) / lowest)))
    test = published_doubling_test(query.sensitivity.total, count, asked.failure, asked.excess_risk)
    epsilons = [lowest * 2**k for k in range(count)]
    while epsilons and sum_up(test.cost(len(epsilons)), *epsilons) > asked.epsilon:
        epsilons.pop()
    if not epsilons:
        raise ParameterError(f"one test of the doubling method costs {test.cost(1):.3g}, more than max_privacy allows")
    hypotheses = _hypotheses(problem, query, FreshNoise(LaplaceReduction()), tuple(epsilons))
    return AccuracySearch(query, test, hypotheses)


def published_theory(problem: AccuracyProblem, asked: AccuracyRequest) -> AccuracySearch:
    """One release at the ε for which a theorem promises the *expected* excess risk."""
    epsilon = theory_epsilon(problem, asked)
    if epsilon > asked.epsilon:
        raise ParameterError(f"the theorem asks for ε = {epsilon:.3g}, more than max_privacy = {asked.epsilon:g}")
    query = published_query(problem)
    return AccuracySearch(query, NoTest(), _hypotheses(problem, query, LaplaceReduction(), (epsilon,)))


def published_query(problem: AccuracyProblem) -> ExcessRisk:
    """f(D) = J(θ*) − J(θ) on C: sensitivity (R r + b)²/n for ridge, 2Rr/n for logistic loss."""
    erm = Problem(problem.shape, problem.loss, problem.l2, problem.radius)
    return ExcessRisk(replace(erm, radius=erm.minimiser_radius), None)


def theory_epsilon(problem: AccuracyProblem, asked: AccuracyRequest) -> float:
    """E with expected excess risk ≤ α: theorem 3.1 for ridge by moments, 3.3 for a Lipschitz loss by output."""
    d, n, l2, alpha = problem.shape.width, problem.shape.n, problem.l2, asked.excess_risk
    if problem.loss.quadratic:
        return 4 * math.sqrt(2) * (2 * math.sqrt(d / l2) + d / l2) / (n * alpha)
    linear, quadratic = 2 * math.sqrt(2) * d / (n * l2), 4 * d**2 / (n**2 * l2)
    return (linear + math.sqrt(linear**2 + 4 * alpha * quadratic)) / (2 * alpha)


def _hypotheses(
    problem: AccuracyProblem, query: ExcessRisk, noise: GradualNoise, epsilons: tuple[float, ...]
) -> Hypotheses:
    if problem.loss.quadratic and problem.mechanism != "output":
        return GradualMoments(query, PublishedMoments(problem.shape), noise, epsilons, damping=0.0)
    return GradualOutput(query, noise, epsilons)
