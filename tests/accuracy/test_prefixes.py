"""Every prefix of a ladder, audited from outside: all releases up to level t together cost no more than ε_t."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

from tacit.audit.lower_bound import bound_from_draws
from tacit.mechanisms.accuracy.gradual_noise import (
    BrownianReduction,
    GradualNoise,
    LaplaceReduction,
    SphericalReduction,
    scales_above,
)
from tacit.noise import SystemEntropy

EPSILONS = tuple(np.geomspace(0.75, 1.5, 40))
SENSITIVITY, DELTA = 0.1, 1e-3
NOISES = [SphericalReduction(), LaplaceReduction(), BrownianReduction(DELTA)]
every_noise = pytest.mark.parametrize("noise", NOISES, ids=lambda noise: type(noise).__name__)


@dataclass(frozen=True)
class Mutant:
    """The law of another family, and a ladder of its own."""

    inner: GradualNoise

    @property
    def norm(self) -> str:
        return self.inner.norm

    @property
    def delta(self) -> float:
        return self.inner.delta

    def law(self, sensitivity, epsilon):
        return self.inner.law(sensitivity, epsilon)


class Fresh(Mutant):
    """Noise drawn anew at every level, in floats, accounted for as if it were reduced."""

    def ladder(self, values, sensitivity, epsilons, entropy):
        rng, shape = np.random.default_rng(), (len(epsilons), values.size)
        if self.norm == "l1":
            unit = rng.laplace(size=shape)
        elif self.delta:
            unit = rng.normal(size=shape)
        else:
            direction = rng.normal(size=shape)
            unit = direction / np.linalg.norm(direction, axis=1)[:, None] * rng.gamma(values.size, size=(shape[0], 1))
        releases = values + self.inner.scales(sensitivity, epsilons)[:, None] * unit

        class Independent:
            def releases(self, start, stop):
                return releases[start:stop]

        return Independent()


class Truncated(Mutant):
    """Jumps from level to level are truncated to integers, as by a vectorised function of integer type."""

    def ladder(self, values, sensitivity, epsilons, entropy):
        honest = self.inner.ladder(values, sensitivity, epsilons, entropy)

        class Broken:
            def releases(self, start, stop):
                last = honest.releases(len(epsilons) - 1, len(epsilons))
                return last + np.trunc(honest.releases(start, stop) - last)

        return Broken()


def check_scales(scales: np.ndarray, sensitivity: float, epsilons: np.ndarray) -> None:
    """In rational arithmetic: no scale is too small, none more than 2⁻⁵⁰ too large."""
    for scale, epsilon in zip(scales.tolist(), epsilons.tolist(), strict=True):
        needed = Fraction(sensitivity) / Fraction(epsilon)
        assert needed <= Fraction(scale) <= needed * (1 + Fraction(1, 2**50))


@pytest.mark.proof("noise-calibration")
def test_scales_are_rounded_up_and_nearest_quotients_are_not():
    rng = np.random.default_rng()
    sensitivity, epsilons = float(rng.random()), rng.random(300)
    check_scales(scales_above(sensitivity, epsilons), sensitivity, epsilons)
    with pytest.raises(AssertionError):
        check_scales(sensitivity / epsilons, sensitivity, epsilons)


def draws(noise, level: int, centre: float, runs: int) -> np.ndarray:
    """Releases 0..level of `runs` independent ladders around (centre, 0), one row each: runs, levels, coordinates.

    The coordinates of Laplace and Gaussian ladders are independent, so one ladder serves all runs.
    """
    if noise.norm == "l1" or noise.delta:
        ladder = noise.ladder(np.full(runs, centre), SENSITIVITY, EPSILONS, SystemEntropy())
        return ladder.releases(0, level + 1).T[:, :, None]
    ladders = (noise.ladder(np.array([centre, 0.0]), SENSITIVITY, EPSILONS, SystemEntropy()) for _ in range(runs))
    return np.stack([ladder.releases(0, level + 1) for ladder in ladders])


def log_ratios(noise, releases: np.ndarray) -> np.ndarray:
    """log of the density of each level alone around (Δ, 0) over that around (0, 0)."""
    moved = releases.copy()
    moved[:, :, 0] -= SENSITIVITY
    power = 2 if noise.delta else 1
    scales = np.array([noise.law(SENSITIVITY, epsilon).scale for epsilon in EPSILONS[: releases.shape[1]]])
    lengths = np.linalg.norm(releases, axis=2) ** power - np.linalg.norm(moved, axis=2) ** power
    return lengths / (2 * scales**2 if noise.delta else scales)


def prefix_bound(noise, level: int) -> float:
    """A lower bound on ε of all releases up to a level, at confidence 1 − 1e-9.

    Two statistics: the likelihood ratio of the last level, which is that of an honest prefix, and the sum over levels,
    which is that of independent releases.
    """
    runs = 40_000 if noise.norm == "l1" or noise.delta else 800
    ratios = [log_ratios(noise, draws(noise, level, centre, runs)) for centre in (0.0, SENSITIVITY)]
    scores = (lambda table: table[:, -1], lambda table: table.sum(axis=1))
    return max(bound_from_draws(*ratios, 5e-10, delta=noise.delta, score=score) for score in scores)


def check_prefix(noise, level: int) -> None:
    assert prefix_bound(noise, level) <= EPSILONS[level]


@pytest.mark.statistical
@pytest.mark.parametrize("level", [0, 20, 39])
@every_noise
def test_every_prefix_passes_the_audit_at_its_epsilon(noise, level):
    check_prefix(noise, level)


@pytest.mark.slow
@pytest.mark.statistical
@pytest.mark.parametrize("level", range(len(EPSILONS)))
@every_noise
def test_really_every_prefix_passes_the_audit_at_its_epsilon(noise, level):
    check_prefix(noise, level)


@pytest.mark.statistical
def test_the_audit_comes_near_epsilon():
    assert prefix_bound(LaplaceReduction(), 39) > 0.8 * EPSILONS[39]


@pytest.mark.statistical
@every_noise
def test_fresh_noise_accounted_for_as_if_it_were_reduced_is_refuted(noise):
    with pytest.raises(AssertionError):
        check_prefix(Fresh(noise), 39)


@pytest.mark.statistical
def test_integer_jumps_are_refuted():
    with pytest.raises(AssertionError):
        check_prefix(Truncated(LaplaceReduction()), 0)
