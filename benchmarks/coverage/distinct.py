"""Distinct rows and how often each occurs: a bootstrap sample is a vector of counts, and a fit costs milliseconds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

Floats = np.ndarray
LossName = Literal["logistic", "huber"]

MOST_STEPS = 100
SMALL_GRADIENT = 1e-7
SUFFICIENT_DECREASE = 1e-4
WELL_SHRUNK = 0.2


class Start(NamedTuple):
    """Where a minimum is looked for, and a Hessian to begin with."""

    theta: Floats
    hessian: Floats | None


class Pieces(NamedTuple):
    """φ, −φ' and φ'' of each margin."""

    value: Floats
    slope: Floats
    curvature: Floats


@dataclass(frozen=True)
class DistinctRows:
    """`margins` holds the distinct y·x, so that the label is +1 everywhere; `which` says which of them a row is."""

    margins: Floats
    which: Floats

    @classmethod
    def of(cls, X: Floats, y: Floats) -> DistinctRows:
        margins, which = np.unique(np.round(X * y[:, None], 12), axis=0, return_inverse=True)
        return cls(margins, which.astype(np.int32))

    @cached_property
    def counts(self) -> Floats:
        """The table itself."""
        return np.bincount(self.which, minlength=len(self.margins)).astype(float)

    def bootstrap(self, rng: np.random.Generator) -> Floats:
        """Counts of a sample of as many rows with replacement."""
        n = len(self.which)
        sample = self.which[rng.integers(0, n, n, dtype=np.int32)]
        return np.bincount(sample, minlength=len(self.margins)).astype(float)

    def minimum(
        self, loss: LossName, l2: float, counts: Floats, tilt: Floats | float = 0.0, start: Start | None = None
    ) -> Floats:
        """argmin (1/n) Σ count·φ(margin) + (λ/2)‖θ‖² + ⟨tilt, θ⟩/n by Newton's method with step halving.

        A Hessian serves as long as its steps shrink the gradient well.
        """
        n, width = counts.sum(), self.margins.shape[1]
        theta, hessian = start or (np.zeros(width), None)
        scores = self.margins @ theta
        pieces, before = pieces_of(loss, scores), np.inf
        for _ in range(MOST_STEPS):
            gradient = (tilt - self.margins.T @ (counts * pieces.slope)) / n + l2 * theta
            size = float(np.linalg.norm(gradient))
            if size < SMALL_GRADIENT:
                break
            if hessian is None or size > WELL_SHRUNK * before:
                hessian = self._gram(counts * pieces.curvature) / n + l2 * np.eye(width)
            step, before = np.linalg.solve(hessian, gradient), size
            along, decrease, length = self.margins @ step, SUFFICIENT_DECREASE * (step @ gradient), 1.0
            now = _risk(counts, pieces, theta, l2, tilt)
            while True:
                moved, moved_scores = theta - length * step, scores - length * along
                moved_pieces = pieces_of(loss, moved_scores)
                if length < 1e-6 or _risk(counts, moved_pieces, moved, l2, tilt) <= now - length * decrease + 1e-14:
                    break
                length /= 2
            theta, scores, pieces = moved, moved_scores, moved_pieces
        return theta

    def start(self, loss: LossName, l2: float, theta: Floats) -> Start:
        """θ with the Hessian of the whole table there."""
        curvature, _ = self.moments(loss, theta, self.counts)
        return Start(theta, curvature / self.counts.sum() + l2 * np.eye(len(theta)))

    def moments(self, loss: LossName, theta: Floats, counts: Floats) -> tuple[Floats, Floats]:
        """(Σ φ'' xxᵀ, Σ φ'² xxᵀ)."""
        pieces = pieces_of(loss, self.margins @ theta)
        return self._gram(counts * pieces.curvature), self._gram(counts * pieces.slope**2)

    def _gram(self, weights: Floats) -> Floats:
        """Σ weight·xxᵀ from the products of the columns: faster than a product of matrices."""
        rows, columns = np.triu_indices(self.margins.shape[1])
        gram = np.empty((self.margins.shape[1],) * 2)
        gram[rows, columns] = gram[columns, rows] = self._products @ weights
        return gram

    @cached_property
    def _products(self) -> Floats:
        rows, columns = np.triu_indices(self.margins.shape[1])
        return np.ascontiguousarray((self.margins[:, rows] * self.margins[:, columns]).T)


def pieces_of(loss: LossName, margins: Floats) -> Pieces:
    """The loss and its derivatives; the Huber hinge has width 0.5."""
    if loss == "logistic":
        hit = 1 / (1 + np.exp(-margins))
        miss = 1 - hit
        return Pieces(-np.log(hit), miss, hit * miss)
    active = np.clip(1.5 - margins, 0.0, 1.0)
    return Pieces(0.5 * active**2 + np.maximum(0.5 - margins, 0.0), active, ((active > 0) & (active < 1)).astype(float))


def _risk(counts: Floats, pieces: Pieces, theta: Floats, l2: float, tilt: Floats | float) -> float:
    return float((counts @ pieces.value + np.sum(tilt * theta)) / counts.sum() + l2 / 2 * theta @ theta)
