"""Ordinary coefficients under Gaussian noise: a pilot with a very small λ, then two noisy Newton steps without any.

    θ̃        objective perturbation; its λ pulls a little, and is forgotten by what follows
    θ₁        a step from θ̃ with the gradient, the Hessian and the score covariance released there
    θ̂         a step from θ₁ with those released there and what the first release says about them

The pilot is the minimum of a tilted objective, so −λθ̃ is a noisy gradient too, which makes most of its price good: by
`pilot-gradient`. The three releases add up by `composition`; all else is post-processing.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from tacit.mechanisms.intervals.joint_release import JointMoments, JointRelease
from tacit.mechanisms.laws import Matrix, Vector
from tacit.mechanisms.objective import ObjectivePerturbation
from tacit.mechanisms.release import Facts, Release
from tacit.noise import Entropy
from tacit.privacy import Budget, compose
from tacit.rows import Rows

RESOLVED = 4.0  # a curvature is told from its noise if it is this many standard deviations of it
FIRST_STEP_FLOOR = 3.0


class Estimate(NamedTuple):
    """A vector of independent estimates and the variance of each coordinate."""

    value: Vector
    variance: float


@dataclass(frozen=True)
class NewtonWithIntervals:
    """A private pilot, and joint releases at it and one step further on."""

    pilot: ObjectivePerturbation
    first: JointRelease
    second: JointRelease

    @cached_property
    def charge(self) -> Budget:
        """All three releases. By `composition`."""
        return compose(self.pilot.charge, self.first.charge, self.second.charge)

    @property
    def facts(self) -> tuple[Facts, ...]:
        return (*self.pilot.facts, self.first.facts, self.second.facts)

    @cached_property
    def hessian_noise(self) -> float:
        """τ of the mean of both Hessians, in one svec coordinate."""
        return math.sqrt(_together(self.first.hessian_noise**2, self.second.hessian_noise**2))

    def __call__(self, rows: Rows, entropy: Entropy) -> Release:
        return self.after(self.pilot(rows, entropy).theta, lambda release, theta: release(rows, theta, entropy))

    def after(self, pilot: Vector, look: Callable[[JointRelease, Vector], JointMoments]) -> Release:
        """Both steps from a released pilot; look: makes a joint release at a θ."""
        there = look(self.first, pilot)
        gradient = self._with_pilot(pilot, there.gradient)
        step = newton_step(there.hessian, gradient.value, FIRST_STEP_FLOOR * self.first.hessian_noise)
        return self._finished(pilot + step, step, gradient, there, look(self.second, pilot + step))

    def _with_pilot(self, pilot: Vector, released: Vector) -> Estimate:
        """The gradient at θ̃ from its release and from the pilot's own stationarity. By `pilot-gradient`."""
        tilt = (self.pilot.law.deviation(pilot.size) / self.pilot.problem.shape.n) ** 2
        return _mean(Estimate(released, self.first.gradient_noise**2), Estimate(-self.pilot.problem.l2 * pilot, tilt))

    def _finished(
        self, moved: Vector, step: Vector, gradient: Estimate, there: JointMoments, here: JointMoments
    ) -> Release:
        """θ̂ and what its intervals are made from, given both releases and the step between them.

        The first gradient is carried over with the mean of both Hessians (trapezoid rule: exact to second order), and
        what it misses by more than its noise is counted as its variance.
        """
        halves = (self.first.hessian_noise**2 + self.second.hessian_noise**2) / 8
        carried = gradient.value + (there.hessian + here.hessian) @ step / 2
        spread = gradient.variance + halves * float(step @ step) * (1 + 1 / step.size)
        missed = float(np.mean((carried - here.gradient) ** 2)) - self.second.gradient_noise**2
        fresh = Estimate(here.gradient, self.second.gradient_noise**2)
        final = _mean(Estimate(carried, max(spread, missed)), fresh)
        weights = self.first.gradient_noise**-2, self.second.gradient_noise**-2
        hessian = np.average([there.hessian, here.hessian], axis=0, weights=weights)
        return stepped(
            moved,
            final,
            hessian,
            self.hessian_noise,
            {"scores": np.average([there.scores, here.scores], axis=0, weights=weights), "step before": step},
        )


def stepped(base: Vector, gradient: Estimate, hessian: Matrix, noise: float, more: dict[str, Vector]) -> Release:
    """The release of θ̂ = θ₁ − A⁻¹g with A the noisy Hessian, its eigenvalues raised to what can be resolved."""
    theta = base + newton_step(hessian, gradient.value, RESOLVED * noise)
    statistics = {"base": base, "gradient": gradient.value, "gradient variance": np.array([gradient.variance])}
    size = np.sqrt(gradient.variance) / (RESOLVED * noise)
    return Release(theta, np.full(theta.size, size), statistics | {"hessian": hessian} | more)


def newton_step(hessian: Matrix, gradient: Vector, least: float) -> Vector:
    """−A⁻¹g, with eigenvalues of A below `least` raised to it."""
    values, vectors = np.linalg.eigh(hessian)
    return np.asarray(-vectors @ ((vectors.T @ gradient) / np.maximum(values, least)))


def _mean(first: Estimate, second: Estimate) -> Estimate:
    """Weighted by inverse variances."""
    weight = second.variance / (first.variance + second.variance)
    return Estimate(weight * first.value + (1 - weight) * second.value, _together(first.variance, second.variance))


def _together(first: float, second: float) -> float:
    """The variance of a mean weighted by inverse variances."""
    return first * second / (first + second)
