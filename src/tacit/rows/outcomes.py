"""Targets: one cell per row, in the order of the table, encoded by the declaration."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tacit.arithmetic import Floats
from tacit.domain import Cells, Outcome
from tacit.errors import SchemaError
from tacit.rows.arrays import closed_array, object_cells
from tacit.rows.columns import Column
from tacit.rows.frames import frame_table, series_column


def closed_targets(y: Any, n: int, outcome: Outcome) -> Callable[[], Floats]:
    """What reads and encodes the targets of n rows; an index of y, if it has one, is ignored."""
    column = closed_column(y)
    if column.n != n:
        raise SchemaError(f"y: found {column.n} target(s) for {n} rows; expected one per row, in the same order.")
    return lambda: np.ascontiguousarray(outcome.encode(column.cells()), dtype=np.float64)


def closed_column(y: Any) -> Column:
    if y is None:
        raise SchemaError("y: found None; expected one target per row (or a table and a Schema naming its target).")
    if isinstance(y, Column):
        return y
    if isinstance(y, list | tuple):
        return Column("y", len(y), lambda: object_cells([_single(cell) for cell in y]))
    frame = frame_table(y)
    found = frame.only_column() if frame is not None else series_column(y)
    return _array_column(y) if found is None else found


def _array_column(y: object) -> Column:
    array = closed_array(y, "y")
    if array.shape[1:] not in ((), (1,)) or not array.shape:
        raise SchemaError(f"y: found {len(array.shape)} dimension(s); expected one target per row, shape (n,).")

    def cells() -> Cells:
        return array.open().reshape(array.shape[0])

    return Column("y", array.shape[0], cells)


def _single(cell: object) -> object:
    """The target of a row written as a list of one cell."""
    return cell[0] if (type(cell) is list or type(cell) is tuple) and len(cell) == 1 else cell
