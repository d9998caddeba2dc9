"""Scores: one number per output, large where the second table is the likelier one.

Any score is sound (see `lower_bound`); a good one is powerful. Where the likelihood ratio is known, pass it. Where it
is not, `learned_score` estimates it from draws that are not used again.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacit.arithmetic import Floats

Score = Callable[[Floats], Floats]

MANY_VALUES = 64
MOST_CELLS = 200
DRAWS_PER_CELL = 40


@dataclass(frozen=True)
class CellScore:
    """Logarithm of the ratio of counts in each cell of a grid, shrunk by twice its standard deviation."""

    edges: tuple[Floats, ...]
    ratios: Floats

    @classmethod
    def learn(cls, first: Floats, second: Floats) -> "CellScore":
        """Quantile cells for continuous columns, one cell per value for discrete ones."""
        both = np.concatenate([first, second])
        in_all = min(MOST_CELLS, len(both) / DRAWS_PER_CELL)
        cells = max(4, round(in_all ** (1 / both.shape[1])))
        edges = tuple(_edges(column, cells) for column in both.T)
        size = int(np.prod([len(e) + 1 for e in edges]))
        counts = [np.bincount(_cell(edges, outputs), minlength=size) + 1.0 for outputs in (first, second)]
        ratios = np.log(counts[1] / len(second)) - np.log(counts[0] / len(first))
        doubt = 2 * np.sqrt(1 / counts[0] + 1 / counts[1])
        return cls(edges, np.sign(ratios) * np.maximum(np.abs(ratios) - doubt, 0.0))

    def __call__(self, outputs: Floats) -> Floats:
        return np.asarray(self.ratios[_cell(self.edges, outputs)])


@dataclass(frozen=True)
class Direction:
    """Coordinates of long outputs: along the line that separates the two tables best, and the distance from it."""

    centre: Floats
    spread: Floats
    axis: Floats

    @classmethod
    def learn(cls, first: Floats, second: Floats) -> "Direction":
        """The mean difference in units of each column's interquartile range, whitened by the pooled covariance."""
        both = np.concatenate([first, second])
        centre = np.median(both, axis=0)
        spread = np.subtract(*np.quantile(both, [0.75, 0.25], axis=0))
        spread = np.where(spread > 0, spread, np.maximum(np.ptp(both, axis=0), 1e-300))
        scaled = [np.clip((outputs - centre) / spread, -10, 10) for outputs in (first, second)]
        pooled = np.atleast_2d(np.cov(np.concatenate(scaled).T)) + 1e-6 * np.eye(both.shape[1])
        axis = np.linalg.solve(pooled, scaled[1].mean(axis=0) - scaled[0].mean(axis=0))
        return cls(centre, spread, axis / max(float(np.linalg.norm(axis)), 1e-300))

    def __call__(self, outputs: Floats) -> Floats:
        scaled = (outputs - self.centre) / self.spread
        along = scaled @ self.axis
        return np.column_stack([along, np.linalg.norm(scaled - along[:, None] * self.axis, axis=1)])


def learned_score(first: Floats, second: Floats) -> Score:
    """A score from draws of both tables: a grid for one or two columns, a direction and a distance for more."""
    if first.shape[1] <= 2:
        return CellScore.learn(first, second)
    direction = Direction.learn(first, second)
    cells = CellScore.learn(direction(first), direction(second))
    return lambda outputs: cells(direction(outputs))


def _edges(column: Floats, cells: int) -> Floats:
    values = np.unique(column)
    if len(values) <= MANY_VALUES:
        return np.asarray(values[1:] / 2 + values[:-1] / 2)
    return np.unique(np.quantile(column, np.linspace(0, 1, cells + 1)[1:-1]))


def _cell(edges: tuple[Floats, ...], outputs: Floats) -> NDArray[np.intp]:
    places = [np.searchsorted(e, outputs[:, j], side="right") for j, e in enumerate(edges)]
    return np.asarray(np.ravel_multi_index(places, [len(e) + 1 for e in edges]))
