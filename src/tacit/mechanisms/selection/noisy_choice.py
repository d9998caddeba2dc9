"""The choice among scored candidates: the index of the largest noisy score, and nothing but the index.

One replaced row moves the score q_i by at most Δ_i. Three ε-private choices, all by `validate-selection`:

    NoisyChoice        argmax q_i + Exp(mean (Δ_i + max_{j≠i} Δ_j)/ε)
    NormalisedChoice   argmax −max_j (q_j − q_i)/(Δ_i + Δ_j) + Exp(mean 2/ε)
    ExponentialChoice  P(i) ∝ exp(εq_i/(2 max Δ))

The first is best for about equal Δ. In the second two candidates are compared on their own scale, so that one with a
large Δ does not drown the others in noise; where Δ are equal it has twice the noise of the first.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from tacit.arithmetic import exact, sum_up, upper
from tacit.mechanisms.laws import Vector
from tacit.mechanisms.release import Facts, Sensitivity
from tacit.noise import Entropy, LazyExponential, exceeds, exponential_mechanism
from tacit.privacy import Budget

UNEQUAL = 100.0
"""Above this ratio of the largest to the smallest Δ candidates are compared on their own scales."""


@dataclass(frozen=True)
class ScoreNoise:
    """The law of what is added to each score."""

    name: str
    scale: float


@dataclass(frozen=True)
class NoisyChoice:
    """The candidate with the largest score after exponential noise. By `validate-selection`.

    moves: how far one replaced row moves each real score. rounding: how far a computed score can be from the real one.
    """

    moves: tuple[float, ...]
    rounding: float
    budget: Budget
    name: str
    theorems: tuple[str, ...]

    @property
    def charge(self) -> Budget:
        """Pure ε; the δ of an (ε, δ) budget is given back, and a zCDP budget keeps its currency."""
        return self.budget.charge_for(self.budget.as_pure())

    @cached_property
    def epsilon(self) -> float:
        """What the noise is calibrated to."""
        return self.budget.as_pure().epsilon

    @cached_property
    def spreads(self) -> tuple[float, ...]:
        """Δ_i: how far one replaced row moves each computed score. By `validate-selection`."""
        return tuple(sum_up(move, 2 * self.rounding) for move in self.moves)

    @cached_property
    def scales(self) -> tuple[float, ...]:
        """s_i = (Δ_i + max_{j≠i} Δ_j)/ε, rounded up. By `validate-selection`."""
        return tuple(self._scale(index) for index in range(len(self.spreads)))

    @property
    def law(self) -> ScoreNoise:
        """What the certificate says."""
        return ScoreNoise("exponential, added to each score; only the best index is released", max(self.scales))

    @property
    def facts(self) -> Facts:
        parts = {"one replaced row": max(self.moves), "rounding of scores": 2 * self.rounding}
        return Facts(
            mechanism=f"{self.name} ({len(self.moves)} candidates)",
            theorems=(*self.theorems, "validate-selection"),
            sensitivity=Sensitivity("the score that moves most", max(self.spreads), parts),
            charge=self.charge,
            law=self.law,
            grid=None,
            l2=0.0,
            radius=None,
            tolerance=0.0,
        )

    def __call__(self, scores: Vector, entropy: Entropy) -> int:
        return _largest([float(score) for score in scores], self.scales, entropy)

    def _scale(self, index: int) -> float:
        others = [spread for place, spread in enumerate(self.spreads) if place != index]
        return upper(lambda: (exact(self.spreads[index]) + exact(max(others, default=0.0))) / exact(self.epsilon))


@dataclass(frozen=True)
class NormalisedChoice(NoisyChoice):
    """The candidate that is least behind, in units of what a row can move. By `validate-selection`.

    max_j (q_j − q_i)/(Δ_i + Δ_j) moves by at most 1 (Raskhodnikova and Smith 2016); it is computed exactly.
    """

    @cached_property
    def scales(self) -> tuple[float, ...]:
        """2/ε for all, rounded up. By `validate-selection`."""
        return (upper(lambda: 2 / exact(self.epsilon)),) * len(self.spreads)

    @property
    def law(self) -> ScoreNoise:
        name = "exponential, added to how far each score is behind in units of what a row moves; only the best index"
        return ScoreNoise(f"{name} is released", max(self.scales))

    def __call__(self, scores: Vector, entropy: Entropy) -> int:
        return _largest([-behind for behind in shortfalls(scores, self.spreads)], self.scales, entropy)


@dataclass(frozen=True)
class ExponentialChoice(NoisyChoice):
    """The exponential mechanism, P(i) ∝ exp(q_i/s) with s = 2 max Δ/ε. By `validate-selection`."""

    @cached_property
    def scales(self) -> tuple[float, ...]:
        """2 max Δ/ε for all, rounded up. By `validate-selection`."""
        return (upper(lambda: 2 * exact(max(self.spreads)) / exact(self.epsilon)),) * len(self.spreads)

    @property
    def law(self) -> ScoreNoise:
        return ScoreNoise("Gumbel, added to each score; only the best index is released", max(self.scales))

    def __call__(self, scores: Vector, entropy: Entropy) -> int:
        return exponential_mechanism(scores, max(self.scales), entropy)


def kind_of_choice(moves: Sequence[float]) -> type[NoisyChoice]:
    """Which choice suits candidates that a row moves this far: public, as the moves are.

    Between two candidates own noise is (Δ_1 + Δ_2)/ε on both, half of what normalised scores would get.
    """
    unequal = len(moves) > 2 and max(moves) > UNEQUAL * min(moves)
    return NormalisedChoice if unequal else NoisyChoice


def shortfalls(scores: Vector, spreads: Sequence[float]) -> list[Fraction]:
    """max_j (q_j − q_i)/(Δ_i + Δ_j) ≥ 0 for each i, exactly; no score is refused."""
    q = [Fraction(float(score)) for score in np.nan_to_num(np.asarray(scores, dtype=np.float64))]
    moves = [Fraction(spread) for spread in spreads]
    pairs = list(zip(q, moves, strict=True))
    return [max((other - score) / (move + step) for other, step in pairs) for score, move in pairs]


def _largest(values: Sequence[float] | Sequence[Fraction], scales: Sequence[float], entropy: Entropy) -> int:
    """argmax of value_i + Exp(mean scale_i), with exact noise and exact comparisons. By `lazy-comparison`."""
    noises = [LazyExponential(scale, entropy) for scale in scales]
    best = 0
    for index in range(1, len(noises)):
        if exceeds(values[index], noises[index], values[best], noises[best]):
            best = index
    return best
