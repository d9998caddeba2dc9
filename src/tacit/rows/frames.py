"""Tables with named columns: pandas, polars and pyarrow.

Columns are found by name, never by an index: rows keep the order of the table. Names, lengths and types are public, and
all that is looked at here; cells stay closed in their `Column`.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from tacit.domain import Cells, to_numbers
from tacit.errors import SchemaError
from tacit.rows.arrays import listed_names
from tacit.rows.arrow_columns import arrow_column, check_arrow_type
from tacit.rows.columns import Column
from tacit.rows.pandas_columns import pandas_column
from tacit.rows.polars_columns import polars_column


@dataclass(frozen=True, slots=True, eq=False)
class FrameTable:
    """A table whose columns have names; `column` closes the one at a place, or refuses its kind."""

    n: int
    labels: Sequence[Any]
    column: Callable[[int], Column] = field(repr=False)

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.labels)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.n, self.width

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return [str(label) for label in self.labels]

    def select(self, names: Sequence[str]) -> "ClosedColumns":
        """The named columns; columns that were not declared are ignored."""
        places = {label: place for place, label in enumerate(self.labels)}
        absent = [name for name in names if name not in places]
        if absent:
            raise SchemaError(
                f"X: found no column {listed_names(absent)}; expected the declared names. "
                f"The table has: {listed_names(self.names)}."
            )
        return ClosedColumns([self.column(places[name]) for name in names])

    def all(self) -> "ClosedColumns":
        """Every column."""
        return ClosedColumns([self.column(place) for place in range(self.width)])

    def only_column(self) -> Column:
        """The one column of a table of targets."""
        if self.width != 1:
            raise SchemaError(f"y: found a table of {self.width} columns; expected one column.")
        return self.column(0)


@dataclass(frozen=True, slots=True, eq=False)
class ClosedColumns:
    """Chosen columns, in order, of kinds that can be read."""

    chosen: list[Column]

    def columns(self) -> list[Cells]:
        """The cells of each column."""
        return [column.cells() for column in self.chosen]

    def numbers(self) -> Cells:
        """The columns as float64, side by side."""
        numbers = np.empty((self.chosen[0].n, len(self.chosen)))
        for place, column in enumerate(self.chosen):
            numbers[:, place] = to_numbers(column.cells())
        return numbers


def table_to_come(
    n: int, names: Sequence[str], read: Callable[[], Any], arrow_types: Sequence[Any] | None = None
) -> FrameTable:
    """The table that `read` will give: n rows of these columns, read when the first cell is asked for.

    arrow_types: of the columns, where they have any; a type that holds neither numbers nor text is refused now.
    """

    @cache
    def opened() -> FrameTable:
        table = frame_table(read())
        if table is None or table.n != n:
            raise SchemaError(f"X: {n} rows were announced and another number was read; do not change files in use.")
        return table

    def column(place: int) -> Column:
        if arrow_types is not None:
            check_arrow_type(names[place], arrow_types[place])
        return Column(names[place], n, lambda: opened().column(place).cells())

    return _frame(n, names, column)


def frame_table(table: Any) -> FrameTable | None:
    """A pandas, polars or pyarrow table, or one that is closed already; None for anything else."""
    if isinstance(table, FrameTable):
        return table
    if isinstance(table, pd.DataFrame):
        return _frame(len(table), list(table.columns), lambda place: pandas_column(table, place))
    polars, arrow = sys.modules.get("polars"), sys.modules.get("pyarrow")
    if polars is not None and isinstance(table, polars.DataFrame):
        return _frame(table.height, table.columns, lambda place: polars_column(table.to_series(place)))
    if arrow is not None and isinstance(table, arrow.Table | arrow.RecordBatch):
        names = table.schema.names
        return _frame(table.num_rows, names, lambda place: arrow_column(names[place], table.column(place)))
    return None


def series_column(column: Any) -> Column | None:
    """A pandas, polars or pyarrow series in its own order; None for anything else."""
    if isinstance(column, pd.Series | pd.api.extensions.ExtensionArray):
        return pandas_column(pd.DataFrame({"y": column}), 0)
    polars, arrow = sys.modules.get("polars"), sys.modules.get("pyarrow")
    if polars is not None and isinstance(column, polars.Series):
        return polars_column(column)
    if arrow is not None and isinstance(column, arrow.Array | arrow.ChunkedArray):
        return arrow_column("y", column)
    return None


def _frame(n: int, labels: Sequence[Any], column: Callable[[int], Column]) -> FrameTable:
    if len(set(labels)) < len(labels):
        raise SchemaError("X: found a column name more than once; expected each name once. Rename one.")
    return FrameTable(n, labels, column)
