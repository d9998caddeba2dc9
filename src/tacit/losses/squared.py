"""The squared loss ½(y − s)² for targets |y| ≤ b."""

import math
from dataclasses import dataclass

import numpy as np
from flint import arb

from tacit.arithmetic import Floats, enlarged, exact, upper
from tacit.errors import ParameterError
from tacit.losses.base import Expansion, Loss, LossConstants, checked_score_bound


@dataclass(frozen=True, slots=True)
class Squared(Loss):
    """φ(s, y) = ½(y − s)² with |y| ≤ target_bound; φ' = s − y, φ'' = 1."""

    name = "squared"

    target_bound: float = 1.0

    quadratic = True
    change_theorems = ("squared-gradient-change",)
    expansion = Expansion(quadratic=1.0, linear=2.0, l1_change=(2.0, 4.0, 2.0))

    def __post_init__(self) -> None:
        if not 0.0 < self.target_bound < math.inf:
            raise ParameterError(f"target_bound is {self.target_bound!r}; expected a finite number > 0")

    def value(self, score: Floats, y: Floats) -> Floats:
        with np.errstate(over="ignore", under="ignore"):
            residual = y - score
            return 0.5 * residual * residual

    def slope(self, score: Floats, y: Floats) -> Floats:
        return score - y

    def slope_and_curvature(self, score: Floats, y: Floats) -> tuple[Floats, Floats]:
        return score - y, np.ones_like(score)

    def constants(self, score_bound: float | None = None) -> LossConstants:
        """sup |φ'| = B + b, sup φ'' = 1, sup φ = ½(B + b)², by `loss-constants`."""
        slope = enlarged(checked_score_bound(score_bound) + self.target_bound)
        value = enlarged(0.5 * slope * slope)
        return LossConstants(value=value, slope=slope, curvature=1.0, value_rounding=4.0 * value, slope_rounding=slope)

    def gradient_change(self, row_norm: float, radius: float) -> float:
        """A long gradient points along θ or against it, never both: with k = r·radius/b for ‖x‖₂ ≤ r, |y| ≤ b

        ‖∇φ − ∇φ'‖₂ ≤ 2rb max_s (1 + ks)√(1 − s²) < 2rb(1 + k) = 2G.    By `squared-gradient-change`.
        """
        if math.isinf(radius):
            return math.inf

        def widest() -> arb:
            k = exact(row_norm) * exact(radius) / exact(self.target_bound)
            s = ((1 + 8 * k**2).sqrt() - 1) / (4 * k)
            return 2 * exact(row_norm) * exact(self.target_bound) * (1 + k * s) * (1 - s**2).sqrt()

        return upper(widest)

    @property
    def largest_pull(self) -> float:
        """κ = b²/4. By `stationary-norm`."""
        return upper(lambda: exact(self.target_bound) ** 2 / 4)

    def swing(self, end: float, reach: float) -> float:
        """½a(2(end + b) − a) for the longest step a. By `truncated-excess-risk`."""
        b = self.target_bound
        walk = min(reach, enlarged(end + min(b, end)))
        return upper(lambda: exact(walk) * (2 * (exact(end) + exact(b)) - exact(walk)) / 2)

    def capped_slope(self, cap: float) -> float:
        """√(2 cap), since φ = ½φ'². By `score-constants`."""
        return enlarged(math.sqrt(2 * cap), 50)
