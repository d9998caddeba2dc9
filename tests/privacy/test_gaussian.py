"""The Gaussian profile against 200 digits, against dp_accounting, and its inverse."""

import math

import dp_accounting
import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from privacy_support import assert_rounded_up, gaussian_profile
from tacit.errors import ParameterError
from tacit.privacy import ZCDP, Approx, gaussian_delta, gaussian_mu, gaussian_strength

epsilons = st.floats(math.log(1e-9), math.log(1e5)).map(math.exp)
deltas = st.floats(math.log(1e-300), math.log(0.5)).map(math.exp)


def check_profile(delta_of, epsilon: float, mu: float) -> None:
    truth = gaussian_profile(epsilon, mu)
    if truth > 1e-300:
        assert_rounded_up(delta_of(epsilon, mu), truth)
    else:
        assert delta_of(epsilon, mu) >= truth


@pytest.mark.proof("gaussian-profile")
@given(st.floats(math.log(1e-9), math.log(1e3)).map(math.exp), st.floats(0.02, 10))
@settings(max_examples=300)
def test_the_profile_is_exact_and_rounded_up(epsilon, scale):
    check_profile(gaussian_delta, epsilon, scale * min(epsilon, math.sqrt(epsilon)))


@pytest.mark.proof("gaussian-profile")
@pytest.mark.parametrize("epsilon", [1e-9, 1.0, 1e5])
@pytest.mark.parametrize("mu", [1e-12, 1e-3, 1.0, 450.0, 1e8])
def test_the_profile_at_extremes(epsilon, mu):
    check_profile(gaussian_delta, epsilon, mu)


@pytest.mark.proof("gaussian-profile")
def test_at_epsilon_zero_the_profile_is_the_total_variation_distance():
    assert gaussian_delta(0.0, 1.0) == pytest.approx(math.erf(1 / math.sqrt(8)), rel=1e-15)


@pytest.mark.proof("gaussian-profile")
@pytest.mark.parametrize(
    "mutant",
    [
        lambda e, m: 0.5 * math.erfc((e / m - m / 2) / 2**0.5) - 0.5 * math.erfc((e / m + m / 2) / 2**0.5),
        lambda e, m: gaussian_delta(e, m / 2),
        lambda e, m: gaussian_delta(e, m) * (1 - 1e-12),
        lambda e, m: gaussian_delta(2 * e, m),
    ],
    ids=["dropped e^ε", "half the sensitivity", "rounded down", "twice the ε"],
)
def test_the_check_of_the_profile_fails_on_mutants(mutant):
    with pytest.raises(AssertionError):
        check_profile(mutant, 1.0, 0.7)


@pytest.mark.proof("gaussian-profile")
@given(epsilons, deltas)
@settings(max_examples=300)
def test_the_largest_mu_is_certified_and_tight(epsilon, delta):
    mu = gaussian_mu(Approx(epsilon, delta))
    assert gaussian_delta(epsilon, mu) <= delta
    assert gaussian_delta(epsilon, mu * (1 + 1e-9)) > delta


@pytest.mark.proof("gaussian-profile")
@given(st.floats(0.01, 20), st.floats(math.log(1e-12), math.log(0.1)).map(math.exp))
@settings(max_examples=50)
def test_the_largest_mu_agrees_with_dp_accounting(epsilon, delta):
    mu = gaussian_mu(Approx(epsilon, delta))
    assert 1 / mu == pytest.approx(dp_accounting.get_sigma_gaussian(epsilon, delta), rel=1e-5)


@pytest.mark.proof("gaussian-profile")
@given(st.floats(0.01, 10), st.floats(0.05, 5), st.floats(1.0001, 2))
def test_the_profile_grows_with_mu_and_falls_with_epsilon(epsilon, mu, factor):
    assert gaussian_delta(epsilon, mu * factor) >= gaussian_delta(epsilon, mu)
    assert gaussian_delta(epsilon * factor, mu) <= gaussian_delta(epsilon, mu)


@pytest.mark.proof("gaussian-profile")
@pytest.mark.parametrize(("epsilon", "mu"), [(0.5, 0.8), (1.0, 0.3), (2.0, 2.5)])
def test_the_profile_is_the_hockey_stick_integral(epsilon, mu):
    """∫ (φ(x−μ) − e^ε φ(x))₊ dx by quadrature, without the closed form."""
    with mpmath.workdps(30):
        crossing = mpmath.mpf(epsilon) / mu + mpmath.mpf(mu) / 2
        points = [crossing + k for k in range(0, 41, 2)]
        integral = mpmath.quad(lambda x: mpmath.npdf(x, mu) - mpmath.exp(epsilon) * mpmath.npdf(x), points)
    assert gaussian_delta(epsilon, mu) == pytest.approx(float(integral), rel=1e-12)


@pytest.mark.parametrize(
    ("epsilon", "mu"), [(1.0, 0.0), (1.0, -1.0), (-1.0, 1.0), (math.nan, 1.0), (1.0, math.nan), (math.inf, 1.0)]
)
def test_the_profile_refuses_what_has_no_meaning(epsilon, mu):
    with pytest.raises(ParameterError):
        gaussian_delta(epsilon, mu)


# several Gaussian releases, one after the other


def two_releases_delta(epsilon: float, first: float, second: float) -> float:
    """Exact δ of strengths μ₁, then μ₂: E H(ε − L₁; μ₂) over the loss L₁ ~ N(μ₁²/2, μ₁²) of the first."""
    z = np.linspace(-12, 12, 20_001)
    left = epsilon - (first**2 / 2 + first * z)
    inner = stats.norm.cdf(second / 2 - left / second) - np.exp(left) * stats.norm.cdf(-second / 2 - left / second)
    return float(np.trapezoid(inner * stats.norm.pdf(z), z))


def check_strength(budget: Approx, rho: float) -> None:
    for share in (0.05, 0.3, 0.5):
        parts = math.sqrt(2 * rho * share), math.sqrt(2 * rho * (1 - share))
        assert two_releases_delta(budget.epsilon, *parts) <= budget.delta * (1 + 1e-6)


@pytest.mark.proof("gaussian-composition")
@pytest.mark.parametrize("budget", [Approx(0.1, 1e-5), Approx(1.0, 1e-6), Approx(4.0, 1e-3)])
def test_two_gaussian_releases_within_a_strength_keep_the_budget_and_a_little_more_does_not(budget):
    rho = gaussian_strength(budget).rho
    check_strength(budget, rho)
    assert two_releases_delta(budget.epsilon, *[math.sqrt(rho)] * 2) >= 0.999 * budget.delta
    with pytest.raises(AssertionError):
        check_strength(budget, 1.05 * rho)
    assert gaussian_strength(ZCDP(0.3)) == ZCDP(0.3)
    assert rho > budget.zcdp_within().rho
