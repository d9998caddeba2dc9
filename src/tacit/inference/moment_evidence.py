"""Intervals for ridge regression from one noisy release of all second moments.

With M̃, m̃ the released moments of (x, y), A = M̃₊ + λI and θ̃ = A⁻¹m̃, the error A(θ̃ − θ₀) is the mean score plus
e − Eθ₀, *linear* in the noise (E, e) of (M̃, m̃): the noisy A is the right matrix to invert. With τ the standard
deviation of a svec coordinate of the noise and a the weight of y in the release,

    var θ̃ ≈ A⁻¹ [ Ω/n + (τ²/2)((1/a² + ‖θ̃‖²) I + θ̃θ̃ᵀ) ] A⁻¹,    less τ²θ̃_c² where the constant's moment is public
    Ω = released residual scores − λ²θ̃θ̃ᵀ (positive part) + τ_Ω I, or 1.6 σ̃²(A − λI) with σ̃² from the same moments

The factor is a quantile of |gᵀ(θ* − θ̃)|/w* over worlds simulated from the release with the same mechanism (parametric
bootstrap-t). It is read off an order statistic that is at least the quantile with 95 % confidence, by
`certified-quantiles`.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

from tacit.arithmetic import Floats
from tacit.inference.evidence import (
    checked_level,
    eigenvalues_raised,
    law_from_dict,
    law_to_dict,
    per_row,
)
from tacit.inference.ranks import draws_needed, safe_rank
from tacit.inference.stream import Stream
from tacit.mechanisms import AddedLaw, Release
from tacit.mechanisms.intervals import RegressionWithIntervals, smat, svec_size

WORLDS = 1000
DIRECTIONS_AT_ONCE = 512
VARIANCE_ALLOWANCE = 1.6
LARGEST_RESIDUAL_VARIANCE = 4.0
SMALLEST_RESIDUAL_VARIANCE = 1e-4


@dataclass(frozen=True)
class MomentEvidence:
    """A released θ̃ with the mean second moments of (x, ay) it came from; scores: residual scores, or an empty array.

    constant: the public value of the last column of every row, None without an intercept.
    """

    n: int
    l2: float
    theta: Floats
    moments: Floats
    moments_law: AddedLaw
    target_weight: float
    constant: float | None
    scores: Floats
    scores_law: AddedLaw | None

    @classmethod
    def of(cls, mechanism: RegressionWithIntervals, release: Release) -> "MomentEvidence":
        """The evidence in a release of this mechanism."""
        moments, shape = mechanism.moments, mechanism.moments.shape
        scores = mechanism.scores
        return cls(
            n=shape.n,
            l2=mechanism.l2,
            theta=release.theta,
            moments=release.statistics["moments"] / shape.n,
            moments_law=per_row(moments.law, shape.n),
            target_weight=moments.target_weight,
            constant=shape.constant,
            scores=np.empty((0, 0)) if scores is None else release.statistics["scores"] / shape.n,
            scores_law=None if scores is None else per_row(scores.law(release.theta), shape.n),
        )

    def half_widths(self, directions: Floats, level: float) -> Floats:
        level = checked_level(level)
        errors, inverses, middles = self._worlds(max(WORLDS, draws_needed(level)))
        coordinates = _factors(errors, inverses, middles, np.eye(self.theta.size), level)
        least = max(float(coordinates.mean()), -float(ndtri((1 - level) / 2)))
        widths = []
        for start in range(0, len(directions), DIRECTIONS_AT_ONCE):
            part = directions[start : start + DIRECTIONS_AT_ONCE]
            factors = np.maximum(_factors(errors, inverses, middles, part, level), least)
            widths.append(factors * self.standard_errors(part))
        return np.concatenate(widths)

    def standard_errors(self, directions: Floats) -> Floats:
        estimate = self._estimate(self.moments[None])
        loads = directions @ estimate.inverse[0]
        middle = self._middle(estimate)[0]
        return np.asarray(np.sqrt(np.sum((loads @ middle) * loads, axis=-1)))

    def noise_deviations(self, directions: Floats) -> Floats:
        estimate = self._estimate(self.moments[None])
        loads = directions @ estimate.inverse[0]
        middle = self._noise_covariance(estimate.theta)[0]
        return np.asarray(np.sqrt(np.maximum(0.0, np.sum((loads @ middle) * loads, axis=-1))))

    @property
    def target(self) -> str:
        errors = "are robust" if self.robust else "assume the same residual variance in all rows"
        pulled = f"the penalised coefficients (l2 = {self.l2:.3g}), which a penalty pulls towards zero"
        return f"{pulled}; standard errors {errors}"

    def homoskedastic_errors(self, directions: Floats) -> Floats:
        """Standard errors if the residual variance were the same in every row, sampling and privacy noise together."""
        return replace(self, scores=np.empty((0, 0)), scores_law=None).standard_errors(directions)

    @property
    def robust(self) -> bool:
        """Whether residual scores were released, so that standard errors hold for any residual variances."""
        return self.scores_law is not None

    def tails(self, directions: Floats, distances: Floats) -> Floats:
        """Of a normal error whose 95 % interval is the simulated one."""
        return np.asarray(2 * ndtr(ndtri(0.025) * distances / self.half_widths(directions, 0.95)))

    def covariance(self, directions: Floats) -> Floats:
        estimate = self._estimate(self.moments[None])
        loads = directions @ estimate.inverse[0]
        return np.asarray(loads @ self._middle(estimate)[0] @ loads.T)

    def reasons(self, directions: Floats) -> tuple[str, ...]:
        return ("",) * len(directions)

    def to_dict(self) -> dict[str, Any]:
        return {
            "kind": "moments",
            "n": self.n,
            "l2": self.l2,
            "theta": self.theta.tolist(),
            "moments": self.moments.tolist(),
            "moments_law": law_to_dict(self.moments_law),
            "target_weight": self.target_weight,
            "constant": self.constant,
            "scores": self.scores.tolist(),
            "scores_law": None if self.scores_law is None else law_to_dict(self.scores_law),
        }

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> "MomentEvidence":
        return cls(
            n=stored["n"],
            l2=stored["l2"],
            theta=np.array(stored["theta"], dtype=np.float64),
            moments=np.array(stored["moments"], dtype=np.float64),
            moments_law=law_from_dict(stored["moments_law"]),
            target_weight=stored["target_weight"],
            constant=stored["constant"],
            scores=np.array(stored["scores"], dtype=np.float64),
            scores_law=None if stored["scores_law"] is None else law_from_dict(stored["scores_law"]),
        )

    @property
    def _deviation(self) -> float:
        """Standard deviation τ of one svec coordinate of the noise in the moments."""
        return self.moments_law.deviation(svec_size(self.theta.size + 1))

    def _estimate(self, moments: Floats) -> "Estimate":
        """What the recipe computes from each matrix of moments."""
        gram = moments[:, :-1, :-1].copy()
        if self.constant is not None:
            gram[:, -1, -1] = self.constant**2
        identity = np.eye(self.theta.size)
        values, vectors = np.linalg.eigh(gram + self.l2 * identity)
        raised, transposed = np.maximum(values, self.l2)[:, None, :], np.swapaxes(vectors, -1, -2)
        curvature, inverse = (vectors * raised) @ transposed, (vectors / raised) @ transposed
        cross = moments[:, :-1, -1] / self.target_weight
        theta = (inverse @ cross[:, :, None])[:, :, 0]
        explained = 2 * np.sum(cross * theta, axis=1)
        quadratic = np.einsum("bi,bij,bj->b", theta, curvature - self.l2 * identity, theta)
        residual = moments[:, -1, -1] / self.target_weight**2 - explained + quadratic
        return Estimate(
            curvature, inverse, theta, np.clip(residual, SMALLEST_RESIDUAL_VARIANCE, LARGEST_RESIDUAL_VARIANCE)
        )

    def _score_covariance(self, estimate: "Estimate", allowance: float) -> Floats:
        """Ω for each estimate."""
        identity = np.eye(self.theta.size)
        if self.scores_law is not None:
            centred = self.scores - self.l2**2 * np.outer(self.theta, self.theta)
            noise = self.scores_law.deviation(svec_size(self.theta.size))
            return np.asarray(eigenvalues_raised(centred, 0.0) + noise * identity)[None]
        added = self._deviation / self.target_weight**2
        variance = np.minimum(LARGEST_RESIDUAL_VARIANCE, allowance * (estimate.residual + added))
        return np.asarray(variance[:, None, None] * (estimate.curvature - self.l2 * identity))

    def _noise_covariance(self, theta: Floats) -> Floats:
        """Covariance of e − Eθ."""
        identity = np.eye(theta.shape[1])
        lengths = np.sum(theta**2, axis=1)[:, None, None]
        outer = theta[:, :, None] * theta[:, None, :]
        covariance = self._deviation**2 / 2 * ((1 / self.target_weight**2 + lengths) * identity + outer)
        if self.constant is not None:
            covariance[:, -1, -1] -= self._deviation**2 * theta[:, -1] ** 2
        return np.asarray(covariance)

    def _middle(self, estimate: "Estimate", allowance: float = VARIANCE_ALLOWANCE) -> Floats:
        return self._score_covariance(estimate, allowance) / self.n + self._noise_covariance(estimate.theta)

    def _worlds(self, count: int) -> tuple[Floats, Floats, Floats]:
        """(θ* − θ̃, A*⁻¹, middle*) of simulated releases whose truth is the released estimate."""
        stream = Stream(self.theta, self.moments)
        width = self.theta.size
        estimate = self._estimate(self.moments[None])
        gram = estimate.curvature[0] - self.l2 * np.eye(width)
        cross = estimate.curvature[0] @ self.theta
        scores = self._score_covariance(estimate, VARIANCE_ALLOWANCE)[0] / self.n
        values, vectors = np.linalg.eigh(scores)
        roots = vectors * np.sqrt(np.maximum(values, 0.0))
        crosses = cross + stream.normals(count, width) @ roots.T
        variance = min(
            LARGEST_RESIDUAL_VARIANCE,
            VARIANCE_ALLOWANCE * (float(estimate.residual[0]) + self._deviation / self.target_weight**2),
        )
        moments = np.empty((count, width + 1, width + 1))
        moments[:, :-1, :-1] = gram
        moments[:, :-1, -1] = moments[:, -1, :-1] = self.target_weight * crosses
        square = variance + 2 * float(cross @ self.theta) - float(self.theta @ gram @ self.theta)
        moments[:, -1, -1] = self.target_weight**2 * square
        moments += smat(stream.noise(self.moments_law, count, svec_size(width + 1)), width + 1)
        seen = self._estimate(moments)
        return seen.theta - self.theta, seen.inverse, self._middle(seen, 1.0)


@dataclass(frozen=True)
class Estimate:
    """A, A⁻¹, θ and σ² computed from each of several matrices of moments."""

    curvature: Floats
    inverse: Floats
    theta: Floats
    residual: Floats


def _factors(errors: Floats, inverses: Floats, middles: Floats, directions: Floats, level: float) -> Floats:
    """Quantiles of |gᵀ(θ* − θ̃)|/w* for each direction g."""
    loads = directions @ inverses
    widths = np.sqrt(np.maximum(1e-300, np.sum((loads @ middles) * loads, axis=-1)))
    ratios = np.sort(np.abs(errors @ directions.T) / widths, axis=0)
    return np.asarray(ratios[safe_rank(len(errors), level)])
