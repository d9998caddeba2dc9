"""The picture of a released density."""

from typing import Any

import numpy as np

from tacit.errors import ParameterError
from tacit.mechanisms import Grid


def plot_density(grid: Grid, density: Any, ax: Any = None) -> Any:
    """Bars for one axis, a map for two."""
    try:
        import matplotlib.pyplot as plt
    except ModuleNotFoundError:
        raise ParameterError("plots need matplotlib: pip install 'tacit-dp[plots]'") from None
    if len(grid.bins) > 2:
        raise ParameterError(f"a density on {len(grid.bins)} axes has no picture; one or two can be drawn")
    if ax is None:
        _, ax = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
    if len(grid.bins) == 1:
        ax.stairs(np.asarray(density), grid.edges[0], fill=True, color="#9bb7d4", edgecolor="#2f5d8a")
        ax.set(ylabel="density", ylim=(0, None))
    else:
        drawn = ax.pcolormesh(grid.edges[0], grid.edges[1], np.asarray(density).T, cmap="Blues")
        ax.figure.colorbar(drawn, ax=ax, label="density")
    return ax
