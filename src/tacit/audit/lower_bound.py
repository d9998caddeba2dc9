"""A lower bound on ε from runs on two neighbouring tables, right with a stated confidence whatever the score.

If a mechanism is (ε, δ)-private, every event E has P(E) ≤ e^ε Q(E) + δ for its laws P and Q on neighbours. Half of the
runs choose a score, a threshold and a direction: one event E. The other half, not looked at before, gives
Clopper-Pearson limits, each wrong with probability at most α/2, and

    ε ≥ log((p_lo − δ)/q_hi)    with probability at least 1 − α. By `audit-lower-bound`.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.audit.interval import Floats, at_least, at_most
from tacit.audit.scores import Score, learned_score
from tacit.audit.targets import draw
from tacit.errors import ParameterError

THRESHOLDS = 400


@dataclass(frozen=True)
class Event:
    """{sign · score ≥ threshold}; likelier under the second table if sign is +1, under the first if it is −1."""

    score: Score
    sign: float
    threshold: float

    def hits(self, outputs: Floats) -> int:
        return int(np.count_nonzero(self.sign * self.score(outputs) >= self.threshold))


def lower_bound(
    target: Any,
    pair: tuple[Any, Any],
    runs: int = 20_000,
    confidence: float = 0.999,
    *,
    delta: float = 0.0,
    score: Score | None = None,
) -> float:
    """ε that `target` certainly spends on this pair of neighbours, up to the stated confidence; at least 0.

    target: a mechanism, an estimator, or any function; see `tacit.audit.draw` for what each is given.
    pair: two neighbouring tables. runs: how often each is run. delta: the δ of the claim that is audited.
    score: maps an array of outputs (one row each) to one number each; None learns one from half of the runs.
    By `audit-lower-bound`.
    """
    if not 0 < confidence < 1:
        raise ParameterError(f"confidence must lie between 0 and 1, got {confidence!r}")
    if not 0 <= delta < 1:
        raise ParameterError(f"delta must lie in [0, 1), got {delta!r}")
    if runs < 4:
        raise ParameterError(f"runs must be at least 4, half of them to choose an event, got {runs!r}")
    first, second = (draw(target, table, runs) for table in pair)
    return bound_from_draws(first, second, 1 - confidence, delta=delta, score=score)


def bound_from_draws(
    first: Floats, second: Floats, alpha: float, *, delta: float = 0.0, score: Score | None = None
) -> float:
    """The same from outputs at hand, one row per independent run. By `audit-lower-bound`."""
    first, second = _finite_columns(first), _finite_columns(second)
    half = min(len(first), len(second)) // 2
    event = choose_event(first[:half], second[:half], alpha, delta, score)
    fresh_first, fresh_second = first[half:], second[half:]
    inside, outside = (fresh_second, fresh_first) if event.sign > 0 else (fresh_first, fresh_second)
    low = float(at_least(event.hits(inside), len(inside), alpha / 2))
    high = float(at_most(event.hits(outside), len(outside), alpha / 2))
    return max(0.0, math.log((low - delta) / high)) if low > delta else 0.0


def choose_event(first: Floats, second: Floats, alpha: float, delta: float, score: Score | None) -> Event:
    """The event with the best bound on these draws, which must not be used again."""
    score = learned_score(first, second) if score is None else score
    scores = score(first), score(second)
    upward = _best_threshold(scores[1], scores[0], alpha, delta)
    downward = _best_threshold(-scores[0], -scores[1], alpha, delta)
    sign, (_, threshold) = max(((1.0, upward), (-1.0, downward)), key=lambda choice: choice[1][0])
    return Event(score, sign, threshold)


def _best_threshold(inside: Floats, outside: Floats, alpha: float, delta: float) -> tuple[float, float]:
    """(bound on these draws, threshold) for {value ≥ threshold}, likelier for `inside`."""
    shares = np.geomspace(min(0.5, 5 / len(inside)), 1.0, THRESHOLDS)
    thresholds = np.unique(np.quantile(inside, 1 - shares, method="lower"))
    low = at_least(_reaching(inside, thresholds), len(inside), alpha / 2)
    high = at_most(_reaching(outside, thresholds), len(outside), alpha / 2)
    bounds = np.log(np.maximum(low - delta, 1e-300) / high)
    best = int(np.argmax(bounds))
    return float(bounds[best]), float(thresholds[best])


def _reaching(values: Floats, thresholds: Floats) -> Floats:
    return np.asarray(len(values) - np.searchsorted(np.sort(values), thresholds), dtype=float)


def _finite_columns(outputs: Floats) -> Floats:
    """Outputs as a table; NaN and infinities are outputs too, and become the largest numbers."""
    table = np.asarray(outputs, dtype=float)
    return np.nan_to_num(table.reshape(len(table), -1), nan=1e300, posinf=1e299, neginf=-1e299)
