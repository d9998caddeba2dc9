"""AdaSSP (Wang 2018): ridge regression from noisy sufficient statistics with an adaptive ridge.

Accounted exactly as one Gaussian mechanism of three equal slices, which is kinder than the published split of (ε, δ).
"""

from __future__ import annotations

import math

import numpy as np

from tacit.privacy import Approx, gaussian_mu

Array = np.ndarray


def adassp(
    X: Array, y: Array, epsilon: float, rng: np.random.Generator, delta: float, *, replace_one: bool = True
) -> Array:
    """(ε, δ) for neighbours that differ by one replaced row, or, as published, by one added or removed row."""
    d = X.shape[1]
    unit = math.sqrt(3) / gaussian_mu(Approx(epsilon, delta))
    matrix_scale, vector_scale = (math.sqrt(2) * unit, 2 * unit) if replace_one else (unit, unit)
    gram = X.T @ X
    smallest = max(0.0, np.linalg.eigvalsh(gram)[0] + unit * rng.standard_normal() - 1.96 * unit)
    ridge = max(0.0, matrix_scale * math.sqrt(d * math.log(2 * d**2 / 0.05)) - smallest)
    upper = np.triu(rng.standard_normal((d, d)))
    noise = upper + np.triu(upper, 1).T
    moment = X.T @ y + vector_scale * rng.standard_normal(d)
    return np.linalg.solve(gram + matrix_scale * noise + ridge * np.eye(d), moment)
