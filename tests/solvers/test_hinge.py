"""The hinge to a certified distance, against the dual quadratic programme."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

import tacit.solvers.hinge as hinge_module
from solvers_support import ArrayRisk, hard_tables, unit_rows
from tacit.errors import ParameterError
from tacit.losses import Hinge
from tacit.solvers import Solution, minimise_hinge, public_hinge_tolerance
from tacit.solvers.hinge import (
    SubgradientPlan,
    hinge_distance,
    narrowing_newton,
    plan_subgradient,
    subgradient_descent,
)
from tacit.solvers.line_search import Measured
from tacit.solvers.regions import Everywhere, region_of


@pytest.fixture(autouse=True)
def no_endless_fallback(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fallback of the real plan would outlast any test: needing it here is a failure of Newton."""

    def needed(*_: object) -> Solution:
        raise RuntimeError("Newton earned no certificate")

    monkeypatch.setattr(hinge_module, "subgradient_descent", needed)


def objective(X: np.ndarray, y: np.ndarray, l2: float, linear: np.ndarray | None = None) -> ArrayRisk:
    return ArrayRisk(X, y, l2, Hinge(), linear)


def dual_minimiser(risk: ArrayRisk) -> tuple[np.ndarray, float]:
    """θ and a bound on its distance to θ*, from the box-constrained dual and its duality gap: λD²/2 ≤ gap."""
    n, Z = len(risk.y), risk.X * risk.y[:, None]

    def primal(alpha: np.ndarray) -> np.ndarray:
        return (Z.T @ alpha / n - risk.b) / risk.l2

    def negative_dual(alpha: np.ndarray) -> tuple[float, np.ndarray]:
        theta = primal(alpha)
        return 0.5 * risk.l2 * float(theta @ theta) - alpha.mean(), (Z @ theta - 1.0) / n

    options = {"maxiter": 20_000, "maxfun": 100_000, "ftol": 1e-16, "gtol": 1e-14, "maxcor": 40}
    best = minimize(negative_dual, np.full(n, 0.5), jac=True, method="L-BFGS-B", bounds=[(0, 1)] * n, options=options)
    theta = primal(best.x)
    gap = max(0.0, risk.value(theta) + best.fun)
    return theta, math.sqrt(2.0 * gap / risk.l2)


def check_distance(solution: Solution, risk: ArrayRisk) -> None:
    theta, uncertainty = dual_minimiser(risk)
    assert np.linalg.norm(solution.theta - theta) <= solution.distance + uncertainty + 1e-12


@pytest.mark.proof("hinge-smoothing")
@pytest.mark.parametrize("l2", [0.5, 1e-2])
@pytest.mark.parametrize("table", hard_tables())
def test_certified_distance_bounds_the_true_distance(table: str, l2: float) -> None:
    risk = objective(*hard_tables()[table], l2)
    tolerance = public_hinge_tolerance(risk.bounds, 1e-5)
    solution = minimise_hinge(risk, tolerance)
    assert solution.distance == tolerance
    check_distance(solution, risk)


@pytest.mark.proof("hinge-smoothing")
def test_a_certificate_without_the_smoothing_term_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def forgetful(bounds, region, centre, point, width, undecided):  # type: ignore[no-untyped-def]
        return hinge_distance(bounds, region, centre, point, width, 0.0)

    def check_many_tables() -> None:
        for _ in range(30):  # one table may happen to be solved better than the mutant can know
            rng = np.random.default_rng()
            risk = objective(unit_rows(rng, 200, 3), rng.choice([-1.0, 1.0], size=200), 0.02)
            check_distance(minimise_hinge(risk, 1e-3), risk)

    check_many_tables()
    monkeypatch.setattr(hinge_module, "hinge_distance", forgetful)
    with pytest.raises(AssertionError):
        check_many_tables()


@pytest.mark.proof("hinge-smoothing")
def test_certificates_hold_far_from_the_minimum() -> None:
    rng = np.random.default_rng()
    risk = objective(unit_rows(rng, 50, 3), rng.choice([-1.0, 1.0], size=50), 0.1)
    truth, uncertainty = dual_minimiser(risk)
    for width in (1e-4, 0.1, 2.0):
        for scale in (1e-3, 0.1, 3.0):
            theta = truth + scale * rng.normal(size=3)
            shift = 1e-3 * rng.normal(size=3)
            smoothed = risk.smoothed(width, theta - shift)
            point = Measured(shift, smoothed.gradient_and_hessian(shift)[0], 0.0, 0.0)
            bound = hinge_distance(risk.bounds, Everywhere(), theta - shift, point, width, smoothed.undecided(shift))
            assert np.linalg.norm(theta - truth) <= bound + uncertainty


