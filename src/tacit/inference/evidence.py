"""Evidence: everything released from which intervals are computed, and how it is stored.

An interval covers gᵀθ₀ for a direction g in encoded units: a coefficient, the intercept or the score of a row. θ₀ is
the minimiser over the population of the risk that `target` names. Evidence is public after its release; intervals at
any level and for any direction cost nothing more.
"""

from typing import Any, Protocol

import numpy as np

from tacit.arithmetic import Floats
from tacit.errors import ParameterError
from tacit.mechanisms import AddedLaw, Gaussian, Laplace, SphericalLaplace, WishartDifference

HIGHEST_LEVEL = 1 - 1e-9
LAWS: dict[str, type[Gaussian] | type[Laplace] | type[SphericalLaplace] | type[WishartDifference]] = {
    "gaussian": Gaussian,
    "laplace": Laplace,
    "spherical": SphericalLaplace,
    "wishart": WishartDifference,
}


class Evidence(Protocol):
    """What one fit released for its intervals."""

    @property
    def theta(self) -> Floats:
        """The released vector."""

    def half_widths(self, directions: Floats, level: float) -> Floats:
        """Half the length of an interval for gᵀθ₀, for each row g of `directions`."""

    def standard_errors(self, directions: Floats) -> Floats:
        """Standard deviation of gᵀθ̃, sampling and privacy noise together."""

    def noise_deviations(self, directions: Floats) -> Floats:
        """The part of it that the privacy noise makes."""

    @property
    def target(self) -> str:
        """What θ₀ is, in words."""

    def tails(self, directions: Floats, distances: Floats) -> Floats:
        """How likely gᵀθ̃ is at least this far from gᵀθ₀: the p-value of a hypothesis at that distance."""

    def covariance(self, directions: Floats) -> Floats:
        """Covariance of the gᵀθ̃, all errors together."""

    def reasons(self, directions: Floats) -> tuple[str, ...]:
        """Why an interval is infinite and what helps; "" where it is finite."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values, enough to rebuild it."""


def checked_level(level: float) -> float:
    """The level of an interval as a float, or a refusal."""
    if not (isinstance(level, (int, float, np.number)) and 0 < level <= HIGHEST_LEVEL):
        raise ParameterError(f"level must lie between 0 and 1 − 10⁻⁹, 0.95 for 95 %, got {level!r}")
    return float(level)


def per_row(law: AddedLaw, n: int) -> AddedLaw:
    """The law of the noise in a mean, from that in a sum over n rows."""
    return LAWS[_family(law)](law.scale / n)


def law_to_dict(law: AddedLaw) -> dict[str, Any]:
    """Family and scale."""
    return {"family": _family(law), "scale": law.scale}


def law_from_dict(stored: dict[str, Any]) -> AddedLaw:
    """The law that `law_to_dict` described."""
    return LAWS[stored["family"]](stored["scale"])


def eigenvalues_raised(matrices: Floats, least: float) -> Floats:
    """Symmetric matrices with eigenvalues below `least` raised to it: after the noise, never before."""
    values, vectors = np.linalg.eigh(matrices)
    return np.asarray((vectors * np.maximum(values, least)[..., None, :]) @ np.swapaxes(vectors, -1, -2))


def _family(law: AddedLaw) -> str:
    return next(name for name, family in LAWS.items() if isinstance(law, family))
