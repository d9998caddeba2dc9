"""Private LASSO: accuracy on sparse tables, excess risk against n and p, speed and memory of the fast path.

Settings are the same for every ε. Radius and step rule of w8a, and the default radius of logistic loss, were chosen by
trying a few values on w8a and IMDB themselves: take those rows as what a good public guess reaches. `plain` is the same
algorithm written with a full gradient and a noisy score for every vertex in each step, in numpy and scipy. Times are
of one run on one machine: look at the ratios.
"""

from __future__ import annotations

import math
import os
import sys
import time
import tracemalloc
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from benchmarks.data import Missing
from tacit import Approx, Domain, PrivateLasso
from tacit.domain import Geometry
from tacit.mechanisms.lasso.candidates import SCORE_CHANGE
from tacit.mechanisms.lasso.frank_wolfe import VertexFrankWolfe, expanded, selection_budget
from tacit.mechanisms.lasso.l1_problem import L1Problem
from tacit.mechanisms.lasso.loss import ClippedLogistic, ClippedSquared
from tacit.mechanisms.lasso.schedule import SCHEDULES
from tacit.mechanisms.lasso.sparse_scores import SparseScores
from tacit.mechanisms.lasso.vertex_scores import Walk
from tacit.mechanisms.problem import Shape
from tacit.noise import SystemEntropy
from tacit.rows import Rows, open_rows

DELTA = 1e-6
EPSILONS = (0.5, 1.0, 3.0)
LABELS = Domain("linf", classes=(-1, 1))
BARE = Geometry(constant=None)
Record = dict[str, Any]


def run(quick: bool = False) -> list[Record]:
    """One record a measurement; `part` says what kind."""
    return [*_risk(quick), *_speed(quick), *_accuracy(quick)]


# ---------------------------------------------------------------- accuracy


def reviews(seed: int = 0) -> tuple[Any, Any, Any, Any]:
    """IMDB: which of 89,527 words a review holds; the published split."""
    X = sp.load_npz(_file("imdb/imdb_bow_counts.npz")).tocsr()
    X.data = np.ones(X.nnz)
    meta = pd.read_parquet(_file("imdb/imdb_meta.parquet"))
    train, y = (meta["split"] == "train").to_numpy(), np.where(meta["label"] == 1, 1, -1)
    return X[train], y[train], X[~train], y[~train]


