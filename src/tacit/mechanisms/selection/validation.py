"""Scores of candidate vectors on held-out rows, and how far each can move.

A vector longer than the public radius B is projected before it is scored. That moves no two vectors apart, and makes
every bound certain: no validation row counts more than the spread of g over |s| ≤ rB, whatever the noise of training
was, so that no δ is needed.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tacit.arithmetic import UNIT_ROUNDOFF, Floats, enlarged, exact, upper
from tacit.mechanisms.laws import Vector
from tacit.mechanisms.problem import Shape
from tacit.mechanisms.selection.scores import Score
from tacit.mechanisms.selection.stability import Stability
from tacit.rows import Rows
from tacit.solvers import shortened


@dataclass(frozen=True)
class Validation:
    """A score on rows of a public shape, of vectors projected to a ball of public radius."""

    score: Score
    shape: Shape
    radius: float

    def stability(self, moved: float, training_rows: int) -> Stability:
        """β₁/n = L r (moved + rounding), β₂ = spread of g over |s| ≤ rB. By `training-stability`."""
        length = self.shape.norms.l2
        slack = enlarged(5 * (self.shape.width + 9) * UNIT_ROUNDOFF * self.radius)
        beta = upper(
            lambda: exact(self.score.lipschitz) * exact(length) * (exact(moved) + exact(slack)) * training_rows
        )
        return Stability(min(beta, enlarged(training_rows * self.largest, 50)), self.largest)

    @cached_property
    def largest(self) -> float:
        """The spread of g over all rows and all vectors of the ball. By `score-constants`."""
        return self.score.bound(self._longest)

    @cached_property
    def rounding(self) -> float:
        """|computed − real mean of g| for the stored vectors. By `score-rounding`.

        An inner product of d terms is within γ_d‖x‖‖θ‖, the sum within `blocked-sum`.
        """
        width, u = self.shape.width, UNIT_ROUNDOFF
        inner = 2 * (width + 2) * u * self._longest
        evaluation = enlarged(self.score.lipschitz * inner + self.score.rounding, 40)
        total = self.shape.summation_error(self._most, evaluation)
        return enlarged(total / self.shape.n + 4 * u * self._most, 40)

    def __call__(self, rows: Rows, thetas: list[Vector]) -> Vector:
        """Minus the mean of g for each vector, all in one pass over the rows."""
        projected = np.column_stack([shortened(theta, self.radius) for theta in thetas])

        def kernel(X: Any, y: Floats) -> Floats:
            scores = np.asarray(X @ projected)
            return np.asarray(self.score(scores, y[:, None]).sum(axis=0))

        return -rows.total(kernel) / rows.n

    @property
    def _longest(self) -> float:
        return enlarged(self.shape.norms.l2 * self.radius, 40)

    @property
    def _most(self) -> float:
        """sup g itself, which a sum has to hold; the spread can be smaller."""
        return max(1.0, self.largest)
