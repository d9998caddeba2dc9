"""Post-processing of releases for people: coefficient tables and confidence intervals."""

from typing import Any

from tacit.errors import ParameterError
from tacit.inference.evidence import Evidence
from tacit.inference.hypotheses import WaldTest, adjusted, p_values, wald_test
from tacit.inference.minimum_evidence import MinimumEvidence
from tacit.inference.moment_evidence import MomentEvidence
from tacit.inference.ordinary_evidence import OrdinaryEvidence
from tacit.inference.summary import COEFFICIENT, NOISE, NOISE_BOUND, NOISE_GUESS, Summary
from tacit.inference.tables import MEANING_OF_P, estimate_table
from tacit.inference.typical_noise import WIDEST, typical_noise
from tacit.inference.variability import variability_interval
from tacit.mechanisms import Mechanism, Release
from tacit.mechanisms.intervals import (
    DebiasedWithIntervals,
    FitWithIntervals,
    NewtonWithIntervals,
    RegressionWithIntervals,
    Split,
)

__all__ = [
    "COEFFICIENT",
    "MEANING_OF_P",
    "NOISE",
    "NOISE_BOUND",
    "NOISE_GUESS",
    "WIDEST",
    "Evidence",
    "MomentEvidence",
    "OrdinaryEvidence",
    "Split",
    "Summary",
    "WaldTest",
    "adjusted",
    "estimate_table",
    "evidence_from_dict",
    "evidence_of",
    "p_values",
    "typical_noise",
    "variability_interval",
    "wald_test",
]


def evidence_of(mechanism: Mechanism, release: Release) -> Evidence | None:
    """What a release says about its own error; None if the mechanism bought no intervals."""
    match mechanism:
        case FitWithIntervals():
            return MinimumEvidence.of(mechanism, release)
        case RegressionWithIntervals():
            return MomentEvidence.of(mechanism, release)
        case NewtonWithIntervals() | DebiasedWithIntervals():
            return OrdinaryEvidence.of(mechanism, release)
    return None


def evidence_from_dict(stored: dict[str, Any]) -> Evidence:
    """The evidence that `to_dict` described."""
    match stored["kind"]:
        case "minimum":
            return MinimumEvidence.from_dict(stored)
        case "moments":
            return MomentEvidence.from_dict(stored)
        case "ordinary":
            return OrdinaryEvidence.from_dict(stored)
    raise ParameterError(f"evidence of kind {stored['kind']!r} is not known to this version of tacit")
