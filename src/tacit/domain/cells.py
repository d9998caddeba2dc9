"""From a column of cells to float64: a cell that is not a number becomes NaN, never an exception.

The value given to a cell depends on that cell alone, never on the other cells of its column. A cell is asked for its
type, and only for that, since everything else could be answered by code of its own: it is read when it is exactly of
one of the types listed here, and holds nothing otherwise.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from tacit.arithmetic import Floats

Cells = npt.NDArray[Any]
Codes = npt.NDArray[np.int32]

NUMERIC = "fiub"
"""Kinds of dtype whose cells are numbers as they stand."""

TRUTHS = {"true": 1, "false": 0}
"""Texts of truth values: readers deliver them as such while every cell of a column is one, and as text otherwise."""

_SCALARS: frozenset[type[np.generic]] = frozenset(np.sctypeDict.values())

# Types by their identity: comparing them would ask a foreign one whether it is equal.
_SCALAR = frozenset(map(id, _SCALARS))
_READ_SCALAR = frozenset(id(kind) for kind in _SCALARS if np.dtype(kind).kind in NUMERIC + "US")
_PARSED = frozenset(map(id, (str, bytes, int, float, bool, Decimal)))


def as_cells(column: object) -> Cells:
    """A column of numbers as it stands; any other column, or a list, as Python objects."""
    if isinstance(column, np.ndarray):
        return column if column.dtype.kind in NUMERIC else column.astype(object)
    # No inference: the kind found for a list would depend on all its cells.
    listed = list(column)  # type: ignore[call-overload]
    return np.fromiter(listed, dtype=object, count=len(listed))


def to_numbers(column: object) -> Floats:
    """float64 values of an array or list of cells, of the same shape; what cannot be parsed is NaN."""
    cells = as_cells(column)
    if cells.dtype.kind in NUMERIC:
        with np.errstate(all="ignore"):  # a long double beyond the doubles becomes infinite, and no warning tells of it
            return cells.astype(np.float64)
    flat = np.fromiter((_cell_number(cell) for cell in cells.ravel()), np.float64, cells.size)
    return flat.reshape(cells.shape)


def plain_cell(cell: Any) -> object:
    """A numpy scalar as the Python value it stands for; anything else unchanged."""
    if id(type(cell)) not in _READ_SCALAR:
        return cell
    with np.errstate(all="ignore"):
        return float(cell) if np.dtype(type(cell)).kind == "f" else cell.item()


def is_scalar(cell: object) -> bool:
    """Whether a cell is of one of numpy's own types."""
    return id(type(cell)) in _SCALAR


def _cell_number(cell: object) -> float:
    """float(cell) for plain numbers and their texts; NaN for everything else (no foreign code is run)."""
    cell = plain_cell(cell)
    if type(cell) is Fraction:
        return _quotient(cell.numerator, cell.denominator)
    if id(type(cell)) not in _PARSED:
        return float("nan")
    try:
        return float(cell)  # type: ignore[arg-type]
    except (ValueError, OverflowError, ArithmeticError):
        return truth_of(cell)


def _quotient(numerator: object, denominator: object) -> float:
    """A fraction does not check what it holds."""
    try:
        return numerator / denominator if type(numerator) is type(denominator) is int else float("nan")
    except ArithmeticError:
        return float("nan")


def truth_of(cell: object) -> float:
    """1 or 0 for the text of a truth value; NaN for anything else."""
    if type(cell) is bytes:
        cell = cell.decode("utf-8", errors="replace")
    return float(TRUTHS.get(cell.strip().casefold(), "nan")) if type(cell) is str else float("nan")
