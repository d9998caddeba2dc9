"""Accuracy of private sparse models on real tables, beside the published settings and the LASSO without privacy.

What is declared is public: cells are 0 or 1, and there are two labels. Settings are the defaults and the same for all
tables and every ε, with an intercept; nothing is chosen on these tables. (The default radius was, long ago, on IMDB;
so two other radii stand beside it.)
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from benchmarks.sparse.tables import Split, molecules, reviews, web_pages, words
from tacit import Approx, Domain, PrivateLasso
from tacit.domain import Geometry
from tacit.mechanisms.lasso.frank_wolfe import VertexFrankWolfe, expanded
from tacit.mechanisms.lasso.l1_problem import L1Problem
from tacit.mechanisms.lasso.loss import ClippedLogistic
from tacit.mechanisms.lasso.schedule import SCHEDULES
from tacit.mechanisms.problem import Shape
from tacit.noise import SystemEntropy
from tacit.rows import open_rows

DELTA = 1e-6
EPSILONS = (0.5, 1.0, 3.0)
LABELS = Domain("linf", classes=(-1, 1))
DECLARED: dict[str, Any] = {"nonnegative": True, "fit_intercept": True}
BARE = Geometry(constant=None)
Record = dict[str, Any]


@dataclass(frozen=True)
class Task:
    """A table, what is measured on it, and what has to be reached at ε = 0.5, 1 and 3."""

    name: str
    split: Callable[[int], Split]
    measure: str
    required: tuple[float | None, ...]
    lasso_penalty: float
    splits: int  # of a full run: so many that standard errors are near 0.003; Dorothea has one, which is fitted anew


TASKS = (
    Task("imdb", reviews, "accuracy", (0.68, 0.72, 0.76), 0.1, 12),
    Task("w8a", web_pages, "AUC", (0.74, 0.77, 0.86), 1.0, 80),
    Task("dorothea", molecules, "AUC", (None, None, None), 1.0, 24),
)


class Weights:
    """The few things that are asked of a model here, for coefficients from elsewhere."""

    def __init__(self, coef: Any, steps: int) -> None:
        self.coef_, self.steps_ = coef, steps

    def decision_function(self, X: Any) -> Any:
        return X @ self.coef_


def accuracy(task: Task, quick: bool) -> Iterator[Record]:
    """Every method at every ε."""
    splits = 3 if quick else task.splits
    few = 1 if quick else 6
    for epsilon, required in zip(EPSILONS, task.required, strict=True):
        ours = partial(fitted, epsilon=epsilon, **DECLARED)
        yield _record(task, epsilon, "PrivateLasso", ours, splits, required)
        signed = partial(fitted, epsilon=epsilon, fit_intercept=True)
        yield _record(task, epsilon, "PrivateLasso, signs of cells not declared", signed, splits)
        for radius in () if quick else (10.0, 40.0):
            yield _record(task, epsilon, f"PrivateLasso, radius {radius:g}", partial(ours, radius=radius), few)
        if not quick or epsilon == 1:
            published = partial(_published, epsilon=epsilon)
            yield _record(task, epsilon, "published settings, sound", published, 1 if task.name == "imdb" else few)
    yield _record(task, math.inf, "LASSO without privacy", partial(_not_private, penalty=task.lasso_penalty), 1)


def chosen_words(quick: bool) -> Iterator[Record]:
    """The largest coefficients of one fit to IMDB at ε = 1."""
    X, y, _, _ = reviews(0)
    chosen = fitted(X, y, 1.0, **DECLARED).coefficients(words())
    for word in chosen.head(16).itertuples():
        yield {"part": "words", "case": word.feature, "method": "PrivateLasso", "value": word.coefficient}


def fitted(X: Any, y: Any, epsilon: float, **options: Any) -> PrivateLasso:
    """A private sparse classifier."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return PrivateLasso(loss="logistic", privacy=Approx(epsilon, DELTA), domain=LABELS, **options).fit(X, y)


def _published(X: Any, y: Any, epsilon: float) -> Weights:
    """γ = 2/(t + 1), T = (nε)^(2/3), unclipped slope, radius 10; selections with sound constants."""
    rows = open_rows(X, y, LABELS, BARE).one_vs_rest(1)
    steps = min(round((rows.n * epsilon) ** (2 / 3)), 2000)
    problem = L1Problem(Shape.of(rows), ClippedLogistic(1.0), 10.0)
    budget = Approx(epsilon, DELTA).additive()
    fit = VertexFrankWolfe(problem, budget, steps, SCHEDULES["frank-wolfe"])
    return Weights(expanded(fit(rows, SystemEntropy()), rows.width), steps)


def _not_private(X: Any, y: Any, penalty: float) -> LogisticRegression:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn renames the ℓ1 option from version to version
        return LogisticRegression(penalty="l1", solver="liblinear", C=penalty).fit(X, y)


def _measured(measure: str, model: Any, X: Any, y: Any) -> float:
    scores = model.decision_function(X)
    return float(np.mean((scores > 0) == (y > 0))) if measure == "accuracy" else float(roc_auc_score(y, scores))


def _record(
    task: Task,
    epsilon: float,
    method: str,
    fit: Callable[[Any, Any], Any],
    splits: int,
    required: float | None = None,
) -> Record:
    values, supports, steps = list[float](), list[int](), None
    for seed in range(splits):
        X, y, X_test, y_test = task.split(seed)
        model = fit(X, y)
        values.append(_measured(task.measure, model, X_test, y_test))
        supports.append(int(np.count_nonzero(np.any(np.atleast_2d(model.coef_), axis=0))))
        steps = getattr(model, "steps_", None)
    return {
        "part": "accuracy",
        "case": task.name,
        "method": method,
        "epsilon": epsilon,
        "measure": task.measure,
        "value": float(np.mean(values)),
        "standard error": float(np.std(values, ddof=1) / math.sqrt(splits)) if splits > 1 else None,
        "splits": splits,
        "steps": steps,
        "support": float(np.mean(supports)),
        "required": required,
    }
