"""Projection of rows on a ball so that the *stored floats* lie in it, for any floats to begin with.

No value makes a step warn or raise, and rows that are proved inside are multiplied by exactly 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from tacit.arithmetic import Floats

MOST_COLUMNS = 2**30
"""More columns than this would need a margin that is no longer small."""

_SAFE_EXPONENT = 300
"""Rows are brought below 2**301 before squaring: 2**30 squares below 2**602 cannot overflow."""

_ORDINARY_SQUARES = 2.0**590
"""A row with a smaller computed sum of squares is finite and needs no bringing down."""


def margin(columns: int) -> float:
    """Relative room left for rounding in sums of `columns` terms: max(2⁻⁴⁰, 8·columns·u), by `exact-clipping`."""
    return max(2.0**-40, columns * 2.0**-50)


class RowBlock(Protocol):
    """Rows that can be measured and rescaled in place."""

    def peaks(self) -> Floats:
        """max |x_j| of each row."""

    def squares(self) -> Floats:
        """Σ x_j² of each row."""

    def magnitudes(self) -> Floats:
        """Σ |x_j| of each row."""

    def scale(self, factors: Floats) -> None:
        """Multiply each row by its own factor."""

    def limit(self, bound: float) -> None:
        """Move each coordinate to [−bound, bound]."""


@dataclass(frozen=True)
class DenseBlock:
    """Rows of a two-dimensional array; a step writes to `out`, which may be the same array."""

    rows: Floats
    out: Floats
    known_squares: Floats | None = None

    def peaks(self) -> Floats:
        """max |x_j| of each row."""
        peaks: Floats = np.maximum(self.rows.max(axis=1), -self.rows.min(axis=1))
        return peaks

    def squares(self) -> Floats:
        """Σ x_j² of each row."""
        return dense_squares(self.rows) if self.known_squares is None else self.known_squares

    def magnitudes(self) -> Floats:
        """Σ |x_j| of each row."""
        magnitudes: Floats = np.einsum("ij->i", np.abs(self.rows))  # a sum along an axis has a cost per row
        return magnitudes

    def scale(self, factors: Floats) -> None:
        """Multiply each row by its own factor."""
        # One product per cell like np.multiply, but without its cost per row, and other threads may run meanwhile.
        np.einsum("ij,i->ij", self.rows, factors, out=self.out)

    def limit(self, bound: float) -> None:
        """Move each coordinate to [−bound, bound]."""
        np.clip(self.rows, -bound, bound, out=self.out)


def dense_squares(rows: Floats) -> Floats:
    """Σ x_j² of each row."""
    squares: Floats = np.einsum("ij,ij->i", rows, rows)
    return squares


@dataclass(frozen=True)
class SparseBlock:
    """Stored values of sparse rows: row i has those from starts[i] on; no coordinate is stored twice."""

    values: Floats
    starts: npt.NDArray[np.integer[Any]]

    def peaks(self) -> Floats:
        """max |x_j| of each row."""
        peaks = np.zeros(self.starts.size - 1)
        filled = np.flatnonzero(np.diff(self.starts))
        if filled.size:
            peaks[filled] = np.maximum.reduceat(np.abs(self.values), self.starts[filled])
        return peaks

    def squares(self) -> Floats:
        """Σ x_j² of each row."""
        return self._row_sums(self.values**2)

    def magnitudes(self) -> Floats:
        """Σ |x_j| of each row."""
        return self._row_sums(np.abs(self.values))

    def scale(self, factors: Floats) -> None:
        """Multiply each row by its own factor."""
        np.multiply(self.values, self._spread(factors), out=self.values)

    def limit(self, bound: float) -> None:
        """Move each coordinate to [−bound, bound]."""
        np.clip(self.values, -bound, bound, out=self.values)

    def _spread(self, of_rows: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Each stored value's entry of an array with one entry a row."""
        return np.repeat(of_rows, np.diff(self.starts))

    def _row_sums(self, terms: Floats) -> Floats:
        # The stubs of bincount know only its unweighted form, which counts.
        count = self.starts.size - 1
        sums: npt.NDArray[Any] = np.bincount(self._spread(np.arange(count)), weights=terms, minlength=count)
        return sums


