"""Bad inputs, one line each: shapes, kinds and names are refused; the value of a cell never is."""

import warnings
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

from rows_support import QUIET, moments, seen_rows, trace
from tacit.domain import CLASSIFICATION, Binary, Category, Domain, Number, Schema
from tacit.errors import SchemaError
from tacit.rows import open_rows

SCHEMA = Schema({"a": Number(0, 1), "b": Category(("x", "y"))}, Binary(1, 0, name="t"))
Y = np.zeros(2)
GOOD = np.array([[0.5, 0.25], [0.125, 0.0]])


class OtherFrame:
    """A table of a library that tacit does not know, such as Dask: numpy could read it, by position."""

    columns = ("b", "a")
    shape = (2, 2)
    dtype = np.dtype(float)

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise AssertionError("read by position")


class OtherArray:
    """A lazy array that does not know how long it is."""

    shape = (float("nan"), 2)
    dtype = np.dtype(float)

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise AssertionError("computed")


def broken_counts(starts: list[int]) -> Any:
    matrix = scipy.sparse.csr_array(GOOD)
    matrix.indptr = np.array(starts, dtype=np.int32)
    return matrix


REFUSED: dict[str, tuple[Callable[[], tuple[Any, Any, Any]], str]] = {
    "no rows": (lambda: (np.empty((0, 2)), [], Domain()), "no rows"),
    "no rows, list": (lambda: ([], [], Domain()), "dimension"),
    "no rows, pandas": (lambda: (pd.DataFrame({"a": [], "b": [], "t": []}), None, SCHEMA), "no rows"),
    "no rows, sparse": (lambda: (scipy.sparse.csr_array((0, 2)), [], Domain()), "no rows"),
    "no columns": (lambda: (np.empty((2, 0)), Y, Domain()), "columns"),
    "no columns, pandas": (lambda: (pd.DataFrame(index=[0, 1]), Y, Domain()), "columns"),
    "one dimension": (lambda: (np.zeros(2), Y, Domain()), "reshape"),
    "three dimensions": (lambda: (np.zeros((2, 2, 2)), Y, Domain()), "3 dimension"),
    "a scalar": (lambda: (np.float64(1.0), Y, Domain()), "0 dimension"),
    "ragged lists": (lambda: ([[1.0, 2.0], [3.0]], Y, Domain()), "different lengths"),
    "lists and numbers": (lambda: ([[1.0, 2.0], 3.0], Y, Domain()), "dimension"),
    "complex": (lambda: (GOOD.astype(complex), Y, Domain()), "complex128"),
    "complex, sparse": (lambda: (scipy.sparse.csr_array(GOOD.astype(complex)), Y, Domain()), "complex128"),
    "complex, pandas": (lambda: (pd.DataFrame(GOOD.astype(complex)), Y, Domain()), "complex128"),
    "dates": (lambda: (GOOD.astype("datetime64[s]"), Y, Domain()), "datetime64"),
    "durations": (lambda: (GOOD.astype("timedelta64[s]"), Y, Domain()), "timedelta64"),
    "records": (lambda: (np.zeros((2, 2), dtype=[("p", float)]), Y, Domain()), "dtype"),
    "a string": (lambda: ("rows.csv", Y, Domain()), "found str"),
    "None": (lambda: (None, Y, Domain()), "found NoneType"),
    "a dict": (lambda: ({"a": [1, 2]}, Y, Domain()), "found dict"),
    "a lazy frame": (lambda: (pl.LazyFrame({"a": [1, 2]}), Y, Domain()), "collect"),
    "a name twice": (lambda: (pd.DataFrame(GOOD, columns=["a", "a"]), Y, Domain()), "more than once"),
    "sparse with a schema": (lambda: (scipy.sparse.csr_array(GOOD), Y, SCHEMA), "Declare a Domain"),
    "sparse counts that fall": (lambda: (broken_counts([0, 2, 1]), Y, Domain()), "contradict"),
    "sparse counts beyond the entries": (lambda: (broken_counts([0, 2, 9]), Y, Domain()), "contradict"),
    "too few columns for a schema": (lambda: (GOOD[:, :1], Y, SCHEMA), r"found 1 column.*expected 2.*\('a', 'b'\)"),
    "names that command a terminal": (lambda: (pd.DataFrame({"\x1b[2J": [1, 2]}), None, SCHEMA), r"has: '\\x1b\[2J'\."),
    "many names": (lambda: (pd.DataFrame(np.zeros((2, 99))).add_prefix("c"), Y, SCHEMA), r"'c29', and 69 more\."),
    "a frame of another library": (lambda: (OtherFrame(), Y, Domain()), r"found .*\.OtherFrame.*collect a lazy one"),
    "a frame of another library, schema": (lambda: (OtherFrame(), Y, SCHEMA), "compute"),
    "y of another library": (lambda: (GOOD, OtherFrame(), Domain()), "compute"),
    "unknown length": (lambda: (OtherArray(), Y, Domain()), "unknown length"),
    "column missing": (lambda: (pd.DataFrame({"a": [1, 2], "t": [0, 1]}), None, SCHEMA), "no column 'b'"),
    "no y": (lambda: (GOOD, None, Domain()), "found None"),
    "no y, array with a schema": (lambda: (GOOD, None, SCHEMA), "found None"),
    "y too short": (lambda: (GOOD, Y[:1], Domain()), "1 target.* for 2 rows"),
    "y too long, series": (lambda: (GOOD, pd.Series([1, 2, 3]), Domain()), "3 target.* for 2 rows"),
    "y too long, sparse X": (lambda: (scipy.sparse.csr_array(GOOD), np.zeros(3), Domain()), "3 target"),
    "y with two columns": (lambda: (GOOD, GOOD, Domain()), "2 dimension"),
    "y a table of two columns": (lambda: (GOOD, pd.DataFrame(GOOD), Domain()), "2 columns"),
    "y complex": (lambda: (GOOD, Y.astype(complex), Domain()), "complex128"),
    "y dates": (lambda: (GOOD, Y.astype("datetime64[s]"), Domain()), "datetime64"),
    "y a string": (lambda: (GOOD, "t", Domain()), "found str"),
}


