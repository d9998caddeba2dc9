"""Private logistic regression as published: objective perturbation, approximate minima, the functional mechanism."""

from __future__ import annotations

import math

import numpy as np
from scipy.linalg import solve_triangular
from scipy.optimize import minimize
from scipy.special import expit

from benchmarks.peers.functional import minimise_noisy_quadratic

Array = np.ndarray


class Prepared:
    """Rows in single precision (fits to be scored, not to be certified) and Σxxᵀ, shared by many fits."""

    def __init__(self, X: Array, y: Array) -> None:
        self.n, self.d = X.shape
        self.X, self.y = X.astype(np.float32), y.astype(np.float32)
        self.gram = X.T @ X

    def minimiser(self, l2: float, tilt: Array | None = None) -> Array:
        """argmin mean log(1 + exp(−y⟨x, θ⟩)) + (l2/2)‖θ‖² + ⟨tilt, θ⟩.

        L-BFGS on Lᵀθ with LLᵀ the Hessian at 0, in which the problem is round.
        """
        tilt = np.zeros(self.d) if tilt is None else tilt
        root = np.linalg.cholesky(self.gram / (4 * self.n) + (l2 + 1e-9) * np.eye(self.d))

        def objective(white: Array) -> tuple[float, Array]:
            theta = solve_triangular(root, white, lower=True, trans="T")
            margin = self.y * (self.X @ theta.astype(np.float32))
            value = float(np.logaddexp(0, -margin).mean(dtype=float)) + 0.5 * l2 * theta @ theta + tilt @ theta
            slope = -(self.y * expit(-margin)) @ self.X / self.n + l2 * theta + tilt
            return value, solve_triangular(root, slope.astype(float), lower=True)

        options = {"maxiter": 500, "gtol": 1e-5, "ftol": 1e-9}
        found = minimize(objective, np.zeros(self.d), jac=True, method="L-BFGS-B", options=options)
        return np.asarray(solve_triangular(root, found.x, lower=True, trans="T"))


def objective_perturbation(rows: Prepared, epsilon: float, rng: np.random.Generator, l2: float) -> Array:
    """Chaudhuri, Monteleoni, Sarwate 2011, algorithm 2, with the regularisation `l2` chosen beforehand (pure ε)."""
    n, d = rows.n, rows.d
    rest = epsilon - math.log(1 + 0.5 / (n * l2) + 1 / (16 * n**2 * l2**2))
    if rest <= 0:
        l2, rest = max(l2, 0.25 / (n * math.expm1(epsilon / 4))), epsilon / 2
    direction = rng.standard_normal(d)
    noise = direction / np.linalg.norm(direction) * rng.gamma(d, 2 / rest)
    return rows.minimiser(l2, noise / n)


def approximate_minima(rows: Prepared, epsilon: float, rng: np.random.Generator, delta: float) -> Array:
    """Iyengar et al. 2019 without hyper-parameters, budget split as their published code does ((ε, δ))."""
    n, d = rows.n, rows.d
    share = max(min(0.88671 + 0.0186607 / epsilon**0.372906, 0.99), 1 - 1 / epsilon + 0.001)
    noise_budget = share * 0.99 * epsilon
    l2 = 2 / (0.99 * epsilon - noise_budget) / n
    sigma = 2 * (1 + math.sqrt(2 * math.log(1 / (0.99 * delta)))) / noise_budget
    return rows.minimiser(l2, sigma * rng.standard_normal(d) / n)


def functional(rows: Prepared, epsilon: float, rng: np.random.Generator) -> Array:
    """Zhang et al. 2012: the quadratic Taylor polynomial of the loss at 0, Laplace noise for Δ = d²/4 + 3d (pure ε)."""
    d = rows.d
    linear = -(rows.y @ rows.X).astype(float) / 2
    return minimise_noisy_quadratic(rows.gram / 8, linear, (d**2 / 4 + 3 * d) / epsilon, rng)
