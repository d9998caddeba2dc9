"""Intervals for ordinary coefficients: a Newton step with a noisy Hessian, and what that Hessian cannot resolve.

θ̂ = θ₁ + δ, δ = −U(Uᵀg/l⁺) with H = U l Uᵀ the released Hessian, τ its noise, l⁺ = max(l, 4τ), g the released gradient
at θ₁ and v its variance. For any matrix A known after the releases, θ₁ − A⁻¹g is off by A⁻¹ times (mean score + noise
of g + noise of H·(θ* − θ₁) + (A − H)(θ* − θ₁)): linear in the Hessian's noise, so H is the right matrix to invert. With

    e = √(v + l⁺/n)/l⁺                                     standard error along an eigenvector
    lost      l < 4τ, or |δ| > 3e, or δ repeats more than half of the step before and |δ| > 1.5e
    left      max(1.5 max(|δ|, 2√v/l⁺), |uᵀθ̂|) if lost, else 0: it may be off by as much again as was found in it
    a = U(l⁺ − τ)⁻¹Uᵀc                                      l⁺ − τ: a curvature passes for resolved by luck, too
    w² = sampling/n + v‖a‖² + (τ²/2)((‖δ‖² + Σ left²)‖a‖² + (aᵀδ)²) + Σ_lost (c·u)² left²

the half-width of cᵀθ is 1.03 z w under Gaussian noise, and a quantile of the pilot's own noise otherwise; sampling =
max(aᵀSa, aᵀHa) with the covariance S released, or κ aᵀHa, κ = tr S/tr H kept in [1.3, 4]. cᵀθ is not determined, its
interval (−∞, ∞), if lost directions hold more than 0.05 of ‖c‖², or 0.4 of all directions are lost (0.35 and a quarter
of Σ left² without a second step). All of it is post-processing.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from tacit.arithmetic import Floats
from tacit.inference.error_quantiles import two_sided_quantiles, two_sided_tails
from tacit.inference.evidence import checked_level, law_from_dict, law_to_dict, per_row
from tacit.mechanisms import AddedLaw, Release
from tacit.mechanisms.intervals import RESOLVED, DebiasedWithIntervals, NewtonWithIntervals

LOWERED = 1.0  # in τ
FAR, AGAIN = 3.0, 1.5  # in standard errors
REST = 1.5
MOST_LOADED = 0.05
ALLOWANCE = 1.03
LEAST_RATIO, LARGEST_RATIO, SMALLEST_TRACE = 1.3, 4.0, 1e-3


class Caution(NamedTuple):
    """How much of what is left counts beside the noise of H, and how many lost directions spoil everything."""

    coupling: float
    mostly: float


TWO_STEPS, ONE_STEP = Caution(1.0, 0.4), Caution(0.25, 0.35)

FLAT = (
    "not determined: its curvature is below the noise; tighten its bounds, drop it or merge levels, or raise the budget"
)
MOVING = "not determined: the steps have not settled along it; raise the budget, or drop columns that repeat each other"
MOSTLY = "not determined: too few directions of this table are above the noise; use fewer columns or a larger budget"


class Axes(NamedTuple):
    """Eigenvectors U of the released Hessian, raised curvatures, the last step along them, what is lost and left."""

    vectors: Floats
    raised: Floats
    step: Floats
    flat: NDArray[np.bool_]
    lost: NDArray[np.bool_]
    left: Floats


class Variances(NamedTuple):
    """Of each direction's error: sampling, gradient noise, noise of the Hessian, what lost directions may hide."""

    sampling: Floats
    gradient: Floats
    hessian: Floats
    hidden: Floats


