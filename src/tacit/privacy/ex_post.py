"""What a mechanism that decides while running how much to spend really lost."""

import math
from dataclasses import dataclass
from typing import Any

from tacit.arithmetic import shown_up, sum_up
from tacit.privacy.amounts import MAX_EPSILON, positive_number
from tacit.privacy.budgets import Approx


@dataclass(frozen=True)
class ExPost:
    """What an ex-post private mechanism really lost: its test for accuracy and the hypothesis it released.

    delta: 0 for the pure notion. Otherwise ∫(p(o) − e^ε(o) q(o))₊ do ≤ δ over all outputs o, whatever was realised.
    """

    test: float
    hypothesis: float
    delta: float = 0.0

    def __post_init__(self) -> None:
        for name in ("test", "hypothesis"):
            value = getattr(self, name)
            lost = positive_number(name, value, MAX_EPSILON) if value != 0 else 0.0
            object.__setattr__(self, name, lost if not lost < value else math.nextafter(lost, math.inf))
        if self.delta != 0:
            object.__setattr__(self, "delta", Approx(1.0, self.delta).delta)

    @property
    def total(self) -> float:
        """The realised ε, rounded up."""
        return sum_up(self.test, self.hypothesis)

    def statements(self, delta: float) -> dict[str, str]:
        """The loss in the only currency that it has."""
        return {"ex post": str(self)}

    def to_dict(self) -> dict[str, Any]:
        """Plain values, read back by `loss_from_dict`."""
        return {"currency": "ex post", "test": self.test, "hypothesis": self.hypothesis, "delta": self.delta}

    def __str__(self) -> str:
        delta = f", δ = {shown_up(self.delta, 3)}" if self.delta else ""
        parts = f"test {shown_up(self.test)} + hypothesis {shown_up(self.hypothesis)}"
        return f"ε = {shown_up(self.total)}{delta} ex post ({parts})"
