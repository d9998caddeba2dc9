"""Accuracy first: walk through hypotheses of growing accuracy and stop at the first that passes a private test.

Halting at hypothesis t costs the test plus what the hypotheses 0..t cost, ex post; if none passes, the test plus what
all of them cost, and no parameters leave. By `interactive-above-threshold`; for Gaussian noise by `ex-post-delta`.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController

from tacit.mechanisms.accuracy.excess_risk import ExcessRisk, OpenedRisk
from tacit.mechanisms.accuracy.gradual import Hypotheses
from tacit.mechanisms.accuracy.halting import AccuracyTest
from tacit.mechanisms.laws import Vector
from tacit.noise import Entropy
from tacit.privacy import Approx, ExPost, Pure
from tacit.rows import Rows

CHUNK = 32
"""Hypotheses made and bounded together."""


@dataclass(frozen=True)
class Outcome:
    """What leaves: where the search halted, the hypothesis it halted at, and what was paid.

    level: index of the accepted hypothesis, None if none passed; then there is no theta.
    """

    level: int | None
    theta: Vector | None
    paid: ExPost


@dataclass(frozen=True)
class AccuracySearch:
    """A calibrated search. Everything in it is public; rows are read when it is called."""

    query: ExcessRisk
    test: AccuracyTest
    hypotheses: Hypotheses

    @property
    def charge(self) -> Pure | Approx:
        """The most that a call can cost, to be reserved before any row is read."""
        largest = self.paid(len(self.hypotheses.costs) - 1).total
        return Approx(largest, self.hypotheses.delta) if self.hypotheses.delta else Pure(largest)

    def paid(self, level: int) -> ExPost:
        """The loss of halting at a level."""
        return ExPost(self.test.cost(level + 1), self.hypotheses.costs[level], self.hypotheses.delta)

    def __call__(self, rows: Rows, entropy: Entropy) -> Outcome:
        return self.run(self.query.open(rows), entropy)

    def run(self, risk: OpenedRisk, entropy: Entropy) -> Outcome:
        """Search with a minimiser that is at hand: hypotheses are scored a chunk at a time, until one passes."""
        with _blas().limit(limits=1, user_api="blas"):  # small matrices: threads only get in each other's way
            return self._run(risk, entropy)

    def _run(self, risk: OpenedRisk, entropy: Entropy) -> Outcome:
        sequence = self.hypotheses.open(risk, entropy)
        running = self.test.start(entropy)
        count = len(self.hypotheses.costs)
        for start in range(0, count, CHUNK):
            chunk = sequence.hypotheses(start, min(start + CHUNK, count))
            bounds = risk.bounds(chunk)
            found = running.first_above(bounds, lambda place: float(risk.values(chunk[place : place + 1])[0]))  # noqa: B023
            if found is not None:
                return Outcome(start + found, chunk[found].copy(), self.paid(start + found))
        return Outcome(None, None, self.paid(count - 1))


@cache
def _blas() -> Any:
    """Looking for loaded libraries takes longer than a small search."""
    return ThreadpoolController()
