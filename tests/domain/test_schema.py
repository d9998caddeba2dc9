"""Schemas: what is read, what is refused and with which words, and what identifies them."""

from __future__ import annotations

import copy
import json
import math
import pickle
from dataclasses import FrozenInstanceError
from itertools import pairwise
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from domain_support import person_schema
from tacit.domain import Binary, Category, Classes, Flag, Number, Real, Schema
from tacit.domain.schema_syntax import read_yaml, unique_keys, write_yaml
from tacit.errors import SchemaError

ADULT = """
name: adult-1994
rows: 30162            # n is public
unit: one person, one row
features:
  age:            {type: number, min: 17, max: 90}
  hours-per-week: {type: number, min: 1, max: 99, missing: 40}
  capital-gain:   {type: number, min: 0, max: 1e5, reference: 0}
  education:      {type: category, values: [Bachelors, HS-grad, no, 010], other: true}
  sex:            {type: flag, positive: Male, negative: Female}
target: {name: income, type: binary, positive: ">50K", negative: "<=50K"}
"""

NUMBER = {"type": "number", "min": 0, "max": 1}
REAL = {"name": "y", "type": "real", "min": 0, "max": 1}


def declared(feature: object = NUMBER, target: object = REAL, **others: object) -> dict[str, object]:
    return {"features": {"x": feature}, "target": target, **others}


def test_a_schema_file_is_read_as_written(tmp_path):
    path = tmp_path / "adult.yaml"
    path.write_text(ADULT)
    schema = Schema.load(path)
    assert (schema.name, schema.rows, schema.unit) == ("adult-1994", 30162, "one person, one row")
    assert schema.features["age"] == Number(17, 90)
    assert schema.features["capital-gain"] == Number(0, 1e5, reference=0)
    assert schema.features["education"] == Category(("Bachelors", "HS-grad", "no", "010"), other=True)
    assert schema.features["sex"] == Flag("Male", "Female")
    assert schema.outcome == Binary(">50K", "<=50K", name="income")


@pytest.mark.parametrize("suffix", ["yaml", "json"])
def test_dumped_schemas_are_read_back(tmp_path, suffix):
    for schema in (Schema.from_text(ADULT), person_schema(), Schema({"x": Number(0, 1)}, Classes((1, "b", 2.5)))):
        path = tmp_path / f"schema.{suffix}"
        schema.dump(path)
        assert Schema.load(path) == schema
        assert Schema.load(str(path)).fingerprint() == schema.fingerprint()


PARSERS = [yaml.SafeLoader, *([yaml.CSafeLoader] if yaml.__with_libyaml__ else [])]
words = st.one_of(st.text(st.characters(codec="ascii")), st.integers(), st.floats(allow_nan=False), st.booleans())


@given(st.recursive(words, lambda inner: st.lists(inner) | st.dictionaries(st.text(alphabet="ab-: ?*&"), inner)))
def test_yaml_values_are_read_back(value):
    for parser in PARSERS:
        assert read_yaml(write_yaml(value), "test", parser) == value


@pytest.mark.parametrize("parser", PARSERS)
def test_yaml_words_and_codes_keep_their_meaning(parser):
    words = "[yes, no, on, 010, 12:30, 1e5, -2.5, true, ~, 2020-01-01, '1', \"~\", +7, .5, -.inf, , null, <<, =]"
    assert read_yaml(words.replace(", ,", ", "), "test", parser) == [
        *("yes", "no", "on", "010", "12:30"),
        *(1e5, -2.5, True, None, "2020-01-01", "1", "~", 7, 0.5, -math.inf, None, "<<", "="),
    ]
    assert read_yaml(
        "{a: &x [1], b: *x, c: &y 2, d: *y, e: , f: |\n 3\n}".replace("|\n 3\n", "'3'"), "test", parser
    ) == {
        **{"a": [1], "b": [1], "c": 2, "d": 2, "e": None, "f": "3"},
    }


