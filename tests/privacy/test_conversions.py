"""Each conversion is true for the worst mechanism of its currency, and nearly nothing is given away."""

import math

import mpmath
import pytest
from dp_accounting.rdp import compute_epsilon
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mpf

from privacy_support import (
    assert_rounded_down,
    assert_rounded_up,
    at_high_precision,
    check_all,
    concentrated_bound,
    gaussian_profile,
    randomised_response_delta,
    randomised_response_kl,
    randomised_response_renyi,
)
from tacit.errors import ParameterError
from tacit.privacy import ZCDP, Approx, Pure
from tacit.privacy.budgets import SMALLEST
from tacit.privacy.renyi import epsilon_of_rho

epsilons = st.floats(math.log(1e-9), math.log(1e5)).map(math.exp)
deltas = st.floats(math.log(1e-300), math.log(0.5)).map(math.exp)
rhos = st.floats(math.log(1e-18), math.log(1e5)).map(math.exp)
orders = st.floats(math.log(1e-4), math.log(1e4)).map(lambda u: 1 + math.exp(u))


# Pure to zCDP -------------------------------------------------------------------------------------------------


def check_pure_to_zcdp(rho_of, epsilon: float, order: float) -> None:
    """ρα bounds the Rényi divergence of randomised response, to which every ε-private pair reduces."""
    with mpmath.workdps(400):
        assert randomised_response_renyi(epsilon, order) <= mpf(rho_of(epsilon)) * mpf(order)


@pytest.mark.proof("pure-to-zcdp")
@given(st.floats(math.log(1e-6), math.log(300)).map(math.exp), orders)
@settings(max_examples=500)
def test_pure_to_zcdp_covers_randomised_response_at_every_order(epsilon, order):
    check_pure_to_zcdp(lambda e: Pure(e).to_zcdp().rho, epsilon, order)


@pytest.mark.proof("pure-to-zcdp")
@given(epsilons)
@settings(max_examples=500)
def test_pure_to_zcdp_is_attained_at_order_one(epsilon):
    assert_rounded_up(Pure(epsilon).to_zcdp().rho, randomised_response_kl(epsilon))


@pytest.mark.proof("pure-to-zcdp")
@pytest.mark.parametrize(
    "mutant",
    [lambda e: e * e / 4, lambda e: e * math.tanh(e / 2) * (1 - 1e-6), lambda e: e * math.tanh(e / 2) / 2],
    ids=["a quarter of the square", "a millionth too small", "half"],
)
def test_the_check_of_pure_to_zcdp_fails_on_mutants(mutant):
    with pytest.raises(AssertionError):
        check_all(check_pure_to_zcdp, mutant, (0.1, 1.0, 5.0), (1 + 1e-9, 1.5, 10.0))


# Pure to (ε, δ) -----------------------------------------------------------------------------------------------


def check_pure_to_approx(epsilon_of, loss: float, delta: float) -> None:
    """At the reported ε the profile of randomised response is at most δ."""
    with mpmath.workdps(400):
        assert randomised_response_delta(loss, epsilon_of(loss, delta)) <= mpf(delta)


@at_high_precision
def reduced_epsilon(loss: mpf, delta: mpf) -> mpf:
    return mpmath.log((1 - delta) * mpmath.exp(loss) - delta)


@pytest.mark.proof("pure-to-approx")
@given(epsilons, deltas)
@settings(max_examples=500)
def test_pure_to_approx_is_the_profile_of_randomised_response(loss, delta):
    reported = Pure(loss).to_approx(delta)
    check_pure_to_approx(lambda e, d: Pure(e).to_approx(d).epsilon, loss, delta)
    assert reported.delta == delta
    if delta < mpmath.tanh(mpf(loss) / 2) * (1 - mpf(10) ** -12):
        assert_rounded_up(reported.epsilon, reduced_epsilon(loss, delta))


@pytest.mark.proof("pure-to-approx")
def test_a_large_delta_pays_for_everything():
    assert Pure(0.1).to_approx(0.5).epsilon == SMALLEST


@pytest.mark.proof("pure-to-approx")
@pytest.mark.parametrize(
    "mutant",
    [
        lambda e, d: e + math.log(1 - 2 * d * (1 + math.exp(-e))),
        lambda e, d: e + math.log(1 - d * (1 + math.exp(e))),
        lambda e, d: (e + math.log1p(-d * (1 + math.exp(-e)))) * (1 - 1e-9),
    ],
    ids=["delta twice", "wrong sign", "a hair too small"],
)
def test_the_check_of_pure_to_approx_fails_on_mutants(mutant):
    with pytest.raises(AssertionError):
        check_pure_to_approx(mutant, 1.0, 1e-3)


# zCDP to (ε, δ) -----------------------------------------------------------------------------------------------


def best_bound(rho: float, delta: float) -> mpf:
    """min over α of the bound, by bisection on its derivative at 60 digits."""
    with mpmath.workdps(60):
        r, target = mpf(rho), -mpmath.log(mpf(delta))
        low, high = mpf(0), mpmath.sqrt(target / r)
        for _ in range(220):
            middle = (low + high) / 2
            low, high = (middle, high) if r * middle**2 + mpmath.log1p(middle) < target else (low, middle)
        return concentrated_bound(r, mpf(delta), 1 + low)


