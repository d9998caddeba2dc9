"""The functional mechanism of Zhang et al. 2012: noise on the coefficients of a polynomial objective."""

from __future__ import annotations

import numpy as np

Array = np.ndarray


def linear_regression(X: Array, y: Array, epsilon: float, rng: np.random.Generator) -> Array:
    """Σ(y − ⟨x, θ⟩)² with Laplace noise for Δ = 2(1 + 2d + d²) (pure ε)."""
    d = X.shape[1]
    return minimise_noisy_quadratic(X.T @ X, -2 * X.T @ y, 2 * (1 + 2 * d + d**2) / epsilon, rng)


def minimise_noisy_quadratic(matrix: Array, linear: Array, scale: float, rng: np.random.Generator) -> Array:
    """argmin θᵀMθ + ⟨c, θ⟩ after noise, with their repairs: a ridge of four standard deviations, then trimming."""
    d = len(linear)
    upper = np.triu(rng.laplace(scale=scale, size=(d, d)))
    noisy = matrix + (upper + upper.T) / 2 + np.diag(np.diag(upper)) / 2
    values, vectors = np.linalg.eigh(noisy + 4 * np.sqrt(2) * scale * np.eye(d))
    keep = values > 0
    tilted = vectors[:, keep].T @ (linear + rng.laplace(scale=scale, size=d))
    return -0.5 * vectors[:, keep] @ (tilted / values[keep])
