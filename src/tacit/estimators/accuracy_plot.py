"""The picture of an accuracy-first search."""

from typing import Any

import pandas as pd

from tacit.errors import ParameterError


def plot_search(trace: pd.DataFrame, met: bool, excess_risk: float, ax: Any = None) -> Any:
    """Bars: what halting at each level tried costs. The last bar is what was paid."""
    try:
        import matplotlib.pyplot as plt
        from matplotlib.ticker import MaxNLocator
    except ModuleNotFoundError:
        raise ParameterError("plots need matplotlib: pip install 'tacit-dp[plots]'") from None
    if ax is None:
        _, ax = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
    ax.bar(trace.index, trace["test"], color="#9bb7d4", label="test of accuracy")
    ax.bar(trace.index, trace["hypothesis"], bottom=trace["test"], color="#2f5d8a", label="hypothesis")
    total = trace["total"].iloc[-1]
    verdict = "accepted" if met else "not accepted: nothing released"
    ax.annotate(
        f"{verdict}\nε = {total:.3g}",
        (trace.index[-1], total),
        xytext=(-6, 4),
        textcoords="offset points",
        ha="right",
    )
    ax.set(xlabel="level tried", ylabel="ε if the search halts here", title=f"Excess risk at most {excess_risk:g}")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.margins(y=0.2)
    ax.legend(frameon=False, loc="upper left")
    return ax
