"""Ordinary coefficients under pure ε: a pilot with a very small λ, its Hessian, and one step that takes the λ back.

    θ̃        objective perturbation, minimum of the mean loss + (λ/2)‖θ‖² + ⟨b, θ⟩/n
    H         the Hessian of pulled rows at θ̃, and the trace of the score covariance
    θ̂         θ̃ + H⁻¹λθ̃: the pilot's gradient is −λθ̃ up to its tilt, by `pilot-gradient`

A second gradient would cost half of the first: under pure ε noise grows with the number of releases, not with its root.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from tacit.arithmetic import Floats
from tacit.mechanisms.intervals.newton import Estimate, stepped
from tacit.mechanisms.intervals.weighted_moments import WeightedMoments
from tacit.mechanisms.objective import ObjectivePerturbation
from tacit.mechanisms.release import Facts, Release
from tacit.noise import Entropy
from tacit.privacy import Budget, compose
from tacit.rows import Rows


@dataclass(frozen=True)
class DebiasedWithIntervals:
    """A private pilot, then the Hessian and the trace of the score covariance at it."""

    pilot: ObjectivePerturbation
    curvature: WeightedMoments
    scores: WeightedMoments

    @cached_property
    def charge(self) -> Budget:
        """All three releases. By `composition`."""
        return compose(self.pilot.charge, self.curvature.charge, self.scores.charge)

    @property
    def facts(self) -> tuple[Facts, ...]:
        return (*self.pilot.facts, self.curvature.facts, self.scores.facts)

    @cached_property
    def hessian_noise(self) -> float:
        """τ of the Hessian, in one svec coordinate."""
        return self.curvature.law().deviation(self.curvature.size) / self.curvature.shape.n

    def __call__(self, rows: Rows, entropy: Entropy) -> Release:
        return self.after(self.pilot(rows, entropy).theta, lambda release, theta: release(rows, theta, entropy))

    def after(self, pilot: Floats, look: Callable[[WeightedMoments, Floats], Floats]) -> Release:
        """The step from a released pilot; look: makes one of the two releases at it."""
        problem = self.pilot.problem
        hessian, scores = (look(release, pilot) / problem.shape.n for release in (self.curvature, self.scores))
        variance = (self.pilot.law.deviation(pilot.size) / problem.shape.n) ** 2
        gradient = Estimate(-problem.l2 * pilot, variance)
        return stepped(pilot, gradient, hessian, self.hessian_noise, {"scores": scores})
