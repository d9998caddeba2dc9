"""Non-negative weights of rows at a released θ: the curvature φ'' or the squared slope φ'² of the loss.

A weight is a function of its own row, of θ and of public constants: scores are added column by column with elementwise
operations, so that no row's weight depends on another row, and the result is clipped to a public bound. That makes the
stored weight itself, roundings included, the function whose sums are released. By `weighted-moments`.
"""

import math
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from scipy.sparse import issparse

from tacit.arithmetic import Floats, enlarged
from tacit.losses import Loss


class RowWeight(Protocol):
    """A weight in [0, bound]; the bound may depend on ‖θ‖₂ of the released θ."""

    @property
    def name(self) -> str:
        """What the certificate calls Σ weight·xxᵀ."""

    def bound(self, longest_score: float | None) -> float:
        """The largest weight over all rows whose score ⟨x, θ⟩ is at most this long; None: over all rows and all θ."""

    def __call__(self, score: Floats, y: Floats) -> Floats:
        """The weights of a block of rows."""


@dataclass(frozen=True)
class Curvature:
    """φ''(⟨x, θ⟩, y) ≤ t: the weights of the Hessian."""

    loss: Loss
    name: str = "Hessian at the released coefficients"

    def bound(self, longest_score: float | None) -> float:
        """t, whatever θ. By `loss-constants`."""
        return self.loss.constants(None).curvature

    def __call__(self, score: Floats, y: Floats) -> Floats:
        return self.loss.curvature(score, y)


@dataclass(frozen=True)
class SquaredSlope:
    """min(|φ'(⟨x, θ⟩, y)|, cap)²: the weights of the score covariance; a loss with unbounded slopes needs a cap."""

    loss: Loss
    cap: float = math.inf
    name: str = "score covariance at the released coefficients"

    def bound(self, longest_score: float | None) -> float:
        """min(sup |φ'|, cap)² over |score| ≤ longest_score. By `loss-constants`."""
        slope = min(self.loss.constants(longest_score).slope, self.cap)
        return enlarged(slope * slope, 50)

    def __call__(self, score: Floats, y: Floats) -> Floats:
        return np.square(np.minimum(np.abs(self.loss.slope(score, y)), self.cap))


def stored_weights(weight: RowWeight, X: Any, y: Floats, theta: Floats, bound: float) -> Floats:
    """The weights of a block, each computed from its own row and kept in [0, bound]."""
    return np.clip(weight(row_local_scores(X, theta), y), 0.0, bound)


def row_local_scores(X: Any, theta: Floats) -> Floats:
    """⟨x, θ⟩ for each row, added column by column: bit for bit a function of that row and θ alone."""
    if _is_sparse(X):
        return np.asarray(X @ theta)  # one running sum per row
    scores = X[:, 0] * theta[0]
    for column in range(1, X.shape[1]):
        scores += X[:, column] * theta[column]
    return np.asarray(scores)


def row_local_squares(X: Any) -> Floats:
    """‖x‖₂² for each row, added column by column."""
    if _is_sparse(X):
        return np.asarray(X.multiply(X).sum(axis=1)).ravel()
    squares = np.square(X[:, 0])
    for column in range(1, X.shape[1]):
        squares += np.square(X[:, column])
    return np.asarray(squares)


def pulled(X: Any, ball: float) -> Floats:
    """min(1, r²/‖x‖²) for each row: the factor of xxᵀ when x is pulled into the ball of radius r. By `pulled-rows`."""
    with np.errstate(divide="ignore", over="ignore"):  # a row of zeros stays where it is
        return np.minimum(1.0, ball * ball / row_local_squares(X))


def _is_sparse(X: Any) -> bool:
    return bool(issparse(X))
