"""Calibration, reach and grids of the noise laws."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from mechanisms_support import profile
from tacit.mechanisms.laws import Gaussian, Laplace, SphericalLaplace, calibrate, calibrate_l1
from tacit.noise import SystemEntropy
from tacit.privacy import ZCDP, Approx, Pure

SENSITIVITIES = st.floats(1e-12, 1e6)
BUDGET_SIZES = st.floats(1e-4, 50.0)
LAWS = [SphericalLaplace(0.3), Laplace(2.0), Gaussian(1e-5)]


def check_pure(sensitivity: float, epsilon: float, scale: float) -> None:
    """‖z‖/s − ‖z − Δ‖/s ≤ Δ/s ≤ ε, in rational arithmetic, and not more noise than that."""
    ratio = Fraction(sensitivity) / Fraction(scale)
    assert ratio <= Fraction(epsilon)
    assert ratio >= Fraction(epsilon) * (1 - Fraction(1, 2**50))


@pytest.mark.proof("noise-calibration")
@given(SENSITIVITIES, BUDGET_SIZES)
def test_pure_scales_are_exactly_enough(sensitivity, epsilon):
    for law in (calibrate(sensitivity, Pure(epsilon)), calibrate_l1(sensitivity, Pure(epsilon))):
        check_pure(sensitivity, epsilon, law.scale)
        with pytest.raises(AssertionError):
            check_pure(sensitivity, epsilon, law.scale / 2)


def check_zcdp(sensitivity: float, rho: float, sigma: float) -> None:
    """Δ²/(2σ²) ≤ ρ, in rational arithmetic."""
    found = Fraction(sensitivity) ** 2 / (2 * Fraction(sigma) ** 2)
    assert found <= Fraction(rho)
    assert found >= Fraction(rho) * (1 - Fraction(1, 2**49))


@pytest.mark.proof("noise-calibration")
@given(SENSITIVITIES, BUDGET_SIZES)
def test_zcdp_scales_are_exactly_enough(sensitivity, rho):
    sigma = calibrate(sensitivity, ZCDP(rho)).scale
    check_zcdp(sensitivity, rho, sigma)
    for mutant in (sigma / 2, sigma * math.sqrt(2)):
        with pytest.raises(AssertionError):
            check_zcdp(sensitivity, rho, mutant)


@pytest.mark.proof("noise-calibration")
@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-6), (1.0, 1e-5), (4.0, 1e-3)])
def test_gaussian_scales_keep_delta(epsilon, delta):
    sigma = calibrate(3.0, Approx(epsilon, delta)).scale
    assert profile(epsilon, 3.0 / sigma) <= delta * (1 + 1e-6)
    assert profile(epsilon, 3.0 / (0.99 * sigma)) > delta


@pytest.mark.proof("noise-reach")
@pytest.mark.parametrize("width", [1, 2, 10, 100, 1000])
def test_noise_leaves_its_reach_with_probability_below_e_to_the_minus_256(width):
    def check(law, factor: float = 1.0) -> None:
        radius = factor * law.reach(width) * (1 - 2.0**-39) / law.scale
        # spherical: the radius is Gamma(d); Laplace: ‖z‖₂ ≤ ‖z‖₁, which is Gamma(d)
        squared = isinstance(law, Gaussian)
        assert (stats.chi2.logsf(radius**2, width) if squared else stats.gamma.logsf(radius, width)) <= -256

    for law in LAWS:
        check(law)
        with pytest.raises(AssertionError):
            check(law, 0.4)


@pytest.mark.proof("noise-reach")
@pytest.mark.parametrize("law", LAWS, ids=lambda law: type(law).__name__)
def test_drawn_noise_lies_on_its_fine_grid_within_its_reach(law):
    noise = law.draw(50, SystemEntropy())
    units = noise / law.fine_grid(50)
    assert np.array_equal(units, np.round(units))
    assert np.linalg.norm(noise) <= law.reach(50)


@pytest.mark.statistical
@pytest.mark.parametrize("law", LAWS, ids=lambda law: type(law).__name__)
def test_the_deviation_is_that_of_a_coordinate(law):
    """The mean square of 20,000 coordinates has a standard deviation of about 2 % of itself: 15 % never happens."""
    sample = np.concatenate([law.draw(20, SystemEntropy()) for _ in range(1000)])

    def check(deviation: float) -> None:
        assert abs(float(np.mean(sample**2)) / deviation**2 - 1) < 0.15

    check(law.deviation(20))
    for mutant in (law.deviation(20) * math.sqrt(2), law.deviation(20) / math.sqrt(2)):
        with pytest.raises(AssertionError):
            check(mutant)
