"""Post-processing of noisy moments: right where there is no noise, defined for whatever noise does."""

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mechanisms_support import SpyLaw, rows_of
from tacit.domain import Geometry
from tacit.losses import Squared
from tacit.mechanisms.choice import FitRequest, plan_fit
from tacit.mechanisms.covariance import CovariancePerturbation
from tacit.mechanisms.moments import Frobenius
from tacit.mechanisms.problem import Shape
from tacit.mechanisms.robust_ridge import plain_ridge, robust_ridge, robust_ridge_without_constant
from tacit.noise import SystemEntropy
from tacit.privacy import Approx, Pure

WITH_CONSTANT = Geometry(constant=1.0, clip=None)


def table(n: int = 200):
    generator = np.random.default_rng()
    X = generator.uniform(-0.5, 0.5, size=(n, 3))
    y = np.clip(X @ [0.5, -0.3, 0.1] + 0.1 + 0.05 * generator.normal(size=n), -1, 1)
    return X, y, rows_of(X, y, classify=False, geometry=WITH_CONSTANT)


def noiseless(mechanism: CovariancePerturbation, rows) -> np.ndarray:
    spy = SpyLaw()
    spy.deviation = lambda width: 1e-9  # type: ignore[method-assign]
    mechanism.moments.__dict__["law"] = spy
    return mechanism(rows, SystemEntropy()).theta


@pytest.mark.parametrize("radius", [None, 50.0])
def test_without_noise_covariance_perturbation_is_ridge(radius):
    X, y, rows = table()
    encoded = np.column_stack([X, np.ones(len(X))]) * math.sqrt(0.5)
    found = noiseless(CovariancePerturbation(Shape.of(rows), Pure(1.0), Frobenius(), 0.01, radius), rows)
    expected = np.linalg.solve(encoded.T @ encoded / len(y) + 0.01 * np.eye(4), encoded.T @ y / len(y))
    assert np.allclose(found, expected, atol=1e-6)


def test_without_noise_the_robust_ridge_is_least_squares():
    X, y, rows = table()
    found = noiseless(CovariancePerturbation(Shape.of(rows), Pure(1.0), Frobenius()), rows)
    encoded = np.column_stack([X, np.ones(len(X))]) * math.sqrt(0.5)
    assert np.allclose(found, np.linalg.lstsq(encoded, y, rcond=None)[0], atol=1e-4)


def test_on_a_ball_the_answer_is_inside_it():
    _, _, rows = table()
    for l2 in (None, 1e-3):
        mechanism = CovariancePerturbation(Shape.of(rows), Pure(0.01), Frobenius(), l2, 0.25)
        assert np.linalg.norm(mechanism(rows, SystemEntropy()).theta) <= 0.25 * (1 + 1e-9)


@given(
    seed=st.integers(0, 2**32 - 1),
    size=st.sampled_from([1e-6, 1.0, 1e9]),
    noise=st.sampled_from([1e-9, 1.0, 1e12]),
    penalty=st.sampled_from([1e-12, 1.0]),
)
@example(seed=73, size=1e9, noise=1e-9, penalty=1e-12)
@settings(max_examples=60)
def test_estimates_exist_for_any_noisy_moments(seed, size, noise, penalty):
    generator = np.random.default_rng(seed)
    matrix = generator.normal(size=(4, 4)) * size
    gram, cross = matrix + matrix.T, generator.normal(size=4) * size
    for estimate in (
        robust_ridge(gram, cross, noise, noise),
        robust_ridge_without_constant(gram, cross, noise, noise),
        plain_ridge(gram, cross, penalty),
    ):
        assert np.all(np.isfinite(estimate))


def test_slopes_are_zero_when_the_signal_is_below_the_noise():
    gram, cross = np.diag([100.0, 100.0, 50.0]), np.array([1.0, 1.0, 25.0])
    assert np.array_equal(robust_ridge(gram, cross, 1.0, 10.0), [0.0, 0.0, 0.5])


@pytest.mark.statistical
@pytest.mark.parametrize("budget", [Pure(2.0), Approx(2.0, 1e-6)])
@pytest.mark.parametrize("mechanism", ["auto", "centred", "covariance", "objective"])
def test_a_large_table_is_fitted_well(budget, mechanism):
    """20,000 rows: within half of the spread of the true scores, which noise exceeds with negligible probability."""
    X, _, rows = table(20_000)
    plan = plan_fit(Shape.of(rows), FitRequest(Squared()), budget, mechanism)
    theta = plan.mechanism(rows, SystemEntropy()).theta
    scores = np.column_stack([X, np.ones(len(X))]) * math.sqrt(0.5) @ theta
    assert np.std(scores - (X @ [0.5, -0.3, 0.1] + 0.1)) < 0.5 * np.std(X @ [0.5, -0.3, 0.1])
