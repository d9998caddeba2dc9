"""Targets: one cell per row, in the order of the table, encoded by the declaration."""

import numpy as np

from tacit.domain import Outcome
from tacit.errors import SchemaError
from tacit.rows.arrays import Cells, object_cells, plain_cells
from tacit.rows.frames import frame_table, series_cells
from tacit.rows.summation import FloatArray


def encoded_targets(y: object, n: int, outcome: Outcome) -> FloatArray:
    """Encoded targets of n rows; an index of y, if it has one, is ignored."""
    cells = _cells(y)
    if len(cells) != n:
        raise SchemaError(f"y: found {len(cells)} target(s) for {n} rows; expected one per row, in the same order.")
    return np.ascontiguousarray(outcome.encode(cells), dtype=np.float64)


def _cells(y: object) -> Cells:
    if y is None:
        raise SchemaError("y: found None; expected one target per row (or a table and a Schema naming its target).")
    if isinstance(y, list | tuple):
        return object_cells([_single(cell) for cell in y])
    frame = frame_table(y)
    cells = frame.only_column() if frame is not None else series_cells(y)
    if cells is None:
        cells = plain_cells(y, "y")
    if cells.ndim == 2 and cells.shape[1] == 1:
        cells = cells[:, 0]
    if cells.ndim != 1:
        raise SchemaError(f"y: found {cells.ndim} dimension(s); expected one target per row, shape (n,).")
    return cells


def _single(cell: object) -> object:
    """The target of a row written as a list of one cell."""
    return cell[0] if isinstance(cell, list | tuple) and len(cell) == 1 else cell
