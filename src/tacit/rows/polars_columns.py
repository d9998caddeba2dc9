"""Columns of polars frames, by their dtype.

Text is read as bytes first: nothing keeps a column built from foreign memory from holding invalid UTF-8, on which
polars panics.
"""

from typing import Any

import numpy as np

from tacit.domain import Cells
from tacit.rows.columns import Column, refuse_kind, texts


def polars_column(series: Any) -> Column:
    """A closed column; dates, times and nested types are refused."""
    import polars as pl

    kind = series.dtype
    plain = (pl.Boolean, pl.Null, pl.String, pl.Binary, pl.Categorical, pl.Enum, pl.Object)
    if not (kind.is_numeric() or kind in plain):
        refuse_kind(series.name, kind)
    return Column(series.name, len(series), lambda: _cells(series))


def _cells(series: Any) -> Cells:
    import polars as pl

    kind = series.dtype
    if kind in (pl.Categorical, pl.Enum):
        return _cells(series.cast(pl.String))
    if kind in (pl.String, pl.Binary):
        return texts(series.cast(pl.Binary).to_list(), len(series))
    if kind == pl.Decimal:
        return _decimals(series)
    if kind in (pl.Int128, pl.UInt128):
        # One integer beyond 64 bits makes a reader choose them for the whole column, and numpy has none.
        series = series.cast(pl.Float64)
    return np.asarray(series.to_numpy())


def _decimals(series: Any) -> Cells:
    """Correctly rounded quotients of the stored integers and a power of ten."""
    below = 10**series.dtype.scale
    numbers = (np.nan if stored is None else stored / below for stored in series.to_physical().to_list())
    return np.fromiter(numbers, np.float64, len(series))
