"""Histograms: counts, noise, the nearest counts, the choice of a width, and the estimator."""

from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom
from sklearn.utils.estimator_checks import parametrize_with_checks

from selection_support import recorder
from tacit import ZCDP, Approx, Ledger, PrivateHistogram, Pure
from tacit.audit import Batches, lower_bound
from tacit.errors import BudgetExceeded, ParameterError, SchemaError
from tacit.mechanisms.histogram import Grid, NoisyCounts, nearest_counts
from tacit.mechanisms.laws import Laplace
from tacit.mechanisms.selection.stability import Stability
from tacit.mechanisms.selection.widths import WidthSearch, density_score
from tacit.noise import SystemEntropy
from tacit.rows import Points, open_points

CELLS = st.one_of(st.floats(-2, 3), st.sampled_from([float("nan"), float("inf"), -float("inf"), 0.0, 1.0]))
TENTHS = Grid((0.0,), (1.0,), (10,))


def points_of(values: Any) -> Points:
    return open_points(np.asarray(values, dtype=float).reshape(-1, 1), (0.0,), (1.0,))


def counts_of(values: Any) -> np.ndarray:
    return points_of(values).counts(TENTHS.place_of, TENTHS.cells)


def assert_neighbours(first: np.ndarray, second: np.ndarray) -> None:
    assert first.sum() == second.sum()
    assert np.abs(first - second).sum() <= 2
    assert np.linalg.norm(first - second) <= np.sqrt(2) + 1e-15


@pytest.mark.proof("histogram-counts")
@given(values=st.lists(CELLS, min_size=1, max_size=20), other=CELLS)
@settings(max_examples=100)
def test_one_point_moves_two_counts_by_one(values: list[float], other: float) -> None:
    assert_neighbours(counts_of(values), counts_of([other, *values[1:]]))


@pytest.mark.proof("histogram-counts")
def test_both_bounds_are_attained_and_a_lost_point_is_noticed() -> None:
    first, second = counts_of([0.05, 0.5]), counts_of([0.95, 0.5])
    assert np.abs(first - second).sum() == 2
    unclipped = np.histogram([1.7, 0.5], TENTHS.edges[0])[0]
    with pytest.raises(AssertionError):
        assert_neighbours(first, unclipped)


def test_a_number_on_an_edge_stays_there() -> None:
    ages = Grid.of_width((17.0,), (90.0,), (1.0,))
    whole = np.arange(17.0, 90.0).reshape(-1, 1)
    assert np.array_equal(ages.place_of(whole), np.arange(73))
    assert ages.place_of(np.array([[90.0]])) == 72


def assert_kept(scale: float, epsilon: float, runs: int = 60_000) -> None:
    """Counts (1, 0) against (0, 1): the largest loss a histogram can have."""
    law, entropy = Laplace(scale), SystemEntropy()

    def sample(counts: Any, count: int) -> np.ndarray:
        return law.add(np.tile(np.asarray(counts, dtype=float), count), entropy).reshape(count, 2)

    pair = ([1.0, 0.0], [0.0, 1.0])
    assert lower_bound(Batches(sample), pair, runs, 1 - 1e-9, score=lambda out: out[:, 1] - out[:, 0]) <= epsilon


@pytest.mark.proof("histogram-counts")
@pytest.mark.statistical
def test_counts_spend_what_they_say_and_half_the_noise_is_caught() -> None:
    mechanism = NoisyCounts(TENTHS, Pure(1.0))
    assert_kept(mechanism.law.scale, 1.0)
    with pytest.raises(AssertionError):
        assert_kept(mechanism.law.scale / 2, 1.0)


@pytest.mark.proof("histogram-counts")
@pytest.mark.parametrize(("budget", "deviation"), [(Pure(0.5), 4 * 2**0.5), (ZCDP(0.5), 2**0.5)])
def test_the_noise_of_each_currency(budget: Any, deviation: float) -> None:
    assert NoisyCounts(TENTHS, budget).law.deviation(10) == pytest.approx(deviation)


