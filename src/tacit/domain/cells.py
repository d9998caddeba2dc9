"""From a column of cells to float64: a cell that is not a number becomes NaN, never an exception.

A column's *kind* (complex, dates, records) is public by declaration and may be refused; a *cell* may not.
The value given to a cell depends on that cell alone, never on the other cells of its column.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from tacit.errors import SchemaError

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int32]

TRUTHS = {"true": 1, "false": 0}
"""Texts of truth values: readers deliver them as such while every cell of a column is one, and as text otherwise."""

_PARSED = (str, bytes, int, float, bool, Decimal, Fraction)


def as_cells(column: object, where: str) -> npt.NDArray[Any]:
    """`column` as a plain ndarray: numeric dtypes stay, everything else becomes Python objects."""
    if isinstance(column, np.ma.MaskedArray):
        cells = np.array(column.data, dtype=object, subok=False)
        cells[np.ma.getmaskarray(column)] = None
        return cells
    if not isinstance(column, np.ndarray):
        if isinstance(column, list | tuple):
            # No inference: the kind found for a list would depend on all its cells.
            return np.fromiter(column, dtype=object, count=len(column))
        numpy_dtype = getattr(column, "dtype", None)
        column = np.asarray(column, dtype=numpy_dtype if isinstance(numpy_dtype, np.dtype) else object)
    kind = column.dtype.kind
    if kind == "f":
        with np.errstate(all="ignore"):
            return np.asarray(column, dtype=np.float64)
    if kind in "iub":
        return np.asarray(column)
    if kind in "OUST":
        return column.astype(object)
    raise SchemaError(
        f"{where}: found a column of dtype {column.dtype}; expected numbers or text. "
        "Convert it to numbers (for dates: to days, for complex numbers: to real parts) before fitting."
    )


def to_numbers(column: object, where: str = "column") -> Floats:
    """float64 values of any array or column of cells, of the same shape; what cannot be parsed is NaN."""
    cells = as_cells(column, where)
    if cells.dtype.kind in "fiub":
        return cells.astype(np.float64)
    flat = np.fromiter((_cell_number(cell) for cell in cells.ravel()), np.float64, cells.size)
    return flat.reshape(cells.shape)


def plain_cell(cell: object) -> object:
    """A numpy scalar as the Python value it stands for; anything else unchanged."""
    if isinstance(cell, np.floating):
        with np.errstate(all="ignore"):
            return float(cell)
    return cell.item() if isinstance(cell, np.generic) else cell


def _cell_number(cell: object) -> float:
    """float(cell) for plain numbers and their texts; NaN for everything else (no foreign code is run)."""
    cell = plain_cell(cell)
    if type(cell) not in _PARSED:
        return float("nan")
    try:
        return float(cell)  # type: ignore[arg-type]
    except (ValueError, OverflowError, ArithmeticError):
        return truth_of(cell)


def truth_of(cell: object) -> float:
    """1 or 0 for the text of a truth value; NaN for anything else."""
    if type(cell) is bytes:
        cell = cell.decode("utf-8", errors="replace")
    return float(TRUTHS.get(cell.strip().casefold(), "nan")) if type(cell) is str else float("nan")
