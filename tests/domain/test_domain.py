"""Domains of arrays: refusals, outcome, fingerprint."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from domain_support import ball
from tacit.domain import Classes, Declaration, Domain, Geometry, Real, array_encoding
from tacit.errors import ParameterError, SchemaError


@pytest.mark.parametrize(
    ("arguments", "fragment"),
    [
        ({"norm": "l3"}, "Domain.norm: found 'l3'; expected 'l1', 'l2' or 'linf'"),
        ({"radius": 0}, "Domain.radius: found 0"),
        ({"radius": -1.0}, "above 0"),
        ({"radius": float("nan")}, "found nan"),
        ({"radius": float("inf")}, "found inf"),
        ({"radius": True}, "found True"),
        ({"radius": "1"}, "found '1'"),
        ({"radius": 1e200}, "between -1e150 and 1e150"),
        ({"target": 3}, "a pair"),
        ({"target": (1, 2, 3)}, "a pair"),
        ({"target": (1.0, -1.0)}, "min < max"),
        ({"target": (0.0, float("nan"))}, "Domain.target.max"),
        ({"classes": ["a"]}, "at least 2 labels"),
        ({"classes": [0, False]}, "each label once"),
        ({"classes": 2}, "Domain.classes: found 2"),
    ],
)
def test_bad_domains_are_refused(arguments, fragment):
    with pytest.raises(ParameterError, match=fragment):
        Domain(**arguments)


def test_outcome_is_real_unless_classes_are_declared():
    assert Domain(target=(0, 5)).outcome == Real(0, 5)
    assert Domain(classes=np.array([0, 1, 2])).outcome == Classes((0, 1, 2))


def test_fingerprint():
    declaration: Declaration = Domain()
    assert declaration.fingerprint() == copy.deepcopy(Domain()).fingerprint()
    assert declaration.fingerprint() != Domain(radius=2).fingerprint()
    assert Domain(**Domain(classes=("a", 1)).to_dict()) == Domain(classes=("a", 1))


@pytest.mark.parametrize("columns", [0, -1, 2**31])
def test_rows_need_columns(columns):
    with pytest.raises(SchemaError, match="columns"):
        ball(columns)


def test_names_must_match_the_columns():
    with pytest.raises(SchemaError, match="names"):
        array_encoding(Domain(), Geometry(), 3, names=["a", "b"])
