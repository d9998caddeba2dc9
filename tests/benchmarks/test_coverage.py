"""The simulated engine of the coverage benchmark computes what the library would."""

import numpy as np
import pandas as pd
import pytest
from benchmarks.coverage import cells, ordinary, populations, tables
from benchmarks.coverage.distinct import DistinctRows, pieces_of
from benchmarks.coverage.simulation import LOSSES, Simulation

from tacit import ZCDP
from tacit.mechanisms.intervals import JointRelease
from tacit.mechanisms.intervals.row_weights import Curvature, SquaredSlope
from tacit.mechanisms.problem import Shape


@pytest.fixture
def rows():
    rng = np.random.default_rng(3)
    X = np.round(rng.uniform(-0.5, 0.5, (400, 3)), 1)
    return X, rng.choice([-1.0, 1.0], 400)


@pytest.mark.parametrize("loss", LOSSES)
def test_losses_are_those_of_the_library(loss):
    scores, library = np.linspace(-3, 3, 101) + 1e-3, LOSSES[loss]
    for y in (-1.0, 1.0):
        labels = np.full(scores.size, y)
        value, slope, curvature = pieces_of(loss, y * scores)
        assert value == pytest.approx(library.value(scores, labels))
        assert -y * slope == pytest.approx(library.slope(scores, labels))
        assert curvature == pytest.approx(library.curvature(scores, labels))


@pytest.mark.parametrize("loss", LOSSES)
def test_the_minimum_has_no_gradient_left_and_does_not_depend_on_the_start(loss, rows):
    X, y = rows
    distinct = DistinctRows.of(X, y)
    tilt = np.array([5.0, -3.0, 1.0])
    found = distinct.minimum(loss, 0.01, distinct.counts, tilt)
    slopes = LOSSES[loss].slope(X @ found, y)
    assert np.linalg.norm((X.T @ slopes + tilt) / len(y) + 0.01 * found) < 1e-6
    elsewhere = distinct.start(loss, 0.01, np.array([2.0, 2.0, -2.0]))
    assert distinct.minimum(loss, 0.01, distinct.counts, tilt, elsewhere) == pytest.approx(found, abs=1e-4)


@pytest.mark.parametrize("loss", LOSSES)
def test_moments_are_those_of_the_library(loss, rows):
    X, y = rows
    distinct, theta = DistinctRows.of(X, y), np.array([1.01, -0.53, 0.27])
    found = distinct.moments(loss, theta, distinct.counts)
    for moment, weight in zip(found, (Curvature(LOSSES[loss]), SquaredSlope(LOSSES[loss])), strict=True):
        weights = weight(X @ theta, y)
        assert moment == pytest.approx((X * weights[:, None]).T @ X)


def test_a_bootstrap_sample_has_as_many_rows_as_the_table(rows):
    distinct = DistinctRows.of(*rows)
    counts = distinct.bootstrap(np.random.default_rng(0))
    assert counts.sum() == 400
    assert distinct.counts.sum() == 400
    assert len(counts) == len(distinct.margins) < 400


@pytest.mark.parametrize("mechanism", ["objective", "output"])
@pytest.mark.parametrize("currency", ["pure", "zCDP", "(ε, δ)"])
def test_a_simulated_release_has_intervals(mechanism, currency, rows, monkeypatch):
    X, y = rows
    monkeypatch.setitem(tables.COLUMNS, "made", lambda: (X, y))
    tables.table.cache_clear()
    simulation = Simulation(cells.Cell("made", 3, None, 1.0, currency, "logistic", mechanism))
    replicate = simulation.replicate()
    assert np.all(replicate.evidence.half_widths(np.eye(4), 0.95) > 0)
    assert replicate.theta.shape == replicate.with_whole_budget.shape == (4,)


def test_every_cell_is_asked_for_once_and_quick_cells_are_full_cells():
    full = list(cells.full())
    assert len(full) == len(set(full))
    assert set(cells.quick()) <= set(full)


def test_the_sums_of_ordinary_coefficients_are_those_of_the_library(rows):
    X, y = rows
    opened = tables.as_rows(X, y)
    release, theta = JointRelease(Shape.of(opened), ZCDP(0.5), 0.5), np.array([1.0, -2.0, 0.5])
    sums = (len(y) * mean for mean in populations.moments(X * y[:, None], theta, 0.5))
    assert release.pack(*sums) == pytest.approx(release.packed(opened, theta))


def test_a_cell_of_ordinary_coefficients_is_measured(monkeypatch):
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({"a": rng.uniform(0, 1, 2000), "b": rng.integers(0, 2, 2000)})
    positive = pd.Series(rng.random(2000) < 1 / (1 + np.exp(1 - 3 * frame["a"])))
    monkeypatch.setitem(populations.COLUMNS, "toy", "a:0:1 b coin")
    monkeypatch.setitem(populations.FRAMES, "toy", lambda: (frame, positive))
    record = ordinary.measured(ordinary.OrdinaryCell("toy", None, "zCDP", 30.0), 40)
    assert record["determined"] > 0.9
    assert record["coverage"] > 0.8
    assert 0.95 < record["over_plain"] < 1.3
    assert record["null_below_5_percent"] < 0.4
