"""A histogram of points in a public box, and the density it stands for.

    ñ_j = n_j + Z_j,   Σ_j |n_j − n'_j| ≤ 2 and ‖n − n'‖₂ ≤ √2 when one point is replaced

Noise: Laplace of scale 2/ε, or Gaussian for √2. What is made of ñ afterwards costs nothing: c is the point of
{c ≥ 0, Σc = n} nearest to ñ, and the density is c_j/(n·volume) in cell j. By `histogram-counts`.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tacit.arithmetic import exact, upper
from tacit.errors import ParameterError
from tacit.mechanisms.laws import NoiseLaw, Vector, calibrate, calibrate_l1
from tacit.mechanisms.release import Facts, Release, Sensitivity
from tacit.noise import Entropy
from tacit.privacy import Budget
from tacit.rows import Places, Points

MOST_CELLS = 1 << 22


@dataclass(frozen=True)
class Grid:
    """A box cut into equal cells: bins[a] of them along axis a; cells are numbered in C order."""

    low: tuple[float, ...]
    high: tuple[float, ...]
    bins: tuple[int, ...]

    def __post_init__(self) -> None:
        for low, high in zip(self.low, self.high, strict=True):
            if not (math.isfinite(low) and math.isfinite(high) and low < high and math.isfinite(high - low)):
                raise ParameterError(f"low must be below high, both finite; got low={low!r}, high={high!r}")
        if min(self.bins) < 1 or self.cells > MOST_CELLS:
            raise ParameterError(f"found {self.cells} cells; expected between 1 and {MOST_CELLS}: choose wider bins")

    @classmethod
    def of_width(cls, low: tuple[float, ...], high: tuple[float, ...], width: tuple[float, ...]) -> "Grid":
        """Cells of about this width: as many as fit best, so that they fill the box exactly."""
        for each in width:
            if not 0 < each < math.inf:
                raise ParameterError(f"a bin width must be a positive, finite number, got {each!r}")
        sides = zip(low, high, width, strict=True)
        return cls(low, high, tuple(max(1, round(min((b - a) / w, 2.0**60))) for a, b, w in sides))

    @property
    def cells(self) -> int:
        return math.prod(self.bins)

    @property
    def widths(self) -> tuple[float, ...]:
        return tuple((b - a) / k for a, b, k in zip(self.low, self.high, self.bins, strict=True))

    @property
    def volume(self) -> float:
        """Of one cell, up to rounding."""
        return math.prod(self.widths)

    @cached_property
    def edges(self) -> tuple[Vector, ...]:
        """The bins + 1 edges along each axis."""
        return tuple(np.linspace(a, b, k + 1) for a, b, k in zip(self.low, self.high, self.bins, strict=True))

    def place_of(self, points: Vector) -> Places:
        """The cell of each point of the box; a point on an edge belongs to the cell above it, the last edge apart."""
        axes = [
            np.minimum(np.searchsorted(edges, points[:, axis], side="right") - 1, len(edges) - 2)
            for axis, edges in enumerate(self.edges)
        ]
        return np.asarray(np.ravel_multi_index(axes, self.bins), dtype=np.intp)


@dataclass(frozen=True)
class NoisyCounts:
    """Counts of a grid's cells plus noise. By `histogram-counts`."""

    grid: Grid
    charge: Budget
    notes: tuple[str, ...] = ()

    @property
    def sensitivity(self) -> Sensitivity:
        """One replaced point leaves a cell and enters another. By `histogram-counts`."""
        if self.charge.allows_gaussian:
            return Sensitivity("l2", upper(lambda: exact(2.0).sqrt()), {"two counts, by one each": math.sqrt(2)})
        return Sensitivity("l1", 2.0, {"the cell it leaves": 1.0, "the cell it enters": 1.0})

    @cached_property
    def law(self) -> NoiseLaw:
        if self.charge.allows_gaussian:
            return calibrate(self.sensitivity.total, self.charge)
        return calibrate_l1(self.sensitivity.total, self.charge.as_pure())

    @property
    def facts(self) -> tuple[Facts, ...]:
        return (
            Facts(
                mechanism=f"histogram of {self.grid.cells:,} cells",
                theorems=("histogram-counts", "noise-calibration", "certified-rounding"),
                sensitivity=self.sensitivity,
                charge=self.charge,
                law=self.law,
                grid=self.law.grid(self.grid.cells),
                l2=0.0,
                radius=None,
                tolerance=0.0,
                notes=self.notes,
            ),
        )

    def __call__(self, points: Points, entropy: Entropy) -> Release:
        counts = points.counts(self.grid.place_of, self.grid.cells)
        noisy = self.law.add(counts, entropy)
        return Release(noisy, np.full(noisy.size, self.law.deviation(noisy.size)))


def nearest_counts(noisy: Vector, n: int) -> Vector:
    """The point of {c ≥ 0, Σc = n} nearest to the noisy counts: max(ñ − t, 0) with t = max_k (S_k − n)/k.

    S_k is the sum of the k largest. The map moves no two inputs apart; each coordinate is computed within
    16 N n 2⁻⁵³ for N cells. By `nearest-counts`.
    """
    bounded = np.clip(noisy, -float(n), 2.0 * n)
    sums = np.cumsum(np.sort(bounded)[::-1])
    level = np.max((sums - n) / np.arange(1, bounded.size + 1))
    return np.maximum(bounded - level, 0.0)
