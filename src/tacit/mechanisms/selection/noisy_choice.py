"""The choice among scored candidates: the index of the largest noisy score, and nothing but the index.

    t_i = q_i + Exp(mean s_i),   s_i = (Δ_i + max_{j≠i} Δ_j)/ε,   output argmax t_i

If one replaced row moves q_i by at most Δ_i, the index is ε-private. A candidate whose score is steady gets up to half
the noise of the most sensitive one; with equal Δ it is the 2Δ/ε of all. By `validate-selection`.
"""

from dataclasses import dataclass
from functools import cached_property

from tacit.mechanisms.laws import Vector
from tacit.mechanisms.release import Facts, Sensitivity
from tacit.noise import Entropy, LazyExponential, exceeds, exponential_mechanism
from tacit.privacy import ZCDP, Approx, Budget, Pure, pure_within
from tacit.privacy.rounding import exact, sum_up, upper


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
        return Pure(self.budget.epsilon) if isinstance(self.budget, Approx) else self.budget

    @cached_property
    def epsilon(self) -> float:
        """What the noise is calibrated to."""
        return pure_within(self.budget).epsilon if isinstance(self.budget, ZCDP) else self.budget.epsilon

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
        name = "exponential, added to each score, more to those that a row moves more; only the best index is released"
        return ScoreNoise(name, max(self.scales))

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
        noises = [LazyExponential(scale, entropy) for scale in self.scales]
        best = 0
        for index in range(1, len(noises)):
            if exceeds(scores[index], noises[index], scores[best], noises[best]):
                best = index
        return best

    def _scale(self, index: int) -> float:
        others = [spread for place, spread in enumerate(self.spreads) if place != index]
        return upper(lambda: (exact(self.spreads[index]) + exact(max(others, default=0.0))) / exact(self.epsilon))


@dataclass(frozen=True)
class ExponentialChoice(NoisyChoice):
    """The exponential mechanism, P(i) ∝ exp(q_i/s) with s = 2 max Δ/ε. By `validate-selection`."""

    @property
    def law(self) -> ScoreNoise:
        return ScoreNoise("Gumbel, added to each score; only the best index is released", self.scale)

    @cached_property
    def scale(self) -> float:
        """2 max Δ/ε, rounded up. By `validate-selection`."""
        return upper(lambda: 2 * exact(max(self.spreads)) / exact(self.epsilon))

    def __call__(self, scores: Vector, entropy: Entropy) -> int:
        return exponential_mechanism(scores, self.scale, entropy)
