"""Who was in the training table? Attacks on handwritten digits (3 against 8; pixels have public bounds), and the bound.

Pools of 120 persons' digits, half of them members. One row a model and attack: area under the curve, the largest
difference between members and others found, and the most that ε allows. `python -m benchmarks membership [--full]`
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression

from tacit.attacks import LikelihoodRatio, LossThreshold, Roc, membership
from tacit.domain import Domain
from tacit.estimators import PrivateLogisticRegression
from tacit.privacy import Pure

POOL = 120
EPSILONS = (1.0, 4.0)


def run(quick: bool = False) -> list[dict[str, Any]]:
    """One row per model and attack."""
    trials = 20 if quick else 200
    return [
        {
            "model": name,
            "epsilon": epsilon,
            "attack": type(attack).__name__,
            "area": roc.area,
            "advantage": roc.advantage,
            "allowed": math.tanh(epsilon / 2),
        }
        for name, epsilon, attack, roc in _curves(trials)
    ]


def plot(rows: list[dict[str, Any]], directory: Path) -> None:
    """membership.png: curves of the likelihood ratio, with the bound of ε = 1."""
    axes_of = Figure(figsize=(10, 4.5), layout="constrained")
    for axes, (name, epsilon, _, roc) in zip(axes_of.subplots(1, 2), _curves(40)[1::2], strict=False):
        roc.plot(axes, Pure(epsilon if math.isfinite(epsilon) else EPSILONS[0]), label="likelihood ratio")
        axes.set_title(name)
    axes_of.savefig(directory / "membership.png", dpi=80)


def _curves(trials: int) -> list[tuple[str, float, Any, Roc]]:
    X, y = _pool()
    models: dict[str, tuple[float, Any]] = {"non-private": (math.inf, LogisticRegression(C=100.0, max_iter=500))}
    for epsilon in EPSILONS:
        private = PrivateLogisticRegression(privacy=epsilon, domain=Domain(classes=(0, 1)))
        models[f"private, ε = {epsilon:g}"] = (epsilon, private)
    return [
        (name, epsilon, attack, membership(model, X, y, attack=attack, trials=trials).roc)
        for name, (epsilon, model) in models.items()
        for attack in (LossThreshold(), LikelihoodRatio(2 * trials))
    ]


def _pool() -> tuple[Any, Any]:
    """Pixels from 0 to 16, 64 of them: dividing by 128 puts every image in the unit ball."""
    digits = load_digits()
    chosen = np.flatnonzero(np.isin(digits.target, (3, 8)))[:POOL]
    return digits.data[chosen] / 128, (digits.target[chosen] == 8).astype(int)
