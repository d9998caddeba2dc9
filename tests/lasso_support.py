"""Independent arithmetic for the tests of private Frank–Wolfe: rows replayed one by one, laws by enumeration."""

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy import stats
from scipy.special import logsumexp

from tacit.domain import Domain, Geometry
from tacit.mechanisms.lasso.candidates import BOTH_SIGNS, Candidates
from tacit.mechanisms.lasso.frank_wolfe import VertexFrankWolfe
from tacit.mechanisms.lasso.l1_problem import L1Problem
from tacit.mechanisms.lasso.loss import ClippedLogistic, ClippedLoss, ClippedSquared
from tacit.mechanisms.lasso.schedule import SCHEDULES
from tacit.mechanisms.problem import Shape
from tacit.privacy import ZCDP, Pure
from tacit.rows import Rows, open_rows

FALSE_ALARM = 1e-9
UNITS = 2**14
BARE = Geometry(constant=None, clip=None)
LOSSES: dict[str, ClippedLoss] = {"logistic": ClippedLogistic(), "squared": ClippedSquared()}

Path = tuple[tuple[int, int], ...]


def rows_of(X: Any, y: Any, loss: str = "logistic", *, sparse: bool = True) -> Rows:
    """Rows with cells in [−1, 1], as they are; labels ±1 or a target in [−1, 1]."""
    domain = Domain("linf", classes=(-1, 1) if loss == "logistic" else None)
    table = sp.csr_array(X) if sparse else (X.toarray() if sp.issparse(X) else np.asarray(X, float))
    rows = open_rows(table, np.asarray(y), domain, BARE)
    return rows.one_vs_rest(1) if loss == "logistic" else rows


def mechanism(
    rows: Rows,
    charge: Pure | ZCDP,
    steps: int,
    *,
    loss: str = "logistic",
    radius: float = 2.0,
    candidates: Candidates = BOTH_SIGNS,
    **options: Any,
) -> VertexFrankWolfe:
    options["schedule"] = SCHEDULES[options.get("schedule", "stagewise")]
    problem = L1Problem(Shape.of(rows), LOSSES[loss], radius, candidates=candidates)
    return VertexFrankWolfe(problem, charge, steps, **options)


def small_table(seed: int, n: int, p: int, loss: str) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((n, p)) < 0.6, rng.integers(-4, 5, (n, p)) / 4, 0.0)
    return X, rng.choice([-1.0, 1.0], n) if loss == "logistic" else rng.integers(-4, 5, n) / 4


def weight_and_total(schedule: str, step: int, steps: int) -> tuple[int, int]:
    return {
        "stagewise": (1, steps),
        "uniform": (1, max(step, 1)),
        "frank-wolfe": (step, max(step * (step + 1) // 2, 1)),
    }[schedule]


def row_units(
    x: Any, y: float, path: Path, *, loss: str, schedule: str, steps: int, radius: float, grain: int = 1
) -> int:
    """D of one row after a path, from that row alone."""
    held = sum(weight_and_total(schedule, t, steps)[0] * s * round(x[j] * UNITS) for t, (j, s) in enumerate(path, 1))
    total = weight_and_total(schedule, len(path), steps)[1]
    score = held * (radius / (total * UNITS))
    if loss == "squared":
        return grain * round(min(max(score - y, -1.0), 1.0) * UNITS / grain)
    margin = round(y * score * 4096) / 4096
    return grain * round(-y * min(1 / (1 + math.exp(margin)), 0.5) / 0.5 * UNITS / grain)


def integer_scores(X: Any, y: Any, path: Path, **how: Any) -> np.ndarray[Any, Any]:
    """G after a path, in Python's own integers."""
    units = [row_units(x, float(target), path, **how) for x, target in zip(X, y, strict=True)]
    return np.array([sum(d * round(x[j] * UNITS) for d, x in zip(units, X, strict=True)) for j in range(X.shape[1])])


def transcript_law(
    X: Any, y: Any, scale: float, steps: int, candidates: Candidates = BOTH_SIGNS, **how: Any
) -> dict[Path, float]:
    """The probability of every transcript: one exponential mechanism after the other. Cells are taken as they are."""
    law: dict[Path, float] = {(): 1.0}
    for step in range(1, steps + 1):
        vertices = list(itertools.product(range(X.shape[1]), candidates.signs(step)))
        longer: dict[Path, float] = {}
        for path, mass in law.items():
            G = integer_scores(X, y, path, steps=steps, **how)
            merits = np.array([-s * int(G[j]) / scale for j, s in vertices])
            weights = np.exp(merits - merits.max())
            for vertex, w in zip(vertices, weights / weights.sum(), strict=True):
                longer[(*path, vertex)] = mass * float(w)
        law = longer
    return law


def check_frequencies(counts: Counter[Any], law: dict[Any, float]) -> None:
    """Chi-square against a law, rare cells together; false alarm below 1e-9."""
    total = sum(counts.values())
    assert set(counts) <= set(law)
    common = [cell for cell, mass in law.items() if mass * total >= 10]
    observed = [counts[cell] for cell in common]
    expected = [law[cell] * total for cell in common]
    rest = total - sum(expected)
    rare = total - sum(observed)
    if rest >= 10:
        observed.append(rare)
        expected.append(rest)
    else:
        assert rare <= 45, "a Poisson variable of mean 10 is larger with probability below 1e-15"
    if len(expected) == 1:
        return
    difference = np.subtract(observed, expected)
    statistic = float(np.sum(difference**2 / np.array(expected)))
    assert stats.chi2.sf(statistic, len(expected) - 1) > FALSE_ALARM


def renyi(first: Sequence[float], second: Sequence[float], order: float) -> float:
    exponents = order * np.log(first) + (1 - order) * np.log(second)
    return float(logsumexp(exponents) / (order - 1))
