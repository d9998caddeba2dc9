import copy
import os
import pickle
import threading
import tracemalloc
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from threadpoolctl import threadpool_info

from rows_support import check_l2_within, check_within, exact_products, moments, seen_rows
from tacit.domain import CLASSIFICATION, UNCLIPPED, Domain, Geometry
from tacit.errors import ParameterError
from tacit.rows import Rows, open_rows, workers

DOMAIN = Domain(radius=2.0)
NAMES = [f"x{j}" for j in range(5)]


def table(n: int = 300, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 5)) * 10.0 ** random.integers(-3, 3, size=(n, 1))
    X[random.random(X.shape) < 0.3] = 0.0
    return X, random.uniform(-2, 2, size=n)


BACKENDS: dict[str, Callable[[np.ndarray], Any]] = {
    "numpy": lambda X: X,
    "fortran": np.asfortranarray,
    "strided": lambda X: np.repeat(X, 2, axis=0)[::2],
    "reversed": lambda X: X[::-1].copy()[::-1],
    "big-endian": lambda X: X.astype(">f8"),
    "longdouble": lambda X: X.astype(np.longdouble),
    "object": lambda X: X.astype(object),
    "lists": lambda X: X.tolist(),
    "masked": lambda X: np.ma.masked_array(X),
    "matrix": lambda X: X.view(type("Sub", (np.ndarray,), {})),
    "pandas": lambda X: pd.DataFrame(X, columns=NAMES),
    "polars": lambda X: pl.DataFrame(X, schema=NAMES),
    "arrow": lambda X: pa.table({name: X[:, j] for j, name in enumerate(NAMES)}),
    "csr": scipy.sparse.csr_array,
    "csc": scipy.sparse.csc_matrix,
    "coo": scipy.sparse.coo_array,
}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("geometry", [CLASSIFICATION, UNCLIPPED, Geometry(constant=None)], ids=str)
@pytest.mark.parametrize("norm", ["l1", "l2", "linf"])
def test_backends_agree(backend: str, geometry: Geometry, norm: Any) -> None:
    X, y = table()
    domain = Domain(norm=norm, radius=2.0)
    plain = open_rows(X, y, domain, geometry)
    rows = open_rows(BACKENDS[backend](X), y, domain, geometry)
    assert (rows.n, rows.width) == (plain.n, plain.width) == (300, 5 + (geometry.constant is not None))
    if not rows.sparse:
        for one, other in zip(rows.total(moments), plain.total(moments), strict=True):
            np.testing.assert_array_equal(one, other)
    else:
        # Sparse rows may be clipped in another order of operations: a few units in the last place per row.
        slack = rows.n * 64 * 2.0**-53 + 2 * rows.summation_error(1.0)
        for one, other in zip(rows.total(moments), plain.total(moments), strict=True):
            assert np.max(np.abs(np.asarray(one) - np.asarray(other))) <= slack


def check_totals(rows: Rows, total: Callable[[Rows], np.ndarray], shrink: float = 1.0) -> None:
    # Stored factors, each product rounded at most once inside the sum: the evaluation error is 0.
    exact = exact_products(*seen_rows(rows))
    check_l2_within(total(rows), exact, shrink * rows.summation_error(rows.norms.l2))
    check_within(total(rows), exact, shrink * rows.summation_error(rows.norms.linf))


@pytest.mark.proof("blocked-sum")
@given(seed=st.integers(0, 2**32 - 1))
def test_totals_are_within_their_bound(seed: int) -> None:
    X, y = table(40, seed)
    for matrix in (X, scipy.sparse.csr_array(X)):
        rows = open_rows(matrix, y, Domain(radius=2.0), CLASSIFICATION)
        check_totals(rows, lambda rows: rows.total(lambda X, y: X.T @ y))


