"""Vertex scores kept up to date: a step touches the rows that hold the chosen feature, and the features of those rows.

The rows are collected once, clipped and encoded as always, into whole numbers by row and by column. They stay inside
the mechanism: only chosen vertices leave it. The order of the rows does not matter, because scores are exact sums.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tacit.mechanisms.lasso.vertex_sampler import Integers
from tacit.mechanisms.lasso.vertex_scores import Walk, checked_rows, in_units
from tacit.mechanisms.laws import Vector
from tacit.rows import Rows

BULK = 4  # above p/BULK touched cells one sparse product is faster than adding cell by cell


class SparseScores:
    """G of sparse rows after every step, the same whole numbers as a fresh pass would give."""

    def __init__(self, rows: Rows, walk: Walk) -> None:
        checked_rows(rows.n)
        self._walk = walk
        self._cells, self._targets = _collected(rows, walk.cell_bound)
        self._columns = self._cells.tocsc()
        self._sums = np.zeros(rows.n, dtype=np.int64)
        self._units = walk.units(self._sums, self._targets, 0).astype(np.int64)
        self._step = 0
        self.scores: Integers = self._cells.T @ self._units

    def move(self, feature: int, sign: int) -> NDArray[np.integer[Any]] | None:
        """Take one step; the features whose scores changed, None if they are many."""
        self._step += 1
        rows = self._advance(feature, sign * self._walk.schedule.weight(self._step))
        units = self._walk.units(self._sums[rows], self._targets[rows], self._step)
        change = units.astype(np.int64) - self._units[rows]
        changed = np.flatnonzero(change)
        rows, change = rows[changed], change[changed]
        self._units[rows] += change
        return self._apply(rows, change)

    def _advance(self, feature: int, weight: int) -> NDArray[np.integer[Any]]:
        """Add an atom to the rows that hold the feature; the rows whose score ⟨x, θ⟩ may have moved."""
        start, stop = self._columns.indptr[feature : feature + 2]
        rows = self._columns.indices[start:stop]
        self._sums[rows] += weight * self._columns.data[start:stop].astype(np.int64)
        return np.flatnonzero(self._sums) if self._walk.schedule.rescales else rows

    def _apply(self, rows: NDArray[np.integer[Any]], change: Integers) -> NDArray[np.integer[Any]] | None:
        """G += Σ change_i X_i over these rows."""
        starts = self._cells.indptr[rows]
        lengths = self._cells.indptr[rows + 1] - starts
        ends = np.cumsum(lengths)
        count = int(ends[-1]) if ends.size else 0
        if count > self.scores.size // BULK:
            self.scores += self._cells[rows].T @ change
            return None
        places = np.arange(count) + np.repeat(starts - ends + lengths, lengths)
        features: NDArray[np.integer[Any]] = self._cells.indices[places]
        np.add.at(self.scores, features, self._cells.data[places] * np.repeat(change, lengths))
        return features


def _collected(rows: Rows, cell_bound: float) -> tuple[Any, Vector]:
    """All rows as a CSR table of int16 with int32 indices, and their targets in the same order."""
    parts: list[tuple[Any, Vector]] = []

    def keep(X: Any, y: Vector) -> float:
        cells = in_units(X, cell_bound)
        parts.append((cells.astype(np.int16), y.copy()))
        return 0.0

    rows.total(keep)
    tables, targets = zip(*parts, strict=True)
    parts.clear()
    return _stacked(list(tables)), np.concatenate(targets)


def _stacked(tables: list[Any]) -> Any:
    """One table of the blocks; indices take 4 bytes unless there are 2^31 cells."""
    lengths = np.concatenate([np.diff(table.indptr) for table in tables])
    ends = np.cumsum(lengths, dtype=np.int64)
    index = np.int32 if ends[-1] < 2**31 else np.int64
    starts = np.concatenate([[0], ends]).astype(index)
    data = np.concatenate([table.data for table in tables])
    indices = np.concatenate([table.indices for table in tables], dtype=index)
    return csr_array((data, indices, starts), shape=(len(lengths), tables[0].shape[1]))
