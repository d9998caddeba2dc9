"""Sums that say where columns lie: one noisy vector for numbers, flags, categories and perhaps a real target.

In declared units (numbers z ∈ [−1, 1], flags ±½, levels 0 or 1) the vector is Σz and Σz² of numbers, Σz of flags and
the counts of levels. One replaced row moves it by

    ℓ1:   9/4 a number, 1 a flag, 2 a category         |z − z'|(1 + |z + z'|) ≤ 9/4
    ℓ2²:  4 a number, 1 a flag, 2 a category           |z − z'|²(1 + |z + z'|²) ≤ 4

so squares cost an eighth more under pure ε and nothing under Gaussian noise. A target enters with a weight. By
`centre-release`.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from flint import arb

from tacit.arithmetic import exact, upper
from tacit.domain import Category, Flag, Number, Schema, TableEncoding, declared_units, split_features
from tacit.mechanisms.laws import AddedLaw, Vector, calibrate, calibrate_l1
from tacit.mechanisms.release import Facts, Sensitivity
from tacit.noise import Entropy
from tacit.privacy import Budget
from tacit.rows import Rows, dense_block_rows, summation_error

THEOREMS = ("centre-release", "released-encoding", "blocked-sum", "noise-calibration", "certified-rounding")


@dataclass(frozen=True)
class NoisySummary:
    """Released means in declared units. target: (mean, mean square) of an encoded real outcome, if asked for."""

    means: Vector
    squares: Vector
    shares: tuple[Vector, ...]
    target: tuple[float, float] | None


@dataclass(frozen=True)
class ColumnSummary:
    """The noisy vector for n rows of a schema.

    target_weight: how many numbers a real target counts for; 0 for none. composed_by: what adds its charge to others.
    """

    schema: Schema
    n: int
    charge: Budget
    target_weight: int = 0
    composed_by: str = "composition"

    @cached_property
    def sensitivity(self) -> Sensitivity:
        """One replaced row and twice the rounding of the sums, in the norm of the noise. By `centre-release`."""
        parts = {"one replaced row": self._one_row, "rounding of the sums": 2 * self._rounding}
        return Sensitivity.adding("l1" if self._pure else "l2", parts)

    @cached_property
    def law(self) -> AddedLaw:
        total = self.sensitivity.total
        return calibrate_l1(total, self.charge.pure_within()) if self._pure else calibrate(total, self.charge)

    @property
    def blur(self) -> float:
        """Standard deviation of a released mean, in declared units."""
        return self.law.deviation(self.size) / self.n

    @property
    def target_blur(self) -> float:
        """The same for the target, whose weight makes it sharper; 0 without one."""
        return self.blur / self._weight if self._weight else 0.0

    @property
    def size(self) -> int:
        """Numbers released."""
        return self._units.width + len(self._number_places) + (2 if self.target_weight else 0)

    @property
    def facts(self) -> Facts:
        """What the certificate says of this release."""
        return Facts(
            mechanism="centre and spread of the columns",
            theorems=(*THEOREMS, self.composed_by),
            sensitivity=self.sensitivity,
            charge=self.charge,
            law=self.law,
            grid=self.law.grid(self.size),
            l2=0.0,
            radius=None,
            tolerance=0.0,
            notes=(
                f"a released mean has the standard deviation {self.blur:.3g}, in halves of a declared range",
                "centres, scales, usual levels and radii that follow from it are released with the model",
            ),
        )

    def __call__(self, rows: Rows, entropy: Entropy) -> NoisySummary:
        """Read the rows once, in declared units."""
        return self.read(self.law.add(self.total(rows), entropy))

    def total(self, rows: Rows) -> Vector:
        """The sums themselves: private, not to be released."""
        places, weight = self._number_places, self._weight

        def sums(X: Any, y: Vector) -> Vector:
            target = [float(np.sum(y)), float(y @ y)] if weight else []
            return np.concatenate([np.sum(X, axis=0), np.sum(np.square(X[:, places]), axis=0), target])

        total = np.asarray(rows.re_encoded(self._units).total(sums))
        if weight:
            total[-2:] *= weight
        return total

    def read(self, noisy: Vector) -> NoisySummary:
        """The released vector, part by part and as means: post-processing."""
        means, numeric = noisy / self.n, len(self._units.number_columns)
        levels, first = [], numeric
        for feature in self._categories:
            levels.append(means[first : first + len(feature.levels)])
            first += len(feature.levels)
        squares = means[first : first + len(self._number_places)]
        target = (float(means[-2]) / self._weight, float(means[-1]) / self._weight) if self._weight else None
        return NoisySummary(means[:numeric], squares, tuple(levels), target)

    @property
    def _pure(self) -> bool:
        return not self.charge.allows_gaussian

    @property
    def _weight(self) -> float:
        """The target's sums are released times this: w in ℓ1, about √w in ℓ2, so that it counts for w numbers."""
        return float(self.target_weight) if self._pure else math.floor(16 * math.sqrt(self.target_weight)) / 16

    @cached_property
    def _units(self) -> TableEncoding:
        return declared_units(self.schema)

    @cached_property
    def _categories(self) -> list[Category]:
        return list(split_features(self.schema.features)[1].values())

    @cached_property
    def _numeric(self) -> list[Number | Flag]:
        return list(split_features(self.schema.features)[0].values())

    @cached_property
    def _number_places(self) -> list[int]:
        """Columns of numbers among the encoded ones: those whose squares are released."""
        return [place for place, feature in enumerate(self._numeric) if isinstance(feature, Number)]

    @cached_property
    def _cells(self) -> list[float]:
        """Bounds of the stored cells: 1 for numbers up to a rounding, ½ for flags."""
        return [] if self._units.numbers is None else [float(cell) for cell in self._units.numbers.largest()]

    @cached_property
    def _one_row(self) -> float:
        """(½ + L)² and 4L² for a number with |z| ≤ L; 2L and 4L² for a flag; 2 for a category. By `centre-release`."""

        def change() -> arb:
            total = exact(2.0) * len(self._categories)
            for feature, largest in zip(self._numeric, self._cells, strict=True):
                cell = exact(largest)
                if not self._pure:
                    total += 4 * cell**2
                else:
                    total += (cell + exact(0.5)) ** 2 if isinstance(feature, Number) else 2 * cell
            weight = exact(self._weight)
            total += exact(2.25) * weight if self._pure else 4 * weight**2
            return total if self._pure else total.sqrt()

        return upper(change)

    @cached_property
    def _rounding(self) -> float:
        """Computed against exact sums: blocked addition, then a product with the target's weight."""
        magnitude = self._magnitude
        addition = summation_error(self.n, dense_block_rows(self._units.width), magnitude, 0.0)
        return upper(lambda: exact(addition) * 2 + exact(magnitude) * self.n * exact(2.0**-50))

    @cached_property
    def _magnitude(self) -> float:
        """No row's own vector is longer, in the norm of the noise."""

        def longest() -> arb:
            total = exact(float(len(self._categories)))
            for largest in self._cells:
                cell = exact(largest)
                total += cell + cell**2 if self._pure else cell**2 + cell**4
            weight = exact(self._weight)
            total += 2 * weight if self._pure else 2 * weight**2
            return total if self._pure else total.sqrt()

        return upper(longest)
