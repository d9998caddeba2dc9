"""The choice among scored candidates: argmax of score + exponential noise of mean 2β/ε, and nothing but the index.

    t_i = q_i + Exp(mean 2β/ε),   output argmax t_i

If one replaced row moves every score by at most β, the index is ε-private. By `validate-selection`.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tacit.mechanisms.laws import Vector
from tacit.mechanisms.release import Facts, Sensitivity
from tacit.noise import Entropy, exponential_mechanism, permute_and_flip
from tacit.privacy import ZCDP, Approx, Budget, Pure, pure_within
from tacit.privacy.rounding import exact, upper


@dataclass(frozen=True)
class ScoreNoise:
    """The law of what is added to each score."""

    name: str
    scale: float


@dataclass(frozen=True)
class NoisyChoice:
    """The index of the largest noisy score; candidates beside `spread` cost nothing. By `validate-selection`."""

    spread: float
    budget: Budget
    candidates: int
    parts: dict[str, float]
    name: str = "choice among candidates by their validation score"
    theorems: tuple[str, ...] = ("validate-selection", "noisy-argmax")
    gumbel: bool = False

    @property
    def charge(self) -> Budget:
        """Pure ε; the δ of an (ε, δ) budget is given back, and a zCDP budget keeps its currency."""
        return Pure(self.budget.epsilon) if isinstance(self.budget, Approx) else self.budget

    @cached_property
    def epsilon(self) -> float:
        """What the noise is calibrated to."""
        return pure_within(self.budget).epsilon if isinstance(self.budget, ZCDP) else self.budget.epsilon

    @cached_property
    def scale(self) -> float:
        """2β/ε, rounded up. By `validate-selection`."""
        return upper(lambda: 2 * exact(self.spread) / exact(self.epsilon))

    @property
    def facts(self) -> Facts:
        law = "Gumbel" if self.gumbel else "exponential"
        return Facts(
            mechanism=f"{self.name} ({self.candidates} candidates)",
            theorems=self.theorems,
            sensitivity=Sensitivity("every score", self.spread, self.parts),
            charge=self.charge,
            law=ScoreNoise(f"{law}, added to each score; only the index of the largest is released", self.scale),
            grid=None,
            l2=0.0,
            radius=None,
            tolerance=0.0,
        )

    def __call__(self, scores: Vector, entropy: Entropy) -> int:
        choose = exponential_mechanism if self.gumbel else permute_and_flip
        return choose(np.asarray(scores, dtype=np.float64), self.scale, entropy)
