"""A released parameter vector: what a fitted linear model holds of it, and what its file says."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.arithmetic import Floats
from tacit.inference import Evidence, evidence_from_dict, evidence_of
from tacit.mechanisms import Mechanism, Release


@dataclass(frozen=True, eq=False)
class Vector:
    """Parameters in encoded units, and the size of the privacy noise in each.

    bounded: the sizes are upper bounds. evidence: what intervals are made from, if they were bought.
    """

    theta: Floats
    deviation: Floats
    bounded: bool
    evidence: Evidence | None = None

    def noise(self, directions: Floats) -> Floats:
        """Deviation of gᵀθ for each row g, from independent noise: √(Σ g²s²); estimated if a Hessian was released."""
        if self.evidence is not None:
            return self.evidence.noise_deviations(directions)
        return np.asarray(np.sqrt(directions**2 @ self.deviation**2))

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "theta": self.theta.tolist(),
            "deviation": self.deviation.tolist(),
            "bounded": self.bounded,
            "evidence": None if self.evidence is None else self.evidence.to_dict(),
        }

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any], width: int) -> "Vector":
        """The vector that `to_dict` described; it has as many entries as an encoded row."""
        theta, deviation = (np.array(stored[name], dtype=np.float64) for name in ("theta", "deviation"))
        if theta.shape != (width,) or deviation.shape != (width,):
            raise ValueError(f"a vector of {width} numbers was expected")
        evidence = None if stored["evidence"] is None else evidence_from_dict(stored["evidence"])
        if evidence is not None and not np.array_equal(evidence.theta, theta):
            raise ValueError("evidence about another vector")
        return cls(theta, deviation, stored["bounded"], evidence)


def pack(mechanism: Mechanism, release: Release) -> dict[str, Any]:
    """What the model file keeps of a release."""
    return Vector(release.theta, release.deviation, release.bounded, evidence_of(mechanism, release)).to_dict()
