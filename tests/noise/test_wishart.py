"""Differences of two Wisharts: exact rounding, the right law, a loss that reaches its bound and never exceeds it."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special, stats

from noise_support import assert_identical, assert_law, assert_same_law
from tacit.errors import ParameterError
from tacit.noise import (
    Balls,
    Binary64,
    RecordedEntropy,
    SeededEntropy,
    SystemEntropy,
    grid_exponent,
    matrix_order,
    wishart_difference,
)

pytestmark = pytest.mark.proof("wishart-difference")
ROOT = math.sqrt(2)


def size(order):
    return order * (order + 1) // 2


def draws(order, scale, count):
    """Symmetric matrices of noise."""
    packed = [wishart_difference(np.zeros(size(order)), scale, SystemEntropy()) for _ in range(count)]
    return np.array([smat(vector, order) for vector in packed])


def smat(packed, order):
    matrix = np.zeros((order, order))
    matrix[np.triu_indices(order, 1)] = packed[order:] / ROOT
    return matrix + matrix.T + np.diag(packed[:order])


def wisharts(order, scale, count, degrees=None):
    """(s/2)(GGᵀ − HHᵀ) by numpy; `degrees` is the mutant's."""
    generator = np.random.default_rng()
    g, h = generator.standard_normal((2, count, order, order + 1 if degrees is None else degrees))
    return scale / 2 * (g @ np.swapaxes(g, 1, 2) - h @ np.swapaxes(h, 1, 2))


def assert_evaluators_agree(order, scale, other):
    values = np.random.default_rng().normal(size=size(order)) * float(scale) * 10
    recorded = RecordedEntropy(SystemEntropy())
    fast = wishart_difference(values, scale, recorded)
    assert recorded.count == 2 * order * (order + 1)
    assert_identical(fast, wishart_difference(values, scale, recorded.replay(), evaluator=other))


