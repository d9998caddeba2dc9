"""Every Arrow type with every content of a cell, through four doors: a bystander sees the same on neighbouring tables.

Cells are built from raw memory, so that they can hold what no honest writer writes: text that is no UTF-8, dates beyond
the calendar, times beyond midnight, numbers beyond their precision.
"""

from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from rows_support import QUIET, moments, trace
from tacit.cli.tables import read_table
from tacit.domain import CLASSIFICATION, Binary, Category, Number, Schema
from tacit.rows import open_rows
from tacit.rows.frames import frame_table

FIXED = [
    *(pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()),
    *(pa.float16(), pa.float32(), pa.float64(), pa.binary(4)),
    *(pa.decimal32(5, 2), pa.decimal64(5, 2), pa.decimal128(5, 2), pa.decimal128(5, -2), pa.decimal256(40, 2)),
    *(pa.date32(), pa.date64(), pa.time32("s"), pa.time32("ms"), pa.time64("us"), pa.time64("ns")),
    *(pa.timestamp(unit) for unit in ("s", "ms", "us", "ns")),
    *(pa.timestamp("s", "Europe/Berlin"), pa.timestamp("us", "No/Where"), pa.duration("s"), pa.duration("ns")),
    pa.month_day_nano_interval(),
]


class Named(pa.ExtensionType):
    """An extension type over text."""

    def __init__(self) -> None:
        super().__init__(pa.string(), "tacit.tests.named")

    def __arrow_ext_serialize__(self) -> bytes:
        return b""

    @classmethod
    def __arrow_ext_deserialize__(cls, storage: Any, serialized: bytes) -> "Named":
        return cls()


