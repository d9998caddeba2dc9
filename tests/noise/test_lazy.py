"""Comparisons of reals that are never rounded, and exact coins."""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from noise_support import above_threshold, assert_counts, assert_privacy_not_refuted, assert_share
from tacit.errors import ParameterError
from tacit.noise import (
    LazyExponential,
    LazyExponentials,
    LazyLaplace,
    LazyLaplaces,
    RecordedEntropy,
    ReplayedEntropy,
    SystemEntropy,
    bernoulli,
    exceeds,
    first_exceeding,
)

LAWS = [(LazyLaplace, stats.laplace), (LazyExponential, stats.expon)]
EVERYTHING = st.floats(allow_nan=True, allow_infinity=True, allow_subnormal=True)


class Exactly:
    """A constant in the place of noise."""

    def __init__(self, value=0.0):
        self._value = arb(value)

    def ball(self, bits):
        return self._value


def share_above(noise, point, trials=10_000):
    return sum(exceeds(0.0, noise(), point, Exactly()) for _ in range(trials))


@pytest.mark.statistical
@pytest.mark.proof("lazy-comparison")
@pytest.mark.parametrize(("noise", "law"), LAWS)
@pytest.mark.parametrize("scale", [1e-6, 3.0, 1e6])
def test_a_noise_exceeds_a_point_with_its_tail_probability(noise, law, scale):
    tail = law.sf(0.7)
    assert_share(share_above(lambda: noise(scale, SystemEntropy()), 0.7 * scale), 10_000, tail)
    with pytest.raises(AssertionError):
        assert_share(share_above(lambda: noise(0.7 * scale, SystemEntropy()), 0.7 * scale), 10_000, tail)


@pytest.mark.proof("lazy-comparison")
def test_bits_are_drawn_until_two_reals_separate():
    """Noises that share 192 bits differ in the next word, and the comparison is decided there."""
    shared = [2**63 + 12345] * 3
    low = LazyExponential(1.0, ReplayedEntropy(shared[:1], [*shared[1:], 7]))
    high = LazyExponential(1.0, ReplayedEntropy(shared[:1], [*shared[1:], 9]))
    assert exceeds(0.0, low, 0.0, high)  # fewer bits of U, more of -log U
    assert not exceeds(0.0, high, 0.0, low)


@pytest.mark.proof("lazy-comparison")
def test_values_are_compared_as_exact_rationals():
    third = Fraction(1, 3)
    assert exceeds(third, Exactly(), float(third), Exactly())
    assert not exceeds(float(third), Exactly(), third, Exactly())


def one_by_one(values, single, words, other, other_noise):
    """The first index that exceeds, by single comparisons of the same words."""
    for index, (value, word) in enumerate(zip(values, words, strict=True)):
        if exceeds(value, single(2.0, ReplayedEntropy([word])), other, other_noise):
            return index
    return None


@pytest.mark.proof("lazy-comparison")
@pytest.mark.parametrize(("many", "single"), [(LazyExponentials, LazyExponential), (LazyLaplaces, LazyLaplace)])
def test_the_first_that_exceeds_is_the_one_found_by_single_comparisons(many, single):
    rng, found = np.random.default_rng(), []
    for slack in [0.0, 1e-3, 1.0, 1e9] * 25:
        values = rng.normal(size=12) - 4
        words = [0, 1, 2**63, 2**64 - 1, *SystemEntropy().words(8).tolist()]
        rng.shuffle(words)
        other_noise = LazyExponential(2.0, SystemEntropy())
        asked = []
        first = first_exceeding(
            values + slack,
            lambda index: asked.append(index) or values[index],  # noqa: B023
            many(12, 2.0, ReplayedEntropy(words)),
            0.5,
            other_noise,
        )
        assert first == one_by_one(values, single, words, 0.5, other_noise)
        assert asked == sorted(asked)
        found.append((slack, len(asked)))
    assert sum(count for slack, count in found if slack == 0) < sum(count for slack, count in found if slack == 1e9)


@pytest.mark.proof("lazy-comparison")
def test_bounds_that_are_too_low_are_noticed():
    """The check above would fail if `bounds` did not bound."""
    values, words = np.full(50, 5.0), SystemEntropy().words(50).tolist()
    noises = LazyExponentials(50, 2.0, ReplayedEntropy(words))
    first = first_exceeding(values - 1e3, values.__getitem__, noises, 0.5, Exactly())
    assert first != one_by_one(values, LazyExponential, words, 0.5, Exactly())


@given(values=st.lists(EVERYTHING, min_size=1, max_size=5), other=EVERYTHING)
@settings(max_examples=100, deadline=None)
def test_no_values_raise_when_many_are_compared(values, other):
    table = np.array(values)
    noises = LazyLaplaces(len(values), 1.0, SystemEntropy())
    first = first_exceeding(table, table.__getitem__, noises, other, LazyLaplace(1.0, SystemEntropy()))
    assert first is None or 0 <= first < len(values)


@given(value=EVERYTHING, other=EVERYTHING)
@settings(max_examples=200, deadline=None)
def test_no_value_raises_or_changes_the_number_of_words(value, other):
    recorded = RecordedEntropy(SystemEntropy())
    noises = LazyLaplace(1.0, recorded), LazyLaplace(2.0, recorded)
    assert exceeds(value, noises[0], other, noises[1]) in (True, False)
    assert recorded.count == 2


