"""Entropy and exact samplers: the only door to randomness."""

from tacit.noise.coins import bernoulli
from tacit.noise.entropy import Entropy, RecordedEntropy, ReplayedEntropy, SeededEntropy, SystemEntropy
from tacit.noise.grid import grid_exponent, spherical_grid_exponent
from tacit.noise.ladders import BrownianLadder, LaplaceLadder, SphericalLadder
from tacit.noise.lazy import (
    LazyExponential,
    LazyExponentials,
    LazyLaplace,
    LazyLaplaces,
    LazyReal,
    LazyReals,
    exceeds,
    first_exceeding,
)
from tacit.noise.rounding import Balls, Binary64, Evaluator
from tacit.noise.seeding import entropy_of
from tacit.noise.selection import exponential_mechanism, permute_and_flip
from tacit.noise.vectors import gaussian, laplace, spherical_laplace
from tacit.noise.wishart import largest_value, matrix_order, wishart_difference

__all__ = [
    "Balls",
    "Binary64",
    "BrownianLadder",
    "Entropy",
    "Evaluator",
    "LaplaceLadder",
    "LazyExponential",
    "LazyExponentials",
    "LazyLaplace",
    "LazyLaplaces",
    "LazyReal",
    "LazyReals",
    "RecordedEntropy",
    "ReplayedEntropy",
    "SeededEntropy",
    "SphericalLadder",
    "SystemEntropy",
    "bernoulli",
    "entropy_of",
    "exceeds",
    "exponential_mechanism",
    "first_exceeding",
    "gaussian",
    "grid_exponent",
    "laplace",
    "largest_value",
    "matrix_order",
    "permute_and_flip",
    "spherical_grid_exponent",
    "spherical_laplace",
    "wishart_difference",
]
