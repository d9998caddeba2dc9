"""Objectives made of plain arrays, and their minimisers in long arithmetic."""

from dataclasses import dataclass, field

import mpmath
import numpy as np

from tacit.arithmetic import UNIT_ROUNDOFF
from tacit.losses import HuberHinge, Logistic, Loss
from tacit.solvers import GradientBounds

Array = np.ndarray


@dataclass(frozen=True)
class ArrayBounds:
    """Public bounds for rows in the unit ball; the error bounds are generous multiples of the roundoff."""

    dimension: int
    terms: int
    loss: Loss
    strong_convexity: float
    linear_norm: float = 0.0

    @property
    def smoothness(self) -> float:
        return self.loss.constants().curvature + self.strong_convexity

    @property
    def minimiser_norm(self) -> float:
        b, at_zero = self.linear_norm, self.loss.constants(0.0).value
        return (b + np.sqrt(b * b + 2.0 * self.strong_convexity * at_zero)) / self.strong_convexity * (1 + 1e-12)

    def gradient_bounds(self, norm: float) -> GradientBounds:
        magnitude = self.loss.constants(norm).slope + self.strong_convexity * norm + self.linear_norm
        curvature = self.loss.constants().curvature if self.loss.smooth else 0.0
        error = (2.0 * self.terms + 32.0 + curvature * 2.0 * self.dimension * norm) * UNIT_ROUNDOFF
        return GradientBounds(magnitude, error + 8.0 * UNIT_ROUNDOFF * magnitude)

    def score_error(self, norm: float) -> float:
        return 2.0 * (self.dimension + 3) * UNIT_ROUNDOFF * (1.0 + norm)


@dataclass
class ArrayRisk:
    """(1/n) Σ φ(⟨xᵢ, θ⟩, yᵢ) + (λ/2)‖θ‖² + ⟨b, θ⟩ for rows held in memory. Counts its evaluations."""

    X: Array
    y: Array
    l2: float
    loss: Loss = field(default_factory=Logistic)
    linear: Array | None = None
    evaluations: int = 0

    @property
    def b(self) -> Array:
        return np.zeros(self.X.shape[1]) if self.linear is None else self.linear

    @property
    def bounds(self) -> ArrayBounds:
        n, d = self.X.shape
        return ArrayBounds(d, n, self.loss, self.l2, float(np.linalg.norm(self.b)))

    @property
    def sample_size(self) -> int:
        return self.X.shape[0]

    def value(self, theta: Array) -> float:
        risk = float(np.mean(self.loss.value(self.X @ theta, self.y)))
        return risk + 0.5 * self.l2 * float(theta @ theta) + float(self.b @ theta)

    def gradient(self, theta: Array) -> tuple[Array, float]:
        self.evaluations += 1
        g = self.loss.slope(self.X @ theta, self.y) @ self.X / len(self.y) + self.l2 * theta + self.b
        return g, self.bounds.gradient_bounds(float(np.linalg.norm(theta))).error

    def gradient_and_hessian(self, theta: Array) -> tuple[Array, float, Array]:
        g, error = self.gradient(theta)
        w = self.loss.curvature(self.X @ theta, self.y)
        return g, error, (self.X * w[:, None]).T @ self.X / len(self.y) + self.l2 * np.eye(self.X.shape[1])

    def head(self, terms: int) -> "ArrayRisk":
        return ArrayRisk(self.X[:terms], self.y[:terms], self.l2, self.loss, self.linear)

    def smoothed(self, width: float, centre: Array) -> "CentredArrayHinge":
        return CentredArrayHinge(self, HuberHinge(width), centre)

    def subgradient(self, theta: Array) -> Array:
        return self.gradient(theta)[0]