@pytest.mark.proof("blocked-sum")
def test_a_total_in_single_precision_or_a_bound_of_zero_is_caught() -> None:
    rows = open_rows(*table(200), DOMAIN, CLASSIFICATION)
    single = lambda rows: rows.total(lambda X, y: (X.astype(np.float32).T @ y.astype(np.float32)).astype(np.float64))  # noqa: E731
    with pytest.raises(AssertionError):
        check_totals(rows, single)
    with pytest.raises(AssertionError):
        check_totals(rows, lambda rows: rows.total(lambda X, y: X.T @ y), shrink=0.0)


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    return lambda count: monkeypatch.setattr(workers, "thread_count", lambda: count)


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tacit.rows.sources.dense_block_rows", lambda width: 97)
    monkeypatch.setattr("tacit.rows.sources.sparse_block_rows", lambda width: 101)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("make", [np.asarray, scipy.sparse.csr_array])
def test_the_number_of_threads_changes_no_bit(make: Callable[[Any], Any], threads: Callable[[int], None]) -> None:
    X, y = table(10_000)
    rows = open_rows(make(X), y, DOMAIN, CLASSIFICATION)
    answers = []
    for count in (1, 2, 3, 8):
        threads(count)
        answers.append([np.asarray(part).tobytes() for part in rows.total(moments)])
    assert all(answer == answers[0] for answer in answers)


@pytest.mark.usefixtures("small_blocks")
def test_totals_of_several_threads_at_once_do_not_mix(threads: Callable[[int], None]) -> None:
    threads(2)
    rows = open_rows(*table(5_000), DOMAIN, CLASSIFICATION)
    expected = rows.total(moments)
    found: list[tuple[Any, ...]] = []
    callers = [threading.Thread(target=lambda: found.append(rows.total(moments))) for _ in range(6)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert len(found) == 6
    for answer in found:
        for one, other in zip(answer, expected, strict=True):
            np.testing.assert_array_equal(one, other)


def blas_threads() -> list[int]:
    return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]


def test_blas_is_single_threaded_inside_and_restored_after() -> None:
    before, inside = blas_threads(), []
    rows = open_rows(*table(), DOMAIN, CLASSIFICATION)
    rows.total(lambda X, y: float(inside.append(blas_threads()) is None))
    assert set(inside[0]) == {1}
    assert blas_threads() == before
    with pytest.raises(ZeroDivisionError):
        rows.total(lambda X, y: 1 / 0)
    assert blas_threads() == before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.usefixtures("small_blocks")
