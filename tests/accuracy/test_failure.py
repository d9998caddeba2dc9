"""How often a bad hypothesis is accepted: the formula, and the tests that rely on it."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import binom

from tacit.mechanisms.accuracy import design as design_module
from tacit.mechanisms.accuracy.above_threshold import OneSidedNoise
from tacit.mechanisms.accuracy.design import HaltingTask, best_design
from tacit.mechanisms.accuracy.halting import (
    NoTest,
    RepeatedTest,
    ThresholdTest,
    failure_probability,
    published_doubling_test,
    published_test,
    smallest_margin,
    tight_doubling_test,
    tight_test,
)
from tacit.noise import SystemEntropy

FAILURE, RUNS = 0.1, 1500


def integrated(noise, margin, chances):
    """1 − E (1 − e^(−(m+w)/b₂))^T by adaptive quadrature."""
    first, second = noise.threshold_scale, noise.query_scale

    def integrand(w):
        return np.exp(-w / first) / first * (-np.expm1(-(margin + w) / second)) ** chances

    return 1 - quad(integrand, 0, 60 * first, limit=400, epsabs=1e-12)[0]


@pytest.mark.proof("test-failure")
@pytest.mark.parametrize("chances", [1, 2, 17, 1000])
@pytest.mark.parametrize("share", [0.1, 0.3, 0.7])
@pytest.mark.parametrize("margin", [0.01, 1.0, 10.0])
def test_the_formula_is_the_integral(chances, share, margin):
    noise = OneSidedNoise(1.0, 1.3, share)
    assert failure_probability(noise, margin, chances) == pytest.approx(integrated(noise, margin, chances), abs=1e-8)


def check_margin(noise, margin, chances):
    assert integrated(noise, margin, chances) <= FAILURE + 1e-9
    assert integrated(noise, margin * 0.999, chances) > FAILURE


@pytest.mark.proof("test-failure")
@pytest.mark.parametrize("chances", [1, 30, 1001])
def test_the_margin_is_the_smallest_and_mutants_fail(chances):
    noise = OneSidedNoise(0.01, 0.4)
    margin = smallest_margin(noise, chances, FAILURE)
    check_margin(noise, margin, chances)
    with pytest.raises(AssertionError):
        check_margin(OneSidedNoise(0.02, 0.4), margin, chances)
    if chances > 1:
        with pytest.raises(AssertionError):
            check_margin(noise, smallest_margin(noise, 1, FAILURE), chances)


def test_no_margin_always_fails():
    assert failure_probability(OneSidedNoise(1.0, 1.0), 0.0, 1) == 1.0


def failures(test, values, runs=RUNS):
    """Runs in which one of the values is accepted."""
    count = 0
    for _ in range(runs):
        running = test.start(SystemEntropy())
        count += running.first_above(np.array(values), values.__getitem__) is not None
    return count


def check_failures(test, values):
    assert binom.sf(failures(test, values) - 1, RUNS, FAILURE) > 1e-9


@pytest.mark.statistical
@pytest.mark.proof("test-failure")
def test_bad_hypotheses_are_accepted_as_often_as_promised_and_hardly_less():
    test = tight_test(OneSidedNoise(0.001, 0.3), 8, FAILURE, -0.05)
    bad = failures(test, [-0.05] * 8)
    assert binom.sf(bad - 1, RUNS, FAILURE) > 1e-9
    assert binom.cdf(bad, RUNS, FAILURE) > 1e-9


@pytest.mark.statistical
@pytest.mark.proof("test-failure")
def test_a_threshold_of_the_wrong_sign_fails_the_check():
    honest = tight_test(OneSidedNoise(0.001, 0.3), 8, FAILURE, -0.05)
    flipped = ThresholdTest(honest.noise, -abs(honest.threshold) - 0.05)
    with pytest.raises(AssertionError):
        check_failures(flipped, [-0.05] * 8)


@pytest.mark.statistical
@pytest.mark.proof("test-failure")
def test_published_test_as_printed():
    test = published_test(0.001, 10, FAILURE, 0.05)
    assert test.cost(7) == pytest.approx(16 * 0.001 * np.log(200) / 0.05)
    assert test.threshold == -0.025
    check_failures(test, [-0.05] * 10)


@pytest.mark.statistical
@pytest.mark.proof("doubling-method")
@pytest.mark.parametrize("calibrate", [published_doubling_test, tight_doubling_test])
def test_doubling_keeps_its_failure_probability(calibrate):
    target = 0.05 if calibrate is published_doubling_test else -0.05
    test = calibrate(0.001, 5, FAILURE, target)
    check_failures(test, [-0.05] * 5)
    assert test.cost(3) == pytest.approx(3 * 0.001 / test.scale)
    quiet = RepeatedTest(0.001, 3 * test.scale, test.threshold)
    with pytest.raises(AssertionError):
        check_failures(quiet, [-0.05] * 5)


@pytest.mark.proof("doubling-method")
def test_the_tight_doubling_test_is_cheaper_than_the_published_one():
    tight, published = tight_doubling_test(0.001, 10, FAILURE, -0.05), published_doubling_test(0.001, 10, FAILURE, 0.05)
    assert tight.cost(1) < published.cost(1)


def test_no_test_accepts_and_costs_nothing():
    assert NoTest().cost(3) == 0
    assert NoTest().start(SystemEntropy()).first_above(np.array([-1e9]), lambda _: -1e9) == 0


def check_a_perfect_model_can_pass(design_of) -> None:
    """The threshold lies well below the value of a perfect model, or the search is refused beforehand."""
    for task in (
        HaltingTask(3e-4, 0.01, 0.1, 5.0),
        HaltingTask(1.1e-2, 0.01, 0.1, 5.0),
        HaltingTask(1e-5, 0.005, 1e-4, 50.0),
    ):
        design = design_of(task)
        if design is not None:
            margin = smallest_margin(design.noise, len(design.epsilons) + 1, task.failure)
            assert margin - task.gap <= -0.09 * task.gap


def test_no_search_is_planned_that_even_a_perfect_model_fails(monkeypatch):
    check_a_perfect_model_can_pass(lambda task: best_design(task, 0.1, 10.0, None))
    monkeypatch.setattr(design_module, "DEEPEST", math.inf)
    with pytest.raises(AssertionError):
        check_a_perfect_model_can_pass(lambda task: best_design(task, 0.1, 10.0, None))
