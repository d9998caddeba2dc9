"""The two kinds of columns of a table, typed and encoded: scaled numbers and one-hot blocks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from tacit.arithmetic import Floats
from tacit.domain.cells import Cells, Codes
from tacit.domain.features import Category, Feature, Scaled, split_features
from tacit.domain.geometry import Geometry

WIDE = 32
"""Number of columns from which steps along rows are faster than steps along columns."""


@dataclass(frozen=True, eq=False)
class NumberColumns:
    """Per column: stored = (clip(x, low, high) − origin)·slope, x = fill when not finite."""

    low: Floats
    high: Floats
    origin: Floats
    fill: Floats
    slope: Floats
    usual_variances: Floats

    @classmethod
    def of(cls, features: list[Scaled], geometry: Geometry, scale: float) -> NumberColumns:
        """Columns whose farther bound is stored as half-width × scale."""
        facts = [(feature.min, feature.max, feature.origin, feature.fill) for feature in features]
        low, high, origin, fill = (np.array(values) for values in zip(*facts, strict=True))
        reach = np.maximum(high - origin, origin - low)
        half = np.array([feature.half_width(geometry) for feature in features])
        usual = np.array([feature.usual_variance(geometry) for feature in features])
        return cls(low, high, origin, fill, half * scale / reach, usual * scale**2)

    def stored(self, numbers: Floats) -> Floats:
        """Stored values of the raw (k, p) numbers, in row or column order of memory."""
        # Each step runs along memory: with few columns, along a column rather than along a short row.
        cells = np.array(numbers, order="C" if numbers.shape[1] >= WIDE else "F")
        np.copyto(cells, self.fill, where=~np.isfinite(cells))
        np.maximum(cells, self.low, out=cells)
        np.minimum(cells, self.high, out=cells)
        cells -= self.origin
        cells *= self.slope
        return cells

    def largest(self) -> list[Fraction]:
        """Largest |stored| of each column: float operations are monotone, so the bounds attain it."""
        ends = np.maximum(np.abs((self.low - self.origin) * self.slope), (self.high - self.origin) * self.slope)
        return [Fraction(float(end)) for end in ends]


@dataclass(frozen=True, eq=False)
class Blocks:
    """One-hot blocks side by side: every block writes exactly one cell of a row.

    A position (block, min(code, size)) of the tables gives the encoded column and the value written there:
    an unknown code goes to the column `other`, or writes 0 in the block's first column, as a level without column does.
    """

    sizes: npt.NDArray[np.uint32]
    starts: npt.NDArray[np.int32]
    columns: npt.NDArray[np.intp]
    values: Floats

    @classmethod
    def of(cls, features: list[Category], first: int, weight: float, zeros: Sequence[int | None] = ()) -> Blocks:
        """Blocks that begin at encoded column `first`; `zeros`: the level of each block that has no column, or None."""
        columns: list[int] = []
        values: list[float] = []
        starts: list[int] = []
        for feature, zero in zip(features, zeros or [None] * len(features), strict=True):
            starts.append(len(columns))
            kept = [level for level in range(len(feature.levels)) if level != zero]
            place = {level: first + column for column, level in enumerate(kept)}
            for level in range(len(feature.values) + 1):
                columns.append(place.get(level, first))
                values.append(weight if level in place else 0.0)
            first += len(kept)
        sizes = np.array([len(feature.values) for feature in features], dtype=np.uint32)
        return cls(sizes, np.array(starts, dtype=np.int32), np.array(columns, dtype=np.intp), np.array(values))

    def places(self, codes: Codes) -> npt.NDArray[np.int32]:
        """(k, q) positions in the tables; negative and too large codes become the unknown position."""
        # Viewed as unsigned, −1 is the largest integer: one comparison covers both kinds of unknown code.
        unsigned = np.array(codes, dtype=np.int32, order="C").view(np.uint32)
        np.minimum(unsigned, self.sizes, out=unsigned)
        places = unsigned.view(np.int32)
        places += self.starts
        return places


def typed_columns(features: Mapping[str, Feature], columns: Iterable[Cells]) -> tuple[Floats, Codes]:
    """Declared columns of cells, typed once: numbers and flags (n × p) as float64, categories (n × q) as codes."""
    cells = dict(zip(features, columns, strict=True))
    n = len(next(iter(cells.values())))
    scaled, categories = split_features(features)
    numbers, codes = np.empty((n, len(scaled))), np.empty((n, len(categories)), dtype=np.int32)
    for place, (name, number) in enumerate(scaled.items()):
        numbers[:, place] = number.numbers(cells[name])
    for place, (name, category) in enumerate(categories.items()):
        codes[:, place] = category.codes(cells[name])
    return numbers, codes
