"""How long does a private fit take? Beside scikit-learn without privacy and diffprivlib, in the same run.

Fits are interleaved and the best of several counts: a busy machine slows everybody, the ratio stays. diffprivlib runs
in its own environment and times itself; scikit-learn is timed there too, so that its ratio has one machine and moment.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression, Ridge

from benchmarks.peers import environment
from tacit import Approx, Domain, PrivateLogisticRegression, PrivateRidge, Pure

ROWS, COLUMNS = 100_000, 38
TIMED_PEER = Path(__file__).parent / "peers" / "diffprivlib_timer.py"
SOLVERS = ("lbfgs", "newton-cholesky")


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
    fastest = min((f"scikit-learn {solver}" for solver in SOLVERS), key=lambda name: seconds[name])
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


def best_of(fits: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Least wall-clock seconds of each, taken in turns."""
    best = dict.fromkeys(fits, float("inf"))
    for _ in range(rounds):
        for name, fit in fits.items():
            started = time.perf_counter()
            fit()
            best[name] = min(best[name], time.perf_counter() - started)
    return best


def _plain_logistic(X: np.ndarray, labels: np.ndarray, solver: str) -> Callable[[], object]:
    """Not private, to scikit-learn's own default tolerance."""
    return lambda: LogisticRegression(solver=solver, C=1.0).fit(X, labels)


def _diffprivlib_seconds(X: np.ndarray, labels: np.ndarray, rounds: int) -> float:
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "rows.npz")
        np.savez(path, X=X, y=labels)
        command = [str(environment.ENVIRONMENT / "bin" / "python"), str(TIMED_PEER), str(path), str(rounds)]
        answer = subprocess.run(command, check=True, capture_output=True, text=True)
    return float(json.loads(answer.stdout)["seconds"])


def _record(name: str, seconds: float, other: str, other_seconds: float, required: float) -> dict[str, Any]:
    ratio = seconds / other_seconds
    return {
        "name": name,
        "n": ROWS,
        "d": COLUMNS,
        "seconds": seconds,
        "other": other,
        "other_seconds": other_seconds,
        "ratio": ratio,
        "required": required,
        "reached": ratio <= required,
    }


if __name__ == "__main__":
    for record in run("--full" not in sys.argv):
        print(record)
