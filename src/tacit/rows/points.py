"""Points of a public box, readable only through counts: what a histogram needs of a table.

Coordinates keep the caller's units, so that a number on the edge of a cell stays on it. A cell of the table is never
refused: outside its bounds it is clipped, and what is not a number takes the middle of the bounds.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from tacit.arithmetic import Floats
from tacit.errors import ParameterError, SchemaError
from tacit.rows.door import closed_table

BLOCK = 1 << 16

Places = NDArray[np.intp]
PlaceOf = Callable[[Floats], Places]
"""Points (k, d) of the box -> the number of each point's cell; a function of each point alone."""


class Points:
    """n points of the box [low₁, high₁] × … × [low_d, high_d]; n, d and the box are public."""

    __slots__ = ("_numbers", "_picked", "high", "low", "n")

    def __init__(self, numbers: NDArray[Any], low: Floats, high: Floats, picked: Places | None = None) -> None:
        self._numbers = numbers
        self._picked = picked
        self.low, self.high = low, high
        self.n = len(numbers) if picked is None else len(picked)

    @property
    def width(self) -> int:
        """Coordinates of a point."""
        return len(self.low)

    def counts(self, place_of: PlaceOf, cells: int) -> Floats:
        """How many points fall into each of `cells` cells. Integers below 2⁵³, hence exact."""
        total = np.zeros(cells, dtype=np.int64)
        middle = self.low / 2 + self.high / 2
        for start in range(0, self.n, BLOCK):
            block = slice(start, min(start + BLOCK, self.n))
            with np.errstate(all="ignore"):  # a long double beyond the doubles becomes infinite without a warning
                chosen = self._numbers[block if self._picked is None else self._picked[block]].astype(np.float64)
            inside = np.clip(np.where(np.isnan(chosen), middle, chosen), self.low, self.high)
            total += np.bincount(place_of(inside), minlength=cells)
        return total.astype(np.float64)

    def part(self, positions: Places) -> "Points":
        """The points at these public positions."""
        if self._picked is not None:
            raise ParameterError("these points are a part already; take parts of the whole table.")
        return Points(self._numbers, self.low, self.high, positions)

    def __repr__(self) -> str:
        return f"<Points n={self.n} width={self.width}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("Points hold private data and cannot be pickled or copied.")


@dataclass(frozen=True, slots=True, eq=False)
class SealedPoints:
    """n points of a box that `open` will read; none of their coordinates was looked at."""

    n: int
    low: Floats
    high: Floats
    _numbers: Callable[[], NDArray[Any]] = field(repr=False)

    @property
    def width(self) -> int:
        """Coordinates of a point."""
        return len(self.low)

    def open(self) -> Points:
        """Read the coordinates, refusing none."""
        return Points(self._numbers(), self.low, self.high)

    def __reduce__(self) -> NoReturn:
        raise TypeError("SealedPoints hold private data and cannot be pickled or copied.")


def seal_points(X: Any, low: Sequence[float], high: Sequence[float]) -> SealedPoints:
    """Points of a table with one column for each pair of bounds; no cell is looked at before they are opened."""
    if scipy.sparse.issparse(X):
        raise SchemaError("X: found a scipy.sparse matrix; expected a table or an array of points. Use X.toarray().")
    table = closed_table(X)
    if table.width != len(low):
        raise SchemaError(f"X: found {table.width} column(s); expected {len(low)}, one for each pair of bounds.")
    columns = table.all()
    return SealedPoints(table.n, np.array(low, dtype=np.float64), np.array(high, dtype=np.float64), columns.numbers)


def open_points(X: Any, low: Sequence[float], high: Sequence[float]) -> Points:
    """Sealed and opened at once, where there is nothing to charge."""
    return seal_points(X, low, high).open()
