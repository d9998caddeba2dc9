"""How large the noise of a tilted minimum is for rows as the declaration suggests: a realistic figure, no bound.

The minimum of J(θ) + ⟨b, θ⟩/n moves by H⁻¹b/n. H was not released, so it is taken from public facts: columns that are
independent, numbers with a standard deviation of a quarter of their half-range, levels equally frequent, and the
curvature of the loss at the scores that the released θ gives such rows,

    H ≈ h̄(C + μμᵀ) + λI,    h̄ = E φ''(s), s ~ N(⟨θ, μ⟩, θᵀCθ),    μ and C the mean and the covariance of such rows.

Columns that are narrower, or repeat each other, have more noise. Post-processing.
"""

import math

import numpy as np

from tacit.arithmetic import Floats
from tacit.domain import Encoding
from tacit.losses import Loss

NODES = 24
WIDEST = 2000  # columns for which a matrix of their products is made


def typical_noise(theta: Floats, bound: float, l2: float, loss: Loss, encoding: Encoding, directions: Floats) -> Floats:
    """Deviations of gᵀθ̃ for each row g of `directions`; bound: the deviation of a coordinate if H were only λI."""
    means, covariance = encoding.public_moments()
    curvature = _mean_curvature(loss, float(theta @ means), math.sqrt(max(0.0, float(theta @ covariance @ theta))))
    hessian = curvature * (covariance + np.outer(means, means)) + l2 * np.eye(theta.size)
    return np.asarray(bound * l2 * np.linalg.norm(np.linalg.solve(hessian, directions.T), axis=0))


def _mean_curvature(loss: Loss, mean: float, deviation: float) -> float:
    """E φ'' over normal scores and both ends of the targets."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
    scores, ones = mean + deviation * nodes, np.ones(NODES)
    both = (loss.curvature(scores, ones) + loss.curvature(scores, -ones)) / 2
    return float(both @ weights) / math.sqrt(2 * math.pi)
