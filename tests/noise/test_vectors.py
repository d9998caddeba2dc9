"""Vector noise: two evaluators that agree bit for bit, exact laws, no reaction to values."""

import math
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from noise_support import assert_all_different, assert_identical, assert_law
from tacit.errors import ParameterError
from tacit.noise import (
    Balls,
    Binary64,
    RecordedEntropy,
    ReplayedEntropy,
    SeededEntropy,
    SystemEntropy,
    balls,
    gaussian,
    grid_exponent,
    laplace,
    spherical_grid_exponent,
    spherical_laplace,
)

LAWS = [laplace, gaussian, spherical_laplace]
EVERYTHING = st.floats(allow_nan=True, allow_infinity=True, allow_subnormal=True)
every_law = pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)


def grid_of(law, scale, size):
    exponent = spherical_grid_exponent(scale, size) if law is spherical_laplace else grid_exponent(scale)
    return math.ldexp(1.0, exponent)


def assert_evaluators_agree(law, values, scale, other):
    recorded = RecordedEntropy(SystemEntropy())
    fast = law(values, scale, recorded)
    assert_identical(fast, law(values, scale, recorded.replay(), evaluator=other))


@pytest.mark.proof("certified-rounding")
@every_law
def test_binary64_and_balls_agree_bit_for_bit(law):
    """100 000 coordinates a law: output is a function of the bits, whoever evaluates it."""
    rng = np.random.default_rng()
    for scale, sizes in {1e-9: (1, 2, 999), 0.37: (3, 90_000), Fraction(1, 3): (4_000,), 3.3e7: (7, 6_000)}.items():
        for size in sizes:
            values = rng.normal(size=size) * float(scale) * rng.choice([1e-3, 1.0, 100.0, 1e7])
            assert_evaluators_agree(law, values, scale, Balls())


@pytest.mark.proof("certified-rounding")
@every_law
def test_forced_fallback_changes_nothing(law):
    values = np.random.default_rng().normal(size=3000)
    assert_evaluators_agree(law, values, 0.37, Binary64(widening=2.0**24))


class ShiftedBinary64(Binary64):
    """Mutant: enclosures off by a thousandth of a cell."""

    def integers(self, values, noise, exponent):
        return super().integers(values + math.ldexp(1e-3, exponent), noise, exponent)


@pytest.mark.proof("certified-rounding")
@every_law
def test_agreement_notices_a_thousandth_of_a_cell(law):
    with pytest.raises(AssertionError):
        assert_evaluators_agree(law, np.zeros(60_000), 0.37, ShiftedBinary64())


@pytest.mark.proof("certified-rounding")
@pytest.mark.parametrize("evaluator", [Balls(), Binary64()])
def test_later_bits_decide_a_value_on_the_edge_of_a_cell(evaluator):
    """The first word is the one whose cell of U contains the edge between two outputs."""
    grid = math.ldexp(1.0, grid_exponent(1.0))
    outputs = []
    with balls.precision(256):
        edge = (-(arb(1_000_000.5) * arb(grid))).exp() * 2**63
        word = 2**63 + int(edge.floor().unique_fmpz())
    for further in (2**64 - 1, 0):
        recorded = RecordedEntropy(ReplayedEntropy([word], [further] * 3))
        outputs.append(float(laplace([0.0], 1.0, recorded, evaluator=evaluator)[0]))
        assert recorded.count == 1
        assert recorded.refinements >= 1
    assert outputs == [1_000_000 * grid, 1_000_001 * grid]


@pytest.mark.proof("certified-rounding")
@pytest.mark.parametrize("value", [0.0, -0.0, -1e-9, 5e-324])
def test_zero_has_one_sign(value):
    """A negative zero would say that a value just below zero met noise just below zero."""
    for word in (2**63 - 1, 2**64 - 1):
        for evaluator in (Balls(), Binary64()):
            released = laplace([value], 1.0, ReplayedEntropy([word]), evaluator=evaluator)
            assert_identical(released, np.zeros(1))


@pytest.mark.proof("certified-rounding")
def test_threads_do_not_disturb_each_other():
    """FLINT has one precision for the whole process."""
    recorded = [RecordedEntropy(SystemEntropy()) for _ in range(8)]
    values = np.random.default_rng().normal(size=300)
    alone = [gaussian(values, 1.0, each) for each in recorded]
    with ThreadPoolExecutor(4) as pool:
        together = pool.map(lambda each: gaussian(values, 1.0, each.replay(), evaluator=Balls()), recorded)
    for first, second in zip(alone, together, strict=True):
        assert_identical(first, second)


@every_law
def test_outputs_are_multiples_of_the_grid(law):
    values = np.random.default_rng().normal(size=5000)
    for scale in (1e-200, 0.37, Fraction(22, 7), 1e200):
        units = law(values, scale, SystemEntropy()) / grid_of(law, scale, 5000)
        np.testing.assert_array_equal(units, np.rint(units))
        assert np.any(units % 2 == 1)  # and of no coarser one


