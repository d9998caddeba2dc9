"""Tables with named columns: pandas, polars and pyarrow, all through narwhals.

Columns are found by name, never by an index: rows keep the order of the table.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import narwhals as nw
import numpy as np

from tacit.domain import to_numbers
from tacit.errors import SchemaError
from tacit.rows.arrays import Cells


@dataclass(frozen=True, slots=True, eq=False)
class FrameTable:
    """A table in memory whose columns have names."""

    frame: "nw.DataFrame[Any]" = field(repr=False)

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.frame)

    def numbers(self) -> tuple[Cells, list[str]]:
        """All columns as float64, and their names."""
        names = [str(name) for name in self.frame.columns]
        numbers = np.empty((self.n, len(names)))
        for place, (name, column) in enumerate(zip(names, self.frame.iter_columns(), strict=True)):
            numbers[:, place] = to_numbers(_cells(column), f"column {name!r}")
        return numbers, names

    def select(self, names: Sequence[str]) -> list[Cells]:
        """The named columns; columns that were not declared are ignored."""
        absent = [name for name in names if name not in self.frame.columns]
        if absent:
            raise SchemaError(
                f"X: found no column {', '.join(map(repr, absent))}; expected the declared names. "
                f"The table has: {', '.join(map(str, self.frame.columns))}."
            )
        return [_cells(self.frame[name]) for name in names]

    def only_column(self) -> Cells:
        """The one column of a table of targets."""
        if len(self.frame.columns) != 1:
            raise SchemaError(f"y: found a table of {len(self.frame.columns)} columns; expected one column.")
        return _cells(self.frame[:, 0])


def frame_table(table: object) -> FrameTable | None:
    """A pandas, polars or pyarrow table; None for anything else."""
    try:
        frame = nw.from_native(table, eager_only=True, pass_through=True)
    except nw.exceptions.DuplicateError:
        raise SchemaError("X: found a column name more than once; expected each name once. Rename one.") from None
    return FrameTable(frame) if isinstance(frame, nw.DataFrame) else None


def series_cells(column: object) -> Cells | None:
    """Cells of a pandas, polars or pyarrow series in its own order; None for anything else."""
    series = nw.from_native(column, series_only=True, pass_through=True)
    return _cells(series) if isinstance(series, nw.Series) else None


def _cells(column: "nw.Series[Any]") -> Cells:
    if column.dtype.is_temporal():
        raise SchemaError(
            f"column {column.name!r}: found {column.dtype}; expected numbers or text. "
            "Convert it to numbers (for dates: to days) before fitting."
        )
    if column.dtype in (nw.Int128, nw.UInt128):
        # One integer beyond 64 bits makes a reader choose them for the whole column, and numpy has none.
        column = column.cast(nw.Float64)
    if column.implementation.is_pyarrow() and column.dtype in (nw.Categorical, nw.Enum):
        # Turned into an array directly, an empty cell of a dictionary column would read as its first entry.
        values = column.to_native()
        return np.asarray(values.cast(values.type.value_type).to_numpy())
    return column.to_numpy()
