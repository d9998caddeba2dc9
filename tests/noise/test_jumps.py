"""Jumps of a ladder: their times have the law of a coin a step, and enclosures hold what balls say."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noise_support import assert_share
from tacit.noise import RecordedEntropy, ReplayedEntropy, SystemEntropy, balls
from tacit.noise.balls import BitString
from tacit.noise.entropy import Words
from tacit.noise.jump_times import Jumps, _exact_next_level, _next_levels, draw_jumps
from tacit.noise.laplace_jumps import LaplaceJumps
from tacit.noise.laws import FixedSpread
from tacit.noise.normal_steps import FixedSpreads, NormalSteps
from tacit.noise.radial_jumps import RadialJumps
from tacit.noise.scales import Scales

PARTS = 40_000
COARSE = [20.0, 19.0, 18.5, 10.0, 3.0, 2.9, 1.0]
FINE = (100 * 0.97 ** np.arange(150)).tolist()


def jump_table(jumps: Jumps, parts: int, levels: int) -> np.ndarray:
    """Which part jumps at which level; no part may do so twice."""
    table = np.zeros((parts, levels), dtype=int)
    np.add.at(table, (jumps.part, jumps.level), 1)
    assert table.max() == 1
    return table.astype(bool)


def check_times(table: np.ndarray, scales: list[float]) -> None:
    """Every part jumps at the last level; every other step has its own coin, independent of the step before."""
    assert table[:, -1].all()
    for level in range(len(scales) - 1):
        chance = 1 - (scales[level + 1] / scales[level]) ** 2
        assert_share(int(table[:, level].sum()), len(table), chance)
        if level + 2 < len(scales):
            for before in (True, False):
                chosen = table[table[:, level + 1] == before]
                assert_share(int(chosen[:, level].sum()), len(chosen), chance)


@pytest.mark.statistical
@pytest.mark.proof("jump-times")
@pytest.mark.parametrize("scales", [COARSE, FINE[:30], [2.0, 1.0]], ids=["coarse", "fine", "two"])
def test_jump_times_have_the_law_of_a_coin_a_step(scales):
    check_times(jump_table(draw_jumps(PARTS, Scales(scales), SystemEntropy()), PARTS, len(scales)), scales)


@pytest.mark.statistical
@pytest.mark.proof("jump-times")
def test_the_check_refuses_jumps_without_the_square_and_jumps_that_come_together():
    rng = np.random.default_rng()
    ratios = np.array(COARSE[1:]) / np.array(COARSE[:-1])
    last = np.ones((PARTS, 1), dtype=bool)
    check_times(np.hstack([rng.random((PARTS, len(ratios))) >= ratios**2, last]), COARSE)
    with pytest.raises(AssertionError):
        check_times(np.hstack([rng.random((PARTS, len(ratios))) >= ratios, last]), COARSE)
    with pytest.raises(AssertionError):
        check_times(np.hstack([rng.random((PARTS, 1)) >= ratios**2, last]), COARSE)


def edge_words(scales: Scales, level: int) -> Words:
    """Words next to the places where the next jump changes its level, and the ends of the range."""
    found = {0, 1, 2**64 - 1}
    for other in range(level):
        edge = int((scales.exact(level) / scales.exact(other)) ** 2 * 2**64)
        found |= {min(max(edge + step, 0), 2**64 - 1) for step in (-(2**20), -1025, -2, -1, 0, 1, 2, 1025, 2**20)}
    return np.array(sorted(found), dtype=np.uint64)


@pytest.mark.proof("jump-times")
@pytest.mark.parametrize("scales", [COARSE, FINE, [Fraction(1, 3), Fraction(1, 4), Fraction(1, 5)]])
def test_levels_next_to_an_edge_are_those_of_rational_arithmetic(scales):
    exact = Scales(scales)
    level = len(scales) - 1
    edges = [(exact.exact(level) / exact.exact(t)) ** 2 * 2**64 for t in range(level)]
    settled = [word for word in edge_words(exact, level) if not any(int(word) < edge < int(word) + 1 for edge in edges)]
    recorded = RecordedEntropy(SystemEntropy())
    found = _next_levels(np.array(settled), np.full(len(settled), level), exact, recorded)
    for word, one in zip(settled, found, strict=True):
        assert one == _exact_next_level(BitString(int(word), 64, SystemEntropy()), level, exact)
    assert recorded.refinements == 0


@pytest.mark.proof("jump-times")
def test_a_word_whose_cell_holds_an_edge_is_settled_by_the_next_word():
    scales = Scales([Fraction(3), Fraction(1)])
    edge = 2**64 // 9  # the level is reached iff U >= 1/9, and 1/9 lies inside this cell
    rest = (Fraction(1, 9) * 2**64 - edge) * 2**64
    for more, jumps in ((int(rest) - 1, False), (int(rest) + 1, True)):
        words = np.array([edge], dtype=np.uint64)
        found = _next_levels(words, np.array([1]), scales, ReplayedEntropy([], [more]))
        assert found[0] == (0 if jumps else -1)


@given(parts=st.integers(1, 30), levels=st.integers(1, 60), ratio=st.floats(0.01, 0.999))
@settings(max_examples=60, deadline=None)
def test_the_number_of_words_is_public(parts, levels, ratio):
    counts = set()
    for _ in range(3):
        recorded = RecordedEntropy(SystemEntropy())
        draw_jumps(parts, Scales([1e3 * ratio**t for t in range(levels)]), recorded)
        counts.add(recorded.count)
    assert len(counts) == 1


def holds(centre: float, bound: float, ball: balls.Ball) -> bool:
    return bool(abs(ball - balls.exact_float(float(centre))) < balls.exact_float(float(bound)) + 2.0**-900)


def check_spreads(spreads: RadialJumps, levels: int, bound: float = 1.0) -> None:
    enclosure = spreads.enclosure()
    with balls.precision(256):
        for level in range(levels):
            assert holds(enclosure.centre[level], bound * enclosure.bound[level], spreads.ball(level, 256))


@pytest.mark.proof("binary64-enclosures")
@pytest.mark.parametrize("halves", [1, 2, 3, 20, 21])
def test_spreads_lie_in_their_enclosures_and_the_enclosures_are_not_idle(halves):
    for _ in range(4):
        check_spreads(RadialJumps(halves, Scales(FINE), SystemEntropy()), len(FINE))
    with pytest.raises(AssertionError):
        check_spreads(RadialJumps(halves, Scales(FINE), SystemEntropy()), len(FINE), bound=2.0**-30)


def every_noise(size: int) -> list:
    scales, entropy = Scales(FINE), SystemEntropy()
    steps = FixedSpreads([FixedSpread(Fraction(scale)) for scale in FINE])
    return [
        LaplaceJumps(size, scales, entropy),
        NormalSteps(size, len(FINE), RadialJumps(size + 1, scales, entropy), entropy),
        NormalSteps(size, len(FINE), steps, entropy),
    ]


def check_sums(noise, size: int, bound: float = 1.0) -> None:
    enclosure = noise.enclosure(slice(10, 140))
    with balls.precision(256):
        for level in (10, 37, 80, 139):
            for index in range(size):
                centre, radius = enclosure.centre[level - 10, index], enclosure.bound[level - 10, index]
                assert holds(centre, bound * radius, noise.ball(level, index, 256))


@pytest.mark.proof("binary64-enclosures")
@pytest.mark.parametrize("kind", range(3), ids=["Laplace", "spherical", "Brownian"])
def test_levels_lie_in_their_enclosures_and_the_enclosures_are_not_idle(kind):
    check_sums(every_noise(5)[kind], 5)
    with pytest.raises(AssertionError):
        check_sums(every_noise(5)[kind], 5, bound=2.0**-30)


@pytest.mark.parametrize("scales", [COARSE, FINE])
def test_floats_and_fractions_make_the_same_scales(scales):
    floats, fractions = Scales(scales), Scales([Fraction(scale) for scale in scales])
    assert np.array_equal(floats.floats, fractions.floats)
    assert np.array_equal(floats.binary_exponents, fractions.binary_exponents)
    np.testing.assert_allclose(floats.jump_chances, fractions.jump_chances, rtol=8 * 2.0**-53, atol=0)
    np.testing.assert_allclose(floats.kept_shares, fractions.kept_shares, rtol=8 * 2.0**-53, atol=0)
