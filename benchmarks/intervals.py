"""Do private intervals cover, and how long are they? Bootstrap samples of real tables, the whole table is the truth.

Setting of Wang, Kifer and Lee (2018): λ = 0.002, 95 % intervals, rows scaled to the unit ball with a constant column,
one bootstrap sample a replicate, zCDP at ρ = ε²/2. "variability" is the true spread of the coefficients when the whole
budget goes to them: no interval centred there can be shorter. A cell reaches its mark if the average coverage is at
least 95 % (94 % below 5,000 rows) and the worst coordinate is covered at least 92 % of the time.

Two engines. "library": what a user runs. "simulated": the same plans, noise laws and interval code, but the minimum is
found by Newton's method on the distinct rows and the noise comes from numpy, which makes thousands of replicates cheap.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit

from benchmarks import data, wang_kifer_lee
from tacit import ZCDP, Domain, Pure
from tacit.domain import REGRESSION, Geometry, Norms
from tacit.inference import evidence_of
from tacit.losses import HuberHinge, Logistic, Squared
from tacit.mechanisms.choice import Wishes
from tacit.mechanisms.intervals.choice import plan_classifier_with_intervals, plan_regression_with_intervals
from tacit.mechanisms.intervals.svec import smat, svec_size
from tacit.mechanisms.laws import Gaussian, Laplace
from tacit.mechanisms.objective import ObjectivePerturbation
from tacit.mechanisms.problem import Problem, Shape
from tacit.mechanisms.release import Release
from tacit.noise import SystemEntropy
from tacit.rows import Rows, linear_scores, open_rows

L2 = 0.002
LEVEL = 0.95
MARKS = {
    ("adult", 5, "pure"): 0.37,
    ("adult", 10, "pure"): 0.46,
    ("adult", 5, "zCDP"): 0.24,
    ("adult", 10, "zCDP"): 0.24,
}
LOSSES = {"logistic": Logistic(), "huber": HuberHinge(0.5)}

Record = dict[str, Any]
Floats = np.ndarray


@dataclass(frozen=True)
class Cell:
    """One line of the table."""

    data: str
    d: int
    n: int | None
    epsilon: float
    currency: str
    loss: str

    @property
    def budget(self) -> Pure | ZCDP:
        return Pure(self.epsilon) if self.currency == "pure" else ZCDP(self.epsilon**2 / 2)


def run(quick: bool = True) -> list[Record]:
    """Length against the published recipe, coverage, regression tables, time."""
    records = [_simulated(cell, 200 if quick else 1000) for cell in _cells(quick)]
    records += [_library(cell, 100 if quick else 1000) for cell in _library_cells()]
    records += list(_regressions(100 if quick else 1000))
    records.append(_timing())
    return records


def _cells(quick: bool) -> list[Cell]:
    if quick:
        lengths = [Cell("adult", d, None, 1.0, c, "logistic") for c in ("pure", "zCDP") for d in (5, 10)]
        hard = [
            Cell("bank", 1, 2000, 0.5, "pure", "logistic"),
            Cell("kdd", 10, 5000, 1.0, "pure", "logistic"),
            Cell("magic", 5, 5000, 0.5, "pure", "logistic"),
            Cell("adult", 1, 2000, 0.5, "pure", "huber"),
            Cell("kdd", 10, 2000, 0.5, "zCDP", "huber"),
        ]
        return lengths + hard
    return [
        Cell(name, d, n, epsilon, currency, loss)
        for loss in LOSSES
        for n in (5000, 2000, None)
        for name in ("adult", "bank", "magic", "kdd")
        for d in (1, 5, 10)
        for epsilon in (0.5, 1.0)
        for currency in ("pure", "zCDP")
    ]


def _library_cells() -> list[Cell]:
    return [Cell("adult", 5, 5000, 1.0, c, loss) for c in ("pure", "zCDP") for loss in LOSSES]


@cache
def _table(name: str, d: int, n: int | None) -> tuple[Floats, Floats]:
    """(rows in the unit ball with a constant, labels ±1): a fixed shuffle, the first n."""
    X, y = COLUMNS[name]()
    X = np.column_stack([X[:, :d], np.ones(len(X))])
    X = X / np.maximum(1, np.linalg.norm(X, axis=1, keepdims=True)) * (1 - 2.0**-50)
    order = np.random.default_rng(7).permutation(len(y))[:n]
    return np.ascontiguousarray(X[order]), y[order]


def _rows(X: Floats, y: Floats) -> Rows:
    return open_rows(X, y, Domain(classes=(-1.0, 1.0)), Geometry(constant=None, clip=None)).one_vs_rest(1)


def _plan(cell: Cell, shape: Shape) -> Any:
    return plan_classifier_with_intervals(shape, Wishes(LOSSES[cell.loss], L2), cell.budget, "auto", None).mechanism


def _library(cell: Cell, replicates: int) -> Record:
    """The library itself on bootstrap samples."""
    X, y = _table(cell.data, cell.d, cell.n)
    mechanism = _plan(cell, Shape.of(_rows(X, y)))
    distinct = _Distinct.of(X, y)
    truth = distinct.minimum(cell.loss, mechanism.fit.problem.l2, distinct.counts)
    rng, entropy = np.random.default_rng(1), SystemEntropy()

    def replicate() -> tuple[Any, Floats]:
        sample = rng.integers(0, len(y), len(y))
        release = mechanism(_rows(X[sample], y[sample]), entropy)
        return evidence_of(mechanism, release), release.theta

    return _measured(cell, len(y), truth, replicate, replicates, {"engine": "library"})


def _simulated(cell: Cell, replicates: int) -> Record:
    """The same plan, laws and intervals with a fast minimiser and numpy's noise; the published recipe beside it."""
    X, y = _table(cell.data, cell.d, cell.n)
    width, n = X.shape[1], len(y)
    shape = Shape(n, width, Norms(float(np.sqrt(width)), 1.0, 1.0), width, 4096, None)
    mechanism = _plan(cell, shape)
    l2 = mechanism.fit.problem.l2
    distinct = _Distinct.of(X, y)
    truth = distinct.minimum(cell.loss, l2, distinct.counts)
    rng = np.random.default_rng(1)
    whole = _whole_budget_law(cell, Problem(shape, LOSSES[cell.loss], l2))
    spread, published = [], []

    def replicate() -> tuple[Any, Floats]:
        counts = rng.multinomial(n, distinct.counts / n).astype(float)
        theta = distinct.minimum(cell.loss, l2, counts, _draw(mechanism.fit.law, width, rng), truth)
        curvature, scores = distinct.moments(cell.loss, theta, counts)
        noisy = curvature + smat(_draw(mechanism.curvature.law(theta), svec_size(width), rng), width)
        noise = _draw(mechanism.scores.law(theta), mechanism.scores.size, rng)
        trace = mechanism.scores.statistic.label
        seen = np.array([np.trace(scores) + noise[0]]) if trace else scores + smat(noise, width)
        if whole is not None:
            spread.append(distinct.minimum(cell.loss, l2, counts, _draw(whole, width, rng), truth))
        if cell.n is None and cell.loss == "logistic" and cell.data == "adult":
            published.append(
                wang_kifer_lee.interval_length(distinct, counts, cell.epsilon, cell.currency, l2, rng, truth)
            )
        release = Release(theta, np.zeros(width), {"curvature": noisy, "scores": seen})
        return evidence_of(mechanism, release), theta

    record = _measured(cell, n, truth, replicate, replicates, {"engine": "simulated"})
    if spread:
        record["variability"] = _spread(spread)
        record["over_variability"] = record["length"] / record["variability"]
    if published:
        record["published_length"] = float(np.mean(published))
    return record