BAD = [
    ([], "schema: found []; expected a mapping"),
    ({"target": REAL}, "features: found the key absent"),
    ({"features": {"x": NUMBER}}, "Add `target: ...`"),
    (declared(colour="red"), "unknown key 'colour'"),
    (declared(name=""), "name: found ''"),
    (declared(rows=0), "rows: found 0; expected a whole number"),
    (declared(rows=True), "rows: found True"),
    (declared(rows=10.0), "rows: found 10.0"),
    (declared(unit=7), "unit: found 7"),
    ({"features": {}, "target": REAL}, "at least one declared column"),
    ({"features": [NUMBER], "target": REAL}, "a mapping from column names"),
    ({"features": {3: NUMBER}, "target": REAL}, "quote numbers"),
    ({"features": {"y": NUMBER}, "target": REAL}, "Remove it from the features"),
    (declared(5), "features.x: found 5; expected a mapping with a type"),
    (declared({"min": 0, "max": 1}), "features.x.type: found the key absent; expected one of number"),
    (declared({"type": "real", "min": 0, "max": 1}), "features.x.type: found 'real'"),
    (declared({"type": ["number"]}), "features.x.type"),
    (declared({"type": "number", "min": 0}), "features.x.max: found the key absent"),
    (declared({**NUMBER, "maximum": 3}), "unknown key 'maximum'; expected only max, min, missing"),
    (declared({**NUMBER, "min": 2}), "features.x: number: found min=2.0, max=1.0; expected min < max"),
    (declared({**NUMBER, "min": 1}), "min < max"),
    (declared({**NUMBER, "min": float("nan")}), "number.min: found nan"),
    (declared({**NUMBER, "max": float("inf")}), "number.max: found inf"),
    (declared({**NUMBER, "max": 1e200}), "between -1e150 and 1e150"),
    (declared({**NUMBER, "max": 10**400}), "number.max: found 1000"),
    (declared({**NUMBER, "max": 1e-200}), "at least 1e-150 apart"),
    (declared({**NUMBER, "max": True}), "number.max: found True"),
    (declared({**NUMBER, "max": "9"}), "number.max: found '9'; expected a finite number"),
    (declared({**NUMBER, "min": None}), "number.min: found None"),
    (declared({**NUMBER, "missing": 3}), "number.missing: found 3; expected a number in [0.0, 1.0]"),
    (declared({**NUMBER, "reference": -1}), "number.reference: found -1"),
    (declared({"type": "category", "values": []}), "category.values: found []; expected a list of at least 1"),
    (declared({"type": "category", "values": "ab"}), "category.values: found 'ab'"),
    (declared({"type": "category", "values": ["a", "a"]}), "category.values: found 'a'; expected each label once"),
    (declared({"type": "category", "values": [1, "1"]}), "each label once"),
    (declared({"type": "category", "values": ["a", None]}), "found None; expected a non-empty text"),
    (declared({"type": "category", "values": [" "]}), "found ' '"),
    (declared({"type": "category", "values": [float("nan")]}), "found nan"),
    (declared({"type": "category", "values": [["a"]]}), "found ['a']"),
    (declared({"type": "category", "values": ["a"], "other": "yes"}), "category.other: found 'yes'"),
    (declared({"type": "category", "values": ["a"], "missing": "b"}), "one of the declared values"),
    (declared({"type": "category", "values": ["(other)"], "other": True}), "'x=(other)' twice"),
    (declared({"type": "flag", "positive": "a", "negative": "a"}), "flag: found 'a'"),
    (declared({"type": "flag", "missing": "perhaps"}), "flag.missing: found 'perhaps'"),
    (declared(target={"type": "real", "min": 0, "max": 1}), "target.name: found the key absent"),
    (declared(target={**REAL, "name": ""}), "target.name: found ''"),
    (declared(target={**REAL, "min": 1}), "target: found min=1.0"),
    (declared(target={"name": "y", "type": "binary", "positive": 1}), "target.negative"),
    (declared(target={"name": "y", "type": "binary", "positive": 1, "negative": "1"}), "each label once"),
    (declared(target={"name": "y", "type": "classes", "values": ["a"]}), "at least 2 labels"),
    (declared(target="y"), "target: found 'y'"),
]