@dataclass(frozen=True)
class OrdinaryEvidence:
    """What a pilot and the steps after it released; tilt: the law of its noise per row, None if all of it is Gaussian.

    theta: θ̂. base: θ₁. before: the step that led to θ₁, None without one. scores: a matrix, or a trace of length 1.
    """

    n: int
    theta: Floats
    base: Floats
    gradient: Floats
    gradient_variance: float
    hessian: Floats
    hessian_noise: float
    scores: Floats
    before: Floats | None
    tilt: AddedLaw | None

    @classmethod
    def of(cls, mechanism: NewtonWithIntervals | DebiasedWithIntervals, release: Release) -> "OrdinaryEvidence":
        """The evidence in a release of this mechanism."""
        n, found = mechanism.pilot.problem.shape.n, release.statistics
        return cls(
            n=n,
            theta=release.theta,
            base=found["base"],
            gradient=found["gradient"],
            gradient_variance=float(found["gradient variance"][0]),
            hessian=found["hessian"],
            hessian_noise=mechanism.hessian_noise,
            scores=found["scores"],
            before=found.get("step before"),
            tilt=per_row(mechanism.pilot.law, n) if isinstance(mechanism, DebiasedWithIntervals) else None,
        )

    @property
    def target(self) -> str:
        """What the intervals cover."""
        return "the ordinary coefficients of the population, without a penalty"

    def half_widths(self, directions: Floats, level: float) -> Floats:
        level = checked_level(level)
        found = self._variances(directions)
        if self.tilt is None:
            half = -ndtri((1 - level) / 2) * self.standard_errors(directions)
        else:
            released = (self.theta, self.hessian)
            half = two_sided_quantiles(self._rest(found), self.tilt, self._loads(directions), level, released)
        return np.where(self._undetermined(directions), np.inf, half)

    def standard_errors(self, directions: Floats) -> Floats:
        allowance = ALLOWANCE if self.tilt is None else 1.0
        return np.asarray(allowance * np.sqrt(np.sum(self._variances(directions), axis=0)))

    def noise_deviations(self, directions: Floats) -> Floats:
        found = self._variances(directions)
        return np.asarray(np.sqrt(found.gradient + found.hessian))

    def tails(self, directions: Floats, distances: Floats) -> Floats:
        if self.tilt is None:
            found = 2 * ndtr(-distances / self.standard_errors(directions))
        else:
            rest, released = self._rest(self._variances(directions)), (self.theta, self.hessian)
            found = two_sided_tails(rest, self.tilt, self._loads(directions), distances, released)
        return np.where(self._undetermined(directions), 1.0, found)

    def covariance(self, directions: Floats) -> Floats:
        axes, loads = self._axes, self._loads(directions)
        extra = np.outer(axes.step, axes.step) + self._far * np.eye(axes.step.size)
        noise = self.gradient_variance * np.eye(axes.step.size) + self.hessian_noise**2 / 2 * extra
        middle = self._middle / self.n + axes.vectors @ noise @ axes.vectors.T
        hidden = (directions @ axes.vectors) * axes.left
        allowance = ALLOWANCE**2 if self.tilt is None else 1.0
        return np.asarray(allowance * (loads @ middle @ loads.T + hidden @ hidden.T))

    def reasons(self, directions: Floats) -> tuple[str, ...]:
        """Why an interval is infinite and what helps, in words; "" where it is finite."""
        axes = self._axes
        if axes.lost.mean() > self._caution.mostly:
            return (MOSTLY,) * len(directions)
        flat, lost = (np.sum((directions @ axes.vectors[:, which]) ** 2, axis=1) for which in (axes.flat, axes.lost))
        words = np.where(flat >= lost / 2, FLAT, MOVING)
        return tuple(np.where(self._undetermined(directions), words, "").tolist())

    def to_dict(self) -> dict[str, Any]:
        return {
            "kind": "ordinary",
            "n": self.n,
            "theta": self.theta.tolist(),
            "base": self.base.tolist(),
            "gradient": self.gradient.tolist(),
            "gradient_variance": self.gradient_variance,
            "hessian": self.hessian.tolist(),
            "hessian_noise": self.hessian_noise,
            "scores": self.scores.tolist(),
            "before": None if self.before is None else self.before.tolist(),
            "tilt": None if self.tilt is None else law_to_dict(self.tilt),
        }

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> "OrdinaryEvidence":
        return cls(
            n=stored["n"],
            theta=np.array(stored["theta"]),
            base=np.array(stored["base"]),
            gradient=np.array(stored["gradient"]),
            gradient_variance=stored["gradient_variance"],
            hessian=np.array(stored["hessian"]),
            hessian_noise=stored["hessian_noise"],
            scores=np.array(stored["scores"]),
            before=None if stored["before"] is None else np.array(stored["before"]),
            tilt=None if stored["tilt"] is None else law_from_dict(stored["tilt"]),
        )

    @property
    def _caution(self) -> Caution:
        return ONE_STEP if self.before is None else TWO_STEPS

    @cached_property
    def _axes(self) -> Axes:
        values, vectors = np.linalg.eigh(self.hessian)
        raised = np.maximum(values, RESOLVED * self.hessian_noise)
        step = -(vectors.T @ self.gradient) / raised
        error = np.sqrt(self.gradient_variance + raised / self.n) / raised
        flat = values < RESOLVED * self.hessian_noise
        lost = flat | (np.abs(step) > FAR * error)
        if self.before is not None:
            before = vectors.T @ self.before
            lost |= (step * np.sign(before) > np.abs(before) / 2) & (np.abs(step) > AGAIN * error)
        unseen = REST * np.maximum(np.abs(step), 2 * np.sqrt(self.gradient_variance) / raised)
        left = np.where(lost, np.maximum(unseen, np.abs(vectors.T @ self.theta)), 0.0)
        return Axes(vectors, raised, step, flat, lost, left)

    @property
    def _far(self) -> float:
        """How far the truth may be from θ₁, squared: what the noise of the Hessian is multiplied with."""
        return float(np.sum(self._axes.step**2 + self._caution.coupling * self._axes.left**2))

    @cached_property
    def _middle(self) -> Floats:
        """A matrix M with aᵀMa at least the sampling variance of a direction: H raised to where S is above it."""
        if self.scores.ndim == 1:
            return self._ratio * _positive(self.hessian)
        return _positive(self.hessian) + _positive(self.scores - self.hessian)

    @property
    def _ratio(self) -> float:
        """The ratio κ of score variance to curvature."""
        return float(np.clip(self.scores[0] / max(np.trace(self.hessian), SMALLEST_TRACE), LEAST_RATIO, LARGEST_RATIO))

    def _loads(self, directions: Floats) -> Floats:
        """a, one row a direction."""
        vectors, raised = self._axes.vectors, self._axes.raised
        return np.asarray((directions @ vectors) / (raised - LOWERED * self.hessian_noise) @ vectors.T)

    def _variances(self, directions: Floats) -> Variances:
        axes, loads = self._axes, self._loads(directions)
        squares = np.sum(loads**2, axis=1)
        sampling = np.maximum(_quadratic(loads, self.hessian), 0.0)
        if self.scores.ndim == 1:
            sampling = self._ratio * sampling
        else:
            sampling = np.maximum(sampling, _quadratic(loads, self.scores))
        along = loads @ (axes.vectors @ axes.step)
        hidden = np.sum((directions @ axes.vectors * axes.left) ** 2, axis=1)
        hessian = self.hessian_noise**2 / 2 * (self._far * squares + along**2)
        return Variances(sampling / self.n, self.gradient_variance * squares, hessian, hidden)

    def _rest(self, found: Variances) -> Floats:
        """All variance but that of the pilot's noise, whose law is known."""
        return found.sampling + found.hessian + found.hidden

    def _undetermined(self, directions: Floats) -> NDArray[np.bool_]:
        axes = self._axes
        if axes.lost.mean() > self._caution.mostly:
            return np.ones(len(directions), dtype=bool)
        loaded = np.sum((directions @ axes.vectors[:, axes.lost]) ** 2, axis=1)
        return np.asarray(loaded > MOST_LOADED * np.sum(directions**2, axis=1))


def _quadratic(loads: Floats, matrix: Floats) -> Floats:
    return np.asarray(np.sum((loads @ matrix) * loads, axis=1))


def _positive(matrix: Floats) -> Floats:
    """The positive semi-definite part."""
    values, vectors = np.linalg.eigh(matrix)
    return np.asarray((vectors * np.maximum(values, 0.0)) @ vectors.T)
