"""Nothing looks at a cell before `open`: recording tables of every kind, and cells that change in between."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

from rows_support import seen_rows
from tacit.domain import CLASSIFICATION, Category, Domain, Flag, Number, Real, Schema
from tacit.errors import SchemaError
from tacit.mechanisms.problem import Shape
from tacit.rows import SealedRows, open_rows, seal, seal_points

GOOD = np.array([[0.5, 0.25], [0.125, 0.0]])
SCHEMA = Schema({"a": Number(0, 1), "b": Category(("0.25", "0")), "c": Flag()}, Real(0, 1, name="y"))


class Looked(AssertionError):
    """A cell was asked for."""


def forbidden(*args: Any, **kwargs: Any) -> Any:
    raise Looked


class RecordingArray(np.ndarray):
    """An array none of whose cells may be asked for by subclass methods."""

    __getitem__ = __iter__ = astype = tolist = item = sum = min = max = forbidden  # type: ignore[assignment]
    __array_ufunc__ = __array_function__ = forbidden  # type: ignore[assignment]


class ForeignArray:
    """Tells its shape and dtype; turning it into an array reads it."""

    shape, ndim, dtype = GOOD.shape, 2, GOOD.dtype
    __array__ = __getitem__ = __iter__ = forbidden


class Row(list[Any]):
    """A row of nested lists that counts how often its cells are handed out."""

    handed_out = 0

    def __iter__(self) -> Iterator[Any]:
        Row.handed_out += 1
        return super().__iter__()

    def __getitem__(self, place: Any) -> Any:
        Row.handed_out += 1
        return super().__getitem__(place)


class RecordingSparse(scipy.sparse.csr_array):
    """A sparse matrix whose stored cells and their places may not be asked for; `data` may, for its dtype."""

    indices = indptr = property(forbidden)  # type: ignore[assignment]
    tocsr = tocoo = toarray = check_format = forbidden


def recording_sparse() -> Any:
    matrix = scipy.sparse.csr_array(GOOD)
    matrix.data = matrix.data.view(RecordingArray)
    matrix.__class__ = RecordingSparse
    return matrix


def counting(monkeypatch: pytest.MonkeyPatch, *methods: tuple[type, str]) -> list[str]:
    """Count the calls of all methods by which a library hands out cells."""
    calls: list[str] = []
    for owner, name in methods:
        plain = getattr(owner, name)

        def called(self: Any, *args: Any, _plain: Any = plain, _name: str = name, **kwargs: Any) -> Any:
            calls.append(_name)
            return _plain(self, *args, **kwargs)

        monkeypatch.setattr(owner, name, called)
    return calls


@pytest.mark.parametrize(
    "make",
    [
        lambda: GOOD.view(RecordingArray),
        ForeignArray,
        recording_sparse,
        lambda: np.asfortranarray(GOOD).view(RecordingArray),
    ],
    ids=["ndarray subclass", "__array__", "sparse", "fortran"],
)
def test_sealing_asks_a_recording_table_for_nothing(make: Callable[[], Any]) -> None:
    y = np.zeros(2).view(RecordingArray)
    sealed = seal(make(), y, Domain(), CLASSIFICATION)
    assert (sealed.n, sealed.width) == (2, 3)
    if not isinstance(make(), RecordingArray):
        with pytest.raises(Looked):
            sealed.open()


def test_sealing_hands_out_no_cell_of_a_list() -> None:
    rows, y = [Row(row) for row in GOOD.tolist()], Row([0.0, 1.0])
    Row.handed_out = 0
    sealed = seal(rows, y, Domain(), CLASSIFICATION)
    assert (sealed.n, sealed.width, Row.handed_out) == (2, 3, 0)
    sealed.open()
    assert Row.handed_out > 0, "the list of targets was handed out"


METHODS = {
    "pandas": [
        *((pd.Series, name) for name in ("to_numpy", "__array__", "__iter__", "__getitem__", "tolist")),
        *((pd.DataFrame, name) for name in ("to_numpy", "__array__", "iterrows")),
        (pd.arrays.ArrowStringArray, "__arrow_array__"),
    ],
    "polars": [(pl.Series, name) for name in ("to_numpy", "__array__", "__iter__", "__getitem__", "to_list", "cast")],
}


@pytest.mark.parametrize("kind", METHODS)
def test_sealing_hands_out_no_cell_of_a_frame(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    columns = {"a": [0.5, 0.1], "b": ["0.25", "x"], "c": [1, 0], "y": [0.5, None], "unused": ["u", "v"]}
    frame = pd.DataFrame(columns) if kind == "pandas" else pl.DataFrame(columns)
    calls = counting(monkeypatch, *METHODS[kind])
    sealed = seal(frame, None, SCHEMA, CLASSIFICATION)
    assert (sealed.n, calls) == (2, [])
    sealed.open()
    assert calls


def test_sealing_reads_no_memory_of_an_arrow_table() -> None:
    """The buffer holds no cell yet while the table is sealed."""
    memory = np.full(2, np.nan)
    column = pa.Array.from_buffers(pa.float64(), 2, [None, pa.py_buffer(memory)])
    sealed = seal(pa.table({"a": column, "b": column}), column, Domain(), CLASSIFICATION)
    memory[:] = [0.5, 0.125]
    expected = open_rows(np.array([[0.5, 0.5], [0.125, 0.125]]), memory, Domain(), CLASSIFICATION)
    for now, then in zip(seen_rows(sealed.open()), seen_rows(expected), strict=True):
        np.testing.assert_array_equal(now, then)


def change_list(table: Any) -> None:
    table[1][0] = 0.125


def change_array(table: Any) -> None:
    table[1, 0] = 0.125


def change_sparse(table: Any) -> None:
    table.data[-1] = 0.125


def change_frame(table: Any) -> None:
    table.iloc[1, 0] = 0.125


BEFORE = np.array([[0.5, 0.25], [77.0, 0.0]])
LATE: dict[str, tuple[Callable[[], Any], Callable[[Any], None]]] = {
    "array": (BEFORE.copy, change_array),
    "objects": (lambda: BEFORE.astype(object), change_array),
    "masked": (lambda: np.ma.masked_array(BEFORE.copy()), change_array),
    "lists": (BEFORE.tolist, change_list),
    "list of arrays": (lambda: list(BEFORE.copy()), change_list),
    "csr": (lambda: scipy.sparse.csr_array(BEFORE), change_sparse),
    "csc": (
        lambda: scipy.sparse.csc_array(BEFORE[:, ::-1])[:, ::-1].tocsr().tocsc(),
        lambda X: X.data.__setitem__(1, 0.125),
    ),
    "lil": (lambda: scipy.sparse.lil_array(BEFORE), change_array),
    "pandas": (lambda: pd.DataFrame(BEFORE.copy()), change_frame),
    "pandas objects": (lambda: pd.DataFrame(BEFORE).astype(object), change_frame),
    "pandas nullable": (lambda: pd.DataFrame(BEFORE).astype("Float64"), change_frame),
}


@pytest.mark.parametrize(("make", "change"), LATE.values(), ids=LATE.keys())
def test_cells_that_change_after_sealing_are_read_as_they_are_when_opened(
    make: Callable[[], Any], change: Callable[[Any], None]
) -> None:
    table, y = make(), [0.5, 0.5]
    sealed = seal(table, y, Domain(), CLASSIFICATION)
    change(table)
    y[0] = 0.0
    found = seen_rows(sealed.open())
    expected = seen_rows(open_rows(GOOD, [0.0, 0.5], Domain(), CLASSIFICATION))
    for now, then in zip(found, expected, strict=True):
        np.testing.assert_allclose(now, then, rtol=1e-14)


@pytest.mark.parametrize("make", [np.asarray, scipy.sparse.csr_array, pd.DataFrame, pl.DataFrame, np.ndarray.tolist])
def test_public_facts_are_those_of_the_opened_rows(make: Callable[[Any], Any]) -> None:
    sealed = seal(make(GOOD), np.zeros(2), Domain(radius=2.0), CLASSIFICATION)
    rows = sealed.open()
    for fact in ("n", "width", "norms", "block_rows", "sparse", "encoding"):
        assert getattr(sealed, fact) == getattr(rows, fact), fact
    assert Shape.of(rows) == Shape.of(sealed)
    assert "0.125" not in repr(sealed)


def test_points_are_sealed_too() -> None:
    table = BEFORE.tolist()
    sealed = seal_points(table, (0.0, 0.0), (1.0, 1.0))
    assert (sealed.n, sealed.width) == (2, 2)
    change_list(table)
    counts = sealed.open().counts(lambda points: (points[:, 0] > 0.3).astype(np.intp), 2)
    assert counts.tolist() == [1.0, 1.0]
    assert seal_points(ForeignArray(), (0.0, 0.0), (1.0, 1.0)).n == 2
    with pytest.raises(SchemaError, match="toarray"):
        seal_points(recording_sparse(), (0.0, 0.0), (1.0, 1.0))


def test_sealed_rows_are_not_pickled() -> None:
    import pickle

    sealed: list[SealedRows | Any] = [seal(GOOD, [0, 0], Domain(), CLASSIFICATION), seal_points(GOOD, (0, 0), (1, 1))]
    for closed in sealed:
        with pytest.raises(TypeError, match="private"):
            pickle.dumps(closed)
