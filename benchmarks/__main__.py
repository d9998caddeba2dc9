"""`python -m benchmarks [--full] [topic …]`: run the topics, print their tables, write CSV files and pictures.

A topic is a module of this package with `run(quick) -> list[dict]` and, if it draws, `plot(rows, directory)`. Quick
tables go to benchmarks/results, full ones to benchmarks/results/full.
"""

from __future__ import annotations

import csv
import importlib
import pkgutil
import sys
import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

import benchmarks
from benchmarks import parts
from benchmarks.data import Missing


def topics(asked: list[str]) -> dict[str, Any]:
    """Modules that can be run, by name (all if none is asked for); one that cannot be imported has a reason instead."""
    found: dict[str, Any] = {}
    for module in pkgutil.iter_modules(benchmarks.__path__):
        if module.ispkg or module.name.startswith("_") or (asked and module.name not in asked):
            continue
        try:
            loaded = importlib.import_module(f"benchmarks.{module.name}")
        except ModuleNotFoundError as absent:
            found[module.name] = f"needs the package {absent.name}"
        else:
            if hasattr(loaded, "run"):
                found[module.name] = loaded
    return found


def main(arguments: list[str]) -> int:
    """Run the named topics, or all; the exit status is 1 if a name is not known."""
    full = "--full" in arguments
    asked = [argument for argument in arguments if argument != "--full"]
    known, console = topics(asked), Console(width=160)
    if unknown := [name for name in asked if name not in known]:
        offered = ", ".join(topics([]))
        console.print(f"unknown: {', '.join(unknown)}; expected some of {offered} and --full", markup=False)
        return 1
    for name in asked or known:
        _run(name, known[name], console, quick=not full)
    return 0


def _run(name: str, topic: Any, console: Console, *, quick: bool) -> None:
    if isinstance(topic, str):
        console.print(f"{name} left out: {topic}", markup=False)
        return
    started = time.monotonic()
    try:
        rows = topic.run(quick)
    except (Missing, ModuleNotFoundError) as reason:
        console.print(f"{name} left out: {reason}", markup=False)
        return
    if not rows:
        console.print(f"{name}: nothing could be measured here", markup=False)
        return
    title = f"{name} ({'quick' if quick else 'full'}, {time.monotonic() - started:.0f} s)"
    console.print(as_table(title, rows))
    directory = parts.RESULTS if quick else parts.FULL
    directory.mkdir(parents=True, exist_ok=True)
    write(directory / f"{name}.csv", rows)
    if hasattr(topic, "plot"):
        topic.plot(rows, directory)
    if not quick:
        parts.forget(name)


def as_table(title: str, rows: list[dict[str, Any]]) -> Table:
    """The records, four digits a number."""
    table = Table(title=title, title_justify="left")
    columns = _columns(rows)
    for column in columns:
        table.add_column(column, justify="right" if isinstance(rows[0].get(column), int | float) else "left")
    for row in rows:
        table.add_row(*(_cell(row.get(column)) for column in columns))
    return table


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    """The records as CSV, six digits a number."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, _columns(rows))
        writer.writeheader()
        for row in rows:
            writer.writerow({k: f"{v:.6g}" if isinstance(v, float) else v for k, v in row.items()})


def _columns(rows: list[dict[str, Any]]) -> list[str]:
    return list(dict.fromkeys(column for row in rows for column in row))


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
