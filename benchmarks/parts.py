"""Parts of a long run, kept as they are found: a run that was broken off goes on where it stopped.

The parts of a topic lie in one file beside its table and are forgotten when the table is written. After a change to the
code, delete that file: what was found before would be taken over.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"
FULL = RESULTS / "full"

Records = list[dict[str, Any]]


def once(topic: str, part: str, work: Callable[[], Records]) -> Records:
    """The records of a part of a full run: those found before, or those that `work` finds now."""
    known = _read(topic)
    if part not in known:
        known[part] = work()
        FULL.mkdir(parents=True, exist_ok=True)
        with _file(topic).open("a", encoding="utf-8") as file:
            file.write(json.dumps({"part": part, "records": known[part]}, default=float) + "\n")
    return known[part]


def forget(topic: str) -> None:
    """The run has ended."""
    _file(topic).unlink(missing_ok=True)


def _read(topic: str) -> dict[str, Records]:
    if not _file(topic).exists():
        return {}
    lines = _file(topic).read_text(encoding="utf-8").splitlines()
    return {entry["part"]: entry["records"] for entry in map(json.loads, lines)}


def _file(topic: str) -> Path:
    return FULL / f"{topic}.parts"
