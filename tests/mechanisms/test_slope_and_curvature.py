"""Rows that pull hard are flat: the smaller noise this allows, against exact losses of exact minima on a line.

The worst pair is z against −z. A crowd of rows −z decides at which minimum the two meet: where the old row has slope p.
"""

import math

import numpy as np
import pytest
from scipy.optimize import brentq

from mechanisms_support import Table, exact_renyi, log_gaussian, log_spherical, profile
from tacit.domain import Norms
from tacit.losses import CappedLogistic, HuberHinge, Logistic
from tacit.mechanisms.objective_tangent import (
    largest_gaussian_ratio,
    largest_pure_ratio,
    objective_delta,
    tangent,
)
from tacit.mechanisms.objective_zcdp import ORDER_LIMITS, WORST_PRICE, largest_zcdp_ratio, tied_price
from tacit.mechanisms.problem import Problem, Shape

LOSSES = {"logistic": Logistic(), "capped": CappedLogistic(), "huber": HuberHinge(0.5)}
STEEPEST = {"logistic": 1.0, "capped": 0.5, "huber": 1.0}
SETTINGS = ((0.6, 2.0), (2.0, 1.0), (20.0, 0.1))  # nλ, ε
Pair = tuple[Table, Table]


def problem_of(loss: str, penalty: float) -> Problem:
    """Only nλ matters."""
    return Problem(Shape(4, 1, Norms(1.0, 1.0, 1.0), 1, 100, None), LOSSES[loss], penalty / 4)


def on_a_line(loss: str, penalty: float, crowd: float, z: float = 1.0, other: float = -1.0) -> Pair:
    """z replaced by `other`, among `crowd` rows −1 (rows +1 if negative): slopes of z and −z add to 1."""
    rest = (((-math.copysign(1.0, crowd),), 1.0, abs(crowd)),) if crowd else ()
    first, second = (Table((((x,), 1.0, 1.0), *rest), loss, penalty) for x in (z, other))
    return first, second


def on_a_plane(loss: str, penalty: float, angle: float, crowd: tuple[float, float], size: float) -> Pair:
    """Two unit rows `angle` apart that both lean down, so that far up both have negative margins and full slopes."""
    side, down = math.sin(angle / 2), -math.cos(angle / 2)
    first, second = (Table((((x, down), 1.0, 1.0), (crowd, 1.0, size)), loss, penalty) for x in (side, -side))
    return first, second


STIFF = on_a_plane("logistic", 20.0, 2.7, (0.0, 1.0), 400 * math.exp(20))
"""A crowd so large that θ stays 20 up, where both rows pull with 0.99 of the full slope."""


def pairs(loss: str, penalty: float) -> list[Pair]:
    crowds = (0.0, 1.0, 5.0, 30.0, -1.0, -5.0)
    lines = [on_a_line(loss, penalty, crowd, *rows) for crowd in crowds for rows in ((1, -1), (1, 0), (0.5, -1))]
    pushes = (((0.0, -1.0), 30.0), ((-1.0, 0.0), 300.0), ((0.0, 1.0), 30.0))
    return lines + [on_a_plane(loss, penalty, angle, *push) for angle in (3.0, 2.7, 2.0) for push in pushes]


FINE = np.geomspace(1e-9, 12, 800)
LINE = np.concatenate([np.linspace(-60, 60, 4001), FINE, -FINE])[:, None]
SIDE = np.concatenate([np.linspace(-60, 60, 161), np.linspace(-2, 2, 101)])
PLANE = np.stack(np.meshgrid(SIDE, SIDE), axis=-1).reshape(-1, 2)


def largest_loss(tables: Pair, log_noise) -> float:
    first, second = tables
    theta = LINE if first.width == 1 else PLANE
    return float(np.max(np.abs(first.log_density(theta, log_noise) - second.log_density(theta, log_noise))))


# pure ε


