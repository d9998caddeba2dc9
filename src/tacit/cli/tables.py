"""Tables from files. A cell of a CSV file stays the text it is: a reader that infers the type of a column from all its
cells would let one row change how the others are read.
"""

import csv
import sys
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from tacit.errors import ParameterError

csv.field_size_limit(sys.maxsize)  # a long cell is no reason to refuse a row


def read_table(path: Path) -> pd.DataFrame:
    """A CSV or Parquet file; by `row-local-encoding` a row of it is read from itself alone."""
    if not path.is_file():
        raise ParameterError(f"there is no file {path}; expected a table as .csv or .parquet")
    match path.suffix.lower():
        case ".csv":
            with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
                return _from_lines(csv.reader(file), path.name)
        case ".parquet":
            return _from_parquet(path)
        case suffix:
            raise ParameterError(f"{path.name} ends in {suffix or 'nothing'}; expected a table as .csv or .parquet")


def _from_lines(lines: Iterator[list[str]], name: str) -> pd.DataFrame:
    """The first line names the columns. Shorter rows get empty cells, longer ones lose what has no column."""
    columns = next(lines, None)
    if not columns:
        raise ParameterError(f"{name} is empty; expected a first line with the names of the columns")
    width = len(columns)
    # A blank line is an empty cell where there is one column; elsewhere it is no row at all.
    cells = [[*line, *[""] * width][:width] for line in lines if line or width == 1]
    return pd.DataFrame(cells, columns=columns, dtype=object)


def _from_parquet(path: Path) -> pd.DataFrame:
    try:
        return pd.read_parquet(path)
    except ImportError:
        raise ParameterError("Parquet files are read by the package pyarrow: pip install pyarrow") from None
