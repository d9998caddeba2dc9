"""Ridge on survey tables: by the library, and simulated with the same plan, noise laws and interval code."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from benchmarks import data
from benchmarks.coverage.cells import Cell
from benchmarks.coverage.measure import Record, Replicate, measured
from benchmarks.coverage.simulation import SEED, noisy
from tacit.domain import REGRESSION, Geometry
from tacit.inference import evidence_of
from tacit.losses import Squared
from tacit.mechanisms.choice import FitRequest
from tacit.mechanisms.intervals.choice import plan_with_intervals
from tacit.mechanisms.intervals.with_intervals import RegressionWithIntervals, ridge_estimate
from tacit.mechanisms.moments import MomentRelease
from tacit.mechanisms.problem import Shape
from tacit.mechanisms.release import Release
from tacit.noise import SystemEntropy
from tacit.rows import linear_scores, open_rows

Floats = np.ndarray

GEOMETRY = Geometry(constant=REGRESSION.constant, clip=None)


def simulated(cell: Cell, replicates: int) -> Record:
    """Coverage and length with numpy's noise."""
    table = EncodedTable(cell)
    return measured(cell, len(table.y), table.truth, table.simulated, replicates)


def by_the_library(cell: Cell, replicates: int) -> Record:
    """Coverage and length of what a user runs."""
    table = EncodedTable(cell)
    return measured(cell, len(table.y), table.truth, table.released, replicates)


@dataclass
class EncodedTable:
    """The encoded rows of a cell's table, the plan for it, and the plan with the whole budget for the coefficients."""

    cell: Cell

    def __post_init__(self) -> None:
        self.frame, self.schema = data.load(self.cell.data).frame, data.load(self.cell.data).schema
        rows = open_rows(self.frame, None, self.schema, GEOMETRY)
        request = FitRequest(Squared(), self.cell.l2)
        plan = plan_with_intervals(Shape.of(rows), request, self.cell.budget, "auto", None)
        assert isinstance(plan.mechanism, RegressionWithIntervals)
        self.mechanism = plan.mechanism
        whole = replace(self.mechanism.moments, budget=self.cell.budget)
        self.whole = RegressionWithIntervals(whole, self.mechanism.l2)
        self.X = linear_scores(self.frame, np.eye(rows.width), self.schema, GEOMETRY)
        self.y = self.schema.target.encode(self.frame[self.schema.target.name].to_numpy())
        self.rng = np.random.default_rng(SEED)

    @cached_property
    def truth(self) -> Floats:
        """The minimum over the whole table."""
        n, width = self.X.shape
        return np.linalg.solve(self.X.T @ self.X / n + self.mechanism.l2 * np.eye(width), self.X.T @ self.y / n)

    def released(self) -> Replicate:
        """A release by the library on a bootstrap sample."""
        rows = open_rows(self.frame.iloc[self._sample()], None, self.schema, GEOMETRY)
        release = self.mechanism(rows, SystemEntropy())
        return self._replicate(release, self.whole(rows, SystemEntropy()).theta)

    def simulated(self) -> Replicate:
        """A release with numpy's noise on a bootstrap sample."""
        sample = self._sample()
        X, y = self.X[sample], self.y[sample]
        moments = self._noisy_moments(X, y, self.mechanism.moments)
        theta = ridge_estimate(moments, self.mechanism.moments, self.mechanism.l2)
        statistics = {"moments": moments}
        if (scores := self.mechanism.scores) is not None:
            weighted = X * scores.weight(X @ theta, y)[:, None]
            packed = noisy(scores.statistic.packed(weighted.T @ X), scores.law(theta), self.rng)
            statistics["scores"] = scores.statistic.unpacked(packed, len(theta))
        whole = ridge_estimate(self._noisy_moments(X, y, self.whole.moments), self.whole.moments, self.whole.l2)
        return self._replicate(Release(theta, np.zeros(len(theta)), statistics), whole)

    def _sample(self) -> Floats:
        return self.rng.integers(0, len(self.y), len(self.y))

    def _noisy_moments(self, X: Floats, y: Floats, release: MomentRelease) -> Floats:
        total = release.matrix(X.T @ X, X.T @ y, float(y @ y))
        return release.unpack(noisy(release.pack(total), release.law, self.rng))

    def _replicate(self, release: Release, with_whole_budget: Floats) -> Replicate:
        evidence = evidence_of(self.mechanism, release)
        assert evidence is not None
        return Replicate(release.theta, evidence, with_whole_budget)