@pytest.mark.parametrize(("make", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_schema_errors(make: Callable[[], tuple[Any, Any, Any]], message: str) -> None:
    with pytest.raises(SchemaError, match=message):
        open_rows(*make(), CLASSIFICATION)


def read_only(X: np.ndarray) -> np.ndarray:
    X = X.copy()
    X.flags.writeable = False
    return X


class Trickster(np.ndarray):
    """A subclass that lies in every method numpy might ask."""

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise AssertionError("asked")

    def __getitem__(self, key: Any) -> Any:
        raise AssertionError("asked")

    def astype(self, *args: Any, **kwargs: Any) -> Any:
        raise AssertionError("asked")

    def __array_ufunc__(self, *args: Any, **kwargs: Any) -> Any:
        raise AssertionError("asked")


ACCEPTED: dict[str, Callable[[np.ndarray], Any]] = {
    "read-only": read_only,
    "fortran": np.asfortranarray,
    "not contiguous": lambda X: np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3],
    "negative strides": lambda X: X[::-1, ::-1].copy()[::-1, ::-1],
    "broadcast": lambda X: np.lib.stride_tricks.as_strided(X, X.shape, X.strides, writeable=False),
    "matrix": lambda X: X.view(np.matrix),
    "subclass": lambda X: X.view(Trickster),
    "masked": np.ma.masked_array,
    "text": lambda X: X.astype(str),
    "bytes": lambda X: X.astype("S"),
    "string dtype": lambda X: X.astype(np.dtypes.StringDType()),
    "float32": lambda X: X.astype(np.float32),
    "float16": lambda X: X.astype(np.float16),
    "swapped bytes": lambda X: X.astype(">f4"),
    "tuples": lambda X: tuple(map(tuple, X.tolist())),
    "list of arrays": list,
    "coo": scipy.sparse.coo_matrix,
    "lil": scipy.sparse.lil_array,
    "pandas nullable": lambda X: pd.DataFrame(X).astype("Float64"),
    "pandas arrow": lambda X: pd.DataFrame(X).astype("double[pyarrow]"),
    "pandas object": lambda X: pd.DataFrame(X).astype(object),
    "pandas text": lambda X: pd.DataFrame(X).astype(str),
    "polars": pl.DataFrame,
    "polars decimal": lambda X: pl.DataFrame(X).cast(pl.Decimal(10, 5)),
    "arrow": lambda X: pa.table({"a": X[:, 0], "b": X[:, 1]}),
    "arrow in pieces": lambda X: pa.concat_tables(
        pa.table({"a": X[i : i + 1, 0], "b": X[i : i + 1, 1]}) for i in (0, 1)
    ),
}


@pytest.mark.parametrize("make", ACCEPTED.values(), ids=ACCEPTED.keys())
def test_any_container_of_numbers_is_read(make: Callable[[np.ndarray], Any]) -> None:
    rows = open_rows(make(GOOD.copy()), Y, Domain(), CLASSIFICATION)
    plain = open_rows(GOOD, Y, Domain(), CLASSIFICATION)
    np.testing.assert_allclose(seen_rows(rows)[0], seen_rows(plain)[0], rtol=1e-14)


def test_a_memory_map_is_read_in_place(tmp_path: Any) -> None:
    np.save(tmp_path / "rows.npy", GOOD)
    mapped = np.load(tmp_path / "rows.npy", mmap_mode="r")
    rows = open_rows(mapped, Y, Domain(), CLASSIFICATION)
    assert np.shares_memory(rows._source.numbers, mapped)  # type: ignore[attr-defined]
    np.testing.assert_array_equal(seen_rows(rows)[0], seen_rows(open_rows(GOOD, Y, Domain(), CLASSIFICATION))[0])


@pytest.mark.parametrize("kind", ["int8", "uint8", "int64", "uint64", "bool"])
def test_integers_become_floats_before_any_arithmetic(kind: str) -> None:
    info = (0, 1) if kind == "bool" else (np.iinfo(kind).min, np.iinfo(kind).max)
    X = np.array([info, info[::-1]], dtype=kind)
    rows = open_rows(X, Y, Domain(radius=1e30), CLASSIFICATION)
    floats = open_rows(X.astype(np.float64), Y, Domain(radius=1e30), CLASSIFICATION)
    np.testing.assert_array_equal(seen_rows(rows)[0], seen_rows(floats)[0])


NUMBERS = {
    "nan": np.nan,
    "inf": np.inf,
    "-inf": -np.inf,
    "1e200": 1e200,
    "1.7e308": 1.7e308,
    "-1.7e308": -1.7e308,
    "subnormal": 5e-324,
    "-0.0": -0.0,
}
OBJECTS = {
    **NUMBERS,
    "None": None,
    "NA": pd.NA,
    "NaT": pd.NaT,
    "text": "Ignore me",
    "empty text": "",
    "huge text": "9" * 5000,
    "10**400": 10**400,
    "10**5000": 10**5000,
    "complex": 1j,
    "complex128": np.complex128(1j),
    "bytes": b"\xff\xfe",
    "list": [1.0],
    "array": np.array([1.0]),
    "empty array": np.array([]),
    "dict": {},
    "object": object(),
    "bool": True,
    "date": np.datetime64("2020-01-01"),
    "nan payload": np.array([0x7FF8000000000123], dtype=np.uint64).view(np.float64)[0],
    "signalling nan": np.array([0x7FF0000000000001], dtype=np.uint64).view(np.float64)[0],
    "decimal nan": Decimal("sNaN"),
}


class Hostile:
    """A cell whose every conversion fails with its own contents."""

    def __float__(self) -> float:
        raise RuntimeError("secret")

    __int__ = __index__ = __str__ = __len__ = __iter__ = __bool__ = __array__ = __float__  # type: ignore[assignment]


class HostileClass:
    """A cell that does not even tell its class."""

    @property
    def __class__(self) -> Any:  # type: ignore[override]
        raise RuntimeError("secret")


class HostileType(type):
    """The type of a cell that answers no comparison."""

    def __eq__(cls, other: object) -> bool:
        raise RuntimeError("secret")

    __hash__ = __eq__  # type: ignore[assignment]


class HostileMeta(metaclass=HostileType):
    """A cell of such a type."""


def raising(base: Any) -> Any:
    """A subclass of a plain type that raises wherever its cell might be asked something."""

    def secret(*args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("secret")

    asked = (
        "__float__ __int__ __index__ __bool__ __str__ __repr__ __len__ __iter__ __getitem__ __eq__ __array__ item strip"
    )
    return type(f"Raising{base.__name__}", (base,), {**dict.fromkeys(asked.split(), secret), "__hash__": secret})


BASES = (np.float64, np.float32, np.int64, np.str_, np.bytes_, float, int, str, bytes, list, tuple, Decimal, Fraction)
HOSTILE = {
    "hostile": Hostile(),
    "hostile class": HostileClass(),
    "hostile metaclass": HostileMeta(),
    **{f"hostile {base.__name__}": raising(base)() for base in BASES},
    "hostile fraction": Fraction(1),
}
HOSTILE["hostile fraction"]._numerator = Hostile()
OBJECTS |= HOSTILE


def watched(make: Callable[[], tuple[Any, Any, Any]]) -> tuple[dict[str, Any], tuple[Any, ...]]:
    """What a bystander sees, and the shapes a kernel sees."""
    shapes: list[Any] = []

    def kernel(X: Any, y: np.ndarray) -> Any:
        shapes.append((X.shape, y.shape))
        return moments(X, y)

    return trace(lambda: open_rows(*make(), CLASSIFICATION).total(kernel)), tuple(shapes)


@pytest.mark.parametrize("cell", NUMBERS.values(), ids=NUMBERS.keys())
@pytest.mark.parametrize("make", [np.asarray, scipy.sparse.csr_array, pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("norm", ["l1", "l2", "linf"])
def test_any_float_is_accepted_no_progress(cell: float, make: Callable[[Any], Any], norm: Any) -> None:
    bad = GOOD.copy()
    bad[1, 0] = cell
    seen = [watched(lambda X=X: (make(X), Y, Domain(norm=norm))) for X in (GOOD, bad)]
    assert seen[0] == seen[1]
    assert seen[1][0] == QUIET


@pytest.mark.parametrize("name", OBJECTS)
@pytest.mark.parametrize("place", ["X", "y", "label", "number", "category", "target"])
def test_any_object_is_accepted_no_progress(name: str, place: str) -> None:
    cell = OBJECTS[name]

    def table(cell: Any) -> tuple[Any, Any, Any]:
        if place in ("X", "y", "label"):
            X = [[0.5, 0.25], [0.125, cell if place == "X" else 0.0]]
            y = [0.0, 0.0 if place == "X" else cell]
            return X, y, Domain(classes=("0", "1")) if place == "label" else Domain()
        columns = {"a": [0.5, 0.25], "b": ["x", "y"], "t": [1, 0]}
        name = {"number": "a", "category": "b", "target": "t"}[place]
        column = np.empty(2, dtype=object)
        column[0], column[1] = columns[name][0], cell
        return pd.DataFrame({**columns, name: pd.Series(column, dtype=object)}), None, SCHEMA

    seen = [watched(lambda value=value: table(value)) for value in (0.0, cell)]
    assert seen[0] == seen[1]
    assert seen[1][0] == QUIET


@pytest.mark.parametrize("kind", [list, tuple, np.ndarray])
def test_a_row_of_lists_runs_no_code(kind: type) -> None:
    row = GOOD[0].view(Trickster) if kind is np.ndarray else raising(kind)((0.5, 0.25))
    seen = [watched(lambda row=row: ([[0.125, 0.0], row], Y, Domain())) for row in ([0.5, 0.25], row)]
    assert seen[0] == seen[1]
    assert seen[1][0] == QUIET


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "bsr", "lil"])
@pytest.mark.parametrize("place", [-1, 2, 2**31 - 1])
def test_sparse_entries_outside_the_matrix_are_no_cells(kind: str, place: int) -> None:
    """Whether a row holds one is its secret, and scipy would write it outside its memory."""
    matrix = scipy.sparse.csr_array(np.array([[0.5, 0.25], [0.125, 0.0625]])).asformat(kind)
    if kind == "coo":
        matrix.coords = (matrix.coords[0], np.array([0, 1, 0, place], dtype=np.int32))
    elif kind == "lil":
        matrix.rows[1] = [0, place]
    elif kind == "bsr":
        matrix = matrix.tobsr((1, 1))
        matrix.indices[-1] = place
    else:
        matrix.indices[-1] = place
    rows = open_rows(matrix, Y, Domain(), CLASSIFICATION)
    kept = np.array([[0.5, 0.25], [0.125, 0.0]])
    np.testing.assert_array_equal(seen_rows(rows)[0], seen_rows(open_rows(kept, Y, Domain(), CLASSIFICATION))[0])


def test_a_cell_without_a_number_counts_as_missing() -> None:
    plain, _ = seen_rows(open_rows([[0.5, 0.0], [0.5, 0.0]], Y, Domain(), CLASSIFICATION))
    for cell in (np.nan, None, "x", np.inf, Hostile()):
        found, _ = seen_rows(open_rows([[0.5, 0.0], [0.5, cell]], Y, Domain(), CLASSIFICATION))
        np.testing.assert_array_equal(found, plain)
    masked = np.ma.masked_array([[0.5, 0.0], [0.5, 77.0]], mask=[[False, False], [False, True]])
    np.testing.assert_array_equal(seen_rows(open_rows(masked, Y, Domain(), CLASSIFICATION))[0], plain)


@pytest.mark.parametrize(
    "y",
    [np.zeros(2), np.full(2, np.nan), ["?", "?"], [None, None], np.array([1, 1])],
    ids=["constant", "all nan", "unknown labels", "all missing", "one class"],
)
def test_any_targets_fit(y: Any) -> None:
    for domain in (Domain(), Domain(classes=(0, 1, 2))):
        assert watched(lambda domain=domain: (GOOD, y, domain))[0] == QUIET


def test_one_row_is_enough() -> None:
    assert open_rows([[0.5]], [1.0], Domain(), CLASSIFICATION).n == 1


def test_the_silence_check_hears() -> None:
    """Mutants of a silent total: one warns, one raises on a value."""
    loud = trace(lambda: warnings.warn("a row was clipped", stacklevel=1))
    assert loud["warnings"] == ["a row was clipped"]
    refusing = [trace(lambda X=X: np.linalg.inv(X)) for X in (np.eye(2), np.zeros((2, 2)))]
    assert refusing[0] != refusing[1]
