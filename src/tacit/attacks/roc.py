"""How well members are told from others, and the best that differential privacy allows."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tacit.arithmetic import Floats
from tacit.privacy import Budget


@dataclass(frozen=True)
class Roc:
    """Share of others (false) and of members (true) whose score reaches a threshold, thresholds from high to low."""

    false_positive: Floats
    true_positive: Floats

    @classmethod
    def of(cls, member_scores: ArrayLike, other_scores: ArrayLike) -> "Roc":
        """The curve of a score that should be high for members."""
        members, others = np.sort(np.ravel(member_scores)), np.sort(np.ravel(other_scores))
        thresholds = np.unique(np.concatenate([members, others]))[::-1]
        found = 1 - np.searchsorted(members, thresholds) / len(members)
        mistaken = 1 - np.searchsorted(others, thresholds) / len(others)
        return cls(np.concatenate([[0.0], mistaken]), np.concatenate([[0.0], found]))

    @property
    def area(self) -> float:
        """Area under the curve: ½ for a coin."""
        return float(np.trapezoid(self.true_positive, self.false_positive))

    @property
    def advantage(self) -> float:
        """Largest difference between the two shares: 0 for a coin, at most tanh(ε/2) under pure ε."""
        return float(np.max(self.true_positive - self.false_positive))

    def plot(self, axes: Any, budget: Budget, delta: float = 1e-6, label: str = "attack") -> None:
        """Draw the curve on matplotlib axes, with the (ε, δ) bound above it and the coin below."""
        grid = np.linspace(0, 1, 401)
        axes.plot(grid, largest_true_positive(grid, budget, delta), "k--", label=f"bound: {budget}")
        axes.plot(self.false_positive, self.true_positive, label=f"{label}: area {self.area:.3f}")
        axes.plot(grid, grid, ":", color="grey", label="coin")
        axes.set_xlabel("others taken for members")
        axes.set_ylabel("members found")
        axes.legend(loc="lower right")


def largest_true_positive(false_positive: ArrayLike, budget: Budget, delta: float = 1e-6) -> Floats:
    """min(e^ε f + δ, 1 − e^−ε(1 − δ − f), 1): no test of two neighbours is above it, at (ε, δ) of the budget."""
    approx = budget.to_approx(delta)
    share = np.asarray(false_positive, dtype=float)
    steep = math.exp(approx.epsilon) * share + approx.delta
    flat = 1 - math.exp(-approx.epsilon) * (1 - approx.delta - share)
    return np.minimum(np.minimum(steep, flat), 1.0)
