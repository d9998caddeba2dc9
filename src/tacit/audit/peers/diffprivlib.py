"""diffprivlib: its linear models, each on a pair of neighbours that shows a published defect, and a control.

The models run in a process of their own, under a given interpreter. The exact losses of logistic regression are those
of objective perturbation as diffprivlib 0.6 calibrates it: with c·R where the curvature of the loss is c·R².
"""

import json
import math
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from tacit.audit.cases import Case
from tacit.audit.lower_bound import bound_from_draws
from tacit.audit.scores import Score
from tacit.audit.tilted import TiltedLogistic, tilted_pair_loss, tilted_score
from tacit.errors import ParameterError
from tacit.noise import SystemEntropy

SCRIPT = Path(__file__).with_name("diffprivlib_runs.py")
CURVATURE = 0.25


@dataclass(frozen=True)
class Fits:
    """Many independent fits of one model on two neighbouring tables."""

    python: str
    model: str
    parameters: dict[str, Any]
    tables: tuple[tuple[Any, Any], tuple[Any, Any]]
    runs: int
    statistic: str = "coefficients"
    seeded: bool = False
    score: Score | None = None

    def __call__(self, confidence: float) -> float:
        """Lower bound on ε; both tables are fitted at the same time, each in its own process."""
        with TemporaryDirectory() as folder:
            places = [Path(folder) / f"{side}.npy" for side in (0, 1)]
            workers = [self._start(table, place) for table, place in zip(self.tables, places, strict=True)]
            failures = [worker.communicate()[1] for worker in workers]
            if any(worker.returncode for worker in workers):
                raise ParameterError(
                    f"the audited package failed under {self.python}: {failures[0].strip().splitlines()[-1:]}. "
                    'Give an interpreter with diffprivlib: pip install diffprivlib==0.6.6 "scikit-learn<1.7"'
                )
            first, second = (np.load(place) for place in places)
        return bound_from_draws(first, second, 1 - confidence, score=self.score)

    def _start(self, table: tuple[Any, Any], place: Path) -> "subprocess.Popen[str]":
        seeds = [int(word) for word in SystemEntropy().words(self.runs) >> np.uint64(33)]
        job = {
            "model": self.model,
            "parameters": self.parameters,
            "X": table[0],
            "y": table[1],
            "seeds": seeds if self.seeded else [None] * self.runs,
            "statistic": self.statistic,
        }
        worker = subprocess.Popen(
            [self.python, "-I", str(SCRIPT), str(place)],
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
        assert worker.stdin is not None
        worker.stdin.write(json.dumps(job))
        worker.stdin.flush()
        return worker


def diffprivlib_cases(python: str, effort: float = 1.0) -> list[Case]:
    """The published defects of version 0.6.6, and logistic regression with data_norm = 1 as a control."""

    def runs(count: int) -> int:
        return max(100, int(count * effort))

    linear = {"epsilon": 1.0, "bounds_X": [0.0, 1.0], "bounds_y": [0.0, 1.0], "fit_intercept": False}
    classes = {"epsilon": 1.0, "data_norm": 1.0, "fit_intercept": False, "n_jobs": 2}
    labels = [0, 1, 2, 0, 1, 2]
    nobody, somebody = [[0.0]] * 6, [[1.0]] + [[0.0]] * 5
    return [
        Case(
            "LinearRegression bounds (0, 1)",
            1.0,
            None,
            Fits(python, "LinearRegression", linear, (_column([0.01, 0.01]), _column([0.01, 1.0])), runs(1_000)),
        ),
        Case(
            "LinearRegression unclipped row",
            1.0,
            None,
            Fits(
                python,
                "LinearRegression",
                {**linear, "bounds_X": [-1.0, 1.0]},
                (_column([1.0, 1.0]), _column([1.0, 1e4])),
                runs(1_000),
            ),
        ),
        _logistic(python, radius=12.0, epsilon=0.9, C=0.13, runs=runs(18_000)),
        _logistic(python, radius=100.0, epsilon=1.0, C=1.0, runs=runs(4_000)),
        Case(
            "LogisticRegression n_jobs 2",
            1.0,
            None,
            Fits(
                python,
                "LogisticRegression",
                classes,
                ((nobody, labels), (somebody, labels)),
                runs(200),
                "contrasts",
                True,
            ),
        ),
        _logistic(python, radius=1.0, epsilon=1.0, C=1.0, runs=runs(4_000), name=" (control)"),
    ]


def _column(values: list[float]) -> tuple[list[list[float]], list[float]]:
    return [[value] for value in values], [1.0] * len(values)


def _logistic(python: str, *, radius: float, epsilon: float, C: float, runs: int, name: str = "") -> Case:
    """One row of full norm against a row of zeros; the other row only makes the second class exist."""
    scale, weight = _calibration(epsilon, radius, C, 2)
    laws = [TiltedLogistic(((x, 1.0), (0.0, -1.0)), weight, scale) for x in (0.0, radius)]
    tables = tuple(([[x], [0.0]], [1, 0]) for x in (0.0, radius))
    parameters = {"epsilon": epsilon, "data_norm": radius, "C": C, "fit_intercept": False}
    return Case(
        f"LogisticRegression data_norm {radius:g}{name}",
        epsilon,
        tilted_pair_loss(*laws),
        Fits(python, "LogisticRegression", parameters, (tables[0], tables[1]), runs, score=tilted_score(*laws)),
    )


def _calibration(epsilon: float, radius: float, C: float, n: int) -> tuple[float, float]:
    """(scale of the tilt, weight of θ²/2) as diffprivlib computes them."""
    left = epsilon - 2 * math.log1p(CURVATURE * radius * C)
    if left > 0:
        return 2 * radius / left, 1 / C
    raised = (CURVATURE * radius / math.expm1(epsilon / 4) - 1 / C) / n
    return 2 * radius / (epsilon / 2), 1 / C + n * raised
