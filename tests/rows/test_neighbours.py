"""Replacing one row by anything at all moves a total by no more than its declared sensitivity and rounding."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from rows_support import QUIET, moments, trace
from tacit.domain import (
    CLASSIFICATION,
    REGRESSION,
    UNCLIPPED,
    ArrayEncoding,
    Binary,
    Category,
    Domain,
    Flag,
    Number,
    Real,
    Schema,
)
from tacit.rows import Rows, open_rows

WIDTH = 3
numbers = st.floats(-2, 2) | st.floats(allow_nan=True, allow_infinity=True)
odd_cells = st.one_of(
    numbers,
    st.none(),
    st.text(max_size=5),
    st.sampled_from(["1e400", "nan", "-inf", "0x10", "1_000", b"1.5", 10**400, -(10**400), 2j, np.float32(3e38)]),
    st.sampled_from([pd.NA, pd.NaT, True, [1, 2], (), {}, object(), np.array([1.0, 2.0]), np.datetime64("2020-01-01")]),
    st.integers(),
    st.decimals(),
    st.fractions(),
)
geometries = st.sampled_from([CLASSIFICATION, REGRESSION, UNCLIPPED])
domains = st.builds(Domain, norm=st.sampled_from(["l1", "l2", "linf"]), radius=st.sampled_from([1e-3, 1.0, 1e9]))


def check_neighbours(rows: Rows, others: Rows) -> None:
    """Totals of Σx, Σyx, Σxxᵀ and Σy of neighbours, compared exactly."""
    norms = rows.norms
    assert others.norms == norms
    move = [
        [Fraction(a) - Fraction(b) for a, b in zip(np.ravel(one).tolist(), np.ravel(other).tolist(), strict=True)]
        for one, other in zip(rows.total(moments), others.total(moments), strict=True)
    ]
    for part, l2, linf in zip(move[:2], (norms.l2, norms.l2), (norms.linf, norms.linf), strict=True):
        assert length2(part) <= square(2 * Fraction(l2) + 2 * Fraction(rows.summation_error(l2)))
        assert max(map(abs, part)) <= 2 * Fraction(linf) + 2 * Fraction(rows.summation_error(linf))
        assert sum(map(abs, part)) <= 2 * Fraction(norms.l1) + 2 * Fraction(rows.summation_error(norms.l1))
    # ‖xxᵀ − x'x'ᵀ‖² = ‖x‖⁴ + ‖x'‖⁴ − 2⟨x, x'⟩² ≤ 2‖x‖⁴.
    outer = math.nextafter(norms.l2**2, math.inf)
    frobenius = Fraction(math.nextafter(math.sqrt(2) * outer, math.inf))
    assert length2(move[2]) <= square(frobenius + 2 * Fraction(rows.summation_error(outer)))
    assert abs(move[3][0]) <= 2 + 2 * Fraction(rows.summation_error(1.0))


def length2(values: list[Fraction]) -> Fraction:
    return sum((value * value for value in values), Fraction(0))


def square(value: Fraction) -> Fraction:
    return value * value


@st.composite
def neighbouring_cells(draw: st.DrawFn) -> tuple[list[list[Any]], list[list[Any]]]:
    n = draw(st.integers(1, 6))
    row = st.lists(odd_cells, min_size=WIDTH + 1, max_size=WIDTH + 1)
    cells = [draw(row) for _ in range(n)]
    others = list(cells)
    others[draw(st.integers(0, n - 1))] = draw(row)
    return cells, others


def split(cells: list[list[Any]]) -> tuple[list[list[Any]], list[Any]]:
    return [row[:-1] for row in cells], [row[-1] for row in cells]


@pytest.mark.proof("blocked-sum")
@settings(max_examples=150)
@given(pair=neighbouring_cells(), domain=domains, geometry=geometries)
def test_lists_of_anything(pair: tuple[Any, Any], domain: Domain, geometry: Any) -> None:
    check_neighbours(*(open_rows(*split(cells), domain, geometry) for cells in pair))


@st.composite
def neighbouring_arrays(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    n = draw(st.integers(1, 6))
    cell = st.floats(width=64) | st.sampled_from([5e-324, -5e-324, 1.7e308, -1.7e308, 2.0**-1022, 1e154, 1e-154])
    row = st.lists(cell, min_size=WIDTH, max_size=WIDTH)
    X = np.array([draw(row) for _ in range(n)])
    other = X.copy()
    other[draw(st.integers(0, n - 1))] = draw(row)
    return X, other


@pytest.mark.proof("blocked-sum")
@settings(max_examples=150)
@given(pair=neighbouring_arrays(), domain=domains, geometry=geometries, sparse=st.booleans())
def test_arrays_of_any_floats(pair: tuple[np.ndarray, np.ndarray], domain: Domain, geometry: Any, sparse: bool) -> None:
    make = scipy.sparse.csr_array if sparse else np.asarray
    y = np.ones(len(pair[0]))
    check_neighbours(*(open_rows(make(X), y, domain, geometry) for X in pair))


SCHEMA = Schema(
    {
        "age": Number(17, 90),
        "gain": Number(0, 1e5, reference=0),
        "job": Category(("a", "b", "7"), other=True),
        "smokes": Flag("yes", "no"),
        "where": Category((1, 2)),
    },
    Binary("high", "low", name="income"),
)
likely = st.sampled_from([17, 90.0, "a", "b", 7, "yes", "no", 1, "2", 3.0, "high", "low", 1e5])


@st.composite
def neighbouring_frames(draw: st.DrawFn) -> tuple[pd.DataFrame, pd.DataFrame]:
    n = draw(st.integers(1, 6))
    names = [*SCHEMA.features, "income"]
    row = st.tuples(*[likely | odd_cells for _ in names])
    records = [draw(row) for _ in range(n)]
    others = list(records)
    others[draw(st.integers(0, n - 1))] = draw(row)

    def frame(rows: list[Any]) -> pd.DataFrame:
        columns = {}
        for place, name in enumerate(names):
            column = np.empty(n, dtype=object)
            for number, record in enumerate(rows):
                column[number] = record[place]
            columns[name] = pd.Series(column, dtype=object)
        return pd.DataFrame(columns)

    return frame(records), frame(others)


@pytest.mark.proof("blocked-sum")
@settings(max_examples=150)
@given(pair=neighbouring_frames(), geometry=geometries)
def test_tables_of_anything(pair: tuple[pd.DataFrame, pd.DataFrame], geometry: Any) -> None:
    check_neighbours(*(open_rows(frame, None, SCHEMA, geometry) for frame in pair))


@settings(max_examples=60)
@given(pair=neighbouring_cells(), real=st.booleans())
def test_bystanders_see_nothing(pair: tuple[Any, Any], real: bool) -> None:
    """No exception, warning, log record or text, and the same calls of the kernel, whatever the cells are."""
    domain = Domain() if real else Domain(classes=("a", "b"))
    calls: list[list[tuple[int, ...]]] = [[], []]
    for cells, shapes in zip(pair, calls, strict=True):

        def watch(X: np.ndarray, y: np.ndarray, shapes: list[tuple[int, ...]] = shapes) -> np.ndarray:
            shapes.append((*X.shape, *X.strides, *y.shape))
            return X.T @ y

        assert trace(lambda cells=cells: open_rows(*split(cells), domain, CLASSIFICATION).total(watch)) == QUIET
    assert calls[0] == calls[1]


def test_the_check_catches_missing_clipping(monkeypatch: pytest.MonkeyPatch) -> None:
    X = np.array([[0.5, 0.5, 0.5], [0.1, 0.2, 0.3]])
    other = X.copy()
    other[1] = 1e3
    neighbours = [open_rows(table, np.ones(2), Domain(), CLASSIFICATION) for table in (X, other)]
    check_neighbours(*neighbours)

    def unclipped(self: ArrayEncoding, numbers: np.ndarray, codes: None, out: np.ndarray) -> None:
        out[:, :-1] = numbers
        out[:, -1] = 0.5

    monkeypatch.setattr(ArrayEncoding, "encode", unclipped)
    with pytest.raises(AssertionError):
        check_neighbours(*neighbours)


def test_the_check_catches_unclipped_targets() -> None:
    rows, other = (
        open_rows(np.zeros((2, 3)), [0.0, y], Domain(target=(-1.0, 1.0)), CLASSIFICATION) for y in (1.0, -1.0)
    )
    check_neighbours(rows, other)
    with pytest.raises(AssertionError):
        check_neighbours(rows, Rows(other._source, np.array([0.0, -50.0])))


def test_real_targets_are_clipped() -> None:
    schema = Schema({"age": Number(0, 100)}, Real(0, 10, name="wage"))
    frames = [pd.DataFrame({"age": [1.0, 2.0], "wage": [5.0, wage]}) for wage in (0.0, 1e300)]
    check_neighbours(*(open_rows(frame, None, schema, CLASSIFICATION) for frame in frames))
