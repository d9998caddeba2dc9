"""How good are private fits? tacit with its defaults beside published algorithms, on real tables with public bounds.

`python -m benchmarks utility` for a quick look, `--full` for the long table. Every method gets the same training rows,
encoded by the same public declaration; pure ε is compared with pure ε, (ε, δ) with (ε, δ), δ = 1e-6. Neighbours differ
by one replaced row, except in the line marked add/remove, which promises less.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit
from sklearn.metrics import roc_auc_score

from benchmarks import data, parts
from benchmarks.peers import adassp, environment, functional, logistic
from benchmarks.utility_plot import plot
from tacit import Approx, PrivateLogisticRegression, PrivateRidge, Pure, Schema
from tacit.domain import CLASSIFICATION, REGRESSION, Geometry, table_encoding
from tacit.privacy import Budget
from tacit.rows import linear_scores

__all__ = ["main", "plot", "run"]

EPSILONS = (0.1, 0.3, 1.0, 3.0)
DELTA = 1e-6
SMALLEST_PROBABILITY = 1e-300
CLASSIFICATIONS = ("adult", "kdd99", "bank", "magic", "pensions", "loans")
FRESH = (
    "mothers-at-work",
    "wives-at-work",
    "college-degrees",
    "family-planning",
    "rearrests",
    "doctor-visits",
    "marriages",
    "happiness",
)
"""Tables that no setting of the library was chosen on; no peers are run on them."""
REGRESSIONS = ("warfarin", "wages", "pension-income", "pension-wealth", "births", "adult-hours")
SPLIT_SEED = {"regression": 5, "classification": 7}

REQUIRED = {
    ("adult", "pure", "accuracy"): (0.826, 0.840, 0.848, 0.850),
    ("adult", "approximate", "accuracy"): (0.829, 0.843, 0.848, 0.850),
    ("bank", "pure", "auc"): (0.79, 0.87, 0.89, 0.90),
    ("bank", "approximate", "auc"): (0.84, 0.89, 0.90, 0.90),
    ("kdd99", "approximate", "accuracy"): (0.985, 0.988, 0.990, 0.992),
    ("warfarin", "pure", "mse_ratio"): (None, None, 1.22, 1.08),
    ("warfarin", "approximate", "mse_ratio"): (None, 1.40, 1.13, 1.06),
    ("synthetic 100000x38", "approximate", "r2"): (0.90, None, 0.95, None),
}

Record = dict[str, Any]
Theta = np.ndarray


@dataclass(frozen=True)
class Predicted:
    """What a fit says of the test rows: scores in encoded units, and of classes the probability of the positive one."""

    scores: np.ndarray
    probability: np.ndarray | None = None


Fits = list[list[Predicted]]
"""For each ε the fits of all seeds."""


@dataclass(frozen=True)
class Task:
    """One table, split once: raw frames for tacit, the same rows encoded for the peers."""

    name: str
    train: pd.DataFrame
    test: pd.DataFrame
    schema: Schema
    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray

    @classmethod
    def of(cls, name: str, frame: pd.DataFrame, schema: Schema, geometry: Geometry, seed: int) -> Task:
        train, test = data.Table(frame, schema).split(seed)
        everything = np.eye(table_encoding(schema, geometry).width)
        encoded = [linear_scores(part, everything, schema, geometry) for part in (train, test)]
        outcomes = [schema.target.encode(part[schema.target.name].to_numpy()) for part in (train, test)]
        if schema.target.classes is not None:
            outcomes = [2 * codes - 1 for codes in outcomes]
        return cls(name, train, test, schema, encoded[0], outcomes[0], encoded[1], outcomes[1])


def run(quick: bool = True) -> list[Record]:
    """One record a table, method and ε: mean, standard error, what is required."""
    records: list[Record] = []
    for name, work in _parts(quick):
        try:
            records += work() if quick else parts.once("utility", name, work)
        except data.Missing as reason:
            print(f"utility: {name} left out: {reason}")
    _report_losses(records)
    return records


def _parts(quick: bool) -> Iterator[tuple[str, Callable[[], list[Record]]]]:
    for name in ("adult", "kdd99", "pensions") if quick else (*CLASSIFICATIONS, *FRESH):
        yield name, partial(_classification, name, 3 if quick else 20)
    for name in ("warfarin", "pension-wealth") if quick else REGRESSIONS:
        yield name, partial(_regression, name, 20 if quick else 50)
    yield "synthetic", partial(_synthetic, 100_000, 38, 3 if quick else 20)


def _classification(name: str, seeds: int) -> list[Record]:
    table = data.load(name)
    task = Task.of(name, table.frame, table.schema, CLASSIFICATION, SPLIT_SEED["classification"])
    seeds = seeds if len(task.y) > 20_000 else 10 * seeds
    exact = logistic.Prepared(task.X, task.y).minimiser(1e-6)
    floor = _classified(task, _by(task, exact))
    records = [_record(task, "not private", "none", np.inf, [floor], floor)]
    for method, currency, fits in _classifiers(task, seeds):
        for epsilon, found in zip(EPSILONS, fits, strict=True):
            records.append(_record(task, method, currency, epsilon, [_classified(task, fit) for fit in found], floor))
        print(f"utility: {name}, {method} done", flush=True)
    return records


def _classifiers(task: Task, seeds: int) -> Iterator[tuple[str, str, Fits]]:
    for currency in ("pure", "approximate"):
        yield "tacit", currency, _tacit(task, currency, seeds)
    if task.name in FRESH:
        return
    rows = (logistic.Prepared(task.X, task.y),)
    for l2 in (1e-3, 1e-4):
        fit = partial(logistic.objective_perturbation, l2=l2)
        yield f"objective perturbation, l2 = {l2:g}", "pure", _repeated(task, fit, rows, seeds)
    yield "AMP", "approximate", _repeated(task, partial(logistic.approximate_minima, delta=DELTA), rows, seeds)
    yield "functional mechanism", "pure", _repeated(task, logistic.functional, rows, seeds)
    for C in (1.0, 0.01):
        yield from _diffprivlib(task, "logistic", seeds, f"diffprivlib, C = {C:g}", {"C": C})


def _regression(name: str, seeds: int) -> list[Record]:
    table = data.load(name)
    task = Task.of(name, table.frame, table.schema, REGRESSION, SPLIT_SEED["regression"])
    floor = {"mse_ratio": 1.0}
    best = _least_squares_error(task)
    mean = float(np.mean((task.y_test - task.y.mean()) ** 2)) / best
    records = [_record(task, "predict the mean", "none", np.inf, [{"mse_ratio": mean}], floor)]
    for method, currency, fits in _regressors(task, seeds):
        for epsilon, found in zip(EPSILONS, fits, strict=True):
            scores = [{"mse_ratio": float(np.mean((fit.scores - task.y_test) ** 2)) / best} for fit in found]
            records.append(_record(task, method, currency, epsilon, scores, floor))
        print(f"utility: {name}, {method} done", flush=True)
    return records


def _regressors(task: Task, seeds: int) -> Iterator[tuple[str, str, Fits]]:
    for currency in ("pure", "approximate"):
        yield "tacit", currency, _tacit(task, currency, seeds)
    rows = (task.X, task.y)
    yield "AdaSSP", "approximate", _repeated(task, partial(adassp.adassp, delta=DELTA), rows, seeds)
    weaker = partial(adassp.adassp, delta=DELTA, replace_one=False)
    yield "AdaSSP, add/remove", "approximate, add/remove", _repeated(task, weaker, rows, seeds)
    yield "functional mechanism", "pure", _repeated(task, functional.linear_regression, rows, seeds)
    yield from _diffprivlib(task, "linear", seeds, "diffprivlib", {})


def _synthetic(rows: int, columns: int, seeds: int) -> list[Record]:
    """R² on fresh rows; a table without categories, so the array goes in as it is."""
    X, y, schema = data.synthetic(rows + 20_000, columns)
    records = []
    for epsilon in EPSILONS:
        found = []
        for _ in range(seeds):
            model = PrivateRidge(privacy=Approx(epsilon, DELTA), domain=schema).fit(X[:rows], y[:rows])
            found.append(float(model.score(X[rows:], y[rows:])))
        record = {"data": f"synthetic {rows}x{columns}", "n": rows, "d": columns + 1, "method": "tacit"}
        record |= {"currency": "approximate", "epsilon": epsilon, "seeds": seeds} | _spread("r2", found)
        records.append(_with_requirement(record))
    return records


def _tacit(task: Task, currency: str, seeds: int) -> Fits:
    """Fits of the estimators with all defaults."""
    budgets = [Pure(e) if currency == "pure" else Approx(e, DELTA) for e in EPSILONS]
    return [[_fitted(task, budget) for _ in range(seeds)] for budget in budgets]


def _fitted(task: Task, budget: Budget) -> Predicted:
    if task.schema.target.classes is None:
        ridge = PrivateRidge(privacy=budget, domain=task.schema).fit(task.train)
        target = task.schema.outcome
        return Predicted((ridge.predict(task.test) - target.offset) / target.scale)
    model = PrivateLogisticRegression(privacy=budget, domain=task.schema).fit(task.train)
    return Predicted(model.decision_function(task.test), model.predict_proba(task.test)[:, 1])


def _by(task: Task, theta: Theta) -> Predicted:
    scores = task.X_test @ theta
    return Predicted(scores, expit(scores))


def _repeated(task: Task, fit: Callable[..., Theta], rows: tuple[Any, ...], seeds: int) -> Fits:
    """A peer's fits."""
    return [[_by(task, fit(*rows, epsilon, np.random.default_rng(k))) for k in range(seeds)] for epsilon in EPSILONS]


