"""The picture of the accuracy-first benchmark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd


def plot(rows: list[dict[str, Any]], directory: Path) -> None:
    """ε paid against α, published and tight, for each setting."""
    import matplotlib.pyplot as plt

    table = pd.DataFrame([row for row in rows if row["part"] == "price"])
    names = list(dict.fromkeys(table["setting"]))
    figure, axes = plt.subplots(1, len(names), figsize=(3.6 * len(names), 3.4), sharey=True, layout="constrained")
    styles = {
        ("theory", "published", False): ("#b9b9b9", ":", "theory, published"),
        ("doubling", "published", False): ("#b08d57", "--", "doubling, published"),
        ("noise-reduction", "published", False): ("#c0504d", "-", "noise reduction, published"),
        ("noise-reduction", "tight", False): ("#2f5d8a", "-", "noise reduction, tight"),
        ("brownian", "tight", False): ("#6ba3d6", "--", "Brownian, tight, δ = 1e-6"),
        ("noise-reduction", "tight", True): ("#3c8d5a", "-", "tight, public radius 1"),
    }
    for ax, name in zip(np.atleast_1d(axes), names, strict=True):
        part = table[table["setting"] == name]
        for (method, calibration, ball), (colour, line, label) in styles.items():
            chosen = part[
                (part["method"] == method) & (part["calibration"] == calibration) & (part["radius"].notna() == ball)
            ]
            ax.plot(chosen["alpha"], chosen["epsilon"], line, marker="o", ms=3, color=colour, label=label)
        ax.axvline(part["excess of zero"].iloc[0], color="#dddddd", zorder=0)
        ax.set(title=name, xlabel="excess risk asked for, α", yscale="log", xlim=(0, 0.21))
    np.atleast_1d(axes)[0].set_ylabel("ε paid (mean)")
    lines, labels = np.atleast_1d(axes)[0].get_legend_handles_labels()
    figure.legend(lines, labels, loc="outside lower center", ncol=3, fontsize=8, frameon=False)
    figure.savefig(directory / "accuracy.png", dpi=85)
