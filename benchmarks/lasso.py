"""Private LASSO: excess risk against n and p, accuracy on sparse tables, speed and memory of the fast path."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from benchmarks import parts
from benchmarks.data import Missing
from benchmarks.sparse.accuracy import TASKS, Record, accuracy, chosen_words
from benchmarks.sparse.dense import dense
from benchmarks.sparse.picture import draw
from benchmarks.sparse.risk import against_rows, against_width, signs_in_turn
from benchmarks.sparse.speed import speed

PARTS: dict[str, Callable[[bool], Iterator[Record]]] = {
    "risk against n": against_rows,
    "risk against p": against_width,
    "risk of signs in turn": signs_in_turn,
    **{f"accuracy on {task.name}": partial(accuracy, task) for task in TASKS},
    "words": chosen_words,
    "speed": speed,
    "dense": dense,
}


def run(quick: bool = False) -> list[Record]:
    """One record a measurement; `part` says what kind."""
    found: list[Record] = []
    for name in PARTS:
        try:
            found += measured(name, quick)
        except Missing as reason:
            print(f"{name} left out: {reason}")
    return found


def measured(name: str, quick: bool) -> list[Record]:
    """The records of one part; those of a full run are kept until its table is written."""
    if quick:
        return list(PARTS[name](True))
    return parts.once("lasso", name, lambda: list(PARTS[name](False)))


def plot(rows: list[Record], directory: Path) -> None:
    """Accuracy against ε and risk against n."""
    draw(rows, directory)
