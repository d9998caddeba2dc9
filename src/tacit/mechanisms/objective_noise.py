"""How much noise objective perturbation needs: θ̃ = argmin J(θ) + ⟨b, θ⟩/n.

The map b ↦ θ̃ is one to one, so the privacy loss at θ has two parts: the ratio of the noise densities and the
ratio of two determinants, det(A + φ''xxᵀ)/det(A + φ''x'x'ᵀ) ≤ 1 + η with η = t/(nλ).

    pure, ℓ2:  spherical, scale Δ/ε',    ε' = ε − log(1 + η)            by `objective-pure`
    pure, ℓ1:  Laplace, scale 2G₁/ε'                                    by `objective-pure`
    (ε, δ):    Gaussian, δ ≥ sum of Gaussian profiles at ε'             by `objective-gaussian`
    ρ-zCDP:    Gaussian, ρ = 2G²/σ² + 3.3η²                             by `objective-zcdp`

Δ ≤ 2G bounds the difference of two rows' gradients at one θ, G and G₁ one gradient in ℓ2 and ℓ1.
"""

from typing import assert_never

from flint import arb

from tacit.arithmetic import exact, lower, upper
from tacit.errors import ParameterError
from tacit.mechanisms.laws import Gaussian, Laplace, NoiseLaw, SphericalLaplace
from tacit.mechanisms.problem import Problem
from tacit.privacy import ZCDP, Approx, Budget, Pure, gaussian_delta

ZCDP_CURVATURE = 3.3


def objective_laws(problem: Problem, budget: Budget) -> list[NoiseLaw]:
    """The laws of b that keep this budget in its own currency; none if λ is too small for it."""
    rest = after_curvature(problem, budget)
    return [] if rest is None else _laws_without_curvature(problem, rest)


def quietest_deviation(problem: Problem, budget: Budget) -> float:
    """Standard deviation of a coordinate of b if the curvature term were free: a public measure of the noise."""
    laws = [law for paid in currencies(budget) for law in _laws_without_curvature(problem, paid)]
    return min(law.deviation(problem.shape.width) for law in laws)


def currencies(budget: Budget) -> tuple[Budget, ...]:
    """Budgets that each imply this one: itself, and a pure one, whose noise can be less in few dimensions.

    An (ε, δ) budget is implied by pure ε, which gives δ back; a zCDP budget by `pure-to-zcdp`.
    """
    pure = budget.as_pure()
    return (budget,) if budget == pure else (budget, pure)


def after_curvature(problem: Problem, budget: Budget) -> Budget | None:
    """What the curvature term leaves to the noise, rounded down; None if it leaves nothing.

    By `objective-pure`, by `objective-gaussian` and by `objective-zcdp`.
    """
    match budget:
        case Pure(epsilon) | Approx(epsilon, _):
            rest = lower(lambda: exact(epsilon) - (1 + _eta(problem)).log())
        case ZCDP(rho):
            rest = lower(lambda: exact(rho) - exact(ZCDP_CURVATURE) * _eta(problem) ** 2)
        case _:
            assert_never(budget)
    return budget.with_amount(rest) if rest > 0 else None


def least_l2(problem: Problem, budget: Budget, share: float) -> float:
    """The smallest λ for which the curvature term costs at most this share of the budget, rounded up."""
    t, n = problem.curvature_bound, problem.shape.n
    match budget:
        case Pure(epsilon) | Approx(epsilon, _):
            return upper(lambda: exact(t) / (n * ((exact(share) * exact(epsilon)).exp() - 1)))
        case ZCDP(rho):
            return upper(lambda: exact(t) / n * (exact(ZCDP_CURVATURE) / (exact(share) * exact(rho))).sqrt())
        case _:
            assert_never(budget)


def objective_delta(epsilon: float, mu: float, *, one_sided: bool) -> float:
    """δ at ε' for Gaussian noise with 2G/σ = μ. By `objective-gaussian`.

    The loss is convex in the two rows' slopes, so it is at most its maximum over the four corners of their box;
    the expectation of a maximum is at most the sum. H is the profile of the Gaussian mechanism:

        slopes of one sign (logistic, hinges):  H(μ) + 2H(μ/2)
        slopes of either sign (squared):        2H(μ) + 2H(μ/√2)
    """
    if one_sided:
        return gaussian_delta(epsilon, mu) + 2 * gaussian_delta(epsilon, mu / 2)
    return 2 * gaussian_delta(epsilon, mu) + 2 * gaussian_delta(epsilon, mu * _ROOT_HALF)


_ROOT_HALF = 0.5**0.5 * (1 + 2.0**-50)  # rounded up: the profile grows with μ


def too_little_l2() -> ParameterError:
    """The refusal of a λ whose curvature term alone costs more than the budget."""
    return ParameterError(
        "l2 is too small for objective perturbation at this budget: the curvature term alone costs more than "
        "the budget; raise l2 or leave it to the default"
    )


def _laws_without_curvature(problem: Problem, rest: Budget) -> list[NoiseLaw]:
    """Each law that the rest of the budget can pay for."""
    gradient, gradient_l1 = problem.feasible_gradient_bound, problem.feasible_gradient_bound_l1
    match rest:
        case Pure(epsilon):
            return [
                SphericalLaplace(upper(lambda: exact(problem.feasible_gradient_change) / exact(epsilon))),
                Laplace(upper(lambda: 2 * exact(gradient_l1) / exact(epsilon))),
            ]
        case Approx(epsilon, delta):
            mu = _largest_mu(epsilon, delta, one_sided=problem.loss.one_sided_slope)
            return [Gaussian(upper(lambda: 2 * exact(gradient) / exact(mu)))]
        case ZCDP(rho):
            return [Gaussian(upper(lambda: exact(gradient) * (2 / exact(rho)).sqrt()))]
        case _:
            assert_never(rest)


def _eta(problem: Problem) -> arb:
    """η = t/(nλ) as a ball; call inside `upper` or `lower`."""
    return exact(problem.curvature_bound) / (exact(problem.l2) * problem.shape.n)


def _largest_mu(epsilon: float, delta: float, *, one_sided: bool) -> float:
    """The largest μ found by bisection whose certified δ fits; the lower end of the bracket always fits."""
    target = delta * (1 - 2.0**-50)  # room for the float additions in objective_delta

    def fits(mu: float) -> bool:
        return objective_delta(epsilon, mu, one_sided=one_sided) <= target

    low = 1.0
    while not fits(low):
        low /= 2
    high = 2 * low
    while fits(high):
        low, high = high, 2 * high
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low
