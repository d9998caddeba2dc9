"""Speed and memory of the fast path beside the plain algorithm, in one run.

`plain` is the same algorithm with a full gradient and a noisy score for every vertex in each step, in numpy and scipy;
its set-up and first steps are timed, and the time of the steps is multiplied. Times are of one machine: look at the
ratios.
"""

from __future__ import annotations

import math
import time
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks.data import Missing
from benchmarks.sparse.accuracy import BARE, DELTA, LABELS, Record, fitted
from benchmarks.sparse.tables import all_reviews, wide_table
from tacit import Approx
from tacit.mechanisms.lasso.candidates import BOTH_SIGNS, SIGNS_IN_TURN, Candidates
from tacit.mechanisms.lasso.frank_wolfe import VertexFrankWolfe
from tacit.mechanisms.lasso.l1_problem import L1Problem
from tacit.mechanisms.lasso.loss import ClippedLogistic
from tacit.mechanisms.lasso.schedule import STAGEWISE
from tacit.mechanisms.lasso.sparse_scores import SparseScores
from tacit.mechanisms.lasso.vertex_scores import Walk
from tacit.mechanisms.problem import Shape
from tacit.noise import SystemEntropy
from tacit.rows import Rows, open_rows

RADIUS = 20.0


def speed(quick: bool) -> Iterator[Record]:
    """A million columns; IMDB at 1,000 steps and at the recommended number."""
    yield from _timed("n = 20,000, p = 1,000,000", *wide_table(), 1000, 10 if quick else 60, 200.0)
    try:
        X, y = all_reviews()
    except Missing as reason:
        print(f"imdb left out: {reason}")
        return
    measured = 30 if quick else 200
    yield from _timed("imdb, 50,000 reviews, 1,000 steps", X, y, 1000, measured, 80.0)
    yield from _timed("imdb, recommended steps", X, y, None, measured, 1.0)
    yield from _timed("imdb, recommended steps, signs in turn", X, y, None, measured, 1.0, SIGNS_IN_TURN)


def plain(X: Any, y: Any, rho: float, steps: int, total: int) -> float:
    """Seconds of the plain algorithm, stagewise, logistic loss: set-up, and `total` steps at the pace of `steps`."""
    start = time.perf_counter()
    rng, p = np.random.default_rng(), X.shape[1]
    Xt, sums = X.T.tocsr(), np.zeros(X.shape[0])
    factor = math.sqrt(8 * rho / total) / 2
    ready = time.perf_counter()
    for _ in range(steps):
        slope = np.clip(-y / (1 + np.exp(y * sums * (RADIUS / total))), -0.5, 0.5)
        merit = (Xt @ slope) * factor
        vertex = int(np.argmax(np.concatenate([-merit, merit]) + rng.gumbel(size=2 * p)))
        column = slice(Xt.indptr[vertex % p], Xt.indptr[vertex % p + 1])
        sums[Xt.indices[column]] += (1 if vertex < p else -1) * Xt.data[column]
    return ready - start + (time.perf_counter() - ready) * total / steps


def _timed(
    case: str,
    X: Any,
    y: Any,
    steps: int | None,
    measured: int,
    required: float,
    candidates: Candidates = BOTH_SIGNS,
) -> Iterator[Record]:
    """The mechanism (its set-up alone, and with all steps) and the whole estimator, beside plain steps."""
    budget = Approx(1.0, DELTA).additive()
    rows = open_rows(X, y, LABELS, BARE).one_vs_rest(1)
    problem = L1Problem(Shape.of(rows), ClippedLogistic(), RADIUS, candidates=candidates)
    taken = problem.recommended_steps(budget) if steps is None else steps
    measured = min(measured, taken)
    slow = plain(X, y, budget.rho, measured, taken)
    walk = Walk(problem.loss, STAGEWISE, taken, RADIUS, problem.cell_bound, candidates=candidates)
    for method, work in (
        ("collecting and transposing", lambda: SparseScores(rows, walk)),
        ("mechanism", lambda: VertexFrankWolfe(problem, budget, taken)(rows, SystemEntropy())),
        ("whole fit", lambda: fitted(X, y, 1.0, steps=taken, nonnegative=candidates is SIGNS_IN_TURN)),
    ):
        quick = min(_seconds(work) for _ in range(3))
        yield {
            "part": "speed",
            "case": case,
            "method": method,
            "steps": taken,
            "seconds": quick,
            "plain": slow,
            "plain steps run": measured,
            "value": slow / quick,
            "required": None if method == "collecting and transposing" else required,
        }
    yield _memory(case, X, rows, VertexFrankWolfe(problem, budget, min(taken, 50)))


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
