"""Helpers of the tests of tacit.rows: exact sums, and a check that can be run on mutants."""

import contextlib
import io
import logging
import warnings
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from tacit.rows import Rows


def exact_sum(columns: np.ndarray) -> list[Fraction]:
    """Sum over the first axis in rational arithmetic."""
    flat = np.asarray(columns, dtype=np.float64).reshape(len(columns), -1)
    return [sum(map(Fraction, column.tolist()), Fraction(0)) for column in flat.T]


def exact_products(X: np.ndarray, y: np.ndarray) -> list[Fraction]:
    """Xᵀy in rational arithmetic."""
    targets = [Fraction(target) for target in y.tolist()]
    columns = ([Fraction(cell) for cell in column] for column in X.T.tolist())
    return [sum((a * b for a, b in zip(column, targets, strict=True)), Fraction(0)) for column in columns]


def check_within(computed: np.ndarray, exact: list[Fraction], bound: float) -> None:
    """Every entry of a computed total is within `bound` of its exact value."""
    for value, truth in zip(np.ravel(computed).tolist(), exact, strict=True):
        assert abs(Fraction(value) - truth) <= Fraction(bound)


def check_l2_within(computed: np.ndarray, exact: list[Fraction], bound: float) -> None:
    """The ℓ2 distance of a computed total from its exact value is at most `bound`."""
    pairs = zip(np.ravel(computed).tolist(), exact, strict=True)
    assert sum((Fraction(value) - truth) ** 2 for value, truth in pairs) <= Fraction(bound) ** 2


def seen_rows(rows: Rows) -> tuple[np.ndarray, np.ndarray]:
    """All encoded rows and targets, as kernels see them (a test may look; a mechanism may not)."""
    blocks: list[tuple[int, np.ndarray, np.ndarray]] = []

    def keep(X: Any, y: np.ndarray) -> float:
        place = int(y.__array_interface__["data"][0])
        blocks.append((place, X.toarray() if rows.sparse else X.copy(), y.copy()))
        return 0.0

    rows.total(keep)
    blocks.sort(key=lambda block: block[0])
    return np.vstack([block[1] for block in blocks]), np.concatenate([block[2] for block in blocks])


def moments(X: Any, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """Kernel of Σx, Σyx, Σxxᵀ and Σy, for dense and sparse blocks."""
    square = X.T @ X
    return np.asarray(X.sum(axis=0)), X.T @ y, square if isinstance(X, np.ndarray) else square.toarray(), float(y.sum())


def trace(action: Callable[[], Any]) -> dict[str, Any]:
    """What a bystander sees of an action: its exception, warnings, log records and printed text."""
    seen: dict[str, Any] = {"error": None}
    records: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: records.append(record.getMessage())  # type: ignore[method-assign]
    logging.getLogger().addHandler(handler)
    printed = io.StringIO()
    try:
        with (
            warnings.catch_warnings(record=True) as caught,
            contextlib.redirect_stdout(printed),
            contextlib.redirect_stderr(printed),
        ):
            warnings.simplefilter("always")
            try:
                action()
            except Exception as error:  # noqa: BLE001  whatever it is, a bystander sees it
                seen["error"] = (type(error), str(error))
    finally:
        logging.getLogger().removeHandler(handler)
    return {**seen, "warnings": [str(entry.message) for entry in caught], "log": records, "text": printed.getvalue()}


QUIET = {"error": None, "warnings": [], "log": [], "text": ""}
