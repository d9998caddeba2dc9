"""Tests of coefficients from evidence: p-values of single ones, a Wald test of several, corrections for many.

Under privacy they mean what they always mean: how often an estimate at least this far from the hypothesis would come
out if the hypothesis were true. "Come out" covers the sample and the privacy noise, both of which are in the errors.
A coefficient that is not determined has the p-value 1: nothing was learned about it.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import chdtrc, ndtri

from tacit.arithmetic import Floats
from tacit.errors import ParameterError
from tacit.inference.evidence import Evidence

USUAL_LEVEL = 0.95
NEGLIGIBLE = 1e-10


@dataclass(frozen=True)
class WaldTest:
    """Several linear combinations tested together; p_value 1 and statistic NaN if one of them is not determined."""

    statistic: float
    degrees: int
    p_value: float

    def __str__(self) -> str:
        if np.isnan(self.statistic):
            return "Wald test: not determined, because one of the coefficients is not"
        return f"Wald test: chi² = {self.statistic:.2f} with {self.degrees} degrees of freedom, p = {self.p_value:.3g}"


def p_values(evidence: Evidence, differences: Floats, directions: Floats) -> Floats:
    """Of each gᵀθ₀ being what the hypothesis says; differences: the estimates minus that. 1 for what has no error."""
    uncertain = evidence.standard_errors(directions) > 0
    found = np.ones(len(differences))
    found[uncertain] = evidence.tails(directions[uncertain], np.abs(differences[uncertain]))
    return found


def wald_test(evidence: Evidence, differences: Floats, directions: Floats) -> WaldTest:
    """Whether all gᵀθ₀ are what the hypothesis says; differences: the estimates minus that.

    Where intervals are longer than normal ones the covariance is enlarged by as much.
    """
    half = evidence.half_widths(directions, USUAL_LEVEL)
    if not np.all(np.isfinite(half)):
        return WaldTest(np.nan, len(directions), 1.0)
    normal = -float(ndtri((1 - USUAL_LEVEL) / 2)) * evidence.standard_errors(directions)
    values, vectors = np.linalg.eigh(max(1.0, float(np.max(half / normal))) ** 2 * evidence.covariance(directions))
    kept = values > NEGLIGIBLE * values.max()
    statistic = float(np.sum((vectors.T @ differences)[kept] ** 2 / values[kept]))
    return WaldTest(statistic, int(kept.sum()), float(chdtrc(int(kept.sum()), statistic)))


def adjusted(p_values: Floats, correction: str | None) -> Floats:
    """p-values for as many tests at once: every false positive counts ("bonferroni"), or step by step ("holm")."""
    count = len(p_values)
    match correction:
        case None:
            return p_values
        case "bonferroni":
            return np.minimum(1.0, count * p_values)
        case "holm":
            order = np.argsort(p_values)
            raised = np.maximum.accumulate(p_values[order] * np.arange(count, 0, -1))
            out = np.empty(count)
            out[order] = np.minimum(1.0, raised)
            return out
    raise ParameterError(f"correction must be None, 'holm' or 'bonferroni', got {correction!r}")