@given(values=st.lists(EVERYTHING, min_size=1, max_size=9), exponent=st.integers(-900, 899))
@settings(max_examples=150, deadline=None)
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_no_value_raises_or_changes_the_number_of_words(law, values, exponent):
    counts = set()
    for table in (np.array(values), np.zeros(len(values))):
        recorded = RecordedEntropy(SeededEntropy(0))
        released = law(table, math.ldexp(1.0, exponent), recorded)
        counts.add(recorded.count)
        assert np.all(np.isfinite(released))
        assert released.shape == table.shape
    assert len(counts) == 1


def test_values_follow_the_public_rule():
    odd = np.array([np.nan, np.inf, -np.inf, 1e300, 5e-324])
    for law in LAWS:
        limit = 2.0**50 * grid_of(law, 1.0, 5)
        plain = np.array([0.0, limit, -limit, limit, 5e-324])
        np.testing.assert_array_equal(law(odd, 1.0, SeededEntropy(3)), law(plain, 1.0, SeededEntropy(3)))


def test_values_are_neither_changed_nor_aliased_and_keep_their_shape():
    values = np.arange(6.0).reshape(2, 3)
    for law in LAWS:
        assert law(values, 1.0, SystemEntropy()).shape == (2, 3)
        assert law(values[:0], 1.0, SystemEntropy()).shape == (0, 3)
        assert law(1.5, 1.0, SystemEntropy()).shape == ()
    np.testing.assert_array_equal(values, np.arange(6.0).reshape(2, 3))


@every_law
@pytest.mark.parametrize(
    "scale", [0, -1.0, math.nan, math.inf, 1e-300, 2.0**901, True, "1", None, 1j, Fraction(1, 2**901), np.longdouble(1)]
)
def test_bad_scales_raise_before_entropy_is_drawn(law, scale):
    recorded = RecordedEntropy(SystemEntropy())
    with pytest.raises(ParameterError):
        law(np.zeros(3), scale, recorded)
    assert recorded.count == 0


@pytest.mark.parametrize("scale", [1, 0.37, Fraction(1, 3), 2.0**-900, 2.0**900, np.float32(0.1), np.int64(3)])
def test_grid_is_the_power_of_two_below_a_millionth_of_the_scale(scale):
    exact = scale if isinstance(scale, Fraction) else Fraction(float(scale))
    grid = Fraction(2) ** grid_exponent(scale)
    assert grid <= exact / 2**20 < 2 * grid


def laplace_check(draw, scale):
    assert_law(draw / scale, stats.laplace.cdf)


def gaussian_check(draw, scale):
    assert_law(draw / scale, stats.norm.cdf)


@pytest.mark.statistical
@pytest.mark.proof("certified-rounding")
@pytest.mark.parametrize("scale", [1e-6, 2.0, 1e6])
@pytest.mark.parametrize(("law", "check"), [(laplace, laplace_check), (gaussian, gaussian_check)])
def test_coordinates_have_the_law_and_a_tenth_less_is_noticed(law, check, scale):
    check(law(np.zeros(100_000), scale, SystemEntropy()), scale)
    with pytest.raises(AssertionError):
        check(law(np.zeros(100_000), 0.9 * scale, SystemEntropy()), scale)


def spherical_check(draws, scale):
    """Radius Gamma(d), and a direction independent of it with the law of a coordinate of the sphere."""
    size = draws.shape[1]
    radius = np.linalg.norm(draws, axis=1)
    assert_law(radius / scale, stats.gamma(size).cdf)
    if size > 1:
        squared = (draws[:, 0] / radius) ** 2
        direction = stats.beta(0.5, (size - 1) / 2).cdf
        assert_law(squared, direction)
        assert_law(squared[radius > np.median(radius)], direction)
    assert_law(np.sign(draws[:, -1]) * np.random.default_rng().random(len(draws)), stats.uniform(-1, 2).cdf)


@pytest.mark.statistical
@pytest.mark.proof("spherical-mixture")
@pytest.mark.parametrize(("size", "scale"), [(1, 1e-6), (2, 1.0), (3, 1e6), (10, 0.5), (51, 2.0)])
def test_spherical_noise_has_the_law_and_a_tenth_less_is_noticed(size, scale):
    draws = np.array([spherical_laplace(np.zeros(size), scale, SystemEntropy()) for _ in range(4000)])
    spherical_check(draws, scale)
    with pytest.raises(AssertionError):
        spherical_check((0.7 if size < 3 else 0.8 if size < 10 else 0.9) * draws, scale)


@pytest.mark.statistical
def test_noise_never_repeats_and_256_seeds_are_noticed():
    assert_all_different([laplace(np.zeros(4), 1.0, SystemEntropy()) for _ in range(2000)])
    few = [SeededEntropy(int(seed)) for seed in SystemEntropy().words(2000) % np.uint64(256)]
    with pytest.raises(AssertionError):
        assert_all_different([laplace(np.zeros(4), 1.0, entropy) for entropy in few])
