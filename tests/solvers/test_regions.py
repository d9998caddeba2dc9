"""Certificates of distance: never too small, whatever the point, and refuted when weakened."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

from tacit.errors import ParameterError
from tacit.solvers import GradientBounds, minimise_quadratic
from tacit.solvers.objective import norm_above, norm_below
from tacit.solvers.regions import Ball, Everywhere, Region

Certificate = Callable[["QuadraticBounds", Region, np.ndarray, np.ndarray, float], float]


@dataclass(frozen=True)
class QuadraticBounds:
    dimension: int
    strong_convexity: float
    smoothness: float
    minimiser_norm: float = 1e9

    def gradient_bounds(self, norm: float) -> GradientBounds:
        return GradientBounds(self.smoothness * norm, 0.0)


def ours(bounds: QuadraticBounds, region: Region, theta: np.ndarray, g: np.ndarray, e: float) -> float:
    return region.certified_distance(bounds, theta, g, e)


def check_certificates(region: Region, certificate: Certificate) -> None:
    """Random quadratics, points near and far, gradients disturbed by e: at random, or so as to look stationary."""
    rng = np.random.default_rng()
    for _ in range(400):
        d = int(rng.integers(1, 7))
        basis, _ = np.linalg.qr(rng.normal(size=(d, d)))
        eigenvalues = 10.0 ** rng.uniform(-3, 0, size=d)
        A = basis @ np.diag(eigenvalues) @ basis.T
        A = 0.5 * (A + A.T)
        c = rng.normal(size=d) * 10.0 ** rng.uniform(-3, 1)
        best = minimise_quadratic(A, c, region.radius if isinstance(region, Ball) else None).theta
        theta = region.project(best + 10.0 ** rng.uniform(-9, 0) * rng.normal(size=d))
        exact = A @ theta - c
        if rng.random() < 0.5:
            e, noise = rng.choice([0.0, 1e-3, 1e-9]), rng.normal(size=d)
            g = exact + e * noise / np.linalg.norm(noise)
        else:
            e, g = np.linalg.norm(exact) * (1 + 1e-12), np.zeros(d)
        bounds = QuadraticBounds(d, float(eigenvalues.min()) * (1 - 1e-9), float(eigenvalues.max()) * (1 + 1e-9))
        rounding = 1e-14 * (np.linalg.norm(c) + np.linalg.norm(theta)) / eigenvalues.min()
        assert np.linalg.norm(theta - best) <= certificate(bounds, region, theta, g, float(e)) + rounding


@pytest.mark.proof("minimiser-distance")
def test_the_distance_is_certified_everywhere() -> None:
    check_certificates(Everywhere(), ours)


@pytest.mark.proof("ball-residual")
def test_the_distance_is_certified_on_a_ball() -> None:
    check_certificates(Ball(0.7), ours)


def divided_by_smoothness(bounds: QuadraticBounds, region: Region, theta: np.ndarray, g: np.ndarray, e: float) -> float:
    return (float(np.linalg.norm(g)) + e) / bounds.smoothness


def gradient_error_forgotten(
    bounds: QuadraticBounds, region: Region, theta: np.ndarray, g: np.ndarray, e: float
) -> float:
    return region.certified_distance(bounds, theta, g, 0.0)


def multiplier_counted_eight_times(
    bounds: QuadraticBounds, region: Region, theta: np.ndarray, g: np.ndarray, e: float
) -> float:
    nu = max(0.0, -float(g @ theta) / float(theta @ theta))
    return (float(np.linalg.norm(g + nu * theta)) + e) / (bounds.strong_convexity + 4.0 * nu)


def distance_from_the_sphere_forgotten(
    bounds: QuadraticBounds, region: Region, theta: np.ndarray, g: np.ndarray, e: float
) -> float:
    nu = max(0.0, -float(g @ theta) / float(theta @ theta))
    return (float(np.linalg.norm(g + nu * theta)) + e) / bounds.strong_convexity


@pytest.mark.parametrize(
    ("region", "mutant"),
    [
        (Everywhere(), divided_by_smoothness),
        (Everywhere(), gradient_error_forgotten),
        (Ball(0.7), gradient_error_forgotten),
        (Ball(0.7), multiplier_counted_eight_times),
        (Ball(0.7), distance_from_the_sphere_forgotten),
    ],
)
def test_weakened_certificates_are_caught(region: Region, mutant: Certificate) -> None:
    with pytest.raises(AssertionError):
        check_certificates(region, mutant)


@pytest.mark.proof("ball-residual")
def test_variation_bounds_every_first_order_change() -> None:
    rng = np.random.default_rng()
    for region in (Everywhere(), Ball(1.0)):
        for _ in range(300):
            d = int(rng.integers(1, 6))
            theta = region.project(rng.normal(size=d) * rng.choice([0.1, 10.0]))
            g, e = rng.normal(size=d) - rng.choice([0.0, 3.0]) * theta, 0.1
            rho, slack = region.variation(theta, g, e)
            for _ in range(20):
                t = region.project(rng.normal(size=d) * rng.choice([0.01, 1.0, 10.0]))
                noise = rng.normal(size=d)
                nearby = g + e * noise / np.linalg.norm(noise)
                assert nearby @ (theta - t) <= rho * np.linalg.norm(theta - t) + slack + 1e-12


def test_projection_stays_inside_and_is_nearly_exact() -> None:
    rng = np.random.default_rng()
    ball = Ball(0.7)
    for d in (1, 2, 10, 1000):
        for scale in (0.1, 1.0, 1e5, 1e150):
            point = rng.normal(size=d) * scale
            inside = ball.project(point)
            exact = point * min(1.0, 0.7 / np.linalg.norm(point))
            assert norm_above(inside) <= 0.7
            assert np.linalg.norm(inside - exact) <= 2.0 * ball.projection_error(d) * 0.7


def test_a_point_outside_the_ball_earns_no_certificate() -> None:
    bounds = QuadraticBounds(2, 1.0, 1.0)
    theta = np.array([1.0, 1e-6])
    assert Ball(1.0).certified_distance(bounds, theta, np.zeros(2), 0.0) == np.inf
    assert Ball(1.0).variation(theta, np.zeros(2), 0.0) == (np.inf, np.inf)


def test_norms_are_rounded_outward() -> None:
    from fractions import Fraction

    rng = np.random.default_rng()
    for d in (1, 3, 50):
        for scale in (1e-200, 1.0, 1e100):
            v = rng.normal(size=d) * scale
            square = sum(Fraction(float(x)) ** 2 for x in v)
            assert Fraction(norm_above(v)) ** 2 >= square
            below = norm_below(v)
            assert below <= 0.0 or Fraction(below) ** 2 <= square


@pytest.mark.parametrize("radius", [0.0, -1.0, float("nan"), float("inf")])
def test_balls_have_a_positive_radius(radius: float) -> None:
    with pytest.raises(ParameterError, match="radius"):
        Ball(radius)
