"""InteractiveAboveThreshold: what halting tells about a row, exactly and from outside."""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.stats import expon, laplace

from tacit.audit import Batches, lower_bound
from tacit.errors import ParameterError
from tacit.mechanisms import InteractiveAboveThreshold, OneSidedNoise, TwoSidedNoise
from tacit.noise import LazyExponential, ReplayedEntropy, SystemEntropy

EPSILON = 1.0


def largest_loss(family, threshold_scale, query_scale):
    """The largest |log P_D(halt at m + 1)/P_D'(halt at m + 1)| over offsets and directions, Δ = 1, by quadrature.

    The first m queries lie `before` below the threshold and the last one `last`, both on a grid of step Δ.
    """
    noise, law, offsets = family(scale=threshold_scale), family(scale=query_scale), np.arange(-14.0, 15.0)
    low = max(-60 * threshold_scale, noise.support()[0])
    edges = np.linspace(low, 60 * threshold_scale, 12_001)
    w = (edges[1:] + edges[:-1]) / 2
    weights = noise.pdf(w)
    below, above = law.cdf(w[:, None] + offsets), law.sf(w[:, None] + offsets)
    largest = 0.0
    for count in (0, 1, 20, 400):
        halting = np.log(np.maximum((weights[:, None] * below**count).T @ above, 1e-280))
        valid = halting > np.log(1e-200)
        for turn in (-1, 1):
            for last_turn in (-1, 1):
                moved = np.roll(halting, (turn, last_turn), (0, 1))
                change = np.where(valid, np.abs(halting - moved), 0.0)[1:-1, 1:-1]
                largest = max(largest, float(change.max()))
    return largest


def check_privacy(family, threshold_scale, query_scale):
    assert largest_loss(family, threshold_scale, query_scale) <= EPSILON * 1.01


CASES = [(expon, OneSidedNoise(1.0, EPSILON)), (laplace, TwoSidedNoise(1.0, EPSILON, 0.5))]


@pytest.mark.proof("interactive-above-threshold")
@pytest.mark.parametrize(("family", "noise"), CASES, ids=["one-sided", "two-sided"])
def test_the_loss_of_halting_stays_below_epsilon_and_comes_near(family, noise):
    check_privacy(family, noise.threshold_scale, noise.query_scale)
    assert largest_loss(family, noise.threshold_scale, noise.query_scale) > 0.8 * EPSILON


@pytest.mark.proof("interactive-above-threshold")
@pytest.mark.parametrize(("family", "noise"), CASES, ids=["one-sided", "two-sided"])
def test_too_little_noise_fails_the_check(family, noise):
    with pytest.raises(AssertionError):
        check_privacy(family, noise.threshold_scale, noise.query_scale / 2)
    with pytest.raises(AssertionError):
        check_privacy(family, noise.threshold_scale / 1000, noise.query_scale)


def test_published_scales():
    noise = TwoSidedNoise(0.5, 2.0, 0.5)
    assert noise.threshold_scale == pytest.approx(2 * 0.5 / 2.0)
    assert noise.query_scale == pytest.approx(4 * 0.5 / 2.0)


@dataclass(frozen=True)
class QuietThreshold(OneSidedNoise):
    """Mutant: the threshold is compared without noise."""

    def draw(self, scale, entropy):
        return LazyExponential(1e-9 if scale == self.threshold_scale else scale, entropy)


def halting_index(noise, value, last, threshold=2.0, count=12):
    test = InteractiveAboveThreshold(noise, threshold, SystemEntropy())
    for index in range(count):
        if test.above(last if index == count - 1 else value):
            return index
    return count


def measured(noise, pair, runs=1500):
    def sample(values, size):
        return [[halting_index(noise, *values)] for _ in range(size)]

    return lower_bound(Batches(sample), pair, runs=runs, confidence=1 - 1e-9)


PAIRS = [((1.0, 1.0), (2.0, 2.0)), ((0.0, 0.0), (1.0, -1.0)), ((-20.0, -2.0), (-20.0, -1.0))]


@pytest.mark.statistical
@pytest.mark.proof("interactive-above-threshold")
@pytest.mark.parametrize("pair", PAIRS)
def test_an_audit_of_the_running_test_finds_no_more_than_epsilon(pair):
    assert measured(OneSidedNoise(1.0, EPSILON), pair) <= EPSILON


@pytest.mark.statistical
@pytest.mark.proof("interactive-above-threshold")
def test_an_audit_refutes_a_threshold_without_noise():
    assert measured(QuietThreshold(1.0, EPSILON), ((1.0, 1.0), (2.0, 2.0))) > EPSILON


def test_a_halted_test_answers_no_more():
    test = InteractiveAboveThreshold(OneSidedNoise(1e-6, 1.0), 0.0, SystemEntropy())
    assert test.above(1.0)
    assert test.halted
    assert test.charge.epsilon == 1.0
    with pytest.raises(ParameterError, match="halted"):
        test.above(1.0)


@pytest.mark.parametrize(
    "arguments", [(0.0, 1.0), (float("inf"), 1.0), (1.0, 0.0), (1.0, 1.0, 0.0), (1.0, 1.0, 1.0), (1.0, float("nan"))]
)
def test_noise_without_meaning_is_refused(arguments):
    with pytest.raises(ParameterError):
        OneSidedNoise(*arguments)


def test_a_threshold_must_be_finite():
    with pytest.raises(ParameterError, match="threshold"):
        InteractiveAboveThreshold(OneSidedNoise(1.0, 1.0), float("nan"), SystemEntropy())


@pytest.mark.proof("lazy-comparison")
@pytest.mark.parametrize("noise", [OneSidedNoise(0.01, EPSILON), TwoSidedNoise(0.01, EPSILON, 0.5)])
def test_asking_for_the_first_above_is_asking_one_by_one(noise):
    rng = np.random.default_rng()
    for _ in range(200):
        values, words = -0.3 * rng.random(9), SystemEntropy().words(10)
        together = InteractiveAboveThreshold(noise, -0.1, ReplayedEntropy(words))
        apart = InteractiveAboveThreshold(noise, -0.1, ReplayedEntropy(words))
        found = together.first_above(values + 0.05 * rng.random(9), values.__getitem__)
        expected = next((place for place, value in enumerate(values) if apart.above(value)), None)
        assert found == expected
        assert together.halted is (found is not None)


def test_a_halted_test_does_not_look_for_another_first():
    test = InteractiveAboveThreshold(OneSidedNoise(1.0, EPSILON), -1e6, SystemEntropy())
    assert test.first_above(np.zeros(2), lambda _: 0.0) == 0
    with pytest.raises(ParameterError, match="halted"):
        test.first_above(np.zeros(2), lambda _: 0.0)
