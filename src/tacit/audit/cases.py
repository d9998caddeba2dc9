"""A case of an audit: a claim, what is known exactly about it, and a measurement that could refute it."""

from collections.abc import Callable
from dataclasses import dataclass

ROUNDING = 1e-9
NOTHING_FOUND = "nothing found"


@dataclass(frozen=True)
class Case:
    """A mechanism on one pair of neighbours.

    pair_loss: the exact loss of the mechanism as calibrated, from independent formulas; None where none is known.
    measure: confidence ↦ lower bound on the ε that is spent.
    """

    name: str
    epsilon: float
    pair_loss: float | None
    measure: Callable[[float], float]
    delta: float = 0.0


@dataclass(frozen=True)
class Finding:
    """The outcome of a case."""

    case: Case
    bound: float

    @property
    def violated(self) -> bool:
        """Whether the claim is refuted, by measurement or by calculation."""
        return self.verdict != NOTHING_FOUND

    @property
    def verdict(self) -> str:
        """Measured: more than claimed. Computed: the exact loss is more than claimed. Against exact: more than the
        exact loss on this pair, so there is less noise than the mechanism says it adds."""
        limit, loss = self.case.epsilon * (1 + ROUNDING), self.case.pair_loss
        if self.bound > limit:
            return "VIOLATED (measured)"
        if loss is not None and loss > limit:
            return "VIOLATED (computed)"
        if loss is not None and self.bound > loss * (1 + ROUNDING):
            return "VIOLATED (against exact)"
        return NOTHING_FOUND


def examine(case: Case, confidence: float) -> Finding:
    """Run the measurement of a case."""
    return Finding(case, case.measure(confidence))
