"""Tables from files. A cell of a CSV file stays the text it is: a reader that infers the type of a column from all its
cells would let one row change how the others are read. Of a Parquet file only the columns asked for are read.
"""

import csv
import mmap
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd

from tacit.errors import ParameterError, TacitError
from tacit.rows import FrameTable, table_to_come

csv.field_size_limit(sys.maxsize)  # a long cell is no reason to refuse a row


def closed_table(path: Path, names: Sequence[str]) -> FrameTable:
    """The named columns of a CSV or Parquet file; cells are read when they are asked for, which is after the charge.

    Before it, names, types and the number of rows are looked at, which are public: of a CSV file the rows are counted.
    """
    if _ending(path) == ".csv":
        with _csv_lines(path) as lines:
            header = _header(path, lines)
            _places(path, header, names)
            return table_to_come(sum(1 for _ in lines), list(names), lambda: read_table(path, names))
    with _parquet(path) as file:
        schema, n = file.schema_arrow, file.metadata.num_rows
        types = [schema.types[place] for place in _places(path, schema.names, names)]
        return table_to_come(n, list(names), lambda: read_table(path, names), types)


def read_table(path: Path, names: Sequence[str] | None = None) -> Any:
    """The named columns (default: all) of a CSV or Parquet file, as a pandas or pyarrow table.

    By `row-local-encoding` a row is read from itself alone.
    """
    return _from_csv(path, names) if _ending(path) == ".csv" else _from_parquet(path, names)


def _ending(path: Path) -> str:
    if not path.is_file():
        raise ParameterError(f"there is no file {str(path)!r}; expected a table as .csv or .parquet")
    suffix = path.suffix.lower()
    if suffix not in (".csv", ".parquet"):
        raise ParameterError(f"{path.name!r} ends in {suffix or 'nothing'!r}; expected a table as .csv or .parquet")
    return suffix


def _from_csv(path: Path, names: Sequence[str] | None) -> pd.DataFrame:
    """The first line names the columns. Shorter rows get empty cells, longer ones lose what has no column.

    Each further line is a row, a blank one too: it is a row of empty cells.
    """
    with _csv_lines(path) as lines:
        header = _header(path, lines)
        places = _places(path, header, names)
        rows = [[line[place] if place < len(line) else "" for place in places] for line in lines]
    return pd.DataFrame(rows, columns=[header[place] for place in places], dtype=object)


@contextmanager
def _csv_lines(path: Path) -> Iterator[Iterator[list[str]]]:
    try:
        with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
            yield csv.reader(file)
    except OSError as problem:
        raise ParameterError(f"{path.name!r} cannot be read ({problem.strerror}); expected a CSV file") from None


def _header(path: Path, lines: Iterator[list[str]]) -> list[str]:
    header = next(lines, [])
    if not header:
        raise ParameterError(f"{path.name!r} is empty; expected a first line with the names of the columns")
    return header


def _from_parquet(path: Path, names: Sequence[str] | None) -> Any:
    with _parquet(path) as file:
        columns = file.schema_arrow.names
        chosen = [columns[place] for place in _places(path, columns, names)]
        return file.read(columns=chosen).select(chosen)


@contextmanager
def _parquet(path: Path) -> Iterator[Any]:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise ParameterError("Parquet files are read by the package pyarrow: pip install pyarrow") from None
    try:
        with pq.ParquetFile(pa.BufferReader(pa.py_buffer(_without_arrow_schema(path)))) as file:
            yield file
    except (pa.ArrowException, OSError, ValueError) as problem:
        if isinstance(problem, TacitError):
            raise
        raise ParameterError(
            f"{path.name!r} cannot be read as Parquet; expected a whole file in this format. If it holds lines of "
            "text, let its name end in .csv."
        ) from None


def _without_arrow_schema(path: Path) -> mmap.mmap:
    """The file without the note on Arrow types that its writer may have left at its end (changed in memory only).

    With the note, pyarrow turns text into dictionaries while it reads and stops at a cell that is no UTF-8. The note is
    the entry `ARROW:schema`, a text of 12 bytes followed by another text, of the list of keys and values at the end.
    """
    with path.open("rb") as file:
        content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    footer = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    place = content.find(b"\x18\x0cARROW:schema\x18", max(footer, 0))
    if place >= 0:
        content[place + 2 : place + 14] = b"ARROW:unused"
    return content


def _places(path: Path, columns: Sequence[str], names: Sequence[str] | None) -> list[int]:
    """Where the named columns stand."""
    known = {name: place for place, name in enumerate(columns)}
    if len(known) < len(columns):
        raise ParameterError(f"{path.name!r} has a column name more than once; expected each once. Rename one")
    wanted = list(known) if names is None else names
    absent = [name for name in wanted if name not in known]
    if absent:
        hint = " alone; are its cells separated by commas?" if len(columns) == 1 else ""
        found = ", ".join(map(repr, columns))
        raise ParameterError(f"{path.name!r} has no column {absent[0]!r}; it has {found}{hint}")
    return [known[name] for name in wanted]