def _diffprivlib(
    task: Task, kind: str, seeds: int, method: str, options: dict[str, Any]
) -> Iterator[tuple[str, str, Fits]]:
    if not environment.has_diffprivlib():
        print(f"utility: {method} left out: no environment for it; make one with python -m benchmarks.peers")
        return
    request = {"task": kind, "epsilons": EPSILONS, "seeds": seeds, "options": options}
    found = environment.diffprivlib(task.X, task.y, request)
    yield method, "pure", [[_by(task, theta) for theta in thetas] for thetas in found]


def _classified(task: Task, fit: Predicted) -> dict[str, float]:
    """risk: the mean logarithmic loss of the stated probabilities."""
    positive = task.y_test > 0
    likelihood = np.where(positive, fit.probability, 1 - fit.probability)
    return {
        "accuracy": float(np.mean((fit.scores > 0) == positive)),
        "auc": float(roc_auc_score(positive, fit.scores)),
        "risk": float(-np.mean(np.log(np.maximum(likelihood, SMALLEST_PROBABILITY)))),
    }


def _least_squares_error(task: Task) -> float:
    """Test error of ordinary least squares on the same columns without clipping."""
    geometry = Geometry(clip=None)
    everything = np.eye(task.X.shape[1])
    raw, raw_test = (linear_scores(part, everything, task.schema, geometry) for part in (task.train, task.test))
    theta = np.linalg.lstsq(raw, task.y, rcond=None)[0]
    return float(np.mean((raw_test @ theta - task.y_test) ** 2))


