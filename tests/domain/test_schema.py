"""Schemas: what is read, what is refused and with which words, and what identifies them."""

from __future__ import annotations

import copy
import json
import pickle
from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain_support import person_schema
from tacit.domain import Binary, Category, Classes, Flag, Number, Real, Schema
from tacit.domain.schema_syntax import read_yaml, write_yaml
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


@given(st.lists(st.one_of(st.text(st.characters(codec="ascii")), st.integers(), st.floats(allow_nan=False))))
def test_yaml_values_are_read_back(values):
    assert read_yaml(write_yaml(values), "test") == values


def test_yaml_words_and_codes_keep_their_meaning():
    assert read_yaml("[yes, no, on, 010, 12:30, 1e5, -2.5, true, ~, 2020-01-01]", "test") == [
        *("yes", "no", "on", "010", "12:30"),
        *(1e5, -2.5, True, None, "2020-01-01"),
    ]


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
        ("a: &a [*a]\n? [1]\n: 2", "YAML"),
        ("", "expected a mapping"),
    ],
)
def test_bad_yaml_is_refused(text, fragment):
    with pytest.raises(SchemaError, match=fragment):
        Schema.from_text(text)


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
