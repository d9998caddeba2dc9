"""Noise that is taken away step by step: what each level costs and how its ladder is built.

A prefix of a ladder costs what its last level costs, by `spherical-ladder`, by `laplace-ladder` and by
`brownian-ladder`; independent releases cost their sum, by `composition`.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import log_ndtr, ndtr

from tacit.arithmetic import exact, sum_up, upper
from tacit.mechanisms.laws import Gaussian, Laplace, Matrix, NoiseLaw, SphericalLaplace, Vector
from tacit.noise import BrownianLadder, Entropy, LaplaceLadder, SphericalLadder
from tacit.privacy import Approx, gaussian_delta, gaussian_mu

MOST_LEVELS = 1024
"""Of a Gaussian ladder. Sharing δ among so many costs a few per cent of ε more than among a dozen."""


class Ladder(Protocol):
    """Releases of one private vector, level 0 the noisiest."""

    def releases(self, start: int, stop: int) -> Matrix:
        """Levels start..stop-1, one row a level."""


class GradualNoise(Protocol):
    """A family of laws, one per privacy level."""

    @property
    def norm(self) -> str:
        """The norm in which sensitivities are measured: "l1" or "l2"."""

    @property
    def delta(self) -> float:
        """δ that is spent whatever the level: 0 for pure privacy."""

    @property
    def theorems(self) -> tuple[str, ...]:
        """What proves the price of the levels seen."""

    def law(self, sensitivity: float, epsilon: float) -> NoiseLaw:
        """The noise of a level."""

    def scales(self, sensitivity: float, epsilons: Sequence[float]) -> Vector:
        """The scale of each level's law."""

    def prefix_costs(self, epsilons: Sequence[float]) -> tuple[float, ...]:
        """ε of seeing levels 0..t, for each t."""

    def ladder(self, values: Vector, sensitivity: float, epsilons: Sequence[float], entropy: Entropy) -> Ladder:
        """All levels, drawn at once."""


@dataclass(frozen=True)
class SphericalReduction:
    """Density ∝ exp(−ε‖z‖₂/Δ₂) at each level. By `spherical-ladder`."""

    norm: str = "l2"
    delta: float = 0.0
    theorems: tuple[str, ...] = ("spherical-ladder",)

    def law(self, sensitivity: float, epsilon: float) -> NoiseLaw:
        return SphericalLaplace(float(scales_above(sensitivity, epsilon)))

    def scales(self, sensitivity: float, epsilons: Sequence[float]) -> Vector:
        return scales_above(sensitivity, epsilons)

    def prefix_costs(self, epsilons: Sequence[float]) -> tuple[float, ...]:
        return tuple(epsilons)

    def ladder(self, values: Vector, sensitivity: float, epsilons: Sequence[float], entropy: Entropy) -> Ladder:
        return SphericalLadder(values, self.scales(sensitivity, epsilons).tolist(), entropy)


@dataclass(frozen=True)
class LaplaceReduction:
    """Independent Laplace(Δ₁/ε) at each level, as published. By `laplace-ladder`."""

    norm: str = "l1"
    delta: float = 0.0
    theorems: tuple[str, ...] = ("laplace-ladder",)

    def law(self, sensitivity: float, epsilon: float) -> NoiseLaw:
        return Laplace(float(scales_above(sensitivity, epsilon)))

    def scales(self, sensitivity: float, epsilons: Sequence[float]) -> Vector:
        return scales_above(sensitivity, epsilons)

    def prefix_costs(self, epsilons: Sequence[float]) -> tuple[float, ...]:
        return tuple(epsilons)

    def ladder(self, values: Vector, sensitivity: float, epsilons: Sequence[float], entropy: Entropy) -> Ladder:
        return LaplaceLadder(values, self.scales(sensitivity, epsilons).tolist(), entropy)


