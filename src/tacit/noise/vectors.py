"""Additive noise on a vector: Laplace, Gaussian, and the spherical (ℓ2) Laplace.

Each function returns R_g(values + Z) with Z exactly of the stated law and g a power of two that depends
on the scale only (and on the dimension, for spherical noise), so the privacy of the ideal mechanism
carries over without any inflation, by `certified-rounding`. The number of words taken from
`entropy.words` depends on the size alone. No value raises: NaN counts as 0, and values are clamped to
2^50 grid units. `finer` asks for a grid that many bits finer, for noise that is used inside a computation
instead of being released; outputs are clamped to 2^(32 - finer) scales.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tacit.arithmetic import Floats
from tacit.noise.entropy import Entropy
from tacit.noise.grid import (
    GRID_BITS,
    Number,
    binary_exponent,
    exact_scale,
    grid_exponent,
    spherical_grid_exponent,
)
from tacit.noise.laws import FixedSpread, GammaSpread, LaplaceNoise, NormalNoise
from tacit.noise.rounding import Evaluator, release


def laplace(
    values: ArrayLike, scale: Number, entropy: Entropy, *, finer: int = 0, evaluator: Evaluator | None = None
) -> Floats:
    """values + Z, Z independent with density exp(-|z|/scale) / (2 scale), by `certified-rounding`."""
    exact = exact_scale("scale", scale)
    noise = LaplaceNoise(np.size(values), exact, entropy)
    return release(values, noise, grid_exponent(exact) - finer, evaluator)


def gaussian(
    values: ArrayLike, sigma: Number, entropy: Entropy, *, finer: int = 0, evaluator: Evaluator | None = None
) -> Floats:
    """values + N(0, sigma² I), by `certified-rounding`."""
    exact = exact_scale("sigma", sigma)
    noise = NormalNoise(np.size(values), FixedSpread(exact**2), entropy)
    return release(values, noise, binary_exponent(exact) - GRID_BITS - finer, evaluator)


def spherical_laplace(
    values: ArrayLike, scale: Number, entropy: Entropy, *, finer: int = 0, evaluator: Evaluator | None = None
) -> Floats:
    """values + Z, Z with density proportional to exp(-|z|₂/scale), by `spherical-mixture`.

    Z = scale·√(2V)·N(0, I_d) with V ~ Gamma((d+1)/2, 1): no division by a norm, and coordinates that are
    independent given V.
    """
    exact = exact_scale("scale", scale)
    dimension = int(np.size(values))
    noise = NormalNoise(dimension, GammaSpread(exact, dimension + 1, entropy), entropy)
    return release(values, noise, spherical_grid_exponent(exact, dimension) - finer, evaluator)
