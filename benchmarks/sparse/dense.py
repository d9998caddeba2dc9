"""Dense rows: kept cells beside a pass over the rows for each step, and the model beside ridge, in one run.

The table is made up: 45 correlated numbers in [−1, 1], all of which matter, which is what dense tables are like. The
ratio of times is the one to look at.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from benchmarks.sparse.accuracy import DELTA, Record
from tacit import Approx, Domain, PrivateLasso, PrivateRidge
from tacit.mechanisms.lasso import frank_wolfe, vertex_scores

ROWS, COLUMNS = 195_000, 45
RADII = (1.0, 3.0)
METHODS = {"cells kept": vertex_scores.KeptScores, "a pass for each step": vertex_scores.FreshScores}


def dense(quick: bool) -> Iterator[Record]:
    """Seconds of both ways with the same seed, and R² of PrivateLasso and PrivateRidge at ε = 1, δ = 1e-6."""
    X, y = _table(ROWS // 5 if quick else ROWS)
    common = {"privacy": Approx(1.0, DELTA), "domain": Domain("linf", classes=None)}
    case = f"dense, n = {len(X):,}, p = {COLUMNS}"
    chosen = frank_wolfe.scores_of
    for method, scores in METHODS.items():
        frank_wolfe.scores_of = scores
        model = PrivateLasso(**common, random_state=0)
        start = time.perf_counter()
        model.fit(X, y)
        seconds = time.perf_counter() - start
        yield {"part": "dense", "case": case, "method": method, "steps": model.steps_, "value": seconds}
    frank_wolfe.scores_of = chosen
    models = {f"PrivateLasso(radius={radius:g})": PrivateLasso(**common, radius=radius) for radius in RADII}
    for method, model in {**models, "PrivateRidge": PrivateRidge(**common)}.items():
        r2 = [model.fit(X, y).score(X, y) for _ in range(3)]
        yield {"part": "dense", "case": f"{case}, R²", "method": method, "value": float(np.mean(r2))}


def _table(n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(45)
    common = rng.normal(size=(n, 3)) @ rng.normal(size=(3, COLUMNS))
    X = np.clip((common + rng.normal(size=(n, COLUMNS))) / 6, -1, 1)
    signal = X @ rng.normal(size=COLUMNS)
    return X, np.clip((signal + signal.std() * rng.normal(size=n)) / (6 * signal.std()), -1, 1)
