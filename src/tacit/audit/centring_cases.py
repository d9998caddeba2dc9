"""The paid look at the columns, under audit: a row at 1 against one at −½ moves (Σz, Σz²) the most in ℓ1."""

import numpy as np
import pandas as pd

from tacit.arithmetic import Floats
from tacit.audit.cases import Case
from tacit.audit.lower_bound import lower_bound
from tacit.audit.targets import Batches
from tacit.domain import REGRESSION, Number, Real, Schema
from tacit.mechanisms.centring import ColumnSummary
from tacit.noise import SystemEntropy
from tacit.privacy import Pure
from tacit.rows import Rows, open_rows

SCHEMA = Schema({"x": Number(-1, 1)}, Real(-1, 1))
ENDS = np.array([[1.0, 1.0], [-0.5, 0.25]])


def centring_cases(runs: int) -> list[Case]:
    """One number, one row; the loss of the pair is the whole ε."""
    release, entropy = ColumnSummary(SCHEMA, 1, Pure(1.0)), SystemEntropy()
    pair = _row(1.0), _row(-0.5)

    def draws(rows: Rows, count: int) -> list[Floats]:
        # The sums before the noise are the same in every run; reading them once leaves the noise to be drawn.
        total = release.total(rows)
        return [release.law.add(total, entropy) for _ in range(count)]

    loss = float(np.abs(ENDS[0] - ENDS[1]).sum() / release.law.scale)
    return [
        Case(
            "centre and spread of the columns",
            1.0,
            loss,
            lambda confidence: lower_bound(Batches(draws), pair, runs, confidence, score=_nearer),
        )
    ]


def _row(x: float) -> Rows:
    return open_rows(pd.DataFrame({"x": [x]}), np.zeros(1), SCHEMA, REGRESSION)


def _nearer(outputs: Floats) -> Floats:
    """ℓ1 distance to the first row's vector minus that to the second's: the log likelihood ratio."""
    away = [np.abs(outputs - end).sum(axis=1) for end in ENDS]
    return np.asarray(away[0] - away[1])
