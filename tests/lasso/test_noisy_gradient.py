"""Frank–Wolfe over any convex set by noise in the gradient."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import optimize

from lasso_support import LOSSES, UNITS
from mechanisms_support import rows_of as unit_rows
from tacit.errors import ParameterError
from tacit.mechanisms.lasso.convex_sets import L1Ball, L2Ball, Simplex
from tacit.mechanisms.lasso.noisy_frank_wolfe import PrivateFrankWolfe, slope_sums
from tacit.mechanisms.problem import Shape
from tacit.noise import SeededEntropy, SystemEntropy
from tacit.privacy import ZCDP, Pure

pytestmark = pytest.mark.proof("noisy-gradient")
SETS = [L2Ball(1.5), L1Ball(1.5), Simplex(1.5)]


def fit_over(region: Any, rows: Any, charge: Pure | ZCDP, steps: int | None = None) -> PrivateFrankWolfe:
    return PrivateFrankWolfe(Shape.of(rows), LOSSES["logistic"], region, charge, steps)


def check_change(X: Any, y: Any, row: Any, label: int, bound: float) -> None:
    changed, labels = X.copy(), list(y)
    changed[0], labels[0] = row, label
    theta = np.linspace(-1, 1, X.shape[1])
    sums = [slope_sums(unit_rows(A, b), LOSSES["logistic"], theta) for A, b in ((X, y), (changed, labels))]
    assert np.linalg.norm(sums[0] - sums[1]) <= bound


@given(row=arrays(np.float64, 3, elements=st.floats(width=64)), label=st.sampled_from([-1, 1]))
def test_no_row_moves_the_gradient_further(row: Any, label: int) -> None:
    X, y = np.eye(3) / 2, [1, -1, 1]
    bound = fit_over(L2Ball(1.0), unit_rows(X, y), ZCDP(1.0), 1).sensitivity.total
    check_change(X, y, row, label, bound)


def test_the_worst_pair_and_half_the_sensitivity() -> None:
    X, y = np.array([[0.0, 1.0, 0.0]]), [1]  # θ = (−1, 0, 1): margin 0, slope at its clip
    bound = fit_over(L2Ball(1.0), unit_rows(X, y), ZCDP(1.0), 1).sensitivity.total
    assert bound == pytest.approx(2 * UNITS, rel=1e-6)
    check_change(X, y, X[0], -1, bound)
    with pytest.raises(AssertionError):
        check_change(X, y, X[0], -1, bound / 2)


@pytest.mark.parametrize("charge", [ZCDP(0.7), Pure(0.7)])
def test_steps_share_the_budget(charge: Any) -> None:
    rows = unit_rows(np.eye(3), [1, -1, 1])
    one, many = (fit_over(L2Ball(1.0), rows, charge, steps) for steps in (1, 16))
    growth = 4.0 if isinstance(charge, ZCDP) else 16.0
    assert many.law.scale == pytest.approx(growth * one.law.scale)
    expected = {ZCDP: one.sensitivity.total / math.sqrt(1.4), Pure: one.sensitivity.total / 0.7}[type(charge)]
    assert one.law.scale == pytest.approx(expected)
    assert one.facts[0].charge == charge


@pytest.mark.parametrize("region", SETS, ids=lambda region: region.name)
def test_without_noise_the_minimum_is_reached(region: Any) -> None:
    rng = np.random.default_rng(0)
    X = rng.uniform(-0.5, 0.5, (200, 4))
    y = np.where(X @ [1.0, 0.2, -0.5, 0.0] > 0, 1, -1)
    rows, loss = unit_rows(X, y), LOSSES["logistic"]
    theta = fit_over(region, rows, ZCDP(2.0**39), 600)(rows, SystemEntropy()).theta
    constraints: list[dict[str, Any]] = {
        "l2 ball": [{"type": "ineq", "fun": lambda v: 1.5**2 - v @ v}],
        "l1 ball": [{"type": "ineq", "fun": lambda v: 1.5 - np.abs(v).sum()}],
        "simplex": [{"type": "eq", "fun": lambda v: v.sum() - 1.5}, {"type": "ineq", "fun": lambda v: v}],
    }[region.name]
    assert all(np.min(c["fun"](theta)) > -1e-9 for c in constraints)

    def risk(v: Any) -> float:
        return float(loss.value(X @ v, y.astype(float)).mean())

    least = optimize.minimize(risk, region.start(4) + 0.01, constraints=constraints, method="SLSQP").fun
    assert least - 1e-6 <= risk(theta) <= least + 0.005


@pytest.mark.proof("frank-wolfe-steps")
@pytest.mark.parametrize("region", SETS, ids=lambda region: region.name)
def test_the_number_of_steps_minimises_its_bound(region: Any) -> None:
    rows = unit_rows(np.zeros((5000, 8)), [1] * 5000)
    for charge in (ZCDP(0.5), Pure(1.0)):
        fit = fit_over(region, rows, charge)
        bend = 0.25 * (fit.shape.norms.l2 * region.diameter) ** 2

        def bound(T: int, charge: Any = charge, bend: float = bend, fit: Any = fit) -> float:
            share = math.sqrt(T / (2 * charge.rho)) if isinstance(charge, ZCDP) else 3.0 * T / charge.epsilon
            return 2 * bend / T + 2 * region.width(8) * 2 * 0.5 * fit.shape.norms.l2 / 5000 * share

        assert bound(fit.taken_steps) <= min(map(bound, range(1, 3 * fit.taken_steps + 3))) * 1.02


def test_vertices() -> None:
    g = np.array([1.0, -3.0, 2.0])
    for region in SETS:
        corners = 1.5 * np.vstack([np.eye(3), -np.eye(3)]) if region.name != "simplex" else 1.5 * np.eye(3)
        assert g @ region.furthest(g) <= min(corners @ g) + 1e-12
    assert np.linalg.norm(L2Ball(1.5).furthest(np.zeros(3))) == pytest.approx(1.5)
    with pytest.raises(ParameterError, match="radius"):
        L1Ball(0.0)


def test_a_seed_repeats_a_fit() -> None:
    rows = unit_rows(np.eye(3), [1, -1, 1])
    first, second = (fit_over(L1Ball(1.0), rows, ZCDP(1.0))(rows, SeededEntropy(4)).theta for _ in range(2))
    assert np.array_equal(first, second)