def check_pure(loss: str, penalty: float, epsilon: float, scale: float) -> float:
    """The largest exact loss on any pair, as a share of ε."""
    share = max(largest_loss(tables, log_spherical(scale)) for tables in pairs(loss, penalty)) / epsilon
    assert share <= 1 + 1e-9
    return share


def pure_scale(loss: str, penalty: float, epsilon: float) -> float:
    ratio = largest_pure_ratio(problem_of(loss, penalty), epsilon)
    assert ratio > 0
    return STEEPEST[loss] / ratio


@pytest.mark.proof("slope-and-curvature")
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize(("penalty", "epsilon"), SETTINGS)
def test_pure_noise_keeps_epsilon_at_every_minimum(loss, penalty, epsilon):
    check_pure(loss, penalty, epsilon, pure_scale(loss, penalty, epsilon))


@pytest.mark.proof("slope-and-curvature")
def test_the_pure_bound_is_attained():
    for penalty, epsilon in SETTINGS:
        assert check_pure("capped", penalty, epsilon, pure_scale("capped", penalty, epsilon)) > 0.999
    for penalty, epsilon in SETTINGS[:2]:
        assert check_pure("logistic", penalty, epsilon, pure_scale("logistic", penalty, epsilon)) > 0.94


@pytest.mark.proof("slope-and-curvature")
def test_smaller_pure_noise_is_caught():
    mutants = (
        ("capped", 2.0, 1.0, 0.999 * pure_scale("capped", 2.0, 1.0)),
        ("capped", 2.0, 1.0, 2 * 0.5 / 1.0),  # determinant dropped where it is not free
        ("logistic", 0.2, 2.0, 2 / 2.0),  # the same for the uncapped loss, nλ < 2/ε
        ("logistic", 2.0, 1.0, pure_scale("capped", 2.0, 1.0)),  # noise of the capped loss for a loss without a cap
        ("huber", 2.0, 1.0, pure_scale("logistic", 2.0, 1.0)),  # a tie that the loss does not have
    )
    for loss, penalty, epsilon, scale in mutants:
        with pytest.raises(AssertionError):
            check_pure(loss, penalty, epsilon, scale)


@pytest.mark.proof("slope-and-curvature")
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_curvature_is_free_for_the_logistic_loss_from_a_known_penalty(epsilon):
    assert pure_scale("logistic", 2 / epsilon, epsilon) == pytest.approx(2 / epsilon, rel=1e-12)
    assert pure_scale("logistic", 1.9 / epsilon, epsilon) > 2 / epsilon * (1 + 1e-6)


@pytest.mark.proof("slope-and-curvature")
@pytest.mark.parametrize("loss", ["logistic", "capped"])
@pytest.mark.parametrize("steepness", [0.0, 0.3, 1.0])
def test_a_tangent_lies_above_the_curvature_term(loss, steepness):
    for penalty in (0.01, 1.0, 30.0):
        line, steepest = tangent(problem_of(loss, penalty), steepness), STEEPEST[loss]
        p = np.linspace(0, steepest, 1001)
        straight = line.at_zero + (line.at_steepest - line.at_zero) * p / steepest
        gap = straight - np.log1p(p * (1 - p) / penalty)
        assert gap.min() >= -1e-15
        assert gap.min() <= 1e-6  # and touches it


# (ε, δ)


def exact_delta(tables: Pair, epsilon: float, sigma: float) -> float:
    """E (1 − e^(ε − L))₊ by quadrature over the minima that the first table has."""
    first, second = tables
    theta, volume = minima(first, sigma)
    logs = first.log_density(theta, log_gaussian(sigma))
    loss = logs - second.log_density(theta, log_gaussian(sigma))
    return float(np.sum(np.exp(logs) * -np.expm1(np.minimum(epsilon - loss, 0.0))) * volume)


