"""Noise reduction: the law of every level and of every step, and what a wrong ladder looks like."""

import math
import pickle
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from noise_support import assert_identical, assert_law, assert_same_law, assert_share
from tacit.errors import ParameterError
from tacit.noise import (
    Balls,
    Binary64,
    BrownianLadder,
    LaplaceLadder,
    RecordedEntropy,
    ReplayedEntropy,
    SphericalLadder,
    SystemEntropy,
    grid_exponent,
    spherical_grid_exponent,
)
from tacit.noise.grid import Floats
from tacit.noise.radial_jumps import RadialJumps
from tacit.noise.scales import Scales

LADDERS = [LaplaceLadder, SphericalLadder, BrownianLadder]
EVERYTHING = st.floats(allow_nan=True, allow_infinity=True, allow_subnormal=True)
SCALES = [1e6, 1e3, 900.0, 1.5, 1.0, 1e-3, 2e-6, 1e-6]
COORDINATES = 50_000
SMALL_STEP = 2.0**-18
"""More than the probability that a step which did happen is below three grid units, hence not seen."""
every_ladder = pytest.mark.parametrize("ladder", LADDERS, ids=lambda ladder: ladder.__name__)
generator = np.random.default_rng


def grid(scale: float) -> float:
    return math.ldexp(1.0, grid_exponent(scale))


# ---- Laplace --------------------------------------------------------------------------------------


def laplace_ladder_check(releases: Sequence[Floats], scales: Sequence[float]) -> None:
    """Each level is Laplace; each step keeps a coordinate by its own coin or adds an independent Laplace."""
    for release, scale in zip(releases, scales, strict=True):
        assert_law(release / scale, stats.laplace.cdf)
    for (noisy, calm), (coarse, fine) in zip(pairwise(releases), pairwise(scales), strict=True):
        step = noisy - calm
        moved = np.abs(step) > 2 * grid(coarse)
        kept = (fine / coarse) ** 2
        assert_share(int(np.sum(~moved)), step.size, kept, kept + SMALL_STEP)
        far = np.abs(calm) > fine * math.log(2.0)
        for part in (moved, moved & far):
            if np.sum(part) > 100:
                assert_law(step[part] / coarse, stats.laplace.cdf)
        assert_law(calm[moved] / fine, stats.laplace.cdf)


def numpy_laplace_ladder(
    scales: Sequence[float],
    keep: Callable[[float], float] = lambda ratio: ratio**2,
    jump: Callable[[Floats], Floats] = lambda step: step,
    coins: int = COORDINATES,
) -> list[Floats]:
    """The ladder in floating point, with places to put mistakes."""
    rng = generator()
    level = rng.laplace(0, scales[-1], COORDINATES)
    releases = [level]
    for fine, coarse in pairwise(reversed(scales)):
        moves = rng.random(coins) >= keep(fine / coarse)
        level = level + np.where(moves, jump(rng.laplace(0, coarse, COORDINATES)), 0.0)
        releases.append(level)
    return releases[::-1]


@pytest.mark.statistical
@pytest.mark.proof("laplace-ladder")
def test_laplace_ladder_has_the_law_at_every_level_and_step():
    ladder = LaplaceLadder(np.zeros(COORDINATES), SCALES, SystemEntropy())
    laplace_ladder_check([ladder.release(level) for level in range(len(ladder))], SCALES)


@pytest.mark.statistical
@pytest.mark.proof("laplace-ladder")
def test_the_check_accepts_an_honest_ladder_and_refuses_wrong_ones():
    scales = [2.0, 1.0, 0.25, 1e-3]
    laplace_ladder_check(numpy_laplace_ladder(scales), scales)
    mutants = {
        "dropped square": numpy_laplace_ladder(scales, keep=lambda ratio: ratio),
        "one coin for the vector": numpy_laplace_ladder(scales, coins=1),
        "jumps truncated to integers": numpy_laplace_ladder(scales, jump=np.trunc),
        "a tenth less noise": numpy_laplace_ladder([0.9 * scale for scale in scales]),
        "independent levels": [generator().laplace(0, scale, COORDINATES) for scale in scales],
    }
    for releases in mutants.values():
        with pytest.raises(AssertionError):
            laplace_ladder_check(releases, scales)


# ---- Gaussian -------------------------------------------------------------------------------------

VARIANCES = [1e12, 1e6, 9e5, 2.0, 1.5, 1e-6, 1e-12]


def brownian_ladder_check(releases: Sequence[Floats], variances: Sequence[float]) -> None:
    """Each level is N(0, s_t); each step is N(0, s_t - s_{t+1}), also far from the start."""
    for release, variance in zip(releases, variances, strict=True):
        assert_law(release / math.sqrt(variance), stats.norm.cdf)
    for (noisy, calm), (coarse, fine) in zip(pairwise(releases), pairwise(variances), strict=True):
        step = (noisy - calm) / math.sqrt(coarse - fine)
        assert_law(step, stats.norm.cdf)
        assert_law(step[calm > math.sqrt(fine)], stats.norm.cdf)