def check_zcdp_to_approx(epsilon_of, rho: float, delta: float) -> None:
    """The Gaussian mechanism with σ = Δ/√(2ρ) is ρ-zCDP: its exact δ at the reported ε must not exceed δ."""
    assert gaussian_profile(epsilon_of(rho, delta), math.sqrt(2 * rho)) <= delta


@pytest.mark.proof("zcdp-to-approx")
@given(rhos, deltas)
@settings(max_examples=300)
def test_zcdp_to_approx_is_the_best_order_rounded_up(rho, delta):
    truth = best_bound(rho, delta)
    if truth > 1e-12:
        assert_rounded_up(epsilon_of_rho(rho, delta), truth)
    else:
        assert epsilon_of_rho(rho, delta) >= max(truth, 0)


@pytest.mark.proof("zcdp-to-approx")
@given(rhos.filter(lambda r: r > 1e-8), st.floats(math.log(1e-60), math.log(0.5)).map(math.exp))
@settings(max_examples=300)
def test_zcdp_to_approx_covers_the_gaussian_mechanism(rho, delta):
    check_zcdp_to_approx(lambda r, d: ZCDP(r).to_approx(d).epsilon, rho, delta)


@pytest.mark.proof("zcdp-to-approx")
@pytest.mark.parametrize("rho", [1e-4, 0.01, 0.1, 1.0, 10.0])
@pytest.mark.parametrize("delta", [1e-12, 1e-6, 1e-2])
def test_zcdp_to_approx_is_no_worse_than_a_grid_of_orders(rho, delta):
    grid = [1 + 1.05**k for k in range(-150, 200)]
    theirs, _ = compute_epsilon(grid, [rho * order for order in grid], delta)
    ours = ZCDP(rho).to_approx(delta).epsilon
    assert ours <= max(theirs * (1 + 1e-9), SMALLEST)
    assert ours >= theirs * 0.99


@pytest.mark.proof("zcdp-to-approx")
@given(orders, st.floats(-30, 30), st.floats(-30, 30))
@settings(max_examples=500)
def test_the_pointwise_inequality_behind_zcdp_to_approx(order, epsilon, loss):
    """(1 − e^(ε−z))₊ ≤ e^((α−1)(z−ε)) (1 − 1/α)^(α−1) / α, for every z."""
    with mpmath.workdps(60):
        a, e, z = mpf(order), mpf(epsilon), mpf(loss)
        constant = (1 - 1 / a) ** (a - 1) / a
        assert max(1 - mpmath.exp(e - z), 0) <= mpmath.exp((a - 1) * (z - e)) * constant * (1 + mpf(10) ** -50)


@pytest.mark.proof("zcdp-to-approx")
@pytest.mark.parametrize(
    "mutant",
    [
        lambda r, d: r,
        lambda r, d: r + math.sqrt(2 * r * math.log(1 / d)) / 2,
        lambda r, d: best_bound(r, d) * mpf("0.75"),
    ],
    ids=["forgotten log term", "dropped factor", "a quarter too small"],
)
def test_the_check_of_zcdp_to_approx_fails_on_mutants(mutant):
    with pytest.raises(AssertionError):
        check_all(check_zcdp_to_approx, mutant, (0.01, 1.0, 10.0), (1e-9, 1e-3))


@pytest.mark.proof("zcdp-to-approx")
def test_a_loss_beyond_all_budgets_is_refused_and_not_shrunk():
    with pytest.raises(ParameterError):
        ZCDP(2.0**39).to_approx(1e-6)


# One point of a profile ---------------------------------------------------------------------------------------


def test_an_approximate_guarantee_holds_for_larger_delta_only():
    assert Approx(1.0, 1e-6).to_approx(1e-5) == Approx(1.0, 1e-5)
    for delta in (1e-7, float("nan"), "1e-5", 1.0):
        with pytest.raises(ParameterError):
            Approx(1.0, 1e-6).to_approx(delta)


# The largest loss a budget pays for ---------------------------------------------------------------------------


@pytest.mark.proof("pure-to-zcdp")
@given(rhos)
@settings(max_examples=200)
def test_the_largest_pure_loss_within_zcdp(rho):
    within = ZCDP(rho).pure_within()
    assert within.to_zcdp().rho <= rho
    assert Pure(min(within.epsilon * (1 + 1e-9), 2.0**20)).to_zcdp().rho >= rho


@pytest.mark.proof("pure-to-approx")
@given(epsilons, deltas)
@settings(max_examples=200)
def test_the_largest_pure_loss_within_approx(epsilon, delta):
    with mpmath.workdps(400):
        truth = mpmath.log((mpmath.exp(mpf(epsilon)) + mpf(delta)) / (1 - mpf(delta)))
    assert_rounded_down(Approx(epsilon, delta).pure_within().epsilon, truth)


@pytest.mark.proof("zcdp-to-approx")
@given(epsilons, deltas)
@settings(max_examples=200)
def test_the_largest_zcdp_loss_within_approx(epsilon, delta):
    within = Approx(epsilon, delta).zcdp_within()
    assert within.to_approx(delta).epsilon <= epsilon
    assert epsilon_of_rho(within.rho * (1 + 1e-9), delta) >= epsilon


def test_budgets_within_themselves():
    assert ZCDP(0.5).zcdp_within() == ZCDP(0.5)
    assert Pure(0.5).pure_within() == Pure(0.5)
    with pytest.raises(ParameterError, match="cannot pay"):
        Pure(1.0).zcdp_within()
