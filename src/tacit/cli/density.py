"""`tacit density`: how one column is distributed, or two together."""

from pathlib import Path
from typing import Annotated

import numpy as np
import pandas as pd
import typer

from tacit.arithmetic import Floats
from tacit.cli.messages import explained
from tacit.cli.options import AccountName, Data, LedgerUrl, Plot, account
from tacit.cli.outputs import check_outputs, check_picture, deliver, write_table
from tacit.cli.tables import closed_table
from tacit.errors import ParameterError
from tacit.estimators import PrivateHistogram


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
    save: Annotated[
        Path | None, typer.Option("--out", help="Where to write the bins (CSV).", show_default=False)
    ] = None,
    plot: Plot = None,
) -> None:
    """Release a histogram and print its certificate."""
    with explained():
        check_outputs({"--out": save, "--plot": plot}, data)
        check_picture("--plot", plot)
        if plot is not None and len(column) > 2:
            raise ParameterError(f"--plot: a density on {len(column)} axes has no picture; one or two can be drawn")
        table = closed_table(data, column)
        histogram = PrivateHistogram(
            width,
            privacy=epsilon,
            select_privacy=select_epsilon,
            low=low,
            high=high,
            ledger=account(ledger, account_name),
        ).fit(table)
    bins = _bins(histogram, column)
    deliver(
        {
            "bins": (save, lambda path: write_table(bins, path)),
            "picture": (plot, lambda path: histogram.plot().figure.savefig(path)),
        },
        *(() if save is not None else (bins.to_string(index=False),)),
        histogram.certificate_,
        kept=ledger is not None,
    )


def _bins(histogram: PrivateHistogram, names: list[str]) -> pd.DataFrame:
    """One line a bin: its edges on each axis, its count, its density."""
    edges = histogram.grid_.edges
    lower = np.meshgrid(*(e[:-1] for e in edges), indexing="ij")
    upper = np.meshgrid(*(e[1:] for e in edges), indexing="ij")
    table: dict[str, Floats] = {}
    for name, start, end in zip(names, lower, upper, strict=True):
        table |= {f"{name} from": start.ravel(), f"{name} to": end.ravel()}
    return pd.DataFrame(table | {"count": histogram.counts_.ravel(), "density": histogram.density_.ravel()})
