"""Private selection: exact probabilities, a shortlist that never loses the winner."""

import math
from itertools import permutations

import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from noise_support import assert_counts
from tacit.errors import ParameterError
from tacit.noise import RecordedEntropy, ReplayedEntropy, SystemEntropy, exponential_mechanism, permute_and_flip
from tacit.noise.balls import precision
from tacit.noise.selection import _lower_noise, _upper_noise, everyone

MECHANISMS = [exponential_mechanism, permute_and_flip]
SCORES = np.array([0.0, 0.3, 1.0, 1.7, -0.4])
SCALE = 0.8
EVERYTHING = st.floats(allow_nan=True, allow_infinity=True, allow_subnormal=True)
each = pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda m: m.__name__)


def softmax(scores, scale):
    weights = np.exp((scores - scores.max()) / scale)
    return weights / weights.sum()


def flip_probabilities(scores, scale):
    """Permute-and-flip by its definition: walk a random order, stop with probability exp((s - max)/scale)."""
    accept = np.exp((scores - scores.max()) / scale)
    result = np.zeros(scores.size)
    for order in permutations(range(scores.size)):
        reach = 1.0
        for index in order:
            result[index] += reach * accept[index]
            reach *= 1 - accept[index]
    return result / math.factorial(scores.size)


def counts_of(mechanism, scale, trials=4_000):
    winners = [mechanism(SCORES, scale, SystemEntropy()) for _ in range(trials)]
    return np.bincount(winners, minlength=SCORES.size)


@pytest.mark.statistical
@pytest.mark.proof("noisy-argmax")
@pytest.mark.parametrize(
    ("mechanism", "probabilities"), [(exponential_mechanism, softmax), (permute_and_flip, flip_probabilities)]
)
def test_probabilities_are_exact_and_too_little_noise_is_noticed(mechanism, probabilities):
    expected = probabilities(SCORES, SCALE)
    assert_counts(counts_of(mechanism, SCALE), expected)
    with pytest.raises(AssertionError):
        assert_counts(counts_of(mechanism, 0.7 * SCALE), expected)


def assert_same_winner(mechanism, scores, scale, shortlist):
    recorded = RecordedEntropy(SystemEntropy())
    winner = mechanism(scores, scale, recorded)
    assert mechanism(scores, scale, recorded.replay(), shortlist=shortlist) == winner


@pytest.mark.proof("noisy-argmax")
@each
@pytest.mark.parametrize("spread", [0.0, 1e-12, 1.0, 30.0])
def test_shortlist_keeps_the_winner(mechanism, spread):
    for size in (1, 2, 3, 10, 300):
        for _ in range(10):
            scores = np.sort(np.random.default_rng().random(size)) * spread
            assert_same_winner(mechanism, scores, 0.5, everyone)


@pytest.mark.proof("noisy-argmax")
@each
def test_winner_among_several_blocks(mechanism):
    assert_same_winner(mechanism, np.sin(np.arange(20_000.0)), 3.0, everyone)


@each
def test_a_shortlist_without_the_winner_is_noticed(mechanism):
    def unlucky(scores, scale, words):
        return np.arange(scores.size // 2)

    def forty_times():
        for _ in range(40):
            assert_same_winner(mechanism, np.zeros(200), 1.0, unlucky)

    with pytest.raises(AssertionError):
        forty_times()


@pytest.mark.proof("noisy-argmax")
@given(word=st.integers(1, 2**64 - 2))
@settings(max_examples=300)
def test_cheap_bounds_hold_at_both_ends_of_the_cell(word):
    upper = float(_upper_noise(np.array([word], dtype=np.uint64))[0])
    lower = _lower_noise(word)
    with precision(256):
        for end in (word, word + 1):
            uniform = arb((end, -64))
            exponential, gumbel = -(uniform.log()), -((-((-uniform).log1p())).log())
            assert exponential < arb(upper)
            assert gumbel < arb(upper)
            assert lower == -math.inf or (arb(lower) < exponential and arb(lower) < gumbel)


@each
def test_the_word_zero_is_never_dismissed(mechanism):
    """Its noise is unbounded: further words decide, here by making it beat a lead of 50 scales."""
    recorded = RecordedEntropy(ReplayedEntropy([0, 2**63], [0, 0, 1] * 8))
    assert mechanism([0.0, 50.0], 1.0, recorded) == 0
    assert recorded.refinements > 0


@each
def test_the_word_zero_beside_hopeless_scores_is_handled(mechanism):
    assert mechanism([-math.inf, math.inf, 0.0], 2.0**-900, ReplayedEntropy([0, 2**63, 0])) == 1


@each
@given(scores=st.lists(EVERYTHING, min_size=1, max_size=30), exponent=st.integers(-900, 900))
@settings(max_examples=150, deadline=None)
def test_no_score_raises_or_changes_the_number_of_words(mechanism, scores, exponent):
    recorded = RecordedEntropy(SystemEntropy())
    assert 0 <= mechanism(scores, math.ldexp(1.0, exponent), recorded) < len(scores)
    assert recorded.count == len(scores)


@each
def test_undefined_scores_lose(mechanism):
    for lowest in (math.nan, -math.inf):
        assert mechanism([lowest, 0.0, lowest], 1.0, SystemEntropy()) == 1


@each
@pytest.mark.parametrize(("scores", "scale"), [([], 1.0), ([[1.0]], 1.0), ([1.0], 0.0), ([1.0], math.nan)])
def test_bad_parameters_raise_before_entropy_is_drawn(mechanism, scores, scale):
    recorded = RecordedEntropy(SystemEntropy())
    with pytest.raises(ParameterError):
        mechanism(scores, scale, recorded)
    assert recorded.count == 0
