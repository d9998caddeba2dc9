"""Scores of vertices are exact sums of what each row gives on its own, and one row moves them by a known amount."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from lasso_support import LOSSES, UNITS, integer_scores, mechanism, row_units, rows_of, small_table
from tacit.errors import ParameterError
from tacit.mechanisms.lasso import vertex_scores
from tacit.mechanisms.lasso.candidates import SCORE_CHANGE, SIGNS_IN_TURN
from tacit.mechanisms.lasso.loss import ClippedLogistic, ClippedSquared
from tacit.mechanisms.lasso.schedule import SCHEDULES
from tacit.mechanisms.lasso.sparse_scores import SparseScores
from tacit.mechanisms.lasso.vertex_sampler import VertexSampler
from tacit.mechanisms.lasso.vertex_scores import FreshScores, KeptScores, Walk, checked_rows, scores_of
from tacit.noise import SeededEntropy
from tacit.privacy import Pure

pytestmark = pytest.mark.proof("integer-vertex-scores")
CASES = [(loss, schedule) for loss in LOSSES for schedule in SCHEDULES]


class Replayed:
    """The scores that `SparseScores` keeps, from single rows replayed after every step."""

    def __init__(self, X: Any, y: Any, **how: Any) -> None:
        self._X, self._y, self._how = X, y, how
        self._path: tuple[tuple[int, int], ...] = ()
        self._units = self._replayed_units()
        self.drift = 0
        self.refresh()

    def _replayed_units(self) -> Any:
        return np.array([row_units(x, t, self._path, **self._how) for x, t in zip(self._X, self._y, strict=True)])

    def score(self, feature: int) -> int:
        return sum(int(d) * round(x * UNITS) for d, x in zip(self._units, self._X[:, feature], strict=True))

    def move(self, feature: int, sign: int) -> None:
        self._path = (*self._path, (feature, sign))
        units = self._replayed_units()
        self.drift += UNITS * int(np.abs(units - self._units).sum())
        self._units = units

    def refresh(self) -> None:
        self.scores = np.array([self.score(feature) for feature in range(self._X.shape[1])])
        self.drift = 0


def walk_of(loss: str, schedule: str, steps: int, grain: int = 1) -> Walk:
    return Walk(LOSSES[loss], SCHEDULES[schedule], steps, 3.0, 1.0, grain)


@pytest.mark.parametrize("grain", [1, 256])
@pytest.mark.parametrize(("loss", "schedule"), CASES)
def test_scores_are_what_single_rows_give(loss: str, schedule: str, grain: int) -> None:
    X, y = small_table(1, 7, 4, loss)
    walk = walk_of(loss, schedule, 5, grain)
    dense = rows_of(X, y, loss, sparse=False)
    states = FreshScores(dense, walk), SparseScores(rows_of(X, y, loss), walk), KeptScores(dense, walk)
    path: tuple[tuple[int, int], ...] = ()
    for vertex in ((0, 1), (2, -1), (0, 1), (3, 1)):
        expected = integer_scores(X, y, path, loss=loss, schedule=schedule, steps=5, radius=3.0, grain=grain)
        states[1].refresh()
        for state in states:
            assert np.array_equal(state.scores, expected)
            state.move(*vertex)
        path = (*path, vertex)


def test_cells_are_kept_by_public_sizes_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = small_table(1, 7, 4, "squared")
    walk = walk_of("squared", "stagewise", 5)
    assert isinstance(scores_of(rows_of(X, y, "squared", sparse=False), walk), KeptScores)
    assert isinstance(scores_of(rows_of(X, y, "squared"), walk), FreshScores)
    monkeypatch.setattr(vertex_scores, "MOST_KEPT_CELLS", 7 * 4 - 1)
    assert isinstance(scores_of(rows_of(X, y, "squared", sparse=False), walk), FreshScores)


@pytest.mark.parametrize(("loss", "schedule"), CASES)
def test_one_bit_stream_gives_one_transcript(loss: str, schedule: str) -> None:
    """Kept up to date or replayed row by row from the start: the sampler sees the same numbers."""
    rng = np.random.default_rng(5)
    X = np.where(rng.random((40, 60)) < 0.1, rng.integers(-4, 5, (40, 60)) / 4, 0.0)
    X[:, 0] = 1.0
    y, steps, scale = rng.choice([-1.0, 1.0], 40), 30, SCORE_CHANGE / 0.5
    kept = SparseScores(rows_of(X, y, loss), walk_of(loss, schedule, steps, 64))
    replayed = Replayed(X, y, loss=loss, schedule=schedule, steps=steps, radius=3.0, grain=64)
    transcripts = []
    for state in (kept, replayed):
        sampler, entropy, chosen = VertexSampler(state, scale), SeededEntropy(8), []
        for _ in range(steps):
            chosen.append(sampler.draw((1, -1), entropy))
            state.move(*chosen[-1])
        transcripts.append(chosen)
    assert transcripts[0] == transcripts[1]
    assert len(set(transcripts[0])) > 5


@pytest.mark.parametrize(("loss", "schedule"), CASES)
def test_no_score_is_further_from_the_kept_one_than_the_drift(loss: str, schedule: str) -> None:
    X, y = small_table(3, 30, 8, loss)
    kept = SparseScores(rows_of(X, y, loss), walk_of(loss, schedule, 20))
    fresh = FreshScores(rows_of(X, y, loss), walk_of(loss, schedule, 20))
    rng = np.random.default_rng(0)
    for step in range(15):
        vertex = int(rng.integers(8)), int(rng.choice([-1, 1]))
        kept.move(*vertex)
        fresh.move(*vertex)
        assert [kept.score(feature) for feature in range(8)] == fresh.scores.tolist()
        assert np.abs(fresh.scores - kept.scores).max() <= kept.drift
        if step % 4 == 3:
            kept.refresh()
            assert (kept.drift, kept.scores.tolist()) == (0, fresh.scores.tolist())


def check_change(X: Any, y: Any, row: Any, target: float, *, loss: Any, bound: float = SCORE_CHANGE) -> None:
    """A replaced row moves no score by more than the bound, at the start and after a step."""
    changed, other = X.copy(), y.copy()
    changed[0], other[0] = row, target
    scores = []
    for table, targets in ((X, y), (changed, other)):
        state = KeptScores(
            rows_of(table, targets, "squared", sparse=False), Walk(loss, SCHEDULES["stagewise"], 2, 3.0, 1.0)
        )
        first = state.scores.copy()
        state.move(0, 1)
        scores.append(np.concatenate([first, state.scores]))
    assert np.abs(scores[0] - scores[1]).max() <= bound


@given(row=arrays(np.float64, 3, elements=st.floats(width=64)), target=st.floats(width=64))
def test_no_row_moves_a_score_further(row: Any, target: float) -> None:
    X, y = small_table(2, 5, 3, "squared")
    check_change(X, y, row, target, loss=ClippedSquared())


def test_the_worst_pair_attains_the_bound_and_mutants_pass_it() -> None:
    X, y = np.ones((1, 3)), np.ones(1)
    check_change(X, y, np.ones(3), -1.0, loss=ClippedSquared())
    with pytest.raises(AssertionError):  # the published sensitivity counts a replaced row once
        check_change(X, y, np.ones(3), -1.0, loss=ClippedSquared(), bound=SCORE_CHANGE / 2)

    class Unclipped(ClippedSquared):
        def units(self, score: Any, y: Any, grain: int = 1) -> Any:
            return np.rint((score - y) * UNITS)

    held_apart = np.array([[0.0, 1.0, 1.0]])
    check_change(held_apart, y, np.ones(3), -1.0, loss=ClippedSquared())
    with pytest.raises(AssertionError):
        check_change(held_apart, y, np.ones(3), -1.0, loss=Unclipped())


def test_units_do_not_depend_on_the_company() -> None:
    """A row's slope is the same alone, in a long vector, and at every offset."""
    rng = np.random.default_rng(0)
    scores, y = rng.uniform(-30, 30, 1001), rng.choice([-1.0, 1.0], 1001)
    for loss in (ClippedLogistic(), ClippedLogistic(1.0), ClippedSquared()):
        together = loss.units(scores, y)
        assert np.abs(together).max() <= UNITS
        assert all(loss.units(scores[i : i + 1], y[i : i + 1])[0] == together[i] for i in range(0, 1001, 7))
        assert np.array_equal(loss.units(scores[3:], y[3:]), together[3:])


