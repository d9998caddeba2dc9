"""Entropy and exact samplers: the only door to randomness."""

from tacit.noise.entropy import Entropy, RecordedEntropy, ReplayedEntropy, SeededEntropy, SystemEntropy
from tacit.noise.grid import grid_exponent, spherical_grid_exponent
from tacit.noise.vectors import gaussian, laplace, spherical_laplace

__all__ = [
    "Entropy",
    "RecordedEntropy",
    "ReplayedEntropy",
    "SeededEntropy",
    "SystemEntropy",
    "gaussian",
    "grid_exponent",
    "laplace",
    "spherical_grid_exponent",
    "spherical_laplace",
]
