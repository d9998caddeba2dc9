"""What a hidden attribute could be, and how likely each value is before the model is looked at."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import ArrayLike, NDArray

from tacit.arithmetic import Floats
from tacit.errors import ParameterError

Columns = str | int | tuple[str, ...] | tuple[int, ...]


@dataclass(frozen=True)
class Bins:
    """A hidden number, guessed as the middle of one of the intervals between `edges`."""

    edges: tuple[float, ...]

    def prior(self, sample: ArrayLike) -> dict[float, float]:
        """The share of each interval in a sample of the population, with one observation added to each."""
        counts = np.bincount(self._places(sample), minlength=len(self._middles)) + 1.0
        return dict(zip(self._middles.tolist(), (counts / counts.sum()).tolist(), strict=True))

    def middle(self, values: ArrayLike) -> Floats:
        """The middle of the interval in which each value lies: what a correct guess would be."""
        return np.asarray(self._middles[self._places(values)])

    @property
    def _middles(self) -> Floats:
        edges = np.asarray(self.edges, dtype=float)
        return np.asarray((edges[1:] + edges[:-1]) / 2)

    def _places(self, values: ArrayLike) -> NDArray[np.intp]:
        inner = np.asarray(self.edges[1:-1], dtype=float)
        return np.searchsorted(inner, np.asarray(values, dtype=float), side="right")


def checked_prior(prior: Mapping[Any, float]) -> tuple[list[Hashable], Floats]:
    """(values, probabilities), the latter scaled to sum to one."""
    weights = np.array(list(prior.values()), dtype=float)
    if len(weights) < 2 or not np.all(weights >= 0) or not 0 < weights.sum() < np.inf:
        raise ParameterError("prior must give at least two values, each with a probability of 0 or more")
    return list(prior), weights / weights.sum()


def filled(rows: Any, hidden: Columns, value: Any) -> Any:
    """The rows with the hidden column, or columns, set to one value for everybody."""
    columns = hidden if isinstance(hidden, tuple) else (hidden,)
    values = value if isinstance(hidden, tuple) else (value,)
    if len(columns) != len(values):
        raise ParameterError(f"hidden names {len(columns)} columns; each value in prior must have as many parts")
    if isinstance(rows, np.ndarray):
        table: Any = rows.copy()
        for column, part in zip(columns, values, strict=True):
            table[:, column] = part
        return table
    frame = nw.from_native(rows, eager_only=True)
    return frame.with_columns(
        **{str(column): nw.lit(part) for column, part in zip(columns, values, strict=True)}
    ).to_native()
