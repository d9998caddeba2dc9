"""Baselines: one level of a category without a column, the same norms, the same rows otherwise."""

import numpy as np
import pytest

from tacit import Schema
from tacit.domain import Geometry, table_encoding
from tacit.errors import SchemaError

UNCLIPPED, WITH = Geometry(clip=None), Geometry(clip=None, baselines=True)


def schema(**category):
    features = {
        "age": {"type": "number", "min": 0, "max": 100},
        "region": {"type": "category", "values": ["north", "south", "west"]} | category,
        "only": {"type": "category", "values": ["one"]},
    }
    target = {"name": "y", "type": "binary", "positive": 1, "negative": 0}
    return Schema.from_dict({"name": "t", "features": features, "target": target})


def encoded(declared, geometry, codes):
    encoding = table_encoding(declared, geometry)
    out = np.empty((len(codes), encoding.width))
    numbers, places = np.full((len(codes), 1), 50.0), np.column_stack([codes, np.zeros(len(codes))]).astype(np.int32)
    encoding.encode(numbers, places, out)
    return encoding, out


@pytest.mark.parametrize(("category", "zero"), [({}, 0), ({"baseline": "south"}, 1), ({"baseline": "west"}, 2)])
def test_a_baseline_row_has_no_cell_and_the_others_keep_theirs(category, zero):
    codes = np.array([0, 1, 2, -1])
    whole, rows = encoded(schema(**category), UNCLIPPED, codes)
    encoding, without = encoded(schema(**category), WITH, codes)
    kept = [column for column in range(whole.width) if column != 1 + zero]
    assert encoding.width == whole.width - 1
    assert np.array_equal(without, rows[:, kept])
    assert encoding.norms == whole.norms
    assert encoding.feature_names == whole.feature_names


@pytest.mark.parametrize("other", [True, False])
def test_an_unknown_cell_is_a_baseline_row_unless_other_has_a_column(other):
    encoding, rows = encoded(schema(other=other, baseline="south"), WITH, np.array([1, -1, 7]))
    assert np.array_equal(rows[0], rows[1]) == (not other)
    assert np.array_equal(rows[1], rows[2])
    assert encoding.width == 1 + 2 + other + 1 + 1  # age, two levels, perhaps other, the single level, the constant


def test_the_coefficient_of_a_baseline_is_zero_and_the_map_agrees():
    encoding = table_encoding(schema(baseline="south"), WITH)
    theta = np.arange(1.0, encoding.width + 1)
    coef, intercept = encoding.decode(theta)
    assert coef[list(encoding.feature_names).index("region=south")] == 0
    matrix, shift = encoding.linear_map()
    assert matrix @ theta + shift == pytest.approx(np.append(coef, intercept))


def test_typical_rows_are_shorter_than_the_longest():
    encoding = table_encoding(schema(), WITH)
    assert 0.3 < encoding.typical_norm < encoding.norms.l2


def test_a_baseline_is_a_declared_value_and_is_written_back():
    declared = schema(baseline="west")
    assert Schema.from_dict(declared.to_dict()) == declared
    assert declared.fingerprint() != schema().fingerprint()
    with pytest.raises(SchemaError, match="one of the declared values"):
        schema(baseline="east")
