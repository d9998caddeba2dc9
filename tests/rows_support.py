"""Helpers of the tests of tacit.rows: exact sums, and a check that can be run on mutants."""

from fractions import Fraction

import numpy as np


def exact_sum(columns: np.ndarray) -> list[Fraction]:
    """Sum over the first axis in rational arithmetic."""
    flat = np.asarray(columns, dtype=np.float64).reshape(len(columns), -1)
    return [sum(map(Fraction, column.tolist()), Fraction(0)) for column in flat.T]


def check_within(computed: np.ndarray, exact: list[Fraction], bound: float) -> None:
    """Every entry of a computed total is within `bound` of its exact value."""
    for value, truth in zip(np.ravel(computed).tolist(), exact, strict=True):
        assert abs(Fraction(value) - truth) <= Fraction(bound)


def check_l2_within(computed: np.ndarray, exact: list[Fraction], bound: float) -> None:
    """The ℓ2 distance of a computed total from its exact value is at most `bound`."""
    pairs = zip(np.ravel(computed).tolist(), exact, strict=True)
    assert sum((Fraction(value) - truth) ** 2 for value, truth in pairs) <= Fraction(bound) ** 2
