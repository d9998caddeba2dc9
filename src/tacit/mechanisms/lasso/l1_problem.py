"""Minimising a mean loss over an ℓ1 ball: the public facts, and what they say about noise and steps.

minimise (1/n) Σ φ(⟨xᵢ, θ⟩, yᵢ)   over ‖θ‖₁ ≤ c,   |x_ij| ≤ r,   |φ'| ≤ L
"""

import math
from dataclasses import dataclass

from tacit.arithmetic import exact, upper
from tacit.errors import ParameterError
from tacit.mechanisms.lasso.candidates import BOTH_SIGNS, CELL_UNITS, Candidates
from tacit.mechanisms.lasso.loss import SLOPE_UNITS, ClippedLoss
from tacit.mechanisms.lasso.schedule import recommended_steps
from tacit.mechanisms.problem import Shape
from tacit.privacy import ZCDP, Pure


@dataclass(frozen=True)
class L1Problem:
    """Rows, clipped loss, ℓ1 radius, a bound on the mean of x_j² over the rows, over r², and candidates of a step."""

    shape: Shape
    loss: ClippedLoss
    radius: float
    column_moment: float = 1.0
    candidates: Candidates = BOTH_SIGNS

    def __post_init__(self) -> None:
        if not 0 < self.radius < 2**20:
            raise ParameterError(f"radius must be a positive number below 2**20, got {self.radius!r}")
        if not 0 < self.column_moment <= 1:
            raise ParameterError(f"column_moment is a share of the largest square: in (0, 1], got {self.column_moment}")

    @property
    def cell_bound(self) -> float:
        """The public bound r on |x_ij|."""
        return self.shape.norms.linf

    @property
    def score_range(self) -> float:
        """R: changes of scores by one replaced row lie in an interval of this length, by `integer-vertex-scores`.

        R = 4cLr/n for candidates of both signs, 2cLr/n where the candidates' `score_range` is half of that.
        """
        c, L, r, n = self.radius, self.loss.slope_bound, self.cell_bound, self.shape.n
        return upper(lambda: exact(self._range_factor) * exact(c) * exact(L) * exact(r) / n)

    @property
    def range_share(self) -> float:
        """R/(cLr), the range as a share of the largest score: 4/n or 2/n."""
        return self._range_factor / self.shape.n

    @property
    def log_candidates(self) -> float:
        """ln N for the N vertices that a step may choose, N at least 2."""
        return math.log(max(len(self.candidates.signs(1)) * self.shape.width, 2))

    @property
    def _range_factor(self) -> float:
        return self.candidates.score_range / (CELL_UNITS * SLOPE_UNITS)

    def recommended_steps(self, charge: Pure | ZCDP) -> int:
        """T from public numbers, by `frank-wolfe-steps`."""
        slope = self.loss.slope_bound * self.cell_bound
        curvature = self.loss.curvature * self.cell_bound**2 * self.column_moment
        return recommended_steps(self.log_candidates, self.radius, self.range_share * slope, curvature, charge)
