"""The picture of the utility benchmark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

COLOURS = {
    "tacit, pure": "#0b5394",
    "tacit, δ = 1e-6": "#cc4125",
    "AMP": "#e69138",
    "AdaSSP": "#e69138",
    "AdaSSP, add/remove": "#f6c48a",
    "objective perturbation, l2 = 0.001": "#6fa8dc",
    "objective perturbation, l2 = 0.0001": "#9fc5e8",
    "functional mechanism": "#93c47d",
    "diffprivlib": "#8e7cc3",
    "diffprivlib, C = 1": "#8e7cc3",
    "diffprivlib, C = 0.01": "#b4a7d6",
}
BASELINE = "not private; for regressions: predict the mean"


def plot(records: list[dict[str, Any]], directory: Path) -> None:
    """One panel a table: the measure against ε, one line a method."""
    import matplotlib.pyplot as plt
    from PIL import Image

    frame = pd.DataFrame(records)
    tables = [name for name, rows in frame.groupby("data", sort=False) if rows["method"].nunique() > 1]
    columns = min(3, len(tables))
    lines = -(-len(tables) // columns)
    figure, axes = plt.subplots(
        lines, columns, figsize=(4.2 * columns, 3.1 * lines + 0.9), squeeze=False, layout="constrained"
    )
    for axis, name in zip(axes.flat, tables, strict=False):
        _panel(axis, frame[frame["data"] == name], name)
    for axis in axes.flat[len(tables) :]:
        axis.set_visible(False)
    found = {line.get_label(): line for axis in axes.flat for line in axis.get_lines()}
    shown = [name for name in (*COLOURS, BASELINE) if name in found]
    figure.legend(
        [found[name] for name in shown], shown, loc="outside lower center", ncols=3, fontsize=8, frameon=False
    )
    path = directory / "utility.png"
    figure.savefig(path, dpi=75)
    plt.close(figure)
    with Image.open(path) as picture:
        small = picture.convert("RGB").quantize(48)
    small.save(path, optimize=True)


def _panel(axis: Any, frame: pd.DataFrame, name: str) -> None:
    ratio = "mse_ratio_median" in frame and frame["mse_ratio_median"].notna().any()
    metric = "mse_ratio_median" if ratio else "accuracy"
    for (method, currency), rows in frame[np.isfinite(frame["epsilon"])].groupby(["method", "currency"], sort=False):
        ours = method == "tacit"
        label = f"tacit, {'pure' if currency == 'pure' else 'δ = 1e-6'}" if ours else method
        style = {"linewidth": 2.4, "zorder": 3} if ours else {"linewidth": 1.4}
        axis.plot(rows["epsilon"], rows[metric], "o-", markersize=3, label=label, color=COLOURS[label], **style)
    baseline = float(frame.loc[~np.isfinite(frame["epsilon"]), metric].iloc[0])
    axis.axhline(baseline, color="grey", linewidth=1, linestyle=":", label=BASELINE)
    axis.set_xscale("log")
    ticks = sorted({epsilon for epsilon in frame["epsilon"] if np.isfinite(epsilon)})
    axis.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axis.minorticks_off()
    ours = frame.loc[frame["method"] == "tacit", metric]
    if ratio:
        axis.set_ylim(0.95, max(2.0, 1.3 * ours.max(), 1.05 * baseline))
    else:
        span = max(baseline, ours.max()) - ours.min()
        axis.set_ylim(ours.min() - 2.5 * span, max(baseline, ours.max()) + 0.15 * span)
    axis.set_title(f"{name}: {'test MSE ÷ least squares, median' if ratio else 'test accuracy'}", fontsize=9)
    axis.set_xlabel("ε", fontsize=9)
    axis.tick_params(labelsize=8)
