"""Independent arithmetic for the tests of mechanisms: perturbed minima, exact losses, quadrature, vectorised draws.

Nothing here uses a constant of the library: slopes, densities and profiles are written down again, in plain numpy.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, stats

from tacit.domain import Domain, Geometry
from tacit.noise import SystemEntropy
from tacit.rows import Rows, open_rows

FALSE_ALARM = 1e-9
Floats = NDArray[np.float64]
BARE = Geometry(constant=None, clip=None)


def rows_of(X: Any, y: Any, *, classify: bool = True, norm: Any = "l2", geometry: Geometry = BARE) -> Rows:
    """Rows in the unit ball as they are, without a constant unless told; labels ±1 or a target in [−1, 1]."""
    classes = (-1, 1) if classify else None
    rows = open_rows(np.asarray(X, float), np.asarray(y), Domain(norm, classes=classes), geometry)
    return rows.one_vs_rest(1) if classify else rows


def sigmoid(z: Floats) -> Floats:
    return 0.5 * (1 + np.tanh(z / 2))


def slope_and_curvature(loss: str, score: Floats, y: float) -> tuple[Floats, Floats]:
    """φ'(s, y) and φ''(s, y)."""
    if loss == "squared":
        return score - y, np.ones_like(score)
    if loss == "huber, threshold 1":
        return np.clip(score - y, -1.0, 1.0), np.where(np.abs(score - y) < 1.0, 1.0, 0.0)
    if loss == "poisson, start 0.1, bend 0.5":
        bent = np.log(5.0)
        mean = np.minimum(0.1 * np.exp(np.minimum(score, bent)) + 0.5 * np.maximum(score - bent, 0.0), 1.0)
        return mean - (1.0 + y) / 2.0, np.where(mean < 1.0, np.minimum(mean, 0.5), 0.0)
    margin = y * score
    if loss == "logistic":
        p = sigmoid(-margin)
        return -y * p, p * (1 - p)
    if loss == "capped":
        p = sigmoid(-np.maximum(margin, 0.0))
        return -y * p, np.where(margin > 0, p * (1 - p), 0.0)
    assert loss == "huber"
    a = np.clip((1.5 - margin), 0.0, 1.0)
    return -y * a, np.where((margin > 0.5) & (margin < 1.5), 1.0, 0.0)


@dataclass(frozen=True)
class Table:
    """Rows (x, y, how often), and a penalty: everything that objective perturbation depends on."""

    rows: tuple[tuple[tuple[float, ...], float, float], ...]
    loss: str
    penalty: float  # nλ

    @property
    def width(self) -> int:
        return len(self.rows[0][0])

    def field(self, theta: Floats) -> tuple[Floats, Floats]:
        """B(θ) = −n∇J(θ), the noise that has its minimum at θ, and A(θ) = n∇²J(θ); θ is (k, d)."""
        noise = -self.penalty * theta
        hessian = np.zeros((len(theta), self.width, self.width)) + self.penalty * np.eye(self.width)
        for x, y, count in self.rows:
            slope, curvature = slope_and_curvature(self.loss, theta @ np.array(x), y)
            noise = noise - count * slope[:, None] * np.array(x)
            hessian = hessian + count * curvature[:, None, None] * np.outer(x, x)
        return noise, hessian

    def minimum(self, noise: Floats) -> Floats:
        """θ with B(θ) = noise, for each row of noise: Newton with steps halved until the residual falls."""
        theta = -noise / self.penalty
        residual, hessian = self._residual(theta, noise)
        size = np.linalg.norm(residual, axis=1)
        for _ in range(200):
            if np.all(size <= 1e-11 * (1 + np.linalg.norm(noise, axis=1))):
                break
            step = np.linalg.solve(hessian, residual[:, :, None])[:, :, 0]
            length = np.ones(len(theta))
            for _ in range(40):
                new = theta + length[:, None] * step
                new_residual, new_hessian = self._residual(new, noise)
                new_size = np.linalg.norm(new_residual, axis=1)
                worse = (new_size > (1 - 0.1 * length) * size) & (size > 1e-13)
                if not worse.any():
                    break
                length = np.where(worse, length / 2, length)
            theta, residual, hessian, size = new, new_residual, new_hessian, new_size
        return theta

    def _residual(self, theta: Floats, noise: Floats) -> tuple[Floats, Floats]:
        implied, hessian = self.field(theta)
        return implied - noise, hessian

    def log_density(self, theta: Floats, log_noise: Callable[[Floats], Floats]) -> Floats:
        """log p(θ) by the change of variables noise = B(θ)."""
        noise, hessian = self.field(theta)
        return log_noise(noise) + np.linalg.slogdet(hessian)[1]


def log_gaussian(sigma: float) -> Callable[[Floats], Floats]:
    return lambda z: -np.sum(z * z, axis=1) / (2 * sigma**2) - z.shape[1] * math.log(sigma * math.sqrt(2 * math.pi))


