"""Schema: the public facts about a table, read from a dict, a YAML file or a JSON file."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from tacit.domain.checks import InWords, refuse, shown, text
from tacit.domain.declaration import fingerprint
from tacit.domain.features import Category, Feature, Flag, Number, encoded_names
from tacit.domain.schema_syntax import read_json, read_yaml, write_yaml
from tacit.domain.schema_text import parse_schema
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
        self._check_target()
        object.__setattr__(self, "features", MappingProxyType(dict(self.features)))

    def _check_features(self) -> None:
        declared: object = self.features
        if not isinstance(declared, Mapping) or not declared:
            refuse(SchemaError, "features", declared, "at least one declared column", "Declare a column.")
        for column, feature in declared.items():
            text(SchemaError, "features", column, "Name each column as the table does; quote numbers.")
            if not isinstance(feature, Number | Flag | Category):
                expected = "a Number, Flag or Category"
                refuse(SchemaError, f"features.{column}", feature, expected, "Declare its kind.")
        seen: set[str] = set()
        for name in encoded_names(self.features):
            if name in seen:
                expected = "encoded columns with different names"
                refuse(
                    SchemaError, "features", InWords(f"the encoded column {shown(name)} twice"), expected, "Rename one."
                )
            seen.add(name)

    def _check_target(self) -> None:
        declared: object = self.target
        if not isinstance(declared, Real | Binary | Classes):
            refuse(SchemaError, "target", declared, "Real, Binary or Classes", "Declare the outcome.")
        if declared.name in self.features:
            expected = "a column that is not a feature"
            refuse(SchemaError, "target.name", declared.name, expected, "Remove it from the features.")

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
        return cls.from_dict((read_json if parse_json else read_yaml)(content, where))

    @property
    def outcome(self) -> Outcome:
        """The declared target."""
        return self.target

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of a table that are read: features, then the target."""
        return (*self.features, self.target.name)

    def to_dict(self) -> dict[str, object]:
        """Plain values as in a schema file."""
        return {
            "name": self.name,
            "rows": self.rows,
            "unit": self.unit,
            "features": {name: feature.to_dict() for name, feature in self.features.items()},
            "target": self.target.to_dict(),
        }

    def dump(self, path: str | Path | None = None) -> str:
        """The schema as YAML text (JSON when `path` ends in .json), also written to `path` if given."""
        declared = {key: value for key, value in self.to_dict().items() if value is not None}
        if path is not None and Path(path).suffix.lower() == ".json":
            content = json.dumps(declared, indent=2) + "\n"
        else:
            content = write_yaml(declared)
        if path is not None:
            Path(path).write_text(content, encoding="utf-8")
        return content

    def fingerprint(self) -> str:
        """sha256 of the canonical JSON; columns in declared order, since it fixes the encoded columns."""
        declared = self.to_dict()
        ordered = [[name, feature.to_dict()] for name, feature in self.features.items()]
        return fingerprint({"schema": {**declared, "features": ordered}})

    def __hash__(self) -> int:
        return hash(self.fingerprint())

    def __reduce__(self) -> tuple[Callable[[object], Schema], tuple[dict[str, object]]]:
        return Schema.from_dict, (self.to_dict(),)
