"""Schema: the public facts about a table, read from a dict, a YAML file or a JSON file."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import yaml

from tacit.domain.checks import refuse, text
from tacit.domain.declaration import fingerprint
from tacit.domain.features import Category, Feature, Flag, Number
from tacit.domain.schema_text import parse_schema, write_feature, write_target
from tacit.domain.targets import Binary, Classes, Outcome, Real
from tacit.errors import SchemaError


@dataclass(frozen=True)
class Schema:
    """Name, columns and outcome of a table; `rows` is the public number of rows (None: taken from the table).

    `unit` says in words what one row stands for: privacy is for one unit.
    """

    features: Mapping[str, Feature]
    target: Outcome
    name: str = "table"
    rows: int | None = None
    unit: str = "one row"

    def __post_init__(self) -> None:
        text(SchemaError, "name", self.name, "Name the data set: ledgers and certificates show it.")
        text(SchemaError, "unit", self.unit, "Say what one row stands for, such as 'one person, one row'.")
        if self.rows is not None and (type(self.rows) is not int or self.rows < 1):
            refuse(SchemaError, "rows", self.rows, "a whole number of at least 1", "Give the public row count.")
        self._check_features()
        object.__setattr__(self, "features", MappingProxyType(dict(self.features)))

    def _check_features(self) -> None:
        if not isinstance(self.features, Mapping) or not self.features:
            refuse(SchemaError, "features", self.features, "at least one declared column", "Declare a column.")
        for column, feature in self.features.items():
            text(SchemaError, "features", column, "Name each column as the table does; quote numbers.")
            if not isinstance(feature, Number | Flag | Category):
                expected = "a Number, Flag or Category"
                refuse(SchemaError, f"features.{column}", feature, expected, "Declare its kind.")
        if not isinstance(self.target, Real | Binary | Classes):
            refuse(SchemaError, "target", self.target, "Real, Binary or Classes", "Declare the outcome.")
        if self.target.name in self.features:
            expected = "a column that is not a feature"
            refuse(SchemaError, "target.name", self.target.name, expected, "Remove it from the features.")

    @classmethod
    def from_dict(cls, declared: object) -> Schema:
        """Check a mapping as read from a schema file."""
        return cls(**parse_schema(declared))

    @classmethod
    def load(cls, path: str | Path) -> Schema:
        """Read a schema file: JSON when its name ends in .json, else YAML."""
        place = Path(path)
        try:
            content = place.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as problem:
            raise SchemaError(
                f"schema file {str(place)!r} cannot be read ({problem}); expected a YAML or JSON text file. "
                "Check the path."
            ) from problem
        return cls.from_text(content, parse_json=place.suffix.lower() == ".json", where=str(place))

    @classmethod
    def from_text(cls, content: str, *, parse_json: bool = False, where: str = "schema") -> Schema:
        """Read a schema written in YAML (or JSON)."""
        parse: Callable[[str], Any] = _strict_json if parse_json else _strict_yaml
        try:
            declared = parse(content)
        except (yaml.YAMLError, json.JSONDecodeError, RecursionError) as problem:
            kind = "JSON" if parse_json else "YAML"
            raise SchemaError(f"{where}: not valid {kind} ({problem}). Correct the file.") from problem
        return cls.from_dict(declared)

    @property
    def outcome(self) -> Outcome:
        """The declared target."""
        return self.target

    def to_dict(self) -> dict[str, object]:
        """Plain values as in a schema file."""
        return {
            "name": self.name,
            "rows": self.rows,
            "unit": self.unit,
            "features": {name: write_feature(feature) for name, feature in self.features.items()},
            "target": write_target(self.target),
        }

    def dump(self, path: str | Path | None = None) -> str:
        """The schema as YAML text (JSON when `path` ends in .json), also written to `path` if given."""
        declared = {key: value for key, value in self.to_dict().items() if value is not None}
        if path is not None and Path(path).suffix.lower() == ".json":
            content = json.dumps(declared, indent=2) + "\n"
        else:
            content = yaml.safe_dump(declared, sort_keys=False, allow_unicode=True)
        if path is not None:
            Path(path).write_text(content, encoding="utf-8")
        return content

    def fingerprint(self) -> str:
        """sha256 of the canonical JSON; columns in declared order, since it fixes the encoded columns."""
        declared = self.to_dict()
        ordered = [[name, write_feature(feature)] for name, feature in self.features.items()]
        return fingerprint({"schema": {**declared, "features": ordered}})

    def __hash__(self) -> int:
        return hash(self.fingerprint())

    def __reduce__(self) -> tuple[Callable[[object], Schema], tuple[dict[str, object]]]:
        return Schema.from_dict, (self.to_dict(),)


class _UniqueKeys(yaml.SafeLoader):
    """A safe YAML loader that refuses a key written twice: the second would silently replace the first."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        names = [str(key) for key in keys]
        _refuse_repeated(names)
        return super().construct_mapping(node, deep=deep)


def _strict_yaml(content: str) -> Any:
    return yaml.load(content, Loader=_UniqueKeys)


def _strict_json(content: str) -> Any:
    return json.loads(content, object_pairs_hook=_unique_pairs)


def _unique_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    _refuse_repeated([key for key, _ in pairs])
    return dict(pairs)


def _refuse_repeated(names: list[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            refuse(SchemaError, "schema", f"the key {name!r} twice", "each name once", "Remove one of them.")
