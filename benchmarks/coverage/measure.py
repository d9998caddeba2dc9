"""What is measured in a cell: how often its intervals cover the truth, and how long they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from benchmarks.coverage.cells import Cell
from tacit.inference import Evidence

LEVEL = 0.95
LARGE = 5000
LEAST_AVERAGE, LEAST_AVERAGE_SMALL, LEAST_SINGLE = 0.95, 0.94, 0.92

Floats = np.ndarray
Record = dict[str, Any]


class Replicate(NamedTuple):
    """One release on a fresh sample, and the coefficients that the whole budget would have bought on it."""

    theta: Floats
    evidence: Evidence
    with_whole_budget: Floats


def measured(cell: Cell, n: int, truth: Floats, draw: Callable[[], Replicate], replicates: int) -> Record:
    """Coverage and length over `replicates` draws.

    variability: the spread of coefficients that get the whole budget; no interval centred there can be shorter.
    """
    drawn = [_seen(draw(), np.eye(len(truth))) for _ in range(replicates)]
    thetas, halves, with_whole_budget = (np.array(part) for part in zip(*drawn, strict=True))
    covered = np.abs(thetas - truth) <= halves
    average, worst = float(covered.mean()), float(covered.mean(axis=0).min())
    length, variability = float(2 * halves.mean()), _spread(with_whole_budget)
    record: Record = {"data": cell.data, "d": len(truth) - 1, "n": n, "loss": cell.loss, "mechanism": cell.mechanism}
    record |= {"currency": cell.currency, "epsilon": cell.epsilon, "held_out": cell.held_out, "engine": cell.engine}
    record["default_l2"] = cell.l2 is None
    record |= {"replicates": replicates, "coverage": average, "worst": worst}
    record["covered"] = average >= (LEAST_AVERAGE if n >= LARGE else LEAST_AVERAGE_SMALL) and worst >= LEAST_SINGLE
    return record | {"length": length, "variability": variability, "over_variability": length / variability}


def _seen(release: Replicate, directions: Floats) -> tuple[Floats, Floats, Floats]:
    return release.theta, release.evidence.half_widths(directions, LEVEL), release.with_whole_budget


def _spread(thetas: Floats) -> float:
    """Mean width of the central 95 % of each coefficient over replicates."""
    return float(np.mean(np.subtract(*np.quantile(thetas, [(1 + LEVEL) / 2, (1 - LEVEL) / 2], axis=0))))