def exact_nearest(noisy: np.ndarray, n: int) -> list[Fraction]:
    values = [Fraction(float(x)) for x in np.clip(noisy, -n, 2 * n)]
    ordered = sorted(values, reverse=True)
    level = max((sum(ordered[:k], Fraction(0)) - n) / k for k in range(1, len(ordered) + 1))
    return [max(x - level, Fraction(0)) for x in values]


def moves_no_two_apart(project: Any, first: np.ndarray, second: np.ndarray, n: int) -> None:
    moved = np.linalg.norm(project(first, n) - project(second, n))
    assert moved <= np.linalg.norm(first - second) * (1 + 1e-9) + 1e-9


NOISY = st.lists(st.floats(-50, 150), min_size=1, max_size=30).map(np.array)


@pytest.mark.proof("nearest-counts")
@given(noisy=NOISY, n=st.integers(1, 100))
@settings(max_examples=100)
def test_the_nearest_counts_against_exact_arithmetic(noisy: np.ndarray, n: int) -> None:
    found, exact = nearest_counts(noisy, n), exact_nearest(noisy, n)
    assert np.all(found >= 0)
    assert sum(exact) == n
    for computed, wanted in zip(found, exact, strict=True):
        assert abs(Fraction(float(computed)) - wanted) <= 16 * noisy.size * n * Fraction(1, 2**53)


@pytest.mark.proof("nearest-counts")
@given(noisy=NOISY, shift=st.floats(-3, 3), place=st.integers(0, 29), n=st.integers(1, 100))
@settings(max_examples=100)
def test_the_nearest_counts_move_no_two_apart(noisy: np.ndarray, shift: float, place: int, n: int) -> None:
    other = noisy.copy()
    other[place % noisy.size] += shift
    moves_no_two_apart(nearest_counts, noisy, other, n)


@pytest.mark.proof("nearest-counts")
def test_scaling_instead_of_projecting_moves_some_apart() -> None:
    def scaled(noisy: np.ndarray, n: int) -> np.ndarray:
        positive = np.maximum(noisy, 0)
        return positive * (n / positive.sum())

    with pytest.raises(AssertionError):
        moves_no_two_apart(scaled, np.array([1.0, 0.0]), np.array([0.5, 0.5]), 100)


def worst_points(n: int, place: float) -> tuple[Points, Points]:
    """All in one cell, and one of them at the other end."""
    values = np.full(n, place)
    return points_of(values), points_of(np.r_[1 - place, values[1:]])


def score_moves(grid: Grid, privacy: Pure, n: int, m: int) -> list[float]:
    """How far scores move with the same noise: through a training point, through a validation point; many noises."""
    training, validation = worst_points(n, 0.05), worst_points(m, 0.95)
    moves = []
    for _ in range(100):
        entropy = recorder()
        counts = NoisyCounts(grid, privacy)
        first = nearest_counts(counts(training[0], entropy).theta, n) / n
        second = nearest_counts(counts(training[1], entropy.replay()).theta, n) / n
        base = density_score(grid, first, validation[0])
        moves += [abs(base - density_score(grid, second, validation[0]))]
        moves += [abs(base - density_score(grid, first, validation[1]))]
    return moves


def assert_spread(spread: float, moves: list[float]) -> None:
    assert max(moves) <= spread
    assert max(moves) >= spread / 2.5


@pytest.mark.proof("histogram-stability")
@pytest.mark.parametrize("bins", [4, 10])
@pytest.mark.parametrize(("n", "m"), [(400, 4000), (4000, 400)], ids=["through training", "through validation"])
def test_scores_of_a_density_move_as_declared(bins: int, n: int, m: int) -> None:
    grid = Grid((0.0,), (1.0,), (bins,))
    search = WidthSearch((grid, TENTHS), n + m, Pure(3.0), Pure(1.0), m / (n + m))
    moves, stability = score_moves(grid, Pure(3.0), n, m), search.stabilities[0]
    assert_spread(stability.spread(n, m), moves)
    with pytest.raises(AssertionError):
        assert_spread(stability.spread(n, m) / 3, moves)
    with pytest.raises(AssertionError):
        assert_spread(Stability(stability.beta_training, stability.beta_validation).spread(1, m), moves)
    assert search.rounding < 1e-9 * stability.spread(n, m)


