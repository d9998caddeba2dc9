"""How long does a private fit take? Beside scikit-learn without privacy and diffprivlib, in the same run.

Fits are interleaved and the best of several counts. `ratio` compares wall-clock seconds, `cpu_ratio` processor seconds
of all threads, the steadier number on a busy machine. diffprivlib runs in its own environment and times itself.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression, Ridge

from benchmarks.peers import environment
from tacit import Approx, Domain, PrivateLogisticRegression, PrivateRidge, Pure

ROWS, COLUMNS = 100_000, 38
TIMED_PEER = Path(__file__).parent / "peers" / "diffprivlib_timer.py"
SOLVERS = ("lbfgs", "newton-cholesky")


class Seconds(NamedTuple):
    """Time by the clock on the wall, and of all processors together."""

    wall: float
    cpu: float


def run(quick: bool = True) -> list[dict[str, Any]]:
    """Seconds and ratios; `required` is the largest ratio that is good enough."""
    rounds = 5 if quick else 15
    X, labels, target = rows()
    domain = Domain(target=(-1.0, 1.0))
    seconds = best_of(
        {
            "tacit logistic, pure": lambda: PrivateLogisticRegression(
                privacy=Pure(1.0), domain=Domain(classes=(-1, 1))
            ).fit(X, labels),
            "tacit logistic, (ε, δ)": lambda: PrivateLogisticRegression(
                privacy=Approx(1.0, 1e-6), domain=Domain(classes=(-1, 1))
            ).fit(X, labels),
            **{f"scikit-learn {solver}": _plain_logistic(X, labels, solver) for solver in SOLVERS},
            "tacit ridge": lambda: PrivateRidge(privacy=Approx(1.0, 1e-6), domain=domain).fit(X, target),
            "scikit-learn Ridge, cholesky": lambda: Ridge(solver="cholesky").fit(X, target),
        },
        rounds,
    )
    fastest = min((f"scikit-learn {solver}" for solver in SOLVERS), key=lambda name: seconds[name].wall)
    records = [
        _record(name, seconds[name], fastest, seconds[fastest], 1.2)
        for name in ("tacit logistic, pure", "tacit logistic, (ε, δ)")
    ]
    ridge = "scikit-learn Ridge, cholesky"
    records.append(_record("tacit ridge", seconds["tacit ridge"], ridge, seconds[ridge], 1.5))
    if environment.has_diffprivlib():
        theirs = _diffprivlib_seconds(X, labels, rounds)
        records.append(
            _record("tacit logistic, pure", seconds["tacit logistic, pure"], "diffprivlib logistic", theirs, 1.0)
        )
    else:
        print("speed: diffprivlib left out: no environment for it; make one with python -m benchmarks.peers")
    return records


def rows() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Gaussian directions inside the unit ball with a logistic and a linear outcome."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((ROWS, COLUMNS))
    X /= np.linalg.norm(X, axis=1, keepdims=True) / rng.random((ROWS, 1))
    weights = rng.standard_normal(COLUMNS)
    scores = X @ weights
    labels = np.where(rng.random(ROWS) < 1 / (1 + np.exp(-3 * scores)), 1, -1)
    return X, labels, np.clip(scores / 4 + 0.1 * rng.standard_normal(ROWS), -1, 1)


def best_of(fits: dict[str, Callable[[], object]], rounds: int) -> dict[str, Seconds]:
    """Least seconds of each, taken in turns."""
    best = dict.fromkeys(fits, Seconds(float("inf"), float("inf")))
    for _ in range(rounds):
        for name, fit in fits.items():
            wall, cpu = time.perf_counter(), time.process_time()
            fit()
            wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
            best[name] = Seconds(min(best[name].wall, wall), min(best[name].cpu, cpu))
    return best


def _plain_logistic(X: np.ndarray, labels: np.ndarray, solver: str) -> Callable[[], object]:
    """Not private, to scikit-learn's own default tolerance."""
    return lambda: LogisticRegression(solver=solver, C=1.0).fit(X, labels)


def _diffprivlib_seconds(X: np.ndarray, labels: np.ndarray, rounds: int) -> Seconds:
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "rows.npz")
        np.savez(path, X=X, y=labels)
        command = [str(environment.ENVIRONMENT / "bin" / "python"), str(TIMED_PEER), str(path), str(rounds)]
        answer = subprocess.run(command, check=True, capture_output=True, text=True)
    return Seconds(**json.loads(answer.stdout))


def _record(name: str, seconds: Seconds, other: str, other_seconds: Seconds, required: float) -> dict[str, Any]:
    ratio = seconds.wall / other_seconds.wall
    return {
        "name": name,
        "n": ROWS,
        "d": COLUMNS,
        "seconds": seconds.wall,
        "other": other,
        "other_seconds": other_seconds.wall,
        "ratio": ratio,
        "cpu_ratio": seconds.cpu / other_seconds.cpu,
        "required": required,
        "reached": ratio <= required,
    }


if __name__ == "__main__":
    for record in run("--full" not in sys.argv):
        print(record)
