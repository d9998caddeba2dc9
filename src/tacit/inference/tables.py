"""Numbers about linear combinations of released parameters, in a frame: estimates, errors, intervals, tests."""

import numpy as np
import pandas as pd

from tacit.arithmetic import Floats
from tacit.inference.evidence import Evidence
from tacit.inference.hypotheses import p_values
from tacit.inference.moment_evidence import MomentEvidence
from tacit.inference.summary import COEFFICIENT, ERROR, HOMOSKEDASTIC, LOWER, ODDS, PRIVACY, UPPER, P, Z

MEANING_OF_P = (
    "p: how often an estimate at least this far from 0 would come out if the coefficient were 0, with a new sample and "
    "new privacy noise"
)


def estimate_table(
    evidence: Evidence,
    estimates: Floats,
    directions: Floats,
    names: list[str],
    level: float,
    *,
    odds: bool = False,
) -> pd.DataFrame:
    """One row a direction g: gᵀθ̃, its standard error, the part that privacy makes, an interval, odds ratio, z and p."""
    errors, half = evidence.standard_errors(directions), evidence.half_widths(directions, level)
    columns = {COEFFICIENT: estimates, ERROR: errors, PRIVACY: evidence.noise_deviations(directions)}
    if isinstance(evidence, MomentEvidence) and evidence.robust:
        columns[HOMOSKEDASTIC] = evidence.homoskedastic_errors(directions)
    columns |= {LOWER: estimates - half, UPPER: estimates + half}
    if odds:
        columns[ODDS] = np.exp(np.clip(estimates, -700, 700))
    columns[Z] = np.divide(estimates, errors, out=np.zeros_like(estimates), where=errors > 0)
    columns[P] = p_values(evidence, estimates, directions)
    return pd.DataFrame(columns, index=names)
