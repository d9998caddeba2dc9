"""With the same randomness, one row moves a trained vector and its score no further than declared."""

from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selection_support import classified, mechanism, opposite_pair, random_table, recorder
from tacit.errors import ParameterError
from tacit.losses import Hinge, HuberHinge, Logistic, Squared
from tacit.mechanisms.problem import Shape
from tacit.mechanisms.release import Release
from tacit.mechanisms.selection.scores import CappedLoss, DeclaredScore, Ramp, Score, default_score
from tacit.mechanisms.selection.stability import Stability, motion
from tacit.mechanisms.selection.validation import Validation
from tacit.noise import Entropy, exponential_mechanism, laplace
from tacit.privacy import ZCDP, Approx, Pure
from tacit.rows import Rows
from tacit.solvers import shortened

KINDS = ["output", "objective"]
BUDGETS = [Pure(1.0), ZCDP(0.5), Approx(1.0, 1e-6)]


def moved_with_the_same_noise(trained: Any, pair: tuple[Rows, Rows]) -> float:
    entropy = recorder()
    first = trained(pair[0], entropy).theta
    second = trained(pair[1], entropy.replay()).theta
    return float(np.linalg.norm(first - second))


def assert_moves_at_most(observed: float, declared: float) -> None:
    assert observed <= declared


@pytest.mark.proof("training-stability")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("budget", BUDGETS, ids=["pure", "zcdp", "approx"])
def test_the_worst_pair_moves_as_declared(kind: str, budget: Any) -> None:
    """λ is so large that the curvature of the loss hardly holds the minimum back."""
    pair = opposite_pair(40)
    trained = mechanism(pair[0], kind, l2=5.0, budget=budget)
    declared, observed = motion(trained).moved, moved_with_the_same_noise(trained, pair)
    assert_moves_at_most(observed, declared)
    with pytest.raises(AssertionError):
        assert_moves_at_most(observed, declared / 4)


@pytest.mark.proof("training-stability")
@pytest.mark.parametrize("kind", KINDS)
def test_random_pairs_move_less(kind: str) -> None:
    for _ in range(10):
        X, y = random_table(30)
        other_X, other_y = X.copy(), y.copy()
        other_X[4], other_y[4] = random_table(1)[0][0], -y[4]
        pair = classified(X, y), classified(other_X, other_y)
        trained = mechanism(pair[0], kind, l2=0.05)
        assert_moves_at_most(moved_with_the_same_noise(trained, pair), motion(trained).moved)


def assert_spread(spread: float, moves: list[float]) -> None:
    """No score moves further, and the worst one not much less: the bound is neither too small nor β₁ without its n."""
    assert max(moves) <= spread
    assert max(moves) >= spread / 12


@pytest.mark.proof("training-stability")
def test_scores_move_as_declared_through_training_and_through_validation() -> None:
    n, m = 40, 40
    pair = opposite_pair(n)
    held_out = [classified(np.tile([[1.0, 0.0]], (m, 1)), np.r_[label, np.ones(m - 1, dtype=int)]) for label in (1, -1)]
    trained = mechanism(pair[0], "objective", l2=5.0)
    validation = Validation(Ramp(0.05), Shape.of(held_out[0]), motion(trained).length)
    stability = validation.stability(motion(trained).moved, n)
    moves = []
    for _ in range(20):
        entropy = recorder()
        first = trained(pair[0], entropy).theta
        second = trained(pair[1], entropy.replay()).theta
        through_training = validation(held_out[0], [first])[0] - validation(held_out[0], [second])[0]
        through_validation = validation(held_out[0], [first])[0] - validation(held_out[1], [first])[0]
        moves += [abs(through_training), abs(through_validation)]
    assert_spread(stability.spread(n, m), moves)
    with pytest.raises(AssertionError):
        assert_spread(Stability(stability.beta_training, stability.beta_validation).spread(1, m), moves)
    with pytest.raises(AssertionError):
        assert_spread(stability.spread(n, m) / 12.1, moves)


class ExponentialInside:
    """Example 6.1: training that ends with an exponential mechanism, (i*, t_1, t_2) with score t_{i*}."""

    charge = Pure(1.0)
    facts = ()

    def __call__(self, rows: Rows, entropy: Entropy) -> Release:
        scores = np.array([1.0, 0.5]) + rows.total(lambda X, y: float(y.sum())) / rows.n * np.array([-0.5, 0.5])
        winner = exponential_mechanism(scores, 4 / rows.n, entropy)
        noisy = laplace(scores, 4 / rows.n, entropy)
        return Release(np.array([noisy[winner], 0.0]), np.zeros(2))


@pytest.mark.proof("training-stability")
def test_an_exponential_mechanism_inside_training_is_refused() -> None:
    with pytest.raises(ParameterError, match="does not declare how far one row moves"):
        motion(ExponentialInside())


@pytest.mark.proof("training-stability")
def test_the_refusal_has_a_reason() -> None:
    """Private, and yet for some randomness one row changes the winner and the score by far more than O(1/n)."""
    n, jumps = 40, 0
    labels = np.where(np.arange(n) < 28, 1, -1)
    tables = [classified(np.zeros((n, 1)), np.r_[first, labels[1:]]) for first in (1, -1)]
    for _ in range(400):
        entropy = recorder()
        first = ExponentialInside()(tables[0], entropy).theta[0]
        second = ExponentialInside()(tables[1], entropy.replay()).theta[0]
        jumps += abs(first - second) > 3 / n
    assert jumps > 0


