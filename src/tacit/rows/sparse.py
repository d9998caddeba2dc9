"""Sparse matrices: any scipy.sparse format, read as canonical CSR."""

from typing import Any

import numpy as np
from scipy.sparse import bsr_array, coo_array, csc_array, csr_array

from tacit.domain import NUMERIC
from tacit.errors import SchemaError


def check_sparse(matrix: Any) -> None:
    """Refuse what is public about a matrix: its dimensions and its dtype."""
    if matrix.ndim != 2:
        raise SchemaError("X: found a sparse array that is not two-dimensional; expected rows and columns.")
    if matrix.dtype.kind not in NUMERIC:
        raise SchemaError(f"X: found a sparse matrix of dtype {matrix.dtype}; expected real numbers.")
    if matrix.shape[0] == 0:
        raise SchemaError("X: found no rows; expected at least one.")


def sparse_table(matrix: Any) -> csr_array:
    """A CSR table of float64 with sorted indices and no duplicates; the caller's matrix is never changed.

    Entries given twice are added up, as scipy does. Explicit zeros stay: they are values. An entry outside the matrix
    is no cell of it and is left out: whether a row holds one is that row's secret.
    """
    try:
        given = _by_rows(matrix)
        with np.errstate(all="ignore"):
            data = np.asarray(given.data, dtype=np.float64)
        # A new matrix around the same memory: the given one's "sorted" and "canonical" marks may be wrong.
        table = csr_array(_inside(data, given.indices, given.indptr, given.shape[1]), shape=given.shape)
    except ValueError:
        raise SchemaError(
            "X: found a sparse matrix whose own counts of entries contradict each other; rebuild it from its entries."
        ) from None
    if not table.has_canonical_format:
        table = table.copy()
        table.sum_duplicates()
    return table


def _by_rows(matrix: Any) -> Any:
    """Any format as CSR. scipy's conversions write outside their memory where an entry lies outside the matrix."""
    rows, columns = matrix.shape
    match matrix.format:
        case "csc":
            entries = _inside(matrix.data, matrix.indices, matrix.indptr, rows)
            return csc_array(entries, shape=matrix.shape).tocsr()
        case "bsr":
            blocks = _inside(matrix.data, matrix.indices, matrix.indptr, columns // matrix.blocksize[1])
            return bsr_array(blocks, shape=matrix.shape).tocsr()
        case "coo":
            kept = _between(matrix.coords[0], rows) & _between(matrix.coords[1], columns)
            return coo_array((matrix.data[kept], [places[kept] for places in matrix.coords]), matrix.shape).tocsr()
        case _:
            return matrix.tocsr()


def _inside(data: Any, indices: Any, starts: Any, limit: int) -> tuple[Any, Any, Any]:
    """The stored entries whose index exists."""
    if starts[0] != 0 or starts[-1] > len(indices) or np.any(np.diff(starts) < 0):
        raise ValueError
    kept = _between(indices, limit)
    if kept.all():
        return data, indices, starts
    before = np.concatenate([[0], np.cumsum(kept)])
    return data[kept], indices[kept], before[starts]


def _between(places: Any, limit: int) -> Any:
    return (places >= 0) & (places < limit)
