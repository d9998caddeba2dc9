"""The door: from a table in memory and its public declaration to `Rows`, in two steps.

`seal` checks what is public: shapes, column names, kinds of dtype, lengths; it looks at no cell. `SealedRows.open`
reads the cells, and refuses none of them. A charge belongs between the two.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse

from tacit.arithmetic import Floats
from tacit.domain import (
    Domain,
    Encoding,
    Geometry,
    Placement,
    Schema,
    array_encoding,
    placed_encoding,
    public_geometry,
    typed_columns,
)
from tacit.errors import SchemaError
from tacit.rows.arrays import ArrayTable, array_table
from tacit.rows.frames import FrameTable, frame_table
from tacit.rows.outcomes import closed_targets
from tacit.rows.rows import Rows
from tacit.rows.sealed import SealedRows
from tacit.rows.sources import DenseSource, Source, SparseSource
from tacit.rows.sparse import check_sparse, sparse_table

Opening = Callable[[], Source]


def seal(X: Any, y: object, declaration: Domain | Schema, geometry: Geometry) -> SealedRows:
    """Rows of a table, to be clipped to their declaration; no cell is looked at before they are opened.

    X: numpy array or nested lists, scipy.sparse matrix, pandas or polars DataFrame, pyarrow Table. Under a
    Schema the columns of a table are found by name (others are ignored) and those of an array by position.
    y: one target per row, in the order of X; None: the schema's target column of the table.

    An array of numbers is read in place: it must not change while the rows are in use.
    """
    if scipy.sparse.issparse(X):
        encoding, n, opening = _sparse(X, declaration, geometry)
        return SealedRows(encoding, True, n, opening, closed_targets(y, n, declaration.outcome))
    table = closed_table(X)
    if isinstance(declaration, Schema):
        _check_length(table, declaration)
        if y is None and isinstance(table, FrameTable):
            (y,) = table.select([declaration.target.name]).chosen
    encoding, opening = _dense(table, declaration, geometry)
    return SealedRows(encoding, False, table.n, opening, closed_targets(y, table.n, declaration.outcome))


def open_rows(X: Any, y: object, declaration: Domain | Schema, geometry: Geometry) -> Rows:
    """Sealed and opened at once, where there is nothing to charge."""
    return seal(X, y, declaration, geometry).open()


def linear_scores(X: Any, theta: Floats, declaration: Domain | Schema, placement: Placement) -> Floats:
    """⟨x̃, θ⟩ for each row of a table to be predicted, encoded as for a fit; θ may have one column per class.

    Rows to predict are the caller's own: nothing here is private, and a declared number of rows does not bind them.
    """
    if scipy.sparse.issparse(X):
        _, n, opening = _sparse(X, declaration, placement)
    else:
        table = closed_table(X)
        n, (_, opening) = table.n, _dense(table, declaration, placement)
    source = opening()
    read = source.reader()
    starts = range(0, n, source.block_rows)
    return np.concatenate([read(start, min(start + source.block_rows, n)) @ theta for start in starts])


def closed_table(X: Any) -> ArrayTable | FrameTable:
    """A table with at least one row, none of which was looked at."""
    table = frame_table(X) or array_table(X)
    if table.n == 0:
        raise SchemaError("X: found no rows; expected at least one.")
    return table


def _check_length(table: ArrayTable | FrameTable, schema: Schema) -> None:
    if schema.rows is not None and schema.rows != table.n:
        raise SchemaError(
            f"X: found {table.n} rows; expected {schema.rows}, the public number that the schema declares. "
            "Correct `rows`, or pass the declared table."
        )


def _dense(
    table: ArrayTable | FrameTable, declaration: Domain | Schema, placement: Placement
) -> tuple[Encoding, Opening]:
    if isinstance(declaration, Schema):
        features = declaration.features
        chosen = table.select(list(features))
        typed = placed_encoding(declaration, placement)
        in_place = all(feature.reads_numbers_as_they_are for feature in features.values())
        if in_place and isinstance(chosen, ArrayTable) and chosen.numeric:
            return typed, lambda: DenseSource(typed, chosen.numbers(), None)
        return typed, lambda: DenseSource(typed, *typed_columns(features, chosen.columns()))
    # Every column is a number; names, if any, become the names of the coefficients.
    encoding = array_encoding(declaration, public_geometry(placement), table.width, table.names)
    columns = table.all()
    return encoding, lambda: DenseSource(encoding, columns.numbers(), None)


def _sparse(matrix: Any, declaration: Domain | Schema, placement: Placement) -> tuple[Encoding, int, Opening]:
    if isinstance(declaration, Schema):
        raise SchemaError(
            "X: found a scipy.sparse matrix with a Schema; expected a table or an array. Declare a Domain instead: "
            "a schema's bounds would turn the zeros into other numbers."
        )
    check_sparse(matrix)
    encoding = array_encoding(declaration, public_geometry(placement), matrix.shape[1])
    return encoding, matrix.shape[0], lambda: SparseSource(encoding, sparse_table(matrix))