class Projection(Protocol):
    """A map of rows x to slope·x, moved to the ball where needed."""

    @property
    def slope(self) -> float:
        """Stored value per unit of the raw row."""

    def shrink(self, block: RowBlock) -> None:
        """Move rows slope·x with coordinates below 2³⁰¹ to the ball."""


def shrink_l2(squares: Floats, threshold: float) -> Floats:
    """√(t / max(q, t)): exactly 1 for rows with computed square norm q ≤ t, by `exact-clipping`."""
    factors: Floats = np.sqrt(threshold / np.maximum(squares, threshold))
    return factors


def shrink_l1(magnitudes: Floats, threshold: float) -> Floats:
    """t / max(q, t): exactly 1 for rows with computed ℓ1 norm q ≤ t, by `exact-clipping`."""
    factors: Floats = threshold / np.maximum(magnitudes, threshold)
    return factors


def l1_threshold(radius: float, columns: int) -> float:
    """t = radius·(1 − margin): a computed ℓ1 norm up to t proves the norm to be at most `radius`."""
    return float(radius * (1 - margin(columns)))


def l2_threshold(radius: float, columns: int) -> float:
    """t = (radius·(1 − margin))²: a computed square norm up to t proves the norm to be at most `radius`."""
    return float((radius * (1 - margin(columns))) ** 2)


@dataclass(frozen=True)
class L2Projection:
    """Rows slope·x scaled down to ‖·‖₂ ≤ radius, by `exact-clipping`."""

    slope: float
    radius: float
    columns: int

    def shrink(self, block: RowBlock) -> None:
        """Move the rows to the ball."""
        block.scale(shrink_l2(block.squares(), l2_threshold(self.radius, self.columns)))


@dataclass(frozen=True)
class L1Projection:
    """Rows slope·x scaled down to ‖·‖₁ ≤ radius, by `exact-clipping`."""

    slope: float
    radius: float
    columns: int

    def shrink(self, block: RowBlock) -> None:
        """Move the rows to the ball."""
        block.scale(shrink_l1(block.magnitudes(), l1_threshold(self.radius, self.columns)))


@dataclass(frozen=True)
class LinfProjection:
    """Coordinates of slope·x moved to [−radius, radius]: a comparison, so exact."""

    slope: float
    radius: float

    def shrink(self, block: RowBlock) -> None:
        """Move the rows to the ball."""
        block.limit(self.radius)


def project_sparse(projection: Projection, block: SparseBlock) -> None:
    """Scale and project finite rows in place."""
    _bring_down(block, projection.slope)
    projection.shrink(block)


def project_dense(projection: Projection, numbers: Floats, out: Floats) -> None:
    """Write the projection of any rows to `out`; a cell that is not a finite number counts as 0.

    Rows whose scaled squares add up to less than 2⁵⁹⁰ need no care: their cells are finite and below 2²⁹⁵, so
    `_bring_down` would only multiply them by the slope. The others, usually none, are prepared apart; either way
    the same floats are stored.
    """
    slope = projection.slope
    rows = numbers * slope
    squares = dense_squares(rows)
    far = np.flatnonzero(~(squares < _ORDINARY_SQUARES))
    careful = numbers[far]
    careful[~np.isfinite(careful)] = 0.0
    _bring_down(DenseBlock(careful, careful), slope)
    rows[far] = careful
    squares[far] = dense_squares(careful)
    projection.shrink(DenseBlock(rows, out, squares))


def _bring_down(block: RowBlock, slope: float) -> None:
    """Multiply by slope·2^(−shift), shift > 0 only for rows whose peak would exceed 2³⁰⁰.

    Scaling by a power of two is exact and keeps a row's direction, and such a row is clipped anyway.
    """
    _, exponents = np.frexp(block.peaks())
    shifts = np.maximum(exponents + (math.frexp(slope)[1] - _SAFE_EXPONENT), 0)
    block.scale(np.ldexp(slope, -shifts))