def minima(table: Table, sigma: float) -> tuple[np.ndarray, float]:
    """A grid of θ that holds all but nothing of the mass, and the volume of its cells."""
    if table.width == 1:
        reach = (10 * sigma + sum(count for _, _, count in table.rows)) / table.penalty
        theta = np.linspace(-reach, reach, 20_001)
        return theta[:, None], theta[1] - theta[0]
    up = brentq(lambda height: table.field(np.array([[0.0, height]]))[0][0, 1], 0.0, 100.0)
    stiffness = table.field(np.array([[0.0, up]]))[1][0, 1, 1]
    sides = [np.linspace(-reach, reach, 301) for reach in (10 * sigma / table.penalty, 10 * sigma / stiffness)]
    mesh = np.stack(np.meshgrid(*sides, indexing="ij"), axis=-1).reshape(-1, 2)
    return mesh + np.array([0.0, up]), (sides[0][1] - sides[0][0]) * (sides[1][1] - sides[1][0])


def worst_delta(loss: str, penalty: float, epsilon: float, sigma: float) -> float:
    tried = [tables for tables in pairs(loss, penalty) if tables[0].width == 1]
    if (loss, penalty) == ("logistic", 20.0):
        tried.append(STIFF)
    return max(exact_delta(order, epsilon, sigma) for tables in tried for order in (tables, tables[::-1]))


def check_delta(loss: str, penalty: float, budget: tuple[float, float], sigma: float) -> None:
    assert worst_delta(loss, penalty, budget[0], sigma) <= budget[1] * (1 + 1e-3)  # quadrature


def sigma_of(loss: str, penalty: float, budget: tuple[float, float]) -> float:
    ratio = largest_gaussian_ratio(problem_of(loss, penalty), *budget)
    assert ratio is not None
    return 2 * STEEPEST[loss] / ratio


@pytest.mark.proof("slope-and-curvature")
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize(("penalty", "budget"), [(20.0, (1.0, 1e-2)), (2.0, (3.0, 1e-4)), (1.0, (2.0, 1e-3))])
def test_gaussian_noise_keeps_delta(loss, penalty, budget):
    check_delta(loss, penalty, budget, sigma_of(loss, penalty, budget))


@pytest.mark.proof("slope-and-curvature")
@pytest.mark.parametrize(
    ("loss", "penalty", "budget", "mutant"),
    [
        ("capped", 20.0, (1.0, 1e-2), lambda sigma: 0.9 * sigma),
        ("logistic", 20.0, (1.0, 1e-2), lambda sigma: 0.9 * sigma),
        ("capped", 20.0, (1.0, 1e-2), lambda sigma: sigma / 2),  # c/σ for 2c/σ
        ("capped", 0.3, (1.0, 1e-2), lambda sigma: sigma_of("capped", 1e9, (1.0, 1e-2))),  # determinant dropped
        ("logistic", 20.0, (1.0, 1e-2), lambda sigma: sigma_of("capped", 20.0, (1.0, 1e-2))),  # no cap, half the noise
        ("huber", 4.0, (1.0, 1e-2), lambda sigma: sigma_of("logistic", 16.0, (1.0, 1e-2))),  # a tie it does not have
    ],
)
def test_smaller_gaussian_noise_is_caught(loss, penalty, budget, mutant):
    sigma = sigma_of(loss, penalty, budget)
    check_delta(loss, penalty, budget, sigma)
    assert mutant(sigma) < sigma
    with pytest.raises(AssertionError):
        check_delta(loss, penalty, budget, mutant(sigma))


@pytest.mark.parametrize("mu", [0.1, 0.5, 2.0])
def test_the_sum_over_corners_is_what_the_formula_says(mu):
    expected = profile(0.9, mu) + profile(0.9, mu / 2) + profile(0.7, mu / 2)
    assert float(objective_delta(((0.9, 4), (0.9, 1), (0.7, 1)), mu)) == pytest.approx(expected, rel=1e-6)


