import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rows_support import check_l2_within, check_within, exact_sum
from tacit.errors import ParameterError
from tacit.rows.schedule import lanes
from tacit.rows.summation import CHUNK, CompensatedSum, summation_error

Adder = Callable[[np.ndarray, int], np.ndarray]
wild = st.floats(-1, 1) | st.sampled_from([1.0, -1.0, 2.0**-53, -(2.0**-53), 2.0**-54, 5e-324, 1 - 2.0**-53, 1e-300])


def blocked(values: np.ndarray, block: int) -> np.ndarray:
    """The total as Rows computes it: plain sums inside blocks, compensated across them."""
    total = CompensatedSum[np.ndarray]()
    for lane in lanes(len(values), block):
        lane_total = CompensatedSum[np.ndarray]()
        for start, stop in lane:
            lane_total.add(np.ones(stop - start) @ values[start:stop])
        total.absorb(lane_total)
    return total.result()


def single_precision(values: np.ndarray, block: int) -> np.ndarray:
    """Mutant: adds in float32."""
    return values.astype(np.float32).sum(axis=0, dtype=np.float32).astype(np.float64)


def check_total(add: Adder, values: np.ndarray, block: int, shrink: float = 1.0) -> None:
    n, bound = len(values), float(np.abs(values).max(initial=0.0))
    exact = exact_sum(values)
    check_within(add(values, block), exact, shrink * summation_error(n, block, bound))
    length = math.nextafter(max(math.hypot(*row) for row in values.tolist()) * (1 + 1e-12), math.inf)
    check_l2_within(add(values, block), exact, shrink * summation_error(n, block, length))


@pytest.mark.proof("blocked-sum")
@given(values=st.integers(1, 60).flatmap(lambda n: arrays(np.float64, (n, 3), elements=wild)), block=st.integers(1, 70))
def test_blocked_sum_is_within_its_bound(values: np.ndarray, block: int) -> None:
    check_total(blocked, values, block)


@pytest.mark.proof("blocked-sum")
def test_long_sums_are_within_the_bound_and_mutants_are_not() -> None:
    values = np.random.default_rng().uniform(0.5, 1.0, size=(20_000, 2))
    check_total(blocked, values, 512)
    with pytest.raises(AssertionError):
        check_total(single_precision, values, 512)
    with pytest.raises(AssertionError):
        check_total(blocked, values, 512, shrink=0.0)


def naive_across_blocks(values: np.ndarray, block: int) -> np.ndarray:
    """Mutant: no error term is carried from block to block."""
    total = np.zeros(values.shape[1])
    for start in range(0, len(values), block):
        total += np.ones(len(values[start : start + block])) @ values[start : start + block]
    return total


@pytest.mark.proof("blocked-sum")
def test_carrying_errors_is_needed() -> None:
    # Every 2⁻⁵³ is lost against 1 by a plain sum; with one row per block the bound has no room for that.
    values = np.full((100_000, 1), 2.0**-53)
    values[0] = 1.0
    exact, bound = exact_sum(values), 4 * 2.0**-53
    check_within(blocked(values, 1), exact, bound)
    with pytest.raises(AssertionError):
        check_within(naive_across_blocks(values, 1), exact, bound)


@given(terms=st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=40))
def test_running_sum_and_errors_are_exact(terms: list[float]) -> None:
    total = CompensatedSum[float]()
    exact = Fraction(0)
    scale = 2.0**-60  # keep the running sum of huge terms from overflowing
    for term in terms:
        total.add(term * scale)
        exact += Fraction(term * scale)
        running, errors = Fraction(float(total._sums[0][0])), Fraction(float(total._errors[0][0]))
        slack = Fraction(2**-100) * sum(abs(Fraction(t)) for t in terms)
        assert abs(running + errors - exact) <= slack * Fraction(scale) * 40
    assert isinstance(total.result(), float)


@settings(max_examples=20)
@given(size=st.integers(1, 3 * CHUNK), count=st.integers(1, 4))
def test_chunks_change_nothing(size: int, count: int) -> None:
    parts = np.random.default_rng(size).normal(size=(count, size))
    whole, single = CompensatedSum[np.ndarray](), CompensatedSum[np.ndarray]()
    for part in parts:
        whole.add(part)
        single.add(part[-1:])
    assert whole.result()[-1] == single.result()[0]
    assert whole.result().shape == (size,)


def test_results_keep_their_form() -> None:
    total = CompensatedSum[tuple[float, np.ndarray, np.ndarray]]()
    matrix = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    total.add((1.5, np.array([1.0, 2.0]), matrix))
    total.add((np.float64(1.0), np.array([1.0, 2.0]), matrix))
    value, vector, square = total.result()
    assert value == 2.5
    assert isinstance(value, float)
    np.testing.assert_array_equal(vector, [2.0, 4.0])
    np.testing.assert_array_equal(square, 2 * matrix)


@given(
    n=st.integers(1, 10**9),
    block=st.integers(1, 10**6),
    magnitude=st.floats(0, 1e6),
    evaluation=st.floats(0, 1e-3),
)
def test_the_bound_grows_with_everything(n: int, block: int, magnitude: float, evaluation: float) -> None:
    bound = summation_error(n, block, magnitude, evaluation)
    assert bound >= n * evaluation * (1 - 1e-15)
    assert summation_error(n + 1, block, magnitude, evaluation) >= bound
    assert summation_error(n, block, magnitude * 2, evaluation) >= bound
    assert summation_error(n, block, magnitude, evaluation * 2) >= bound


def test_the_bound_is_small_against_one_row() -> None:
    assert summation_error(1_000_000, 5140, 1.0) < 6e-7


@pytest.mark.parametrize(
    ("rows", "block", "magnitude", "evaluation"),
    [
        (0, 1, 1.0, 0.0),
        (1, 0, 1.0, 0.0),
        (1, 1, -1.0, 0.0),
        (1, 1, math.nan, 0.0),
        (1, 1, math.inf, 0.0),
        (1, 1, 1.0, -1.0),
        (1, 1, 1.0, math.nan),
        (10, 1, 1e301, 0.0),
    ],
)
def test_public_bounds_are_checked(rows: int, block: int, magnitude: float, evaluation: float) -> None:
    with pytest.raises(ParameterError):
        summation_error(rows, block, magnitude, evaluation)
