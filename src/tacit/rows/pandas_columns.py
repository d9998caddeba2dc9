"""Columns of pandas frames, by their dtype: numpy's, pandas' own extensions, Arrow memory."""

from typing import Any

import numpy as np
import pandas as pd

from tacit.domain import NUMERIC, Cells
from tacit.rows.arrays import check_kind
from tacit.rows.arrow_columns import arrow_cells, check_arrow_type
from tacit.rows.columns import Column, looked_up, refuse_kind


def pandas_column(frame: pd.DataFrame, place: int) -> Column:
    """A closed column of a frame; dates, times, intervals and foreign dtypes are refused."""
    name, dtype = str(frame.columns[place]), frame.dtypes.iloc[place]

    def series() -> "pd.Series[Any]":
        return frame.iloc[:, place]

    if isinstance(dtype, np.dtype):
        check_kind(dtype, f"column {name!r}")
        return Column(name, len(frame), lambda: series().to_numpy())
    if isinstance(dtype, pd.ArrowDtype):
        check_arrow_type(name, dtype.pyarrow_dtype)
        return Column(name, len(frame), lambda: _from_arrow(series()))
    if isinstance(dtype, pd.StringDtype) and dtype.storage == "pyarrow":
        return Column(name, len(frame), lambda: _from_arrow(series()))
    if isinstance(dtype, pd.CategoricalDtype):
        entries = pandas_column(pd.DataFrame({name: dtype.categories}), 0)
        return Column(name, len(frame), lambda: looked_up(entries.cells(), series().cat.codes.to_numpy()))
    if isinstance(dtype, pd.StringDtype):
        return Column(name, len(frame), lambda: series().to_numpy(dtype=object))
    if dtype.kind in NUMERIC and pd.api.types.is_numeric_dtype(dtype):
        return Column(name, len(frame), lambda: series().to_numpy(dtype=np.float64, na_value=np.nan))
    refuse_kind(name, dtype)


def _from_arrow(series: "pd.Series[Any]") -> Cells:
    import pyarrow as pa

    return arrow_cells(pa.array(series.array))
