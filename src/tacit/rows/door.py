"""The door: from a table in memory and its public declaration to `Rows`.

Everything refused here is public: shapes, column names, kinds of dtype, lengths. A cell is never refused.
"""

from typing import Any

import numpy as np
import scipy.sparse

from tacit.domain import Category, Domain, Geometry, Number, Schema, array_encoding, table_encoding
from tacit.errors import SchemaError
from tacit.rows.arrays import NUMERIC, ArrayTable, array_table
from tacit.rows.frames import FrameTable, frame_table
from tacit.rows.outcomes import encoded_targets
from tacit.rows.rows import Rows
from tacit.rows.sources import DenseSource, SparseSource
from tacit.rows.sparse import sparse_table
from tacit.rows.summation import FloatArray


def open_rows(X: Any, y: object, declaration: Domain | Schema, geometry: Geometry) -> Rows:
    """Rows of a table, clipped to their declaration.

    X: numpy array or nested lists, scipy.sparse matrix, pandas or polars DataFrame, pyarrow Table. Under a
    Schema the columns of a table are found by name (others are ignored) and those of an array by position.
    y: one target per row, in the order of X; None: the schema's target column of the table.

    An array of numbers is read in place: it must not change while the rows are in use.
    """
    if scipy.sparse.issparse(X):
        sparse_source = _sparse_source(X, declaration, geometry)
        return Rows(sparse_source, encoded_targets(y, sparse_source.n, declaration.outcome))
    table = _table(X)
    if isinstance(declaration, Schema):
        _check_length(table, declaration)
        if y is None and isinstance(table, FrameTable):
            (y,) = table.select([declaration.target.name])
    source = _dense_source(table, declaration, geometry)
    return Rows(source, encoded_targets(y, table.n, declaration.outcome))


def linear_scores(X: Any, theta: FloatArray, declaration: Domain | Schema, geometry: Geometry) -> FloatArray:
    """⟨x̃, θ⟩ for each row of a table to be predicted, encoded as for a fit; θ may have one column per class.

    Rows to predict are the caller's own: nothing here is private, and a declared number of rows does not bind them.
    """
    source: DenseSource | SparseSource
    if scipy.sparse.issparse(X):
        source = _sparse_source(X, declaration, geometry)
        n = source.n
    else:
        table = _table(X)
        n = table.n
        source = _dense_source(table, declaration, geometry)
    read = source.reader()
    starts = range(0, n, source.block_rows)
    return np.concatenate([read(start, min(start + source.block_rows, n)) @ theta for start in starts])


def _table(X: Any) -> ArrayTable | FrameTable:
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


def _dense_source(table: ArrayTable | FrameTable, declaration: Domain | Schema, geometry: Geometry) -> DenseSource:
    if isinstance(declaration, Schema):
        return _schema_source(table, declaration, geometry)
    return _domain_source(table, declaration, geometry)


def _domain_source(table: ArrayTable | FrameTable, domain: Domain, geometry: Geometry) -> DenseSource:
    """Every column is a number; names, if any, become the names of the coefficients."""
    numbers, names = table.numbers()
    return DenseSource(array_encoding(domain, geometry, numbers.shape[1], names), numbers, None)


def _schema_source(table: ArrayTable | FrameTable, schema: Schema, geometry: Geometry) -> DenseSource:
    """Declared columns, typed once: numbers as float64, categories as int32 codes."""
    columns = table.select(list(schema.features))
    encoding = table_encoding(schema, geometry)
    if isinstance(table, ArrayTable) and _is_numbers_only(table, schema):
        return DenseSource(encoding, table.cells, None)
    numbers = np.empty((table.n, encoding.number_count))
    codes = np.empty((table.n, encoding.category_count), dtype=np.int32)
    number_places, code_places = iter(numbers.T), iter(codes.T)
    for (name, feature), cells in zip(schema.features.items(), columns, strict=True):
        if isinstance(feature, Category):
            next(code_places)[:] = feature.codes(cells, f"column {name!r}")
        else:
            next(number_places)[:] = feature.numbers(cells, f"column {name!r}")
    return DenseSource(encoding, numbers, codes)


def _is_numbers_only(table: ArrayTable, schema: Schema) -> bool:
    declared = all(isinstance(feature, Number) for feature in schema.features.values())
    return declared and table.cells.dtype.kind in NUMERIC


def _sparse_source(matrix: Any, declaration: Domain | Schema, geometry: Geometry) -> SparseSource:
    if isinstance(declaration, Schema):
        raise SchemaError(
            "X: found a scipy.sparse matrix with a Schema; expected a table or an array. Declare a Domain instead: "
            "a schema's bounds would turn the zeros into other numbers."
        )
    table = sparse_table(matrix)
    if table.shape[0] == 0:
        raise SchemaError("X: found no rows; expected at least one.")
    return SparseSource(array_encoding(declaration, geometry, table.shape[1]), table)