@pytest.mark.parametrize(("schema", "fragment"), BAD, ids=[fragment for _, fragment in BAD])
def test_bad_schemas_are_refused_with_the_place_and_the_remedy(schema, fragment):
    with pytest.raises(SchemaError) as refusal:
        Schema.from_dict(schema)
    assert fragment in str(refusal.value)
    assert str(refusal.value).rstrip().endswith((".", "]")), "the last sentence says what to do"


@pytest.mark.parametrize(
    ("text", "fragment"),
    [
        ("features: {x: {type: number, min: 0, max: 1}, x: {type: flag}}", "the key 'x' twice"),
        ("features: [", "not valid YAML"),
        ("a: &a [*a]", "an alias of nothing before it, 'a'"),
        ("? [1]\n: 2", "a list or mapping as a key"),
        ("a: *b", "alias"),
        ("a: !!set {b}", "values without tags"),
        ("a: !!str 1", "values without tags"),
        ("? !!merge <<\n: {a: 1}", "values without tags"),
        ("a: 1\n---\nb: 2", "several documents"),
        ("rows: 1" + "0" * 5000, "not valid YAML"),
        ("1: 2\n'1': 3", "the key '1' twice"),
        ("", "expected a mapping"),
    ],
)
@pytest.mark.parametrize("parser", PARSERS)
def test_bad_yaml_is_refused(text, fragment, parser):
    with pytest.raises(SchemaError, match=fragment):
        Schema.from_dict(read_yaml(text, "test", parser))


def bomb(tail: str) -> str:
    """Nine levels of lists of nine aliases of the level before: a few hundred bytes that stand for 9⁹ words."""
    levels = ["a: &a [x, x, x, x, x, x, x, x, x]"]
    levels += [f"{b}: &{b} [{', '.join([f'*{a}'] * 9)}]" for a, b in pairwise("abcdefghi")]
    return "\n".join([*levels, tail])


@pytest.mark.parametrize("parser", PARSERS)
@pytest.mark.parametrize("tail", ["? *i\n: 1", "features: {x: {type: category, values: *i}}", "name: *i", ""])
def test_what_aliases_stand_for_is_counted(tail, parser):
    with pytest.raises(SchemaError, match="more than 1,000,000 values"):
        read_yaml(bomb(tail), "test", parser)


@pytest.mark.parametrize("parser", PARSERS)
@pytest.mark.parametrize("opening", ["[", "{a: ", "- ", "? ", "{? ["])
def test_deep_files_are_refused(opening, parser):
    with pytest.raises(SchemaError, match=r"more than 50 levels|not valid YAML"):
        read_yaml(opening * 100_000, "test", parser)
    with pytest.raises(SchemaError, match="not valid JSON"):
        Schema.from_text("[" * 100_000, parse_json=True)


def test_a_value_is_cut_before_it_is_written_out():
    """Shared lists, as an alias or a caller makes them: 9⁹ words if they were written out."""
    shared: list[object] = ["x"]
    for _ in range(12):
        shared = [shared] * 9
    for schema in (declared(shared), declared({"type": "category", "values": shared}), declared(name=shared)):
        with pytest.raises(SchemaError) as refusal:
            Schema.from_dict(schema)
        assert len(str(refusal.value)) < 400
    with pytest.raises(SchemaError, match="a whole number of 16610 bits"):
        Schema.from_dict(declared({**NUMBER, "max": 10**5000}))


class CountedKey(str):
    """A key that counts how often it is compared."""

    compared = 0

    def __eq__(self, other: object) -> bool:
        CountedKey.compared += 1
        return str.__eq__(self, other)

    def __str__(self) -> str:
        return self

    __hash__ = str.__hash__


def check_keys_are_compared_a_few_times(unique) -> None:
    keys = [CountedKey(f"c{number}") for number in range(800)]
    CountedKey.compared = 0
    unique([(key, 0) for key in keys])
    assert CountedKey.compared <= 3 * len(keys)


