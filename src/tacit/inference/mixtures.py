"""The law of a linear function of privacy noise plus an independent normal error, as a mixture of normals.

    Gaussian noise:   N(0, v + σ²‖c‖²)
    spherical noise:  N(0, v + 2V s²‖c‖²),      V ~ Γ((d + 1)/2)     by Gauss-Laguerre quadrature
    Laplace noise:    N(0, v + 2s² Σ Eₖcₖ²),    Eₖ ~ exponential      by an evenly spread sample

so tail probabilities are sums of normal tails and quantiles come from bisection. This is post-processing.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, ndtr, roots_genlaguerre

from tacit.inference.stream import Stream
from tacit.mechanisms.laws import Gaussian, Laplace, NoiseLaw, SphericalLaplace

Floats = NDArray[np.float64]

QUADRATURE_NODES = 24
SAMPLED_NODES = 192
BISECTIONS = 40
FIRST_BRACKET = 1.0
SMALLEST_DEVIATION = 1e-150


@dataclass(frozen=True)
class Mixture:
    """For each direction (row) the variances of the normals, and the weights all directions share."""

    variances: Floats
    weights: Floats


def error_law(sampling: Floats, law: NoiseLaw, loads: Floats, stream: Stream) -> Mixture:
    """The law of N(0, sampling) + ⟨loads, Z⟩, Z of the given law, for each row of `loads`."""
    squares = np.einsum("ij,ij->i", loads, loads)
    match law:
        case Gaussian(scale):
            return Mixture((sampling + scale**2 * squares)[:, None], np.ones(1))
        case SphericalLaplace(scale):
            order = (loads.shape[1] - 1) / 2
            nodes, weights = roots_genlaguerre(QUADRATURE_NODES, order)
            weights = weights / np.exp(gammaln(order + 1))
            return Mixture(sampling[:, None] + 2 * scale**2 * np.outer(squares, nodes), weights)
        case Laplace(scale):
            nodes = stream.exponentials(SAMPLED_NODES, loads.shape[1])
            variances = sampling[:, None] + 2 * scale**2 * (loads**2 @ nodes.T)
            return Mixture(variances, np.full(SAMPLED_NODES, 1 / SAMPLED_NODES))
    raise TypeError(f"no mixture for {law.name}")


def two_sided_quantiles(law: Mixture, level: float) -> Floats:
    """q for each direction with P(|error| > q) = 1 − level: the upper end of a bisection."""
    deviations = np.sqrt(law.variances)

    def exceeded(quantiles: Floats) -> NDArray[np.bool_]:
        tails = 2 * ndtr(-quantiles[:, None] / np.maximum(deviations, SMALLEST_DEVIATION)) @ law.weights
        return np.asarray(tails > 1 - level)

    low = np.zeros(len(deviations))
    high = FIRST_BRACKET * np.maximum(deviations.max(axis=1), SMALLEST_DEVIATION)
    while np.any(short := exceeded(high)):
        low, high = np.where(short, high, low), np.where(short, 2 * high, high)
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        short = exceeded(middle)
        low, high = np.where(short, middle, low), np.where(short, high, middle)
    return np.asarray(high)
