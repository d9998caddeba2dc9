"""Private selection of λ: area under the ROC curve against ε, after Chaudhuri and Vinterbo (2013).

`python -m benchmarks selection` for a quick look, `--full` for ten times ten folds. Ten values of λ from 0.001 to 1, in
equal ratios; every method may spend the same ε in all. Control is not private: it fits without noise and chooses by
the same score on the same held-out rows.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score

from benchmarks import data
from benchmarks.peers import logistic
from tacit import Domain, PrivateLogisticRegression, PrivateSearch, Schema
from tacit.domain import CLASSIFICATION, table_encoding
from tacit.mechanisms.selection.scores import Ramp
from tacit.mechanisms.selection.split import public_parts, validation_size
from tacit.rows import linear_scores

EPSILONS = (0.3, 0.5, 1.0, 2.0, 3.0, 5.0)
LAMBDAS = tuple(float(l2) for l2 in np.geomspace(0.001, 1.0, 10))
CANDIDATES = [{"l2": l2} for l2 in LAMBDAS]
VALIDATION = 0.2
SHARES = {"stability": 0.5, "split-data": 1.0, "split-budget": 1.0, "random": 1.0, "random-stopping": 0.5}
"""What of ε goes to one fit and to the choice, so that the whole costs ε."""

Record = dict[str, Any]


def run(quick: bool = True) -> list[Record]:
    """One record a table, method and ε, and one for the time of a search."""
    plans = {"magic": (1, 4), "adult": (1, 2)} if quick else {"magic": (10, 10), "adult": (10, 10)}
    records: list[Record] = []
    for name, (repeats, folds) in plans.items():
        try:
            records += measure(name, repeats, folds)
        except data.Missing as reason:
            print(f"selection: {name} left out: {reason}")
    return [*records, search_time()]


def measure(name: str, repeats: int, folds: int, epsilons: tuple[float, ...] = EPSILONS) -> list[Record]:
    """AUC on `folds` of ten folds, `repeats` times."""
    table = data.load(name)
    found: dict[tuple[str, float], list[tuple[float, int]]] = {}
    for train, test in _folds(table.frame, repeats, folds):
        truth = (table.schema.target.encode(test[table.schema.target.name].to_numpy()) == 1).astype(int)
        found.setdefault(("control", np.inf), []).append(_control(train, test, table.schema, truth))
        for epsilon in epsilons:
            for method, share in SHARES.items():
                search = PrivateSearch(
                    PrivateLogisticRegression(privacy=share * epsilon, domain=table.schema),
                    CANDIDATES,
                    select_privacy=share * epsilon,
                    method=method,
                    validation=VALIDATION,
                ).fit(train)
                assert search.certificate_.guarantee.epsilon <= epsilon * (1 + 1e-9)
                auc = roc_auc_score(truth, search.decision_function(test))
                found.setdefault((method, epsilon), []).append((auc, search.best_index_))
    return [_record(name, method, epsilon, draws, found) for (method, epsilon), draws in found.items()]


def search_time(rows: int = 30_000, columns: int = 100, candidates: int = 20) -> Record:
    """How many fits a search over twenty candidates takes."""
    rng = np.random.default_rng(3)
    X = rng.uniform(-1, 1, (rows, columns)) / np.sqrt(columns)
    y = (X @ rng.standard_normal(columns) + 0.3 * rng.logistic(size=rows) > 0).astype(int)
    model = PrivateLogisticRegression(domain=Domain(classes=(0, 1)), l2=0.01)
    settings = [{"l2": float(l2)} for l2 in np.geomspace(0.001, 1.0, candidates)]
    one = min(_seconds(model, X, y) for _ in range(5))
    whole = min(_seconds(PrivateSearch(model, settings), X, y) for _ in range(2))
    return {"table": f"time, {rows:,} x {columns}", "method": f"stability, k = {candidates}", "fits": whole / one}


def plot(records: list[Record], directory: Path) -> None:
    """AUC against ε for each table, with two standard errors."""
    import matplotlib.pyplot as plt

    tables = list(dict.fromkeys(r["table"] for r in records if r.get("auc") is not None))
    figure, axes = plt.subplots(1, len(tables), figsize=(4.6 * len(tables), 3.4), layout="constrained", squeeze=False)
    for axis, name in zip(axes[0], tables, strict=True):
        for place, method in enumerate(SHARES):
            mine = [r for r in records if r["table"] == name and r["method"] == method]
            jitter = 1 + 0.02 * (place - 2)
            axis.errorbar(
                [r["epsilon"] * jitter for r in mine],
                [r["auc"] for r in mine],
                [2 * r["error"] for r in mine],
                marker="o",
                markersize=3,
                linewidth=1,
                label=method,
            )
        (control,) = [r["auc"] for r in records if r["table"] == name and r["method"] == "control"]
        axis.axhline(control, color="grey", linestyle=":", label="control, not private")
        axis.set(title=name, xlabel="ε of the whole search", ylabel="area under the ROC curve", xscale="log")
        axis.set_xticks(EPSILONS, [f"{e:g}" for e in EPSILONS], minor=False)
        axis.minorticks_off()
    axes[0][0].legend(frameon=False, fontsize=7)
    figure.savefig(directory / "selection.png", dpi=110)
    plt.close(figure)


def _folds(frame: pd.DataFrame, repeats: int, folds: int) -> Iterator[tuple[pd.DataFrame, pd.DataFrame]]:
    for repeat in range(repeats):
        parts = np.array_split(np.random.default_rng(repeat).permutation(len(frame)), 10)
        for fold in range(folds):
            others = np.concatenate([part for place, part in enumerate(parts) if place != fold])
            yield frame.iloc[others], frame.iloc[parts[fold]]


def _control(train: pd.DataFrame, test: pd.DataFrame, schema: Schema, truth: np.ndarray) -> tuple[float, int]:
    """Without privacy: the λ that scores best on the held-out rows, fitted on all rows."""
    everything = np.eye(table_encoding(schema, CLASSIFICATION).width)
    X, X_test = (linear_scores(part, everything, schema, CLASSIFICATION) for part in (train, test))
    y = 2.0 * schema.target.encode(train[schema.target.name].to_numpy()) - 1
    held_out = validation_size(len(y), VALIDATION)
    training, validation = public_parts(len(y), [len(y) - held_out, held_out])
    part = logistic.Prepared(X[training], y[training])
    thetas = [part.minimiser(l2) for l2 in LAMBDAS]
    scores = [-Ramp()(X[validation] @ theta, y[validation]).mean() for theta in thetas]
    best = int(np.argmax(scores))
    return roc_auc_score(truth, X_test @ logistic.Prepared(X, y).minimiser(LAMBDAS[best])), best


def _record(name: str, method: str, epsilon: float, draws: list[tuple[float, int]], found: Any) -> Record:
    values = np.array([auc for auc, _ in draws])
    control = np.mean([auc for auc, _ in found["control", np.inf]])
    rival = np.array([auc for auc, _ in found.get(("stability", epsilon), draws)])
    difference = rival - values
    return {
        "table": name,
        "method": method,
        "epsilon": epsilon,
        "auc": float(values.mean()),
        "error": float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0,
        "index": float(np.mean([index for _, index in draws])),
        "below control": float(control - values.mean()),
        "stability ahead by": float(difference.mean()),
        "error of that": float(difference.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0,
        "runs": len(values),
    }


def _seconds(model: Any, X: np.ndarray, y: np.ndarray) -> float:
    started = time.perf_counter()
    model.fit(X, y)
    return time.perf_counter() - started
