"""Objective perturbation keeps its budget: exact privacy losses of exact minima, by change of variables and quadrature.

The scale comes from the library, everything else (slopes, densities, determinants, profiles) from mechanisms_support.
Huber hinges make the theorems nearly tight: near θ = 0 both rows of the worst pair pull with full slope.
"""

import math
from dataclasses import replace

import numpy as np
import pytest

from mechanisms_support import (
    Table,
    box,
    exact_delta,
    exact_renyi,
    log_laplace,
    log_spherical,
    losses_at,
    profile,
)
from tacit.domain import Norms
from tacit.losses import HuberHinge, Logistic
from tacit.mechanisms.laws import Laplace, SphericalLaplace
from tacit.mechanisms.objective_noise import objective_laws
from tacit.mechanisms.objective_tangent import Tangent, objective_delta, slope_corners
from tacit.mechanisms.objective_zcdp import WORST_PRICE
from tacit.mechanisms.problem import Problem, Shape
from tacit.privacy import ZCDP, Approx, Pure

LOSSES = {"logistic": Logistic(), "huber": HuberHinge(0.5)}
CURVATURE = {"logistic": 0.25, "huber": 1.0}


def pair(loss: str, angle: float, *, short: float = 1.0, penalty: float = 1.0, crowd: float = 0.0):
    """Two tables that differ in one row: unit rows `angle` apart, one of them shortened; a crowd pushes θ upwards."""
    rest = (((0.0, 1.0), 1.0, crowd),) if crowd else ()
    turned = [
        (length * math.cos(a - math.pi / 2), length * math.sin(a - math.pi / 2)) for a, length in _rows(angle, short)
    ]
    return tuple(Table(((x, 1.0, 1.0), *rest), loss, penalty) for x in turned)


def _rows(angle: float, short: float):
    return ((angle / 2, 1.0), (-angle / 2, short))


def problem_of(table: Table, norm: float = 1.0) -> Problem:
    """The public problem of such a table; only nλ matters."""
    n = 1 + sum(int(count) for _, _, count in table.rows[1:])
    shape = Shape(n, 2, Norms(math.sqrt(2) * norm, norm, norm), 2, 100, None)
    return Problem(shape, LOSSES[table.loss], table.penalty / n)


PAIRS = [
    pair("huber", math.pi, penalty=20.0),
    pair("huber", math.pi, penalty=2.0),
    pair("huber", 2.7, penalty=4.0, crowd=30.0),
    pair("logistic", 2.0, penalty=2.0, crowd=30.0),
    pair("logistic", math.pi, penalty=0.6),
    pair("logistic", math.pi, short=0.0, penalty=0.5),
]


# pure ε


def largest_loss(first: Table, second: Table, log_noise, scale: float) -> float:
    """max |log p/p'| over minima on a grid of noise vectors, dense where curvature is and wide in the tails."""
    noise = np.vstack([box(np.zeros(2), half * scale, 61)[0] for half in (0.3, 3.0, 40.0)])
    near = [first.field(box(np.zeros(2), half, 61)[0])[0] for half in (1.0, 3.0)]
    return float(np.max(np.abs(losses_at(first, second, np.vstack([noise, *near]), log_noise))))


def check_pure(first: Table, second: Table, epsilon: float, law) -> None:
    log_noise = log_laplace(law.scale) if isinstance(law, Laplace) else log_spherical(law.scale)
    assert largest_loss(first, second, log_noise, law.scale) <= epsilon * (1 + 1e-9)


@pytest.mark.proof("objective-pure")
@pytest.mark.parametrize("tables", PAIRS)
def test_pure_laws_keep_epsilon_at_every_minimum(tables):
    for law in objective_laws(problem_of(tables[0]), Pure(2.0)):
        check_pure(*tables, 2.0, law)


@pytest.mark.proof("objective-pure")
def test_the_pure_bound_is_attained_so_smaller_noise_fails():
    tables = pair("huber", math.pi, penalty=2.0)
    problem = problem_of(tables[0])
    law = objective_laws(problem, Pure(2.0))[0]
    assert largest_loss(*tables, log_spherical(law.scale), law.scale) > 0.97 * 2.0
    curvature_dropped = SphericalLaplace(problem.feasible_gradient_change / 2.0)
    for mutant in (replace(law, scale=law.scale / 2), replace(law, scale=0.9 * law.scale), curvature_dropped):
        with pytest.raises(AssertionError):
            check_pure(*tables, 2.0, mutant)


@pytest.mark.proof("objective-pure")
def test_curvature_grows_with_the_square_of_the_row():
    """Rows of norm 4 (R for R² in the curvature would be four times too small)."""
    tables = tuple(
        replace(table, rows=tuple((tuple(4 * c for c in x), y, k) for x, y, k in table.rows))
        for table in pair("huber", math.pi, penalty=40.0)
    )
    problem = problem_of(tables[0], norm=4.0)
    law = objective_laws(problem, Pure(1.0))[0]
    check_pure(*tables, 1.0, law)
    rest = 1.0 - math.log1p(4.0 / 40.0)
    with pytest.raises(AssertionError):
        check_pure(*tables, 1.0, SphericalLaplace(8.0 / rest))


