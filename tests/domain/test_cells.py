"""Cells of any kind: a value is never an error, and the code of a cell depends on that cell alone."""

from __future__ import annotations

import datetime
import io
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv as pa_csv
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain_support import encode, person_encoding, person_schema
from tacit.domain import Binary, Category, Classes, Flag, Number, Real, to_numbers
from tacit.errors import SchemaError
from tacit.rows.frames import frame_table
from tacit.rows.outcomes import closed_column

NAN = float("nan")
STRANGE = [
    *(None, NAN, pd.NA, pd.NaT, "", "abc", "1e999", "\u0663", b"\xff", print, object(), [1, 2], {}),
    *(1 + 2j, 10**400, Decimal("sNaN"), Decimal("Infinity"), Fraction(10**400), datetime.date(2020, 1, 1)),
    *(np.longdouble("1e4000"), np.complex64(1), np.datetime64("2020"), np.array([1.0])),
]
any_cell = st.one_of(
    st.sampled_from(STRANGE), st.integers(), st.floats(), st.booleans(), st.text(), st.binary(), st.decimals()
)


@pytest.mark.parametrize(
    ("cell", "number"),
    [
        *((3, 3.0), ("3", 3.0), (" 2.5 ", 2.5), ("1e3", 1000.0), (True, 1.0), (np.float32(0.5), 0.5), (b"7", 7.0)),
        *(("True", 1.0), (" false ", 0.0), (b"true", 1.0)),
        *((Decimal("1.5"), 1.5), (Fraction(1, 4), 0.25), (2**60, 2.0**60), (np.int8(-3), -3.0), (np.bool_(1), 1.0)),
    ],
)
def test_numbers_are_read_from_cells(cell, number):
    assert to_numbers([cell])[0] == number


@settings(deadline=None)
@given(st.lists(any_cell, min_size=1, max_size=8))
def test_no_cell_is_an_error(column):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert to_numbers(column).dtype == np.float64
        assert Category(("a", "1"), other=True).codes(column).dtype == np.int32
        assert np.all(np.abs(Real(-2, 3).encode(column)) <= 1)
        assert set(Classes(("a", 1, 2)).encode(column)) <= {0.0, 1.0, 2.0}
        assert set(np.nan_to_num(Flag().numbers(column), nan=0.5)) <= {0.0, 0.5, 1.0}


@pytest.mark.proof("row-local-encoding")
@settings(deadline=None)
@given(any_cell, st.lists(any_cell, max_size=5))
def test_a_cell_is_read_the_same_beside_any_others(cell, others):
    category = Category(("a", "1", "true love"), missing="a")
    for read in (to_numbers, category.codes, Flag().numbers, Classes((0, 1)).encode, Real(0, 1).encode):
        np.testing.assert_array_equal(read([cell])[0], read([*others, cell])[-1])


READERS = {
    "pandas": lambda text: pd.read_csv(io.StringIO(text)),
    "pandas nullable": lambda text: pd.read_csv(io.StringIO(text), dtype_backend="numpy_nullable"),
    "polars": lambda text: pl.read_csv(io.StringIO(text)),
    "pyarrow": lambda text: pa_csv.read_csv(io.BytesIO(text.encode())),
}
COLUMNS = (
    *(["1", "2", "3"], ["1.0", "2.0", "3.5"], ["01", "02", "3"], ["True", "False", "True"], ["true", "false", "true"]),
    *(["1", "NA", "2"], ["null", "1", "2"], ["NaN", "1.5", "2.5"], ["True", "", "False"]),
)
ODD = ("odd", "", "1.5", "NA", "99999999999999999999999", "1e400")


def check_reader(read, reader) -> None:
    """One odd cell changes how a reader types a whole column; what the other rows are read as must not move."""
    for cells in COLUMNS:
        seen = []
        for last in (cells[0], *ODD):
            table = "c,d\n" + "".join(f"{cell},0\n" for cell in [*cells, last])
            (column,) = frame_table(reader(table)).select(["c"]).columns()
            seen.append(np.asarray(read(column))[:3])
        for other in seen[1:]:
            np.testing.assert_array_equal(other, seen[0])


def read_by_float(column):
    """A number as `float` reads it, and nothing else."""
    return [float(cell) if str(cell).replace(".", "").isdigit() or type(cell) is bool else NAN for cell in column]


@pytest.mark.proof("row-local-encoding")
@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_readers_that_guess_types_do_not_tie_rows_together(reader):
    check_reader(Category(("1", 2, "3.5", "03"), missing=2).codes, reader)
    check_reader(Category((False, True, "02"), other=True, missing=True).codes, reader)
    check_reader(Number(0, 5).numbers, reader)
    check_reader(Real(0, 5).encode, reader)
    check_reader(Flag().numbers, reader)
    with pytest.raises(AssertionError):
        check_reader(lambda column: [{"1": 0, "2": 1, "True": 2}.get(str(cell), -1) for cell in column], reader)
    with pytest.raises(AssertionError):
        check_reader(read_by_float, reader)


def test_a_gap_that_is_declared_is_a_label():
    assert Category(("NA", "none", "x"), missing="x").codes(["NA", "none", "null", ""]).tolist() == [0, 1, 2, 2]


@pytest.mark.proof("row-local-encoding")
def test_an_encoded_row_is_the_same_beside_any_others():
    encoding = person_encoding()
    rng = np.random.default_rng()
    numbers = rng.normal(size=(40, 4)) * 1e3
    codes = rng.integers(-2, 5, size=(40, 2)).astype(np.int32)
    first = encode(encoding, numbers, codes)
    numbers[7] = [NAN, 1e308, -np.inf, 5e-324]
    codes[7] = [-1, 99]
    second = encode(encoding, numbers, codes)
    assert np.array_equal(np.delete(first, 7, axis=0), np.delete(second, 7, axis=0))


