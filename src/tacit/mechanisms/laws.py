"""Noise laws and their calibration: how much noise a sensitivity needs under a budget.

    pure ε, ℓ2:   density ∝ exp(−‖z‖₂/s),  s = Δ₂/ε
    pure ε, ℓ1:   independent Laplace,      s = Δ₁/ε
    pure ε, nuclear norm of a symmetric matrix:  difference of two Wisharts, s = Δ/ε
    ρ-zCDP:       N(0, σ²I),                σ = Δ₂/√(2ρ)
    (ε, δ):       N(0, σ²I),                σ = Δ₂/μ(ε, δ)

Scales are rounded up. By `noise-calibration` and `wishart-difference`.
"""

import math
from dataclasses import dataclass
from typing import Protocol, assert_never

import numpy as np

from tacit import noise
from tacit.arithmetic import Floats, enlarged, exact, upper
from tacit.privacy import ZCDP, Approx, Budget, Pure, gaussian_mu

Vector = Floats
Matrix = Floats

FINER = 18  # bits by which drawn noise is finer than released noise: it costs nothing but a few exact evaluations


class AddedLaw(Protocol):
    """A law of exact noise for a whole vector that is released with it."""

    @property
    def name(self) -> str:
        """What a reader of the certificate calls it."""

    @property
    def scale(self) -> float:
        """The parameter of the law."""

    def add(self, values: Vector, entropy: noise.Entropy) -> Vector:
        """values + noise, rounded to the public grid."""

    def deviation(self, width: int) -> float:
        """Standard deviation of one coordinate of `width` many."""

    def grid(self, width: int) -> float:
        """The power of two of which every release is a multiple."""


class NoiseLaw(AddedLaw, Protocol):
    """A law that can also be drawn on its own, for use inside a computation."""

    def draw(self, width: int, entropy: noise.Entropy) -> Vector:
        """Noise alone, for use inside a computation: each coordinate within half a `fine_grid` of the exact real."""

    def reach(self, width: int) -> float:
        """A radius that the noise leaves with probability below e^−256. By `noise-reach`."""

    def fine_grid(self, width: int) -> float:
        """The power of two of which every drawn coordinate is a multiple."""


@dataclass(frozen=True)
class SphericalLaplace:
    """Density ∝ exp(−‖z‖₂/scale)."""

    scale: float
    name: str = "spherical Laplace (density proportional to exp(-|z|_2/scale))"

    def add(self, values: Vector, entropy: noise.Entropy) -> Vector:
        return noise.spherical_laplace(values, self.scale, entropy)

    def draw(self, width: int, entropy: noise.Entropy) -> Vector:
        return noise.spherical_laplace(np.zeros(width), self.scale, entropy, finer=FINER)

    def deviation(self, width: int) -> float:
        return self.scale * math.sqrt(width + 1)

    def reach(self, width: int) -> float:
        return self.scale * (2 * width + 512)

    def grid(self, width: int) -> float:
        return 2.0 ** noise.spherical_grid_exponent(self.scale, width)

    def fine_grid(self, width: int) -> float:
        return math.ldexp(self.grid(width), -FINER)


@dataclass(frozen=True)
class Laplace:
    """Independent coordinates with density ∝ exp(−|z|/scale)."""

    scale: float
    name: str = "independent Laplace"

    def add(self, values: Vector, entropy: noise.Entropy) -> Vector:
        return noise.laplace(values, self.scale, entropy)

    def draw(self, width: int, entropy: noise.Entropy) -> Vector:
        return noise.laplace(np.zeros(width), self.scale, entropy, finer=FINER)

    def deviation(self, width: int) -> float:
        return self.scale * math.sqrt(2)

    def reach(self, width: int) -> float:
        return self.scale * (2 * width + 512)

    def grid(self, width: int) -> float:
        return 2.0 ** noise.grid_exponent(self.scale)

    def fine_grid(self, width: int) -> float:
        return math.ldexp(self.grid(width), -FINER)


@dataclass(frozen=True)
class Gaussian:
    """N(0, scale² I)."""

    scale: float
    name: str = "Gaussian"

    def add(self, values: Vector, entropy: noise.Entropy) -> Vector:
        return noise.gaussian(values, self.scale, entropy)

    def draw(self, width: int, entropy: noise.Entropy) -> Vector:
        return noise.gaussian(np.zeros(width), self.scale, entropy, finer=FINER)

    def deviation(self, width: int) -> float:
        return self.scale

    def reach(self, width: int) -> float:
        return enlarged(self.scale * (math.sqrt(width) + 23), 40)

    def grid(self, width: int) -> float:
        return 2.0 ** noise.grid_exponent(self.scale)

    def fine_grid(self, width: int) -> float:
        return math.ldexp(self.grid(width), -FINER)


@dataclass(frozen=True)
class WishartDifference:
    """(scale/2)(GGᵀ − HHᵀ) as svec, G and H m×(m+1) standard normal: for symmetric matrices, as svec."""

    scale: float
    name: str = "difference of two Wisharts (scale/2)(GG' - HH'), one degree of freedom more than rows"

    def add(self, values: Vector, entropy: noise.Entropy) -> Vector:
        return noise.wishart_difference(values, self.scale, entropy)

    def deviation(self, width: int) -> float:
        return self.scale * math.sqrt(noise.matrix_order(width) + 1)

    def grid(self, width: int) -> float:
        return 2.0 ** noise.grid_exponent(self.scale)

    @property
    def largest_value(self) -> float:
        """No coordinate of a matrix may be longer: the law is for differences in the nuclear norm."""
        return noise.largest_value(self.scale)


def calibrate(sensitivity: float, budget: Budget) -> SphericalLaplace | Gaussian:
    """The noise that makes a vector of this ℓ2 sensitivity private. By `noise-calibration`."""
    match budget:
        case Pure(epsilon):
            return SphericalLaplace(upper(lambda: exact(sensitivity) / exact(epsilon)))
        case ZCDP(rho):
            return Gaussian(upper(lambda: exact(sensitivity) / (2 * exact(rho)).sqrt()))
        case Approx():
            mu = gaussian_mu(budget)
            return Gaussian(upper(lambda: exact(sensitivity) / exact(mu)))
        case _:
            assert_never(budget)


def calibrate_l1(sensitivity: float, budget: Pure) -> Laplace:
    """The noise that makes a vector of this ℓ1 sensitivity private. By `noise-calibration`."""
    return Laplace(upper(lambda: exact(sensitivity) / exact(budget.epsilon)))


def calibrate_nuclear(sensitivity: float, budget: Pure) -> WishartDifference:
    """The noise that makes a symmetric matrix of this nuclear-norm sensitivity private. By `wishart-difference`."""
    return WishartDifference(upper(lambda: exact(sensitivity) / exact(budget.epsilon)))