@pytest.mark.proof("hinge-smoothing")
@pytest.mark.parametrize("radius", [0.2, 1.0])
def test_on_a_ball_the_value_cannot_be_improved(radius: float) -> None:
    rng = np.random.default_rng()
    risk = objective(unit_rows(rng, 60, 3), np.where(rng.random(60) < 0.9, 1.0, -1.0), 1e-3)
    tolerance = public_hinge_tolerance(risk.bounds, 1e-6, radius)
    theta = minimise_hinge(risk, tolerance, radius).theta
    assert np.linalg.norm(theta) <= radius
    slack = 2.0 * tolerance * (1.0 + risk.l2 * radius)
    for scale in (1e-4, 1e-2, 1.0):
        for _ in range(300):
            rival = region_of(radius).project(theta + scale * rng.normal(size=3))
            assert risk.value(rival) >= risk.value(theta) + 0.5 * risk.l2 * np.linalg.norm(rival - theta) ** 2 - slack


@given(
    seed=st.integers(0, 2**32),
    n=st.integers(1, 80),
    d=st.integers(1, 6),
    exponent=st.integers(-4, 1),
    radius=st.sampled_from([None, 0.1, 1.0, 30.0]),
)
@settings(max_examples=60, deadline=None)
def test_newton_needs_no_fallback(seed: int, n: int, d: int, exponent: int, radius: float | None) -> None:
    rng = np.random.default_rng(seed)
    risk = objective(unit_rows(rng, n, d), rng.choice([-1.0, 1.0], size=n), 10.0**exponent, 0.1 * rng.normal(size=d))
    tolerance = public_hinge_tolerance(risk.bounds, 1e-3 * 2.0 / (risk.l2 * n), radius)
    assert narrowing_newton(risk, region_of(radius), tolerance) is not None


@pytest.mark.proof("hinge-terminates")
@pytest.mark.parametrize("radius", [None, 0.5])
@pytest.mark.parametrize("l2", [1.0, 1e-3])
@pytest.mark.parametrize("table", hard_tables())
def test_newton_reaches_the_smallest_tolerance(table: str, l2: float, radius: float | None) -> None:
    risk = objective(*hard_tables()[table], l2)
    tolerance = plan_subgradient(risk.bounds, radius).distance
    assert narrowing_newton(risk, region_of(radius), tolerance) is not None


@pytest.mark.proof("hinge-terminates")
@pytest.mark.parametrize("table", ["ordinary", "separable", "one class", "all rows zero", "one row"])
def test_the_fallback_keeps_the_promise_of_its_recursion(table: str) -> None:
    """With E made so large that the plan can be run, D² ≤ 7E/λ must still hold."""
    risk = objective(*hard_tables()[table], 0.5)
    reach, size, excess = risk.bounds.minimiser_norm, 1.0 + 0.5 * risk.bounds.minimiser_norm, 1e-2
    step = excess / size**2
    steps = math.ceil(2.0 / (step * 0.5) * math.log(reach**2 * 0.5 / excess))
    plan = SubgradientPlan(reach, step, steps, math.sqrt(7.0 * excess / 0.5))
    check_distance(subgradient_descent(risk, plan), risk)
    if table == "one row":
        with pytest.raises(AssertionError):
            check_distance(subgradient_descent(risk, SubgradientPlan(reach, step, steps // 100, plan.distance)), risk)


def test_a_stalled_newton_hands_over_to_the_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    risk = objective(*hard_tables()["ordinary"], 0.5)
    handed: list[SubgradientPlan] = []

    def record(objective: object, plan: SubgradientPlan) -> Solution:
        handed.append(plan)
        return Solution(np.zeros(3), plan.distance)

    monkeypatch.setattr(hinge_module, "narrowing_newton", lambda *_: None)
    monkeypatch.setattr(hinge_module, "subgradient_descent", record)
    minimise_hinge(risk, 0.1)
    assert handed == [plan_subgradient(risk.bounds, None)]


def test_tolerance_is_public_and_enforced() -> None:
    tables = hard_tables()
    first, second = (objective(*tables[name], 1e-3) for name in ("separable", "one class"))
    smallest = public_hinge_tolerance(first.bounds, 0.0)
    assert smallest == public_hinge_tolerance(second.bounds, 0.0)
    with pytest.raises(ParameterError, match="smallest distance"):
        minimise_hinge(first, 0.5 * smallest)
    with pytest.raises(ParameterError, match="aim"):
        public_hinge_tolerance(first.bounds, float("nan"))
