"""The schema file's mappings, turned into declared types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tacit.domain.checks import InWords, known_keys, mapping, printable, refuse, text
from tacit.domain.features import Category, Feature, Flag, Number
from tacit.domain.targets import Binary, Classes, Outcome, Real
from tacit.errors import SchemaError

_FEATURES: Mapping[str, tuple[type[Feature], tuple[str, ...], tuple[str, ...]]] = {
    Number.kind: (Number, ("min", "max"), ("missing", "reference")),
    Flag.kind: (Flag, (), ("positive", "negative", "missing")),
    Category.kind: (Category, ("values",), ("other", "missing", "baseline")),
}
"""Feature types of a schema file: class, required keys, optional keys."""

_TARGETS: Mapping[str, tuple[type[Outcome], tuple[str, ...], tuple[str, ...]]] = {
    Real.kind: (Real, ("name", "min", "max"), ()),
    Binary.kind: (Binary, ("name", "positive", "negative"), ()),
    Classes.kind: (Classes, ("name", "values"), ()),
}


def parse_schema(declared: object) -> dict[str, Any]:
    """Arguments of Schema from a mapping; every slip is refused with its place in the file."""
    whole = mapping("schema", declared, "a mapping with name, rows, unit, features and target")
    known_keys("schema", whole, ("name", "rows", "unit", "features", "target"))
    for key in ("features", "target"):
        _require("schema", whole, key)
    features = mapping("features", whole["features"], "a mapping from column names to declarations")
    parsed: dict[str, Any] = {key: whole[key] for key in ("name", "rows", "unit") if key in whole}
    parsed["features"] = {
        text(SchemaError, "features", column, "Name each column as the table does; quote numbers."): _parse(
            f"features.{column}", feature, _FEATURES
        )
        for column, feature in features.items()
    }
    parsed["target"] = _parse("target", whole["target"], _TARGETS)
    return parsed


def _parse(where: str, declared: object, kinds: Mapping[str, tuple[type[Any], tuple[str, ...], Any]]) -> Any:
    entry = mapping(where, declared, "a mapping with a type")
    expected = "one of " + ", ".join(kinds)
    _require(where, entry, "type", expected)
    kind = entry["type"]
    if not isinstance(kind, str) or kind not in kinds:
        refuse(SchemaError, f"{where}.type", kind, expected, "Correct the type.")
    declared_type, required, optional = kinds[kind]
    known_keys(where, entry, ("type", *required, *optional))
    for key in required:
        _require(where, entry, key)
    arguments = {str(key): value for key, value in entry.items() if key != "type"}
    try:
        return declared_type(**arguments)
    except SchemaError as problem:
        raise SchemaError(f"{printable(where)}: {problem}") from None


def _require(where: str, entry: Mapping[object, object], key: str, expected: str = "it to be declared") -> None:
    if key not in entry:
        place = key if where == "schema" else f"{where}.{key}"
        refuse(SchemaError, place, InWords("the key absent"), expected, f"Add `{key}: ...`.")
