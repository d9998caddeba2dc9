"""Small tables, and a search on them."""

from dataclasses import replace

import numpy as np

from tacit.domain import CLASSIFICATION, REGRESSION, Domain
from tacit.losses import HuberHinge, Logistic, Squared
from tacit.mechanisms.accuracy.plan import AccuracyProblem
from tacit.mechanisms.problem import Shape
from tacit.rows import open_rows

LOSSES = {"squared": Squared(), "logistic": Logistic(), "huber": HuberHinge(0.5)}


def rows_of(X, y, loss):
    """Rows in the ℓ2 unit ball without an intercept; y in [−1, 1], or ±1 for a classifier."""
    if isinstance(loss, Squared):
        return open_rows(X, y, Domain(), replace(REGRESSION, constant=None))
    domain = Domain(classes=(-1, 1))
    return open_rows(X, y.astype(int), domain, replace(CLASSIFICATION, constant=None)).one_vs_rest(1)


def table(loss, n=2000, d=3, seed=0):
    """A table with a clear signal."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    score = X @ np.linspace(1.0, -0.5, d) + 0.1 * rng.normal(size=n)
    y = np.clip(score, -1, 1) if isinstance(loss, Squared) else np.where(score > 0, 1.0, -1.0)
    return rows_of(X, y, loss)


def question(rows, loss, l2=0.05, radius=None, mechanism="auto"):
    return AccuracyProblem(Shape.of(rows), loss, l2, radius, mechanism)
