"""Points of a public box, readable only through counts: what a histogram needs of a table.

Coordinates keep the caller's units, so that a number on the edge of a cell stays on it. A cell of the table is never
refused: outside its bounds it is clipped, and what is not a number takes the middle of the bounds.
"""

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ParameterError, SchemaError
from tacit.rows.arrays import array_table
from tacit.rows.frames import frame_table
from tacit.rows.summation import FloatArray

BLOCK = 1 << 16

Places = NDArray[np.intp]
PlaceOf = Callable[[FloatArray], Places]
"""Points (k, d) of the box -> the number of each point's cell; a function of each point alone."""


class Points:
    """n points of the box [low₁, high₁] × … × [low_d, high_d]; n, d and the box are public."""

    __slots__ = ("_numbers", "_picked", "high", "low", "n")

    def __init__(self, numbers: NDArray[Any], low: FloatArray, high: FloatArray, picked: Places | None = None) -> None:
        self._numbers = numbers
        self._picked = picked
        self.low, self.high = low, high
        self.n = len(numbers) if picked is None else len(picked)

    @property
    def width(self) -> int:
        """Coordinates of a point."""
        return len(self.low)

    def counts(self, place_of: PlaceOf, cells: int) -> FloatArray:
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


def open_points(X: Any, low: Sequence[float], high: Sequence[float]) -> Points:
    """Points of a table with one column for each pair of bounds."""
    table = frame_table(X) or array_table(X)
    if table.n == 0:
        raise SchemaError("X: found no rows; expected at least one.")
    numbers, _ = table.numbers()
    if numbers.shape[1] != len(low):
        raise SchemaError(f"X: found {numbers.shape[1]} column(s); expected {len(low)}, one for each pair of bounds.")
    return Points(numbers, np.array(low, dtype=np.float64), np.array(high, dtype=np.float64))
