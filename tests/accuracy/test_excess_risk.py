"""The accuracy query: its sensitivity, its rounding, and the ball its hypotheses live in."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize

from accuracy_support import LOSSES, rows_of, table
from tacit.errors import ParameterError
from tacit.losses import Hinge
from tacit.mechanisms.accuracy.excess_risk import ExcessRisk
from tacit.mechanisms.accuracy.gradual import into_ball
from tacit.mechanisms.problem import Problem, Shape

NAMES = list(LOSSES)


def exact_query(X, y, theta, loss, l2, radius, cap):
    """h by an independent minimiser."""

    def risk(t):
        return float(np.mean(loss.value(X @ t, y))) + 0.5 * l2 * float(t @ t)

    def gradient(t):
        return X.T @ loss.slope(X @ t, y) / len(y) + l2 * t

    ball = {"type": "ineq", "fun": lambda t: radius**2 - t @ t, "jac": lambda t: -2 * t}
    options = {"maxiter": 500, "ftol": 1e-15}
    best = minimize(risk, np.zeros(X.shape[1]), jac=gradient, constraints=[ball], method="SLSQP", options=options)
    gap = min(best.fun, risk(theta)) - risk(theta)
    return gap if cap is None else max(gap, -cap)


def query_of(loss, n, l2, cap, radius=None, d=2):
    rows = rows_of(np.zeros((n, d)), np.ones(n), loss)
    problem = Problem(Shape.of(rows), loss, l2, radius)
    return ExcessRisk(replace(problem, radius=problem.minimiser_radius), cap)


def worst_change(loss, query, n=4, tries=12, seed=0):
    """Hill-climbed |h(D) − h(D')| over tables of n rows, one replaced row and one hypothesis."""
    rng = np.random.default_rng(seed)
    l2, radius, cap, d = query.problem.l2, query.radius, query.cap, query.problem.shape.width
    squared = loss == LOSSES["squared"]

    def unpack(v):
        X = v[: (n + 1) * d].reshape(n + 1, d)
        X = X / np.maximum(1, np.linalg.norm(X, axis=1))[:, None]
        raw = v[(n + 1) * d : (n + 1) * (d + 1)]
        y = np.clip(raw, -1, 1) if squared else np.where(raw > 0, 1.0, -1.0)
        return X, y, into_ball(v[None, -d:], radius)[0]

    def change(v):
        X, y, theta = unpack(v)
        ours = exact_query(X[:n], y[:n], theta, loss, l2, radius, cap)
        return abs(ours - exact_query(X[1:], y[1:], theta, loss, l2, radius, cap))

    best = 0.0
    for _ in range(tries):
        v = np.concatenate([rng.normal(size=(n + 1) * d), 2 * rng.normal(size=n + 1), 3 * rng.normal(size=d)])
        now, step = change(v), 1.0
        for _ in range(60):
            w = v + step * rng.normal(size=v.size) * (rng.random(v.size) < 0.3)
            then = change(w)
            v, now, step = (w, then, min(2.0, step * 1.3)) if then > now else (v, now, max(0.05, step * 0.9))
        best = max(best, now)
    return best


SETTINGS = {"squared": (0.5, None), "logistic": (0.05, None), "huber": (0.05, None)}


@pytest.mark.proof("truncated-excess-risk")
@pytest.mark.parametrize("cap", [None, 0.08])
@pytest.mark.parametrize("name", NAMES)
def test_no_neighbour_moves_the_query_by_more_than_its_sensitivity(name, cap):
    loss, (l2, radius) = LOSSES[name], SETTINGS[name]
    query = query_of(loss, 4, l2, cap, radius)
    assert worst_change(loss, query) <= query.sensitivity.total * (1 + 1e-6)


def designed_change(loss, query, n):
    """A pair built by hand: n − 1 equal rows, one contrary row replaced by one of them; θ at the far end."""
    l2, radius, cap = query.problem.l2, query.radius, query.cap
    x = np.array([1.0, 0.0])
    X = np.tile(x, (n, 1))
    y, other = np.ones(n), np.ones(n)
    other[0] = -1.0
    best = 0.0
    for score in np.linspace(-radius, radius, 401):
        theta = np.array([score, 0.0])
        change = exact_query(X, y, theta, loss, l2, radius, cap) - exact_query(X, other, theta, loss, l2, radius, cap)
        best = max(best, abs(change))
    return best


def check_attained(sensitivity, change):
    assert change <= sensitivity * (1 + 1e-6)


@pytest.mark.proof("truncated-excess-risk")
@pytest.mark.parametrize("name", NAMES)
def test_half_the_sensitivity_and_a_dropped_square_are_refuted(name):
    loss = LOSSES[name]
    n, l2 = 60, 0.02
    query = query_of(loss, n, l2, None)
    change = designed_change(loss, query, n)
    check_attained(query.sensitivity.total, change)
    assert change > 0.3 * query.sensitivity.total
    if name == "squared":
        with pytest.raises(AssertionError):
            check_attained((query.radius + 1) / n, change)  # (R + 1)/n instead of (R + 1)²/n
    wide = query_of(loss, n, l2, None, radius=3.0)
    with pytest.raises(AssertionError):
        check_attained(wide.sensitivity.total / 3.4, designed_change(loss, wide, n))


@pytest.mark.proof("truncated-excess-risk")
@pytest.mark.parametrize("name", NAMES)
def test_truncation_lowers_the_sensitivity_and_is_needed_for_it(name):
    loss, n, l2 = LOSSES[name], 60, 0.1
    truncated, free = query_of(loss, n, l2, 1e-3), query_of(loss, n, l2, None)
    assert truncated.sensitivity.total < 0.5 * free.sensitivity.total
    check_attained(truncated.sensitivity.total, designed_change(loss, truncated, n))
    with pytest.raises(AssertionError):
        check_attained(truncated.sensitivity.total, designed_change(loss, free, n))


@pytest.mark.proof("truncated-excess-risk")
def test_the_published_sensitivities_are_special_cases():
    rows = rows_of(np.zeros((100, 2)), np.ones(100), LOSSES["squared"])
    ridge = Problem(Shape.of(rows), LOSSES["squared"], 0.005)
    logistic = Problem(Shape.of(rows), LOSSES["logistic"], 0.005)
    ball, other = 1 / np.sqrt(0.005), np.sqrt(2 * np.log(2) / 0.005)
    for problem, radius, expected in ((ridge, ball, (ball + 1) ** 2 / 100), (logistic, other, 2 * other / 100)):
        query = ExcessRisk(replace(problem, radius=radius), None)
        assert query.sensitivity.parts["one replaced row"] == pytest.approx(expected, rel=1e-9)


@pytest.mark.proof("truncated-excess-risk")
@pytest.mark.parametrize("name", NAMES)
def test_computed_values_are_within_the_stated_error(name):
    loss = LOSSES[name]
    rows = table(loss, n=300, d=4)
    problem = Problem(Shape.of(rows), loss, 0.05)
    query = ExcessRisk(replace(problem, radius=problem.minimiser_radius), 0.3)
    opened = query.open(rows)
    blocks = []
    rows.total(lambda X, y: blocks.append((X.copy(), y.copy())) or 0.0)
    X, y = np.vstack([b[0] for b in blocks]).astype(np.longdouble), np.concatenate([b[1] for b in blocks])

    def risk(theta):
        scores = X @ theta.astype(np.longdouble)
        if name == "squared":
            values = (y - scores) ** 2 / 2
        elif name == "logistic":
            values = np.log1p(np.exp(-y * scores))
        else:
            z = 1 - y * scores
            values = np.where(z >= 0.5, z, np.where(z <= -0.5, 0, (z + 0.5) ** 2 / 2))
        return values.mean() + np.longdouble(0.025) * (theta.astype(np.longdouble) @ theta)

    thetas = np.random.default_rng(1).normal(size=(40, 4))
    thetas = into_ball(thetas, query.radius)
    computed = opened.values(thetas)
    for theta, value in zip(thetas, computed, strict=True):
        exact = max(float(risk(opened.best) - risk(theta)), -0.3)
        assert abs(value - exact) <= query.error
    assert query.error < 1e-3 * query.sensitivity.total


def largest_minimiser(loss, l2):
    """The longest minimiser among tables of equal rows of every length."""
    longest = 0.0
    for length in np.geomspace(0.01, 1.0, 120):
        for target in (1.0, 0.5) if loss == LOSSES["squared"] else (1.0,):
            grid = np.linspace(0, 3 / np.sqrt(l2), 4001)
            risk = loss.value(length * grid, np.full(grid.size, target)) + 0.5 * l2 * grid**2
            longest = max(longest, grid[np.argmin(risk)])
    return longest


def check_radius(radius, loss, l2):
    assert largest_minimiser(loss, l2) <= radius * (1 + 1e-3)


@pytest.mark.proof("stationary-norm")
@pytest.mark.parametrize("name", NAMES)
def test_every_minimiser_lies_in_the_ball_and_some_come_near_its_edge(name):
    loss, l2 = LOSSES[name], 0.01
    rows = rows_of(np.zeros((10, 2)), np.ones(10), loss)
    problem = Problem(Shape.of(rows), loss, l2)
    radius = problem.minimiser_radius
    check_radius(radius, loss, l2)
    assert largest_minimiser(loss, l2) > 0.95 * radius
    assert radius < np.sqrt(2 * loss.constants(0.0).value / l2)  # the ball from J(θ*) ≤ J(0)
    with pytest.raises(AssertionError):
        check_radius(radius / np.sqrt(2), loss, l2)


@pytest.mark.proof("stationary-norm")
def test_a_smaller_public_radius_wins():
    rows = rows_of(np.zeros((10, 2)), np.ones(10), LOSSES["logistic"])
    assert Problem(Shape.of(rows), LOSSES["logistic"], 0.01, 0.5).minimiser_radius == 0.5


def test_hypotheses_are_projected_when_outside_and_only_then():
    thetas = into_ball(np.array([[0.3, 0.4], [30.0, 40.0]]), 1.0)
    assert np.array_equal(thetas[0], [0.3, 0.4])
    assert np.allclose(thetas[1], [0.6, 0.8])
    assert np.linalg.norm(thetas[1]) <= 1.0


def test_a_query_needs_a_ball_and_a_smooth_loss():
    rows = rows_of(np.zeros((10, 2)), np.ones(10), LOSSES["logistic"])
    with pytest.raises(ParameterError, match="ball"):
        ExcessRisk(Problem(Shape.of(rows), LOSSES["logistic"], 0.1), 0.1)
    with pytest.raises(ParameterError, match="smooth"):
        ExcessRisk(Problem(Shape.of(rows), Hinge(), 0.1, 1.0), 0.1)
