"""A lower bound on ε from runs on two neighbouring tables, right with a stated confidence whatever the score.

If a mechanism is (ε, δ)-private, every event E has P(E) ≤ e^ε Q(E) + δ for its laws P and Q on neighbours. Some of
the runs choose a score, a threshold and a direction: one event E. The others, not looked at before, give
Clopper-Pearson limits, each wrong with probability at most α/2, and

    ε ≥ log((p_lo − δ)/q_hi)    with probability at least 1 − α. By `audit-lower-bound`.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.arithmetic import Floats
from tacit.audit.interval import at_least, at_most
from tacit.audit.scores import Score, learned_score
from tacit.audit.targets import draw
from tacit.errors import ParameterError

THRESHOLDS = 400
TO_LEARN_A_SCORE = 0.5
TO_CHOOSE_A_THRESHOLD = 0.2
CAUTION = 0.05


@dataclass(frozen=True)
class Event:
    """{sign · score ≥ threshold}, which looked likelier on one of the two tables."""

    score: Score
    sign: float
    threshold: float
    likelier_on_second: bool

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
    score: maps an array of outputs (one row each) to one number each; None learns one from half of the runs; choosing a
    threshold for a given score takes a fifth.
    By `audit-lower-bound`.
    """
    if not 0 < confidence < 1:
        raise ParameterError(f"confidence must lie between 0 and 1, got {confidence!r}")
    if not 0 <= delta < 1:
        raise ParameterError(f"delta must lie in [0, 1), got {delta!r}")
    if runs < 4:
        raise ParameterError(f"runs must be at least 4, some of them to choose an event, got {runs!r}")
    first, second = (draw(target, table, runs) for table in pair)
    return bound_from_draws(first, second, 1 - confidence, delta=delta, score=score)


def bound_from_draws(
    first: Floats, second: Floats, alpha: float, *, delta: float = 0.0, score: Score | None = None
) -> float:
    """The same from outputs at hand, one row per independent run. By `audit-lower-bound`."""
    first, second = _finite_columns(first), _finite_columns(second)
    share = TO_LEARN_A_SCORE if score is None else TO_CHOOSE_A_THRESHOLD
    used = max(1, int(share * min(len(first), len(second))))
    fresh_first, fresh_second = first[used:], second[used:]
    event = choose_event(first[:used], second[:used], len(fresh_first), alpha, delta, score)
    inside, outside = (fresh_second, fresh_first) if event.likelier_on_second else (fresh_first, fresh_second)
    low = float(at_least(event.hits(inside), len(inside), alpha / 2))
    high = float(at_most(event.hits(outside), len(outside), alpha / 2))
    return max(0.0, math.log((low - delta) / high)) if low > delta else 0.0


def choose_event(first: Floats, second: Floats, fresh: int, alpha: float, delta: float, score: Score | None) -> Event:
    """The event that promises the best bound from `fresh` other runs; these draws must not be used again."""
    score = learned_score(first, second) if score is None else score
    scores = score(first), score(second)
    choices = []
    for sign in (1.0, -1.0):
        for second_inside in (True, False):
            inside, outside = (scores[1], scores[0]) if second_inside else scores
            promised, threshold = _best_threshold(sign * inside, sign * outside, fresh, alpha, delta)
            choices.append((promised, Event(score, sign, threshold, second_inside)))
    return max(choices, key=lambda choice: choice[0])[1]


def _best_threshold(inside: Floats, outside: Floats, fresh: int, alpha: float, delta: float) -> tuple[float, float]:
    """(promised bound, threshold) for {value ≥ threshold}, likelier for `inside`.

    Promised: what `fresh` runs would give if the two probabilities were a little worse than they look here.
    """
    shares = np.geomspace(min(0.5, 5 / len(inside)), 1.0, THRESHOLDS)
    thresholds = np.unique(np.quantile(inside, 1 - shares, method="lower"))
    likely = at_least(_reaching(inside, thresholds), len(inside), CAUTION)
    unlikely = at_most(_reaching(outside, thresholds), len(outside), CAUTION)
    low = at_least(fresh * likely, fresh, alpha / 2)
    high = at_most(fresh * unlikely, fresh, alpha / 2)
    bounds = np.log(np.maximum(low - delta, 1e-300) / high)
    best = int(np.argmax(bounds))
    return float(bounds[best]), float(thresholds[best])


def _reaching(values: Floats, thresholds: Floats) -> Floats:
    return np.asarray(len(values) - np.searchsorted(np.sort(values), thresholds), dtype=float)


def _finite_columns(outputs: Floats) -> Floats:
    """Outputs as a table; NaN and infinities are outputs too, and become the largest numbers."""
    table = np.asarray(outputs, dtype=float)
    return np.asarray(np.nan_to_num(table.reshape(len(table), -1), nan=1e300, posinf=1e299, neginf=-1e299))
