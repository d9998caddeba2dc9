"""Intervals around a private minimum, from a noisy Hessian and a noisy score covariance at it.

With A the released Hessian (eigenvalues below λ raised to λ) and a = A⁻¹g, the error of gᵀθ̃ is, to first order,

    aᵀ(mean score) + ⟨c, noise⟩,    c = a/n if the noise tilts the objective, c = g if it was added to the minimum
    variance of the first part:  v = (max(0, aᵀΣ̃a) + τ‖a‖²)/n,   Σ̃ = released covariance − λ²θ̃θ̃ᵀ, τ its noise
                            or:  v = κ aᵀ(A − λI)a/n,             κ = released trace / tr(A − λI), kept in [1.5, 4]

A itself is noisy. The factor q of the half-width q·w, w² = v + var⟨c, noise⟩, is therefore found in the released world:
with the truth A and fresh noise E, how wide must the same recipe be when it sees A + E (bootstrap-t)? Everything here
is post-processing of the release.
"""

from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from tacit.inference.evidence import (
    Floats,
    checked_level,
    eigenvalues_raised,
    law_from_dict,
    law_to_dict,
    per_row,
)
from tacit.inference.mixtures import error_law, studentised_factors
from tacit.inference.stream import Stream
from tacit.losses import HuberHinge
from tacit.mechanisms.laws import NoiseLaw, SphericalLaplace
from tacit.mechanisms.objective import ObjectivePerturbation
from tacit.mechanisms.release import Release
from tacit.mechanisms.svec import smat, svec_size
from tacit.mechanisms.with_intervals import FitWithIntervals

WORLDS = 128
DIRECTIONS_AT_ONCE = 256
LEAST_RATIO, LARGEST_RATIO = 1.5, 4.0
SMALLEST_TRACE = 1e-3
NOISY_HESSIAN = 0.6  # in units of λ: beyond it one coordinate's factor is not trusted beside the others'
ALLOWANCE = 1.04  # for what first-order errors leave out