def fixed(kind: Any) -> list[Any]:
    """Two cells each: a zero, and one of several patterns of bytes."""
    width = kind.bit_width // 8
    cells = [b"\x00" * width, b"\xff" * width, b"\xff" * (width - 1) + b"\x7f", b"\x00" * (width - 1) + b"\x80"]
    cells += [bytes(range(1, width + 1)), b"\x7f\xff" * (width // 2) or b"\x7f"]
    whole = [pa.Array.from_buffers(kind, 2, [None, pa.py_buffer(b"\x00" * width + cell)]) for cell in cells]
    return [*whole, pa.Array.from_buffers(kind, 2, [pa.py_buffer(b"\x01"), pa.py_buffer(b"\x00" * 2 * width)])]


TEXTS = [b"x", b"", b"\xff\xfe", b"M\xfcnchen", b"\xed\xa0\x80", b"\xc0\xaf", b"\x00", b"1e999", b"9" * 5000, None]


def text(kind: Any, plain: Any) -> list[Any]:
    return [pa.Array.from_buffers(kind, 2, pa.array([b"x", cell], plain).buffers()) for cell in TEXTS]


def view(kind: Any, plain: Any) -> list[Any]:
    return [pa.array([b"x", cell], plain).view(kind) for cell in TEXTS]


STRINGS = text(pa.string(), pa.binary())
COLUMNS: dict[str, list[Any]] = {
    **{str(kind): fixed(kind) for kind in FIXED},
    "bool": [pa.array([False, cell]) for cell in (False, True, None)],
    "null": [pa.nulls(2)],
    "string": STRINGS,
    "large string": text(pa.large_string(), pa.large_binary()),
    "string view": view(pa.string_view(), pa.binary_view()),
    "binary": [pa.array([b"x", cell], pa.binary()) for cell in TEXTS],
    "large binary": [pa.array([b"x", cell], pa.large_binary()) for cell in TEXTS],
    "binary view": [pa.array([b"x", cell], pa.binary_view()) for cell in TEXTS],
    "dictionary": [pa.DictionaryArray.from_arrays(pa.array([0, 1]), strings) for strings in STRINGS],
    "dictionary of dates": [pa.DictionaryArray.from_arrays(pa.array([0, 1]), dates) for dates in fixed(pa.date32())],
    "run ends": [pc.run_end_encode(strings) for strings in STRINGS],
    "extension": [pa.ExtensionArray.from_storage(Named(), strings) for strings in STRINGS],
    "json": [pa.ExtensionArray.from_storage(pa.json_(), strings) for strings in STRINGS],
    "uuid": [pa.ExtensionArray.from_storage(pa.uuid(), cells) for cells in fixed(pa.binary(16))],
    "list": [pa.ListArray.from_arrays([0, 1, 2], strings) for strings in STRINGS],
    "large list": [pa.LargeListArray.from_arrays([0, 1, 2], strings) for strings in STRINGS],
    "list of dates": [pa.ListArray.from_arrays([0, 1, 2], dates) for dates in fixed(pa.date64())],
    "list view": [pa.ListViewArray.from_arrays([0, 1], [1, 1], strings) for strings in STRINGS],
    "fixed list": [pa.FixedSizeListArray.from_arrays(strings, 1) for strings in STRINGS],
    "struct": [pa.StructArray.from_arrays([strings], ["s"]) for strings in STRINGS],
    "map": [pa.MapArray.from_arrays([0, 1, 2], pa.array(["k", "k"]), strings) for strings in STRINGS],
    "union": [pa.UnionArray.from_sparse(pa.array([0, 0], pa.int8()), [strings]) for strings in STRINGS],
    "dense union": [
        pa.UnionArray.from_dense(pa.array([0, 0], pa.int8()), pa.array([0, 1], pa.int32()), [strings])
        for strings in STRINGS
    ],
}
READ_BY_POLARS = {
    *map(str, FIXED[:17]),
    *("bool", "null", "string", "large string", "string view", "binary", "large binary", "binary view"),
    *("dictionary", "run ends"),
}
READABLE = {*READ_BY_POLARS, "extension", "json", "uuid"}


def as_file(table: Any, folder: Path) -> Any:
    pq.write_table(table, folder / "table.parquet")
    return lambda names: read_table(folder / "table.parquet", names)


def in_memory(make: Callable[[Any], Any]) -> Callable[[Any, Path], Callable[[Any], Any]]:
    def build(table: Any, folder: Path) -> Callable[[Any], Any]:
        made = make(table)
        return lambda names: made

    return build


def pandas_arrow(table: Any) -> pd.DataFrame:
    return pd.DataFrame({name: pd.arrays.ArrowExtensionArray(table[name]) for name in table.column_names})


DOORS: dict[str, Callable[[Any, Path], Callable[[Any], Any]]] = {
    "file": as_file,
    "pyarrow": in_memory(lambda table: table),
    "record batch": in_memory(lambda table: table.to_batches()[0]),
    "polars": in_memory(pl.from_arrow),
    "pandas-Arrow": in_memory(pandas_arrow),
}


def schema(place: str) -> Schema:
    """A schema in which the column `cell` has a place."""
    features = {"a": Number(0, 1)}
    if place == "number":
        features["cell"] = Number(0, 1)
    elif place == "category":
        features["cell"] = Category(("x", "y"))
    return Schema(features, Binary("x", "y", name="cell" if place == "target" else "t"))


def observed(column: Any, door: str, place: str, folder: Path) -> dict[str, Any] | None:
    """What a bystander sees of reading the table; None where this door cannot hold such a column at all."""
    table = pa.table({"a": [0.5, 0.25], "cell": column, "t": ["x", "y"]})
    try:
        source = DOORS[door](table, folder)
    except (pa.ArrowException, pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError, TypeError):
        return None
    declared = schema(place)
    return trace(lambda: open_rows(source(declared.columns), None, declared, CLASSIFICATION).total(moments))


@pytest.mark.proof("row-local-encoding")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("kind", COLUMNS)
def test_no_content_of_a_cell_is_seen(kind: str, door: str, tmp_path: Path) -> None:
    for place in ("number", "category", "target", "undeclared"):
        found = [observed(column, door, place, tmp_path) for column in COLUMNS[kind]]
        seen = [one for one in found if one is not None]
        assert all(one == seen[0] for one in seen), place
        if seen and (place == "undeclared" or kind in (READ_BY_POLARS if door == "polars" else READABLE)):
            assert seen[0] == QUIET, place
    if door in ("pyarrow", "record batch", "pandas-Arrow"):
        assert len(seen) == len(COLUMNS[kind])


def test_a_reader_that_trusts_the_types_is_heard(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The mutant hands out cells as pyarrow converts them."""
    monkeypatch.setattr("tacit.rows.arrow_columns.arrow_cells", lambda column: column.to_numpy())
    seen = [observed(column, "pyarrow", "category", tmp_path) for column in STRINGS]
    assert any(one != seen[0] for one in seen)


def test_the_doors_hold_hostile_cells(tmp_path: Path) -> None:
    """Otherwise the test above would compare nothing."""
    for kind, door in [("string", "file"), ("string", "polars"), ("date32[day]", "file"), ("time64[us]", "polars")]:
        columns = COLUMNS[kind]
        assert all(observed(column, door, "undeclared", tmp_path) is not None for column in columns), (kind, door)


def entries(positions: list[int | None]) -> Iterator[Any]:
    indices = pa.array(positions, pa.int8())
    yield pa.DictionaryArray.from_arrays(indices, pa.array(["x", "y"]), safe=False)
    yield pa.DictionaryArray.from_buffers(
        pa.dictionary(pa.int8(), pa.string()), 2, indices.buffers(), pa.array(["x", "y"])
    )


@pytest.mark.parametrize("position", [-1, 2, 127, None])
def test_a_position_outside_a_dictionary_is_an_empty_cell(position: int | None, tmp_path: Path) -> None:
    for column in entries([0, position]):
        for place in ("number", "category", "target"):
            assert observed(column, "pyarrow", place, tmp_path) == QUIET


def test_numbers_are_the_nearest_floats() -> None:
    numbers = [Decimal("0.1"), Decimal("-99999.999999999999999999"), Decimal("0.30000000000000004441")]
    for kind in (pa.decimal128(38, 30), pa.decimal256(70, 40)):
        (cells,) = seal_columns(pa.table({"a": pa.array(numbers, kind)}))
        assert cells.tolist() == [float(number) for number in numbers]
    (cells,) = seal_columns(pl.DataFrame({"a": [Decimal("0.1"), Decimal("-7.25"), None]}))
    assert cells.tolist()[:2] == [0.1, -7.25]


def seal_columns(frame: Any) -> list[Any]:
    table = frame_table(frame)
    assert table is not None
    return table.all().columns()


def test_runs_and_pieces_are_read_cell_by_cell() -> None:
    encoded = pc.run_end_encode(pa.array(["x", "x", None, "y"]))
    pieces = pa.chunked_array([pa.array(["x"]).dictionary_encode(), pa.array(["y", None, "x"]).dictionary_encode()])
    found = seal_columns(pa.table({"runs": pa.chunked_array([encoded]), "pieces": pieces}))
    assert [cells.tolist() for cells in found] == [["x", "x", None, "y"], ["x", "y", None, "x"]]


def test_undeclared_columns_are_never_touched(monkeypatch: pytest.MonkeyPatch) -> None:
    touched: list[str] = []
    plain = pl.DataFrame.to_series

    def to_series(frame: pl.DataFrame, place: int = 0) -> pl.Series:
        touched.append(frame.columns[place])
        return plain(frame, place)

    monkeypatch.setattr(pl.DataFrame, "to_series", to_series)
    frame = pl.DataFrame({"u": [1, 2], "a": [0.5, 0.25], "t": ["x", "y"]})
    open_rows(frame, None, schema("undeclared"), CLASSIFICATION)
    assert touched == ["t", "a"]
