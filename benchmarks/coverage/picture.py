"""The picture of the coverage table."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def plot(records: list[dict[str, Any]], directory: Path) -> None:
    """Coverage and length over the true spread, one point a cell."""
