"""Plain arrays and lists: a table whose columns are known by position.

The shape and the kind of dtype are public and may be refused. A cell may not: what is not a number becomes NaN
and then takes the declared value of a missing cell.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from tacit.domain import to_numbers
from tacit.errors import SchemaError

Cells: TypeAlias = npt.NDArray[Any]

NUMERIC = "fiub"
TEXT = "OUST"


@dataclass(frozen=True, slots=True, eq=False)
class ArrayTable:
    """A two-dimensional base-class ndarray of numbers or of Python objects."""

    cells: Cells = field(repr=False)

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.cells)

    def numbers(self) -> tuple[Cells, None]:
        """All columns as real numbers of any dtype, without names; an array of numbers is handed on as it is."""
        cells = self.cells if self.cells.dtype.kind in NUMERIC else to_numbers(self.cells, "X")
        return cells, None

    def select(self, names: Sequence[str]) -> list[Cells]:
        """The columns in order of position: there must be one for each name."""
        if self.cells.shape[1] != len(names):
            raise SchemaError(
                f"X: found {self.cells.shape[1]} column(s); expected {len(names)}, one for each declared feature "
                f"({', '.join(names)}) in this order."
            )
        return list(self.cells.T)


def array_table(values: object) -> ArrayTable:
    """A table of anything two-dimensional; numbers are neither read nor copied."""
    cells = _listed(values) if isinstance(values, list | tuple) else plain_cells(values, "X")
    if cells.ndim != 2:
        raise SchemaError(
            f"X: found {cells.ndim} dimension(s); expected 2, one row per unit and one column per feature. "
            "Use X.reshape(-1, 1) for a single feature."
        )
    return ArrayTable(cells)


def plain_cells(values: object, where: str) -> Cells:
    """A base-class ndarray of numbers (not copied) or of Python objects."""
    if isinstance(values, np.ma.MaskedArray):
        return _unmasked(values, where)
    if not (isinstance(values, np.ndarray) or hasattr(values, "__array__")):
        raise SchemaError(
            f"{where}: found {type(values).__name__}; expected a numpy array, nested lists, a scipy.sparse matrix, "
            "or an in-memory table of pandas, polars or pyarrow (collect a lazy one first)."
        )
    cells = np.asarray(values)
    if cells.dtype.kind in NUMERIC:
        return cells
    if cells.dtype.kind in TEXT:
        return cells.astype(object)
    raise SchemaError(
        f"{where}: found dtype {cells.dtype}; expected real numbers or text. "
        "Convert it first (dates to days, complex numbers to real parts)."
    )


def _unmasked(values: "np.ma.MaskedArray[Any, Any]", where: str) -> Cells:
    """A masked cell is a missing cell."""
    data = plain_cells(np.ma.getdata(values), where)
    with np.errstate(all="ignore"):  # a long double beyond the doubles becomes infinite, and no warning tells of it
        data = data.astype(np.float64 if data.dtype.kind in NUMERIC else object)
    data[np.ma.getmaskarray(values)] = np.nan
    return data


def _listed(rows: Sequence[Any]) -> Cells:
    """Nested lists cell by cell: letting numpy find a dtype would let one cell decide how the others are read."""
    if not all(_is_row(row) for row in rows):
        return object_cells(rows)
    widths = {len(row) for row in rows}
    if len(widths) > 1:
        raise SchemaError("X: found rows of different lengths; expected as many cells in every row.")
    cells = np.empty((len(rows), *widths), dtype=object)
    for target, row in zip(cells, rows, strict=True):
        target[:] = object_cells(row)
    return cells


def _is_row(value: object) -> bool:
    return isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.ndim > 0)


def object_cells(values: Sequence[Any]) -> Cells:
    """One object per cell, whatever the objects are."""
    return np.fromiter(values, dtype=object, count=len(values))
