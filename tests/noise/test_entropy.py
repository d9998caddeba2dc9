"""Sources of words: two channels, honest labels, faithful replays."""

import numpy as np
import pytest

from noise_support import assert_counts
from tacit.noise import RecordedEntropy, ReplayedEntropy, SeededEntropy, SystemEntropy, laplace


@pytest.mark.statistical
def test_system_words_have_uniform_bytes_in_both_channels():
    entropy = SystemEntropy()
    first = entropy.words(50_000).view(np.uint8)
    refinement = np.array([entropy.more() for _ in range(5_000)], dtype=np.uint64).view(np.uint8)
    for sample in (first, refinement):
        assert_counts(np.bincount(sample, minlength=256), np.ones(256))


def test_only_the_system_is_private():
    assert SystemEntropy().private
    for entropy in (SeededEntropy(1), RecordedEntropy(SystemEntropy()), ReplayedEntropy([1])):
        assert not entropy.private
        assert "NOT PRIVATE" in entropy.source


def test_the_system_source_has_no_state_to_copy_or_to_seed():
    assert not vars(SystemEntropy())
    drawn = set()
    for _ in range(2):
        np.random.seed(0)
        drawn.add(laplace(np.zeros(4), 1.0, SystemEntropy()).tobytes())
    assert len(drawn) == 2


def test_refinement_does_not_shift_the_first_pass():
    calm, disturbed = SeededEntropy(7), SeededEntropy(7)
    disturbed.more()
    np.testing.assert_array_equal(calm.words(5), disturbed.words(5))


def test_recorded_words_replay_in_order_and_then_continue():
    recorded = RecordedEntropy(SystemEntropy())
    words = np.concatenate([recorded.words(3), recorded.words(2)])
    further = [recorded.more(), recorded.more()]
    assert (recorded.count, recorded.refinements) == (5, 2)
    replayed = recorded.replay()
    np.testing.assert_array_equal(replayed.words(4), words[:4])
    assert replayed.words(3)[0] == words[4]
    assert [replayed.more(), replayed.more()] == further
    assert 0 <= replayed.more() < 2**64