@pytest.mark.parametrize(
    "column",
    [
        np.array(["a", "b", "zz"]),
        np.array(["a", "b", "zz"], dtype=object),
        np.array([b"a", b"b", b"zz"]),
        pd.Series(["a", "b", "zz"]),
        pd.Series(["a", "b", "zz"], dtype="string"),
        pd.Series(["a", "b", "zz"], dtype="category"),
        pd.Categorical(["a", "b", "zz"], categories=["zz", "b", "a", "unused"]),
        pl.Series(["a", "b", "zz"]),
        pa.chunked_array([["a", "b"], ["zz"]]),
        (" a", "b ", "zz"),
    ],
    ids=lambda column: type(column).__name__,
)
def test_labels_are_found_in_every_kind_of_column(column):
    assert Category(("a", "b")).codes(closed_column(column).cells()).tolist() == [0, 1, -1]


@pytest.mark.parametrize(
    "column",
    [
        np.array([1, 0, 7], dtype=np.int8),
        np.array([1, 0, 7], dtype=np.uint64),
        np.array([1, 0, 7], dtype=np.float16),
        np.array([1, 0, 7], dtype=np.longdouble),
        np.array(["1", "0.0", "7"]),
        pd.Series([1, 0, 7], dtype="Int64"),
        pd.Series([True, False, 7], dtype=object),
        np.ma.masked_array([1, 0, 7], mask=[False, False, False]),
        pd.Series([1, 0, 7], index=[5, 5, 9]),
        np.array([1, 9, 0, 9, 7])[::2],
    ],
)
def test_numeric_labels_and_numbers_of_every_dtype(column):
    column = closed_column(column).cells()
    assert Category((0, 1)).codes(column).tolist() == [1, 0, -1]
    np.testing.assert_array_equal(Flag().numbers(column), [1, 0, NAN])
    assert to_numbers(column).tolist() == [1, 0, 7]


def test_empty_cells_take_the_declared_value():
    category = Category(("a", "b"), missing="b")
    empty = [None, NAN, pd.NA, pd.NaT, "", "  ", np.float64("nan")]
    assert set(category.codes(empty)) == {1}
    assert set(Category(("a", "b")).codes(empty)) == {-1}
    for column in (
        pd.Series(["a", None, "x"], dtype="category"),
        pd.Series(["a", None, "x"], dtype="string"),
        np.ma.masked_array(["a", "a", "x"], mask=[False, True, False]),
    ):
        assert category.codes(closed_column(column).cells()).tolist() == [0, 1, -1]
    numbers = closed_column(np.ma.masked_array([1.0, 2.0], mask=[False, True])).cells()
    assert np.isnan(to_numbers(numbers)[1])


def test_fills_of_numbers_and_flags():
    assert Number(0, 10).fill == 5
    assert Number(0, 10, reference=2).fill == 2
    assert Number(0, 10, missing=0, reference=2).fill == 0
    assert (Flag().fill, Flag("y", "n", missing="y").fill, Flag("y", "n", missing="n").fill) == (0.5, 1.0, 0.0)


@pytest.mark.parametrize("dtype", ["complex128", "M8[ns]", "m8[s]", "V8"])
def test_kinds_of_columns_that_hold_no_numbers_are_refused(dtype):
    for column in (
        np.zeros(3, dtype=dtype),
        pd.Series(np.zeros(3, dtype=dtype)) if dtype != "V8" else pd.interval_range(0, 3).array,
    ):
        with pytest.raises(SchemaError, match=r"expected (real )?numbers or text"):
            closed_column(column)


def test_a_whole_table_of_strange_cells_is_encoded():
    schema, encoding = person_schema(), person_encoding()
    numbers = np.column_stack([schema.features[c].numbers(STRANGE) for c in encoding.number_columns])
    codes = np.column_stack([schema.features[c].codes(STRANGE) for c in encoding.category_columns])
    assert np.isfinite(encode(encoding, numbers, codes)).all()


def test_real_outcomes_are_clipped_and_scaled():
    real = Real(10, 20)
    assert real.encode([10, 15, 20, 99, -99, NAN, "x", np.inf]).tolist() == [-1, 0, 1, 1, -1, 0, 0, 0]
    np.testing.assert_allclose(real.decode(np.array([-1.0, 0.5])), [10, 17.5])


@pytest.mark.proof("encoding-norms")
@given(st.floats(-1e149, 1e149), st.floats(-1e149, 1e149), st.lists(st.floats(), min_size=1))
def test_real_outcomes_stay_in_the_unit_interval(low, high, column):
    low, high = min(low, high), max(low, high)
    real = Real(low, high) if high - low > 1e-100 else Real(low, 1e150)
    assert np.all(np.abs(real.encode(np.array([*column, low, high]))) <= 1)


def test_labels_are_encoded_and_decoded():
    binary = Binary(">50K", "<=50K")
    assert binary.classes == ("<=50K", ">50K")
    assert binary.encode([" >50K", "<=50K", "odd", None]).tolist() == [1, 0, 0, 0]
    assert binary.decode(np.array([1, 0])).tolist() == [">50K", "<=50K"]
    assert Classes((3, 5, 8)).encode(np.array([8.0, 3.0, 4.0])).tolist() == [2, 0, 0]
    assert Classes((3, 5, 8)).decode(np.array([2])).dtype.kind == "i"
    assert Classes((False, True)).encode(np.array([True, False])).tolist() == [1, 0]
