"""Checks shared by the tests of the noise room. Each is a function, so that mutants can be sent through it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from tacit.noise import Entropy, LazyLaplace, LazyReal, exceeds

FALSE_ALARM = 1e-9
Floats = NDArray[np.float64]


def assert_identical(first: Floats, second: Floats) -> None:
    """Equal bit for bit, signs of zeros included."""
    np.testing.assert_array_equal(first.view(np.uint64), second.view(np.uint64))


def assert_law(sample: Sequence[float] | Floats, cdf: Callable[[Floats], Floats]) -> None:
    """Kolmogorov-Smirnov."""
    assert stats.kstest(np.asarray(sample), cdf).pvalue > FALSE_ALARM


def assert_same_law(first: Sequence[float] | Floats, second: Sequence[float] | Floats) -> None:
    assert stats.ks_2samp(np.asarray(first), np.asarray(second)).pvalue > FALSE_ALARM


def assert_share(hits: int, trials: int, lowest: float, highest: float | None = None) -> None:
    """Exact binomial test of a probability, or of the two ends of a range for it."""
    upper = lowest if highest is None else highest
    for probability, side in ((lowest, "less"), (upper, "greater")):
        assert stats.binomtest(int(hits), int(trials), probability, side).pvalue > FALSE_ALARM / 2


def assert_counts(counts: Sequence[int] | NDArray[np.int64], probabilities: Sequence[float] | Floats) -> None:
    """Chi-square; cells are chosen by the callers so that every expected count is well above 5."""
    observed = np.asarray(counts)
    expected = np.asarray(probabilities) / np.sum(probabilities) * observed.sum()
    assert expected.min() > 5
    assert stats.chisquare(observed, expected).pvalue > FALSE_ALARM


def assert_all_different(vectors: Sequence[Floats]) -> None:
    """No noise vector ever comes twice (defeats generators with few states)."""
    assert len({vector.tobytes() for vector in vectors}) == len(vectors)


def assert_privacy_not_refuted(hits: int, neighbour_hits: int, trials: int, epsilon: float) -> None:
    """log(P/P') <= epsilon is compatible with the counts of one event (Clopper-Pearson on both sides)."""
    level = FALSE_ALARM / 2
    low = stats.beta.ppf(level, hits, trials - hits + 1) if hits else 0.0
    high = stats.beta.ppf(1 - level, neighbour_hits + 1, trials - neighbour_hits)
    assert low <= math.exp(epsilon) * high


def above_threshold(
    queries: Sequence[float],
    threshold: float,
    threshold_noise: LazyReal,
    query_scale: float,
    entropy: Entropy,
) -> int:
    """Index of the first noisy query above the noisy threshold; the number of queries if there is none."""
    for index, query in enumerate(queries):
        if exceeds(query, LazyLaplace(query_scale, entropy), threshold, threshold_noise):
            return index
    return len(queries)