# ρ-zCDP

ORDERS = (1.001, 2.0, 8.0, 64.0, 1000.0)


def check_renyi(tables: Pair, sigma: float, rho: float) -> None:
    for order in ORDERS:
        for first, second in (tables, tables[::-1]):
            assert exact_renyi(first, second, order, sigma) <= order * rho * (1 + 1e-3)


def zcdp_sigma(loss: str, penalty: float, rho: float) -> float:
    ratio = largest_zcdp_ratio(problem_of(loss, penalty), rho)
    assert ratio is not None
    return STEEPEST[loss] / math.sqrt(ratio)


@pytest.mark.proof("objective-zcdp")
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("rho", [0.02, 0.5])
def test_every_renyi_divergence_stays_below_the_line(loss, rho):
    curvature = 1.0 if loss == "huber" else 0.25
    for share in (0.084, 0.3):  # η² as a share of ρ
        penalty = curvature / math.sqrt(share * rho)
        sigma = zcdp_sigma(loss, penalty, rho)
        for tables in (on_a_line(loss, penalty, 0.0), on_a_line(loss, penalty, 30.0)):
            check_renyi(tables, sigma, rho)
    check_renyi(on_a_plane(loss, penalty, 2.7, (0.0, 1.0), 100.0), sigma, rho)


@pytest.mark.proof("objective-zcdp")
def test_curvature_is_nearly_free_for_the_logistic_loss_under_zcdp():
    rho = 0.02
    penalty = 0.25 / math.sqrt(0.084 * rho)
    assert zcdp_sigma("logistic", penalty, rho) == pytest.approx(math.sqrt(2 / rho), rel=2e-3)
    assert zcdp_sigma("capped", penalty, rho) > 1.05 * math.sqrt(0.5 / rho)


@pytest.mark.proof("objective-zcdp")
def test_too_little_noise_under_zcdp_is_caught():
    for tables, sigma, rho in (
        (on_a_line("capped", 20.0, 0.0), zcdp_sigma("capped", 20.0, 0.5) / 2, 0.5),
        (on_a_line("capped", 0.1, 0.0), math.sqrt(0.5 / 0.1), 0.1),  # curvature term dropped where it is not free
        (on_a_plane("logistic", 4.0, 2.7, (0.0, 1.0), 300.0), zcdp_sigma("capped", 4.0, 0.5), 0.5),  # no cap
    ):
        with pytest.raises(AssertionError):
            check_renyi(tables, sigma, rho)


@pytest.mark.proof("objective-zcdp")
@pytest.mark.parametrize("q", [0.01, 0.1, 0.168, 0.3])
def test_small_orders_cost_nothing_where_the_price_says_so(q):
    """(p² + p'²) − 2 + q(w²/2 + w'² k(v)) ≤ 0 on the square of slopes, w = 4p(1 − p), for the v that was used."""
    golden = (5**0.5 - 1) / 2
    v = next(v for v in ORDER_LIMITS if 16 * golden**5 * q * (-math.log1p(-v) - v) <= v * v and 4 * q <= 3 * v)
    p = np.linspace(0, 1, 2001)
    assert np.max(p**2 - 1 + q * (-math.log1p(-v) - v) / v**2 * (4 * p * (1 - p)) ** 2) <= 1e-12
    far = np.linspace(v, 40, 4001) ** 2 / q
    y = np.sqrt(far * q)
    large = np.log1p(np.exp(-1.5 * far) * (1 + np.exp(4 * y)) + np.exp(4 * y - 2 * far)) / y**2
    assert tied_price(q) >= large.max() * (1 - 1e-12)


def test_the_worst_price_covers_every_loss():
    v = np.linspace(0.01, 0.999, 2000)
    small, large = -np.log1p(-(v**2)) / v**2, 1 / v + math.log(4) / v**2
    assert np.max(np.minimum(small, large)) <= WORST_PRICE