@pytest.mark.proof("histogram-stability")
def test_a_coarse_noise_grid_is_counted() -> None:
    """At ε = 2⁻⁴⁵ noise is rounded to a grid coarser than 1, and a count can move by 1 + g."""
    search = WidthSearch((TENTHS,), 100, Pure(2.0**-45), Pure(1.0), 0.2)
    coarseness = NoisyCounts(TENTHS, Pure(2.0**-45)).law.grid(10)
    assert coarseness > 1
    assert search.stabilities[0].beta_training >= 4 * (1 + coarseness) / TENTHS.volume


def two_moved(noisy: np.ndarray, up: int, down: int, n: int) -> float:
    """ℓ1 distance of the nearest counts when one noisy count rises and another falls by 1."""
    other = noisy.copy()
    other[up] += 1
    other[down] -= 1
    return float(np.abs(nearest_counts(noisy, n) - nearest_counts(other, n)).sum())


@pytest.mark.proof("histogram-stability")
@given(noisy=NOISY, up=st.integers(0, 29), down=st.integers(0, 29), n=st.integers(1, 100))
@settings(max_examples=100)
def test_nearest_counts_of_neighbours_are_two_apart(noisy: np.ndarray, up: int, down: int, n: int) -> None:
    assert two_moved(noisy, up % noisy.size, down % noisy.size, n) <= 2 + 1e-9


@pytest.mark.proof("histogram-stability")
def test_less_than_two_would_be_too_little() -> None:
    with pytest.raises(AssertionError):
        assert two_moved(np.array([50.0, 50.0]), 0, 1, 100) <= 1.9


def test_a_good_width_is_chosen() -> None:
    """Two steps, which one bin hides: a wrong choice has a probability below 0.001."""
    rng = np.random.default_rng(0)
    x = np.where(rng.random(20_000) < 0.9, rng.uniform(0, 0.5, 20_000), rng.uniform(0.5, 1, 20_000))
    right = 0
    for _ in range(20):
        model = PrivateHistogram([1.0, 0.5], privacy=1.0, select_privacy=1.0).fit(x)
        right += model.bin_width_ == 0.5
    assert right >= binom.ppf(1e-9, 20, 0.999)


def test_the_whole_is_one_charge_before_a_row_is_read(tmp_path: Any) -> None:
    account = Ledger(f"sqlite:///{tmp_path}/book.db").open("ages", limit=Pure(1.6))
    model = PrivateHistogram([0.1, 0.2], privacy=1.0, select_privacy=Approx(0.5, 1e-6), ledger=account)
    model.fit(np.linspace(0, 1, 50))
    assert model.certificate_.guarantee == Pure(1.5)
    assert "choice of the bin width" in str(model.certificate_)
    with pytest.raises(BudgetExceeded):
        model.fit(np.linspace(0, 1, 51))


def test_density_sample_and_score() -> None:
    model = PrivateHistogram(0.25, privacy=50.0).fit(np.repeat([0.1, 0.3, 0.6, 0.6], 100))
    assert model.counts_.sum() == pytest.approx(400)
    assert model.density_.sum() * 0.25 == pytest.approx(1)
    assert model.pdf([0.6, -1.0, 2.0, np.nan]) == pytest.approx([2.0, 0, 0, 0], abs=0.05)
    assert float(model.pdf(0.6)) == pytest.approx(2.0, abs=0.05)
    drawn = model.sample(20_000)
    assert drawn.shape == (20_000, 1)
    share = model.counts_[2] / 400
    inside = int(np.sum((drawn >= 0.5) & (drawn < 0.75)))
    assert binom.ppf(1e-10, 20_000, share) <= inside <= binom.isf(1e-10, 20_000, share)
    assert np.array_equal(model.sample(5, random_state=1), model.sample(5, random_state=1))
    assert model.score_samples([[0.6]])[0] == pytest.approx(np.log(2), abs=0.05)
    assert model.score([[0.6], [0.6]]) == pytest.approx(2 * np.log(2), abs=0.1)


