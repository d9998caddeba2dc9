"""The binary64 kernels against balls: every observed error stays far below the claimed bound."""

from collections.abc import Callable

import numpy as np
import pytest
from flint import arb, ctx

from tacit.noise import Balls, ReplayedEntropy, SystemEntropy, gaussian, kernel
from tacit.noise.entropy import Words

TRUE_UNIT = 2.0**-53
EDGES = [1, 2, 3, 2**20, 2**40, 2**52, 2**53 - 1, 2**53 + 1, 2**62, 2**63 - 1, 2**63, 3 * 2**62 - 1, 3 * 2**62]
OCTANT_ENDS = [place for octant in range(1, 8) for place in (octant * 2**61 - 1, octant * 2**61)]
SQRT_HALF = [6521908912666391106 + step for step in (-1025, -1, 0, 1, 1025)]
TOP = [2**64 - 1, 2**64 - 2, 2**64 - 1024, 2**64 - 1025, 2**64 - 2**20]


@pytest.fixture(autouse=True)
def many_bits():
    before = ctx.prec
    ctx.prec = 220
    yield
    ctx.prec = before


def sample_words(count: int) -> Words:
    """Edges of every case distinction, uniform words, and words of every magnitude near 0 and near 1."""
    entropy = SystemEntropy()
    shifts = np.repeat(np.arange(64, dtype=np.uint64), count // 256)
    small = entropy.words(shifts.size) >> shifts
    edges = np.array(EDGES + OCTANT_ENDS + SQRT_HALF + TOP, dtype=np.uint64)
    return np.concatenate([edges, entropy.words(count), small[small > 0], ~small])


def worst_exponential_error(exponential: Callable[[Words, int], kernel.Enclosure]) -> float:
    """Largest error in units of 2^-53 (1 + L), where 64 is claimed; the cell of the word is left out."""
    words = sample_words(4000)
    centre, _ = exponential(words, 64)
    exact = [-(arb((2 * int(word) + 1, -65)).log()) for word in words]
    return max(abs(float(arb(float(c)) - e)) / (TRUE_UNIT * (1 + float(e))) for c, e in zip(centre, exact, strict=True))


def worst_turn_error(cosine_sine: Callable[[Words], tuple]) -> float:
    """Largest error of cos and sin in units of 2^-53, where 64 is claimed."""
    words = sample_words(4000)
    cosine, sine = cosine_sine(words)
    worst = 0.0
    for word, c, s in zip(words, cosine, sine, strict=True):
        exact_sine, exact_cosine = arb((2 * int(word) + 1, -64)).sin_cos_pi()
        worst = max(worst, abs(float(arb(float(c)) - exact_cosine)), abs(float(arb(float(s)) - exact_sine)))
    return worst / TRUE_UNIT


@pytest.mark.proof("binary64-enclosures")
def test_logarithm_keeps_the_derived_bound():
    # Derived: 3.9 + L units; eight times less than the 64 (1 + L) that is claimed.
    assert worst_exponential_error(kernel.exponential) <= 4.0


@pytest.mark.proof("binary64-enclosures")
def test_turns_keep_the_derived_bound():
    assert worst_turn_error(kernel.cosine_sine) <= 5.2


@pytest.mark.proof("binary64-enclosures")
def test_a_shorter_series_breaks_the_bound(monkeypatch):
    monkeypatch.setattr(kernel, "_ATANH", kernel._ATANH[:8])
    monkeypatch.setattr(kernel, "_SINE", kernel._SINE[:6])
    assert worst_exponential_error(kernel.exponential) > 64
    assert worst_turn_error(kernel.cosine_sine) > 64


@pytest.mark.proof("binary64-enclosures")
@pytest.mark.parametrize("bits", [63, 64])
def test_bound_covers_both_ends_of_every_cell(bits):
    words = sample_words(1000)
    words = words[words < np.uint64(2**63)] if bits == 63 else words
    centre, bound = kernel.exponential(words, bits)
    for word, c, b in zip(words, centre, bound, strict=True):
        for end in (int(word), int(word) + 1):
            assert abs(arb(float(c)) + arb((end, -bits)).log()) < arb(float(b))


@pytest.mark.proof("binary64-enclosures")
def test_bound_covers_normals_of_every_continuation():
    words = sample_words(1000)
    turns = SystemEntropy().words(words.size)
    centre, bound = kernel.normal_pairs(words, turns)
    for place, (word, turn) in enumerate(zip(words, turns, strict=True)):
        radius = (-2 * arb((2 * int(word) + 1, -65), (1, -65)).log()).nonnegative_part().sqrt()
        sine, cosine = arb((2 * int(turn) + 1, -64), (1, -64)).sin_cos_pi()
        for half, exact in ((0, radius * cosine), (1, radius * sine)):
            enclosed = arb(float(centre[2 * place + half]), float(bound[2 * place + half]))
            assert enclosed.contains(exact)


def test_the_word_zero_has_an_infinite_bound():
    zero = np.zeros(1, dtype=np.uint64)
    assert kernel.exponential(zero, 64).bound[0] == np.inf
    assert not np.any(kernel.normal_pairs(zero, zero).bound < np.inf)


@pytest.mark.proof("binary64-enclosures")
def test_scaling_encloses():
    words = SystemEntropy().words(2000)
    unit = kernel.exponential(words, 64)
    factor, factor_bound = 1e-7 / 3, 1e-20
    scaled = kernel.scaled(unit, factor, factor_bound)
    for word, c, b in zip(words, scaled.centre, scaled.bound, strict=True):
        energy = -(arb((2 * int(word) + 1, -65), (1, -65)).log())
        assert arb(float(c), float(b)).contains(energy * arb(factor, factor_bound))


def worst_logarithm_error(logarithm: Callable[[kernel.Floats], kernel.Floats]) -> float:
    """Largest error in units of 2^-53 (1 + |L|), where 64 is claimed."""
    rng = np.random.default_rng()
    numbers = np.concatenate([rng.random(4000), 2.0 ** rng.uniform(-100, 1, 4000), [2.0**-100, 0.5**0.5, 1.0, 2.0]])
    found = logarithm(numbers)
    errors = [
        abs(arb(float(c)) + arb(float(x)).log()) / (1 + abs(float(c))) for x, c in zip(numbers, found, strict=True)
    ]
    return float(max(errors, key=float)) / TRUE_UNIT


@pytest.mark.proof("binary64-enclosures")
def test_logarithms_of_floats_keep_the_derived_bound(monkeypatch):
    assert worst_logarithm_error(kernel.minus_logarithm) <= 4
    monkeypatch.setattr(kernel, "_ATANH", kernel._ATANH[:8])
    assert worst_logarithm_error(kernel.minus_logarithm) > 64


def disagreements(last: int) -> int:
    """How often the fast evaluator and balls round a value near an edge of the grid apart, for the last words."""
    grid, apart = 2.0**-20, 0
    for step in range(last):
        words = [2**64 - 1 - step, (2 * step + 1) * 2**54]
        value = np.array([(step + 0.5) * grid + (-1) ** step * 1e-3 * grid])
        fast, exact = (gaussian(value, 1.0, ReplayedEntropy(words), evaluator=e) for e in (None, Balls()))
        apart += int(fast[0] != exact[0])
    return apart


@pytest.mark.proof("binary64-enclosures")
def test_words_next_to_one_are_left_to_balls(monkeypatch):
    assert disagreements(64) == 0
    zero = kernel.Enclosure(np.array([-0.0]), np.array([2.0**-47]))
    monkeypatch.setattr(kernel, "exponential", lambda words, bits: zero)
    word = np.array([2**64 - 1], dtype=np.uint64)
    assert np.all(kernel.normal_pairs(word, word).bound == np.inf)
