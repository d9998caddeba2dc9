"""Exact minimisers of quadratics on a ball, the hard case included."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.errors import ParameterError
from tacit.solvers import QuadraticSolution, minimise_quadratic


def value(A: np.ndarray, c: np.ndarray, theta: np.ndarray) -> float:
    return float(0.5 * theta @ A @ theta - c @ theta)


def check_optimality(A: np.ndarray, c: np.ndarray, radius: float, solution: QuadraticSolution) -> None:
    """(A + μI)θ = c, A + μI ⪰ 0, μ ≥ 0, μ(R − ‖θ‖) = 0, ‖θ‖ ≤ R: sufficient for a global minimum."""
    scale = np.linalg.norm(A) * radius + np.linalg.norm(c) + 1e-300
    theta, mu = solution.theta, solution.multiplier
    norm = np.linalg.norm(theta)
    assert norm <= radius * (1 + 1e-14)
    assert mu >= 0.0
    assert np.linalg.norm(A @ theta + mu * theta - c) <= 1e-12 * len(c) * scale
    assert np.linalg.eigvalsh(A)[0] + mu >= -1e-12 * len(c) * np.linalg.norm(A)
    assert mu * (radius - norm) * radius <= 1e-12 * len(c) * scale * radius


def symmetric(rng: np.random.Generator, d: int) -> np.ndarray:
    A = rng.normal(size=(d, d))
    return A + A.T


@pytest.mark.proof("trust-region")
@given(seed=st.integers(0, 2**32), d=st.integers(1, 12), log_radius=st.integers(-8, 8), log_c=st.integers(-8, 8))
@settings(max_examples=300, deadline=None)
def test_any_symmetric_matrix_meets_the_optimality_conditions(seed: int, d: int, log_radius: int, log_c: int) -> None:
    rng = np.random.default_rng(seed)
    A, c, radius = symmetric(rng, d), 10.0**log_c * rng.normal(size=d), 10.0**log_radius
    check_optimality(A, c, radius, minimise_quadratic(A, c, radius))


@pytest.mark.proof("trust-region")
def test_a_solution_with_the_wrong_multiplier_is_caught() -> None:
    rng = np.random.default_rng()
    A = symmetric(rng, 4) - 5 * np.eye(4)
    c = rng.normal(size=4)
    right = minimise_quadratic(A, c, 1.0)
    inside = np.linalg.solve(A, c)
    inside *= min(1.0, 0.5 / np.linalg.norm(inside))
    for theta, mu in ((inside, 0.0), (-right.theta, right.multiplier), (0.5 * right.theta, right.multiplier)):
        with pytest.raises(AssertionError):
            check_optimality(A, c, 1.0, QuadraticSolution(theta, mu, 0.0, 0.0))


def hard_case(rng: np.random.Generator, d: int, multiplicity: int) -> tuple[np.ndarray, np.ndarray, float]:
    """c orthogonal to the lowest eigenspace, and a ball so large that the sphere is only reached inside it."""
    basis, _ = np.linalg.qr(rng.normal(size=(d, d)))
    eigenvalues = np.sort(rng.uniform(0.5, 3.0, size=d))
    eigenvalues[:multiplicity] = -1.0
    coordinates = rng.normal(size=d)
    coordinates[:multiplicity] = 0.0
    A = basis @ np.diag(eigenvalues) @ basis.T
    return 0.5 * (A + A.T), basis @ coordinates, 2.0 * float(np.linalg.norm(coordinates)) + 1.0


@pytest.mark.proof("trust-region")
@pytest.mark.parametrize("multiplicity", [1, 2, 4])
@pytest.mark.parametrize("nudge", [0.0, 1e-16, 1e-12, 1e-6])
def test_hard_and_nearly_hard_cases(multiplicity: int, nudge: float) -> None:
    rng = np.random.default_rng()
    A, c, radius = hard_case(rng, 6, multiplicity)
    c = c + nudge * rng.normal(size=6)
    solution = minimise_quadratic(A, c, radius)
    check_optimality(A, c, radius, solution)
    assert np.linalg.norm(solution.theta) == pytest.approx(radius)
    assert solution.multiplier == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize(
    ("A", "c"),
    [
        (np.zeros((3, 3)), np.zeros(3)),
        (np.zeros((3, 3)), np.array([1.0, 0.0, 0.0])),
        (-np.eye(3), np.zeros(3)),
        (np.diag([-1.0, 0.0, 1.0]), np.array([0.0, 1.0, 1.0])),
        (np.diag([-1.0, -1.0, 1.0]), np.array([0.0, 0.0, 5.0])),
        (np.eye(3), np.array([2.0, 0.0, 0.0])),
        (np.eye(3) * 1e-200, np.array([1e-200, 0.0, 0.0])),
        (np.diag([0.0, 1.0, 2.0]), np.array([0.0, 1.0, 1.0])),
    ],
)
def test_corners_by_hand(A: np.ndarray, c: np.ndarray) -> None:
    check_optimality(A, c, 1.0, minimise_quadratic(A, c, 1.0))


@pytest.mark.parametrize("indefinite", [False, True])
def test_agrees_with_a_grid_in_two_dimensions(indefinite: bool) -> None:
    rng = np.random.default_rng()
    angle = np.linspace(0, 2 * math.pi, 4001)
    disc = np.concatenate([r * np.stack([np.cos(angle), np.sin(angle)], axis=1) for r in np.linspace(0, 1, 201)])
    for _ in range(20):
        A, c = symmetric(rng, 2), rng.normal(size=2)
        if not indefinite:
            A = A @ A
        values = 0.5 * np.einsum("ij,jk,ik->i", disc, A, disc) - disc @ c
        solution = minimise_quadratic(A, c, 1.0)
        lipschitz = np.linalg.norm(A) + np.linalg.norm(c)
        assert value(A, c, solution.theta) <= np.min(values) + 1e-12
        assert value(A, c, solution.theta) >= np.min(values) - 0.006 * lipschitz


@pytest.mark.proof("trust-region")
def test_the_gap_bounds_what_a_worse_point_loses() -> None:
    from tacit.solvers.quadratic import _certified

    rng = np.random.default_rng()
    for _ in range(200):
        d = int(rng.integers(1, 6))
        A, c = symmetric(rng, d), rng.normal(size=d)
        best = minimise_quadratic(A, c, 1.0)
        point = rng.normal(size=d)
        point *= rng.uniform() / np.linalg.norm(point)
        theta = best.theta + 10.0 ** rng.uniform(-9, 0) * (point - best.theta)
        mu = max(0.0, best.multiplier + 10.0 ** rng.uniform(-9, 0) * rng.normal())
        worse = _certified(A, c, theta, mu, float(np.linalg.eigvalsh(A)[0]), 1.0)
        loss = value(A, c, theta) - value(A, c, best.theta)
        assert loss <= worse.gap * (1 + 1e-9) + 1e-12
        assert best.gap <= 1e-12


def test_without_a_ball_a_positive_definite_system_is_solved() -> None:
    rng = np.random.default_rng()
    A = symmetric(rng, 7)
    A = A @ A + np.eye(7)
    c = rng.normal(size=7)
    solution = minimise_quadratic(A, c)
    np.testing.assert_allclose(solution.theta, np.linalg.solve(A, c), rtol=1e-9)
    assert solution.multiplier == 0.0
    np.testing.assert_allclose(minimise_quadratic(A, c, 1e9).theta, solution.theta, rtol=1e-9)


def test_what_has_no_answer_is_refused() -> None:
    with pytest.raises(ParameterError, match="smallest eigenvalue"):
        minimise_quadratic(np.diag([1.0, -1.0]), np.ones(2))
    with pytest.raises(ParameterError, match="matrix"):
        minimise_quadratic(np.eye(3), np.ones(2), 1.0)
    with pytest.raises(ParameterError, match="finite"):
        minimise_quadratic(np.diag([1.0, math.nan]), np.ones(2), 1.0)
    with pytest.raises(ParameterError, match="radius"):
        minimise_quadratic(np.eye(2), np.ones(2), 0.0)
