"""Strict YAML and JSON for schema files: no key twice, and no word or code turned into something else.

Plain YAML readers turn `no` into false, `010` into 8, `12:30` into 750 and `1e5` into a text. Labels and bounds
must mean what is written, so only null, true/false and decimal numbers without leading zeros are special here.
"""

from __future__ import annotations

import json
import re
from typing import Any

import yaml

from tacit.domain.checks import refuse
from tacit.errors import SchemaError

_SPECIAL = (
    ("tag:yaml.org,2002:null", r"(?:~|null|)$", ["~", "n", ""]),
    ("tag:yaml.org,2002:bool", r"(?:true|false)$", ["t", "f"]),
    ("tag:yaml.org,2002:int", r"[-+]?(?:0|[1-9][0-9]*)$", list("-+0123456789")),
    (
        "tag:yaml.org,2002:float",
        r"[-+]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?|\.[0-9]+(?:[eE][-+]?[0-9]+)?|\.inf)$|\.nan$",
        list("-+.0123456789"),
    ),
)


class _Loader(yaml.SafeLoader):
    """Safe YAML with few special words; a repeated key is refused, since one would replace the other."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """A mapping whose keys are all different."""
        _refuse_repeated([str(self.construct_object(key, deep=True)) for key, _ in node.value])
        return super().construct_mapping(node, deep=deep)


class _Dumper(yaml.SafeDumper):
    """Quotes every text that `_Loader` or a plain YAML reader would not read back as a text."""

    def ignore_aliases(self, data: Any) -> bool:
        """Write equal values out in full: people read this file."""
        return True


_Loader.yaml_implicit_resolvers = {}
for _tag, _pattern, _first in _SPECIAL:
    for _class in (_Loader, _Dumper):
        _class.add_implicit_resolver(_tag, re.compile(_pattern), _first)


def read_yaml(content: str, where: str) -> object:
    """The value of a YAML text."""
    try:
        return yaml.load(content, Loader=_Loader)
    except (yaml.YAMLError, RecursionError, ValueError) as problem:
        if isinstance(problem, SchemaError):
            raise
        raise SchemaError(f"{where}: not valid YAML ({problem}). Correct the file.") from problem


def read_json(content: str, where: str) -> object:
    """The value of a JSON text."""
    try:
        return json.loads(content, object_pairs_hook=_unique_pairs)
    except (json.JSONDecodeError, RecursionError) as problem:
        raise SchemaError(f"{where}: not valid JSON ({problem}). Correct the file.") from problem


def write_yaml(value: object) -> str:
    """YAML text that `read_yaml` reads back to the same value."""
    return str(yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True))


def _unique_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    _refuse_repeated([key for key, _ in pairs])
    return dict(pairs)


def _refuse_repeated(names: list[str]) -> None:
    for place, name in enumerate(names):
        if name in names[:place]:
            refuse(SchemaError, "schema", f"the key {name!r} twice", "each name once", "Remove one of them.")
