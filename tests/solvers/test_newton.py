"""Certified Newton: the promised distance holds on ordinary and on vicious tables, and is reached without help."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

import tacit.solvers.newton as newton_module
from solvers_support import ArrayRisk, exact_minimiser, hard_tables, unit_rows
from tacit.errors import ParameterError
from tacit.losses import CappedLogistic, HuberHinge, Logistic, Squared
from tacit.solvers import Solution, minimise, public_tolerance
from tacit.solvers.descent import descend, smallest_tolerance
from tacit.solvers.newton import newton
from tacit.solvers.regions import region_of

REFERENCE_ERROR = 1e-15


def check_distance(solution: Solution, truth: np.ndarray, radius: float | None) -> None:
    rounding = REFERENCE_ERROR * (1.0 + np.linalg.norm(truth))
    assert np.linalg.norm(solution.theta - truth) <= solution.distance + rounding
    if radius is not None:
        assert np.linalg.norm(solution.theta) <= radius * (1 + 1e-15)


@pytest.mark.proof("minimiser-distance")
@pytest.mark.proof("newton-terminates")
@pytest.mark.parametrize("radius", [None, 0.3, 5.0])
@pytest.mark.parametrize("l2", [1.0, 1e-3])
@pytest.mark.parametrize("table", hard_tables())
def test_certified_distance_bounds_the_true_distance(table: str, l2: float, radius: float | None) -> None:
    X, y = hard_tables()[table]
    risk = ArrayRisk(X, y, l2)
    tolerance = public_tolerance(risk.bounds, 0.0, radius)
    solution = minimise(risk, tolerance, radius)
    assert solution.distance == tolerance
    check_distance(solution, exact_minimiser(risk, radius), radius)


@pytest.mark.parametrize("radius", [None, 0.3])
def test_a_solver_that_ignores_its_tolerance_is_caught(radius: float | None, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = hard_tables()["ordinary"]
    risk = ArrayRisk(X, y, 1e-3)
    tolerance = public_tolerance(risk.bounds, 1e-9, radius)
    truth = exact_minimiser(risk, radius)
    check_distance(minimise(risk, tolerance, radius), truth, radius)
    monkeypatch.setattr(newton_module, "newton", lambda objective, region, tolerance: np.zeros(3))
    with pytest.raises(AssertionError):
        check_distance(minimise(risk, tolerance, radius), truth, radius)


@pytest.mark.parametrize("radius", [None, 0.5, 20.0])
@pytest.mark.parametrize("l2", [1.0, 1e-2, 1e-5, 1e-8])
@pytest.mark.parametrize("table", hard_tables())
@pytest.mark.parametrize("loss", [Logistic(), CappedLogistic(), HuberHinge(0.5), HuberHinge(0.01), Squared()], ids=repr)
def test_newton_needs_no_fallback_even_at_the_smallest_tolerance(
    loss: Logistic, table: str, l2: float, radius: float | None
) -> None:
    X, y = hard_tables()[table]
    risk = ArrayRisk(X, y, l2, loss)
    region = region_of(radius)
    theta = newton(risk, region, smallest_tolerance(risk.bounds, region))
    assert theta is not None
    assert risk.evaluations < (100 if isinstance(loss, (Logistic, CappedLogistic)) else 3000)


@pytest.mark.proof("newton-terminates")
@pytest.mark.parametrize("radius", [None, 0.4])
@pytest.mark.parametrize("table", ["ordinary", "separable", "one row", "all rows zero"])
def test_the_fallback_alone_keeps_the_promise(table: str, radius: float | None) -> None:
    X, y = hard_tables()[table]
    risk = ArrayRisk(X, y, 0.02)
    region = region_of(radius)
    tolerance = smallest_tolerance(risk.bounds, region)
    truth = exact_minimiser(risk, radius)
    check_distance(descend(risk, region, tolerance), truth, radius)
    uncertified = descend(risk, region, 0.0)
    check_distance(Solution(uncertified.theta, tolerance), truth, radius)


@pytest.mark.proof("newton-terminates")
def test_a_fallback_with_a_tenth_of_its_steps_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    import tacit.solvers.descent as descent_module

    X, y = hard_tables()["one class"]
    risk, region = ArrayRisk(X, y, 0.02), region_of(None)
    plan = descent_module.plan_descent(risk.bounds, region)
    short = descent_module.DescentPlan(plan.steps // 10, plan.distance)
    monkeypatch.setattr(descent_module, "plan_descent", lambda bounds, region: short)
    with pytest.raises(AssertionError):
        check_distance(Solution(descend(risk, region, 0.0).theta, plan.distance), exact_minimiser(risk), None)


def test_a_stalled_newton_hands_over(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = hard_tables()["ordinary"]
    risk = ArrayRisk(X, y, 0.05)
    monkeypatch.setattr(newton_module, "newton", lambda *_: None)
    tolerance = public_tolerance(risk.bounds, 1e-10)
    check_distance(minimise(risk, tolerance), exact_minimiser(risk), None)


@pytest.mark.parametrize("order", ["shuffled", "sorted by class", "informative rows last"])
def test_a_misleading_head_costs_time_not_truth(order: str) -> None:
    rng = np.random.default_rng()
    X = unit_rows(rng, 40_000, 5)
    y = np.where(rng.random(40_000) < 1 / (1 + np.exp(-6 * X[:, 0] - 1)), 1.0, -1.0)
    if order == "sorted by class":
        X, y = X[np.argsort(y)], np.sort(y)
    if order == "informative rows last":
        X = X.copy()
        X[:20_000] = 0.0
    risk = ArrayRisk(X, y, 1e-4)
    region = region_of(None)
    tolerance = public_tolerance(risk.bounds, 1e-7)
    theta = newton(risk, region, tolerance)
    assert theta is not None
    g, error = risk.gradient(theta)
    assert region.certified_distance(risk.bounds, theta, g, error) <= tolerance
    assert np.linalg.norm(g) <= risk.l2 * tolerance


def test_agrees_with_scikit_learn() -> None:
    rng = np.random.default_rng()
    X = unit_rows(rng, 3000, 6)
    y = np.where(rng.random(3000) < 1 / (1 + np.exp(-4 * X[:, 0])), 1.0, -1.0)
    risk = ArrayRisk(X, y, 1e-3)
    solution = minimise(risk, public_tolerance(risk.bounds, 1e-8))
    oracle = LogisticRegression(C=1 / (1e-3 * 3000), fit_intercept=False, tol=1e-10, solver="newton-cholesky").fit(X, y)
    np.testing.assert_allclose(solution.theta, oracle.coef_[0], atol=1e-6)


@given(
    seed=st.integers(0, 2**32),
    n=st.integers(1, 60),
    d=st.integers(1, 8),
    exponent=st.integers(-6, 1),
    radius=st.sampled_from([None, 0.1, 1.0, 50.0]),
)
@settings(max_examples=80, deadline=None)
def test_any_table_is_certified(seed: int, n: int, d: int, exponent: int, radius: float | None) -> None:
    rng = np.random.default_rng(seed)
    X, y = unit_rows(rng, n, d), rng.choice([-1.0, 1.0], size=n)
    risk = ArrayRisk(X, y, 10.0**exponent, linear=rng.normal(size=d) * rng.choice([0.0, 0.1, 10.0]))
    region = region_of(radius)
    assert newton(risk, region, smallest_tolerance(risk.bounds, region)) is not None


@pytest.mark.proof("ball-residual")
def test_solutions_on_the_sphere_satisfy_the_optimality_conditions() -> None:
    X, y = hard_tables(4)["separable"]
    risk = ArrayRisk(X, y, 1e-4)
    theta = minimise(risk, public_tolerance(risk.bounds, 0.0, 2.0), 2.0).theta
    g, _ = risk.gradient(theta)
    multiplier = -float(g @ theta) / float(theta @ theta)
    assert np.linalg.norm(theta) == pytest.approx(2.0, rel=1e-13)
    assert multiplier > 0.0
    assert np.linalg.norm(g + multiplier * theta) <= 1e-13


def test_tolerance_is_a_function_of_public_numbers_and_is_enforced() -> None:
    tables = hard_tables()
    first, second = (ArrayRisk(*tables[name], 1e-3) for name in ("separable", "one class"))
    assert public_tolerance(first.bounds, 0.0) == public_tolerance(second.bounds, 0.0)
    assert public_tolerance(first.bounds, 1e-3) == 1e-3
    with pytest.raises(ParameterError, match="smallest distance"):
        minimise(first, 0.5 * public_tolerance(first.bounds, 0.0))
    with pytest.raises(ParameterError, match="aim"):
        public_tolerance(first.bounds, float("nan"))


def test_a_promise_wider_than_the_domain_is_kept_without_looking() -> None:
    X, y = hard_tables()["ordinary"]
    risk = ArrayRisk(X, y, 1e-18)
    tolerance = smallest_tolerance(risk.bounds, region_of(1e-3))
    assert tolerance <= 1e-3
    assert minimise(risk, tolerance, 1e-3).distance == tolerance
