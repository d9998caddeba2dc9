"""How many steps, how good a selection, and what Frank–Wolfe reaches without noise."""

import math
from typing import Any

import numpy as np
import pytest
from scipy import optimize

from lasso_support import LOSSES, mechanism, rows_of
from tacit.errors import ParameterError
from tacit.mechanisms.lasso.candidates import BOTH_SIGNS, SIGNS_IN_TURN
from tacit.mechanisms.lasso.frank_wolfe import VertexFrankWolfe, expanded
from tacit.mechanisms.lasso.l1_problem import L1Problem
from tacit.mechanisms.lasso.schedule import MOST_STEPS, SCHEDULES, checked_steps, recommended_steps
from tacit.mechanisms.problem import Shape
from tacit.noise import SystemEntropy, exponential_mechanism
from tacit.privacy import ZCDP, Pure

pytestmark = pytest.mark.proof("frank-wolfe-steps")


def bound(T: float, log_candidates: float, c: float, score_range: float, beta: float, charge: Pure | ZCDP) -> float:
    share = math.sqrt(T / (8 * charge.rho)) if isinstance(charge, ZCDP) else T / charge.epsilon
    return beta * c * c / (2 * T) + 2 * c * score_range * share * log_candidates


@pytest.mark.parametrize("charge", [ZCDP(0.02), ZCDP(1.0), Pure(0.3), Pure(3.0)])
@pytest.mark.parametrize(("n", "p", "c"), [(25_000, 90_000, 10.0), (10_000, 50, 1.0), (10**6, 1000, 2.0)])
def test_the_closed_form_minimises_the_bound(charge: Pure | ZCDP, n: int, p: int, c: float) -> None:
    for factor, beta in ((2, 0.25), (4, 0.04)):
        public = math.log(2 * p), c, factor / n, beta, charge
        chosen = recommended_steps(*public)
        best = min(bound(T, *public) for T in range(1, 3 * chosen + 3))
        assert bound(chosen, *public) <= best * 1.02


def test_known_numbers() -> None:
    """25,000 reviews, 89,527 words, radius 10, ε = 1 at δ = 1e-6: some seventy steps instead of some eight hundred."""
    assert recommended_steps(math.log(2 * 89_527), 10.0, 4 * 0.5 / 25_000, 0.25, ZCDP(0.02436)) == 69
    assert recommended_steps(math.log(2 * 10**6), 1.0, 4 * 1.0 / 10, 1.0, Pure(0.01)) == 1
    assert recommended_steps(math.log(4), 100.0, 4e-9, 1.0, ZCDP(1e6)) == MOST_STEPS


def test_steps_of_a_problem() -> None:
    """The two kinds of candidates: half the range and half as many of them."""
    shape = Shape.of(rows_of(np.ones((5000, 7)), [1] * 5000))
    for candidates, factor, count in ((BOTH_SIGNS, 4, 14), (SIGNS_IN_TURN, 2, 7)):
        problem = L1Problem(shape, LOSSES["logistic"], 3.0, 0.5, candidates)
        expected = recommended_steps(math.log(count), 3.0, factor * 0.5 / 5000, 0.25 * 0.5, ZCDP(0.1))
        assert problem.recommended_steps(ZCDP(0.1)) == expected


@pytest.mark.statistical
def test_selections_are_as_good_as_claimed() -> None:
    """More than 2b ln 2p below the best with probability at most 1/(2p); four times that in no run of the claim."""
    vertices, scale, draws = 40, 1.0, 4000
    scores = np.zeros(vertices)
    scores[0] = 2 * scale * math.log(vertices) + 1e-9
    misses = sum(exponential_mechanism(scores, scale, SystemEntropy()) != 0 for _ in range(draws))
    assert misses / draws <= 1 / vertices + 6.2 * math.sqrt(1 / vertices / draws)
    weak = np.zeros(vertices)
    weak[0] = scale * math.log(vertices)
    misses = sum(exponential_mechanism(weak, scale, SystemEntropy()) != 0 for _ in range(draws))
    assert misses / draws > 1 / vertices + 6.2 * math.sqrt(1 / vertices / draws)


def l1_minimum(X: Any, y: Any, loss: Any, radius: float) -> float:
    """The least mean loss over the ℓ1 ball, by a solver that knows nothing of Frank–Wolfe."""
    p = X.shape[1]
    answer = optimize.minimize(
        lambda z: float(loss.value(X @ (z[:p] - z[p:]), y).mean()),
        np.full(2 * p, radius / (4 * p)),
        bounds=[(0, None)] * (2 * p),
        constraints=[{"type": "ineq", "fun": lambda z: radius - z.sum()}],
        method="SLSQP",
        options={"maxiter": 300, "ftol": 1e-10},
    )
    return float(answer.fun)


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("loss", LOSSES)
def test_without_noise_the_minimum_is_reached(loss: str, schedule: str) -> None:
    """A budget so large that the best vertex always wins: Frank–Wolfe itself, against an independent minimum."""
    rng = np.random.default_rng(3)
    X = rng.integers(-2, 3, (60, 5)) / 2
    y = np.sign(X @ [1.0, -1.0, 0.5, 0.0, 0.0] + 0.3 * rng.normal(size=60) + 1e-9)
    rows = rows_of(X, y, loss)
    steps, radius = 400, 1.5
    fit = mechanism(rows, Pure(2.0**20), steps, loss=loss, radius=radius, schedule=schedule)
    theta = expanded(fit(rows, SystemEntropy()), 5)
    assert np.abs(theta).sum() <= radius * (1 + 1e-12)
    reached = float(LOSSES[loss].value(X @ theta, y).mean())
    least = l1_minimum(X, y, LOSSES[loss], radius)
    assert least - 1e-6 <= reached <= least + 0.01


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_iterates_stay_in_the_ball(schedule: str) -> None:
    rule = SCHEDULES[schedule]
    for steps in (1, 2, 7, 50):
        weights = [rule.weight(t) for t in range(1, steps + 1)]
        assert all(sum(weights[:t]) <= rule.total(t, steps) for t in range(steps + 1))


def test_hopeless_fits_are_known_beforehand() -> None:
    shape = Shape.of(rows_of(np.ones((8, 3)), [1] * 8))
    problem = L1Problem(shape, LOSSES["logistic"], 1.0)
    assert VertexFrankWolfe(problem, Pure(0.1), 1).hopeless
    assert not VertexFrankWolfe(problem, Pure(100.0), 1).hopeless


@pytest.mark.parametrize("steps", [0, -1, 2.0, True, MOST_STEPS + 1])
def test_bad_numbers_of_steps(steps: Any) -> None:
    with pytest.raises(ParameterError, match="steps must be a whole number"):
        checked_steps(steps)


def test_bad_problems() -> None:
    shape = Shape.of(rows_of(np.ones((8, 3)), [1] * 8))
    with pytest.raises(ParameterError, match="radius"):
        L1Problem(shape, LOSSES["logistic"], 0.0)
    with pytest.raises(ParameterError, match="column_moment"):
        L1Problem(shape, LOSSES["logistic"], 1.0, 1.5)
