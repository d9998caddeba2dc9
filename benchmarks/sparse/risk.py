"""Excess risk on planted problems: against n, against p, and beside Laplace noise with strong composition."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from benchmarks.sparse.accuracy import BARE, DELTA, Record
from benchmarks.sparse.tables import BOTH, POSITIVE, planted
from tacit import Approx, Domain, PrivateLasso
from tacit.mechanisms.lasso.candidates import SCORE_CHANGE
from tacit.mechanisms.lasso.l1_problem import L1Problem
from tacit.mechanisms.lasso.loss import ClippedSquared
from tacit.mechanisms.lasso.schedule import SCHEDULES
from tacit.mechanisms.lasso.sparse_scores import SparseScores
from tacit.mechanisms.lasso.vertex_scores import Walk
from tacit.mechanisms.problem import Shape
from tacit.rows import open_rows

SIZES = (5_000, 15_000, 50_000, 150_000)
SEEDS = {5_000: 96, 15_000: 48, 50_000: 24, 150_000: 12}  # of a full run: small tables vary most and cost least
COMPARED = SIZES[:3]  # the theorem's steps at 150,000 rows would take as long as all the rest
WIDTHS = (120, 1000, 10_000, 100_000, 1_000_000)
MOMENT = 0.2  # of a relevant column, known by construction
OURS = "PrivateLasso"


def against_rows(quick: bool) -> Iterator[Record]:
    """Risk for growing n at p = 1,000, its slope, and its ratio to that of the two Laplace versions."""
    found: dict[str, list[Mean]] = {}
    for method, fit in METHODS.items():
        sizes = SIZES if method == OURS else COMPARED
        share = (4 if quick else 1) * (1 if method == OURS else 8)
        found[method] = [_mean(fit, n, 1000, max(1, SEEDS[n] // share)) for n in sizes]
        for n, risk in zip(sizes, found[method], strict=True):
            yield {"part": "risk", "case": "against n", "method": method, "n": n, "p": 1000, **risk.record()}
    yield _slope("slope over n, coefficients 1/j", found[OURS], SIZES, "-0.5 to -0.8")
    ten = [_mean(_ours, n, 1000, SEEDS[n] // (8 if quick else 2), held=10) for n in COMPARED]
    yield _slope("slope over n, ten coefficients", ten, COMPARED, None)
    for method, risks in found.items():
        if method != OURS:
            logs = [math.log(ours.value / risk.value) for ours, risk in zip(found[OURS], risks, strict=False)]
            ratio = math.exp(float(np.mean(logs)))
            yield {"part": "risk", "case": "ratio of risks", "method": method, "value": ratio, "required": 0.6}


def against_width(quick: bool) -> Iterator[Record]:
    """Risk for growing p at n = 20,000, and how well a line in log p describes it."""
    means = [_mean(_ours, 20_000, p, 5 if quick else 12) for p in WIDTHS]
    for p, risk in zip(WIDTHS, means, strict=True):
        yield {"part": "risk", "case": "against p", "method": OURS, "n": 20_000, "p": p, **risk.record()}
    risks = [risk.value for risk in means]
    logs = np.log(2 * np.array(WIDTHS))
    line = np.polyval(np.polyfit(logs, risks, 1), logs)
    explained = 1 - np.sum((line - risks) ** 2) / np.sum((np.array(risks) - np.mean(risks)) ** 2)
    yield {"part": "risk", "case": "share explained by a line in log p", "method": OURS, "value": float(explained)}
    power = float(np.polyfit(np.log(WIDTHS), np.log(risks), 1)[0])
    yield {"part": "risk", "case": "slope of log risk over log p", "method": OURS, "value": power}


def signs_in_turn(quick: bool) -> Iterator[Record]:
    """Cells 0 and 1, n = 50,000, p = 1,000: what declaring them gains for coefficients of both signs and of one."""
    for name, coefficients in (("of both signs", BOTH), ("all positive", POSITIVE)):
        for radius in (1.0, 2.0):
            for declared in (False, True):
                fit = partial(_ours, nonnegative=declared, radius=radius)
                risk = _mean(fit, 50_000, 1000, 3 if quick else 12, cells=POSITIVE, coefficients=coefficients)
                method = f"{OURS}, nonnegative" if declared else OURS
                case = f"coefficients {name}, radius {radius:g}"
                yield {"part": "risk", "case": case, "method": method, "n": 50_000, "p": 1000, **risk.record()}


@dataclass(frozen=True)
class Mean:
    """The mean risk over seeds, with its standard error."""

    value: float
    error: float | None
    count: int

    def record(self) -> Record:
        return {"value": self.value, "standard error": self.error, "splits": self.count}


def _mean(fit: Callable[[Any, Any], float], n: int, p: int, seeds: int, **kind: Any) -> Mean:
    risks = [fit(*planted(n, p, seed, **kind)) for seed in range(seeds)]
    error = float(np.std(risks, ddof=1) / math.sqrt(seeds)) if seeds > 1 else None
    return Mean(float(np.mean(risks)), error, seeds)


def _slope(case: str, risks: list[Mean], sizes: tuple[int, ...], required: str | None) -> Record:
    """Least squares in logarithms; the error that the errors of the means make in it."""
    logs = np.log(sizes) - np.mean(np.log(sizes))
    weights = logs / np.sum(logs**2)
    slope = float(weights @ np.log([risk.value for risk in risks]))
    errors = [(risk.error or 0.0) / risk.value for risk in risks]
    return {
        "part": "risk",
        "case": case,
        "method": OURS,
        "value": slope,
        "standard error": float(np.linalg.norm(weights * errors)),
        "required": required,
    }


def _ours(X: Any, y: Any, **options: Any) -> float:
    model = PrivateLasso(privacy=Approx(1.0, DELTA), column_moment=MOMENT, **options).fit(X, y)
    return float(np.mean((X @ model.coef_ - y) ** 2) / 2)


def _laplace(X: Any, y: Any, steps: int) -> float:
    """Algorithm 2 of Talwar, Thakurta and Zhang with Laplace noise 2Δ/ε₀, Δ = 2·2c/n, and strong composition."""
    rng = np.random.default_rng()
    rows = open_rows(X, y, Domain("linf"), BARE)
    rule = SCHEDULES["frank-wolfe"]
    state = SparseScores(rows, Walk(ClippedSquared(2.0), rule, steps, 1.0, 1.0))
    scale = 2 * SCORE_CHANGE / strong_composition(1.0, DELTA, steps)
    atoms = np.zeros(X.shape[1])
    for step in range(1, steps + 1):
        state.refresh()
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
    problem = L1Problem(Shape.of(rows), ClippedSquared(2.0), 1.0, MOMENT)
    return problem.recommended_steps(Approx(1.0, DELTA).additive())


METHODS: dict[str, Callable[[Any, Any], float]] = {
    OURS: _ours,
    "Laplace, strong composition, T of theorem 2.5": lambda X, y: _laplace(X, y, round(X.shape[0] ** (2 / 3))),
    "Laplace, strong composition, our T": lambda X, y: _laplace(X, y, _recommended(X, y)),
}
