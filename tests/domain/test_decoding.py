"""Coefficients in the user's units give the same scores as the encoded parameters."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain_support import ball, encode, person_encoding, person_schema
from tacit.domain import UNCLIPPED, Domain, Geometry, Number, Real, Schema, array_encoding, table_encoding

CODES = np.array([[0, 1], [3, 0], [-1, -1], [2, 1]], dtype=np.int32)


def raw_design(numbers: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Raw numbers and 0/1 columns of the levels, as the coefficients see a row."""
    education = (np.where((codes[:, :1] < 0) | (codes[:, :1] > 2), 3, codes[:, :1]) == np.arange(4)).astype(float)
    region = (codes[:, 1:] == np.arange(2)).astype(float)
    return np.hstack([numbers, education, region])


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([1.0, 0.3, None]))
def test_scores_of_a_table_agree(seed, constant):
    rng = np.random.default_rng(seed)
    encoding = person_encoding(Geometry(constant=constant, clip=None))
    numbers = np.column_stack(
        [rng.uniform(17, 90, 4), rng.uniform(1, 99, 4), rng.uniform(0, 1e5, 4), rng.integers(0, 2, 4)]
    )
    theta = rng.normal(size=encoding.width)
    coef, intercept = encoding.decode(theta)
    scores = encode(encoding, numbers, CODES) @ theta
    np.testing.assert_allclose(raw_design(numbers, CODES) @ coef + intercept, scores, atol=2e-13)


@given(st.integers(0, 2**32 - 1), st.sampled_from(["l2", "l1", "linf"]))
def test_predictions_of_a_real_outcome_are_in_its_units(seed, norm):
    rng = np.random.default_rng(seed)
    encoding = array_encoding(Domain(norm, 30.0, target=(100.0, 300.0)), Geometry(), 3)
    rows = rng.uniform(-9, 9, size=(5, 3))
    theta = rng.normal(size=4)
    coef, intercept = encoding.decode(theta)
    expected = encoding.target.decode(encode(encoding, rows) @ theta)
    np.testing.assert_allclose(rows @ coef + intercept, expected, rtol=1e-12)


@pytest.mark.parametrize("constant", [1.0, None])
def test_linear_map_is_decode(constant):
    geometry = Geometry(constant=constant, clip=None)
    real = Schema(dict(person_schema().features), Real(-3, 8, name="wage"))
    for encoding in (table_encoding(real, geometry), person_encoding(geometry), ball(3, geometry=geometry)):
        theta = np.random.default_rng().normal(size=encoding.width)
        matrix, shift = encoding.linear_map()
        assert matrix.shape == (len(encoding.feature_names) + 1, encoding.width)
        coef, intercept = encoding.decode(theta)
        np.testing.assert_allclose(matrix @ theta + shift, [*coef, intercept], rtol=1e-12, atol=1e-14)


def test_several_parameter_vectors_are_decoded_at_once():
    encoding = person_encoding(UNCLIPPED)
    thetas = np.random.default_rng().normal(size=(3, encoding.width))
    coef, intercept = encoding.decode(thetas)
    assert (coef.shape, intercept.shape) == ((3, 10), (3,))
    for k in range(3):
        one_coef, one_intercept = encoding.decode(thetas[k])
        np.testing.assert_allclose(coef[k], one_coef)
        np.testing.assert_allclose(intercept[k], one_intercept)


def test_a_model_without_constant_still_has_the_intercept_of_its_centring():
    encoding = table_encoding(Schema({"x": Number(10, 20)}, Real(-1, 1)), Geometry(constant=None, clip=None))
    coef, intercept = encoding.decode(np.array([1.0]))
    assert coef[0] * 15 + intercept == pytest.approx(0, abs=1e-12)
