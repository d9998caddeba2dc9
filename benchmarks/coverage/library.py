"""The library itself on bootstrap samples: what a user runs, with exact noise and certified minima."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from benchmarks import data
from benchmarks.coverage.cells import Cell
from benchmarks.coverage.distinct import DistinctRows
from benchmarks.coverage.measure import Record, Replicate, measured
from benchmarks.coverage.simulation import SEED, planned
from benchmarks.coverage.tables import as_rows, table
from tacit.domain import REGRESSION, Geometry
from tacit.inference import evidence_of
from tacit.losses import Squared
from tacit.mechanisms.choice import Wishes
from tacit.mechanisms.intervals.choice import plan_regression_with_intervals
from tacit.mechanisms.intervals.with_intervals import RegressionWithIntervals
from tacit.mechanisms.problem import Shape
from tacit.mechanisms.release import Mechanism
from tacit.noise import SystemEntropy
from tacit.rows import Rows, linear_scores, open_rows

GEOMETRY = Geometry(constant=REGRESSION.constant, clip=None)


def classified(cell: Cell, replicates: int) -> Record:
    """A classifier's cell."""
    X, y = table(cell.data, cell.d, cell.n)
    mechanism = planned(cell, Shape.of(as_rows(X, y)))
    distinct = DistinctRows.of(X, y)
    truth = distinct.minimum(cell.loss, mechanism.fit.problem.l2, distinct.counts)
    whole = type(mechanism.fit)(mechanism.fit.problem, cell.budget)
    rng = np.random.default_rng(SEED)

    def draw() -> Replicate:
        sample = rng.integers(0, len(y), len(y))
        return _released(mechanism, whole, as_rows(X[sample], y[sample]))

    return measured(cell, len(y), truth, draw, replicates)


def regressed(cell: Cell, replicates: int) -> Record:
    """Ridge on a survey table with public bounds."""
    frame, schema = data.load(cell.data).frame, data.load(cell.data).schema
    rows = open_rows(frame, None, schema, GEOMETRY)
    plan = plan_regression_with_intervals(Shape.of(rows), Wishes(Squared(), cell.l2), cell.budget, "auto", None)
    mechanism = plan.mechanism
    assert isinstance(mechanism, RegressionWithIntervals)
    width, n = rows.width, rows.n
    X = linear_scores(frame, np.eye(width), schema, GEOMETRY)
    y = schema.target.encode(frame[schema.target.name].to_numpy())
    truth = np.linalg.solve(X.T @ X / n + mechanism.l2 * np.eye(width), X.T @ y / n)
    whole = RegressionWithIntervals(replace(mechanism.moments, budget=cell.budget), mechanism.l2)
    rng = np.random.default_rng(SEED)

    def draw() -> Replicate:
        sample = frame.iloc[rng.integers(0, n, n)]
        return _released(mechanism, whole, open_rows(sample, None, schema, GEOMETRY))

    return measured(cell, n, truth, draw, replicates)


def _released(mechanism: Mechanism, whole: Mechanism, rows: Rows) -> Replicate:
    entropy = SystemEntropy()
    release = mechanism(rows, entropy)
    evidence = evidence_of(mechanism, release)
    assert evidence is not None
    return Replicate(release.theta, evidence, whole(rows, entropy).theta)
