"""Small tables, worst pairs and replayed randomness for the tests of selection."""

from typing import Any

import numpy as np

from tacit.domain import CLASSIFICATION, Domain
from tacit.losses import Logistic
from tacit.mechanisms.choice import FitRequest, plan_fit
from tacit.mechanisms.problem import Shape
from tacit.noise import RecordedEntropy, SystemEntropy
from tacit.privacy import Budget, Pure
from tacit.rows import Rows, open_rows

LABELS = Domain(classes=(-1, 1))


def classified(X: Any, y: Any) -> Rows:
    """Rows with labels ±1."""
    return open_rows(np.asarray(X, dtype=float), np.asarray(y), LABELS, CLASSIFICATION).one_vs_rest(1)


def random_table(n: int, d: int = 3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng()
    X = rng.standard_normal((n, d)) / np.sqrt(d)
    return X, np.where(X[:, 0] + 0.3 * rng.standard_normal(n) > 0, 1, -1)


def opposite_pair(n: int) -> tuple[Rows, Rows]:
    """One row changes from pulling along +x to pulling along −x, while the others hardly pull at all."""
    X, y = np.zeros((n, 2)), np.where(np.arange(n) % 2, 1, -1)
    tables = []
    for side in (1.0, -1.0):
        X[0], y[0] = (side, 0.0), 1
        tables.append(classified(X.copy(), y))
    return tables[0], tables[1]


def mechanism(rows: Rows, kind: str, l2: float = 0.1, budget: Budget | None = None) -> Any:
    return plan_fit(Shape.of(rows), FitRequest(Logistic(), l2), budget or Pure(1.0), kind).mechanism


def recorder() -> RecordedEntropy:
    return RecordedEntropy(SystemEntropy())
