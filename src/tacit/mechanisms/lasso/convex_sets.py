"""Sets over which Frank–Wolfe minimises: each knows the point furthest against a direction."""

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from tacit.errors import ParameterError
from tacit.mechanisms.laws import Vector


class ConvexSet(Protocol):
    """A convex, bounded set of parameters."""

    @property
    def name(self) -> str:
        """What a reader of the certificate calls it."""

    @property
    def radius(self) -> float:
        """Its size."""

    @property
    def diameter(self) -> float:
        """The largest ℓ2 distance of two of its points."""

    def start(self, width: int) -> Vector:
        """A point of the set."""

    def furthest(self, gradient: Vector) -> Vector:
        """argmin ⟨v, gradient⟩ over the set."""

    def width(self, dimension: int) -> float:
        """A bound on E sup ⟨v, z⟩ for z ~ N(0, I): the Gaussian width."""


@dataclass(frozen=True)
class _Sized:
    """A set whose points have ℓ2 norm at most its radius, which some of them attain."""

    radius: float

    def __post_init__(self) -> None:
        if not 0 < self.radius < 2**20:
            raise ParameterError(f"radius must be a positive number below 2**20, got {self.radius!r}")


@dataclass(frozen=True)
class _Ball(_Sized):
    """A set that holds −v with every point v."""

    @property
    def diameter(self) -> float:
        return 2 * self.radius

    def start(self, width: int) -> Vector:
        return np.zeros(width)


@dataclass(frozen=True)
class L2Ball(_Ball):
    """‖v‖₂ ≤ radius."""

    name: str = "l2 ball"

    def furthest(self, gradient: Vector) -> Vector:
        # Divided by the peak first: a squared coordinate could underflow.
        peak = float(np.abs(gradient).max())
        direction = gradient / peak if peak > 0 else np.eye(1, gradient.size)[0]
        return np.asarray(-self.radius * direction / np.linalg.norm(direction))

    def width(self, dimension: int) -> float:
        return self.radius * math.sqrt(dimension)


@dataclass(frozen=True)
class L1Ball(_Ball):
    """‖v‖₁ ≤ radius."""

    name: str = "l1 ball"

    def furthest(self, gradient: Vector) -> Vector:
        best = int(np.abs(gradient).argmax())
        return _vertex(gradient.size, best, -self.radius if gradient[best] > 0 else self.radius)

    def width(self, dimension: int) -> float:
        return self.radius * math.sqrt(2 * math.log(2 * dimension))


@dataclass(frozen=True)
class Simplex(_Sized):
    """v ≥ 0, Σ v_j = radius."""

    name: str = "simplex"

    @property
    def diameter(self) -> float:
        return math.sqrt(2) * self.radius

    def start(self, width: int) -> Vector:
        return np.full(width, self.radius / width)

    def furthest(self, gradient: Vector) -> Vector:
        return _vertex(gradient.size, int(gradient.argmin()), self.radius)

    def width(self, dimension: int) -> float:
        return self.radius * math.sqrt(2 * math.log(max(dimension, 2)))


def _vertex(width: int, place: int, value: float) -> Vector:
    vertex = np.zeros(width)
    vertex[place] = value
    return vertex
