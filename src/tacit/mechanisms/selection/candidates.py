"""What is searched over: a mechanism for each candidate, calibrated to any number of rows before one is read."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

import numpy as np

from tacit.mechanisms.problem import Shape
from tacit.mechanisms.release import Facts, Mechanism, Release
from tacit.mechanisms.selection.split import public_parts
from tacit.privacy import Budget
from tacit.rows import Rows

T = TypeVar("T")
Watch = Callable[[Sequence[T]], Iterable[T]]
"""Passes a sequence on and may show how far the work has come: public work only."""


@dataclass(frozen=True)
class Candidate:
    """One setting of the hyper-parameters: its name, and its mechanism for rows of a shape under a budget."""

    name: str
    plan: Callable[[Shape, Budget], Mechanism]


def no_progress(items: Sequence[T]) -> Iterable[T]:
    """No progress bar."""
    return items


class Search(Mechanism, Protocol):
    """A mechanism that releases the winner among candidates; `statistics["chosen"]` is its index."""

    @property
    def winner_facts(self) -> tuple[tuple[Facts, ...], ...]:
        """What the certificate says if candidate i wins; asking for it calibrates everything."""


def parts_of(rows: Rows, sizes: list[int]) -> list[Rows]:
    """Disjoint parts of the rows by public position."""
    return [rows.part(positions) for positions in public_parts(rows.n, sizes)]


def chosen_release(release: Release, index: int) -> Release:
    """The winner's release, and which candidate it was."""
    return replace(release, statistics={**release.statistics, "chosen": np.array([float(index)])})