@dataclass(frozen=True)
class BrownianReduction:
    """N(0, σ_t² I) with σ_t = Δ₂/μ(ε_t, δ/MOST_LEVELS): each level may exceed its ε_t with its own share of δ.

    By `brownian-ladder` and by `ex-post-delta`.
    """

    delta: float
    norm: str = "l2"
    theorems: tuple[str, ...] = ("brownian-ladder", "ex-post-delta")

    def law(self, sensitivity: float, epsilon: float) -> NoiseLaw:
        return _gaussian(sensitivity, epsilon, self.delta)

    def scales(self, sensitivity: float, epsilons: Sequence[float]) -> Vector:
        return np.array([self.law(sensitivity, epsilon).scale for epsilon in epsilons])

    def prefix_costs(self, epsilons: Sequence[float]) -> tuple[float, ...]:
        return tuple(epsilons)

    def ladder(self, values: Vector, sensitivity: float, epsilons: Sequence[float], entropy: Entropy) -> Ladder:
        variances = [Fraction(scale) ** 2 for scale in self.scales(sensitivity, epsilons).tolist()]
        return BrownianLadder(values, variances, entropy)


def scales_above(sensitivity: float, epsilons: ArrayLike) -> Vector:
    """Δ/ε, rounded up: a computed quotient is off by half a unit in its last place, and the next float is taken.

    By `noise-calibration`.
    """
    return np.asarray(np.nextafter(sensitivity / np.asarray(epsilons, dtype=np.float64), np.inf))


@lru_cache(maxsize=4096)  # a ladder is asked for the law of the same level several times
def _gaussian(sensitivity: float, epsilon: float, delta: float) -> NoiseLaw:
    share = Approx(1.0, delta).share(Fraction(1, MOST_LEVELS)).delta
    mu = nearly_largest_mu(epsilon, share)
    return Gaussian(upper(lambda: exact(sensitivity) / exact(mu)))


def nearly_largest_mu(epsilon: float, delta: float) -> float:
    """A sensitivity/σ whose profile was evaluated to be within (ε, δ); to a millionth the largest there is.

    Found in floats and certified once: `gaussian_mu`, which goes to the last bit, takes fifty times as long. By
    `gaussian-profile`.
    """

    def too_much(logarithm: float) -> float:
        mu = math.exp(logarithm)
        return float(ndtr(mu / 2 - epsilon / mu) - math.exp(epsilon + log_ndtr(-mu / 2 - epsilon / mu))) - delta

    # At the lower end the profile is below every float, at the upper one it is nearly 1.
    least, most = min(1e-12, epsilon / 40), max(60.0, 3 * math.sqrt(2 * epsilon))
    mu = math.exp(brentq(too_much, math.log(least), math.log(most), xtol=1e-9))
    for _ in range(100):
        if gaussian_delta(epsilon, mu) <= delta:
            return mu
        mu *= 1 - 1e-7
    return gaussian_mu(Approx(epsilon, delta))  # floats see no difference of normal tails that are this close


@dataclass(frozen=True)
class FreshNoise:
    """Independent releases in the law of another family: what the doubling method pays for. By `composition`."""

    inner: SphericalReduction | LaplaceReduction

    @property
    def norm(self) -> str:
        return self.inner.norm

    @property
    def delta(self) -> float:
        return 0.0

    @property
    def theorems(self) -> tuple[str, ...]:
        return ("noise-calibration", "composition")

    def law(self, sensitivity: float, epsilon: float) -> NoiseLaw:
        return self.inner.law(sensitivity, epsilon)

    def scales(self, sensitivity: float, epsilons: Sequence[float]) -> Vector:
        return self.inner.scales(sensitivity, epsilons)

    def prefix_costs(self, epsilons: Sequence[float]) -> tuple[float, ...]:
        return tuple(sum_up(*epsilons[: t + 1]) for t in range(len(epsilons)))

    def ladder(self, values: Vector, sensitivity: float, epsilons: Sequence[float], entropy: Entropy) -> Ladder:
        laws = [self.law(sensitivity, epsilon) for epsilon in epsilons]
        return _Independent(lambda level: laws[level].add(values, entropy), {})


@dataclass(frozen=True)
class _Independent:
    draw: Callable[[int], Vector]
    drawn: dict[int, Vector]

    def releases(self, start: int, stop: int) -> Matrix:
        for level in range(start, stop):
            if level not in self.drawn:
                self.drawn[level] = self.draw(level)
        return np.stack([self.drawn[level] for level in range(start, stop)])
