"""How rows are placed in the unit ball: by public facts alone, or by numbers that were released before."""

from __future__ import annotations

from tacit.domain.geometry import Geometry
from tacit.domain.released_encoding import encode_released
from tacit.domain.released_geometry import ReleasedGeometry
from tacit.domain.schema import Schema
from tacit.domain.table_encoding import TableEncoding, table_encoding
from tacit.errors import ParameterError

Placement = Geometry | ReleasedGeometry


def placed_encoding(schema: Schema, placement: Placement) -> TableEncoding:
    """The encoding of tables with the schema's columns."""
    if isinstance(placement, ReleasedGeometry):
        return encode_released(schema, placement)
    return table_encoding(schema, placement)


def public_geometry(placement: Placement) -> Geometry:
    """The placement of rows of arrays, whose columns nobody declared and nobody looked at."""
    if isinstance(placement, ReleasedGeometry):
        raise ParameterError("rows of arrays are placed by public facts: only a Schema declares columns to look at")
    return placement
