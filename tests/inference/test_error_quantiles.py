"""Quantiles of errors are never below the true ones, and hardly above; mutants that are below must be caught."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import binom, gamma, norm

from tacit.errors import ParameterError
from tacit.inference.error_quantiles import _cells, _normal_tails, tail_bound, two_sided_quantiles
from tacit.inference.ranks import CONFIDENCE, draws_needed, safe_rank
from tacit.mechanisms.laws import Gaussian, Laplace, SphericalLaplace

pytestmark = pytest.mark.proof("certified-quantiles")

WIDTHS = (1, 2, 11, 60)
LEVELS = (0.5, 0.95, 0.999)
SHARES = (0.0, 0.3, 1.0, 30.0)


def quantile(law, loads, sampling, level):
    return float(two_sided_quantiles(np.array([sampling]), law, np.array([loads]), level, (np.zeros(1),))[0])


def exact_tail(q, sampling, spread, width):
    """P(|N(0, v + uV)| > q) by adaptive integration over the quantiles of V."""
    law = gamma((width + 1) / 2)
    return quad(lambda p: 2 * norm.sf(q / math.sqrt(sampling + spread * law.ppf(p))), 0, 1, epsabs=1e-11, limit=400)[0]


@pytest.mark.parametrize("level", LEVELS)
def test_gaussian_errors_have_the_closed_form(level):
    found = quantile(Gaussian(2.0), [3.0, 4.0], 9.0, level)
    assert found == pytest.approx(norm.isf((1 - level) / 2) * math.sqrt(9 + 100), rel=1e-12)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("sampling", SHARES)
def test_spherical_quantiles_are_safe_and_tight(width, sampling, level):
    q = quantile(SphericalLaplace(1.0), np.full(width, 1 / math.sqrt(width)), sampling, level)
    assert exact_tail(q, sampling, 2.0, width) <= (1 - level) * (1 + 1e-9)
    assert exact_tail(q / 1.004, sampling, 2.0, width) > 1 - level


def never_below(bound):
    """A bound of the tail, checked where the tail varies most with V."""
    for width in WIDTHS:
        for q in (0.5, 2.0, 5.0):
            truth = exact_tail(q, 0.3, 2.0, width)
            assert truth <= bound(np.array([q]), np.array([0.3]), np.array([2.0]), width)[0] <= truth + 1e-3


def with_lower_ends(quantiles, sampling, spread, width):
    """Mutant: every cell of V is represented by its lower end."""
    ends, weights, rest = _cells(width)
    lower = np.concatenate([[0.0], ends[:-1]])
    return _normal_tails(quantiles, np.sqrt(sampling[:, None] + np.outer(spread, lower))) @ weights + rest


def test_the_bound_of_the_tail_is_above_it_and_one_with_lower_ends_is_not():
    never_below(tail_bound)
    with pytest.raises(AssertionError):
        never_below(with_lower_ends)


def test_cells_share_the_whole_law_of_v():
    for width in WIDTHS:
        ends, weights, rest = _cells(width)
        assert math.fsum(weights) + rest == pytest.approx(1.0, abs=1e-12)
        law = gamma((width + 1) / 2)
        assert np.diff(law.cdf(np.concatenate([[0.0], ends]))) == pytest.approx(weights, abs=1e-12)


def test_a_direction_without_error_has_an_interval_of_no_length():
    assert quantile(SphericalLaplace(1.0), [0.0, 0.0], 0.0, 0.95) < 1e-100


def covers(rank, count, level):
    """The draw of this rank is at or above the quantile with the stated confidence."""
    assert binom.cdf(rank, count, level) >= CONFIDENCE


@pytest.mark.parametrize("count", [2000, 2**14])
@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.99])
def test_ranks_are_on_the_safe_side_and_the_naive_rank_is_not(count, level):
    rank = safe_rank(count, level)
    covers(rank, count, level)
    assert rank <= count * level + 2.5 * math.sqrt(count * level * (1 - level))
    with pytest.raises(AssertionError):
        covers(round(count * level), count, level)


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999, 0.9999])
def test_there_are_always_enough_draws(level):
    count = draws_needed(level)
    covers(safe_rank(count, level), count, level)
    with pytest.raises(ValueError, match="too few"):
        safe_rank(count - 3, level)


def test_levels_that_would_need_too_many_draws_are_refused():
    with pytest.raises(ParameterError, match=r"at most 0\.9999"):
        quantile(Laplace(1.0), [1.0], 0.0, 0.99999)


@pytest.mark.statistical
def test_simulated_quantiles_of_laplace_errors_are_seldom_below_the_exact_ones():
    """150 releases, each safe with 95 %: fewer than 115 safe ones have probability below 1e-9."""
    releases = np.random.default_rng().standard_normal(150)
    errors = np.array([[1.0]])
    found = [two_sided_quantiles(np.zeros(1), Laplace(1.0), errors, 0.95, (np.array([r]),))[0] for r in releases]
    assert np.sum(np.array(found) >= -math.log(0.05)) >= binom.ppf(1e-9, 150, CONFIDENCE)
    assert np.median(found) <= -math.log(0.05) * 1.03
