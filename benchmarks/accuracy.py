"""Accuracy first: what a target accuracy costs, whether it is kept, and how long the search takes.

    python -m benchmarks.accuracy [--full]

Parameters are those of Ligett et al. (2017): n = 100,000, λ = 0.005, γ = 0.1, and T = 1000 levels for "published". Rows
are scaled by public bounds and clipped to an ℓ1 ball, not scaled by their own maximum. The excess risk of θ = 0 stands
beside every α: a target above it asks for nothing. Their Twitter table is not to be had in full; a synthetic table with
as many columns takes its place.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import binom
from sklearn.linear_model import LogisticRegression, Ridge
from threadpoolctl import threadpool_limits

from benchmarks import data
from tacit import AccuracyFirst, Approx, Domain, PrivateLogisticRegression, PrivateRidge, Pure, Schema
from tacit.domain import CLASSIFICATION, REGRESSION
from tacit.losses import Logistic, Loss, Squared
from tacit.mechanisms.accuracy import plan as tight
from tacit.mechanisms.accuracy import published as published
from tacit.mechanisms.accuracy.excess_risk import OpenedRisk
from tacit.mechanisms.accuracy.plan import Goal, Question
from tacit.mechanisms.accuracy.search import AccuracySearch
from tacit.mechanisms.accuracy.theory import plan_theory
from tacit.mechanisms.problem import Shape
from tacit.noise import SystemEntropy
from tacit.rows import Rows, open_rows

L2, FAILURE, ALPHAS = 0.005, 0.1, (0.025, 0.05, 0.1, 0.15, 0.2)
N, L1_RADIUS = 100_000, 6.0
UNLIMITED = Pure(10_000.0)
LEVEL = 1e-9  # of the test that the failure probability is kept


@dataclass(frozen=True)
class Setting:
    """A table, its loss, and the arrays that scikit-learn is given."""

    name: str
    rows: Rows
    loss: Loss
    X: np.ndarray | None = None
    y: np.ndarray | None = None

    def question(self, radius: float | None = None) -> Question:
        return Question(Shape.of(self.rows), self.loss, L2, radius, "auto")


def run(quick: bool = True) -> list[dict[str, Any]]:
    """Rows of three tables, told apart by `part`: price, guarantee, time."""
    found = list(settings())
    return [*prices(found, quick), *guarantees(found, quick), *times(found)]


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
    return Setting("synthetic ridge", rows, Squared(), X, y)


def prices(found: list[Setting], quick: bool) -> list[dict[str, Any]]:
    """Mean ε paid, by α, calibration and method, on the same rows."""
    table = []
    for setting in found[:3]:
        for alpha in (0.025, 0.2) if quick else ALPHAS:
            table += price(setting, alpha, 10 if quick else 40)
    return table


def price(setting: Setting, alpha: float, repeats: int) -> list[dict[str, Any]]:
    """One α: published noise reduction, doubling and theory; tight ones; tight with a public radius of 1."""
    goal, question = Goal(alpha, FAILURE, UNLIMITED), setting.question()
    with_delta = Goal(alpha, FAILURE, Approx(UNLIMITED.epsilon, 1e-6))
    searches: list[tuple[str, str, float | None, AccuracySearch, int]] = [
        ("noise-reduction", "published", None, published.published_noise_reduction(question, goal, None), 2),
        ("doubling", "published", None, published.published_doubling(question, goal), 2),
        ("theory", "published", None, published.published_theory(question, goal), 2),
        ("noise-reduction", "tight", None, tight.plan_noise_reduction(question, goal, None), repeats),
        ("brownian", "tight", None, tight.plan_brownian(question, with_delta, None), repeats),
        ("doubling", "tight", None, tight.plan_doubling(question, goal), repeats),
        ("theory", "tight", None, plan_theory(question, goal), 2),
        ("noise-reduction", "tight", 1.0, tight.plan_noise_reduction(setting.question(1.0), goal, None), repeats),
    ]
    table, reference = [], float("nan")
    for method, calibration, radius, search, runs in searches:
        risk, judge = search.query.open(setting.rows), uncapped(search, setting.rows)
        outcomes = [search.run(risk, SystemEntropy()) for _ in range(runs)]
        paid = float(np.mean([outcome.paid.total for outcome in outcomes]))
        reference = paid if (method, calibration) == ("noise-reduction", "published") else reference
        kept = [excess(judge, o.theta) for o in outcomes if o.theta is not None]
        table.append(
            {
                "part": "price",
                "setting": setting.name,
                "alpha": alpha,
                "excess of zero": excess(judge, np.zeros(setting.rows.width)),
                "method": method,
                "calibration": calibration,
                "radius": radius,
                "levels": len(search.hypotheses.costs),
                "test": float(np.mean([outcome.paid.test for outcome in outcomes])),
                "hypothesis": float(np.mean([outcome.paid.hypothesis for outcome in outcomes])),
                "epsilon": paid,
                "published / this": reference / paid,
                "met": float(np.mean([outcome.level is not None for outcome in outcomes])),
                "worst excess / alpha": max(kept, default=float("nan")) / alpha,
            }
        )
    return table


def guarantees(found: list[Setting], quick: bool) -> list[dict[str, Any]]:
    """How often a model with true excess risk above α is accepted, α a tenth of what θ = 0 has, or more."""
    runs, table = (100 if quick else 1000), []
    for setting in found:
        question = setting.question()
        zero = excess(
            uncapped(tight.plan_noise_reduction(question, Goal(0.05, FAILURE, UNLIMITED), None), setting.rows), None
        )
        for share in (0.1, 0.5):
            goal = Goal(share * zero, FAILURE, UNLIMITED)
            search = tight.plan_noise_reduction(question, goal, None)
            risk, judge = search.query.open(setting.rows), uncapped(search, setting.rows)
            outcomes = [search.run(risk, SystemEntropy()) for _ in range(runs)]
            bad = sum(o.theta is not None and excess(judge, o.theta) > goal.excess_risk for o in outcomes)
            table.append(
                {
                    "part": "guarantee",
                    "setting": setting.name,
                    "alpha": goal.excess_risk,
                    "excess of zero": zero,
                    "runs": runs,
                    "bad": bad,
                    "allowed": FAILURE,
                    "kept": bool(binom.sf(bad - 1, runs, FAILURE) > LEVEL),
                    "met": float(np.mean([o.level is not None for o in outcomes])),
                    "epsilon": float(np.mean([o.paid.total for o in outcomes])),
                }
            )
    return table


def times(found: list[Setting]) -> list[dict[str, Any]]:
    """CPU seconds of a whole search (declaration, planning, reading, noise, test) beside one scikit-learn fit."""
    table = []
    for setting in found:
        if setting.X is None or setting.y is None:
            continue
        X, y = setting.X, setting.y
        radius = 1.0 if setting.name.startswith("synthetic") else L1_RADIUS
        scaled = X / np.maximum(radius, np.abs(X).sum(axis=1))[:, None]
        ridge = isinstance(setting.loss, Squared)
        other = (
            Ridge(alpha=L2 * N, fit_intercept=False)
            if ridge
            else LogisticRegression(C=1 / (L2 * N), fit_intercept=False)
        )
        other_seconds = _cpu(lambda: other.fit(scaled, y))  # noqa: B023
        domain = Domain(norm="l1", radius=radius, classes=None if ridge else (0, 1))
        model = PrivateRidge if ridge else PrivateLogisticRegression
        for levels in (None, 1000):
            search = AccuracyFirst(model(l2=L2, domain=domain, fit_intercept=False), excess_risk=0.025, levels=levels)
            seconds = _cpu(lambda: search.fit(X, y))  # noqa: B023
            table.append(
                {
                    "part": "time",
                    "setting": setting.name,
                    "levels": levels or len(search.trace_),
                    "chosen": levels is None,
                    "seconds": seconds,
                    "scikit-learn": other_seconds,
                    "times one fit": seconds / other_seconds,
                }
            )
    return table


def uncapped(search: AccuracySearch, rows: Rows) -> OpenedRisk:
    """The query without truncation, to judge hypotheses by their true excess risk."""
    return replace(search.query, cap=None).open(rows)


def excess(judge: OpenedRisk, theta: np.ndarray | None) -> float:
    """The true excess risk of θ; of θ = 0 for None."""
    point = np.zeros_like(judge.best) if theta is None else theta
    return -float(judge.values(point[None, :])[0])


def plot(rows: list[dict[str, Any]], directory: Path) -> None:
    """ε paid against α, published and tight, for each setting."""
    import matplotlib.pyplot as plt

    table = pd.DataFrame([row for row in rows if row["part"] == "price"])
    names = list(dict.fromkeys(table["setting"]))
    figure, axes = plt.subplots(1, len(names), figsize=(3.6 * len(names), 3.4), sharey=True, layout="constrained")
    styles = {
        ("theory", "published", False): ("#b9b9b9", ":", "theory, published"),
        ("doubling", "published", False): ("#b08d57", "--", "doubling, published"),
        ("noise-reduction", "published", False): ("#c0504d", "-", "noise reduction, published"),
        ("noise-reduction", "tight", False): ("#2f5d8a", "-", "noise reduction, tight"),
        ("brownian", "tight", False): ("#6ba3d6", "--", "Brownian, tight, δ = 1e-6"),
        ("noise-reduction", "tight", True): ("#3c8d5a", "-", "tight, public radius 1"),
    }
    for ax, name in zip(np.atleast_1d(axes), names, strict=True):
        part = table[table["setting"] == name]
        for (method, calibration, ball), (colour, line, label) in styles.items():
            chosen = part[
                (part["method"] == method) & (part["calibration"] == calibration) & (part["radius"].notna() == ball)
            ]
            ax.plot(chosen["alpha"], chosen["epsilon"], line, marker="o", ms=3, color=colour, label=label)
        ax.axvline(part["excess of zero"].iloc[0], color="#dddddd", zorder=0)
        ax.set(title=name, xlabel="excess risk asked for, α", yscale="log", xlim=(0, 0.21))
    np.atleast_1d(axes)[0].set_ylabel("ε paid (mean)")
    lines, labels = np.atleast_1d(axes)[0].get_legend_handles_labels()
    figure.legend(lines, labels, loc="outside lower center", ncol=3, fontsize=8, frameon=False)
    figure.savefig(directory / "accuracy.png", dpi=85)


def _cpu(work: Callable[[], object], repeats: int = 5) -> float:
    best = float("inf")
    with threadpool_limits(limits=1):  # waiting threads burn CPU time, in scikit-learn's fits as in ours
        for _ in range(repeats):
            start = time.process_time()
            work()
            best = min(best, time.process_time() - start)
    return best


def main() -> None:
    table = run(quick="--full" not in sys.argv)
    pd.set_option("display.width", 220, "display.max_columns", 30, "display.max_rows", 200)
    for part in ("price", "guarantee", "time"):
        chosen = pd.DataFrame([row for row in table if row["part"] == part]).drop(columns="part")
        print(f"\n{part}\n{chosen.to_string(index=False, float_format=lambda x: f'{x:.4g}')}")
    results = Path(__file__).parent / "results"
    results.mkdir(exist_ok=True)
    pd.DataFrame(table).to_csv(results / "accuracy.csv", index=False, float_format="%.6g")
    plot(table, results)


if __name__ == "__main__":
    main()
