"""Columns of Arrow memory: pyarrow tables, Parquet files and the Arrow-backed columns of pandas.

Which types are read is decided by the type alone, which is public. Every possible content of a cell is then read, each
by itself: text as bytes first, since nothing keeps them from being invalid UTF-8, decimals as the integers they are.
"""

from typing import Any

import numpy as np

from tacit.domain import Cells
from tacit.rows.columns import Column, looked_up, refuse_kind, texts


def arrow_column(name: str, column: Any) -> Column:
    """A closed column of a pyarrow Array or ChunkedArray; dates, times and nested types are refused."""
    check_arrow_type(name, column.type)
    return Column(name, len(column), lambda: arrow_cells(column))


def check_arrow_type(name: str, kind: Any) -> None:
    """Refuse types that hold neither numbers nor text: a public fact."""
    from pyarrow import types

    plain = types.is_null, types.is_boolean, types.is_integer, types.is_floating, types.is_decimal, _is_text
    inner = _encoded_type(kind)
    if inner is not None:
        check_arrow_type(name, inner)
    elif not any(holds(kind) for holds in plain):
        refuse_kind(name, kind)


def _encoded_type(kind: Any) -> Any:
    """What a dictionary, a run-length encoding or an extension type stores; None for the other types."""
    from pyarrow import BaseExtensionType, types

    if types.is_dictionary(kind) or types.is_run_end_encoded(kind):
        return kind.value_type
    return kind.storage_type if isinstance(kind, BaseExtensionType) else None


def _is_text(kind: Any) -> bool:
    from pyarrow import types

    texts_of = types.is_string, types.is_large_string, types.is_string_view
    bytes_of = types.is_binary, types.is_large_binary, types.is_binary_view, types.is_fixed_size_binary
    return any(holds(kind) for holds in (*texts_of, *bytes_of))


def arrow_cells(column: Any) -> Cells:
    """Cells of a column, piece by piece: each piece of a dictionary column has its own dictionary."""
    from pyarrow import ChunkedArray

    if not isinstance(column, ChunkedArray):
        return _piece(column)
    if column.num_chunks == 1:
        return _piece(column.chunk(0))
    pieces = [_piece(chunk) for chunk in column.chunks]
    return np.concatenate([np.empty(0), *pieces]) if len({p.dtype for p in pieces}) == 1 else _joined(pieces)


def _joined(pieces: list[Cells]) -> Cells:
    return np.concatenate([np.empty(0, dtype=object), *(piece.astype(object) for piece in pieces)])


def _piece(array: Any) -> Cells:
    from pyarrow import BaseExtensionType, compute, types

    kind = array.type
    if isinstance(kind, BaseExtensionType):
        return _piece(array.storage)
    if types.is_dictionary(kind):
        positions = array.indices.cast("int64", safe=False).fill_null(-1).to_numpy(zero_copy_only=False)
        return looked_up(_piece(array.dictionary), positions)
    if types.is_run_end_encoded(kind):
        return _piece(compute.run_end_decode(array))
    if types.is_decimal(kind):
        return _decimals(array)
    if _is_text(kind):
        return texts(array.cast("large_binary").to_pylist(), len(array))
    return np.asarray(array.to_numpy(zero_copy_only=False))


def _decimals(array: Any) -> Cells:
    """Correctly rounded quotients of the stored integers, of any size, and a power of ten."""
    from pyarrow import binary

    kind = array.type
    stored = array.view(binary(kind.byte_width)).to_pylist()
    above, below = 10 ** max(-kind.scale, 0), 10 ** max(kind.scale, 0)
    numbers = (
        np.nan if cell is None else int.from_bytes(cell, "little", signed=True) * above / below for cell in stored
    )
    return np.fromiter(numbers, np.float64, len(stored))