def test_two_axes() -> None:
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.uniform(0, 1, 4000), rng.uniform(10, 20, 4000)])
    model = PrivateHistogram([(0.5, 2.5), 0.1], privacy=1.0, select_privacy=1.0, low=(0, 10), high=(1, 20)).fit(X)
    assert model.density_.ndim == 2
    assert model.pdf([[0.5, 15.0], [0.5, 9.0]])[1] == 0
    drawn = model.sample(100)
    assert np.all((drawn >= [0, 10]) & (drawn <= [1, 20]))
    assert model.pdf(drawn).min() > 0


def test_pictures() -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    for width, columns in ((0.1, 1), ((0.5, 0.25), 2)):
        model = PrivateHistogram([width] if columns == 2 else width).fit(np.random.default_rng(0).random((50, columns)))
        assert model.plot() is not None
    with pytest.raises(ParameterError, match="no picture"):
        PrivateHistogram([0.5]).fit(np.zeros((4, 3))).plot()
    pyplot.close("all")


@pytest.mark.parametrize("column", [pd.Series, pl.Series, np.array, lambda x: np.array(x).reshape(-1, 1), pd.DataFrame])
def test_columns_of_every_kind(column: Any) -> None:
    values = [0.1, 0.2, 0.9, None, 3.0, "x"] if column is pd.Series else [0.1, 0.2, 0.9]
    model = PrivateHistogram(0.1, random_state=1).fit(column(values))
    assert not model.certificate_.private


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bin_widths": [0.1, 0.2]}, "pass select_privacy"),
        ({"bin_widths": 0.1, "select_privacy": 1.0}, "nothing to choose"),
        ({"bin_widths": 0.0}, "positive, finite"),
        ({"bin_widths": []}, "bin_widths holds"),
        ({"bin_widths": 1e-12}, "choose wider bins"),
        ({"low": 1.0}, "low must be below high"),
        ({"low": (0, 0)}, "one for each of 1 axes"),
        ({"low": "a"}, "low must be a number"),
        ({"bin_widths": "narrow"}, "bin_widths must be a number"),
        ({"privacy": -1.0}, "epsilon"),
    ],
)
def test_bad_parameters(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        PrivateHistogram(**options).fit(np.zeros((5, 1)))


def test_points_are_checked_and_stay_where_they_are() -> None:
    with pytest.raises(SchemaError, match="expected 1"):
        open_points(np.zeros((3, 2)), (0.0,), (1.0,))
    with pytest.raises(SchemaError, match="no rows"):
        open_points(np.zeros((0, 1)), (0.0,), (1.0,))
    part = points_of([0.1, 0.2]).part(np.array([1]))
    with pytest.raises(ParameterError, match="a part already"):
        part.part(np.array([0]))
    with pytest.raises(TypeError, match="private data"):
        part.__reduce__()
    assert repr(part) == "<Points n=1 width=1>"


def test_words_do_not_depend_on_values() -> None:
    counts = set()
    for values in (np.zeros(100), np.full(100, np.nan), np.linspace(-5, 5, 100)):
        entropy = recorder()
        WidthSearch((TENTHS, TENTHS), 100, Pure(1.0), Pure(1.0), 0.2)(points_of(values), entropy)
        counts.add(entropy.count)
    assert len(counts) == 1


ONE_DIMENSION = "a column of numbers is what a density of one variable is fitted to"


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(
    [PrivateHistogram(0.5), PrivateHistogram([1.0, 0.5], select_privacy=1.0)],
    expected_failed_checks=lambda _: {"check_fit1d": ONE_DIMENSION},
)
def test_checks(estimator: Any, check: Any) -> None:
    check(estimator)
