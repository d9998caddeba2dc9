"""The library itself on bootstrap samples: what a user runs, with exact noise and certified minima."""

from __future__ import annotations

import numpy as np

from benchmarks.coverage.cells import Cell
from benchmarks.coverage.distinct import DistinctRows
from benchmarks.coverage.measure import Record, Replicate, measured
from benchmarks.coverage.simulation import SEED, planned
from benchmarks.coverage.tables import as_rows, table
from tacit.inference import evidence_of
from tacit.mechanisms.problem import Shape
from tacit.noise import SystemEntropy


def by_the_library(cell: Cell, replicates: int) -> Record:
    """Coverage and length of a classifier's cell."""
    X, y = table(cell.data, cell.d, cell.n)
    mechanism = planned(cell, Shape.of(as_rows(X, y)))
    whole = type(mechanism.fit)(mechanism.fit.problem, cell.budget)
    distinct = DistinctRows.of(X, y)
    truth = distinct.minimum(cell.loss, mechanism.fit.problem.l2, distinct.counts)
    rng = np.random.default_rng(SEED)

    def released() -> Replicate:
        sample = rng.integers(0, len(y), len(y))
        rows = as_rows(X[sample], y[sample])
        release = mechanism(rows, SystemEntropy())
        evidence = evidence_of(mechanism, release)
        assert evidence is not None
        return Replicate(release.theta, evidence, whole(rows, SystemEntropy()).theta)

    return measured(cell, len(y), truth, released, replicates)
