"""Rows under released numbers: inside their norms whatever was released, a function of one row, decoded exactly."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain_support import assert_inside, encode, random_codes, raw_rows, schemas
from tacit.domain import Category, Flag, Number, Real, ReleasedGeometry, Schema, declared_units, placed_encoding

pytestmark = pytest.mark.proof("released-encoding")

SCHEMA = Schema(
    {
        "age": Number(20, 80),
        "gain": Number(0, 100, reference=0),
        "member": Flag(),
        "region": Category(("n", "s", "w"), other=True),
        "kind": Category(("only",)),
    },
    Real(0, 10),
)
GEOMETRY = ReleasedGeometry(
    centres=(0.2, 0.1, -0.3),
    scales=(2.0, 8.0, 1.0),
    zero_levels=(1, None),
    radius=1.1,
    l1_radius=1.6,
    constant=0.3,
    edge=1.0,
    category=0.7,
    binary=0.5,
    target=(-0.2, 2.0),
)


@st.composite
def geometries(draw, schema):
    numeric = [f for f in schema.features.values() if not isinstance(f, Category)]
    levels = [len(f.levels) for f in schema.features.values() if isinstance(f, Category)]
    half = [1.0 if isinstance(f, Number) else 0.5 for f in numeric]
    clipped = draw(st.booleans())
    return ReleasedGeometry(
        centres=tuple(draw(st.floats(-h, h)) for h in half),
        scales=tuple(draw(st.floats(0.5, 8)) if h == 1 else 1.0 for h in half),
        zero_levels=tuple(None if k == 1 else draw(st.integers(0, k - 1)) for k in levels),
        radius=draw(st.floats(0.05, 5)) if clipped else None,
        l1_radius=draw(st.one_of(st.none(), st.floats(0.05, 9))) if clipped else None,
        constant=draw(st.floats(0.01, 2)),
        edge=draw(st.one_of(st.none(), st.floats(0.2, 3))),
        category=0.7,
        binary=0.5,
    )


@settings(deadline=None, max_examples=300)
@given(st.data(), schemas)
def test_any_cells_are_stored_inside_all_three_bounds(data, schema):
    encoding = placed_encoding(schema, data.draw(geometries(schema)))
    numbers = data.draw(raw_rows(encoding.number_count))
    codes = random_codes(encoding, len(numbers), np.random.default_rng(data.draw(st.integers(0, 99))))
    rows = encode(encoding, numbers, codes)
    assert_inside(rows, encoding.norms)
    assert encoding.norms.l2 <= 1
    assert np.count_nonzero(rows, axis=1).max() <= encoding.max_nonzeros


FAR = np.array([[80.0, 100.0, 1.0]])
KNOWN = np.array([[0, 0]], dtype=np.int32)


def check(encoding, norms=None):
    assert_inside(encode(encoding, FAR, KNOWN), norms or encoding.norms)


def test_mutants_without_a_clip_or_with_the_constant_outside_the_scale_are_caught():
    encoding = placed_encoding(SCHEMA, GEOMETRY)
    check(encoding)
    with pytest.raises(AssertionError, match="l1"):
        check(replace(encoding, l1_threshold=None))
    l2_only = placed_encoding(SCHEMA, replace(GEOMETRY, l1_radius=None))
    check(l2_only)
    with pytest.raises(AssertionError, match="l"):
        check(replace(l2_only, threshold=1e9))
    outside = GEOMETRY.constant  # c where c/√(1 + c²) belongs
    with pytest.raises(AssertionError, match="l"):
        check(replace(l2_only, constant=outside))


@pytest.mark.parametrize("name", ["l1", "l2", "linf"])
def test_bounds_a_little_too_small_are_caught(name):
    geometry = GEOMETRY.unclipped()
    encoding = placed_encoding(SCHEMA, geometry)
    numbers = np.array([[20.0, 100.0, 1.0]])  # the far side of every centre
    rows = encode(encoding, numbers, KNOWN)
    assert_inside(rows, encoding.norms)
    smaller = replace(encoding.norms, **{name: getattr(encoding.norms, name) * (1 - 2.0**-30)})
    with pytest.raises(AssertionError, match=name):
        assert_inside(rows, smaller)


def test_a_row_is_encoded_alike_beside_any_other():
    encoding, rng = placed_encoding(SCHEMA, GEOMETRY), np.random.default_rng(3)
    numbers, codes = rng.normal(40, 30, (50, 3)), rng.integers(-1, 5, (50, 2)).astype(np.int32)
    other, other_codes = numbers.copy(), codes.copy()
    other[7], other_codes[7] = [1e9, np.nan, 0.3], [0, 1]
    kept = np.arange(50) != 7
    first, second = encode(encoding, numbers, codes), encode(encoding, other, other_codes)
    assert np.array_equal(first[kept], second[kept])


def test_the_zero_level_has_no_column_and_no_coefficient():
    encoding = placed_encoding(SCHEMA, GEOMETRY)
    assert encoding.width == 3 + 3 + 1 + 1
    rows = encode(
        encoding, np.tile([[50.0, 0.0, 0.0]], (5, 1)), np.array([[k, -1] for k in (0, 1, 2, 3, -1)], np.int32)
    )
    blocks = rows[:, 3:6] != 0
    assert blocks.astype(int).tolist() == [[1, 0, 0], [0, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1]]
    coef, _ = encoding.decode(np.arange(1.0, 9.0))
    assert coef.shape == (len(encoding.feature_names),)
    assert coef[encoding.feature_names.index("region=s")] == 0


def test_decoded_coefficients_give_the_scores_of_rows_that_are_not_clipped():
    encoding, rng = placed_encoding(SCHEMA, GEOMETRY.unclipped()), np.random.default_rng(5)
    numbers = np.column_stack([rng.uniform(20, 80, 40), rng.uniform(0, 100, 40), rng.integers(0, 2, 40)])
    codes = np.column_stack([rng.integers(0, 4, 40), np.zeros(40)]).astype(np.int32)
    theta = rng.normal(size=encoding.width)
    coef, intercept = encoding.decode(theta)
    onehot = np.column_stack([codes[:, 0] == k for k in range(4)] + [codes[:, 1] == 0])
    target = encoding.target
    expected = encode(encoding, numbers, codes) @ theta * target.scale + target.offset
    np.testing.assert_allclose(np.column_stack([numbers, onehot]) @ coef + intercept, expected, rtol=1e-12)
    matrix, shift = encoding.linear_map()
    np.testing.assert_allclose(matrix @ theta + shift, [*coef, intercept], rtol=1e-12)


def test_a_released_target_lies_around_its_centre():
    target = placed_encoding(SCHEMA, GEOMETRY).target
    assert (target.offset, target.scale) == pytest.approx((4.0, 2.5))  # 5 − 0.2·5, and 5/2


def test_a_geometry_survives_json():
    assert ReleasedGeometry.from_dict(json.loads(json.dumps(GEOMETRY.to_dict()))) == GEOMETRY


@settings(deadline=None, max_examples=100)
@given(st.data(), schemas)
def test_declared_units_are_bounded_by_one(data, schema):
    encoding = declared_units(schema)
    numbers = data.draw(raw_rows(encoding.number_count))
    rows = encode(encoding, numbers, random_codes(encoding, len(numbers), np.random.default_rng(0)))
    assert_inside(rows, encoding.norms)
    assert Fraction(encoding.norms.linf) <= 1 + Fraction(1, 2**50)
    assert math.isfinite(encoding.norms.l1)