def numpy_brownian_ladder(variances: Sequence[float], deviation: Callable[[float], float] = math.sqrt) -> list[Floats]:
    rng = generator()
    steps = [fine - coarse for coarse, fine in pairwise([0.0, *reversed(variances)])]
    return list(np.cumsum([deviation(step) * rng.normal(size=COORDINATES) for step in steps], axis=0))[::-1]


@pytest.mark.statistical
@pytest.mark.proof("brownian-ladder")
def test_brownian_ladder_has_the_law_at_every_level_and_step():
    ladder = BrownianLadder(np.zeros(COORDINATES), VARIANCES, SystemEntropy())
    brownian_ladder_check([ladder.release(level) for level in range(len(ladder))], VARIANCES)


@pytest.mark.statistical
@pytest.mark.proof("brownian-ladder")
def test_the_check_refuses_steps_whose_deviation_is_the_elapsed_time():
    variances = [3.0, 1.0, 0.5]
    brownian_ladder_check(numpy_brownian_ladder(variances), variances)
    for wrong in (lambda step: step, lambda step: 0.9 * math.sqrt(step)):
        with pytest.raises(AssertionError):
            brownian_ladder_check(numpy_brownian_ladder(variances, wrong), variances)


# ---- spherical ------------------------------------------------------------------------------------


def spherical_ladder_check(releases: Floats, scales: Sequence[float]) -> None:
    """releases[i, t] is level t of ladder i: radius laws, share of unchanged vectors, independent steps."""
    size = releases.shape[2]
    for level, scale in enumerate(scales):
        assert_law(np.linalg.norm(releases[:, level], axis=1) / scale, stats.gamma(size).cdf)
    for level, (coarse, fine) in enumerate(pairwise(scales)):
        calm, step = releases[:, level + 1], releases[:, level] - releases[:, level + 1]
        moved = np.abs(step).max(axis=1) > math.ldexp(2.0, spherical_grid_exponent(coarse, size))
        kept = (fine / coarse) ** (size + 1)
        assert_share(int(np.sum(~moved)), len(moved), kept, kept + SMALL_STEP)
        assert_law(np.linalg.norm(calm[moved], axis=1) / fine, stats.gamma(size).cdf)


def spherical_releases(size: int, scales: Sequence[float], count: int) -> Floats:
    result = np.empty((count, len(scales), size))
    for row in result:
        ladder = SphericalLadder(np.zeros(size), scales, SystemEntropy())
        row[:] = [ladder.release(level) for level in range(len(scales))]
    return result


def mixture_releases(size: int, scales: Sequence[float], count: int, power: int = 2) -> Floats:
    """The negative binomial form of the ladder in floating point; `power` is 2 in an honest one."""
    rng = generator()
    level = rng.normal(size=(count, size)) * np.sqrt(2 * rng.gamma((size + 1) / 2, size=(count, 1))) * scales[-1]
    releases = [level]
    for fine, coarse in pairwise(reversed(scales)):
        arrivals = rng.negative_binomial((size + 1) / 2, (fine / coarse) ** power, size=(count, 1))
        energy = np.where(arrivals > 0, rng.gamma(np.maximum(arrivals, 1)), 0.0)
        level = level + rng.normal(size=(count, size)) * np.sqrt(2 * energy) * fine
        releases.append(level)
    return np.stack(releases[::-1], axis=1)


@pytest.mark.statistical
@pytest.mark.proof("spherical-ladder")
@pytest.mark.parametrize(
    ("size", "scales"),
    [(1, [1e6, 8e5, 1e-6]), (2, [2e-6, 1.5e-6, 1e-6]), (3, [4.0, 3.9, 2.0]), (10, [1e6, 9e5, 1.0])],
)
def test_spherical_ladder_has_the_law_at_every_level_and_step(size, scales):
    spherical_ladder_check(spherical_releases(size, scales, 1500), scales)


@pytest.mark.statistical
@pytest.mark.proof("spherical-ladder")
@pytest.mark.parametrize("size", [1, 2, 5])
def test_the_check_accepts_the_negative_binomial_form_and_refuses_wrong_ones(size):
    scales = [3.0, 2.0, 1.0]
    spherical_ladder_check(mixture_releases(size, scales, 30_000), scales)
    with pytest.raises(AssertionError):
        spherical_ladder_check(mixture_releases(size, scales, 30_000, power=1), scales)
    with pytest.raises(AssertionError):
        spherical_ladder_check(0.9 * mixture_releases(size, scales, 30_000), scales)