def test_totals_work_in_a_forked_process(threads: Callable[[int], None]) -> None:
    threads(2)
    rows = open_rows(*table(2_000), DOMAIN, CLASSIFICATION)
    expected = rows.total(lambda X, y: X.T @ y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        same = np.array_equal(rows.total(lambda X, y: X.T @ y), expected)
        os._exit(0 if same else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_memory_of_a_total_is_a_few_blocks(threads: Callable[[int], None]) -> None:
    threads(2)
    X = np.ones((200_000, 50))
    rows = open_rows(X, np.zeros(len(X)), Domain(), CLASSIFICATION)
    block_bytes = 8 * rows.block_rows * rows.width
    tracemalloc.start()
    rows.total(lambda X, y: X.T @ y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert X.nbytes == 80_000_000
    assert peak <= 8 * block_bytes


def test_an_array_of_numbers_is_not_copied() -> None:
    for dtype in (np.float64, np.float32, np.int16, bool):
        X = np.ones((100, 5), dtype=dtype)
        rows = open_rows(X, np.zeros(100), Domain(), CLASSIFICATION)
        assert np.shares_memory(rows._source.numbers, X)  # type: ignore[attr-defined]


def test_kernels_return_arrays_floats_or_tuples() -> None:
    rows = open_rows(*table(), DOMAIN, CLASSIFICATION)
    assert rows.total(lambda X, y: float(len(y))) == 300.0
    assert isinstance(rows.total(lambda X, y: y.sum()), float)
    assert rows.total(lambda X, y: X.sum(axis=0)).shape == (6,)
    count, square = rows.total(lambda X, y: (len(y), X.T @ X))
    assert count == 300.0
    assert square.shape == (6, 6)


def test_kernels_can_spoil_nothing() -> None:
    rows = open_rows(*table(), DOMAIN, CLASSIFICATION)
    for spoil in (lambda X, y: X.fill(0.0), lambda X, y: y.fill(0.0)):
        for _ in range(3):  # scratch, the copy that stays, the kept copy
            with pytest.raises(ValueError, match="read-only"):
                rows.total(spoil)


@pytest.mark.usefixtures("small_blocks")
def test_encoded_once_or_always_the_bits_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = table(1_000)
    rows = open_rows(X, y, DOMAIN, CLASSIFICATION)
    totals = [rows.total(moments) for _ in range(4)]
    rows.head(77).total(moments)
    partial = rows.head(77).total(moments)
    X[:] = 1e9  # from the second pass on the rows are kept: the caller's array is not read again
    totals.append(rows.total(moments))
    again = open_rows(*table(1_000), DOMAIN, CLASSIFICATION)
    monkeypatch.setattr("tacit.rows.kept.MOST_KEPT_FLOATS", 0)
    fresh = open_rows(*table(1_000), DOMAIN, CLASSIFICATION)
    totals += [fresh.total(moments), fresh.total(moments), again.total(moments)]
    for total in totals[1:]:
        for one, other in zip(total, totals[0], strict=True):
            np.testing.assert_array_equal(one, other)
    for one, other in zip(partial, fresh.head(77).total(moments), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.usefixtures("small_blocks")
def test_kernels_run_without_floating_point_warnings(threads: Callable[[int], None]) -> None:
    rows = open_rows(*table(1_000), DOMAIN, CLASSIFICATION)
    for count in (1, 2):
        threads(count)
        assert np.isnan(rows.total(lambda X, y: np.sum(np.log(y * 0.0 - 1.0) + np.exp(y * 0.0 + 1e6) / (y * 0.0))))


@pytest.mark.parametrize("make", [np.asarray, scipy.sparse.csr_array])
def test_head_is_the_first_rows(make: Callable[[Any], Any]) -> None:
    X, y = table()
    rows = open_rows(make(X), y, DOMAIN, CLASSIFICATION)
    for m in (1, 37, 300):
        head, direct = rows.head(m), open_rows(make(X[:m]), y[:m], DOMAIN, CLASSIFICATION)
        assert head.n == m
        for one, other in zip(head.total(moments), direct.total(moments), strict=True):
            np.testing.assert_array_equal(one, other)
    assert rows.head(200).head(10).n == 10
    for m in (0, -1, 301):
        with pytest.raises(ParameterError, match="between 1 and n = 300"):
            rows.head(m)


def test_one_vs_rest_marks_one_class() -> None:
    X, _ = table(6)
    rows = open_rows(X, ["b", "a", "c", "?", None, "b"], Domain(classes=("a", "b", "c")), CLASSIFICATION)
    assert seen_rows(rows)[1].tolist() == [1, 0, 2, 0, 0, 1]
    assert seen_rows(rows.one_vs_rest(1))[1].tolist() == [1, -1, -1, -1, -1, 1]
    assert seen_rows(rows.one_vs_rest(0).head(4))[1].tolist() == [-1, 1, -1, 1]
    for code in (-1, 3, True):
        with pytest.raises(ParameterError):
            rows.one_vs_rest(code)
    with pytest.raises(ParameterError, match="real"):
        open_rows(X, np.zeros(6), Domain(), CLASSIFICATION).one_vs_rest(0)


def test_rows_show_public_facts_only_and_cannot_leave_the_process() -> None:
    X, y = table(7)
    rows = open_rows(X, y, DOMAIN, CLASSIFICATION)
    assert repr(rows) == str(rows) == "<Rows n=7 width=6 dense>"
    assert repr(rows._source).count("array") == 0
    for leave in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="private"):
            leave(rows)
