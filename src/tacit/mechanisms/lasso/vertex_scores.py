"""Scores of the vertices of the ℓ1 ball: whole numbers that move by a known amount when one row is replaced.

    X_ij = round(2^14 x_ij / r),   |X_ij| ≤ 2^14,   r = public bound on |x_ij|
    G_j  = Σᵢ Dᵢ X_ij,             |G_j(S) − G_j(S')| ≤ 2 · 2^28 exactly,   by `integer-vertex-scores`

The score of vertex s·c·e_j in the mean loss is s·G_j·cLr/(2^28 n). Everything is exact in int64 and in binary64
(below 2^53), so G computed row by row from scratch and G kept up to date are the same numbers.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from tacit.errors import ParameterError
from tacit.mechanisms.lasso.candidates import BOTH_SIGNS, CELL_UNITS, Candidates
from tacit.mechanisms.lasso.loss import ClippedLoss
from tacit.mechanisms.lasso.schedule import Schedule
from tacit.mechanisms.lasso.vertex_sampler import Integers
from tacit.mechanisms.laws import Vector
from tacit.rows import Rows

MOST_ROWS = 2**24
"""n · 2^28 ≤ 2^52: no score leaves the whole numbers that binary64 holds exactly."""

MOST_KEPT_CELLS = 2**27
"""Cells of dense rows that are kept as floats between the steps: 1 GiB."""


@dataclass(frozen=True)
class Walk:
    """What the scores depend on besides the rows: loss, step rule, number of steps, ℓ1 radius, bounds on cells.

    grain: slopes are rounded to multiples of this power of two. The coarser, the fewer rows a step has to look at.
    """

    loss: ClippedLoss
    schedule: Schedule
    steps: int
    radius: float
    cell_bound: float
    grain: int = 1
    candidates: Candidates = BOTH_SIGNS

    def cells(self, cells: Vector) -> Vector:
        """X: cells as whole numbers (floats) from the lowest allowed to 2^14, by `integer-vertex-scores`."""
        units = cells * (CELL_UNITS / self.cell_bound)
        np.rint(units, out=units)
        return np.clip(units, self.candidates.lowest_cell, CELL_UNITS, out=units)

    def units(self, sums: Any, y: Vector, step: int) -> Vector:
        """Slopes D of rows with Σ w_k s_k X_ij = sums after `step` steps."""
        return self.loss.units(sums * self.per_unit(step), y, self.grain)

    def per_unit(self, step: int) -> float:
        """The row score ⟨x, θ⟩ of one unit of Σ w_k s_k X_ij after `step` steps."""
        return self.radius * self.cell_bound / (self.schedule.total(step, self.steps) * CELL_UNITS)


class KeptScores:
    """G of dense rows whose whole-number cells are kept, block by block: a step is one product with all of them.

    The cells stay inside the mechanism, and every step works on all rows, whatever they hold.
    """

    def __init__(self, rows: Rows, walk: Walk) -> None:
        checked_rows(rows.n)
        self._walk = walk
        self._blocks: list[tuple[Vector, Vector, Vector]] = []
        self._step = 0

        def keep(X: Any, y: Vector) -> float:
            self._blocks.append((walk.cells(X).T.copy(), y.copy(), np.zeros(len(y))))
            return 0.0

        rows.total(keep)
        self.scores = self._product()

    def move(self, feature: int, sign: int) -> None:
        """Take one step: the sums Σ w_k s_k X_ij of all rows, then their slopes, then G."""
        self._step += 1
        weight = sign * self._walk.schedule.weight(self._step)
        for columns, _, sums in self._blocks:
            sums += columns[feature] * weight
        self.scores = self._product()

    def _product(self) -> Integers:
        units, step = self._walk.units, self._step
        products = [columns @ units(sums, y, step) for columns, y, sums in self._blocks]
        return np.asarray(sum(products)).astype(np.int64)


class FreshScores:
    """G from one full pass over the rows for every step: the plain algorithm, on dense and sparse rows."""

    def __init__(self, rows: Rows, walk: Walk) -> None:
        checked_rows(rows.n)
        self._rows, self._walk = rows, walk
        self._atoms = np.zeros(rows.width)
        self._step = 0
        self.scores = self._pass()

    def move(self, feature: int, sign: int) -> None:
        """Take one step, then read every row."""
        self._step += 1
        self._atoms[feature] += sign * self._walk.schedule.weight(self._step)
        self.scores = self._pass()

    def _pass(self) -> Integers:
        walk, atoms, step = self._walk, self._atoms, self._step

        def kernel(X: Any, y: Vector) -> Vector:
            cells = _in_units(X, walk)
            return np.asarray(cells.T @ walk.units(cells @ atoms, y, step))

        return self._rows.total(kernel).astype(np.int64)


def scores_of(rows: Rows, walk: Walk) -> KeptScores | FreshScores:
    """The quickest way that looks at all rows in every step; which one it is depends on public sizes."""
    kept = not rows.sparse and rows.n * rows.width <= MOST_KEPT_CELLS
    return KeptScores(rows, walk) if kept else FreshScores(rows, walk)


def _in_units(X: Any, walk: Walk) -> Any:
    """The cells of a block as whole numbers (floats), dense or sparse."""
    if isinstance(X, csr_array):
        return csr_array((walk.cells(X.data), X.indices, X.indptr), shape=X.shape)
    return walk.cells(X)


def checked_rows(n: int) -> None:
    """Refuse tables whose scores could leave the exact whole numbers of binary64."""
    if n > MOST_ROWS:
        raise ParameterError(f"found {n} rows; expected at most 2**24, so that scores are exact. Fit on fewer rows.")
