"""The published intervals (Wang, Kifer and Lee 2018) for logistic regression, as a measure of length.

Budget 65/17.5/17.5 % under pure ε (objective perturbation) and 90/5/5 % under zCDP (output perturbation); both matrices
with noise in d² entries for the sensitivities 1/(2n) and 2S(‖θ‖)²/n, eigenvalues raised to λ. Simulated noise.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import expit

from benchmarks.coverage.distinct import DistinctRows, Start

Z95 = 1.959963984540054
DRAWS = 4000


def interval_length(
    rows: DistinctRows,
    counts: np.ndarray,
    epsilon: float,
    currency: str,
    l2: float,
    rng: np.random.Generator,
    start: Start,
) -> float:
    """Mean length of the 95 % intervals on one bootstrap sample."""
    n, width = int(counts.sum()), rows.margins.shape[1]
    pure = currency == "pure"
    total = epsilon if pure else epsilon**2 / 2
    first, second, third = (total * share for share in ((0.65, 0.175, 0.175) if pure else (0.9, 0.05, 0.05)))
    if pure:
        rest = first - math.log1p(0.25 / (n * l2))
        theta = rows.minimum("logistic", l2, counts, _spherical(width, 2 / rest, rng), start)
    else:
        scale = 2 / (n * l2 * math.sqrt(2 * first))
        theta = rows.minimum("logistic", l2, counts, 0.0, start) + rng.normal(0, scale, width)
    curvature, scores = (moment / n for moment in rows.moments("logistic", theta, counts))
    slope = float(expit(np.linalg.norm(theta)))
    hessian = _repaired(curvature + l2 * np.eye(width), 0.5 / n, second, pure, l2, rng)
    covariance = _repaired(scores - l2**2 * np.outer(theta, theta), 2 * slope**2 / n, third, pure, l2, rng)
    inverse = np.linalg.inv(hessian)
    sampling = np.einsum("ij,jk,ik->i", inverse, covariance, inverse) / n
    if not pure:
        return float(np.mean(2 * Z95 * np.sqrt(sampling + scale**2)))
    noise = _spherical((DRAWS, width), 2 / rest, rng) @ inverse / n
    errors = noise + rng.standard_normal((DRAWS, width)) * np.sqrt(sampling)
    return float(np.mean(np.subtract(*np.quantile(errors, [0.975, 0.025], axis=0))))


def _repaired(
    matrix: np.ndarray, sensitivity: float, share: float, pure: bool, least: float, rng: np.random.Generator
) -> np.ndarray:
    size = matrix.size
    noise = (
        _spherical(size, sensitivity / share, rng) if pure else rng.normal(0, sensitivity / math.sqrt(2 * share), size)
    ).reshape(matrix.shape)
    values, vectors = np.linalg.eigh(matrix + (noise + noise.T) / 2)
    return (vectors * np.maximum(values, least)) @ vectors.T


def _spherical(shape: int | tuple[int, int], scale: float, rng: np.random.Generator) -> np.ndarray:
    vectors = rng.standard_normal(shape)
    lengths = rng.gamma(vectors.shape[-1], scale, (*vectors.shape[:-1], 1))
    return vectors * lengths / np.linalg.norm(vectors, axis=-1, keepdims=True)
