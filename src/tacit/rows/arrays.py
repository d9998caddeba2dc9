"""Plain arrays and lists: a table whose columns are known by position.

The shape and the kind of dtype are public and may be refused before a cell is looked at. A cell may not: what is not a
number becomes NaN and then takes the declared value of a missing cell.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tacit.domain import NUMERIC, Cells, to_numbers
from tacit.errors import SchemaError

TEXT = "OUST"


@dataclass(frozen=True, slots=True, eq=False)
class ClosedArray:
    """An array of known shape and kind; `open` gives its cells, of a numeric dtype or Python objects."""

    shape: tuple[int, ...]
    numeric: bool
    open: Callable[[], Cells] = field(repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class ArrayTable:
    """A closed array of two dimensions."""

    array: ClosedArray

    names = None

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.array.shape[0]

    @property
    def width(self) -> int:
        """Number of columns."""
        return self.array.shape[1]

    @property
    def numeric(self) -> bool:
        """Whether the cells are numbers already, so that they are read in place."""
        return self.array.numeric

    def select(self, names: Sequence[str]) -> "ArrayTable":
        """The columns in order of position: there must be one for each name."""
        if self.width != len(names):
            raise SchemaError(
                f"X: found {self.width} column(s); expected {len(names)}, one for each declared feature "
                f"({listed_names(names)}) in this order."
            )
        return self

    def all(self) -> "ArrayTable":
        """Every column."""
        return self

    def columns(self) -> list[Cells]:
        """The cells of each column."""
        return list(self.array.open().T)

    def numbers(self) -> Cells:
        """All columns as real numbers of any dtype; an array of numbers is handed on as it is."""
        cells = self.array.open()
        return cells if self.numeric else to_numbers(cells)


def listed_names(names: Sequence[str], most: int = 30) -> str:
    """Names as messages show them: quoted, so that none commands a terminal."""
    rest = [f"and {len(names) - most} more"] if len(names) > most else []
    return ", ".join([*map(repr, names[:most]), *rest])


def array_table(values: object) -> ArrayTable:
    """A table of anything two-dimensional; no cell is read or copied."""
    array = _listed(values) if isinstance(values, list | tuple) else closed_array(values, "X")
    if len(array.shape) != 2:
        raise SchemaError(
            f"X: found {len(array.shape)} dimension(s); expected 2, one row per unit and one column per feature. "
            "Use X.reshape(-1, 1) for a single feature."
        )
    return ArrayTable(array)


def closed_array(values: object, where: str) -> ClosedArray:
    """The shape and kind of an array, or of an object that numpy can turn into one."""
    if isinstance(values, np.ma.MaskedArray):
        masked, plain = values, np.ma.getdata(values)
        return _closed(np.asarray(plain), where, lambda: _unmasked(masked))
    if isinstance(values, np.ndarray):
        return _closed(np.asarray(values), where, lambda: _plain(np.asarray(values)))
    if not hasattr(values, "__array__") or hasattr(type(values), "columns"):
        raise SchemaError(
            f"{where}: found {_kind_name(values)}; expected a numpy array, nested lists, "
            "a scipy.sparse matrix, or an in-memory table of pandas, polars or pyarrow (collect a lazy one first: "
            "`.compute()`, `.collect()`, `.to_pandas()`)."
        )
    return _convertible(values, where)


def _kind_name(value: object) -> str:
    """The type of an object and the library it is from."""
    library = type(value).__module__.partition(".")[0]
    return type(value).__name__ if library == "builtins" else f"{library}.{type(value).__name__}"


def _closed(array: Cells, where: str, opening: Callable[[], Cells]) -> ClosedArray:
    check_kind(array.dtype, where)
    return ClosedArray(array.shape, array.dtype.kind in NUMERIC, opening)


def _convertible(values: Any, where: str) -> ClosedArray:
    """A foreign array. If it tells neither shape nor dtype it has to be converted to find out; no cell is looked at."""
    shape, dtype = getattr(values, "shape", None), getattr(values, "dtype", None)
    if not isinstance(shape, tuple) or not isinstance(dtype, np.dtype):
        array = np.asarray(values)
        return _closed(array, where, lambda: _plain(array))
    if not all(isinstance(length, int) for length in shape):
        raise SchemaError(f"{where}: found an array of unknown length; expected known ones. Compute it first.")
    check_kind(dtype, where)

    def opening() -> Cells:
        array = np.asarray(values)
        if array.shape != shape or array.dtype.kind != dtype.kind:
            raise SchemaError(f"{where}: found an array of another shape or dtype than it told. Pass a numpy array.")
        return _plain(array)

    return ClosedArray(shape, dtype.kind in NUMERIC, opening)


def check_kind(dtype: "np.dtype[Any]", where: str) -> None:
    """Refuse dtypes that hold neither real numbers nor text: a public fact."""
    if dtype.kind not in NUMERIC + TEXT:
        raise SchemaError(
            f"{where}: found dtype {dtype}; expected real numbers or text. "
            "Convert it to numbers (for dates: to days, for complex numbers: to real parts) before fitting."
        )


def _plain(array: Cells) -> Cells:
    return array if array.dtype.kind in NUMERIC else array.astype(object)


def _unmasked(values: "np.ma.MaskedArray[Any, Any]") -> Cells:
    """A masked cell is a missing cell."""
    data = np.asarray(np.ma.getdata(values))
    with np.errstate(all="ignore"):  # a long double beyond the doubles becomes infinite, and no warning tells of it
        data = data.astype(np.float64 if data.dtype.kind in NUMERIC else object)
    data[np.ma.getmaskarray(values)] = np.nan
    return data


def _listed(rows: Sequence[Any]) -> ClosedArray:
    """Nested lists, known by their lengths."""
    lengths = [_length(row) for row in rows]
    widths = {length for length in lengths if length is not None}
    if None in lengths or not lengths:
        return ClosedArray((len(rows),), False, lambda: object_cells(rows))
    if len(widths) > 1:
        raise SchemaError("X: found rows of different lengths; expected as many cells in every row.")
    return ClosedArray((len(rows), *widths), False, lambda: np.stack([_row_cells(row) for row in rows]))


def _length(row: Any) -> int | None:
    """Cells of a row; None for what is no row. A row's class is not asked: a row must not run code of its own."""
    kind = type(row)
    if issubclass(kind, list):
        return list.__len__(row)
    if issubclass(kind, tuple):
        return tuple.__len__(row)
    return len(np.asarray(row)) if issubclass(kind, np.ndarray) and np.asarray(row).ndim else None


def _row_cells(row: Any) -> Cells:
    """One cell after the other: letting numpy find a dtype would let one cell decide how the others are read."""
    if issubclass(type(row), np.ndarray):
        return object_cells(list(np.asarray(row)))
    return object_cells(list.copy(row) if issubclass(type(row), list) else tuple.__getitem__(row, slice(None)))


def object_cells(values: Sequence[Any]) -> Cells:
    """One object per cell, whatever the objects are."""
    return np.fromiter(values, dtype=object, count=len(values))
