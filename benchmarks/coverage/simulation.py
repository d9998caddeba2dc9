"""The simulated engine: the library's plans, noise laws and interval code around a fast minimiser and numpy's noise.

The published recipe runs on the same samples where the published setting is measured.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from benchmarks.coverage import wang_kifer_lee
from benchmarks.coverage.cells import Cell
from benchmarks.coverage.distinct import DistinctRows, Start
from benchmarks.coverage.measure import Record, Replicate, measured
from benchmarks.coverage.tables import table
from tacit.domain import Norms
from tacit.inference import evidence_of
from tacit.losses import HuberHinge, Logistic
from tacit.mechanisms.choice import FitRequest
from tacit.mechanisms.intervals.choice import plan_with_intervals
from tacit.mechanisms.intervals.with_intervals import FitWithIntervals
from tacit.mechanisms.laws import Gaussian, Laplace, NoiseLaw, SphericalLaplace, WishartDifference
from tacit.mechanisms.output import OutputPerturbation
from tacit.mechanisms.problem import Shape
from tacit.mechanisms.release import Release
from tacit.mechanisms.svec import smat, svec
from tacit.noise import matrix_order

Floats = np.ndarray

SEED = 2  # of samples and noise; the recipe's constants were chosen with seed 1
LOSSES = {"logistic": Logistic(), "huber": HuberHinge(0.5)}


def simulated(cell: Cell, replicates: int) -> Record:
    """Coverage and length of a cell."""
    simulation = Simulation(cell)
    n = len(simulation.rows.which)
    record = measured(cell, n, simulation.truth, simulation.replicate, replicates)
    if simulation.published:
        record["published_length"] = float(np.mean(simulation.published))
    if cell.length_mark:
        record |= {"length_mark": cell.length_mark, "short_enough": record["length"] <= cell.length_mark}
    return record


def planned(cell: Cell, shape: Shape) -> FitWithIntervals:
    """The library's plan for a cell."""
    request = FitRequest(LOSSES[cell.loss], cell.l2)
    mechanism = plan_with_intervals(shape, request, cell.budget, cell.mechanism, None).mechanism
    assert isinstance(mechanism, FitWithIntervals)
    return mechanism


@dataclass
class Simulation:
    """Releases on bootstrap samples of a cell's table; published lengths on the same samples pile up in a list."""

    cell: Cell
    published: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        X, y = table(self.cell.data, self.cell.d, self.cell.n)
        self.rows = DistinctRows.of(X, y)
        self.width = X.shape[1]
        shape = Shape(len(y), self.width, Norms(float(np.sqrt(self.width)), 1.0, 1.0), self.width, 4096, None)
        self.mechanism = planned(self.cell, shape)
        self.l2 = self.mechanism.fit.problem.l2
        self.whole_law = type(self.mechanism.fit)(self.mechanism.fit.problem, self.cell.budget).law
        self.rng = np.random.default_rng(SEED)

    @cached_property
    def truth(self) -> Floats:
        """The minimum over the whole table, from which the samples are drawn."""
        return self.rows.minimum(self.cell.loss, self.l2, self.rows.counts)

    @cached_property
    def start(self) -> Start:
        """Where the minima of the samples are looked for."""
        return self.rows.start(self.cell.loss, self.l2, self.truth)

    def replicate(self) -> Replicate:
        """One release on a bootstrap sample."""
        counts, mechanism = self.rows.bootstrap(self.rng), self.mechanism
        theta = self._released(counts, mechanism.fit.law)
        if self.cell.has_published_length:
            setting = (self.cell.epsilon, self.cell.currency, self.l2)
            self.published.append(wang_kifer_lee.interval_length(self.rows, counts, *setting, self.rng, self.start))
        curvature, scores = self.rows.moments(self.cell.loss, theta, counts)
        packed = np.array([np.trace(scores)]) if mechanism.scores.size == 1 else svec(scores)
        statistics = {
            "curvature": smat(self._noisy(svec(curvature), mechanism.curvature.law(theta)), self.width),
            "scores": mechanism.scores.statistic.unpacked(self._noisy(packed, mechanism.scores.law(theta)), self.width),
        }
        evidence = evidence_of(mechanism, Release(theta, np.zeros(self.width), statistics))
        assert evidence is not None
        return Replicate(theta, evidence, self._released(counts, self.whole_law))

    def _released(self, counts: Floats, law: NoiseLaw) -> Floats:
        """The private minimum with noise of this law, in the objective or in the answer."""
        if isinstance(self.mechanism.fit, OutputPerturbation):
            return self._noisy(self.rows.minimum(self.cell.loss, self.l2, counts, start=self.start), law)
        tilt = self._noisy(np.zeros(self.width), law)
        return self.rows.minimum(self.cell.loss, self.l2, counts, tilt, self.start)

    def _noisy(self, values: Floats, law: NoiseLaw) -> Floats:
        return noisy(values, law, self.rng)


def noisy(values: Floats, law: NoiseLaw, rng: np.random.Generator) -> Floats:
    """Values with simulated noise."""
    match law:
        case Gaussian(scale):
            return values + rng.normal(0, scale, values.size)
        case Laplace(scale):
            return values + rng.laplace(0, scale, values.size)
        case SphericalLaplace(scale):
            direction = rng.standard_normal(values.size)
            return values + direction * rng.gamma(values.size, scale) / np.linalg.norm(direction)
        case WishartDifference(scale):
            order = matrix_order(values.size)
            u, v = rng.standard_normal((2, order, order + 1))
            return values + svec(scale / 2 * (u @ v.T + v @ u.T))
    raise TypeError(f"no simulation for {law.name}")
