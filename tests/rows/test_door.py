"""Tables are read by declared names, arrays by position, and only public facts are refused."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

from rows_support import seen_rows
from tacit.domain import CLASSIFICATION, UNCLIPPED, Binary, Category, Domain, Flag, Number, Real, Schema
from tacit.errors import SchemaError
from tacit.rows import linear_scores, open_rows

FEATURES = {
    "age": Number(0, 100),
    "job": Category(("a", "b"), other=True),
    "hours": Number(0, 40, missing=40),
    "smokes": Flag("yes", "no"),
}
SCHEMA = Schema(FEATURES, Binary("high", "low", name="income"))
RECORDS: dict[str, list[Any]] = {
    "age": [10.0, 50.5, None, 250.0],
    "job": ["a", None, "z", "b"],
    "hours": [0, 20, None, 40],
    "smokes": ["yes", "no", None, "yes"],
    "income": ["high", "low", "low", None],
}
KINDS = ("pandas", "polars", "arrow")


def frame(kind: str, columns: dict[str, list[Any]]) -> Any:
    if kind == "pandas":
        return pd.DataFrame(columns)
    return pl.DataFrame(columns) if kind == "polars" else pa.table(columns)


def rows_of(X: Any, y: Any = None, schema: Schema = SCHEMA) -> tuple[list[Any], list[Any]]:
    X, y = seen_rows(open_rows(X, y, schema, UNCLIPPED))
    return X.tolist(), y.tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_tables_agree_with_each_other_and_with_arrays(kind: str) -> None:
    expected = rows_of(pd.DataFrame({name: pd.Series(cells, dtype=object) for name, cells in RECORDS.items()}))
    assert rows_of(frame(kind, RECORDS)) == expected
    by_position = [[RECORDS[name][row] for name in FEATURES] for row in range(4)]
    assert rows_of(by_position, RECORDS["income"]) == expected
    assert rows_of(np.array(by_position, dtype=object), RECORDS["income"]) == expected
    assert expected[1] == [1.0, 0.0, 0.0, 0.0]


@pytest.mark.parametrize("kind", KINDS)
def test_order_of_columns_extra_columns_and_index_do_not_matter(kind: str) -> None:
    expected = rows_of(frame(kind, RECORDS))
    shuffled = {"unused": [1, 2, 3, 4], **dict(reversed(RECORDS.items())), "more": ["x"] * 4}
    assert rows_of(frame(kind, shuffled)) == expected


def test_pandas_is_never_aligned() -> None:
    table = pd.DataFrame(RECORDS, index=[7, 7, 0, 1])
    y = pd.Series(["low", "high", "high", "low"], index=[0, 1, 7, 7])
    assert rows_of(table, y) == (rows_of(frame("pandas", RECORDS))[0], [0.0, 1.0, 1.0, 0.0])


@pytest.mark.parametrize("kind", KINDS)
def test_dictionary_columns_read_like_text(kind: str) -> None:
    expected = rows_of(frame("pandas", RECORDS))
    encoded: Any = frame(kind, RECORDS)
    if kind == "pandas":
        encoded = encoded.astype({"job": "category", "smokes": "category", "income": "category"})
    elif kind == "polars":
        encoded = encoded.with_columns(pl.col("job", "smokes", "income").cast(pl.Categorical))
    else:
        for name in ("job", "smokes", "income"):
            place = encoded.column_names.index(name)
            encoded = encoded.set_column(place, name, encoded[name].dictionary_encode())
    assert rows_of(encoded) == expected


@pytest.mark.parametrize("kind", KINDS)
def test_missing_columns_are_named(kind: str) -> None:
    columns = {name: cells for name, cells in RECORDS.items() if name not in ("job", "hours")}
    with pytest.raises(SchemaError, match=r"no column 'job', 'hours'.*The table has: 'age', 'smokes', 'income'"):
        open_rows(frame(kind, columns), None, SCHEMA, CLASSIFICATION)
    without_target = {name: cells for name, cells in RECORDS.items() if name != "income"}
    with pytest.raises(SchemaError, match="no column 'income'"):
        open_rows(frame(kind, without_target), None, SCHEMA, CLASSIFICATION)
    assert open_rows(frame(kind, without_target), ["low"] * 4, SCHEMA, CLASSIFICATION).n == 4


def test_the_number_of_rows_is_public() -> None:
    declared = Schema(FEATURES, Binary("high", "low", name="income"), rows=5)
    with pytest.raises(SchemaError, match="found 4 rows; expected 5"):
        open_rows(frame("pandas", RECORDS), None, declared, CLASSIFICATION)


@pytest.mark.parametrize("kind", KINDS)
def test_a_domain_reads_every_column_and_keeps_the_names(kind: str) -> None:
    table = frame(kind, {"b": [0.5, 0.25], "a": [1, 0]})
    rows = open_rows(table, [0.0, 1.0], Domain(), CLASSIFICATION)
    assert rows.encoding.feature_names == ("b", "a")
    plain = open_rows(np.array([[0.5, 1], [0.25, 0]]), [0.0, 1.0], Domain(), CLASSIFICATION)
    np.testing.assert_array_equal(seen_rows(rows)[0], seen_rows(plain)[0])


def test_numbers_of_a_schema_are_read_in_place() -> None:
    schema = Schema({"a": Number(0, 1), "b": Number(0, 2)}, Real(0, 1))
    X = np.random.default_rng(0).uniform(size=(50, 2)).astype(np.float32)
    rows = open_rows(X, np.zeros(50), schema, CLASSIFICATION)
    assert np.shares_memory(rows._source.numbers, X)  # type: ignore[attr-defined]
    objects = open_rows(X.astype(object), np.zeros(50), schema, CLASSIFICATION)
    np.testing.assert_array_equal(seen_rows(rows)[0], seen_rows(objects)[0])


TARGETS: dict[str, Any] = {
    "list": [0.5, -0.5, 1.0],
    "list of lists": [[0.5], [-0.5], [1.0]],
    "tuple": (0.5, -0.5, 1.0),
    "array": np.array([0.5, -0.5, 1.0]),
    "column": np.array([[0.5], [-0.5], [1.0]]),
    "read-only": np.broadcast_to(np.array([0.5, -0.5, 1.0]), (3,)),
    "strided": np.array([0.5, 0, -0.5, 0, 1.0, 0])[::2],
    "object": np.array([0.5, "-0.5", 1], dtype=object),
    "pandas series": pd.Series([0.5, -0.5, 1.0], index=[2, 1, 0]),
    "pandas frame": pd.DataFrame({"y": [0.5, -0.5, 1.0]}),
    "polars series": pl.Series([0.5, -0.5, 1.0]),
    "polars frame": pl.DataFrame({"y": [0.5, -0.5, 1.0]}),
    "arrow": pa.chunked_array([[0.5], [-0.5, 1.0]]),
    "arrow array": pa.array([0.5, -0.5, 1.0]),
    "arrow table": pa.table({"y": [0.5, -0.5, 1.0]}),
}


@pytest.mark.parametrize("y", TARGETS.values(), ids=TARGETS.keys())
def test_targets_of_every_kind(y: Any) -> None:
    rows = open_rows(np.zeros((3, 2)), y, Domain(), CLASSIFICATION)
    assert seen_rows(rows)[1].tolist() == [0.5, -0.5, 1.0]


def test_sparse_details() -> None:
    """Duplicates add up, explicit zeros and unsorted indices are fine, and the caller's matrix stays as it was."""
    data, columns, starts = np.array([0.25, 0.25, 0.0, 0.5, 0.125]), np.array([1, 1, 0, 2, 0]), np.array([0, 2, 3, 5])
    matrix = scipy.sparse.csr_array((data, columns, starts), shape=(3, 3))
    matrix.has_canonical_format = True
    kept = (data.copy(), columns.copy(), starts.copy())
    dense = np.array([[0, 0.5, 0], [0, 0, 0], [0.125, 0, 0.5]])
    y = np.zeros(3)
    for given in (matrix, matrix.tocsc(), matrix.tocoo(), matrix.astype(np.float32).astype(np.float64)):
        found = seen_rows(open_rows(given, y, Domain(), CLASSIFICATION))[0]
        np.testing.assert_allclose(found, seen_rows(open_rows(dense, y, Domain(), CLASSIFICATION))[0], rtol=1e-14)
    for before, after in zip(kept, (matrix.data, matrix.indices, matrix.indptr), strict=True):
        np.testing.assert_array_equal(before, after)
    for kind in (bool, np.int8, np.uint64):
        ones = scipy.sparse.csr_array(np.eye(3), dtype=kind)
        np.testing.assert_array_equal(
            seen_rows(open_rows(ones, y, Domain(), CLASSIFICATION))[0],
            seen_rows(open_rows(scipy.sparse.csr_array(np.eye(3)), y, Domain(), CLASSIFICATION))[0],
        )


@pytest.mark.parametrize("make", [np.asarray, scipy.sparse.csr_array, pd.DataFrame])
def test_scores_are_those_of_the_rows_of_a_fit(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tacit.rows.sources.dense_block_rows", lambda width: 7)
    X = np.random.default_rng(0).normal(size=(20, 3))
    encoded, _ = seen_rows(open_rows(X, np.zeros(20), Domain(), CLASSIFICATION))
    for theta in (np.arange(4.0), np.arange(8.0).reshape(4, 2)):
        np.testing.assert_allclose(linear_scores(make(X), theta, Domain(), CLASSIFICATION), encoded @ theta, atol=1e-14)


def test_rows_to_predict_may_be_any_number() -> None:
    declared = Schema(FEATURES, Binary("high", "low", name="income"), rows=4)
    theta = np.ones(open_rows(frame("pandas", RECORDS), None, declared, CLASSIFICATION).width)
    one = {name: cells[:1] for name, cells in RECORDS.items() if name != "income"}
    assert linear_scores(frame("pandas", one), theta, declared, CLASSIFICATION).shape == (1,)