def log_spherical(scale: float) -> Callable[[Floats], Floats]:
    """Up to a constant, which cancels in every ratio."""
    return lambda z: -np.linalg.norm(z, axis=1) / scale


def log_laplace(scale: float) -> Callable[[Floats], Floats]:
    return lambda z: -np.sum(np.abs(z), axis=1) / scale


def losses_at(first: Table, second: Table, noise: Floats, log_noise: Callable[[Floats], Floats]) -> Floats:
    """log p(θ)/p'(θ) at the minimum that each noise vector has on the first table."""
    theta = first.minimum(noise)
    return first.log_density(theta, log_noise) - second.log_density(theta, log_noise)


def box(centre: Floats, half: float, cells: int) -> tuple[Floats, float]:
    """Midpoints of a grid of cells^d cells around a centre, and the volume of a cell."""
    side = (np.arange(cells) + 0.5) / cells * 2 - 1
    mesh = np.stack(np.meshgrid(*[side] * len(centre), indexing="ij"), axis=-1).reshape(-1, len(centre))
    return centre + half * mesh, (2 * half / cells) ** len(centre)


def exact_delta(first: Table, second: Table, epsilon: float, sigma: float, cells: int = 200) -> float:
    """δ(ε) = E (1 − e^(ε − L))₊ of exact Gaussian objective perturbation, by quadrature over the noise."""
    log_noise = log_gaussian(sigma)
    noise, volume = box(np.zeros(first.width), 9 * sigma, cells)
    loss = losses_at(first, second, noise, log_noise)
    return float(np.sum(np.exp(log_noise(noise)) * -np.expm1(np.minimum(epsilon - loss, 0.0))) * volume)


def exact_renyi(first: Table, second: Table, order: float, sigma: float, cells: int = 121) -> float:
    """D_α by quadrature over the noise; the window zooms in on where the integrand has its mass."""
    log_noise = log_gaussian(sigma)
    centre, half = np.zeros(first.width), 12 * sigma + 3 * order

    def log_integrand(noise: Floats) -> Floats:
        return log_noise(noise) + (order - 1) * losses_at(first, second, noise, log_noise)

    while half > 10 * sigma:
        noise, _ = box(centre, half, 61)
        centre = noise[np.argmax(log_integrand(noise))]
        half = max(half / 6, 10 * sigma)
    noise, volume = box(centre, 12 * sigma, cells)
    values = log_integrand(noise)
    top = values.max()
    return float((top + math.log(np.sum(np.exp(values - top)) * volume)) / (order - 1))


def profile(epsilon: float, mu: float) -> float:
    """δ(ε) of the Gaussian mechanism with sensitivity/σ = μ."""
    if mu <= 0:
        return 0.0
    return float(stats.norm.cdf(mu / 2 - epsilon / mu) - math.exp(epsilon + stats.norm.logcdf(-mu / 2 - epsilon / mu)))


def profile_epsilon(mu: float, delta: float) -> float:
    """The ε at which the Gaussian mechanism has this δ."""
    if profile(0.0, mu) <= delta:
        return 0.0
    return float(optimize.brentq(lambda e: profile(e, mu) - delta, 0.0, mu * mu / 2 + 40 * mu + 1))


def spherical_noise(width: int, scale: float, count: int, generator: np.random.Generator) -> Floats:
    """Density ∝ exp(−‖z‖/scale): a uniform direction times a gamma radius."""
    direction = generator.normal(size=(count, width))
    radius = generator.gamma(width, scale, count)
    return direction * (radius / np.linalg.norm(direction, axis=1))[:, None]


class SpyLaw:
    """Stands in for a noise law: keeps what noise would be added to, and adds none."""

    name = "none"
    scale = 1.0

    def __init__(self) -> None:
        self.seen: list[Floats] = []

    def add(self, values: Floats, entropy: Any) -> Floats:
        self.seen.append(np.array(values))
        return np.array(values)

    def deviation(self, width: int) -> float:
        return 1.0


def without_noise(mechanism: Any, attribute: str, rows: Rows) -> Floats:
    """The vector that the mechanism hands to its noise law on these rows."""
    spy = SpyLaw()
    held = mechanism.__dict__.get(attribute)
    mechanism.__dict__[attribute] = spy  # where cached_property keeps its value
    try:
        mechanism(rows, SystemEntropy())
    finally:
        mechanism.__dict__.pop(attribute)
        if held is not None:
            mechanism.__dict__[attribute] = held
    return spy.seen[0]


class Unclipped:
    """Rows whose clip was forgotten: every row arrives ten times as long."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    def total(self, kernel: Any) -> Any:
        return self._rows.total(lambda X, y: kernel(10.0 * X, y))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rows, name)
