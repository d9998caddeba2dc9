"""A private density of ages: the bin width chosen privately against fixed widths, on the census table.

`python -m benchmarks density`. Error is the integrated squared distance to the exact density of all rows at a width of
one year, in units of 1/1000.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import data
from tacit import PrivateHistogram

LOW, HIGH = 17.0, 90.0
WIDTHS = (1.0, 2.0, 5.0, 10.0, 20.0)
EPSILONS = (0.01, 0.03, 0.1, 0.3, 1.0)

Record = dict[str, Any]


def run(quick: bool = True) -> list[Record]:
    """One record for each ε: the error of each fixed width and of the chosen one, both for the same ε in all."""
    ages = data.load("adult").frame["age"].to_numpy(dtype=float)
    truth = np.histogram(ages, np.arange(LOW, HIGH + 1))[0] / len(ages)
    return [_record(ages, truth, epsilon, 20 if quick else 200) for epsilon in EPSILONS]


def plot(records: list[Record], directory: Path) -> None:
    """The released density beside the exact one, at three prices."""
    import matplotlib.pyplot as plt

    ages = data.load("adult").frame["age"].to_numpy(dtype=float)
    counts, edges = np.histogram(ages, np.arange(LOW, HIGH + 1))
    figure, axes = plt.subplots(1, 3, figsize=(9.6, 2.8), layout="constrained", sharey=True)
    for axis, epsilon in zip(axes, (0.01, 0.1, 1.0), strict=True):
        model = chosen(epsilon).fit(ages)
        model.plot(axis)
        axis.stairs(counts / len(ages), edges, color="black", linewidth=0.8, label="exact, not private")
        axis.set(
            title=f"ε = {epsilon:g}, chosen width {model.bin_width_:.3g}", xlabel="age", ylabel="", ylim=(0, 0.034)
        )
    axes[0].set_ylabel("density")
    axes[0].legend(frameon=False, fontsize=8)
    figure.savefig(directory / "density.png", dpi=100)
    plt.close(figure)


def chosen(epsilon: float) -> PrivateHistogram:
    """Half of ε for the choice, half for the histogram."""
    return PrivateHistogram(list(WIDTHS), privacy=epsilon / 2, select_privacy=epsilon / 2, low=LOW, high=HIGH)


def _record(ages: np.ndarray, truth: np.ndarray, epsilon: float, runs: int) -> Record:
    record: Record = {"table": "adult ages", "rows": len(ages), "epsilon": epsilon}
    for width in WIDTHS:
        fixed = PrivateHistogram(width, privacy=epsilon, low=LOW, high=HIGH)
        record[f"width {width:g}"] = float(np.mean([_error(fixed.fit(ages), truth) for _ in range(runs)]))
    models = [chosen(epsilon).fit(ages) for _ in range(runs)]
    record["chosen"] = float(np.mean([_error(model, truth) for model in models]))
    record["mean chosen width"] = float(np.mean([model.bin_width_ for model in models]))
    return record


def _error(model: PrivateHistogram, truth: np.ndarray) -> float:
    years = np.arange(LOW, HIGH) + 0.5
    return 1000 * float(np.sum((model.pdf(years) - truth) ** 2))
