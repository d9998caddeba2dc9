"""Linear regression from noisy moments: noise-aware estimation, post-processing only.

With A ≈ Σ xxᵀ (last column: the constant), c ≈ Σ xy and noise of known size, minimise over slopes s and a free
intercept

    sᵀAs − 2cᵀs + κ‖s‖² + 2k₂ τ_c √d ‖s‖,        κ = max(0, K − max(0, λ_min(A) − K)),  K = τ_A √d

The first penalty covers the noise in A (an ellipsoid of radius K), the second, not squared, the noise in c: it sets
all slopes to zero when the signal is below the noise. Nothing here reads data, so any constants are private.
"""

import math

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

CROSS_PENALTY = 0.75
_TINY = 1e-9  # of the largest eigenvalue's scale: keeps the secular equation finite


def robust_ridge(
    gram: NDArray[np.float64], cross: NDArray[np.float64], gram_noise: float, cross_noise: float
) -> NDArray[np.float64]:
    """θ = (slopes, constant) from the noisy A, c and the standard deviations of their off-diagonal entries."""
    psd = nearest_psd(gram)
    width = len(cross)
    constant = max(float(psd[-1, -1]), gram_noise)
    slopes_gram = psd[:-1, :-1] - np.outer(psd[:-1, -1], psd[-1, :-1]) / constant
    slopes_cross = cross[:-1] - psd[:-1, -1] * cross[-1] / constant
    slopes = _penalised(
        slopes_gram, slopes_cross, gram_noise * math.sqrt(width), CROSS_PENALTY * cross_noise * math.sqrt(width)
    )
    return np.append(slopes, (cross[-1] - psd[-1, :-1] @ slopes) / constant)


def robust_ridge_without_constant(
    gram: NDArray[np.float64], cross: NDArray[np.float64], gram_noise: float, cross_noise: float
) -> NDArray[np.float64]:
    """The same for rows without a constant feature."""
    root = math.sqrt(len(cross))
    return _penalised(nearest_psd(gram), cross, gram_noise * root, CROSS_PENALTY * cross_noise * root)


def plain_ridge(gram: NDArray[np.float64], cross: NDArray[np.float64], penalty: float) -> NDArray[np.float64]:
    """argmin sᵀA₊s − 2cᵀs + penalty·‖s‖², A₊ the nearest positive semi-definite matrix: never ill-posed."""
    values, vectors = np.linalg.eigh(gram)
    return np.asarray(vectors @ ((vectors.T @ cross) / (np.maximum(values, 0.0) + penalty)))


def nearest_psd(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """The positive semi-definite matrix nearest in Frobenius norm."""
    values, vectors = np.linalg.eigh(matrix)
    return np.asarray((vectors * np.maximum(values, 0.0)) @ vectors.T)


def _penalised(
    gram: NDArray[np.float64], cross: NDArray[np.float64], gram_radius: float, cross_radius: float
) -> NDArray[np.float64]:
    """argmin sᵀAs − 2cᵀs + κ‖s‖² + 2r‖s‖: s = t·q/(w t + r) in eigen-coordinates, ‖s‖ = t."""
    values, vectors = np.linalg.eigh(gram)
    ridge = max(_TINY * gram_radius, gram_radius - max(0.0, float(values[0]) - gram_radius))
    weights = np.maximum(values, 0.0) + ridge
    q = vectors.T @ cross
    length = float(np.linalg.norm(q))
    if length <= cross_radius:
        return np.zeros_like(cross)

    def excess(norm: float) -> float:
        return float(np.sum((q / (weights * norm + cross_radius)) ** 2)) - 1.0

    longest = 2 * length / float(weights.min())  # the solution is at most half of it, so the signs differ surely
    norm = float(brentq(excess, 0.0, longest, xtol=1e-15 * longest, rtol=1e-14, maxiter=500))
    return np.asarray(vectors @ (q * norm / (weights * norm + cross_radius)))
