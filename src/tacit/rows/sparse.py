"""Sparse matrices: any scipy.sparse format, read as canonical CSR."""

from typing import Any

import numpy as np
from scipy.sparse import csr_array

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

    Entries given twice are added up, as scipy does. Explicit zeros stay: they are values.
    """
    given = matrix.tocsr()
    with np.errstate(all="ignore"):
        data = np.asarray(given.data, dtype=np.float64)
    # A new matrix around the same memory: the given one's "sorted" and "canonical" marks may be wrong.
    table = csr_array((data, given.indices, given.indptr), shape=given.shape)
    try:
        table.check_format(full_check=True)
    except ValueError:
        raise SchemaError("X: found sparse indices outside the matrix; rebuild it from its entries.") from None
    if not table.has_canonical_format:
        table = table.copy()
        table.sum_duplicates()
    return table
