"""Accuracy against ε and risk against n."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from benchmarks.sparse.accuracy import EPSILONS, Record
from benchmarks.sparse.risk import METHODS, SIZES


def draw(rows: list[Record], directory: Path) -> None:
    """Write lasso.png."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4))
    _accuracy(left, [r for r in rows if r["part"] == "accuracy" and r["case"] == "imdb"])
    _risk(right, [r for r in rows if r["part"] == "risk" and r["case"] == "against n"])
    figure.tight_layout()
    figure.savefig(directory / "lasso.png", dpi=110)
    plt.close(figure)


def _accuracy(axes: Any, rows: list[Record]) -> None:
    methods = ("PrivateLasso", "PrivateLasso, signs of cells not declared", "published settings, sound")
    for method, colour in zip(methods, ("C0", "C1", "C3"), strict=True):
        points = [r for r in rows if r["method"] == method]
        errors = [2 * (r["standard error"] or 0.0) for r in points]
        values = [r["value"] for r in points]
        axes.errorbar([r["epsilon"] for r in points], values, errors, marker="o", color=colour, label=method)
    for r in rows:
        if math.isinf(r["epsilon"]):
            axes.axhline(r["value"], color="0.5", linestyle="--", label="LASSO without privacy")
    axes.set(xlabel="ε (δ = 1e-6)", ylabel="test accuracy", title="IMDB, 25,000 reviews, 89,527 words", xscale="log")
    axes.set_xticks(EPSILONS, [f"{e:g}" for e in EPSILONS])
    axes.minorticks_off()
    axes.set_ylim(0.45, 0.9)
    axes.legend(frameon=False, fontsize=7, loc="lower right")


def _risk(axes: Any, rows: list[Record]) -> None:
    for method in METHODS:
        points = [r for r in rows if r["method"] == method]
        axes.loglog([r["n"] for r in points], [r["value"] for r in points], marker="o", label=method)
    axes.set(xlabel="n", ylabel="excess risk", title="planted sparse regression, p = 1,000, ε = 1")
    axes.set_xticks(SIZES, [f"{n:,}" for n in SIZES])
    axes.minorticks_off()
    axes.legend(frameon=False, fontsize=7)
