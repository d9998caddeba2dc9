"""A histogram whose bin width is chosen privately (Chaudhuri and Vinterbo 2013, algorithm 5 and theorem 6).

For each width a noisy histogram is made of the training points, with its own noise, and scored on the others:

    q = −∫ f² + (2/m) Σ f(z),   f = c_j/(n·volume),  c = the nearest counts

Only the index of the best noisy score leaves, and the histogram of that width is made again, of all points, with fresh
noise. As c is a projection, q is (4/v, 2/v, 0)-stable, v the volume of a cell. By `histogram-stability`.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tacit.arithmetic import UNIT_ROUNDOFF, enlarged, exact, reduced, upper
from tacit.mechanisms.histogram import Grid, NoisyCounts, nearest_counts
from tacit.mechanisms.laws import Vector
from tacit.mechanisms.release import Facts, Release
from tacit.mechanisms.selection.noisy_choice import NoisyChoice, kind_of_choice
from tacit.mechanisms.selection.split import public_parts, validation_size
from tacit.mechanisms.selection.stability import Stability
from tacit.noise import Entropy
from tacit.privacy import Budget, compose
from tacit.rows import Points


@dataclass(frozen=True)
class WidthSearch:
    """Candidates, the budget of a histogram, the budget of the choice; n is public."""

    grids: tuple[Grid, ...]
    n: int
    privacy: Budget
    select_privacy: Budget
    validation: float

    @property
    def sizes(self) -> tuple[int, int]:
        """(training points, validation points)."""
        held_out = validation_size(self.n, self.validation)
        return self.n - held_out, held_out

    @cached_property
    def stabilities(self) -> tuple[Stability, ...]:
        """(4/v, 2/v, 0) of each width; where a noise grid g is coarser than 1, (4(1 + g)/v, 2/v, 0).

        By `histogram-stability`.
        """
        return tuple(self._stability(grid) for grid in self.grids)

    @cached_property
    def rounding(self) -> float:
        """How far a computed score can be from the real one: 128(N + 8)2⁻⁵³/v. By `histogram-stability`."""
        return enlarged(max(128 * (grid.cells + 8) * UNIT_ROUNDOFF / grid.volume for grid in self.grids), 40)

    @cached_property
    def choice(self) -> NoisyChoice:
        """Fine bins move further than wide ones, each by its own max(β₁/n, β₂/m). By `histogram-stability`."""
        moves = tuple(stability.spread(*self.sizes) for stability in self.stabilities)
        return kind_of_choice(moves)(
            moves,
            self.rounding,
            self.select_privacy,
            "choice of the bin width by validation",
            ("histogram-stability",),
        )

    @property
    def charge(self) -> Budget:
        """The choice and the final histogram. By `composition`."""
        return compose(self.privacy, self.choice.charge)

    @property
    def facts(self) -> tuple[Facts, ...]:
        finest = max(self.grids, key=lambda grid: grid.cells)
        return self.choice.facts, *NoisyCounts(finest, self.privacy, (_CELLS_NOTE,)).facts

    def __call__(self, points: Points, entropy: Entropy) -> Release:
        training, validation = (points.part(part) for part in public_parts(self.n, list(self.sizes)))
        scores = np.array([self._score(grid, training, validation, entropy) for grid in self.grids])
        chosen = self.choice(scores, entropy)
        final = self._counts(self.grids[chosen])(points, entropy)
        return Release(final.theta, final.deviation, {"chosen": np.array([float(chosen)])})

    def _stability(self, grid: Grid) -> Stability:
        volume, coarseness = reduced(grid.volume, 40), self._counts(grid).law.grid(grid.cells)
        step = 1.0 if coarseness <= 1 else 1 + coarseness
        by_training = upper(lambda: 4 * exact(step) / exact(volume))
        return Stability(by_training, upper(lambda: 2 / exact(volume)))

    def _counts(self, grid: Grid) -> NoisyCounts:
        return NoisyCounts(grid, self.privacy)

    def _score(self, grid: Grid, training: Points, validation: Points, entropy: Entropy) -> float:
        noisy = self._counts(grid)(training, entropy).theta
        return density_score(grid, nearest_counts(noisy, training.n) / training.n, validation)


def density_score(grid: Grid, shares: Vector, validation: Points) -> float:
    """−∫ f² + (2/m) Σ f(z) for the density with these shares of the cells: large when f is near the truth in L2."""
    held_out = validation.counts(grid.place_of, grid.cells)
    return float((2.0 * (held_out @ shares) / validation.n - shares @ shares) / grid.volume)


_CELLS_NOTE = "the finest candidate is described; sensitivity and noise are the same for each"
