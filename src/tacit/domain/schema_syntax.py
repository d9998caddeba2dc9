"""Strict YAML and JSON for schema files: no key twice, and no word or code turned into something else.

Plain YAML readers turn `no` into false, `010` into 8, `12:30` into 750 and `1e5` into a text. Labels and bounds
must mean what is written, so only null, true/false and decimal numbers without leading zeros are special here.
A file from a stranger must not cost more than its size: what aliases stand for is counted, and depth is limited.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from tacit.domain.checks import InWords, refuse, shown
from tacit.errors import SchemaError

MOST_VALUES = 1_000_000
"""Keys and values of a YAML file, aliases written out."""

MOST_LEVELS = 50


def _float(word: str) -> float:
    """YAML writes a point before the names of the numbers that are not finite."""
    return float(word.replace(".inf", "inf").replace(".nan", "nan"))


_DECIMAL = r"(?:0|[1-9][0-9]*)(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?|\.[0-9]+(?:[eE][-+]?[0-9]+)?"
_SPECIAL: tuple[tuple[str, re.Pattern[str], str, Callable[[str], object]], ...] = (
    ("null", re.compile(r"(?:~|null|)$"), "~n", lambda word: None),
    ("bool", re.compile(r"(?:true|false)$"), "tf", lambda word: word == "true"),
    ("int", re.compile(r"[-+]?(?:0|[1-9][0-9]*)$"), "-+0123456789", int),
    ("float", re.compile(rf"[-+]?(?:{_DECIMAL}|\.inf)$|\.nan$"), "-+.0123456789", _float),
)
"""Plain words that are not texts: YAML's name of their type, how they are written, how they begin, what they mean."""

# The parser of libyaml where it is installed: it reads the same language ten times as fast.
_PARSER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Dumper(yaml.SafeDumper):
    """Quotes every text that `read_yaml` or a plain YAML reader would not read back as a text."""

    def ignore_aliases(self, data: Any) -> bool:
        """Write equal values out in full: people read this file."""
        return True


for _type, _pattern, _first, _ in _SPECIAL:
    _starts = [*_first, ""] if _type == "null" else list(_first)
    _Dumper.add_implicit_resolver(f"tag:yaml.org,2002:{_type}", _pattern, _starts)


def read_yaml(content: str, where: str, parser: Any = _PARSER) -> object:
    """The value of a YAML text."""
    try:
        return _Document().read(yaml.parse(content, Loader=parser))
    except SchemaError:
        raise
    except (yaml.YAMLError, RecursionError, ValueError) as problem:
        raise SchemaError(f"{where}: not valid YAML ({problem}). Correct the file.") from problem


def read_json(content: str, where: str) -> object:
    """The value of a JSON text."""
    try:
        return json.loads(content, object_pairs_hook=unique_keys)
    except SchemaError:
        raise
    except (RecursionError, ValueError) as problem:
        raise SchemaError(f"{where}: not valid JSON ({problem}). Correct the file.") from problem


def write_yaml(value: object) -> str:
    """YAML text that `read_yaml` reads back to the same value."""
    return str(yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True))


@dataclass
class _Open:
    """A list or mapping whose end was not read yet."""

    is_mapping: bool
    anchor: str | None
    counted_before: int
    values: list[object] = field(default_factory=list)

    def closed(self) -> object:
        """Its value; keys and values of a mapping stand in turn."""
        return unique_keys(zip(self.values[::2], self.values[1::2], strict=True)) if self.is_mapping else self.values

    def add(self, value: object) -> None:
        """Add a value, or a key, which is a single word or text."""
        if self.is_mapping and len(self.values) % 2 == 0 and isinstance(value, list | dict):
            refuse(SchemaError, "schema", InWords("a list or mapping as a key"), "texts", "Name keys by texts.")
        self.values.append(value)


class _Document:
    """The value of a stream of YAML events, and how many values it would have with all aliases written out."""

    def __init__(self) -> None:
        self._open = [_Open(False, None, 0)]
        self._anchors: dict[str, tuple[object, int]] = {}
        self._counted = 0

    def read(self, events: Iterable[Any]) -> object:
        """The value of the only document; null if there is none."""
        for event in events:
            match event:
                case yaml.ScalarEvent():
                    self._add(_word(event), event.anchor, 1)
                case yaml.SequenceStartEvent() | yaml.MappingStartEvent():
                    _refuse_tag(event)
                    self._open.append(_Open(isinstance(event, yaml.MappingStartEvent), event.anchor, self._counted))
                    self._check(len(self._open) <= MOST_LEVELS, f"more than {MOST_LEVELS} levels")
                case yaml.SequenceEndEvent() | yaml.MappingEndEvent():
                    done = self._open.pop()
                    self._add(done.closed(), done.anchor, 1, done.counted_before)
                case yaml.AliasEvent():
                    name = str(event.anchor)
                    self._check(name in self._anchors, f"an alias of nothing before it, {shown(name)}")
                    self._add(self._anchors[name][0], None, self._anchors[name][1])
        (document,) = self._open
        self._check(len(document.values) <= 1, "several documents")
        return document.values[0] if document.values else None

    def _add(self, value: object, anchor: str | None, size: int, since: int | None = None) -> None:
        self._counted += size
        self._check(self._counted <= MOST_VALUES, f"more than {MOST_VALUES:,} values, aliases written out")
        if anchor is not None:
            self._anchors[anchor] = value, size if since is None else self._counted - since
        self._open[-1].add(value)

    def _check(self, holds: bool, found: str) -> None:
        if not holds:
            refuse(SchemaError, "schema", InWords(found), "a plain list of declarations", "Write it in full.")


def _word(event: yaml.ScalarEvent) -> object:
    """A quoted text as it is; a plain word as what it stands for."""
    _refuse_tag(event)
    word = event.value
    if event.style:
        return word
    for _type, pattern, first, meaning in _SPECIAL:
        if word[:1] in first and pattern.fullmatch(word):
            return meaning(word)
    return word


def _refuse_tag(event: Any) -> None:
    if event.tag is not None:
        refuse(SchemaError, "schema", event.tag, "values without tags", "Remove the tag; quote a text.")


def unique_keys(pairs: Iterable[tuple[Any, Any]]) -> Mapping[Any, Any]:
    """A mapping whose keys are all different: of two equal ones, one would replace the other."""
    listed, seen = list(pairs), set[str]()
    for key, _ in listed:
        if str(key) in seen:
            refuse(
                SchemaError, "schema", InWords(f"the key {shown(key)} twice"), "each name once", "Remove one of them."
            )
        seen.add(str(key))
    return dict(listed)