@pytest.mark.parametrize("loss", [ClippedLogistic(), ClippedLogistic(1.0), ClippedLogistic(0.2), ClippedSquared(0.7)])
def test_units_are_the_slope_of_the_value(loss: Any) -> None:
    scores, y = np.linspace(-9, 9, 4001), np.where(np.arange(4001) % 2, 1.0, -1.0)
    slope = (loss.value(scores + 1e-5, y) - loss.value(scores - 1e-5, y)) / 2e-5
    assert np.allclose(loss.units(scores, y) / UNITS * loss.slope_bound, slope, atol=3e-4)


def test_the_grain_is_public_and_below_the_noise() -> None:
    """A function of n, p and ε₀; never coarser than ⅛ of the largest slope nor than twice the expected error."""
    X, y = small_table(1, 50, 4, "logistic")
    coarse = mechanism(rows_of(X, y), Pure(0.01), 2)
    fine = mechanism(rows_of(X, y), Pure(2.0**20), 2)
    assert (coarse.grain, fine.grain) == (UNITS // 8, 1)
    middle = mechanism(rows_of(X, y), Pure(100.0), 2)
    assert middle.grain <= UNITS * 8 * np.log(8) / (50 * middle.step_epsilon) < 2 * middle.grain


def test_too_many_rows_are_refused() -> None:
    with pytest.raises(ParameterError, match=r"at most 2\*\*24"):
        checked_rows(2**24 + 1)
    for slope in (0.0, 1.5):
        with pytest.raises(ParameterError, match="clipped in"):
            ClippedLogistic(slope)
    with pytest.raises(ParameterError, match="positive"):
        ClippedSquared(0.0)


@given(cells=arrays(np.float64, 5, elements=st.floats(-1, 1)))
def test_cells_stay_in_their_bounds(cells: Any) -> None:
    """Signed cells to ±2^14, others from 0 to 2^14; the clamp is part of what the range is proved with."""
    signed = walk_of("squared", "stagewise", 3)
    assert np.array_equal(signed.cells(cells), np.rint(cells * UNITS))
    turns = Walk(LOSSES["squared"], SCHEDULES["stagewise"], 3, 3.0, 1.0, candidates=SIGNS_IN_TURN)
    assert np.array_equal(turns.cells(cells), np.maximum(signed.cells(cells), 0))
    assert np.array_equal(turns.cells(3 * np.sign(cells)), np.where(cells > 0, UNITS, 0))