def _whole_budget_law(cell: Cell, problem: Problem) -> Any:
    return ObjectivePerturbation(problem, cell.budget).law


def _measured(
    cell: Cell, n: int, truth: Floats, replicate: Callable[[], tuple[Any, Floats]], replicates: int, more: Record
) -> Record:
    directions = np.eye(len(truth))
    hits, lengths, thetas = [], [], []
    for _ in range(replicates):
        evidence, theta = replicate()
        thetas.append(theta)
        half = evidence.half_widths(directions, LEVEL)
        hits.append(np.abs(theta - truth) <= half)
        lengths.append(2 * half)
    covered = np.array(hits)
    record = {"data": cell.data, "d": cell.d, "n": n, "loss": cell.loss, "currency": cell.currency}
    record |= {"epsilon": cell.epsilon, "replicates": replicates, "l2": evidence.l2} | more
    record |= {"coverage": float(covered.mean()), "worst": float(covered.mean(axis=0).min())}
    record |= {"length": float(np.mean(lengths)), "own_variability": _spread(thetas)}
    record["covered"] = record["coverage"] >= (0.95 if n >= 5000 else 0.94) and record["worst"] >= 0.92
    mark = MARKS.get((cell.data, cell.d, cell.currency))
    if mark and cell.n is None and cell.epsilon == 1.0 and cell.loss == "logistic":
        record |= {"length_mark": mark, "short_enough": record["length"] <= mark}
    return record


def _spread(thetas: list[Floats]) -> float:
    """Mean width of the central 95 % of each coefficient over replicates."""
    return float(np.mean(np.subtract(*np.quantile(thetas, [0.975, 0.025], axis=0))))


