"""What a mechanism gives back, and what it promises before it has read anything."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol, Self

from tacit.arithmetic import exact, upper
from tacit.mechanisms.laws import Vector
from tacit.noise import Entropy
from tacit.privacy import Budget
from tacit.rows import Rows


@dataclass(frozen=True)
class Sensitivity:
    """How far one replaced row can move what is released, part by part; the parts add up to at most `total`."""

    norm: str
    total: float
    parts: Mapping[str, float]

    @classmethod
    def adding(cls, norm: str, parts: Mapping[str, float]) -> Self:
        """The parts and their sum, rounded up."""
        return cls(norm, upper(lambda: sum((exact(part) for part in parts.values()), exact(0.0))), parts)


class Law(Protocol):
    """What a certificate says of a law of noise, in a vector or in the scores of a selection."""

    @property
    def name(self) -> str:
        """What a reader calls it."""

    @property
    def scale(self) -> float:
        """The parameter of the law."""


@dataclass(frozen=True)
class Facts:
    """The public description of a calibrated mechanism, for the certificate."""

    mechanism: str
    theorems: tuple[str, ...]
    sensitivity: Sensitivity
    charge: Budget
    law: Law
    grid: float | None
    l2: float | None
    radius: float | None
    tolerance: float
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Release:
    """A private parameter vector (encoded units) and the size of the privacy noise in each of its coordinates.

    deviation: a standard deviation, exact or estimated from what was released.
    statistics: further private arrays by name, such as a noisy Hessian: what intervals are made from.
    bounded: deviation is an upper bound, as the curvature that shrinks the noise of a tilted objective is not released.
    """

    theta: Vector
    deviation: Vector
    statistics: Mapping[str, Vector] = field(default_factory=dict)
    bounded: bool = False


class Mechanism(Protocol):
    """Calibrated from public facts; reads rows once it is called."""

    @property
    def charge(self) -> Budget:
        """What a call costs, known before any row is read."""

    @property
    def facts(self) -> tuple[Facts, ...]:
        """What the certificate says of each release it makes."""

    def __call__(self, rows: Rows, entropy: Entropy) -> Release:
        """Read the rows, draw the noise, return only what is private."""
