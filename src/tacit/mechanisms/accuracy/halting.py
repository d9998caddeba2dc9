"""Tests that a hypothesis is accurate enough: exact probability of accepting one that is not.

A query is −min(excess risk, α), so a bad hypothesis (excess risk above α) has the value −α, up to a known error.
With T chances to accept one, W the threshold and m = W + α its margin,

    P(accept a bad one) ≤ P(max of T query noises > m + threshold noise) ≤ γ
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from flint import arb
from scipy.special import betainc, betaln

from tacit.arithmetic import exact, reduced, sum_up, upper
from tacit.mechanisms.accuracy.above_threshold import InteractiveAboveThreshold, OneSidedNoise, TestNoise, TwoSidedNoise
from tacit.mechanisms.laws import Vector
from tacit.noise import Entropy, LazyLaplaces, first_exceeding


class RunningTest(Protocol):
    """A test that has started."""

    def first_above(self, bounds: Vector, value: Callable[[int], float]) -> int | None:
        """The first i for which value(i) plus noise exceeds the noisy threshold; value(i) ≤ bounds[i]."""


class AccuracyTest(Protocol):
    """A calibrated test, before it has seen anything."""

    @property
    def threshold(self) -> float:
        """W, to be exceeded by −min(excess risk, α)."""

    @property
    def name(self) -> str:
        """What is done, for the certificate."""

    @property
    def theorems(self) -> tuple[str, ...]:
        """What proves its price and its failure probability."""

    @property
    def description(self) -> str:
        """The noise, for the certificate."""

    @property
    def scale(self) -> float:
        """Scale of the noise in one query."""

    def cost(self, tries: int) -> float:
        """ε paid for this many answers."""

    def start(self, entropy: Entropy) -> RunningTest:
        """Draw what is drawn once."""


@dataclass(frozen=True)
class ThresholdTest:
    """InteractiveAboveThreshold: one price, however many answers. By `interactive-above-threshold`."""

    noise: TestNoise
    threshold: float
    name: str = "AboveThreshold on the excess risk"
    theorems: tuple[str, ...] = ("interactive-above-threshold", "test-failure")

    @property
    def description(self) -> str:
        scales = f"threshold scale {self.noise.threshold_scale:.4g}, threshold {self.threshold:.4g}"
        return f"{self.noise.name}, {scales}, compared exactly"

    @property
    def scale(self) -> float:
        return self.noise.query_scale

    def cost(self, tries: int) -> float:
        return self.noise.epsilon

    def start(self, entropy: Entropy) -> RunningTest:
        return InteractiveAboveThreshold(self.noise, self.threshold, entropy)


@dataclass(frozen=True)
class RepeatedTest:
    """One Laplace query per hypothesis, each paid for: the test of the doubling method. By `doubling-method`."""

    sensitivity: float
    scale: float
    threshold: float
    name: str = "a comparison of its own for every hypothesis"
    theorems: tuple[str, ...] = ("doubling-method",)

    @property
    def description(self) -> str:
        return f"Laplace, fresh and paid for at every try, threshold {self.threshold:.4g}, compared exactly"

    def cost(self, tries: int) -> float:
        return upper(lambda: tries * exact(self.sensitivity) / exact(self.scale))

    def start(self, entropy: Entropy) -> RunningTest:
        return _Repeated(self, entropy)


@dataclass(frozen=True)
class _Repeated:
    test: RepeatedTest
    entropy: Entropy

    def first_above(self, bounds: Vector, value: Callable[[int], float]) -> int | None:
        noises = LazyLaplaces(len(bounds), self.test.scale, self.entropy)
        return first_exceeding(bounds, value, noises, self.test.threshold, _NOTHING)


class _Zero:
    def ball(self, bits: int) -> arb:
        return arb(0)


_NOTHING = _Zero()


@dataclass(frozen=True)
class NoTest:
    """Accepts the first hypothesis: for methods that trust a theorem instead of looking."""

    threshold: float = -math.inf
    scale: float = 0.0
    name: str = "none"
    theorems: tuple[str, ...] = ("theory-inversion",)
    description: str = "none: the accuracy is promised by a theorem, not looked at"

    def cost(self, tries: int) -> float:
        return 0.0

    def start(self, entropy: Entropy) -> RunningTest:
        return _Accepting()


class _Accepting:
    def first_above(self, bounds: Vector, value: Callable[[int], float]) -> int | None:
        return 0


def failure_probability(noise: OneSidedNoise, margin: float, chances: int) -> float:
    """P(max of T Exp(b₂) > m + Exp(b₁)) = 1 − ₂F₁(−T, k; k + 1; e^(−m/b₂)), k = b₂/b₁, rounded up; 1 for m ≤ 0.

    By `test-failure`.
    """
    if margin <= 0:
        return 1.0
    first, second = noise.threshold_scale, noise.query_scale

    def formula() -> arb:
        k = exact(second) / exact(first)
        return 1 - (-exact(margin) / exact(second)).exp().hypgeom_2f1(arb(-chances), k, k + 1)

    return min(1.0, upper(formula))


def smallest_margin(noise: OneSidedNoise, chances: int, failure: float) -> float:
    """The smallest m = W + α, to a millionth, whose failure probability was evaluated to be at most γ.

    By `test-failure`.
    """
    ratio = noise.query_scale / noise.threshold_scale
    margin = noise.query_scale * float(unit_margins(ratio, np.array([chances]), failure)[0])
    while failure_probability(noise, margin, chances) > failure:
        margin *= 1 + 1e-7
    return margin


def unit_margins(ratio: float, chances: Vector, failure: float) -> Vector:
    """m/b₂ with 1 − k c^(−k) B(k, T+1) I_c(k, T+1) = γ, c = e^(−m/b₂), k = b₂/b₁ = ratio: by bisection in floats.

    The regularised incomplete beta function is Euler's integral of ₂F₁ in another form. Not a certified number.
    """
    low, high = np.zeros(len(chances)), np.full(len(chances), 200.0)
    for _ in range(48):
        middle = (low + high) / 2
        scale = np.log(ratio) + ratio * middle + betaln(ratio, chances + 1.0)
        enough = np.exp(scale) * betainc(ratio, chances + 1.0, np.exp(-middle)) >= 1 - failure
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return np.asarray(high)


def tight_test(noise: OneSidedNoise, chances: int, failure: float, bad_value: float) -> ThresholdTest:
    """The lowest threshold that accepts a hypothesis of query value ≤ bad_value with probability at most γ."""
    return ThresholdTest(noise, sum_up(bad_value, smallest_margin(noise, chances, failure)))


def published_test(sensitivity: float, chances: int, failure: float, excess_risk: float) -> ThresholdTest:
    """Threshold −α/2 and ε₀ = 16Δ log(2T/γ)/α (Ligett et al. 2017, theorem 3.2)."""
    epsilon = upper(lambda: 16 * exact(sensitivity) * (2 * chances / exact(failure)).log() / exact(excess_risk))
    return ThresholdTest(TwoSidedNoise(sensitivity, epsilon, 0.5), -excess_risk / 2)


def published_doubling_test(sensitivity: float, chances: int, failure: float, excess_risk: float) -> RepeatedTest:
    """Threshold −α/2 and Laplace(α/(2 log(T/γ))) (Ligett et al. 2017, algorithm 4). By `doubling-method`."""
    return RepeatedTest(sensitivity, excess_risk / (2 * math.log(chances / failure)), -excess_risk / 2)


def tight_doubling_test(sensitivity: float, chances: int, failure: float, bad_value: float) -> RepeatedTest:
    """Threshold half way; 1 − (1 − ½e^(−m/b))^T = γ solved for the largest b. By `doubling-method`."""
    margin = -bad_value / 2
    tail = -math.expm1(math.log1p(-failure) / chances)
    return RepeatedTest(sensitivity, reduced(margin / math.log(1 / (2 * tail)), 40), bad_value / 2)
