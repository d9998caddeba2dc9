"""Do private intervals cover, and how long are they? Bootstrap samples of real tables, the whole table is the truth.

Setting of Wang, Kifer and Lee (2018): λ = 0.002, 95 % intervals, rows scaled to the unit ball with a constant column,
one bootstrap sample a replicate, zCDP at ρ = ε²/2. "variability" is the true spread of the coefficients when the whole
budget goes to them: no interval centred there can be shorter. A cell reaches its mark if the average coverage is at
least 95 % (94 % below 5,000 rows) and the worst coordinate is covered at least 92 % of the time. Tables marked held_out
chose none of the recipe's constants.

First come ordinary coefficients, which a logistic model covers unless it is given `l2`; see `coverage.ordinary`. All
other lines are about penalised coefficients.

Two engines. "library": what a user runs. "simulated": the same plans, noise laws and interval code, but the minimum is
found by Newton's method on the distinct rows and the noise comes from numpy, which makes thousands of replicates cheap.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial

import numpy as np
import pandas as pd

from benchmarks import data, parts
from benchmarks.coverage import cells, library, ordinary, picture, ridge, simulation
from benchmarks.coverage.cells import Cell
from benchmarks.coverage.measure import Record
from tacit import Domain, PrivateLogisticRegression

FEW, MANY = 100, 1000
FEW_ORDINARY, MANY_ORDINARY = 60, 400

plot = picture.plot


def run(quick: bool = True) -> list[Record]:
    """Every cell with 100 replicates (quick: some cells) or 1,000 (all cells), then the time of a fit."""
    records = list(_ordinary(quick))
    for cell in cells.quick() if quick else cells.full():
        work = partial(_measured, cell, FEW if quick else MANY)
        try:
            records += work() if quick else parts.once("intervals", str(cell), work)
        except data.Missing as reason:
            print(f"intervals: {cell.data} left out: {reason}")
    return [*records, timing()]


def _ordinary(quick: bool) -> Iterator[Record]:
    """Ordinary coefficients, the default: some cells with 60 samples, or all of them with 400."""
    for cell in ordinary.quick_cells() if quick else ordinary.full_cells():
        work = partial(_ordinary_cell, cell, FEW_ORDINARY if quick else MANY_ORDINARY)
        try:
            yield from work() if quick else parts.once("intervals", str(cell), work)
        except data.Missing as reason:
            print(f"intervals: {cell.table} left out: {reason}")


def _ordinary_cell(cell: ordinary.OrdinaryCell, replicates: int) -> list[Record]:
    return [ordinary.measured(cell, replicates)]


def _measured(cell: Cell, replicates: int) -> list[Record]:
    engines = {
        ("simulated", False): simulation.simulated,
        ("simulated", True): ridge.simulated,
        ("library", False): library.by_the_library,
        ("library", True): ridge.by_the_library,
    }
    return [engines[cell.engine, cell.loss == "squared"](cell, replicates)]


def timing() -> Record:
    """One fit with intervals against one without, n = 450,000 and d = 10."""
    X, y, _ = data.synthetic(450_000, 10)
    labels = (y > np.median(y)).astype(int)
    seconds = {True: np.inf, False: np.inf}
    for inference in (False, True, False, True):
        model = PrivateLogisticRegression(domain=Domain(radius=4.0, classes=(0, 1)), inference=inference)
        started = time.perf_counter()
        model.fit(X, labels)
        if inference:
            model.conf_int()
        seconds[inference] = min(seconds[inference], time.perf_counter() - started)
    record: Record = {"data": "synthetic", "d": 10, "n": len(X), "loss": "logistic", "currency": "pure", "epsilon": 1.0}
    times = {"seconds": seconds[True], "seconds_without": seconds[False], "time_ratio": seconds[True] / seconds[False]}
    return record | times


def main() -> None:
    """Print the quick table."""
    print(pd.DataFrame(run()).to_string())


if __name__ == "__main__":
    main()
