"""`tacit density`: how one column is distributed, or two together."""

from pathlib import Path
from typing import Annotated

import numpy as np
import pandas as pd
import typer
from numpy.typing import NDArray

from tacit.cli.messages import explained, out
from tacit.cli.options import AccountName, Data, LedgerUrl, account
from tacit.cli.tables import read_table
from tacit.estimators import PrivateHistogram

Floats = NDArray[np.float64]


def density(
    data: Data,
    column: Annotated[list[str], typer.Option(help="The column; two of them for a map.")],
    low: Annotated[list[float], typer.Option(help="Public lower bound, one for each column.")],
    high: Annotated[list[float], typer.Option(help="Public upper bound, one for each column.")],
    width: Annotated[list[float], typer.Option(help="Bin width; repeat it to have one chosen.")],
    epsilon: Annotated[float, typer.Option(help="ε of the histogram.")],
    select_epsilon: Annotated[
        float | None, typer.Option(help="ε of the choice of the width.", show_default=False)
    ] = None,
    ledger: LedgerUrl = None,
    account_name: AccountName = None,
    save: Annotated[Path | None, typer.Option("--out", help="Where to write the bins (CSV).")] = None,
    plot: Annotated[Path | None, typer.Option(help="Where to draw it.")] = None,
) -> None:
    """Release a histogram and print its certificate."""
    with explained():
        table = read_table(data, column)
        histogram = PrivateHistogram(
            width,
            privacy=epsilon,
            select_privacy=select_epsilon,
            low=low,
            high=high,
            ledger=account(ledger, account_name),
        ).fit(table)
    bins = _bins(histogram, column)
    if save is None:
        out().print(bins.to_string(index=False), markup=False)
    else:
        bins.to_csv(save, index=False)
    out().print(str(histogram.certificate_), markup=False)
    if plot is not None:
        histogram.plot().figure.savefig(plot)


def _bins(histogram: PrivateHistogram, names: list[str]) -> pd.DataFrame:
    """One line a bin: its edges on each axis, its count, its density."""
    edges = histogram.grid_.edges
    lower = np.meshgrid(*(e[:-1] for e in edges), indexing="ij")
    upper = np.meshgrid(*(e[1:] for e in edges), indexing="ij")
    table: dict[str, Floats] = {}
    for name, start, end in zip(names, lower, upper, strict=True):
        table |= {f"{name} from": start.ravel(), f"{name} to": end.ravel()}
    return pd.DataFrame(table | {"count": histogram.counts_.ravel(), "density": histogram.density_.ravel()})
