"""The measured lower bound: never above the truth more often than it says, and close to it where draws are many."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from tacit import audit, noise
from tacit.audit.interval import at_least, at_most
from tacit.audit.lower_bound import choose_event
from tacit.errors import ParameterError

GENERATOR = np.random.default_rng()
EPSILON = 1.0


def randomised_response(truth, runs):
    """Tells the truth with odds e^ε: all of ε is spent on one event, so any overstatement shows."""
    honest = GENERATOR.random(runs) < math.exp(EPSILON) / (1 + math.exp(EPSILON))
    return np.where(honest, truth, 1 - truth)


def laplace(centre, runs, scale=1 / EPSILON):
    return centre + GENERATOR.laplace(0, scale, runs)


def bound_on_the_same_draws(first, second, alpha):
    """The mutant: an event chosen to look bad, and counted on the very draws that chose it."""
    event = choose_event(first[:, None], second[:, None], len(first), alpha, 0.0, None)
    inside, outside = (second, first) if event.likelier_on_second else (first, second)
    low = at_least(event.hits(inside[:, None]), len(inside), alpha / 2)
    return math.log(low / at_most(event.hits(outside[:, None]), len(outside), alpha / 2))


def false_alarms(bound, sample, trials, runs, alpha):
    return sum(bound(sample(0.0, runs), sample(1.0, runs), alpha) > EPSILON for _ in range(trials))


def assert_rate(alarms, trials, alpha):
    """At most what a rate of alpha explains, with a chance of 1e-9 to be wrong."""
    assert alarms <= binom.isf(1e-9, trials, alpha)


@pytest.mark.proof("audit-lower-bound")
@pytest.mark.parametrize("trials", [1, 7, 1000])
def test_the_limits_invert_the_binomial_tails(trials):
    hits = np.arange(trials + 1)
    low, high = at_least(hits, trials, 0.01), at_most(hits, trials, 0.01)
    assert low[0] == 0
    assert high[-1] == 1
    assert np.allclose(binom.sf(hits[1:] - 1, trials, low[1:]), 0.01, rtol=1e-8)
    assert np.allclose(binom.cdf(hits[:-1], trials, high[:-1]), 0.01, rtol=1e-8)


@pytest.mark.proof("audit-lower-bound")
@pytest.mark.statistical
@pytest.mark.parametrize("sample", [randomised_response, laplace], ids=["randomised response", "Laplace"])
def test_false_alarms_are_as_rare_as_stated(sample):
    assert_rate(false_alarms(audit.bound_from_draws, sample, 1000, 400, 0.05), 1000, 0.05)


def response_and_chatter(truth, runs):
    """Randomised response with 32 meaningless values beside it: many events to choose from."""
    return 64 * randomised_response(truth, runs) + GENERATOR.integers(0, 32, runs)


@pytest.mark.proof("audit-lower-bound")
@pytest.mark.statistical
def test_counting_on_the_draws_that_chose_the_event_is_not_a_bound():
    assert_rate(false_alarms(audit.bound_from_draws, response_and_chatter, 200, 400, 0.05), 200, 0.05)
    with pytest.raises(AssertionError):
        assert_rate(false_alarms(bound_on_the_same_draws, response_and_chatter, 200, 400, 0.05), 200, 0.05)


@pytest.mark.statistical
@pytest.mark.parametrize("factor", [1.1, 1.25, 2.0])
def test_too_little_noise_is_seen(factor):
    bound = audit.lower_bound(audit.Batches(lambda t, n: laplace(t, n, 1 / factor)), (0.0, 1.0), 400_000)
    assert EPSILON < bound < factor * 1.05


@pytest.mark.statistical
def test_the_bound_is_close_to_the_truth_on_exact_noise():
    def exact_laplace(centre, runs):
        return noise.laplace(np.full(runs, centre), 1.0, noise.SystemEntropy())

    bound = audit.lower_bound(audit.Batches(exact_laplace), (0.0, 1.0), 400_000, 1 - 1e-9)
    assert 0.85 < bound <= EPSILON


@pytest.mark.statistical
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("pair", [(0.0, 1.0), (1.0, 0.0)])
def test_a_score_may_point_either_way(sign, pair):
    bound = audit.lower_bound(audit.Batches(laplace), pair, 10_000, score=lambda outputs: sign * outputs[:, 0])
    assert bound > 0.5


@pytest.mark.statistical
def test_delta_is_taken_off():
    """Gaussian noise with μ = 1 is (ε, δ)-private for ε = 4.4 at δ = 1e-5, and at δ = 0.5 even for ε = 0."""
    gaussian = audit.Batches(lambda t, n: t + GENERATOR.normal(size=(n, 5)))
    pair = np.zeros(5), np.full(5, 1 / math.sqrt(5))
    assert 1.0 < audit.lower_bound(gaussian, pair, 100_000, 1 - 1e-9, delta=1e-5) < 4.4
    assert audit.lower_bound(gaussian, pair, 100_000, 1 - 1e-9, delta=0.5) == 0


@pytest.mark.statistical
def test_an_atom_among_noise_is_found():
    """One output in fifty is the true value: what a lost noise draw looks like."""

    def leaky(centre, runs):
        return np.where(GENERATOR.random(runs) < 0.02, centre + 1000.0, laplace(centre, runs))

    assert audit.lower_bound(audit.Batches(leaky), (0.0, 1.0), 20_000) > 2


def test_not_a_number_and_infinity_are_outputs():
    assert audit.lower_bound(lambda t: math.nan if t else math.inf, (0, 1), 2000) > 4


@pytest.mark.parametrize("wrong", [{"confidence": 1.0}, {"confidence": math.nan}, {"delta": -0.1}, {"runs": 3}])
def test_parameters_are_checked(wrong):
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        audit.lower_bound(lambda t: t, (0, 1), **wrong)