def _record(
    task: Task, method: str, currency: str, epsilon: float, scores: list[dict[str, float]], floor: dict[str, float]
) -> Record:
    record: Record = {"data": task.name, "n": len(task.y), "d": task.X.shape[1], "method": method}
    record |= {"currency": currency, "epsilon": epsilon, "seeds": len(scores)}
    for metric in scores[0]:
        values = [score[metric] - floor[metric] if metric == "risk" else score[metric] for score in scores]
        record |= _spread("excess_risk" if metric == "risk" else metric, values)
    return _with_requirement(record)


def _spread(metric: str, values: list[float]) -> Record:
    error = float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0
    return {metric: float(np.mean(values)), f"{metric}_se": error, f"{metric}_median": float(np.median(values))}


def _with_requirement(record: Record) -> Record:
    for (table, currency, metric), marks in REQUIRED.items():
        if (record["data"], record["currency"], record["method"]) == (table, currency, "tacit"):
            mark = marks[EPSILONS.index(record["epsilon"])]
            if mark is not None:
                reached = record[metric] <= mark if metric == "mse_ratio" else record[metric] >= mark
                record |= {"required": mark, "of": metric, "reached": bool(reached)}
    return record


def _report_losses(records: list[Record]) -> None:
    """Say where a peer under the same promise is better by more than two standard errors."""
    for record in records:
        if record["method"] in ("tacit", "not private", "predict the mean"):
            continue
        same = [
            r
            for r in records
            if r["method"] == "tacit"
            and all(r[k] == record[k] for k in ("data", "epsilon"))
            and record["currency"] == r["currency"]
        ]
        for ours in same:
            for metric, sign in (("accuracy", 1), ("auc", 1), ("excess_risk", -1), ("mse_ratio", -1)):
                if metric in ours:
                    gap = sign * (record[metric] - ours[metric])
                    if gap > 2 * np.hypot(record[f"{metric}_se"], ours[f"{metric}_se"]):
                        print(
                            f"utility: {record['method']} is better on {record['data']}, ε = {record['epsilon']:g}, "
                            f"{metric}: {record[metric]:.4f} against {ours[metric]:.4f}"
                        )


def main() -> None:
    """Print the quick table."""
    print(pd.DataFrame(run()).to_string())


if __name__ == "__main__":
    main()
