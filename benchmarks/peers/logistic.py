"""Private logistic regression as published: objective perturbation, approximate minima, the functional mechanism."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import expit

from benchmarks.peers.functional import minimise_noisy_quadratic

Array = np.ndarray


def minimiser(X: Array, y: Array, l2: float, tilt: Array | None = None) -> Array:
    """argmin mean log(1 + exp(−y⟨x, θ⟩)) + (l2/2)‖θ‖² + ⟨tilt, θ⟩ by Newton's method with step halving.

    Rows in single precision: these are fits to be scored, not to be certified.
    """
    n, d = X.shape
    X, y = X.astype(np.float32, copy=False), y.astype(np.float32, copy=False)
    theta, tilt = np.zeros(d), np.zeros(d) if tilt is None else tilt

    def measured(point: Array) -> tuple[Array, float]:
        margin = y * (X @ point.astype(np.float32))
        loss = float(np.logaddexp(0, -margin).mean(dtype=float))
        return margin, loss + float(0.5 * l2 * point @ point + tilt @ point)

    margin, current = measured(theta)
    for _ in range(40):
        p = expit(-margin)
        gradient = -(X.T @ (y * p)).astype(float) / n + l2 * theta + tilt
        hessian = (X.T @ (X * (p * (1 - p))[:, None])).astype(float) / n + l2 * np.eye(d)
        step = np.linalg.solve(hessian, gradient)
        decrease, size = float(step @ gradient), 1.0
        if decrease < 1e-10:
            return theta - step
        margin, moved = measured(theta - step)
        while moved > current - 0.1 * size * decrease + 1e-9 and size > 1e-4:
            size /= 2
            margin, moved = measured(theta - size * step)
        theta, current = theta - size * step, moved
    return theta


def objective_perturbation(X: Array, y: Array, epsilon: float, rng: np.random.Generator, l2: float) -> Array:
    """Chaudhuri, Monteleoni, Sarwate 2011, algorithm 2, with the regularisation `l2` chosen beforehand (pure ε)."""
    n, d = X.shape
    rest = epsilon - math.log(1 + 0.5 / (n * l2) + 1 / (16 * n**2 * l2**2))
    if rest <= 0:
        l2, rest = max(l2, 0.25 / (n * math.expm1(epsilon / 4))), epsilon / 2
    direction = rng.standard_normal(d)
    noise = direction / np.linalg.norm(direction) * rng.gamma(d, 2 / rest)
    return minimiser(X, y, l2, noise / n)


def approximate_minima(X: Array, y: Array, epsilon: float, rng: np.random.Generator, delta: float) -> Array:
    """Iyengar et al. 2019 without hyper-parameters, budget split as their published code does ((ε, δ))."""
    n, d = X.shape
    share = max(min(0.88671 + 0.0186607 / epsilon**0.372906, 0.99), 1 - 1 / epsilon + 0.001)
    noise_budget = share * 0.99 * epsilon
    l2 = 2 / (0.99 * epsilon - noise_budget) / n
    sigma = 2 * (1 + math.sqrt(2 * math.log(1 / (0.99 * delta)))) / noise_budget
    return minimiser(X, y, l2, sigma * rng.standard_normal(d) / n)


def functional(X: Array, y: Array, epsilon: float, rng: np.random.Generator) -> Array:
    """Zhang et al. 2012: the quadratic Taylor polynomial of the loss at 0, Laplace noise for Δ = d²/4 + 3d (pure ε)."""
    d = X.shape[1]
    linear = -(X.T @ y) / 2
    return minimise_noisy_quadratic(X.T @ X / 8, linear, (d**2 / 4 + 3 * d) / epsilon, rng)