def refuse_repeated_by_lists(pairs):
    names = [str(key) for key, _ in pairs]
    assert not any(name in names[:place] for place, name in enumerate(names))


def test_many_columns_cost_as_many_steps():
    check_keys_are_compared_a_few_times(unique_keys)
    with pytest.raises(AssertionError):
        check_keys_are_compared_a_few_times(refuse_repeated_by_lists)
    columns = "".join(f"  c{number}: {{type: number, min: 0, max: 1}}\n" for number in range(30_000))
    schema = Schema.from_text(f"features:\n{columns}target: {{name: y, type: real, min: 0, max: 1}}\n")
    assert len(schema.features) == 30_000


def test_messages_do_not_command_a_terminal():
    name = "\x1b]0;pwned\x07\u202e"
    for schema in (
        {"features": {name: 5}, "target": REAL},
        {"features": {name: {"type": "flag", "missing": name}}, "target": REAL},
        declared(**{name: 1}),
        declared(target={**REAL, "type": name}),
    ):
        with pytest.raises(SchemaError) as refusal:
            Schema.from_dict(schema)
        assert str(refusal.value).isprintable()
        assert "pwned" in str(refusal.value)


@pytest.mark.parametrize(
    ("text", "fragment"), [('{"rows": 1, "rows": 2}', "the key 'rows' twice"), ("{", "not valid JSON")]
)
def test_bad_json_is_refused(text, fragment):
    with pytest.raises(SchemaError, match=fragment):
        Schema.from_text(text, parse_json=True)


def test_unreadable_files_are_refused(tmp_path):
    with pytest.raises(SchemaError, match="Check the path"):
        Schema.load(tmp_path / "absent.yaml")
    (tmp_path / "binary.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SchemaError, match="cannot be read"):
        Schema.load(tmp_path / "binary.yaml")


def test_constructed_schemas_are_checked_too():
    with pytest.raises(SchemaError, match="Number, Flag or Category"):
        Schema({"x": NUMBER}, Real(0, 1))  # type: ignore[dict-item]
    with pytest.raises(SchemaError, match="Real, Binary or Classes"):
        Schema({"x": Number(0, 1)}, (0, 1))  # type: ignore[arg-type]


def test_a_schema_cannot_be_changed():
    schema = person_schema()
    with pytest.raises(FrozenInstanceError):
        schema.rows = 7  # type: ignore[misc]
    with pytest.raises(TypeError):
        schema.features["age"] = Number(0, 200)  # type: ignore[index]


def test_a_schema_can_be_copied_pickled_and_hashed():
    schema = person_schema()
    assert copy.deepcopy(schema) == copy.copy(schema) == pickle.loads(pickle.dumps(schema)) == schema  # noqa: S301
    assert len({schema, copy.deepcopy(schema)}) == 1


def test_fingerprints_are_stable_and_tell_declarations_apart():
    schema = Schema({"x": Number(0, 1), "z": Flag()}, Real(0, 1))
    assert schema.fingerprint() == "8b2eb7be79e25d7c897b6e9c47b5f740f310bec48b4373ec9763a2a64b774334"
    variants = [
        schema,
        Schema({"z": Flag(), "x": Number(0, 1)}, Real(0, 1)),
        Schema({"x": Number(0, 2), "z": Flag()}, Real(0, 1)),
        Schema({"x": Number(0, 1, missing=0), "z": Flag()}, Real(0, 1)),
        Schema({"x": Number(0, 1), "z": Flag()}, Real(0, 1), rows=5),
        Schema({"x": Number(0, 1), "z": Flag()}, Classes((0, 1))),
    ]
    assert len({variant.fingerprint() for variant in variants}) == len(variants)


def test_the_dumped_json_is_json(tmp_path: Path):
    person_schema().dump(tmp_path / "s.json")
    assert json.loads((tmp_path / "s.json").read_text())["features"]["age"] == {"type": "number", "min": 17, "max": 90}
