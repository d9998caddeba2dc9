"""Theory inverted, tightly: one release at the ε for which a theorem promises the excess risk with probability 1 − γ.

    θ = θ* + Z projected onto the ball:   J(θ) − J(θ*) ≤ g‖Z‖ + (L/2)‖Z‖²,   L = r² sup φ'' + λ

with g = 0 where the ball is known to hold the free minimiser, else g = sup ‖∇J‖; ‖Z‖ ~ Gamma(d, Δ/ε).
By `theory-inversion`.
"""

import math

from flint import arb
from scipy.special import gammainccinv

from tacit.arithmetic import exact, upper
from tacit.errors import ParameterError
from tacit.mechanisms.accuracy.excess_risk import ExcessRisk
from tacit.mechanisms.accuracy.gradual import GradualOutput
from tacit.mechanisms.accuracy.gradual_noise import SphericalReduction
from tacit.mechanisms.accuracy.halting import NoTest
from tacit.mechanisms.accuracy.plan import AccuracyProblem, AccuracyRequest
from tacit.mechanisms.accuracy.search import AccuracySearch
from tacit.mechanisms.erm import RiskBounds
from tacit.mechanisms.problem import Problem


def plan_theory(problem: AccuracyProblem, asked: AccuracyRequest) -> AccuracySearch:
    """Output perturbation at the smallest ε that the bound allows. By `theory-inversion`."""
    query = problem.tight_query(asked)
    sensitivity = GradualOutput(query, SphericalReduction(), (1.0,)).sensitivity.total
    epsilon = noise_quantile(problem.shape.width, asked.failure) * sensitivity / _allowed_length(problem, query, asked)
    epsilon *= 1 + 2.0**-18  # the grid of the release: half a unit in each coordinate
    if epsilon > asked.epsilon:
        raise ParameterError(f"the theorem asks for ε = {epsilon:.3g}, more than max_privacy = {asked.epsilon:g}")
    return AccuracySearch(query, NoTest(), GradualOutput(query, SphericalReduction(), (epsilon,)))


def noise_quantile(width: int, failure: float) -> float:
    """q with P(Gamma(d) > q) ≤ γ, checked in ball arithmetic. By `theory-inversion`."""
    guess = float(gammainccinv(width, failure))
    while _tail(width, guess) > failure:
        guess *= 1 + 2.0**-30
    return guess


def _tail(width: int, length: float) -> float:
    """P(Gamma(d) > length), rounded up."""
    return upper(lambda: exact(length).gamma_upper(arb(width), regularized=1))


def _allowed_length(problem: AccuracyProblem, query: ExcessRisk, asked: AccuracyRequest) -> float:
    """The largest ℓ with g ℓ + (L/2) ℓ² ≤ α − (solver and rounding)."""
    bounds = RiskBounds(problem.shape, problem.loss, problem.l2)
    free = Problem(problem.shape, problem.loss, problem.l2)
    interior = problem.radius is None or problem.radius >= free.minimiser_radius
    slope = 0.0 if interior else bounds.gradient_bounds(query.radius).magnitude
    target = asked.excess_risk - query.error
    length = 2 * target / (slope + math.sqrt(slope**2 + 2 * bounds.smoothness * target))
    if length <= query.tolerance:
        raise ParameterError("excess_risk is below the accuracy of the solver; ask for a larger one")
    return length - query.tolerance