@dataclass(frozen=True)
class _Distinct:
    """Distinct rows (times label) and how often each occurs: a bootstrap sample is a vector of counts."""

    margins: Floats
    counts: Floats

    @classmethod
    def of(cls, X: Floats, y: Floats) -> _Distinct:
        rows, counts = np.unique(np.round(X * y[:, None], 12), axis=0, return_counts=True)
        return cls(rows, counts.astype(float))

    def minimum(
        self, loss: str, l2: float, counts: Floats, tilt: Floats | float = 0.0, start: Floats | None = None
    ) -> Floats:
        """Newton's method with step halving; margins hold y·x, so the label is +1 everywhere."""
        n, width = counts.sum(), self.margins.shape[1]
        theta = np.zeros(width) if start is None else start.copy()
        for _ in range(100):
            _, slope, curvature = _pieces(loss, self.margins @ theta)
            gradient = -(self.margins.T @ (counts * slope)) / n + l2 * theta + tilt / n
            if np.linalg.norm(gradient) < 1e-8:
                break
            hessian = (self.margins * (counts * curvature)[:, None]).T @ self.margins / n + l2 * np.eye(width)
            step = np.linalg.solve(hessian, gradient)
            now, length = self._value(loss, l2, counts, tilt, theta), 1.0
            while length > 1e-6 and (
                self._value(loss, l2, counts, tilt, theta - length * step)
                > now - 1e-4 * length * step @ gradient + 1e-14
            ):
                length /= 2
            theta = theta - length * step
        return theta

    def moments(self, loss: str, theta: Floats, counts: Floats) -> tuple[Floats, Floats]:
        """(Σ φ'' xxᵀ, Σ φ'² xxᵀ)."""
        _, slope, curvature = _pieces(loss, self.margins @ theta)
        return tuple((self.margins * (counts * w)[:, None]).T @ self.margins for w in (curvature, slope**2))

    def _value(self, loss: str, l2: float, counts: Floats, tilt: Floats | float, theta: Floats) -> float:
        penalty = l2 / 2 * theta @ theta + np.sum(tilt * theta) / counts.sum()
        return float(counts @ _pieces(loss, self.margins @ theta)[0] / counts.sum() + penalty)


def _pieces(loss: str, z: Floats) -> tuple[Floats, Floats, Floats]:
    """φ, −φ' and φ'' of the margin z."""
    if loss == "logistic":
        miss = expit(-z)
        return np.logaddexp(0, -z), miss, miss * (1 - miss)
    active = np.clip(1.5 - z, 0.0, 1.0)
    return 0.5 * active**2 + np.maximum(0.5 - z, 0.0), active, ((z > 0.5) & (z < 1.5)).astype(float)


def _draw(law: Any, size: int, rng: np.random.Generator) -> Floats:
    if isinstance(law, Gaussian):
        return rng.normal(0, law.scale, size)
    if isinstance(law, Laplace):
        return rng.laplace(0, law.scale, size)
    vector = rng.standard_normal(size)
    return vector * rng.gamma(size, law.scale) / np.linalg.norm(vector)


REGRESSIONS = ("wages", "pension-income", "pension-wealth", "births")


def _regressions(replicates: int) -> Iterator[Record]:
    """Ridge on survey tables with public bounds, the library itself."""
    for name in REGRESSIONS:
        try:
            table = data.load(name)
        except data.Missing as reason:
            print(f"intervals: {name} left out: {reason}")
            continue
        for currency, budget in (("pure", Pure(1.0)), ("zCDP", ZCDP(0.5))):
            yield _regression(name, table, currency, budget, replicates)


def _regression(name: str, table: data.Table, currency: str, budget: Pure | ZCDP, replicates: int) -> Record:
    geometry = Geometry(constant=REGRESSION.constant, clip=None)
    rows = open_rows(table.frame, None, table.schema, geometry)
    mechanism = plan_regression_with_intervals(Shape.of(rows), Wishes(Squared()), budget, "auto", None).mechanism
    width, n = rows.width, rows.n
    X = linear_scores(table.frame, np.eye(width), table.schema, geometry)
    y = table.schema.target.encode(table.frame[table.schema.target.name].to_numpy())
    truth = np.linalg.solve(X.T @ X / n + mechanism.l2 * np.eye(width), X.T @ y / n)
    rng, entropy = np.random.default_rng(1), SystemEntropy()

    def replicate() -> tuple[Any, Floats]:
        sample = table.frame.iloc[rng.integers(0, n, n)]
        release = mechanism(open_rows(sample, None, table.schema, geometry), entropy)
        return evidence_of(mechanism, release), release.theta

    cell = Cell(name, width - 1, n, 1.0, currency, "squared")
    return _measured(cell, n, truth, replicate, replicates, {"engine": "library"})


