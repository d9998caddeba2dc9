"""The picture of the coverage table: coverage above, length below, one point a cell."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.coverage.measure import LEAST_AVERAGE, LEAST_SINGLE

COLOURS = {"logistic": "#0b5394", "huber": "#cc4125", "squared": "#38761d"}
SHIFTS = {"logistic": -0.06, "huber": 0.0, "squared": 0.06}
JITTER = 0.02


def plot(records: list[dict[str, Any]], directory: Path) -> None:
    """intervals.png: pure ε left, zCDP and (ε, δ) right; hollow points are tables that chose none of the constants."""
    import matplotlib.pyplot as plt

    frame = pd.DataFrame(records).dropna(subset=["coverage", "over_variability"])
    pure, lowest = frame["currency"] == "pure", min(0.91, frame["worst"].min() - 0.005)
    figure, axes = plt.subplots(2, 2, figsize=(9.5, 6.4), sharex=True, sharey="row", layout="constrained")
    for column, (title, part) in enumerate({"pure ε": frame[pure], "zCDP and (ε, δ)": frame[~pure]}.items()):
        coverage, length = axes[:, column]
        for loss, cells in part.groupby("loss"):
            _points(coverage, cells, "coverage", str(loss), "o")
            _points(coverage, cells, "worst", str(loss), "v")
            _points(length, cells, "over_variability", str(loss), "o")
        coverage.axhline(LEAST_AVERAGE, color="grey", linewidth=0.8)
        coverage.axhline(LEAST_SINGLE, color="grey", linewidth=0.8, linestyle=":")
        coverage.set(title=f"{title}: coverage of 95 % intervals", ylim=(lowest, 1.003))
        length.axhline(1, color="grey", linewidth=0.8)
        length.set(title=f"{title}: length ÷ true spread", xscale="log", yscale="log", xlabel="rows")
        length.yaxis.set_major_locator(plt.FixedLocator([1, 1.5, 2, 3, 5, 8, 12]))
        length.yaxis.set_major_formatter("{x:g}")
        length.yaxis.set_minor_formatter("")
    axes[0, 0].legend(handles=_legend(frame), frameon=False, fontsize=8, loc="lower right")
    figure.savefig(directory / "intervals.png", dpi=80)
    plt.close(figure)


def _points(axis: Any, cells: pd.DataFrame, measure: str, loss: str, marker: str) -> None:
    """Rows are shifted a little so that points of one size do not hide each other."""
    rng = np.random.default_rng(0)
    rows = cells["n"] * 10 ** (SHIFTS[loss] + rng.uniform(-JITTER, JITTER, len(cells)))
    held_out = cells["held_out"].astype(bool)
    style = {"marker": marker, "s": 14, "edgecolors": COLOURS[loss], "linewidths": 0.8, "alpha": 0.7}
    axis.scatter(rows[~held_out], cells.loc[~held_out, measure], color=COLOURS[loss], **style)
    axis.scatter(rows[held_out], cells.loc[held_out, measure], facecolors="none", **style)


def _legend(frame: pd.DataFrame) -> list[Any]:
    from matplotlib.lines import Line2D

    losses = [loss for loss in COLOURS if loss in set(frame["loss"])]
    entries = [Line2D([], [], marker="o", color=COLOURS[loss], linestyle="", label=loss) for loss in losses]
    grey = {"color": "grey", "linestyle": ""}
    entries += [Line2D([], [], marker="o", label="average", **grey), Line2D([], [], marker="v", label="worst", **grey)]
    return [*entries, Line2D([], [], marker="o", markerfacecolor="none", label="held-out table", **grey)]
