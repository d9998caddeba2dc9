"""Sums over rows that an empirical risk needs: Σφ, Σ∇φ, Σ∇²φ."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from scipy.sparse import csr_array, issparse

from tacit.arithmetic import Floats
from tacit.losses import Loss
from tacit.rows import Rows


class RiskSums(Protocol):
    """Sums over all rows at θ."""

    def value(self, theta: Floats) -> float: ...

    def gradient(self, theta: Floats) -> Floats: ...

    def gradient_and_hessian(self, theta: Floats) -> tuple[Floats, Floats]: ...


@dataclass(frozen=True, slots=True)
class LossSums:
    """Any smooth loss: one pass over the rows for each evaluation."""

    rows: Rows
    loss: Loss

    def value(self, theta: Floats) -> float:
        return self.rows.total(lambda X, y: float(np.sum(self.loss.value(X @ theta, y))))

    def gradient(self, theta: Floats) -> Floats:
        def kernel(X: Any, y: Floats) -> Floats:
            return np.asarray(self.loss.slope(X @ theta, y) @ X)

        return self.rows.total(kernel)

    def gradient_and_hessian(self, theta: Floats) -> tuple[Floats, Floats]:
        def kernel(X: Any, y: Floats) -> tuple[Floats, Floats]:
            slope, curvature = self.loss.slope_and_curvature(X @ theta, y)
            return slope @ X, weighted_gram(X, curvature)

        return self.rows.total(kernel)


class GramSums:
    """Squared loss: Σxxᵀ, Σyx and Σy² say everything, so the rows are read once."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    @cached_property
    def statistics(self) -> tuple[Floats, Floats, float]:
        def kernel(X: Any, y: Floats) -> tuple[Floats, Floats, float]:
            return gram(X), y @ X, float(y @ y)

        return self._rows.total(kernel)

    def value(self, theta: Floats) -> float:
        matrix, moment, squares = self.statistics
        return 0.5 * float(theta @ (matrix @ theta)) - float(moment @ theta) + 0.5 * squares

    def gradient(self, theta: Floats) -> Floats:
        matrix, moment, _ = self.statistics
        return np.asarray(matrix @ theta - moment)

    def gradient_and_hessian(self, theta: Floats) -> tuple[Floats, Floats]:
        return self.gradient(theta), self.statistics[0]


def gram(X: Any) -> Floats:
    """Σ xxᵀ over a block."""
    product = X.T @ X
    return np.asarray(product.toarray() if issparse(X) else product)


def weighted_gram(X: Any, weights: Floats) -> Floats:
    """Σ wᵢ xᵢxᵢᵀ over a block, wᵢ ≥ 0."""
    root = np.sqrt(weights)
    if isinstance(X, csr_array):
        return gram(csr_array((X.data * np.repeat(root, np.diff(X.indptr)), X.indices, X.indptr), shape=X.shape))
    few = np.flatnonzero(root)
    if 4 * few.size <= root.size:
        return gram(X[few] * root[few, None])
    return gram(X * root[:, None])
