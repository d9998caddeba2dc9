"""The tables of the accuracy-first benchmark.

Rows are scaled by public bounds and clipped to an ℓ1 ball, not scaled by their own maximum as in Ligett et al. (2017).
Their Twitter table is not to be had in full; a synthetic table with as many columns takes its place.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from benchmarks import data
from tacit import Domain, Schema
from tacit.domain import CLASSIFICATION, REGRESSION
from tacit.losses import Logistic, Loss, Squared
from tacit.mechanisms.accuracy.plan import AccuracyProblem
from tacit.mechanisms.problem import Shape
from tacit.rows import Rows, open_rows

L2 = 0.005
N, L1_RADIUS = 100_000, 6.0


@dataclass(frozen=True)
class Setting:
    """A table, its loss, and the arrays that scikit-learn is given."""

    name: str
    rows: Rows
    loss: Loss
    X: np.ndarray | None = None
    y: np.ndarray | None = None
    l1_radius: float = L1_RADIUS

    def question(self, radius: float | None = None) -> AccuracyProblem:
        return AccuracyProblem(Shape.of(self.rows), self.loss, L2, radius, "auto")


def settings() -> Iterator[Setting]:
    """KDD99 with both losses, a synthetic table, and Adult; a table that is not there is left out, with a reason."""
    yield synthetic_ridge()
    try:
        X, attack = kdd99()
        ball = Domain(norm="l1", radius=L1_RADIUS)
        flat = replace(REGRESSION, constant=None)
        yield Setting("kdd99 ridge", open_rows(X, 2.0 * attack - 1, ball, flat), Squared(), X, 2.0 * attack - 1)
        labels = replace(ball, classes=(0, 1))
        rows = open_rows(X, attack, labels, replace(CLASSIFICATION, constant=None)).one_vs_rest(1)
        yield Setting("kdd99 logistic", rows, Logistic(), X, attack)
        adult = data.load("adult")
        rows = open_rows(adult.frame, None, adult.schema, CLASSIFICATION).one_vs_rest(1)
        yield Setting("adult logistic", rows, Logistic())
    except data.Missing as reason:
        print(f"left out: {reason}")


def kdd99() -> tuple[np.ndarray, np.ndarray]:
    """100,000 connections: the 38 numeric columns on [0, 1] by the bounds of the schema; 1 for an attack."""
    frame = data.connections().sample(N, random_state=0)
    attack = (frame["label"].astype(str) != "normal").to_numpy().astype(int)
    for column in ("duration", "src_bytes", "dst_bytes"):
        frame[column] = np.log1p(frame[column].astype(float))
    features = Schema.load(data.SCHEMAS / "kdd99.yaml").features
    numbers = [name for name in frame.columns if hasattr(features.get(name), "max")]
    flags = [
        name for name in frame.columns if name in features and name not in numbers and frame[name].dtype.kind in "iuf"
    ]
    scaled = [
        np.clip((frame[c].astype(float) - features[c].min) / (features[c].max - features[c].min), 0, 1) for c in numbers
    ]
    return np.column_stack([*scaled, *(frame[c].astype(float) for c in flags)]), attack


def synthetic_ridge(seed: int = 3) -> Setting:
    """77 columns in the ℓ1 ball, weights of very different size, a signal that explains most of y."""
    rng = np.random.default_rng(seed)
    X = rng.exponential(size=(N, 77)) * rng.random(77) ** 3
    X /= np.abs(X).sum(axis=1, keepdims=True)
    score = X @ (3 * rng.standard_normal(77)) + 0.5
    y = np.clip(score + 0.2 * rng.standard_normal(N), -1, 1)
    rows = open_rows(X, y, Domain(norm="l1"), replace(REGRESSION, constant=None))
    return Setting("synthetic ridge", rows, Squared(), X, y, 1.0)
