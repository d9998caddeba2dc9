"""Intervals around a private minimum, from a noisy Hessian and a noisy score covariance at it.

With A the curvature matrix (below) and a = A⁻¹g, the error of gᵀθ̃ is, to first order,

    aᵀ(mean score) + ⟨c, noise⟩,    c = a/n if the noise tilts the objective, c = g if it was added to the minimum
    variance of the first part:  v = (max(0, aᵀΣ̃a) + τ_Σ‖a‖²)/n,  Σ̃ = released covariance − λ²θ̃θ̃ᵀ, τ_Σ its noise
                            or:  v = κ aᵀ(A − λI)a/n,              κ = released trace / tr(H̃ − λI), kept in [1.5, 4]

and the half-width is a quantile of the law of the sum (see `error_quantiles`).

The released Hessian H̃ carries noise whose eigenvalues reach τ√(2d), τ its standard deviation in a svec coordinate.
Too large a curvature makes intervals too short, too small a one only makes them long, so A is H̃ lowered by a part of
that reach, with eigenvalues below λ raised to λ, which no Hessian is below:

    A = max(H̃ − sτ√(2d) I, λI),    s = min(m, 0.15 + 0.5 τ/λ)

with m = 0.6, or 0.3 where the covariance was released, d > 2 and τ ≤ 8λ. With d ≤ 2 many rows can share one score, and
the curvature of a Huber hinge jumps when they pass a corner together: under Gaussian noise, where the noise of H̃ leaves
little slack for that, s = min(0.8, max(0.15 + 0.5 τ/λ, 1.05 τ/λ)) if the covariance was released. s depends on public
facts only. All of this is post-processing of the release.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np

from tacit.arithmetic import Floats
from tacit.inference.error_quantiles import two_sided_quantiles, two_sided_tails
from tacit.inference.evidence import (
    checked_level,
    eigenvalues_raised,
    law_from_dict,
    law_to_dict,
    per_row,
)
from tacit.mechanisms import AddedLaw, Gaussian, ObjectivePerturbation, Release
from tacit.mechanisms.intervals import HESSIAN_NOISE_OVER_L2_HIGH, SMALL_WIDTH, FitWithIntervals, svec_size

DIRECTIONS_AT_ONCE = 256
LEAST_RATIO, LARGEST_RATIO = 1.5, 4.0
SMALLEST_TRACE = 1e-3
LEAST_LOWERING, LOWERING_SLOPE = 0.15, 0.5
LARGEST_LOWERING, LARGEST_LOWERING_WITH_COVARIANCE = 0.6, 0.3
NARROW_LOWERING_SLOPE, LARGEST_NARROW_LOWERING = 1.05, 0.8
# factors where nothing else leaves slack for what first-order errors miss: a measured covariance, noise added to θ
COVARIANCE_ALLOWANCE, OUTPUT_ALLOWANCE = 1.04, 1.06


@dataclass(frozen=True)
class MinimumEvidence:
    """A released θ̃ with Hessian (λI included, as it came out of the noise) and scores (matrix, or trace of length 1).

    tilted: the noise of the fit went into the objective.
    """

    n: int
    l2: float
    theta: Floats
    hessian: Floats
    hessian_law: AddedLaw
    scores: Floats
    scores_law: AddedLaw
    fit_law: AddedLaw
    tilted: bool

    @classmethod
    def of(cls, mechanism: FitWithIntervals, release: Release) -> "MinimumEvidence":
        """The evidence in a release of this mechanism."""
        problem = mechanism.fit.problem
        n, theta = problem.shape.n, release.theta
        return cls(
            n=n,
            l2=problem.l2,
            theta=theta,
            hessian=release.statistics["curvature"] / n + problem.l2 * np.eye(theta.size),
            hessian_law=per_row(mechanism.curvature.law(theta), n),
            scores=release.statistics["scores"] / n,
            scores_law=per_row(mechanism.scores.law(theta), n),
            fit_law=mechanism.fit.law,
            tilted=isinstance(mechanism.fit, ObjectivePerturbation),
        )

    @cached_property
    def curvature(self) -> Floats:
        """The Hessian A that is inverted: lowered by its own noise, eigenvalues raised to λ."""
        width = self.theta.size
        noise = self.hessian_law.deviation(svec_size(width))
        lowered = self.hessian - self._lowering(noise / self.l2) * noise * math.sqrt(2 * width) * np.eye(width)
        return eigenvalues_raised(lowered, self.l2)

    def half_widths(self, directions: Floats, level: float) -> Floats:
        level = checked_level(level)
        starts = range(0, len(directions), DIRECTIONS_AT_ONCE)
        quantiles = [self._quantiles(directions[i : i + DIRECTIONS_AT_ONCE], level) for i in starts]
        return np.concatenate(quantiles) * self._allowance

    def standard_errors(self, directions: Floats) -> Floats:
        return np.asarray(np.hypot(np.sqrt(self._sampling_variances(directions)), self.noise_deviations(directions)))

    def noise_deviations(self, directions: Floats) -> Floats:
        deviation = self.fit_law.deviation(self.theta.size)
        return np.asarray(deviation * np.linalg.norm(self._noise_loads(directions), axis=1))

    @property
    def target(self) -> str:
        return f"the penalised coefficients (l2 = {self.l2:.3g}), which a penalty pulls towards zero"

    def tails(self, directions: Floats, distances: Floats) -> Floats:
        variances, loads = self._sampling_variances(directions), self._noise_loads(directions)
        released = (self.theta, self.hessian, self.scores)
        return two_sided_tails(variances, self.fit_law, loads, distances / self._allowance, released)

    def covariance(self, directions: Floats) -> Floats:
        loads, noise = self._loads(directions), self._noise_loads(directions)
        spread = self.fit_law.deviation(self.theta.size) ** 2
        return np.asarray(loads @ self._middle @ loads.T / self.n + spread * noise @ noise.T)

    def reasons(self, directions: Floats) -> tuple[str, ...]:
        return ("",) * len(directions)

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
        }

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> "MinimumEvidence":
        arrays = {name: np.array(stored[name], dtype=np.float64) for name in ("theta", "hessian", "scores")}
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
        )

    @property
    def _has_covariance(self) -> bool:
        return self.scores.ndim == 2

    def _lowering(self, loudness: float) -> float:
        """s, with loudness τ/λ."""
        narrow, share = self.theta.size <= SMALL_WIDTH, LEAST_LOWERING + LOWERING_SLOPE * loudness
        if narrow and self._has_covariance and isinstance(self.hessian_law, Gaussian):
            return min(LARGEST_NARROW_LOWERING, max(share, NARROW_LOWERING_SLOPE * loudness))
        modest = self._has_covariance and not narrow and loudness <= HESSIAN_NOISE_OVER_L2_HIGH
        return min(LARGEST_LOWERING_WITH_COVARIANCE if modest else LARGEST_LOWERING, share)

    @property
    def _allowance(self) -> float:
        if not self.tilted:
            return OUTPUT_ALLOWANCE
        return COVARIANCE_ALLOWANCE if self._has_covariance else 1.0

    def _quantiles(self, directions: Floats, level: float) -> Floats:
        variances, loads = self._sampling_variances(directions), self._noise_loads(directions)
        released = (self.theta, self.hessian, self.scores)
        return two_sided_quantiles(variances, self.fit_law, loads, level, released)

    def _loads(self, directions: Floats) -> Floats:
        """a, one row a direction."""
        return np.asarray(directions @ np.linalg.inv(self.curvature))

    def _noise_loads(self, directions: Floats) -> Floats:
        """c, one row a direction."""
        return self._loads(directions) / self.n if self.tilted else directions

    def _sampling_variances(self, directions: Floats) -> Floats:
        """v for each direction."""
        loads = self._loads(directions)
        squares = np.sum(loads**2, axis=1)
        if self._has_covariance:
            allowance = self.scores_law.deviation(svec_size(self.theta.size))
            quadratic = np.sum((loads @ self._centred) * loads, axis=1)
            return np.asarray((np.maximum(quadratic, 0.0) + allowance * squares) / self.n)
        quadratic = np.sum((loads @ self.curvature) * loads, axis=1) - self.l2 * squares
        return np.asarray(self._trace_ratio * np.maximum(quadratic, 0.0) / self.n)

    @property
    def _centred(self) -> Floats:
        """The released score covariance, centred: Σ̃."""
        return np.asarray(self.scores - self.l2**2 * np.outer(self.theta, self.theta))

    @property
    def _middle(self) -> Floats:
        """A matrix whose quadratic forms are n times the sampling variances, or above them."""
        identity = np.eye(self.theta.size)
        if self._has_covariance:
            return (
                eigenvalues_raised(self._centred, 0.0) + self.scores_law.deviation(svec_size(len(identity))) * identity
            )
        return self._trace_ratio * eigenvalues_raised(self.curvature - self.l2 * identity, 0.0)

    @property
    def _trace_ratio(self) -> float:
        """The ratio κ of score variance to curvature."""
        trace = float(np.trace(self.hessian)) - self.l2 * self.theta.size
        ratio = cast(float, self.scores[0]) / max(trace, SMALLEST_TRACE)
        return min(LARGEST_RATIO, max(LEAST_RATIO, float(ratio)))