def _timing() -> Record:
    """One fit with intervals against one without, n = 450,000 and d = 10."""
    from tacit import PrivateLogisticRegression

    X, y, _ = data.synthetic(450_000, 10)
    labels = (y > np.median(y)).astype(int)
    seconds = {}
    for inference in (False, True, False, True):
        model = PrivateLogisticRegression(domain=Domain(radius=4.0, classes=(0, 1)), inference=inference)
        started = time.perf_counter()
        model.fit(X, labels)
        if inference:
            model.conf_int()
        seconds[inference] = min(seconds.get(inference, np.inf), time.perf_counter() - started)
    ratio = seconds[True] / seconds[False]
    record: Record = {
        "data": "synthetic",
        "d": 10,
        "n": 450_000,
        "loss": "logistic",
        "currency": "pure",
        "epsilon": 1.0,
    }
    return record | {"seconds": seconds[True], "seconds_without": seconds[False], "time_ratio": ratio}


def _adult() -> tuple[Floats, Floats]:
    f = data.load("adult").frame.iloc[:30_162]
    numbers = [
        f["age"] / 100,
        f["education-num"] / 16,
        np.minimum(f["capital-gain"] / 1e5, 1),
        f["capital-loss"] / 5000,
    ]
    columns = [*numbers, f["hours-per-week"] / 100, *_one_hot(f["race"])]
    return np.column_stack(columns).astype(float), np.where(f["income"] == ">50K", 1.0, -1.0)


def _bank() -> tuple[Floats, Floats]:
    f = data.load("bank").frame
    numbers = [f["age"] / 100, np.clip(f["balance"] / 1e4, -1, 1), f["day"] / 31, np.minimum(f["campaign"] / 20, 1)]
    flags = [(f[name] == "yes").astype(float) for name in ("housing", "loan")]
    columns = [*numbers, np.minimum(f["previous"] / 20, 1), *_one_hot(f["marital"]), *flags]
    return np.column_stack(columns).astype(float), np.where(f["y"] == "yes", 1.0, -1.0)


def _magic() -> tuple[Floats, Floats]:
    f = data.load("magic").frame
    bounds = np.array([350, 260, 6, 1, 1, 600, 350, 210, 90, 500.0])
    values = f.drop(columns="class").to_numpy(float)
    return np.clip(values / bounds, -1, 1), np.where(f["class"] == "g", 1.0, -1.0)


def _kdd() -> tuple[Floats, Floats]:
    f = data.connections()
    logs = [np.log1p(f[name].astype(float)) / most for name, most in (("src_bytes", 21), ("dst_bytes", 21))]
    counts = [f["count"] / 511, f["srv_count"] / 511, np.log1p(f["duration"].astype(float)) / 11, f["logged_in"]]
    rates = [f["serror_rate"], f["rerror_rate"], f["same_srv_rate"], f["dst_host_count"] / 255]
    X = np.column_stack([*logs, *counts, *rates]).astype(float).round(2)
    return X, np.where(f["label"].astype(str) == "normal", -1.0, 1.0)


def _one_hot(column: pd.Series) -> list[Floats]:
    return [(column == value).to_numpy(float) for value in sorted(column.unique())]


COLUMNS = {"adult": _adult, "bank": _bank, "magic": _magic, "kdd": _kdd}


def plot(records: list[Record], directory: Path) -> None:
    """Coverage against length over the true spread, one point a cell."""
    import matplotlib.pyplot as plt
    from matplotlib.ticker import NullFormatter

    frame = pd.DataFrame(records)
    frame = frame[frame["coverage"].notna()]
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6))
    for axis, (currency, part) in zip(axes, frame.groupby("currency"), strict=False):
        for loss, colour in (("logistic", "#0b5394"), ("huber", "#cc4125"), ("squared", "#38761d")):
            cells = part[part["loss"] == loss]
            axis.scatter(cells["n"], cells["coverage"], color=colour, s=22, label=loss)
            axis.scatter(cells["n"], cells["worst"], color=colour, s=14, marker="v", alpha=0.5)
        axis.axhline(0.95, color="grey", linewidth=0.8)
        axis.axhline(0.92, color="grey", linewidth=0.8, linestyle=":")
        axis.set(xscale="log", xlabel="rows", title=f"{currency}: coverage (▾ worst coordinate)", ylim=(0.85, 1.005))
    for axis in axes:
        axis.xaxis.set_minor_formatter(NullFormatter())
    axes[0].legend(frameon=False, fontsize=8)
    figure.tight_layout()
    figure.savefig(directory / "intervals.png", dpi=80)
    plt.close(figure)


def main() -> None:
    """Print the quick table."""
    print(pd.DataFrame(run()).to_string())


if __name__ == "__main__":
    main()
