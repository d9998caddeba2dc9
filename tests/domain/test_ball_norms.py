"""Rows of arrays: the stored floats lie in the declared ball, constant included, whatever came in."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from domain_support import assert_inside, ball, encode, exact_norm_squared, geometries, raw_rows
from tacit.domain import Domain, Geometry, Norms, array_encoding
from tacit.domain.clipping import L1Projection, L2Projection, margin
from tacit.domain.numbered_names import NumberedNames

NORMS = ("l2", "l1", "linf")
radii = st.one_of(st.just(1.0), st.floats(1e-150, 1e150))


@pytest.mark.proof("exact-clipping")
@pytest.mark.proof("encoding-norms")
@settings(deadline=None)
@given(st.data(), st.sampled_from(NORMS), radii, geometries, st.integers(1, 8))
def test_any_floats_are_stored_inside_all_three_bounds(data, norm, radius, geometry, columns):
    encoding = ball(columns, norm, radius, geometry)
    rows = encode(encoding, data.draw(raw_rows(columns)))
    assert_inside(rows, encoding.norms)
    assert getattr(encoding.norms, norm) <= 1


@pytest.mark.proof("encoding-norms")
@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("constant", [None, 0.5, 1.0, 3.0])
def test_bounds_are_attained_up_to_rounding(norm, constant):
    encoding = ball(4, norm, 2.0, Geometry(constant=constant))
    pointed, even = encode(encoding, [[9, 0, 0, 0], [7, 7, 7, 7]])
    near = 1 - 2.0**-38
    assert max(np.abs(pointed).sum(), np.abs(even).sum()) >= encoding.norms.l1 * near
    assert max(np.linalg.norm(pointed), np.linalg.norm(even)) >= encoding.norms.l2 * near
    assert max(pointed.max(), even.max()) >= encoding.norms.linf * near


def check_random_rows(encoding, scale: float, columns: int) -> None:
    rows = np.random.default_rng().normal(size=(200, columns)) * scale
    assert_inside(encode(encoding, rows), replace(encoding.norms, l2=1.0))


def check_sphere(encoding, radius: float, columns: int) -> None:
    """Rows far outside keep their direction and reach the sphere."""
    rows = np.array([np.full(columns, 10.0**e) for e in (1, 100, 160, 200, 300, 308)])
    stored = encode(encoding, rows)[:, :columns]
    for row in stored:
        assert exact_norm_squared(row) >= Fraction(radius * (1 - 2.0**-30)) ** 2


@pytest.mark.proof("exact-clipping")
@pytest.mark.parametrize("columns", [1, 3, 50])
def test_clipped_rows_reach_the_sphere_and_not_beyond(columns):
    encoding = ball(columns)
    check_random_rows(encoding, 5.0, columns)
    check_sphere(encoding, encoding.projection.radius, columns)


class Unclipped:
    def __init__(self, slope):
        self.slope = slope

    def shrink(self, block):
        block.scale(np.ones(block.rows.shape[0]))


@pytest.mark.proof("exact-clipping")
def test_mutant_without_clipping_is_caught():
    encoding = ball(3)
    with pytest.raises(AssertionError, match="l"):
        check_random_rows(replace(encoding, projection=Unclipped(encoding.slope)), 5.0, 3)


@pytest.mark.proof("exact-clipping")
def test_mutant_that_overflows_is_caught(monkeypatch):
    """Without the powers of two the square of 1e200 overflows, and the row is stored as 0."""
    encoding = ball(3)
    check_sphere(encoding, encoding.projection.radius, 3)
    plain = lambda block, slope: block.scale(np.full(block.rows.shape[0], slope))  # noqa: E731
    monkeypatch.setattr("tacit.domain.clipping._bring_down", plain)
    with pytest.raises(AssertionError):
        check_sphere(encoding, encoding.projection.radius, 3)


@pytest.mark.proof("exact-clipping")
@given(st.data(), st.sampled_from(NORMS), radii)
def test_ordinary_and_careful_rows_are_stored_alike(data, norm, radius):
    """Which of the two ways a row takes is decided row by row and changes no bit."""
    encoding = ball(3, norm, radius)
    rows = np.asarray(data.draw(raw_rows(3)), dtype=np.float64)
    stored = encode(encoding, rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tacit.domain.clipping._ORDINARY_SQUARES", -1.0)
        assert np.array_equal(encode(encoding, rows), stored)


@pytest.mark.proof("exact-clipping")
def test_mutant_without_margin_is_caught(monkeypatch):
    """Half of all rows put on the sphere by rounded arithmetic are outside it: 200 rows show it."""
    monkeypatch.setattr("tacit.domain.clipping.margin", lambda columns: 0.0)
    encoding = ball(50, geometry=Geometry(constant=None))
    mutant = replace(encoding, projection=L2Projection(1.0, 1.0, 50))
    with pytest.raises(AssertionError):
        check_random_rows(replace(mutant, norms=Norms(100.0, 1.0, 1.0)), 5.0, 50)


@pytest.mark.proof("encoding-norms")
@pytest.mark.parametrize("norm", ["l2", "l1"])
def test_mutant_with_the_constant_added_after_scaling_is_caught(norm):
    """Rows in the unit ball with a 1 appended have l2 norm √2 and l1 norm 2."""
    encoding = ball(3, norm)
    projection = type(encoding.projection)(1.0, 1.0 - margin(3), 3)
    mutant = replace(encoding, projection=projection, constant=1.0, norms=Norms(9.0, 9.0, 1.0))
    declared = replace(mutant.norms, **{norm: 1.0})
    rows = np.random.default_rng().normal(size=(20, 3)) * 5
    assert_inside(encode(encoding, rows), declared)
    with pytest.raises(AssertionError, match=norm):
        assert_inside(encode(mutant, rows), declared)


@pytest.mark.proof("encoding-norms")
def test_mutant_bound_that_forgets_the_constant_is_caught():
    encoding = ball(3, "linf")
    rows = encode(encoding, [[5.0, 5.0, 5.0]])
    assert_inside(rows, encoding.norms)
    with pytest.raises(AssertionError, match="l1"):
        assert_inside(rows, replace(encoding.norms, l1=encoding.norms.l1 - encoding.constant))


@given(st.data(), st.sampled_from(["l2", "l1"]), st.floats(1e-3, 1e3))
def test_rows_well_inside_are_mapped_linearly(data, norm, radius):
    encoding = ball(3, norm, radius)
    inside = st.floats(-radius / 4, radius / 4)
    row = np.array([data.draw(st.lists(inside, min_size=3, max_size=3))])
    assert np.array_equal(encode(encoding, row)[:, :3], row * encoding.slope)


def test_coordinates_are_clipped_one_by_one_in_the_linf_ball():
    rows = encode(ball(3, "linf", 2.0), [[5.0, -0.5, -9.0]])
    assert rows.tolist() == [[1.0, -0.25, -1.0, 1.0]]


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_cell_that_is_no_finite_number_counts_as_zero(bad):
    encoding = ball(3)
    assert np.array_equal(encode(encoding, [[bad, 0.1, 0.2]]), encode(encoding, [[0.0, 0.1, 0.2]]))


def test_no_warning_whatever_the_values():
    extremes = [5e-324, 1e-310, 1.7e308, -1.7e308, np.nan, np.inf, -np.inf, 0.0]
    rows = np.array(np.meshgrid(extremes, extremes, extremes)).reshape(3, -1).T
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        for norm in NORMS:
            for radius in (1e-150, 1.0, 1e150):
                encoding = ball(3, norm, radius)
                assert_inside(encode(encoding, rows), encoding.norms)
                encoding.encode_sparse(sparse.csr_array(rows))


@pytest.mark.proof("exact-clipping")
@settings(deadline=None, max_examples=50)
@given(st.data(), st.sampled_from(NORMS), radii, geometries)
def test_sparse_rows_agree_with_dense_rows(data, norm, radius, geometry):
    encoding = ball(5, norm, radius, geometry)
    raw = data.draw(raw_rows(5))
    stored = encoding.encode_sparse(sparse.csr_array(raw))
    assert stored.shape == (len(raw), encoding.width)
    assert_inside(stored.toarray(), encoding.norms)
    np.testing.assert_allclose(stored.toarray(), encode(encoding, raw), rtol=1e-12, atol=1e-300)


@pytest.mark.proof("exact-clipping")
def test_entries_stored_twice_are_added_before_clipping():
    twice = sparse.csr_array((np.array([0.9, 0.9]), np.array([1, 1]), np.array([0, 2, 2])), shape=(2, 3))
    twice.has_canonical_format = True  # a false claim by the caller
    encoding = ball(3)
    stored = encoding.encode_sparse(twice).toarray()
    assert_inside(stored, encoding.norms)
    np.testing.assert_allclose(stored, encode(encoding, [[0, 1.8, 0], [0, 0, 0]]))
    assert twice.nnz == 2, "the caller's rows are not changed"


def test_wide_sparse_rows_keep_their_proof():
    encoding = array_encoding(Domain("l2"), Geometry(), 10**6, names=[str(j) for j in range(10**6)])
    raw = sparse.csr_array(np.ones((1, 3000)))
    raw.resize(1, 10**6)
    stored = encoding.encode_sparse(raw)
    assert exact_norm_squared(stored.data) <= 1
    assert encoding.max_nonzeros == 10**6 + 1


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("columns", [1, 7, 5000])
def test_margins_leave_room_for_the_proof(norm, columns):
    encoding = ball(columns, norm)
    assert getattr(encoding.norms, norm) <= 1
    assert getattr(encoding.norms, norm) >= 1 - columns * 2.0**-48 - 2.0**-38
    if norm == "linf":
        assert encoding.norms.l2 >= math.sqrt(columns + 1)


def test_l1_projection_is_radial():
    stored = encode(ball(2, "l1", geometry=Geometry(constant=None)), [[30.0, 10.0]])
    np.testing.assert_allclose(stored, [[0.75, 0.25]], rtol=1e-9)
    assert isinstance(ball(2, "l1").projection, L1Projection)


def test_width_and_names():
    encoding = array_encoding(Domain(), Geometry(constant=None), 2, names=["a", "b"])
    assert (encoding.width, encoding.feature_names) == (2, ("a", "b"))
    assert tuple(ball(2).feature_names) == ("x0", "x1")


def test_columns_without_names_are_numbered_when_asked():
    names = NumberedNames(2**30)
    assert (len(names), names[0], names[-1], names[5:7]) == (2**30, "x0", f"x{2**30 - 1}", ("x5", "x6"))
    assert list(NumberedNames(3)) == ["x0", "x1", "x2"]
    with pytest.raises(IndexError):
        NumberedNames(3)[3]
