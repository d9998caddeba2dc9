"""Certified solving against scikit-learn, in one process, with the same threads and the same rows.

The library solves to a proved distance, certificate included, and encodes and clips the rows in every pass.
scikit-learn's newton-cholesky runs with its default tolerance on rows that are already encoded.

    python benchmarks/solvers.py [--quick]
"""

import argparse
import json
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from tacit.domain import Domain, Geometry
from tacit.losses import Logistic, Squared
from tacit.mechanisms.erm.hinge import HingeRisk
from tacit.mechanisms.erm.risk import EmpiricalRisk
from tacit.rows import Rows, open_rows
from tacit.solvers import Solution, minimise, minimise_hinge

SIZES = [(100_000, 38), (450_000, 10), (1_000_000, 50)]
REPEATS = 5


def table(n: int, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows in the unit ball and labels of a logistic model; `width` counts the intercept."""
    rng = np.random.default_rng(0)
    d = width - 1
    X = rng.normal(size=(n, d)) / np.sqrt(d)
    X /= np.maximum(1.0, np.linalg.norm(X, axis=1))[:, None]
    scores = X @ rng.normal(size=d) * 8.0 / 3.0
    return X, (rng.random(n) < 1.0 / (1.0 + np.exp(-scores))).astype(np.int64)


def opened(X: np.ndarray, y: np.ndarray) -> Rows:
    return open_rows(X, y, Domain(classes=(0, 1)), Geometry()).one_vs_rest(1)


def alternately(first: Callable[[], Any], second: Callable[[], Any]) -> dict[str, float]:
    """Best wall times of both, and medians of the ratios of neighbouring runs: other load hits both alike.

    `cpu_ratio` compares processor time; on a busy machine it is the steadier number.
    """
    wall: tuple[list[float], list[float]] = ([], [])
    cpu: tuple[list[float], list[float]] = ([], [])
    first(), second()
    for _ in range(REPEATS):
        for which, work in enumerate((first, second)):
            start, start_cpu = time.perf_counter(), time.process_time()
            work()
            wall[which].append(time.perf_counter() - start)
            cpu[which].append(time.process_time() - start_cpu)
    return {
        "seconds": min(wall[0]),
        "other_seconds": min(wall[1]),
        "ratio": statistics.median(a / b for a, b in zip(*wall, strict=True)),
        "cpu_ratio": statistics.median(a / b for a, b in zip(*cpu, strict=True)),
    }


def logistic(n: int, width: int, l2: float) -> dict[str, Any]:
    """Certified logistic minimum against LogisticRegression(solver="newton-cholesky")."""
    X, y = table(n, width)
    rows = opened(X, y)
    encoded = np.hstack([X, np.ones((n, 1))]) / np.sqrt(2.0)

    def certified() -> Solution:
        risk = EmpiricalRisk(rows, Logistic(), l2)
        return minimise(risk, risk.bounds.tolerance())

    def oracle() -> LogisticRegression:
        return LogisticRegression(C=1.0 / (l2 * n), solver="newton-cholesky", fit_intercept=False).fit(encoded, y)

    timing = alternately(certified, oracle)
    solution, fitted = certified(), oracle().coef_[0]
    return {
        "task": "logistic",
        "n": n,
        "d": width,
        "l2": l2,
        **timing,
        "certified_distance": solution.distance,
        "share_of_sensitivity": solution.distance * l2 * n / 2.0,
        "sklearn_distance": float(np.linalg.norm(fitted - solution.theta)),
    }


def hinge(n: int, width: int, l2: float) -> dict[str, Any]:
    """Certified hinge minimum against LinearSVC(loss="hinge"), which returns no certificate."""
    X, y = table(n, width)
    rows = opened(X, y)
    encoded = np.hstack([X, np.ones((n, 1))]) / np.sqrt(2.0)

    def certified() -> Solution:
        risk = HingeRisk(rows, l2)
        return minimise_hinge(risk, risk.bounds.tolerance())

    def oracle() -> LinearSVC:
        return LinearSVC(C=1.0 / (l2 * n), loss="hinge", fit_intercept=False, max_iter=20_000).fit(encoded, y)

    timing = alternately(certified, oracle)
    return {
        "task": "hinge",
        "n": n,
        "d": width,
        "l2": l2,
        **timing,
        "share_of_sensitivity": certified().distance * l2 * n / 2.0,
    }


def squared(n: int, width: int, l2: float) -> dict[str, Any]:
    """Certified ridge minimum, which reads the rows once, against one plain Gram matrix of them."""
    X, y = table(n, width)
    rows = open_rows(X, 2.0 * y - 1.0, Domain(), Geometry())

    def certified() -> Solution:
        risk = EmpiricalRisk(rows, Squared(), l2)
        return minimise(risk, risk.bounds.tolerance())

    timing = alternately(certified, lambda: X.T @ X)
    return {"task": "squared", "n": n, "d": width, "l2": l2, **timing}


def run(quick: bool) -> list[dict[str, Any]]:
    """All measurements."""
    results = [logistic(n, width, 1e-4) for n, width in SIZES]
    results.append(hinge(*((10_000, 10) if quick else (100_000, 40)), 1e-3))
    results.append(squared(*SIZES[0], 1e-3))
    return results


def main() -> None:
    """Print one line of JSON per measurement."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    for result in run(parser.parse_args().quick):
        print(json.dumps(result))


if __name__ == "__main__":
    main()
