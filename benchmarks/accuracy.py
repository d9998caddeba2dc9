"""Accuracy first: what a target accuracy costs, whether it is kept, and how long the search takes.

    python -m benchmarks [--full] accuracy

Parameters are those of Ligett et al. (2017): n = 100,000, λ = 0.005, γ = 0.1, and T = 1000 levels for "published". The
excess risk of θ = 0 stands beside every α: a target above it asks for nothing.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.stats import binom
from sklearn.linear_model import LogisticRegression, Ridge
from threadpoolctl import threadpool_limits

from benchmarks import parts
from benchmarks.accuracy_plot import plot as plot
from benchmarks.accuracy_settings import L2, N, Setting, settings
from tacit import AccuracyFirst, Approx, Domain, PrivateLogisticRegression, PrivateRidge, Pure
from tacit.domain import Norms
from tacit.losses import Logistic, Squared
from tacit.mechanisms.accuracy import plan as tight
from tacit.mechanisms.accuracy import published as published
from tacit.mechanisms.accuracy.excess_risk import OpenedRisk
from tacit.mechanisms.accuracy.plan import AccuracyProblem, AccuracyRequest
from tacit.mechanisms.accuracy.search import AccuracySearch
from tacit.mechanisms.accuracy.theory import plan_theory
from tacit.mechanisms.problem import Shape
from tacit.noise import SystemEntropy
from tacit.rows import Rows
from tacit.rows.schedule import dense_block_rows

FAILURE = 0.1
ALPHAS, QUICK_ALPHAS = (0.01, 0.025, 0.05, 0.1, 0.15, 0.2), (0.025, 0.2)
UNLIMITED = Pure(10_000.0)
LEVEL = 1e-9  # of the test that the failure probability is kept

Records = list[dict[str, Any]]


def run(quick: bool = True) -> Records:
    """Rows of four tables, told apart by `part`: time, price, guarantee, few columns."""
    found = list(settings())
    timed = [setting for setting in found if setting.X is not None]
    work: dict[str, Callable[[], Records]] = {f"time, {each.name}": lambda each=each: times(each) for each in timed}
    for setting in timed:
        for alpha in QUICK_ALPHAS if quick else ALPHAS:
            work[f"price, {setting.name}, {alpha}"] = lambda setting=setting, alpha=alpha: price(
                setting, alpha, 10 if quick else 40
            )
    for setting in found:
        work[f"guarantee, {setting.name}"] = lambda setting=setting: guarantees(setting, 100 if quick else 1000)
    work["few columns"] = few_columns
    return [
        record for part, make in work.items() for record in (make() if quick else parts.once("accuracy", part, make))
    ]


def price(setting: Setting, alpha: float, repeats: int) -> Records:
    """Mean ε paid for one α on the same rows: published, tight, and tight with a public radius of 1."""
    goal, question = AccuracyRequest(alpha, FAILURE, UNLIMITED), setting.question()
    with_delta = AccuracyRequest(alpha, FAILURE, Approx(UNLIMITED.epsilon, 1e-6))
    searches: list[tuple[str, str, float | None, AccuracySearch, int]] = [
        ("noise-reduction", "published", None, published.published_noise_reduction(question, goal, None), 3),
        ("doubling", "published", None, published.published_doubling(question, goal), repeats),
        ("theory", "published", None, published.published_theory(question, goal), 3),
        ("noise-reduction", "tight", None, tight.plan_noise_reduction(question, goal, None), repeats),
        ("brownian", "tight", None, tight.plan_brownian(question, with_delta, None), repeats),
        ("doubling", "tight", None, tight.plan_doubling(question, goal), repeats),
        ("theory", "tight", None, plan_theory(question, goal), 3),
        ("noise-reduction", "tight", 1.0, tight.plan_noise_reduction(setting.question(1.0), goal, None), repeats),
    ]
    table: Records = []
    for method, calibration, radius, search, runs in searches:
        risk, judge = search.query.open(setting.rows), uncapped(search, setting.rows)
        outcomes = [search.run(risk, SystemEntropy()) for _ in range(runs)]
        paid = float(np.mean([outcome.paid.total for outcome in outcomes]))
        kept = [excess(judge, o.theta) for o in outcomes if o.theta is not None]
        levels = len(search.hypotheses.costs)
        table.append(
            {
                "part": "price",
                "setting": setting.name,
                "alpha": alpha,
                "excess of zero": excess(judge, np.zeros(setting.rows.width)),
                "method": method,
                "calibration": calibration,
                "radius": radius,
                "levels": levels,
                "tried": float(np.mean([levels if o.level is None else o.level + 1 for o in outcomes])),
                "test": float(np.mean([outcome.paid.test for outcome in outcomes])),
                "hypothesis": float(np.mean([outcome.paid.hypothesis for outcome in outcomes])),
                "epsilon": paid,
                "published / this": (table[0]["epsilon"] if table else paid) / paid,
                "met": float(np.mean([outcome.level is not None for outcome in outcomes])),
                "worst excess / alpha": max(kept, default=float("nan")) / alpha,
            }
        )
    return table


def guarantees(setting: Setting, runs: int) -> Records:
    """How often a model with true excess risk above α is accepted, α a tenth and a half of what θ = 0 has."""
    question = setting.question()
    judge = uncapped(
        tight.plan_noise_reduction(question, AccuracyRequest(0.05, FAILURE, UNLIMITED), None), setting.rows
    )
    zero = excess(judge, np.zeros(setting.rows.width))
    table = []
    for share, levels in ((0.1, None), (0.5, None), (0.1, 1000)):
        goal = AccuracyRequest(share * zero, FAILURE, UNLIMITED)
        search = tight.plan_noise_reduction(question, goal, levels)
        risk = search.query.open(setting.rows)
        outcomes = [search.run(risk, SystemEntropy()) for _ in range(runs)]
        bad = sum(o.theta is not None and excess(judge, o.theta) > goal.excess_risk for o in outcomes)
        table.append(
            {
                "part": "guarantee",
                "setting": setting.name,
                "alpha": goal.excess_risk,
                "excess of zero": zero,
                "levels": len(search.hypotheses.costs),
                "runs": runs,
                "bad": bad,
                "allowed": FAILURE,
                "kept": bool(binom.sf(bad - 1, runs, FAILURE) > LEVEL),
                "met": float(np.mean([o.level is not None for o in outcomes])),
                "epsilon": float(np.mean([o.paid.total for o in outcomes])),
            }
        )
    return table


def few_columns() -> Records:
    """What is planned, before any row is read, for n rows in the unit ball: where a theorem is cheaper than a test."""
    table = []
    for loss in (Squared(), Logistic()):
        for l2 in (0.005, 0.05):
            for width in (2, 5, 10, 20, 50):
                shape = Shape(N, width, Norms(1.0, 1.0, 1.0), width, dense_block_rows(width), None)
                goal, question = (
                    AccuracyRequest(0.025, FAILURE, UNLIMITED),
                    AccuracyProblem(shape, loss, l2, None, "auto"),
                )
                search = tight.plan_noise_reduction(question, goal, None)
                table.append(
                    {
                        "part": "few columns",
                        "setting": f"{type(loss).__name__.lower()}, l2 = {l2}",
                        "alpha": goal.excess_risk,
                        "columns": width,
                        "test": search.test.cost(1),
                        "theory": plan_theory(question, goal).hypotheses.costs[0],
                    }
                )
    return table


def times(setting: Setting) -> Records:
    """Seconds of a whole search (declaration, planning, reading, noise, test) beside one scikit-learn fit.

    The median of several, in turn, in one process, both with one core and both with all of them. Rows with several
    cores say something on an idle machine only: threads that wait for a core in use make any fit look slow.
    """
    X, y = setting.X, setting.y
    assert X is not None
    assert y is not None
    scaled = X / np.maximum(setting.l1_radius, np.abs(X).sum(axis=1))[:, None]
    ridge = isinstance(setting.loss, Squared)
    other = Ridge(L2 * N, fit_intercept=False) if ridge else LogisticRegression(C=1 / (L2 * N), fit_intercept=False)
    domain = Domain(norm="l1", radius=setting.l1_radius, classes=None if ridge else (0, 1))
    model = (PrivateRidge if ridge else PrivateLogisticRegression)(l2=L2, domain=domain, fit_intercept=False)
    table = []
    for cores in sorted({1, len(os.sched_getaffinity(0))}):
        for levels in (None, 1000):
            search = AccuracyFirst(model, excess_risk=0.025, levels=levels)
            seconds, other_seconds = _medians(cores, [lambda: search.fit(X, y), lambda: other.fit(scaled, y)])  # noqa: B023
            table.append(
                {
                    "part": "time",
                    "setting": setting.name,
                    "levels": levels or len(search.trace_),
                    "chosen": levels is None,
                    "cores": cores,
                    "seconds": seconds,
                    "scikit-learn": other_seconds,
                    "times one fit": seconds / other_seconds,
                }
            )
    return table


def uncapped(search: AccuracySearch, rows: Rows) -> OpenedRisk:
    """The query without truncation, to judge hypotheses by their true excess risk."""
    return replace(search.query, cap=None).open(rows)


def excess(judge: OpenedRisk, theta: np.ndarray) -> float:
    """The true excess risk of θ."""
    return -float(judge.values(theta[None, :])[0])


def _medians(cores: int, works: list[Callable[[], object]], repeats: int = 9) -> list[float]:
    """Median seconds of each work, all taking turns, on so many cores."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, set(sorted(before)[:cores]))
    taken: list[list[float]] = [[] for _ in works]
    try:
        with threadpool_limits(limits=cores):
            for _ in range(repeats + 1):
                for work, seconds in zip(works, taken, strict=True):
                    start = time.perf_counter()
                    work()
                    seconds.append(time.perf_counter() - start)
    finally:
        os.sched_setaffinity(0, before)
    return [statistics.median(seconds[1:]) for seconds in taken]  # the first fit loads what later ones find loaded
