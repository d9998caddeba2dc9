"""What is publicly known about rows, and how a declared row becomes a stored point of the unit ball."""

from tacit.domain.array_encoding import ArrayEncoding, array_encoding
from tacit.domain.ball import Domain, Norm
from tacit.domain.cells import NUMERIC, Cells, Codes, to_numbers
from tacit.domain.declaration import Declaration
from tacit.domain.encoding import Encoding
from tacit.domain.features import Category, Feature, Flag, Number, split_features
from tacit.domain.geometry import CLASSIFICATION, REGRESSION, UNCLIPPED, Geometry, RadiusShare
from tacit.domain.norms import Norms
from tacit.domain.placement import Placement, placed_encoding, public_geometry
from tacit.domain.released_encoding import declared_units
from tacit.domain.released_geometry import ReleasedGeometry
from tacit.domain.schema import Schema
from tacit.domain.table_columns import typed_columns
from tacit.domain.table_encoding import TableEncoding, table_encoding
from tacit.domain.targets import Binary, Classes, Outcome, Real
from tacit.domain.vocabulary import Label, label_text

__all__ = [
    "CLASSIFICATION",
    "NUMERIC",
    "REGRESSION",
    "UNCLIPPED",
    "ArrayEncoding",
    "Binary",
    "Category",
    "Cells",
    "Classes",
    "Codes",
    "Declaration",
    "Domain",
    "Encoding",
    "Feature",
    "Flag",
    "Geometry",
    "Label",
    "Norm",
    "Norms",
    "Number",
    "Outcome",
    "Placement",
    "RadiusShare",
    "Real",
    "ReleasedGeometry",
    "Schema",
    "TableEncoding",
    "array_encoding",
    "declared_units",
    "label_text",
    "placed_encoding",
    "public_geometry",
    "split_features",
    "table_encoding",
    "to_numbers",
    "typed_columns",
]
