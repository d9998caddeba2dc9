"""Recipes for ordinary coefficients: what they charge, what they estimate, and where their gradient comes from."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize

from mechanisms_support import rows_of
from tacit.losses import Logistic
from tacit.mechanisms.intervals import DebiasedWithIntervals, NewtonWithIntervals, plan_ordinary, resolution
from tacit.mechanisms.objective import ObjectivePerturbation
from tacit.mechanisms.problem import Problem, Shape
from tacit.noise import SystemEntropy
from tacit.privacy import ZCDP, Approx, Pure

BALL = 0.8
BUDGETS = (ZCDP(0.5), Pure(1.0), Approx(1.0, 1e-6))


def table(n=4000, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-0.5, 0.5, (n, 3))
    y = np.where(rng.random(n) < 1 / (1 + np.exp(-X @ [4.0, -3.0, 0.0])), 1, -1)
    return X, y


def ordinary_minimum(X, y):
    return minimize(lambda t: np.logaddexp(0, -y * (X @ t)).mean(), np.zeros(X.shape[1]), tol=1e-10).x


def planned(X, budget):
    rows = rows_of(X, np.where(np.arange(len(X)) % 2, 1, -1))
    return plan_ordinary(replace(Shape.of(rows), typical_norm=BALL), budget).mechanism


@pytest.mark.parametrize("budget", BUDGETS)
def test_the_parts_cost_no_more_than_the_budget(budget):
    mechanism = planned(table()[0], budget)
    charge = mechanism.charge
    match budget:
        case Approx(epsilon, delta):
            assert charge.to_approx(delta).epsilon <= epsilon if isinstance(charge, ZCDP) else charge == Pure(epsilon)
        case ZCDP(rho):
            assert 0.999 * rho <= charge.rho <= rho
        case Pure(epsilon):
            assert 0.999 * epsilon <= charge.epsilon <= epsilon
    assert len(mechanism.facts) == 3


@pytest.mark.parametrize("budget", [ZCDP(5e5), Pure(1e3)])
def test_with_a_large_budget_the_estimate_is_the_minimum_without_a_penalty(budget):
    X, y = table()
    mechanism = planned(X, budget)
    release = mechanism(rows_of(X, y), SystemEntropy())
    away = np.abs(release.theta - ordinary_minimum(X, y))
    assert np.all(away < (0.02 if isinstance(mechanism, NewtonWithIntervals) else 0.1))


@pytest.mark.parametrize(("width", "kind"), [(2, DebiasedWithIntervals), (6, NewtonWithIntervals)])
def test_an_approximate_budget_is_spent_where_it_resolves_more(width, kind):
    X = np.zeros((4000, width))
    budget = Approx(1.0, 1e-6)
    chosen = planned(X, budget)
    assert isinstance(chosen, kind)
    assert resolution(chosen) <= resolution(planned(X, Pure(1.0)))


def assert_stationary(pilot, X, y, l2):
    """‖∇L(θ̃) + λθ̃‖ ≤ reach(b)/n + (t + λ)(τ + reach(ζ)): fails with a probability below 2e^−256."""
    theta, width = pilot(rows_of(X, y), SystemEntropy()).theta, X.shape[1]
    gradient = -(y / (1 + np.exp(y * (X @ theta)))) @ X / len(X)
    finish = pilot.tolerance + pilot.finishing_law.reach(width)
    assert np.linalg.norm(gradient + l2 * theta) <= pilot.law.reach(width) / len(X) + (0.25 + l2) * finish


@pytest.mark.proof("pilot-gradient")
@pytest.mark.parametrize("budget", [ZCDP(5e4), Pure(1e3)])
def test_a_pilot_says_what_its_gradient_is(budget):
    X = np.random.default_rng(3).uniform(0.4, 0.5, (60, 2))
    y, l2 = np.ones(60), 0.05
    pilot = ObjectivePerturbation(Problem(Shape.of(rows_of(X, y)), Logistic(), l2), budget)
    assert_stationary(pilot, X, y, l2)
    with pytest.raises(AssertionError):
        assert_stationary(pilot, X, y, 0.0)


def test_the_plan_says_what_can_be_determined_before_anything_is_read():
    small, large = (plan_ordinary(_shape(n), ZCDP(0.5)) for n in (2_000, 200_000))
    assert "half-range" in small.why
    assert "of the rows" in small.why
    assert resolution(large.mechanism) == pytest.approx(resolution(small.mechanism) / 100, rel=1e-3)


def _shape(n):
    return replace(Shape.of(rows_of(np.zeros((10, 3)), [1] * 10)), n=n, typical_norm=BALL)