def test_laplace_noise_covers_the_l1_change():
    """Rows along the diagonal: their ℓ1 norm is √2, and Laplace noise for the ℓ2 change is too little."""
    diagonal = math.sqrt(0.5)
    first = Table((((diagonal, diagonal), 1.0, 1.0),), "huber", 2.0)
    second = Table((((-diagonal, -diagonal), 1.0, 1.0),), "huber", 2.0)
    law = objective_laws(problem_of(first), Pure(2.0))[1]
    check_pure(first, second, 2.0, law)
    with pytest.raises(AssertionError):
        check_pure(first, second, 2.0, Laplace(law.scale / math.sqrt(2)))


# (ε, δ)


def check_delta(first: Table, second: Table, budget: Approx, sigma: float) -> None:
    for one, other in ((first, second), (second, first)):
        assert exact_delta(one, other, budget.epsilon, sigma) <= budget.delta * (1 + 1e-3)  # quadrature error


@pytest.mark.proof("objective-gaussian")
@pytest.mark.parametrize("tables", PAIRS)
@pytest.mark.parametrize("budget", [Approx(1.0, 1e-2), Approx(3.0, 1e-4)])
def test_gaussian_noise_keeps_delta(tables, budget):
    laws = objective_laws(problem_of(tables[0]), budget)
    for law in laws:
        check_delta(*tables, budget, law.scale)


@pytest.mark.proof("objective-gaussian")
def test_the_gaussian_bound_is_nearly_attained_so_smaller_noise_fails():
    tables, budget = pair("huber", math.pi, penalty=20.0), Approx(1.0, 1e-2)
    sigma = objective_laws(problem_of(tables[0]), budget)[0].scale
    for mutant in (sigma / 2, 0.85 * sigma):
        with pytest.raises(AssertionError):
            check_delta(*tables, budget, mutant)


@pytest.mark.proof("objective-gaussian")
def test_the_curvature_term_is_needed():
    tables, budget = pair("huber", math.pi, penalty=0.5), Approx(0.3, 1e-2)
    assert not objective_laws(problem_of(tables[0]), budget)  # log(1 + η) = log 3 is more than ε
    (without_curvature,) = objective_laws(problem_of(pair("huber", math.pi, penalty=1e9)[0]), budget)
    with pytest.raises(AssertionError):
        check_delta(*tables, budget, without_curvature.scale)


@pytest.mark.proof("objective-gaussian")
def test_the_sum_of_corner_profiles_is_what_the_formula_says():
    for epsilon, mu in ((0.3, 0.2), (1.0, 0.5), (2.0, 3.0)):
        one_sided = profile(epsilon, mu) + 2 * profile(epsilon, mu / 2)
        two_sided = 2 * profile(epsilon, mu) + 2 * profile(epsilon, mu / math.sqrt(2))
        for expected, sided in ((one_sided, True), (two_sided, False)):
            found = objective_delta(slope_corners(epsilon, Tangent(0.0, 0.0), one_sided=sided), mu)
            assert float(found) == pytest.approx(expected, rel=1e-6)


# ρ-zCDP

ORDERS = (1.001, 2.0, 8.0, 64.0, 1000.0)


def check_renyi(first: Table, second: Table, sigma: float, rho: float, orders=ORDERS) -> None:
    for order in orders:
        for one, other in ((first, second), (second, first)):
            assert exact_renyi(one, other, order, sigma) <= order * rho * (1 + 1e-3)


def claimed_rho(table: Table, sigma: float, curvature: float = WORST_PRICE) -> float:
    return 2 / sigma**2 + curvature * (CURVATURE[table.loss] / table.penalty) ** 2


@pytest.mark.proof("objective-zcdp")
@pytest.mark.parametrize("tables", PAIRS)
@pytest.mark.parametrize("sigma", [2.0, 10.0])
def test_every_renyi_divergence_stays_below_the_line(tables, sigma):
    check_renyi(*tables, sigma, claimed_rho(tables[0], sigma))


@pytest.mark.proof("objective-zcdp")
def test_the_zcdp_bound_fails_without_its_terms():
    flat, curved = pair("huber", math.pi, penalty=20.0), pair("huber", math.pi, penalty=0.5)
    mutants = (
        (flat, 2.0, claimed_rho(flat[0], 2.0) / 4),  # half the noise, or the 2 of 2G dropped
        (curved, 10.0, claimed_rho(curved[0], 10.0, curvature=0.0)),  # curvature term dropped
    )
    for tables, sigma, rho in mutants:
        with pytest.raises(AssertionError):
            check_renyi(*tables, sigma, rho)


@pytest.mark.proof("objective-zcdp")
def test_the_library_solves_the_zcdp_bound_for_sigma():
    tables = pair("huber", math.pi, penalty=20.0)
    (law,) = objective_laws(problem_of(tables[0]), ZCDP(2.0))
    assert claimed_rho(tables[0], law.scale, curvature=1.42) == pytest.approx(2.0, rel=1e-9)
    assert not objective_laws(problem_of(pair("huber", math.pi, penalty=1.0)[0]), ZCDP(2.0))  # 2.6η² is more than ρ