@pytest.mark.proof("certified-rounding")
@pytest.mark.proof("binary64-enclosures")
@pytest.mark.parametrize(("order", "scale"), [(1, 1e-9), (2, 0.37), (3, Fraction(1, 3)), (8, 3.3e7), (21, 1.0)])
def test_binary64_and_balls_agree_bit_for_bit(order, scale):
    for _ in range(max(1, 60 // order)):
        assert_evaluators_agree(order, scale, Balls())


@pytest.mark.proof("certified-rounding")
def test_forced_fallback_changes_nothing():
    assert_evaluators_agree(40, 0.37, Binary64(widening=2.0**14))


class ShiftedBinary64(Binary64):
    """Mutant: enclosures off by a hundredth of a cell."""

    def integers(self, values, noise, exponent):
        return super().integers(values + math.ldexp(1e-2, exponent), noise, exponent)


@pytest.mark.proof("certified-rounding")
def test_agreement_notices_a_hundredth_of_a_cell():
    with pytest.raises(AssertionError):
        assert_evaluators_agree(90, 0.37, ShiftedBinary64())


@given(values=st.lists(st.floats(), min_size=6, max_size=6), exponent=st.integers(-900, 899))
@settings(max_examples=60, deadline=None)
def test_no_value_raises_or_changes_the_number_of_words(values, exponent):
    scale, counts = math.ldexp(1.0, exponent), set()
    for table in (np.array(values), np.zeros(6)):
        recorded = RecordedEntropy(SeededEntropy(0))
        units = wishart_difference(table, scale, recorded) / math.ldexp(1.0, grid_exponent(scale))
        np.testing.assert_array_equal(units, np.rint(units))
        counts.add(recorded.count)
    assert counts == {24}


def test_only_triangles_are_accepted():
    assert [matrix_order(size(order)) for order in range(1, 30)] == list(range(1, 30))
    for wrong in (2, 4, 5, 7):
        with pytest.raises(ParameterError, match="upper triangle"):
            wishart_difference(np.zeros(wrong), 1.0, SystemEntropy())


# the law


@pytest.mark.statistical
@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_one_number_is_laplace_and_one_degree_of_freedom_is_noticed(scale):
    assert_law(draws(1, scale, 5_000).ravel() / scale, stats.laplace.cdf)
    mutant = wisharts(1, scale, 5_000, degrees=1)
    with pytest.raises(AssertionError):
        assert_law(mutant.ravel() / scale, stats.laplace.cdf)


def assert_wishart_difference(sample, scale):
    """Trace s(Γ − Γ') of m(m + 1)/2 degrees, largest eigenvalue and an entry beside it as numpy draws them."""
    order = sample.shape[1]
    reference = wisharts(order, scale, 40_000)
    assert_same_law(np.trace(sample, axis1=1, axis2=2), np.trace(reference, axis1=1, axis2=2))
    assert_same_law(np.linalg.eigvalsh(sample)[:, -1], np.linalg.eigvalsh(reference)[:, -1])
    assert_same_law(np.linalg.eigvalsh(sample)[:, 0], np.linalg.eigvalsh(reference)[:, 0])
    assert_same_law(sample[:, 0, -1], reference[:, 0, -1])


@pytest.mark.statistical
@pytest.mark.parametrize("order", [2, 3])
def test_matrices_have_the_law_and_less_noise_or_m_degrees_are_noticed(order):
    assert_wishart_difference(draws(order, 0.7, 4_000), 0.7)
    for mutant in (0.8 * wisharts(order, 0.7, 4_000), wisharts(order, 0.7, 4_000, degrees=order)):
        with pytest.raises(AssertionError):
            assert_wishart_difference(mutant, 0.7)


# the loss


def log_density(N, scale, half=14.0, cells=400):
    """log f for m = 2 up to a constant, by quadrature over X = [[t + a, b], [b, t − a]]: X ⪰ 0 iff t ≥ |(a, b)|.

    For fixed (a, b) the integral over t starts at max(|(a, b)|, t_N + |(a, b) − (a_N, b_N)|) and is exponential.
    """
    t, a, b = (N[0, 0] + N[1, 1]) / 2, (N[0, 0] - N[1, 1]) / 2, N[0, 1]
    side = np.linspace(-half, half, cells) * scale
    A, B = np.meshgrid(side + a / 2, side + b / 2)
    start = np.maximum(np.hypot(A, B), t + np.hypot(A - a, B - b))
    return 2 * t / scale - 4 * start.min() / scale + math.log(np.exp(-4 * (start - start.min()) / scale).sum())


def unit(angle):
    return np.array([math.cos(angle), math.sin(angle)])


def largest_loss(scale, rng, pairs=48):
    """The largest |log f(N + D) − log f(N)| found for D = vvᵀ − wwᵀ, unit rows, near and far."""
    found = 0.0
    for index in range(pairs):
        angle, other = rng.uniform(0, math.pi, 2)
        other = angle + math.pi / 2 if index % 2 else other
        v, w = np.outer(unit(angle), unit(angle)), np.outer(unit(other), unit(other))
        random = rng.normal(0, rng.choice([0.05, 1, 4]), (2, 2))
        N = rng.choice([0.1, 1, 4]) * (w - v) if index % 3 == 0 else (random + random.T) / 2
        found = max(found, abs(log_density(N + v - w, scale) - log_density(N, scale)))
    return found


def assert_loss(found, epsilon):
    assert found <= epsilon * (1 + 1e-3), "more is lost than the bound allows"
    assert found >= 0.9 * epsilon, "the pairs are too weak to notice anything"


def test_the_loss_of_two_by_two_matrices_reaches_its_bound_and_never_exceeds_it():
    """‖vvᵀ − wwᵀ‖_* ≤ 2: s = 2/ε. With half the scale (Δ = max‖v‖² instead of 2 max‖v‖²) the loss is too large."""
    rng = np.random.default_rng(0)
    assert_loss(largest_loss(1.0, rng), 2.0)
    with pytest.raises(AssertionError, match="more is lost"):
        assert_loss(largest_loss(0.5, rng), 2.0)


def test_with_m_degrees_of_freedom_the_loss_has_no_bound():
    """m = 1: one degree gives the density K₀(|z|/s)/(πs), infinite at 0; two give e^(−|z|/s)/(2s)."""
    z = np.linspace(-5, 5, 4001) + 1e-4

    def check(log_density):
        assert_loss(float(np.max(np.abs(log_density(z + 1.0) - log_density(z)))), 1.0)

    check(lambda z: -np.abs(z))
    with pytest.raises(AssertionError, match="more is lost"):
        check(lambda z: np.log(special.k0(np.abs(z))))