@pytest.mark.statistical
@pytest.mark.proof("spherical-ladder")
@pytest.mark.parametrize("halves", [1, 2, 3, 8])
@pytest.mark.parametrize("keep", [0.09, 0.5, 0.95])
def test_jumps_have_the_law_of_a_negative_binomial_number_of_exponentials(halves, keep):
    """Two derivations of one law, and the odd half is not negligible."""
    entropy, rng = SystemEntropy(), generator()

    def jumps(parts: int) -> Floats:
        scales = Scales([1.0, math.sqrt(keep)])
        return np.array([RadialJumps(parts, scales, entropy).enclosure().centre[0] for _ in range(4000)])

    arrivals = rng.negative_binomial(halves / 2, keep, 20_000)
    energy = np.where(arrivals > 0, rng.gamma(np.maximum(arrivals, 1)), 0.0) * keep
    assert_same_law(jumps(halves) ** 2 / 2, energy)
    if keep == 0.09 and halves < 4:
        with pytest.raises(AssertionError):
            assert_same_law(jumps(halves + 1) ** 2 / 2, energy)


# ---- all ladders ----------------------------------------------------------------------------------


@pytest.mark.proof("certified-rounding")
@every_ladder
@pytest.mark.parametrize("size", [1, 2, 7, 60])
def test_evaluators_agree_on_every_level(ladder, size):
    levels = [100 * 0.7**step for step in range(12)]
    built = ladder(generator().normal(size=size), levels, SystemEntropy())
    for level in range(12):
        release = built.release(level)
        for evaluator in (Balls(), Binary64(widening=2.0**24)):
            assert_identical(release, built.release(level, evaluator=evaluator))


@pytest.mark.proof("certified-rounding")
@every_ladder
@pytest.mark.parametrize("word", [0, 1, 2**63 - 1, 2**63, 2**64 - 1])
@pytest.mark.parametrize("size", [1, 2, 3])
def test_extreme_words_are_settled_like_others(ladder, word, size):
    """Cells that touch log 0, angle 0 or the threshold of a jump: no warning, and the evaluators agree."""
    recorded = RecordedEntropy(ReplayedEntropy([word] * 200))
    levels = [4.0, 2.0, 1.0]
    fast = ladder(np.ones(size), levels, recorded)
    releases = [fast.release(level) for level in range(3)]
    balls = ladder(np.ones(size), levels, recorded.replay())
    for level, release in enumerate(releases):
        assert np.all(np.isfinite(release))
        assert_identical(release, balls.release(level, evaluator=Balls()))


@every_ladder
def test_a_release_does_not_depend_on_the_order_of_asking(ladder):
    recorded = RecordedEntropy(SystemEntropy())
    levels = [8.0, 4.0, 2.0, 1.0]
    upward = ladder(np.ones(5), levels, recorded)
    downward = ladder(np.ones(5), levels, recorded.replay())
    forward = [upward.release(level) for level in range(4)]
    for level in (3, 1, 0, 2):
        assert_identical(forward[level], downward.release(level))


@every_ladder
@given(values=st.lists(EVERYTHING, min_size=1, max_size=6))
@settings(max_examples=60, deadline=None)
def test_no_value_raises_or_changes_the_number_of_words(ladder, values):
    counts = set()
    for table in (np.array(values), np.zeros(len(values))):
        recorded = RecordedEntropy(SystemEntropy())
        built = ladder(table, [1e3, 1.0, 1e-3], recorded)
        assert all(np.all(np.isfinite(built.release(level))) for level in range(3))
        counts.add(recorded.count)
    assert len(counts) == 1


@every_ladder
def test_all_levels_share_one_clamped_vector(ladder):
    """Otherwise a noisy level would tell what lies beyond the range of the calm ones."""
    built = ladder([1e300, -np.inf], [1e9, 1.0], SystemEntropy())
    assert np.all(np.abs(built.release(0)) < 2.0**32 + 1e12)
    assert np.all(np.abs(built.release(1)) < 2.0**32)


@every_ladder
def test_a_thousand_levels(ladder):
    built = ladder(np.zeros(100), [1000 * 0.99**step for step in range(1000)], SystemEntropy())
    assert len({built.release(level).tobytes() for level in range(0, 1000, 100)}) == 10


@every_ladder
@pytest.mark.parametrize("levels", [[], [1.0, 1.0], [1.0, 2.0], [1.0, 0.0], [math.inf, 1.0], [math.nan], [-1.0]])
def test_bad_levels_raise_before_entropy_is_drawn(ladder, levels):
    recorded = RecordedEntropy(SystemEntropy())
    with pytest.raises(ParameterError):
        ladder(np.zeros(2), levels, recorded)
    assert recorded.count == 0


@every_ladder
@pytest.mark.parametrize("level", [-1, 2])
def test_levels_out_of_range_raise(ladder, level):
    with pytest.raises(ParameterError):
        ladder(np.zeros(2), [2.0, 1.0], SystemEntropy()).release(level)


@every_ladder
def test_a_ladder_cannot_be_pickled(ladder):
    with pytest.raises(TypeError):
        pickle.dumps(ladder(np.zeros(2), [2.0, 1.0], SystemEntropy()))


@every_ladder
def test_one_level_is_allowed(ladder):
    assert ladder(np.zeros((2, 2)), [1.0], SystemEntropy()).release(0).shape == (2, 2)
