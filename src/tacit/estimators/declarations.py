"""What estimators may be told about rows before any is read: a ball, a schema or a box."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from tacit.domain import (
    ArrayEncoding,
    Domain,
    Encoding,
    Outcome,
    Placement,
    Schema,
    TableEncoding,
    array_encoding,
    placed_encoding,
    public_geometry,
)


@dataclass(frozen=True)
class Bounds:
    """A box: the public bounds of each coordinate of a point."""

    low: tuple[float, ...]
    high: tuple[float, ...]

    def fingerprint(self) -> str:
        """sha256 of the bounds."""
        return hashlib.sha256(json.dumps([self.low, self.high]).encode()).hexdigest()

    def to_dict(self) -> dict[str, object]:
        """Plain values."""
        return {"low": list(self.low), "high": list(self.high)}


Declaration = Domain | Schema | Bounds


def unit_of(declaration: Declaration) -> str:
    """What one unit of privacy is, in words."""
    return declaration.unit if isinstance(declaration, Schema) else "one row"


def declaration_to_dict(declaration: Declaration) -> dict[str, Any]:
    """Plain values under the name of their kind."""
    match declaration:
        case Schema():
            return {"schema": declaration.to_dict()}
        case Domain():
            return {"domain": declaration.to_dict()}
        case Bounds():
            return {"bounds": declaration.to_dict()}


def declaration_from_dict(stored: Mapping[str, Any]) -> Declaration:
    """The declaration that `declaration_to_dict` described."""
    match stored:
        case {"schema": schema}:
            return Schema.from_dict(schema)
        case {"domain": {"norm": norm, "radius": radius, "target": target, "classes": classes}}:
            return Domain(norm, radius, tuple(target), None if classes is None else tuple(classes))
        case {"bounds": {"low": low, "high": high}}:
            return Bounds(tuple(low), tuple(high))
    raise KeyError("a declaration of an unknown kind")


def encoding_of(
    declaration: Domain | Schema, placement: Placement, columns: int, names: tuple[str, ...], units: Outcome | None
) -> Encoding:
    """How rows of a table with these columns are placed in the unit ball; units: what scores are decoded to instead."""
    encoding: ArrayEncoding | TableEncoding
    if isinstance(declaration, Schema):
        encoding = placed_encoding(declaration, placement)
    else:
        encoding = array_encoding(declaration, public_geometry(placement), columns, names or None)
    return encoding if units is None else replace(encoding, target=units)