SCORES: list[Score] = [
    Ramp(),
    Ramp(0.1),
    CappedLoss(Logistic(), 2.0),
    CappedLoss(Squared(), 2.0),
    CappedLoss(Hinge(), 3.0),
    CappedLoss(HuberHinge(), 3.0),
    DeclaredScore(lambda s, y: np.abs(y - s), 1.5, 1.0),
]
NUMBERS = st.floats(-20, 20)


def assert_score(score: Score, lipschitz: float, bound: float, one: float, two: float, y: float) -> None:
    values = score(np.array([one, two]), np.array([y, y]))
    assert np.all(values >= 0)
    assert abs(values[0] - values[1]) <= lipschitz * abs(one - two) + 1e-12
    opposite = score(np.array([one, two]), np.array([y, -y]))
    assert abs(opposite[0] - opposite[1]) <= bound + 1e-12


@pytest.mark.proof("score-constants")
@pytest.mark.parametrize("score", SCORES, ids=lambda score: score.name)
@given(one=NUMBERS, two=NUMBERS, y=st.sampled_from([-1.0, 1.0]))
@settings(max_examples=60)
def test_scores_keep_bound_and_slope(score: Score, one: float, two: float, y: float) -> None:
    assert_score(score, score.lipschitz, score.bound(max(abs(one), abs(two))), one, two, y)


@pytest.mark.proof("score-constants")
@pytest.mark.parametrize("score", SCORES, ids=lambda score: score.name)
def test_half_a_constant_is_noticed(score: Score) -> None:
    def assert_everywhere(lipschitz: float, bound: float) -> None:
        for one, two in pairwise(np.linspace(-5, 5, 401)):
            for y in (-1.0, 1.0):
                assert_score(score, lipschitz, bound, one, two, y)

    assert_everywhere(score.lipschitz, score.bound(5.0))
    with pytest.raises(AssertionError):
        assert_everywhere(score.lipschitz / 2, score.bound(5.0))
    with pytest.raises(AssertionError):
        assert_everywhere(score.lipschitz, score.bound(5.0) / 2)


def test_scores_are_checked() -> None:
    for build in (
        lambda: Ramp(0.0),
        lambda: CappedLoss(Logistic(), -1.0),
        lambda: DeclaredScore(lambda s, y: s, 0.0, 1.0),
        lambda: DeclaredScore(lambda s, y: s, 1.0, float("inf")),
    ):
        with pytest.raises(ParameterError):
            build()
    assert isinstance(default_score(Logistic()), Ramp)
    assert isinstance(default_score(Squared()), CappedLoss)
    nothing = DeclaredScore(lambda s, y: np.full(s.shape, np.nan), 2.0, 1.0)
    assert np.all(nothing(np.zeros(3), np.ones(3)) == 2.0)


def exact_mean(X: np.ndarray, y: np.ndarray, theta: np.ndarray, width: float) -> Fraction:
    total = Fraction(0)
    for row, label in zip(X, y, strict=True):
        score = sum((Fraction(float(a)) * Fraction(float(b)) for a, b in zip(row, theta, strict=True)), Fraction(0))
        loss = Fraction(1, 2) - Fraction(float(label)) * score / (2 * Fraction(width))
        total += min(Fraction(1), max(Fraction(0), loss))
    return total / len(y)


def assert_close(computed: float, exact: Fraction, bound: float) -> None:
    assert abs(Fraction(computed) + exact) <= Fraction(bound)


@pytest.mark.proof("score-rounding")
def test_computed_scores_are_as_near_as_promised() -> None:
    worst = None
    for _ in range(5):
        X, y = random_table(60, 5)
        rows = classified(X, y)
        blocks: list[tuple[np.ndarray, np.ndarray]] = []

        def keep(A: np.ndarray, b: np.ndarray, into: list[Any] = blocks) -> float:
            into.append((A.copy(), b.copy()))
            return 0.0

        rows.total(keep)
        theta = np.random.default_rng().standard_normal(rows.width)
        validation = Validation(Ramp(0.3), Shape.of(rows), 10.0)
        computed = float(validation(rows, [theta])[0])
        exact = exact_mean(blocks[0][0], blocks[0][1], theta, 0.3)
        assert_close(computed, exact, validation.rounding)
        worst = worst or (computed, exact, validation.rounding)
    assert worst is not None
    with pytest.raises(AssertionError):
        assert_close(worst[0] + 2 * worst[2], worst[1], worst[2])
    assert worst[2] < 1e-12


def test_projection() -> None:
    theta = np.array([3.0, 4.0])
    assert np.array_equal(shortened(theta, 5.0 + 2.0**-40), theta)
    assert np.allclose(shortened(theta, 1.0), [0.6, 0.8])
    wide = np.random.default_rng().normal(size=5000)
    squares = sum(Fraction(float(entry)) ** 2 for entry in shortened(wide, 1.0))
    assert 1 - 5 * (5000 + 9) * Fraction(1, 2**53) <= squares <= (1 + Fraction(2, 2**53)) ** 2
