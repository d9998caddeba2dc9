"""The low bits of a release tell tables apart when noise is added in floating point, and not otherwise."""

import numpy as np
import pytest

from tacit import noise
from tacit.audit import reachability

GENERATOR = np.random.default_rng()
PAIR = (np.zeros(10), np.full(10, 0.1))


def textbook_laplace(values):
    return values + GENERATOR.laplace(0.0, 1.0, len(values))


def textbook_gaussian(values):
    return values + GENERATOR.normal(0.0, 1.0, len(values))


def exact_laplace(values):
    return noise.laplace(values, 1.0, noise.SystemEntropy())


@pytest.mark.statistical
def test_textbook_laplace_noise_gives_itself_away():
    assert reachability(textbook_laplace, PAIR, 200, scale=1.0) > 2
    assert reachability(textbook_laplace, (np.zeros(10), np.full(10, 2.0**-50)), 200, scale=1.0) > 2


@pytest.mark.statistical
def test_any_sampler_gives_itself_away_by_its_precision():
    assert reachability(textbook_gaussian, (np.zeros(100), np.full(100, 0.1)), 300) > 0.5


@pytest.mark.statistical
@pytest.mark.parametrize("scale", [1.0, None])
def test_exact_noise_does_not(scale):
    assert reachability(exact_laplace, PAIR, 200, 1 - 1e-9, scale=scale) == 0
