"""The schema file's mappings, to and from declared types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tacit.domain.checks import known_keys, mapping, refuse, text
from tacit.domain.features import Category, Feature, Flag, Number
from tacit.domain.targets import Binary, Classes, Outcome, Real
from tacit.errors import SchemaError

_FEATURES: Mapping[str, tuple[type[Feature], tuple[str, ...], tuple[str, ...]]] = {
    "number": (Number, ("min", "max"), ("missing", "reference")),
    "flag": (Flag, (), ("positive", "negative", "missing")),
    "category": (Category, ("values",), ("other", "missing")),
}
"""Feature types of a schema file: class, required keys, optional keys."""

_TARGETS: Mapping[str, tuple[type[Outcome], tuple[str, ...], tuple[str, ...]]] = {
    "real": (Real, ("name", "min", "max"), ()),
    "binary": (Binary, ("name", "positive", "negative"), ()),
    "classes": (Classes, ("name", "values"), ()),
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
        raise SchemaError(f"{where}: {problem}") from None


def _require(where: str, entry: Mapping[object, object], key: str, expected: str = "it to be declared") -> None:
    if key not in entry:
        place = key if where == "schema" else f"{where}.{key}"
        refuse(SchemaError, place, "the key absent", expected, f"Add `{key}: ...`.")


def write_feature(feature: Feature) -> dict[str, object]:
    """A feature as in a schema file; defaults are left out."""
    if isinstance(feature, Number):
        entry: dict[str, object] = {"type": "number", "min": feature.min, "max": feature.max}
        extra: dict[str, object] = {"missing": feature.missing, "reference": feature.reference}
    elif isinstance(feature, Flag):
        entry = {"type": "flag", "positive": feature.positive, "negative": feature.negative}
        extra = {"missing": feature.missing}
    else:
        entry = {"type": "category", "values": list(feature.values)}
        extra = {"other": feature.other or None, "missing": feature.missing}
    return entry | {key: value for key, value in extra.items() if value is not None}


def write_target(target: Outcome) -> dict[str, object]:
    """A target as in a schema file."""
    if isinstance(target, Real):
        return {"name": target.name, "type": "real", "min": target.min, "max": target.max}
    if isinstance(target, Binary):
        labels: dict[str, object] = {"positive": target.positive, "negative": target.negative}
        return {"name": target.name, "type": "binary", **labels}
    return {"name": target.name, "type": "classes", "values": list(target.values)}
