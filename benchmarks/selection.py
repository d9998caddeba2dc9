"""Private selection of λ: area under the ROC curve against ε, after Chaudhuri and Vinterbo (2013).

`python -m benchmarks selection` for a quick look, `--full` for ten times ten folds. Ten values of λ from 0.0001 to 1 in
equal ratios; every method may spend the same ε in all. Control is not private: it fits without noise and chooses by
the same score on the same held-out rows. "no search" is one fit with the λ that follows from n, d and ε.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

from benchmarks import data, parts
from benchmarks.peers import logistic
from tacit import Domain, PrivateLogisticRegression, PrivateSearch, Pure
from tacit.domain import CLASSIFICATION, table_encoding
from tacit.estimators.search_methods import METHODS, SearchRequest
from tacit.losses import Logistic
from tacit.mechanisms.choice import FitRequest, plan_fit
from tacit.mechanisms.problem import Shape
from tacit.mechanisms.selection.candidates import Candidate, no_progress
from tacit.mechanisms.selection.scores import Ramp
from tacit.mechanisms.selection.split import public_parts, validation_size
from tacit.noise import SystemEntropy
from tacit.rows import Rows, linear_scores, open_rows

EPSILONS = (0.3, 0.5, 1.0, 2.0, 3.0, 5.0)
LAMBDAS = tuple(float(l2) for l2 in np.geomspace(0.0001, 1.0, 10))
VALIDATION = 0.2
SHARES = {
    "stability": (0.75, 0.25),
    "split-data": (1.0, 1.0),
    "split-budget": (1.0, 1.0),
    "random": (1.0, 1.0),
    "random-stopping": (0.5, 0.5),
}
"""What of ε goes to one fit and to the choice, so that the whole costs ε; for stability see `selection_settings`."""

Record = dict[str, Any]


def run(quick: bool = True) -> list[Record]:
    """One record a table, method and ε, and one for the time of a search."""
    repeats, folds = (1, 2) if quick else (10, 10)
    records: list[Record] = []
    for name in ("magic", "adult"):
        try:
            data.load(name)
        except data.Missing as reason:
            print(f"selection: {name} left out: {reason}")
            continue
        draws = [draw for repeat in range(repeats) for draw in _draws(name, repeat, folds, kept=not quick)]
        records += [_record(name, draws, *cell) for cell in dict.fromkeys((d["method"], d["epsilon"]) for d in draws)]
    return [*records, search_time()]


def measure(name: str, repeat: int, folds: int) -> list[Record]:
    """AUC of every method at every ε on `folds` of ten folds."""
    return [draw for fold in folds_of(name, repeat, folds) for draw in fold.draws()]


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
        for place, method in enumerate((*SHARES, "no search")):
            mine = [r for r in records if r["table"] == name and r["method"] == method]
            jitter = 1 + 0.02 * (place - 2)
            axis.errorbar(
                [r["epsilon"] * jitter for r in mine],
                [r["auc"] for r in mine],
                [2 * r["error"] for r in mine],
                marker="o",
                markersize=3,
                linewidth=1,
                color="black" if method == "no search" else f"C{place}",
                linestyle="--" if method == "no search" else "-",
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


class Fold:
    """Encoded training and test rows of one fold: opened once, searched by every method at every ε."""

    def __init__(self, name: str, train: np.ndarray, test: np.ndarray) -> None:
        table = data.load(name)
        target, everything = table.schema.target, np.eye(table_encoding(table.schema, CLASSIFICATION).width)
        parts_of_table = table.frame.iloc[train], table.frame.iloc[test]
        self.labels, truth = (2.0 * target.encode(part[target.name].to_numpy()) - 1 for part in parts_of_table)
        self.truth = truth > 0
        self.encoded, self.test = (
            linear_scores(part, everything, table.schema, CLASSIFICATION) for part in parts_of_table
        )
        self.rows: Rows = open_rows(
            parts_of_table[0], parts_of_table[0][target.name], table.schema, CLASSIFICATION
        ).one_vs_rest(1)

    def draws(self) -> Iterator[Record]:
        """One record a method and ε."""
        yield self._control()
        for epsilon in EPSILONS:
            for method in SHARES:
                yield self._searched(method, epsilon)
            yield self._without_search(epsilon)

    def request(self, privacy: Pure, select_privacy: Pure, lambdas: Sequence[float] = LAMBDAS) -> SearchRequest:
        """A search over the grid, scored by the default ramp."""
        return SearchRequest(
            candidates=tuple(Candidate(f"l2={l2:g}", partial(_planned, l2)) for l2 in lambdas),
            requests=tuple(FitRequest(Logistic(), l2) for l2 in lambdas),
            score=Ramp(),
            whole=Shape.of(self.rows),
            privacy=privacy,
            select_privacy=select_privacy,
            validation=VALIDATION,
            watch=no_progress,
        )

    def auc(self, theta: np.ndarray) -> float:
        """On the test rows."""
        return float(roc_auc_score(self.truth, self.test @ theta))

    def _searched(self, method: str, epsilon: float) -> Record:
        fit, choice = (Pure(share * epsilon) for share in SHARES[method])
        search = METHODS[method](self.request(fit, choice))
        assert search.charge.epsilon <= epsilon * (1 + 1e-9)
        release = search(self.rows, SystemEntropy())
        return self._draw(method, epsilon, release.theta, float(release.statistics["chosen"][0]))

    def _without_search(self, epsilon: float) -> Record:
        plan = _planned(None, Shape.of(self.rows), Pure(epsilon))
        return self._draw("no search", epsilon, plan(self.rows, SystemEntropy()).theta, None)

    def _control(self) -> Record:
        """Without privacy: the λ that scores best on the held-out rows, fitted on all rows."""
        held_out = validation_size(len(self.labels), VALIDATION)
        training, validation = public_parts(len(self.labels), [len(self.labels) - held_out, held_out])
        part = logistic.Prepared(self.encoded[training], self.labels[training])
        thetas = [part.minimiser(l2) for l2 in LAMBDAS]
        scores = [-Ramp()(self.encoded[validation] @ theta, self.labels[validation]).mean() for theta in thetas]
        best = int(np.argmax(scores))
        theta = logistic.Prepared(self.encoded, self.labels).minimiser(LAMBDAS[best])
        return self._draw("control", np.inf, theta, float(best))

    def _draw(self, method: str, epsilon: float, theta: np.ndarray, index: float | None) -> Record:
        return {"method": method, "epsilon": epsilon, "auc": self.auc(theta), "index": index}


def _draws(name: str, repeat: int, folds: int, *, kept: bool) -> list[Record]:
    work = partial(measure, name, repeat, folds)
    return parts.once("selection", f"{name} {repeat}", work) if kept else work()


def folds_of(name: str, repeat: int, folds: int) -> Iterator[Fold]:
    """The first folds of ten, in an order that depends on the repeat."""
    order = np.random.default_rng(repeat).permutation(len(data.load(name).frame))
    pieces = np.array_split(order, 10)
    for fold in range(folds):
        others = np.concatenate([piece for place, piece in enumerate(pieces) if place != fold])
        yield Fold(name, others, pieces[fold])


def _planned(l2: float | None, shape: Shape, budget: Any) -> Any:
    return plan_fit(shape, FitRequest(Logistic(), l2), budget, "auto").mechanism


def _record(name: str, draws: list[Record], method: str, epsilon: float) -> Record:
    values, control, rival = (
        np.array([d["auc"] for d in draws if (d["method"], d["epsilon"]) == cell])
        for cell in ((method, epsilon), ("control", np.inf), ("stability", epsilon))
    )
    ahead = rival - values if len(rival) else np.zeros_like(values)
    indices = [d["index"] for d in draws if (d["method"], d["epsilon"]) == (method, epsilon)]
    return {
        "table": name,
        "method": method,
        "epsilon": epsilon,
        "auc": float(values.mean()),
        "error": _standard_error(values),
        "index": None if indices[0] is None else float(np.mean(indices)),
        "below control": float(control.mean() - values.mean()),
        "stability ahead by": float(ahead.mean()),
        "error of that": _standard_error(ahead),
        "runs": len(values),
    }


def _standard_error(values: np.ndarray) -> float:
    return float(values.std(ddof=1) / np.sqrt(len(values)))


def _seconds(model: Any, X: np.ndarray, y: np.ndarray) -> float:
    started = time.perf_counter()
    model.fit(X, y)
    return time.perf_counter() - started