@pytest.mark.parametrize("law", [LazyLaplace, LazyExponential])
@pytest.mark.parametrize("scale", [0.0, -1, math.nan, math.inf])
def test_bad_scales_raise(law, scale):
    with pytest.raises(ParameterError):
        law(scale, SystemEntropy())


QUERIES = [0.0, 0.5, -0.5, 1.0]
THRESHOLD, THRESHOLD_SCALE, QUERY_SCALE = 0.5, 2.0, 2.0


def stopping_probabilities():
    """P(stop at j), by integrating over the noise of the threshold."""
    threshold, query = stats.laplace(scale=THRESHOLD_SCALE), stats.laplace(scale=QUERY_SCALE)

    def stop_at(place, index):
        below = np.prod([query.cdf(THRESHOLD + place - q) for q in QUERIES[:index]])
        above = query.sf(THRESHOLD + place - QUERIES[index]) if index < len(QUERIES) else 1.0
        return threshold.pdf(place) * below * above

    cuts = [-60.0, -2.0, 0.0, 2.0, 60.0]
    return [
        sum(integrate.quad(stop_at, a, b, args=(index,))[0] for a, b in pairwise(cuts))
        for index in range(len(QUERIES) + 1)
    ]


def stopping_counts(threshold_noise, query_scale=QUERY_SCALE, trials=4_000):
    entropy = SystemEntropy()
    stops = [above_threshold(QUERIES, THRESHOLD, threshold_noise(entropy), query_scale, entropy) for _ in range(trials)]
    return np.bincount(stops, minlength=len(QUERIES) + 1)


@pytest.mark.statistical
@pytest.mark.proof("lazy-comparison")
def test_above_threshold_stops_with_the_exact_probabilities():
    expected = stopping_probabilities()
    assert math.isclose(sum(expected), 1.0, rel_tol=1e-6)
    assert_counts(stopping_counts(lambda entropy: LazyLaplace(THRESHOLD_SCALE, entropy)), expected)
    with pytest.raises(AssertionError):
        assert_counts(stopping_counts(lambda entropy: Exactly()), expected)
    with pytest.raises(AssertionError):
        assert_counts(stopping_counts(lambda entropy: LazyLaplace(THRESHOLD_SCALE, entropy), 1.0), expected)


EPSILON_THRESHOLD, EPSILON_QUERIES, AUDIT_QUERIES, AUDIT_THRESHOLD = 0.1, 0.5, 16, 2.0


def silent_runs(shift, threshold_noise, trials):
    """Runs of AboveThreshold on 16 queries of value `shift` in which no query is above."""
    entropy, queries, scale = SystemEntropy(), [shift] * AUDIT_QUERIES, 2 / EPSILON_QUERIES
    return sum(
        above_threshold(queries, AUDIT_THRESHOLD, threshold_noise(entropy), scale, entropy) == AUDIT_QUERIES
        for _ in range(trials)
    )


@pytest.mark.statistical
@pytest.mark.proof("lazy-comparison")
def test_audit_of_above_threshold_passes():
    trials, epsilon = 4_000, EPSILON_THRESHOLD + EPSILON_QUERIES
    runs = [
        silent_runs(shift, lambda entropy: LazyLaplace(1 / EPSILON_THRESHOLD, entropy), trials) for shift in (0.0, 1.0)
    ]
    assert_privacy_not_refuted(*runs, trials, epsilon)


@pytest.mark.slow
@pytest.mark.statistical
@pytest.mark.proof("lazy-comparison")
def test_audit_refutes_a_threshold_without_noise():
    trials, epsilon = 150_000, EPSILON_THRESHOLD + EPSILON_QUERIES
    runs = [silent_runs(shift, lambda entropy: Exactly(), trials) for shift in (0.0, 1.0)]
    with pytest.raises(AssertionError):
        assert_privacy_not_refuted(*runs, trials, epsilon)


@pytest.mark.statistical
@pytest.mark.proof("lazy-comparison")
@pytest.mark.parametrize("probability", [Fraction(1, 3), Fraction(1, 2), Fraction(9999, 10_000), Fraction(1, 10**6)])
def test_coins_have_their_probability(probability):
    heads = bernoulli(probability, 200_000, SystemEntropy()).sum()
    assert_share(heads, 200_000, float(probability))
    with pytest.raises(AssertionError):
        assert_share(heads, 200_000, float(probability) * 0.9 if probability > Fraction(1, 100) else 1e-3)


@pytest.mark.proof("lazy-comparison")
def test_coins_are_settled_by_further_words_when_the_first_is_equal():
    third = Fraction(1, 3)
    leading = int(third * 2**64)
    for further, heads in (([0], True), ([leading - 1], True), ([leading + 1], False), ([leading, 0], True)):
        recorded = RecordedEntropy(ReplayedEntropy([leading], further))
        assert bernoulli(third, 1, recorded).tolist() == [heads]
        assert recorded.count == 1
    assert bernoulli(Fraction(1, 2), 2, ReplayedEntropy([2**63 - 1, 2**63])).tolist() == [True, False]


def test_certain_coins():
    assert bernoulli(Fraction(1), 3, SystemEntropy()).all()
    assert not bernoulli(Fraction(0), 3, ReplayedEntropy([0, 1, 2**64 - 1])).any()
    with pytest.raises(ParameterError):
        bernoulli(Fraction(3, 2), 3, SystemEntropy())