def web_pages(seed: int) -> tuple[Any, Any, Any, Any]:
    """w8a: 300 binary features of web pages, 3 % positive; a random fifth is kept for the test, by seed."""
    X = sp.load_npz(_file("sparse/w8a_X.npz")).astype(float).tocsr()
    y = pd.read_parquet(_file("sparse/w8a_y.parquet"))["y"].to_numpy()
    order = np.random.default_rng(seed).permutation(len(y))
    test, train = order[: len(y) // 5], order[len(y) // 5 :]
    return X[train], y[train], X[test], y[test]


def molecules(seed: int) -> tuple[Any, Any, Any, Any]:
    """Dorothea: 800 molecules, 100,000 binary features, half of them random probes."""
    X = sp.load_npz(_file("sparse/dorothea_X.npz")).astype(float).tocsr()
    table = pd.read_parquet(_file("sparse/dorothea_y.parquet"))
    train, y = (table["split"] == "train").to_numpy(), table["y"].to_numpy()
    return X[train], y[train], X[~train], y[~train]


# name -> (loader, measure, public options, marks to reach at ε = 0.5, 1, 3)
TABLES: dict[str, tuple[Callable[[int], Any], str, Record, tuple[float | None, ...]]] = {
    "imdb": (reviews, "accuracy", {}, (0.68, 0.72, 0.76)),
    "w8a": (web_pages, "AUC", {"fit_intercept": True, "radius": 80.0, "schedule": "uniform"}, (0.74, 0.77, 0.86)),
    "dorothea": (molecules, "AUC", {}, (None, None, None)),
}


def _accuracy(quick: bool) -> Iterator[Record]:
    for name, (load, measure, options, marks) in TABLES.items():
        try:
            splits = [load(seed) for seed in range(3)]
        except Missing as reason:
            print(f"{name} left out: {reason}")
            continue
        for epsilon, mark in zip(EPSILONS, marks, strict=True):
            tried = splits * (1 if quick else 4)
            models = [_fitted(X, y, epsilon, options) for X, y, _, _ in tried]
            yield _scored(name, measure, epsilon, "PrivateLasso", models, tried, mark)
            tried = splits[:1] if quick else splits
            fits = [_published(X, y, epsilon) for X, y, _, _ in tried]
            yield _scored(name, measure, epsilon, "published settings, sound", fits, tried, None)
        yield _not_private(name, measure, splits[0])


def _fitted(X: Any, y: Any, epsilon: float, options: Record) -> PrivateLasso:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return PrivateLasso(loss="logistic", privacy=Approx(epsilon, DELTA), domain=LABELS, **options).fit(X, y)


class _Fit:
    """The few things that are asked of a model here."""

    def __init__(self, coef: Any, steps: int) -> None:
        self.coef_, self.steps_ = coef, steps

    def decision_function(self, X: Any) -> Any:
        return X @ self.coef_


def _published(X: Any, y: Any, epsilon: float) -> _Fit:
    """γ = 2/(t + 1), T = (nε)^(2/3), unclipped slope, radius 10; selections with sound constants."""
    rows = open_rows(X, y, LABELS, BARE).one_vs_rest(1)
    steps = min(round((rows.n * epsilon) ** (2 / 3)), 2000)
    problem = L1Problem(Shape.of(rows), ClippedLogistic(1.0), 10.0)
    budget = selection_budget(Approx(epsilon, DELTA))
    fit = VertexFrankWolfe(problem, budget, steps, SCHEDULES["frank-wolfe"])
    return _Fit(expanded(fit(rows, SystemEntropy()), rows.width), steps)


def _measured(measure: str, model: Any, X: Any, y: Any) -> float:
    scores = model.decision_function(X)
    return float(np.mean((scores > 0) == (y > 0))) if measure == "accuracy" else float(roc_auc_score(y, scores))


def _scored(
    name: str, measure: str, epsilon: float, method: str, models: Any, splits: Any, mark: float | None
) -> Record:
    values = [_measured(measure, model, X, y) for model, (_, _, X, y) in zip(models, splits, strict=True)]
    return {
        "part": "accuracy",
        "case": name,
        "method": method,
        "epsilon": epsilon,
        "measure": measure,
        "value": float(np.mean(values)),
        "deviation": float(np.std(values)),
        "runs": len(values),
        "steps": getattr(models[0], "steps_", None),
        "support": float(np.mean([np.count_nonzero(np.any(np.atleast_2d(m.coef_), axis=0)) for m in models])),
        "required": mark,
    }


def _not_private(name: str, measure: str, split: Any) -> Record:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn renames the ℓ1 option from version to version
        model = LogisticRegression(penalty="l1", solver="liblinear", C=0.1 if name == "imdb" else 1.0).fit(*split[:2])
    return _scored(name, measure, math.inf, "LASSO without privacy", [model], [split], None)


# ---------------------------------------------------------------- excess risk


def planted(n: int, p: int, seed: int, held: int = 100) -> tuple[Any, Any]:
    """y = ⟨x, θ*⟩ with θ*_j ∝ ±1/j for j ≤ held, ‖θ*‖₁ = 1; rows hold ±1 in 20 of 100 columns and 20 of p − 100 others.

    The least risk over ‖θ‖₁ ≤ 1 is 0, so the risk of a fit is its excess risk.
    """
    rng = np.random.default_rng(seed)
    relevant = rng.random((n, 100)).argpartition(20, axis=1)[:, :20]
    others = rng.integers(100, p, (n, 20)) if p > 100 else np.empty((n, 0), dtype=int)
    columns = np.hstack([relevant, others])
    X = sp.csr_array(
        (rng.choice([-1.0, 1.0], columns.size), (np.repeat(np.arange(n), columns.shape[1]), columns.ravel())),
        shape=(n, p),
    )
    X.sum_duplicates()
    X.data = np.clip(X.data, -1, 1)
    theta = np.zeros(p)
    theta[:held] = rng.choice([-1.0, 1.0], held) / np.arange(1, held + 1)
    theta /= np.abs(theta).sum()
    return X, X @ theta


MOMENT = 0.2  # of a relevant column, known by construction


def _risk(quick: bool) -> Iterator[Record]:
    repeats = 5 if quick else 12
    sizes, found = (5_000, 15_000, 50_000, 150_000), dict[str, list[float]]()
    for n in sizes:
        for method, fit in METHODS.items():
            if n == sizes[-1] and quick and method != "PrivateLasso":
                continue
            seeds = range(repeats if method == "PrivateLasso" else max(2, repeats // 4))
            found.setdefault(method, []).append(float(np.mean([fit(*planted(n, 1000, seed)) for seed in seeds])))
            yield {"part": "risk", "case": "against n", "method": method, "n": n, "p": 1000, "value": found[method][-1]}
    ours = found["PrivateLasso"]
    yield _slope("slope over n, coefficients 1/j", ours, sizes, "-0.5 to -0.8")
    ten = [float(np.mean([_ours(*planted(n, 1000, seed, 10)) for seed in range(repeats)])) for n in sizes[:3]]
    yield _slope("slope over n, ten coefficients", ten, sizes[:3], None)
    for method, risks in found.items():
        if method != "PrivateLasso":
            ratio = float(np.exp(np.mean(np.log(np.array(ours[: len(risks)]) / np.array(risks)))))
            yield {"part": "risk", "case": "ratio of risks", "method": method, "value": ratio, "required": 0.6}
    yield from _against_width(repeats)


def _against_width(repeats: int) -> Iterator[Record]:
    widths = (1000, 10_000, 100_000, 1_000_000)
    risks = [float(np.mean([_ours(*planted(20_000, p, seed)) for seed in range(repeats)])) for p in (120, *widths)]
    for p, risk in zip((120, *widths), risks, strict=True):
        yield {"part": "risk", "case": "against p", "method": "PrivateLasso", "n": 20_000, "p": p, "value": risk}
    logs = np.log(2 * np.array((120, *widths)))
    line = np.polyval(np.polyfit(logs, risks, 1), logs)
    explained = 1 - np.sum((line - risks) ** 2) / np.sum((np.array(risks) - np.mean(risks)) ** 2)
    yield {
        "part": "risk",
        "case": "share explained by a line in log p",
        "method": "PrivateLasso",
        "value": float(explained),
    }


def _slope(case: str, risks: list[float], sizes: Any, required: str | None) -> Record:
    slope = float(np.polyfit(np.log(sizes), np.log(risks), 1)[0])
    return {"part": "risk", "case": case, "method": "PrivateLasso", "value": slope, "required": required}


def _ours(X: Any, y: Any) -> float:
    model = PrivateLasso(privacy=Approx(1.0, DELTA), column_moment=MOMENT).fit(X, y)
    return float(np.mean((X @ model.coef_ - y) ** 2) / 2)


def _laplace(X: Any, y: Any, steps: int, schedule: str) -> float:
    """Algorithm 2 of Talwar, Thakurta and Zhang with Laplace noise 2Δ/ε₀, Δ = 2·2c/n, and strong composition."""
    rng = np.random.default_rng()
    rows = open_rows(X, y, Domain("linf"), BARE)
    loss, rule = ClippedSquared(2.0), SCHEDULES[schedule]
    state = SparseScores(rows, Walk(loss, rule, steps, 1.0, 1.0))
    scale = 2 * SCORE_CHANGE / strong_composition(1.0, DELTA, steps)
    atoms = np.zeros(X.shape[1])
    for step in range(1, steps + 1):
        scores = np.concatenate([-state.scores, state.scores]) + rng.laplace(scale=scale, size=2 * atoms.size)
        vertex = int(scores.argmax())
        feature, sign = vertex % atoms.size, 1 if vertex < atoms.size else -1
        state.move(feature, sign)
        atoms[feature] += sign * rule.weight(step)
    return float(np.mean((X @ (atoms / rule.total(steps, steps)) - y) ** 2) / 2)


def strong_composition(epsilon: float, delta: float, steps: int) -> float:
    """The largest ε₀ with √(2T log(1/δ)) ε₀ + T ε₀ (e^ε₀ − 1) ≤ ε (Dwork, Rothblum and Vadhan 2010)."""
    low, high = 0.0, epsilon
    for _ in range(100):
        middle = (low + high) / 2
        spent = math.sqrt(2 * steps * math.log(1 / delta)) * middle + steps * middle * math.expm1(middle)
        low, high = (middle, high) if spent <= epsilon else (low, middle)
    return low


def _recommended(X: Any, y: Any) -> int:
    rows = open_rows(X, y, Domain("linf"), BARE)
    return L1Problem(Shape.of(rows), ClippedSquared(2.0), 1.0, MOMENT).recommended_steps(
        selection_budget(Approx(1.0, DELTA))
    )


METHODS: dict[str, Callable[[Any, Any], float]] = {
    "PrivateLasso": _ours,
    "Laplace, strong composition, T of theorem 2.5": lambda X, y: _laplace(
        X, y, round(X.shape[0] ** (2 / 3)), "frank-wolfe"
    ),
    "Laplace, strong composition, our T": lambda X, y: _laplace(X, y, _recommended(X, y), "frank-wolfe"),
}


# ---------------------------------------------------------------- speed and memory


def plain(X: Any, y: Any, rho: float, steps: int, total: int, radius: float) -> float:
    """Seconds of `steps` of `total` steps of the plain algorithm, stagewise, logistic loss."""
    start = time.perf_counter()
    rng, p = np.random.default_rng(), X.shape[1]
    Xt, sums = X.T.tocsr(), np.zeros(X.shape[0])
    factor = math.sqrt(8 * rho / total) / 2
    for _ in range(steps):
        slope = np.clip(-y / (1 + np.exp(y * sums * (radius / total))), -0.5, 0.5)
        merit = (Xt @ slope) * factor
        vertex = int(np.argmax(np.concatenate([-merit, merit]) + rng.gumbel(size=2 * p)))
        column = slice(Xt.indptr[vertex % p], Xt.indptr[vertex % p + 1])
        sums[Xt.indices[column]] += (1 if vertex < p else -1) * Xt.data[column]
    return time.perf_counter() - start


def wide_table(n: int = 20_000, p: int = 1_000_000, held: int = 100) -> tuple[Any, Any]:
    """n rows with `held` ones in p columns, labels from forty of them."""
    rng = np.random.default_rng(0)
    X = sp.csr_matrix((np.ones(n * held), (np.repeat(np.arange(n), held), rng.integers(0, p, n * held))), shape=(n, p))
    X.sum_duplicates()
    X.data[:] = 1.0
    return X, np.where(X[:, 20:60] @ rng.choice([-1.0, 1.0], 40) + 0.5 * rng.normal(size=n) > 0, 1, -1)


def _speed(quick: bool) -> Iterator[Record]:
    X, y = wide_table()
    yield from _timed("n = 20,000, p = 1,000,000", X, y, 1000, 10 if quick else 1000, 200.0)
    try:
        X, y, X_test, y_test = reviews()
    except Missing as reason:
        print(f"imdb left out: {reason}")
        return
    X, y = sp.vstack([X, X_test]).tocsr(), np.concatenate([y, y_test])
    yield from _timed("imdb, 50,000 reviews, 1,000 steps", X, y, 1000, 30 if quick else 1000, 80.0)
    yield from _timed("imdb, recommended steps", X, y, None, 30 if quick else 400, 1.0)


def _timed(case: str, X: Any, y: Any, steps: int | None, measured: int, required: float) -> Iterator[Record]:
    """The mechanism (collecting, transposing and all steps) and the whole estimator, beside plain steps."""
    budget = selection_budget(Approx(1.0, DELTA))
    rows = open_rows(X, y, LABELS, BARE).one_vs_rest(1)
    problem = L1Problem(Shape.of(rows), ClippedLogistic(), 20.0)
    steps = problem.recommended_steps(budget) if steps is None else steps
    measured = min(measured, steps)
    slow = plain(X, y, budget.rho, measured, steps, 20.0) * steps / measured
    for method, work in (
        ("mechanism", lambda: VertexFrankWolfe(problem, budget, steps)(rows, SystemEntropy())),
        ("whole fit", lambda: _fitted(X, y, 1.0, {"steps": steps})),
    ):
        quick = min(_seconds(work) for _ in range(2))
        yield {
            "part": "speed",
            "case": case,
            "method": method,
            "steps": steps,
            "seconds": quick,
            "plain": slow,
            "plain steps run": measured,
            "value": slow / quick,
            "required": required,
        }
    yield _memory(case, X, rows, VertexFrankWolfe(problem, budget, min(steps, 50)))


def _memory(case: str, X: Any, rows: Rows, fit: VertexFrankWolfe) -> Record:
    table = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    tracemalloc.start()
    fit(rows, SystemEntropy())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return {"part": "memory", "case": case, "method": "peak over the CSR", "value": peak / table, "required": 3.0}


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


# ---------------------------------------------------------------- pictures


def plot(rows: list[Record], directory: Path) -> None:
    """Accuracy against ε and risk against n."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4))
    for method, colour in (("PrivateLasso", "C0"), ("published settings, sound", "C3")):
        points = [r for r in rows if r["part"] == "accuracy" and r["case"] == "imdb" and r["method"] == method]
        if points:
            left.errorbar(
                [r["epsilon"] for r in points],
                [r["value"] for r in points],
                [r["deviation"] for r in points],
                marker="o",
                color=colour,
                label=method,
            )
    for r in rows:
        if r["part"] == "accuracy" and r["case"] == "imdb" and math.isinf(r["epsilon"]):
            left.axhline(r["value"], color="0.5", linestyle="--", label="LASSO without privacy")
    left.set(xlabel="ε (δ = 1e-6)", ylabel="test accuracy", title="IMDB, 25,000 reviews, 89,527 words", xscale="log")
    left.set_xticks(EPSILONS, [f"{e:g}" for e in EPSILONS])
    left.minorticks_off()
    left.legend(frameon=False, fontsize=8)
    for method in METHODS:
        points = [r for r in rows if r["part"] == "risk" and r["case"] == "against n" and r["method"] == method]
        right.loglog([r["n"] for r in points], [r["value"] for r in points], marker="o", label=method)
    right.set(xlabel="n", ylabel="excess risk", title="planted sparse regression, p = 1,000, ε = 1")
    right.set_xticks([5_000, 15_000, 50_000, 150_000], ["5,000", "15,000", "50,000", "150,000"])
    right.minorticks_off()
    right.legend(frameon=False, fontsize=7)
    figure.tight_layout()
    figure.savefig(directory / "lasso.png", dpi=110)
    plt.close(figure)


def _file(name: str) -> Path:
    path = Path(os.environ.get("TACIT_DATA", "")) / name
    if not path.exists():
        raise Missing(f"{name} is not on this machine; set TACIT_DATA to a directory that holds it")
    return path


def main() -> None:
    """Print every record."""
    for row in run("--full" not in sys.argv[1:]):
        print({k: round(v, 4) if isinstance(v, float) else v for k, v in row.items() if v is not None})


if __name__ == "__main__":
    main()
