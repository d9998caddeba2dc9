"""Searches: the promise of accuracy, the price of every prefix, and what never leaves."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from scipy.stats import binom, norm

from accuracy_support import LOSSES, question, table
from tacit.errors import ParameterError
from tacit.mechanisms.accuracy import plan as plan
from tacit.mechanisms.accuracy import published as published
from tacit.mechanisms.accuracy.gradual import GradualOutput, ZeroFirst
from tacit.mechanisms.accuracy.gradual_noise import (
    BrownianReduction,
    FreshNoise,
    LaplaceReduction,
    SphericalReduction,
    nearly_largest_mu,
)
from tacit.mechanisms.accuracy.halting import NoTest, ThresholdTest
from tacit.mechanisms.accuracy.plan import AccuracyRequest
from tacit.mechanisms.accuracy.theory import noise_quantile, plan_theory
from tacit.noise import SystemEntropy
from tacit.privacy import Approx, Pure, gaussian_delta, gaussian_mu

RUNS = 200
MUCH = Pure(1000.0)


def bad_share(search, rows, alpha, runs=RUNS):
    """How often a hypothesis with true excess risk above α is accepted."""
    risk, judge = search.query.open(rows), replace(search.query, cap=None).open(rows)
    outcomes = [search.run(risk, SystemEntropy()) for _ in range(runs)]
    return sum(o.theta is not None and -judge.values(o.theta[None, :])[0] > alpha for o in outcomes)


def check_promise(search, rows, alpha, failure=0.1):
    assert binom.sf(bad_share(search, rows, alpha) - 1, RUNS, failure) > 1e-9


@pytest.mark.statistical
@pytest.mark.proof("test-failure")
@pytest.mark.parametrize("name", list(LOSSES))
def test_a_bad_model_is_accepted_no_more_often_than_promised(name):
    rows = table(LOSSES[name])
    search = plan.plan_noise_reduction(question(rows, LOSSES[name]), AccuracyRequest(0.02, 0.1, MUCH), None)
    check_promise(search, rows, 0.02)


@pytest.mark.statistical
@pytest.mark.proof("test-failure")
def test_a_test_that_looks_on_the_wrong_side_breaks_the_promise():
    rows = table(LOSSES["squared"])
    search = plan.plan_noise_reduction(question(rows, LOSSES["squared"]), AccuracyRequest(0.02, 0.1, MUCH), None)
    assert isinstance(search.test, ThresholdTest)
    flipped = replace(search, test=replace(search.test, threshold=-0.02 - abs(search.test.threshold)))
    with pytest.raises(AssertionError):
        check_promise(flipped, rows, 0.02)


@pytest.mark.statistical
@pytest.mark.proof("theory-inversion")
@pytest.mark.parametrize("radius", [None, 0.3])
def test_theory_keeps_its_promise_and_a_smaller_epsilon_does_not(radius):
    rows = table(LOSSES["logistic"])
    search = plan_theory(question(rows, LOSSES["logistic"], radius=radius), AccuracyRequest(0.02, 0.1, MUCH))
    assert isinstance(search.test, NoTest)
    check_promise(search, rows, 0.02)
    epsilon = search.hypotheses.costs[0]
    quick = replace(search, hypotheses=replace(search.hypotheses, epsilons=(epsilon / 40,)))
    with pytest.raises(AssertionError):
        check_promise(quick, rows, 0.02)


@pytest.mark.proof("theory-inversion")
@pytest.mark.parametrize("width", [1, 7, 200])
def test_the_quantile_of_the_noise(width):
    from scipy.special import gammaincc

    quantile = noise_quantile(width, 0.1)
    assert gammaincc(width, quantile) <= 0.1 + 1e-12
    assert gammaincc(width, quantile * 0.999) > 0.1


@pytest.mark.statistical
@pytest.mark.proof("doubling-method")
def test_doubling_keeps_its_promise_and_pays_for_every_try():
    rows = table(LOSSES["squared"])
    search = plan.plan_doubling(question(rows, LOSSES["squared"]), AccuracyRequest(0.02, 0.1, MUCH))
    check_promise(search, rows, 0.02)
    ladder = search.hypotheses
    assert isinstance(ladder, GradualOutput)
    assert ladder.epsilons[1] == pytest.approx(2 * ladder.epsilons[0])
    assert search.paid(1).hypothesis == pytest.approx(sum(ladder.epsilons[:2]))
    assert search.paid(1).test == pytest.approx(2 * search.paid(0).test)


def brownian_slack(noise, epsilons, claimed=None, sensitivity=1.0):
    """Σ_t ∫(p_t − e^ε_t q_t)₊ for a ladder of these levels."""
    claimed = epsilons if claimed is None else claimed
    scales = [noise.law(sensitivity, epsilon).scale for epsilon in epsilons]
    return sum(gaussian_delta(c, sensitivity / scale) for c, scale in zip(claimed, scales, strict=True))


@dataclass(frozen=True)
class WholeDelta(BrownianReduction):
    """Mutant: every level is given the whole δ."""

    def law(self, sensitivity, epsilon):
        return BrownianReduction(min(0.999, 1024 * self.delta)).law(sensitivity, epsilon)


@pytest.mark.proof("ex-post-delta")
def test_levels_share_delta():
    epsilons = tuple(np.geomspace(0.05, 5.0, 40))
    noise = BrownianReduction(1e-4)
    assert 0 < brownian_slack(noise, epsilons) <= 1e-4
    assert brownian_slack(WholeDelta(1e-4), epsilons) > 1e-4
    few = epsilons[::8]
    assert brownian_slack(noise, few[1:], few[:-1]) > 1e-4


@pytest.mark.proof("gaussian-profile")
@pytest.mark.parametrize("epsilon", [1e-4, 0.3, 2.0, 40.0, 1e4, 2.0**20])
@pytest.mark.parametrize("delta", [1e-12, 1e-6, 0.01])
def test_the_scale_of_a_level_is_certified_and_nearly_the_smallest(epsilon, delta):
    mu = nearly_largest_mu(epsilon, delta)
    assert gaussian_delta(epsilon, mu) <= delta < gaussian_delta(epsilon, mu * (1 + 1e-5))
    assert mu <= gaussian_mu(Approx(epsilon, delta)) * (1 + 2**-50)


@pytest.mark.proof("gaussian-profile")
@pytest.mark.parametrize("epsilon", [1e-60, 1e-13, 2.0**20])
@pytest.mark.parametrize("delta", [1e-300, 1e-18, 0.999])
def test_the_scale_of_a_level_is_certified_where_floats_see_nothing(epsilon, delta):
    mu = nearly_largest_mu(epsilon, delta)
    assert gaussian_delta(epsilon, mu) <= delta
    assert mu == pytest.approx(gaussian_mu(Approx(epsilon, delta)), rel=0.05)


@pytest.mark.proof("ex-post-delta")
def test_halting_where_it_hurts_most_loses_no_more_than_delta():
    """Two levels, the first accepted exactly where its loss is too large: the joint slack by quadrature."""
    epsilons, noise = (0.3, 1.0), BrownianReduction(0.4)
    coarse, fine = (noise.law(1.0, epsilon).scale for epsilon in epsilons)
    step = np.sqrt(coarse**2 - fine**2)
    y = np.linspace(-9 * coarse, 9 * coarse + 1, 3001)
    width = y[1] - y[0]

    def slack(scale, epsilon):
        return np.maximum(norm.pdf(y, 1, scale) - np.exp(epsilon) * norm.pdf(y, 0, scale), 0)

    accepted = slack(coarse, epsilons[0]) > 0
    passing_on = norm.pdf(y[:, None], y[None, :], step)[~accepted].sum(axis=0) * width
    total = slack(coarse, epsilons[0]).sum() * width + (slack(fine, epsilons[1]) * passing_on).sum() * width
    assert 0.4 / 2000 < total <= 2 * 0.4 / 1024 * 1.001


def test_nothing_leaves_when_no_level_passes():
    rows = table(LOSSES["logistic"])
    search = plan.plan_noise_reduction(question(rows, LOSSES["logistic"]), AccuracyRequest(0.02, 0.1, MUCH), None)
    assert isinstance(search.test, ThresholdTest)
    hopeless = replace(search, test=replace(search.test, threshold=1e6))
    outcome = hopeless(rows, SystemEntropy())
    assert outcome.level is None
    assert outcome.theta is None
    assert outcome.paid.total == pytest.approx(search.charge.epsilon)


def test_zero_is_tried_first_and_costs_only_the_test():
    rows = table(LOSSES["logistic"])
    search = plan.plan_noise_reduction(question(rows, LOSSES["logistic"]), AccuracyRequest(0.02, 0.1, MUCH), None)
    assert isinstance(search.hypotheses, ZeroFirst)
    eager = replace(search, test=NoTest())
    outcome = eager(rows, SystemEntropy())
    assert outcome.level == 0
    assert not outcome.theta.any()
    assert outcome.paid.total == 0
    assert search.hypotheses.facts(0) is None


@pytest.mark.parametrize("most", [Pure(0.5), Pure(2.0), Pure(50.0)])
@pytest.mark.parametrize("levels", [None, 50])
def test_no_plan_can_cost_more_than_it_may(most, levels):
    rows = table(LOSSES["squared"], n=20_000)
    asked = question(rows, LOSSES["squared"])
    assert plan.plan_noise_reduction(asked, AccuracyRequest(0.05, 0.1, most), levels).charge.epsilon <= most.epsilon
    brownian = plan.plan_brownian(asked, AccuracyRequest(0.05, 0.1, Approx(most.epsilon, 1e-6)), levels).charge
    assert brownian.epsilon <= most.epsilon
    assert brownian.delta == 1e-6
    assert published.published_doubling(asked, AccuracyRequest(0.05, 0.1, Pure(50.0))).charge.epsilon <= 50.0


@pytest.mark.parametrize("method", [plan.plan_doubling, plan_theory, published.published_doubling])
def test_too_small_a_budget_is_refused_before_reading(method):
    rows = table(LOSSES["squared"], n=100)
    with pytest.raises(ParameterError, match="max_privacy"):
        method(question(rows, LOSSES["squared"]), AccuracyRequest(0.01, 0.1, Pure(1e-3)))
    with pytest.raises(ParameterError, match="max_privacy"):
        plan.plan_noise_reduction(question(rows, LOSSES["squared"]), AccuracyRequest(0.01, 0.1, Pure(1e-3)), None)
    with pytest.raises(ParameterError, match="max_privacy"):
        published.published_noise_reduction(
            question(rows, LOSSES["squared"]), AccuracyRequest(0.01, 0.1, Pure(1e-3)), None
        )


def test_tight_searches_are_much_cheaper_than_published_ones_on_the_same_rows():
    for name, loss in LOSSES.items():
        rows = table(loss, n=20_000)
        asked, goal = question(rows, loss, l2=0.005), AccuracyRequest(0.05, 0.1, MUCH)
        tight = plan.plan_noise_reduction(asked, goal, None).test.cost(1)
        assert tight < published.published_noise_reduction(asked, goal, None).test.cost(1) / 6, name


def test_fresh_noise_is_drawn_once_and_costs_its_sum():
    ladder = FreshNoise(SphericalReduction()).ladder(np.zeros(3), 1.0, (0.5, 1.0), SystemEntropy())
    assert np.array_equal(ladder.releases(0, 2), ladder.releases(0, 2))
    assert not np.array_equal(ladder.releases(0, 1), ladder.releases(1, 2))
    assert FreshNoise(LaplaceReduction()).prefix_costs((0.5, 1.0, 2.0)) == (0.5, 1.5, 3.5)
