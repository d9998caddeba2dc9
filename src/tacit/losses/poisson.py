"""The Poisson loss for counts with a declared maximum, its exponential continued with bounded slope and curvature.

Counts are measured in units of the maximum, t = (1 + y)/2 for a target y in [−1, 1]. With a start ρ₀ and a bend κ,
0 < ρ₀ ≤ κ ≤ 1, the mean of t at score s is

    m(s) = ρ₀e^s             for s ≤ s₁ = log(κ/ρ₀)
           κ(1 + s − s₁)     from there on, with the same slope κ, as far as the maximum
           1                 beyond s₂ = s₁ + 1/κ − 1

and the loss is the one whose slope is m(s) − t, with its minimum 0 where m(s) = t:

    φ(s, y) = ∫m − ts + c(t),     c(t) = max_s (ts − ∫m)

For m(s) ≤ κ this is the Poisson deviance/2 in units of the maximum. By `poisson-constants`.
"""

import math
from dataclasses import dataclass

import numpy as np

from tacit.arithmetic import Floats, enlarged, exact, upper
from tacit.errors import ParameterError
from tacit.losses.base import Loss, LossConstants, checked_score_bound

SMALLEST_START = 2.0**-30


@dataclass(frozen=True, slots=True)
class Poisson(Loss):
    """φ' = m(s) − t in [−1, 1], φ'' ≤ κ; start: ρ₀ = m(0), bend: κ, where the exponential ends."""

    name = "Poisson"

    start: float = 0.1
    bend: float = 1.0

    def __post_init__(self) -> None:
        if not SMALLEST_START <= self.start <= self.bend <= 1.0:
            raise ParameterError(
                f"start is {self.start!r} and bend is {self.bend!r}; expected 2^-30 <= start <= bend <= 1, "
                "in units of the largest count"
            )

    @property
    def scoring_cap(self) -> float:
        """φ where no count was expected and the largest was found is of this size."""
        return 2.0

    def mean(self, score: Floats) -> Floats:
        """m(s): the expected count, in units of the maximum."""
        with np.errstate(under="ignore"):
            return np.minimum(self._grown(score) + self.bend * np.maximum(score - self._bent, 0.0), 1.0)

    def value(self, score: Floats, y: Floats) -> Floats:
        t = 0.5 * (1.0 + y)
        low = np.minimum(score, self._bent)
        line = np.clip(score - self._bent, 0.0, self._line)
        with np.errstate(under="ignore"):
            curved = self._grown(score) - t * low
            straight = ((self.bend - t) + 0.5 * self.bend * line) * line
            beyond = (1.0 - t) * np.maximum(score - (self._bent + self._line), 0.0)
            return np.maximum(curved + straight + beyond + self._conjugate(t), 0.0)

    def slope(self, score: Floats, y: Floats) -> Floats:
        return self.mean(score) - 0.5 * (1.0 + y)

    def slope_and_curvature(self, score: Floats, y: Floats) -> tuple[Floats, Floats]:
        mean = self.mean(score)
        curvature = np.where(mean < 1.0, np.minimum(mean, self.bend), 0.0)
        return mean - 0.5 * (1.0 + y), curvature

    def constants(self, score_bound: float | None = None) -> LossConstants:
        """sup |φ'| = max(m(B), 1 − m(−B)), sup φ'' = min(κ, ρ₀e^B), sup φ at a corner, by `poisson-constants`.

        The rounding constants assume exp and log within 4 units in the last place.
        """
        bound = checked_score_bound(score_bound)
        ends = np.array([-bound, bound])
        least, most = (float(m) for m in self.mean(ends))
        value = self._largest_value(bound)
        return LossConstants(
            value=value,
            slope=min(1.0, enlarged(max(most, 1.0 - least), 44)),
            curvature=enlarged(min(self.bend, self.start * math.exp(min(bound, self._bent))), 44),
            value_rounding=64.0 * (self._size + bound),
            slope_rounding=64.0,
        )

    @property
    def largest_pull(self) -> float:
        """κ = sup −sφ': at 0 < s with 1 − m(s) = s m'(s), or ρ₀/e at s = −1. By `poisson-constants`."""
        start, bend, bent = self.start, self.bend, self._bent
        turn = upper(lambda: (exact(1.0).exp() / exact(start)).lambertw() - 1)
        if turn <= bent:
            found = upper(lambda: exact(turn) ** 2 / (1 + exact(turn)))
        else:
            found = upper(lambda: exact(bend) * ((1 / exact(bend) - 1 + exact(bent)) / 2) ** 2)
        return enlarged(max(found, start / 2), 40)

    def capped_rounding(self, cap: float) -> float:
        return 64.0 * (2.0 * cap + self._size)

    @property
    def _bent(self) -> float:
        """s₁, where the exponential ends."""
        return math.log(self.bend / self.start)

    @property
    def _line(self) -> float:
        """s₂ − s₁, the scores over which the mean grows in a straight line."""
        return 1.0 / self.bend - 1.0

    @property
    def _size(self) -> float:
        """Bounds the terms that are added up for a value, apart from those in proportion to the score."""
        return 4.0 + 2.0 * self._bent + 2.0 * self._line - math.log(self.start)

    def _grown(self, score: Floats) -> Floats:
        """ρ₀e^s up to s₁; below −600 the mean is 0 for all purposes."""
        return self.start * np.exp(np.clip(score, -600.0, self._bent))

    def _conjugate(self, t: Floats) -> Floats:
        """c(t) = t log(t/ρ₀) − t up to κ; beyond it t s₁ + (t − κ)²/(2κ) − κ."""
        low = np.minimum(t, self.bend)
        logarithm = np.log(np.where(low > 0.0, low, 1.0)) - math.log(self.start)
        above = t - low
        return low * logarithm - low + above * (self._bent + 0.5 * above / self.bend)

    def _largest_value(self, bound: float) -> float:
        """φ is convex in s and in t, so it is largest at a corner of |s| ≤ B, 0 ≤ t ≤ 1."""
        if math.isinf(bound):
            return math.inf
        score, y = np.array([-bound, bound, -bound, bound]), np.array([-1.0, -1.0, 1.0, 1.0])
        return enlarged(float(np.max(self.value(score, y))), 40)