@dataclass(frozen=True)
class MinimumEvidence:
    """A released θ̃ with Hessian (λI included, as it came out of the noise) and scores (matrix, or trace of length 1).

    tilted: the noise of the fit went into the objective. calibrated: factors come from simulated worlds.
    """

    n: int
    l2: float
    theta: Floats
    hessian: Floats
    hessian_law: NoiseLaw
    scores: Floats
    scores_law: NoiseLaw
    fit_law: NoiseLaw
    tilted: bool
    calibrated: bool

    @classmethod
    def of(cls, mechanism: FitWithIntervals, release: Release) -> "MinimumEvidence":
        """The evidence in a release of this mechanism."""
        problem = mechanism.fit.problem
        n, theta = problem.shape.n, release.theta
        hessian_law = per_row(mechanism.curvature.law(theta), n)
        noisy_huber = isinstance(problem.loss, HuberHinge) and isinstance(hessian_law, SphericalLaplace)
        return cls(
            n=n,
            l2=problem.l2,
            theta=theta,
            hessian=release.statistics["curvature"] / n + problem.l2 * np.eye(theta.size),
            hessian_law=hessian_law,
            scores=release.statistics["scores"] / n,
            scores_law=per_row(mechanism.scores.law(theta), n),
            fit_law=mechanism.fit.law,
            tilted=isinstance(mechanism.fit, ObjectivePerturbation),
            calibrated=not noisy_huber,
        )

    @property
    def curvature(self) -> Floats:
        """A."""
        return eigenvalues_raised(self.hessian, self.l2)

    @property
    def hessian_deviation(self) -> float:
        """Standard deviation of one svec coordinate of the Hessian's noise."""
        return self.hessian_law.deviation(svec_size(self.theta.size))

    def half_widths(self, directions: Floats, level: float) -> Floats:
        level = checked_level(level)
        least = self._common_factor(level)
        parts = range(0, len(directions), DIRECTIONS_AT_ONCE)
        return np.concatenate([self._widths(directions[i : i + DIRECTIONS_AT_ONCE], level, least) for i in parts])

    def standard_errors(self, directions: Floats) -> Floats:
        return np.asarray(self._standard_errors(self.curvature[None], directions)[0])

    def noise_deviations(self, directions: Floats) -> Floats:
        loads = self._noise_loads(directions @ np.linalg.inv(self.curvature), directions)
        return np.asarray(self._deviation * np.linalg.norm(loads, axis=-1))

    def to_dict(self) -> dict[str, Any]:
        return {
            "kind": "minimum",
            "n": self.n,
            "l2": self.l2,
            "theta": self.theta.tolist(),
            "hessian": self.hessian.tolist(),
            "hessian_law": law_to_dict(self.hessian_law),
            "scores": self.scores.tolist(),
            "scores_law": law_to_dict(self.scores_law),
            "fit_law": law_to_dict(self.fit_law),
            "tilted": self.tilted,
            "calibrated": self.calibrated,
        }

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> "MinimumEvidence":
        arrays = {name: np.array(stored[name]) for name in ("theta", "hessian", "scores")}
        laws = {name: law_from_dict(stored[name]) for name in ("hessian_law", "scores_law", "fit_law")}
        return cls(
            n=stored["n"],
            l2=stored["l2"],
            theta=arrays["theta"],
            hessian=arrays["hessian"],
            hessian_law=laws["hessian_law"],
            scores=arrays["scores"],
            scores_law=laws["scores_law"],
            fit_law=laws["fit_law"],
            tilted=stored["tilted"],
            calibrated=stored["calibrated"],
        )

    @property
    def _deviation(self) -> float:
        return self.fit_law.deviation(self.theta.size)

    def _widths(self, directions: Floats, level: float, least_factor: float) -> Floats:
        factors = np.maximum(self._factors(directions, level), least_factor)
        return np.asarray(ALLOWANCE * factors * self.standard_errors(directions))

    def _common_factor(self, level: float) -> float:
        """The mean factor of the encoded coordinates; the largest where the Hessian is noisy, a public fact."""
        factors = self._factors(np.eye(self.theta.size), level)
        noisy = self.hessian_deviation > NOISY_HESSIAN * self.l2
        return float(factors.max() if noisy else factors.mean())

    def _factors(self, directions: Floats, level: float) -> Floats:
        """q for each direction."""
        stream = Stream(self.theta, self.hessian, self.scores)
        curvature, width = self.curvature, self.theta.size
        worlds = curvature[None]
        if self.calibrated:
            noise = smat(stream.noise(self.hessian_law, WORLDS, svec_size(width)), width)
            worlds = eigenvalues_raised(curvature + noise, self.l2)
        loads = directions @ np.linalg.inv(curvature)
        sampling = self._sampling_variances(curvature[None], loads[None])[0]
        law = error_law(sampling, self.fit_law, self._noise_loads(loads, directions), stream)
        return studentised_factors(law, self._standard_errors(worlds, directions), level)

    def _standard_errors(self, curvatures: Floats, directions: Floats) -> Floats:
        """w for each curvature matrix and each direction."""
        loads = directions @ np.linalg.inv(curvatures)
        noise = self._deviation**2 * np.sum(self._noise_loads(loads, directions) ** 2, axis=-1)
        return np.asarray(np.sqrt(self._sampling_variances(curvatures, loads) + noise))

    def _noise_loads(self, loads: Floats, directions: Floats) -> Floats:
        return loads / self.n if self.tilted else np.broadcast_to(directions, loads.shape)

    def _sampling_variances(self, curvatures: Floats, loads: Floats) -> Floats:
        """v for each matrix and direction; loads: (matrices, directions, d)."""
        squares = np.sum(loads**2, axis=-1)
        if self.scores.ndim == 2:
            covariance = self.scores - self.l2**2 * np.outer(self.theta, self.theta)
            allowance = self.scores_law.deviation(svec_size(self.theta.size))
            quadratic = np.sum((loads @ covariance) * loads, axis=-1)
            return np.asarray((np.maximum(quadratic, 0.0) + allowance * squares) / self.n)
        quadratic = np.sum((loads @ curvatures) * loads, axis=-1) - self.l2 * squares
        return np.asarray(self._trace_ratio * np.maximum(quadratic, 0.0) / self.n)

    @property
    def _trace_ratio(self) -> float:
        """κ."""
        trace = float(np.trace(self.hessian)) - self.l2 * self.theta.size
        ratio = cast(float, self.scores[0]) / max(trace, SMALLEST_TRACE)
        return min(LARGEST_RATIO, max(LEAST_RATIO, float(ratio)))
