"""The public feature radius: closed forms, a simulation of the model, refusals."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tacit.domain import CLASSIFICATION, REGRESSION, UNCLIPPED, Category, Flag, Geometry, Number, RadiusShare
from tacit.errors import ParameterError

TABLE = [Number(0, 1), Number(-5, 5), Number(0, 9, reference=0), Flag(), Category(("a", "b")), Category(("c",))]


@pytest.mark.parametrize(
    ("geometry", "square"),
    [
        (CLASSIFICATION, 2 / 3 + 1 / 12 + 0.25 + 2 * 0.49),
        (Geometry(binary=1.0, category=0.5), 2 / 3 + 1 / 12 + 1 + 2 * 0.25),
        (REGRESSION, 2 / 3 + 1 / 12 + 0.25 + 0.98 + math.sqrt(2 * 4 / 45 + 1 / 20 - 1 / 144)),
        (UNCLIPPED, 3 + 0.25 + 0.98),
        (Geometry(clip=50.0), 3 + 0.25 + 0.98),
    ],
)
def test_feature_radius_is_the_closed_form(geometry, square):
    assert geometry.feature_radius(TABLE) == pytest.approx(math.sqrt(square), rel=1e-14)


@pytest.mark.parametrize("reference", [0, 5, 10])
def test_a_number_with_a_declared_reference_counts_a_quarter(reference):
    assert Number(0, 10, reference=reference).moments(CLASSIFICATION).mean == pytest.approx(1 / 12)


def test_a_number_spread_over_its_bounds_counts_a_third():
    moments = Number(0, 10).moments(CLASSIFICATION)
    assert (moments.mean, moments.variance) == pytest.approx((1 / 3, 4 / 45))


def check_moments(feature: Number, mean: float, variance: float) -> None:
    """Simulate the model; |error| of a mean of N values in [0, 1] exceeds 7σ/√N ≤ 3.5/√N w.p. < 1e-11."""
    draws = 200_000
    rng = np.random.default_rng()
    x = rng.uniform(feature.min, feature.max, draws)
    if feature.reference is not None:
        x = np.where(rng.random(draws) < 0.75, feature.reference, x)
    far = max(feature.max - feature.origin, feature.origin - feature.min)
    squares = ((x - feature.origin) / far) ** 2
    room = 3.5 / math.sqrt(draws)
    assert abs(squares.mean() - mean) < room
    assert abs((squares**2).mean() - (variance + mean**2)) < room


@pytest.mark.statistical
@pytest.mark.parametrize("reference", [None, 0, 3, 10])
def test_moments_agree_with_a_simulation(reference):
    feature = Number(0, 10, reference=reference)
    moments = feature.moments(CLASSIFICATION)
    check_moments(feature, moments.mean, moments.variance)
    with pytest.raises(AssertionError):
        check_moments(feature, moments.mean + 0.05, moments.variance)


def test_constants():
    assert Geometry(constant=RadiusShare(0.5)).constant_for(3.0) == 1.5
    assert Geometry(constant=2).constant_for(3.0) == 2.0
    assert Geometry(constant=None).constant_for(3.0) is None


@pytest.mark.parametrize(
    ("arguments", "fragment"),
    [
        ({"constant": 0}, "Geometry.constant: found 0"),
        ({"constant": True}, "found True"),
        ({"constant": float("nan")}, "finite"),
        ({"category": -1}, "from 0.001 to 1000"),
        ({"binary": "wide"}, "Geometry.binary: found 'wide'"),
        ({"clip": -0.5}, "0 or more standard deviations"),
        ({"clip": float("inf")}, "finite"),
    ],
)
def test_bad_geometries_are_refused(arguments, fragment):
    with pytest.raises(ParameterError, match=fragment):
        Geometry(**arguments)


def test_bad_share_is_refused():
    with pytest.raises(ParameterError, match="RadiusShare"):
        RadiusShare(0)
