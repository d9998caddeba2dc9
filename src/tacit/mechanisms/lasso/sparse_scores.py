"""Vertex scores of sparse rows, kept up to date: a step touches the rows that hold the chosen feature.

The rows are collected once, clipped and encoded as always, into whole numbers by row and by column. They stay inside
the mechanism: only chosen vertices leave it. The order of the rows does not matter, because scores are exact sums.

A step changes the slopes D of few rows. The score of one feature is always at hand, as a sum over its column; all
scores together are brought up to date only when asked, for all rows that changed since.
"""

from typing import Any

import numpy as np
from scipy.sparse import csr_array

from tacit.mechanisms.lasso.candidates import CELL_UNITS
from tacit.mechanisms.lasso.vertex_sampler import Integers
from tacit.mechanisms.lasso.vertex_scores import Walk, checked_rows
from tacit.mechanisms.laws import Vector
from tacit.rows import Rows


class SparseScores:
    """G of sparse rows after every step, the same whole numbers as a fresh pass would give."""

    def __init__(self, rows: Rows, walk: Walk) -> None:
        checked_rows(rows.n)
        self._walk = walk
        self._cells, self._targets = _collected(rows, walk)
        self._columns = self._cells.tocsc()
        self._sums = np.zeros(rows.n, dtype=np.int64)
        self._holds_chosen = np.zeros(rows.n, dtype=bool)
        self._units = walk.units(self._sums, self._targets, 0)
        self._counted = self._units.copy()
        self._step = 0
        self.drift = 0
        self.scores: Integers = self._columns.T @ self._units.astype(np.int64)

    def score(self, feature: int) -> int:
        """G_j now, by its column: every partial sum is a whole number below 2^53."""
        rows, cells = self._column(feature)
        return int(self._units[rows] @ cells)

    def move(self, feature: int, sign: int) -> None:
        """Take one step: new slopes for the rows whose score ⟨x, θ⟩ moved."""
        self._step += 1
        rows, sums = self._advance(feature, sign * self._walk.schedule.weight(self._step))
        units = self._walk.units(sums, self._targets[rows], self._step)
        change = units - self._units[rows]
        self.drift += CELL_UNITS * int(np.abs(change, out=change).sum())
        self._units[rows] = units

    def refresh(self) -> None:
        """scores += Σ (change of Dᵢ) X_i over the rows that changed since the last time."""
        rows = np.flatnonzero(self._units != self._counted)
        if 2 * rows.size < self._units.size:
            change = self._units[rows] - self._counted[rows]
            self.scores += self._cells[rows].T @ change.astype(np.int64)
        else:  # picking most rows would cost more than the product
            self.scores += self._columns.T @ (self._units - self._counted).astype(np.int64)
        self._counted[rows] = self._units[rows]
        self.drift = 0

    def _advance(self, feature: int, weight: int) -> tuple[Any, Integers]:
        """Add an atom to the rows that hold the feature; the rows whose score may have moved, with their sums."""
        rows, cells = self._column(feature)
        sums = self._sums[rows] + np.multiply(cells, weight, dtype=np.int64)
        self._sums[rows] = sums
        if not self._walk.schedule.rescales:
            return rows, sums
        self._holds_chosen[rows] = True
        moved = np.flatnonzero(self._holds_chosen)
        return moved, self._sums[moved]

    def _column(self, feature: int) -> tuple[Any, Any]:
        """The rows that hold a feature, and their cells."""
        start, stop = self._columns.indptr[feature : feature + 2].tolist()
        return self._columns.indices[start:stop].astype(np.intp), self._columns.data[start:stop]


def _collected(rows: Rows, walk: Walk) -> tuple[Any, Vector]:
    """All rows as a CSR table of int16 with int32 indices, and their targets in the same order."""
    parts: list[tuple[Any, ...]] = []

    def keep(X: Any, y: Vector) -> float:
        parts.append((walk.cells(X.data).astype(np.int16), X.indices.copy(), np.diff(X.indptr), y.copy()))
        return 0.0

    rows.total(keep)
    cells, indices, lengths, targets = (np.concatenate(pieces) for pieces in zip(*parts, strict=True))
    parts.clear()
    ends = np.cumsum(lengths, dtype=np.int64)
    index = np.int32 if ends[-1] < 2**31 else np.int64  # 4 bytes unless there are 2^31 cells
    starts = np.concatenate([[0], ends]).astype(index)
    return csr_array((cells, indices.astype(index, copy=False), starts), shape=(rows.n, rows.width)), targets
