"""How much noise objective perturbation needs: θ̃ = argmin J(θ) + ⟨b, θ⟩/n.

The map b ↦ θ̃ is one to one, so the privacy loss at θ has two parts: the ratio of the noise densities and the
ratio of two determinants, det(A + φ''xxᵀ)/det(A + φ''x'x'ᵀ) ≤ 1 + η with η = t/(nλ). Where a loss ties curvature to
slope the two are never large together.

    pure, ℓ2:  spherical, scale Δ/ε',    ε' = ε − log(1 + η)            by `objective-pure`
    pure, ℓ1:  Laplace, scale 2G₁/ε'                                    by `objective-pure`
    (ε, δ):    Gaussian, δ ≥ sum of Gaussian profiles at ε'             by `objective-gaussian`
    either:    less where slope and curvature are tied                  by `slope-and-curvature`
    ρ-zCDP:    Gaussian, ρ = 2G²/σ² + Kη²                               by `objective-zcdp`

Δ ≤ 2G bounds the difference of two rows' gradients at one θ, G and G₁ one gradient in ℓ2 and ℓ1.
"""

from dataclasses import replace
from typing import assert_never

from tacit.arithmetic import exact, lower, upper
from tacit.errors import ParameterError
from tacit.mechanisms.laws import Gaussian, Laplace, NoiseLaw, SphericalLaplace
from tacit.mechanisms.objective_tangent import largest_gaussian_ratio, largest_pure_ratio, tangent
from tacit.mechanisms.objective_zcdp import WORST_PRICE, largest_zcdp_ratio
from tacit.mechanisms.problem import Problem
from tacit.privacy import ZCDP, Approx, Budget, Pure

FLAT = 1e30
"""A λ for which no curvature counts."""


def objective_laws(problem: Problem, budget: Budget) -> list[NoiseLaw]:
    """The laws of b that keep this budget in its own currency; none if λ is too small for it."""
    gradient = problem.feasible_gradient_bound
    match budget:
        case Pure(epsilon):
            return _pure_laws(problem, epsilon)
        case Approx(epsilon, delta):
            mu = largest_gaussian_ratio(problem, epsilon, delta)
            return [] if mu is None else [Gaussian(upper(lambda: 2 * exact(gradient) / exact(mu)))]
        case ZCDP(rho):
            ratio = largest_zcdp_ratio(problem, rho)
            return [] if ratio is None else [Gaussian(upper(lambda: exact(gradient) / exact(ratio).sqrt()))]
        case _:
            assert_never(budget)


def quietest_deviation(problem: Problem, budget: Budget) -> float:
    """Standard deviation of a coordinate of b if the curvature term were free: a public measure of the noise."""
    flat = replace(problem, l2=FLAT)
    laws = [law for paid in currencies(budget) for law in objective_laws(flat, paid)]
    return min(law.deviation(problem.shape.width) for law in laws)


def currencies(budget: Budget) -> tuple[Budget, ...]:
    """Budgets that each imply this one: itself, and a pure one, whose noise can be less in few dimensions.

    An (ε, δ) budget is implied by pure ε, which gives δ back; a zCDP budget by `pure-to-zcdp`.
    """
    pure = budget.as_pure()
    return (budget,) if budget == pure else (budget, pure)


def least_l2(problem: Problem, budget: Budget, share: float) -> float:
    """The smallest λ for which η, taken alone, costs at most this share of the budget, rounded up."""
    t, n = problem.curvature_bound, problem.shape.n
    match budget:
        case Pure(epsilon) | Approx(epsilon, _):
            return upper(lambda: exact(t) / (n * ((exact(share) * exact(epsilon)).exp() - 1)))
        case ZCDP(rho):
            return upper(lambda: exact(t) / n * (exact(WORST_PRICE) / (exact(share) * exact(rho))).sqrt())
        case _:
            assert_never(budget)


def too_little_l2() -> ParameterError:
    """The refusal of a λ whose curvature term alone costs more than the budget."""
    return ParameterError(
        "l2 is too small for objective perturbation at this budget: the curvature term alone costs more than "
        "the budget; raise l2 or leave it to the default"
    )


def _pure_laws(problem: Problem, epsilon: float) -> list[NoiseLaw]:
    """In ℓ2 and ℓ1; for ℓ2 the smaller of two scales: rows whose gradients differ by less than 2G, or tied slopes.

    By `objective-pure` and by `slope-and-curvature`.
    """
    ratio = largest_pure_ratio(problem, epsilon)
    if ratio <= 0:
        return []
    gradient, gradient_l1, change = (
        problem.feasible_gradient_bound,
        problem.feasible_gradient_bound_l1,
        problem.feasible_gradient_change,
    )
    scales = [upper(lambda: exact(gradient) / exact(ratio))]
    rest = lower(lambda: exact(epsilon) - exact(tangent(problem, 0.0).largest))
    if rest > 0:
        scales.append(upper(lambda: exact(change) / exact(rest)))
    return [SphericalLaplace(min(scales)), Laplace(upper(lambda: exact(gradient_l1) / exact(ratio)))]
