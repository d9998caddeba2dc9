"""InteractiveAboveThreshold: the first of a private sequence of queries that exceeds a threshold, and nothing else.

    halt at the first t with  f_t(D) + q_t > W + w,     w of scale Δ/ε₁,  q_t fresh of scale 2Δ/ε₂,  ε₀ = ε₁ + ε₂

The queries may themselves come out of private computations on the same rows. If seeing the first t of them costs ε_t,
halting at t costs ε₀ + ε_t, ex post. By `interactive-above-threshold`. No number is rounded: comparisons are exact,
by `lazy-comparison`.

    noise = OneSidedNoise(sensitivity=1 / n, epsilon=0.1)
    test = InteractiveAboveThreshold(noise, threshold=-0.02, entropy=SystemEntropy())
    for level, hypothesis in enumerate(increasingly_accurate):
        if test.above(-excess_error(hypothesis, rows)):
            return level, hypothesis        # costs 0.1 + what the hypotheses up to this one cost
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from tacit.arithmetic import exact, upper
from tacit.errors import ParameterError
from tacit.mechanisms.laws import Vector
from tacit.noise import (
    Entropy,
    LazyExponential,
    LazyExponentials,
    LazyLaplace,
    LazyLaplaces,
    LazyReal,
    LazyReals,
    exceeds,
    first_exceeding,
)
from tacit.privacy import Pure

THRESHOLD_SHARE = 0.3  # best split for one-sided noise over a wide range of problems; the published split is ½


@dataclass(frozen=True)
class TestNoise(ABC):
    """The noise of a test: what one replaced row can move a query, ε₀, and the share of ε₀ that hides the threshold."""

    __test__ = False  # not a pytest class

    sensitivity: float
    epsilon: float
    threshold_share: float = THRESHOLD_SHARE

    def __post_init__(self) -> None:
        Pure(self.epsilon)
        if not 0 < self.sensitivity < math.inf:
            raise ParameterError(f"sensitivity must be a positive, finite number, got {self.sensitivity!r}")
        if not 0 < self.threshold_share < 1:
            raise ParameterError(f"threshold_share must lie between 0 and 1, got {self.threshold_share!r}")

    @cached_property
    def threshold_scale(self) -> float:
        """Δ/ε₁, rounded up. By `interactive-above-threshold`."""
        return upper(lambda: exact(self.sensitivity) / (exact(self.threshold_share) * exact(self.epsilon)))

    @cached_property
    def query_scale(self) -> float:
        """2Δ/ε₂, rounded up. By `interactive-above-threshold`."""
        return upper(lambda: 2 * exact(self.sensitivity) / ((1 - exact(self.threshold_share)) * exact(self.epsilon)))

    @property
    @abstractmethod
    def name(self) -> str:
        """What a reader of the certificate calls it."""

    @abstractmethod
    def draw(self, scale: float, entropy: Entropy) -> LazyReal:
        """One real of this law and scale."""

    @abstractmethod
    def draw_many(self, count: int, scale: float, entropy: Entropy) -> LazyReals:
        """Independent ones."""


@dataclass(frozen=True)
class TwoSidedNoise(TestNoise):
    """Laplace noise, as published."""

    @property
    def name(self) -> str:
        return "Laplace"

    def draw(self, scale: float, entropy: Entropy) -> LazyReal:
        return LazyLaplace(scale, entropy)

    def draw_many(self, count: int, scale: float, entropy: Entropy) -> LazyReals:
        return LazyLaplaces(count, scale, entropy)


@dataclass(frozen=True)
class OneSidedNoise(TestNoise):
    """Exponential noise, never negative: half the variance of Laplace noise at the same price.

    The proof only ever moves the threshold up and needs P(q > x + 2Δ) ≥ e^−ε₂ P(q > x), which one side is enough for.
    By `interactive-above-threshold`.
    """

    @property
    def name(self) -> str:
        return "one-sided exponential"

    def draw(self, scale: float, entropy: Entropy) -> LazyReal:
        return LazyExponential(scale, entropy)

    def draw_many(self, count: int, scale: float, entropy: Entropy) -> LazyReals:
        return LazyExponentials(count, scale, entropy)


class InteractiveAboveThreshold:
    """One run of the test. Ask `above` until it says True; it answers no further question.

    Every query must have sensitivity at most `noise.sensitivity`, given all that was released before it.
    """

    def __init__(self, noise: TestNoise, threshold: float, entropy: Entropy) -> None:
        if not math.isfinite(threshold):
            raise ParameterError(f"threshold must be a finite, public number, got {threshold!r}")
        self.noise = noise
        self.threshold = threshold
        self.halted = False
        self._entropy = entropy
        self._threshold_noise = noise.draw(noise.threshold_scale, entropy)

    @property
    def charge(self) -> Pure:
        """ε₀: what the answers cost, however many there are."""
        return Pure(self.noise.epsilon)

    def above(self, value: float) -> bool:
        """Whether value + fresh noise exceeds the noisy threshold, exactly; True ends the test."""
        self._refuse_if_halted()
        fresh = self.noise.draw(self.noise.query_scale, self._entropy)
        self.halted = exceeds(value, fresh, self.threshold, self._threshold_noise)
        return self.halted

    def first_above(self, bounds: Vector, value: Callable[[int], float]) -> int | None:
        """What `above` would answer to value(0), value(1), …: the index of the first True, None if there is none.

        bounds[i] ≥ value(i). A query whose noise and bound settle the comparison is not evaluated; every answer is
        that of the exact comparison. By `lazy-comparison`.
        """
        self._refuse_if_halted()
        fresh = self.noise.draw_many(len(bounds), self.noise.query_scale, self._entropy)
        found = first_exceeding(bounds, value, fresh, self.threshold, self._threshold_noise)
        self.halted = found is not None
        return found

    def _refuse_if_halted(self) -> None:
        if self.halted:
            raise ParameterError("this test has halted: it answers True once. Start a new one, which costs its ε again")
