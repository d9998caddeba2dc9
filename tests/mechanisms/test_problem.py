"""Public constants of a problem against rows drawn at random and by search."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.domain import Norms
from tacit.errors import ParameterError
from tacit.losses import Hinge, HuberHinge, Logistic, Loss, Squared
from tacit.mechanisms.problem import Problem, Shape

SIZES = st.floats(0.05, 5.0)


def problem(loss: Loss, l2: float, radius: float | None, norm: float = 1.0) -> Problem:
    return Problem(Shape(10, 3, Norms(2 * norm, norm, norm), 3, 10, None), loss, l2, radius)


def gradients(theta: float, norm: float, target: float, count: int = 4_000) -> np.ndarray:
    """Gradients (⟨x, θ⟩ − y)x at θ = (theta, 0) of rows on the circle of this norm, targets at either end."""
    angle = np.random.default_rng().uniform(0, 2 * math.pi, count)
    x = norm * np.column_stack([np.cos(angle), np.sin(angle)])
    y = target * np.random.default_rng().choice([-1.0, 1.0], count)
    return (theta * x[:, 0] - y)[:, None] * x


def widest(points: np.ndarray) -> float:
    """The largest distance between two points of a plane set, by its width in 180 directions."""
    angle = np.linspace(0, math.pi, 180, endpoint=False)
    along = points @ np.stack([np.cos(angle), np.sin(angle)])
    return float(np.max(along.max(axis=0) - along.min(axis=0)))


@pytest.mark.proof("squared-gradient-change")
@given(radius=SIZES, norm=SIZES, target=SIZES)
@settings(max_examples=15)
def test_gradients_of_two_rows_are_never_further_apart_than_declared(radius, norm, target):
    declared = problem(Squared(target), 1.0, radius, norm).feasible_gradient_change

    def check(bound: float) -> None:
        assert widest(gradients(radius, norm, target)) <= bound

    check(declared)
    for mutant in (0.95 * declared, declared / 2):
        with pytest.raises(AssertionError):
            check(mutant)
    assert declared < 2 * problem(Squared(target), 1.0, radius, norm).feasible_gradient_bound


@pytest.mark.proof("minimiser-sensitivity")
@pytest.mark.parametrize("loss", [Logistic(), HuberHinge(0.5), Hinge(), Squared()], ids=lambda x: type(x).__name__)
@given(l2=st.floats(1e-6, 1e3), radius=st.one_of(st.none(), SIZES))
@settings(max_examples=20)
def test_minima_of_single_rows_stay_in_the_declared_ball(loss, l2, radius):
    """One row (1, 0, 0), target at its end: the minimiser by bisection of its slope."""
    declared = problem(loss, l2, radius).minimiser_radius
    one = np.array([1.0])
    low, high = 0.0, 1e7
    for _ in range(200):
        middle = (low + high) / 2
        rising = float(loss.slope(np.array([middle]), one)[0]) + l2 * middle >= 0
        low, high = (low, middle) if rising else (middle, high)
    assert min(low, math.inf if radius is None else radius) <= declared


def test_a_penalty_or_radius_that_is_no_positive_number_is_refused():
    for l2, radius in ((0.0, None), (-1.0, None), (math.inf, None), (1.0, 0.0), (1.0, math.inf)):
        with pytest.raises(ParameterError):
            problem(Logistic(), l2, radius)