@dataclass
class CentredArrayHinge:
    risk: ArrayRisk
    loss: HuberHinge
    centre: Array

    def excess(self, shift: Array) -> Array:
        X, y = self.risk.X, self.risk.y
        return (1.0 - y * (X @ self.centre)) - y * (X @ shift)

    def gradient_and_hessian(self, shift: Array) -> tuple[Array, Array]:
        risk, excess = self.risk, self.excess(shift)
        risk.evaluations += 1
        n, d = risk.X.shape
        w = np.where(self.loss.undecided(excess), 0.5 / self.loss.width, 0.0)
        g = -(risk.y * self.loss.activity(excess)) @ risk.X / n + risk.l2 * (self.centre + shift) + risk.b
        return g, (risk.X * w[:, None]).T @ risk.X / n + risk.l2 * np.eye(d)

    def undecided(self, shift: Array) -> float:
        return float(np.mean(self.loss.undecided(self.excess(shift))))


def unit_rows(rng: np.random.Generator, n: int, d: int) -> Array:
    X = rng.normal(size=(n, d))
    return X / np.maximum(1.0, np.linalg.norm(X, axis=1) * (1 + 1e-12))[:, None]


def hard_tables(d: int = 3) -> dict[str, tuple[Array, Array]]:
    """Tables that break careless solvers."""
    rng = np.random.default_rng()
    X = unit_rows(rng, 16, d)
    signs = rng.choice([-1.0, 1.0], size=16)
    return {
        "ordinary": (X, signs),
        "separable": (X, np.where(X[:, 0] > 0, 1.0, -1.0)),
        "one class": (X, np.ones(16)),
        "duplicates": (np.tile(X[:1], (16, 1)), signs),
        "constant column": (np.hstack([0.5 * X[:, :-1], np.full((16, 1), 0.5)]), signs),
        "all rows zero": (np.zeros((16, d)), signs),
        "one row": (X[:1], np.ones(1)),
        "rank one": (np.outer(np.linspace(-1, 1, 16), X[0]), signs),
        "sorted by class": (X, np.sort(signs)),
        "subnormal": (X * 1e-310, signs),
    }


def exact_minimiser(risk: ArrayRisk, radius: float | None = None, digits: int = 40) -> Array:
    """argmin of a logistic risk, to about `digits`/2 digits, by Newton on the optimality system in long arithmetic."""
    with mpmath.workdps(digits):
        d = risk.X.shape[1]
        X = [mpmath.matrix([mpmath.mpf(float(v)) for v in row]) for row in risk.X]
        free = _newton(X, risk, mpmath.matrix(d, 1), mpmath.mpf(0))
        if radius is None or mpmath.norm(free) <= radius:
            return np.array([float(v) for v in free])
        path = {"theta": free}

        def excess(nu: mpmath.mpf) -> mpmath.mpf:
            path["theta"] = _newton(X, risk, path["theta"], nu)
            return mpmath.norm(path["theta"]) - radius

        low, high = mpmath.mpf(0), mpmath.mpf(1)
        while excess(high) > 0:
            low, high = high, 2 * high
        excess(mpmath.findroot(excess, (low, high), solver="illinois", tol=mpmath.mpf(10) ** (-digits)))
        return np.array([float(v) for v in path["theta"]])


def _newton(X, risk: ArrayRisk, start, extra):  # type: ignore[no-untyped-def]
    """Damped Newton for J + (extra/2)‖θ‖²."""
    n, d = risk.X.shape
    theta = start.copy()
    nu = mpmath.mpf(float(risk.l2)) + extra
    for _ in range(400):
        g = nu * theta + mpmath.matrix([mpmath.mpf(float(v)) for v in risk.b])
        H = nu * mpmath.eye(d)
        for x, y in zip(X, risk.y, strict=True):
            p = 1 / (1 + mpmath.exp(float(y) * (x.T * theta)[0]))
            g -= (float(y) * p / n) * x
            H += (p * (1 - p) / n) * (x * x.T)
        step = mpmath.lu_solve(H, g)
        length = mpmath.norm(step)
        theta -= step / (1 + length) if length > 0.1 else step
        if length < mpmath.mpf(10) ** (-mpmath.mp.dps // 2):
            return theta
    raise AssertionError("the long-arithmetic reference did not converge")
