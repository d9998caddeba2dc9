"""Rows of tables: scaled numbers, one-hot blocks and constant, stored inside the unit ball."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain_support import (
    assert_inside,
    encode,
    exact_norm_squared,
    geometries,
    person_encoding,
    random_codes,
    raw_rows,
    schemas,
)
from tacit.domain import (
    REGRESSION,
    UNCLIPPED,
    Category,
    Flag,
    Geometry,
    Number,
    RadiusShare,
    Real,
    Schema,
    table_encoding,
)
from tacit.errors import ParameterError

FAR = np.array([[90.0, 99.0, 1e5, 1.0]])
KNOWN = np.array([[0, 1]], dtype=np.int32)


@pytest.mark.proof("encoding-norms")
@pytest.mark.proof("exact-clipping")
@settings(deadline=None, max_examples=300)
@given(st.data(), schemas, geometries)
def test_any_cells_are_stored_inside_all_three_bounds(data, schema, geometry):
    encoding = table_encoding(schema, geometry)
    numbers = data.draw(raw_rows(encoding.number_count))
    codes = random_codes(encoding, len(numbers), np.random.default_rng(data.draw(st.integers(0, 99))))
    rows = encode(encoding, numbers, codes)
    assert_inside(rows, encoding.norms)
    assert encoding.norms.l2 <= 1
    assert np.count_nonzero(rows, axis=1).max() <= encoding.max_nonzeros


@pytest.mark.proof("encoding-norms")
@pytest.mark.parametrize("geometry", [Geometry(), REGRESSION, UNCLIPPED, Geometry(constant=None)])
def test_the_farthest_row_reaches_the_sphere(geometry):
    encoding = person_encoding(geometry)
    stored = encode(encoding, FAR, KNOWN)[0]
    assert 1 - 2.0**-37 <= exact_norm_squared(stored) <= 1


@pytest.mark.proof("exact-clipping")
def test_mutant_without_clipping_is_caught():
    mutant = replace(person_encoding(), threshold=None)
    with pytest.raises(AssertionError, match="l"):
        assert_inside(encode(mutant, FAR, KNOWN), mutant.norms)


@pytest.mark.proof("encoding-norms")
def test_mutant_with_the_constant_outside_the_scale_is_caught():
    encoding = person_encoding()
    with pytest.raises(AssertionError, match="l"):
        assert_inside(encode(replace(encoding, constant=1.0), FAR, KNOWN), encoding.norms)


@pytest.mark.proof("encoding-norms")
@pytest.mark.parametrize("name", ["l1", "l2", "linf"])
def test_mutant_bounds_a_little_too_small_are_caught(name):
    encoding = person_encoding(UNCLIPPED)
    rows = encode(encoding, FAR, KNOWN)
    assert_inside(rows, encoding.norms)
    smaller = replace(encoding.norms, **{name: getattr(encoding.norms, name) * (1 - 2.0**-30)})
    with pytest.raises(AssertionError, match=name):
        assert_inside(rows, smaller)


def test_layout_numbers_then_blocks_then_constant():
    encoding = person_encoding()
    assert encoding.number_columns == ("age", "hours", "gain", "member")
    assert encoding.category_columns == ("education", "region")
    assert encoding.feature_names == (
        *("age", "hours", "gain", "member"),
        *("education=Bachelors", "education=HS-grad", "education=Masters", "education=(other)"),
        *("region=north", "region=south"),
    )
    assert (encoding.width, encoding.max_nonzeros) == (11, 7)


def test_stored_values_follow_the_declared_rules():
    encoding = person_encoding(UNCLIPPED)
    scale = encoding.constant
    numbers = np.array([[np.nan, np.nan, np.nan, np.nan], [53.5, np.inf, 5e4, 0.0], [1e9, -7.0, 1.0, 1.0]])
    codes = np.array([[-1, -1], [3, 2], [2, 0]], dtype=np.int32)
    w = 0.7 * scale
    hours = (40 - 50) / 49 * scale
    expected = [
        [0, hours, 0, 0, 0, 0, 0, w, 0, 0, scale],
        [0, hours, 0.5 * scale, -0.5 * scale, 0, 0, 0, w, 0, 0, scale],
        [scale, -scale, 1e-5 * scale, 0.5 * scale, 0, 0, w, 0, w, 0, scale],
    ]
    np.testing.assert_allclose(encode(encoding, numbers, codes), expected, atol=1e-15)


def test_rows_inside_are_exactly_the_linear_map():
    clipped, linear = person_encoding(Geometry(clip=0.0)), person_encoding(Geometry(clip=0.0))
    linear = replace(linear, threshold=None)
    numbers = np.array([[53.0, 49.0, 10.0, 1.0]])
    assert np.array_equal(encode(clipped, numbers, KNOWN), encode(linear, numbers, KNOWN))


def test_a_strided_buffer_is_refused_rather_than_left_unwritten():
    encoding = person_encoding()
    with pytest.raises(ParameterError, match="C order"):
        encoding.encode(np.repeat(FAR, 2, 0), np.repeat(KNOWN, 2, 0), np.empty((encoding.width, 2)).T)


def test_tables_of_one_kind_of_column():
    only_blocks = Schema({"c": Category(("a",))}, Real(0, 1))
    encoding = table_encoding(only_blocks, Geometry(constant=None))
    rows = encode(encoding, np.empty((2, 0)), np.array([[0], [-1]], dtype=np.int32))
    assert rows[0, 0] >= 1 - 2.0**-38
    assert rows[1, 0] == 0
    only_flag = table_encoding(Schema({"f": Flag()}, Real(0, 1)), Geometry(constant=RadiusShare(1.0)))
    assert only_flag.constant == pytest.approx(0.5**0.5)
    only_number = table_encoding(Schema({"x": Number(0, 1)}, Real(0, 1)), UNCLIPPED)
    assert encode(only_number, [[1.0]])[0] == pytest.approx([0.5**0.5, 0.5**0.5])
