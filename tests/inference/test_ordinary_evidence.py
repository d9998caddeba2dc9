"""Intervals for ordinary coefficients: coverage in worlds with a known truth, what is not determined, mutants."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom, chi2, norm

from tacit.inference import evidence_from_dict
from tacit.inference.ordinary_evidence import FLAT, MOSTLY, MOVING, OrdinaryEvidence
from tacit.mechanisms import SphericalLaplace
from tacit.mechanisms.intervals import smat, svec_size

N, NOISE, VARIANCE = 20_000, 1e-4, 1e-9


def world(rng, curvatures, truth, start, *, tilt=False):
    """(evidence, θ*): a quadratic risk with these curvatures along random axes; θ₁ is start·truth along each axis."""
    width = len(curvatures)
    axes = np.linalg.qr(rng.standard_normal((width, width)))[0]
    hessian = (axes * curvatures) @ axes.T
    theta, base = axes @ truth, axes @ (np.asarray(start) * truth)
    score = axes @ (np.sqrt(np.array(curvatures) / N) * rng.standard_normal(width))
    noise = np.sqrt(VARIANCE) * rng.standard_normal(width)
    law = None
    if tilt:
        law = SphericalLaplace(np.sqrt(VARIANCE / (width + 1)))
        direction = rng.standard_normal(width)
        noise = direction / np.linalg.norm(direction) * rng.gamma(width, law.scale)
    gradient = hessian @ (base - theta) + score + noise
    seen = hessian + NOISE * smat(rng.standard_normal(svec_size(width)), width)
    values, vectors = np.linalg.eigh(seen)
    step = -vectors @ ((vectors.T @ gradient) / np.maximum(values, 4 * NOISE))
    scores = np.array([np.trace(hessian)]) if tilt else hessian
    before = None if tilt else np.zeros(width)
    return OrdinaryEvidence(N, base + step, base, gradient, VARIANCE, seen, NOISE, scores, before, law), theta, axes


def coverage(rng, make, count, directions_of, mutate=lambda evidence: evidence):
    """(how many finite intervals cover, how many are finite)."""
    covered = finite = 0
    for _ in range(count):
        evidence, theta, axes = make(rng)
        evidence, directions = mutate(evidence), directions_of(axes)
        half = evidence.half_widths(directions, 0.95)
        known = np.isfinite(half)
        covered += int(np.sum(known & (np.abs(directions @ (evidence.theta - theta)) <= half)))
        finite += int(known.sum())
    return covered, finite


def assert_covered(found):
    """At least 94 %, unless chance alone explains less; a false alarm has a probability below 1e−9."""
    covered, finite = found
    assert covered >= binom.ppf(1e-9, finite, 0.94)


def resolved(rng, tilt=False):
    start = 1 + 2e-3 * rng.standard_normal(4)
    return world(rng, [0.02, 0.03, 0.01, 0.005], np.array([2.0, -3.0, 1.0, 4.0]), start, tilt=tilt)


def partly_lost(rng):
    """The third axis has half the curvature that its noise has, a large coefficient, and was found half-way only."""
    return world(rng, [0.02, 0.03, 0.5 * NOISE, 0.015], np.array([2.0, -3.0, 40.0, 1.0]), [1.0, 1.0, 0.6, 1.0])


def nearly_along(axes):
    """Directions that hold 4 % of a lost axis: below what makes them undetermined."""
    return (np.sqrt(0.96) * axes[:, [0, 1, 3]] + 0.2 * axes[:, [2]]).T


@pytest.mark.statistical
@pytest.mark.parametrize("tilt", [False, True])
def test_what_is_resolved_is_covered(tilt):
    rng = np.random.default_rng()
    assert_covered(coverage(rng, lambda rng: resolved(rng, tilt), 1500, lambda axes: np.eye(4)))


def flat_but_near(rng):
    """As before, but θ₁ is near: the step passes for a small one where the curvature seen is mostly noise."""
    return world(rng, [0.02, 0.03, 0.5 * NOISE, 0.015], np.array([2.0, -3.0, 40.0, 1.0]), [1.0, 1.0, 0.95, 1.0])


@pytest.mark.statistical
def test_a_forgotten_noise_of_the_hessian_is_caught():
    def forgotten(evidence):
        values, vectors = np.linalg.eigh(evidence.hessian)
        step = -vectors @ ((vectors.T @ evidence.gradient) / np.maximum(values, 1e-7))
        return replace(evidence, theta=evidence.base + step, hessian_noise=1e-9)

    rng = np.random.default_rng()
    _, finite = coverage(rng, flat_but_near, 1000, lambda axes: axes[:, [2]].T)
    assert finite <= binom.isf(1e-9, 1000, norm.sf(3.3))  # seen above 4 by chance: at least 3.5 deviations
    with pytest.raises(AssertionError):
        assert_covered(coverage(rng, flat_but_near, 1000, lambda axes: axes[:, [2]].T, forgotten))


@pytest.mark.statistical
def test_what_may_be_left_in_a_lost_direction_is_allowed_for():
    def nothing_left(evidence):
        evidence.__dict__["_axes"] = evidence._axes._replace(left=np.zeros(4))
        return evidence

    rng = np.random.default_rng()
    assert_covered(coverage(rng, partly_lost, 1000, nearly_along))
    with pytest.raises(AssertionError):
        assert_covered(coverage(rng, partly_lost, 1000, nearly_along, nothing_left))


def test_an_undetermined_coefficient_says_why_and_what_helps():
    evidence, _, axes = partly_lost(np.random.default_rng(0))
    along = axes[:, [2, 0]].T
    assert np.isinf(evidence.half_widths(along, 0.95)).tolist() == [True, False]
    assert evidence.reasons(along) == (FLAT, "")
    assert evidence.tails(along, np.array([1e6, 1e6])).tolist() == [1.0, 0.0]


def test_steps_that_have_not_settled_are_no_estimate():
    far = world(np.random.default_rng(1), [0.02, 0.03, 0.01], np.array([2.0, -3.0, 1.0]), [1.0, 1.0, 0.3])
    evidence, axes = far[0], far[2]
    assert evidence.reasons(axes[:, [2]].T) == (MOVING,)
    again = replace(evidence, before=axes @ [0.0, 0.0, 5.0])
    assert again.reasons(axes[:, [2]].T) == (MOVING,)


def test_if_most_is_lost_nothing_is_determined():
    flat = [0.02, 0.1 * NOISE, 0.1 * NOISE]
    evidence, _, _ = world(np.random.default_rng(2), flat, np.ones(3), np.ones(3))
    assert evidence.reasons(np.eye(3)) == (MOSTLY,) * 3
    assert np.all(np.isinf(evidence.half_widths(np.eye(3), 0.5)))


@pytest.mark.parametrize("tilt", [False, True])
def test_tails_and_intervals_tell_the_same(tilt):
    """The p-value of a distance that is just the half-width is one minus the level."""
    evidence, _, _ = resolved(np.random.default_rng(3), tilt)
    for level in (0.5, 0.95, 0.999):
        half = evidence.half_widths(np.eye(4), level)
        assert evidence.tails(np.eye(4), half) == pytest.approx(1 - level, rel=2e-2)


def test_the_covariance_is_never_below_the_standard_errors():
    evidence, _, _ = resolved(np.random.default_rng(4))
    directions = np.random.default_rng(5).standard_normal((6, 4))
    variances = np.diag(evidence.covariance(directions))
    assert np.all(variances >= evidence.standard_errors(directions) ** 2 * (1 - 1e-12))
    assert np.all(variances <= 1.2 * evidence.standard_errors(directions) ** 2)


@pytest.mark.statistical
def test_a_wald_statistic_of_several_is_rarely_large_under_the_truth():
    rng, large, runs = np.random.default_rng(), 0, 1500
    for _ in range(runs):
        evidence, theta, _ = resolved(rng)
        away = evidence.theta - theta
        large += float(away @ np.linalg.solve(evidence.covariance(np.eye(4)), away)) > chi2.isf(0.05, 4)
    assert large <= binom.isf(1e-9, runs, 0.055)


def test_without_a_penalty_a_wider_level_is_a_wider_interval_and_files_keep_everything():
    evidence, _, _ = resolved(np.random.default_rng(6))
    narrow, wide = (evidence.half_widths(np.eye(4), level) for level in (0.68, 0.99))
    assert wide == pytest.approx(narrow * norm.isf(0.005) / norm.isf(0.16))
    again = evidence_from_dict(evidence.to_dict())
    assert np.array_equal(again.half_widths(np.eye(4), 0.9), evidence.half_widths(np.eye(4), 0.9))
    assert np.all(evidence.noise_deviations(np.eye(4)) < evidence.standard_errors(np.eye(4)))
