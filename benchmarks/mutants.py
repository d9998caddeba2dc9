"""Which auditor finds which mistake: published defects and textbook slips, each beside the correct code.

Auditors: the law test (draws against the law), the pair loss (runs on neighbours against the exact loss), the grey box
(same bits on neighbours), the low bits (reachability). A cell says found or missed, or is empty where the auditor does
not apply; `control` is what the same auditors say of the correct code. `python -m benchmarks mutants`
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import gamma, laplace, norm

from tacit import noise
from tacit.audit import Batches, Declared, law_holds, lower_bound, pair_loss, reachability, replay
from tacit.audit.tilted import TiltedLogistic, tilted_pair_loss, tilted_score

RNG = np.random.default_rng()
ENTROPY = noise.SystemEntropy()
AUDITORS = ("law", "pair loss", "grey box", "low bits")
CONFIDENCE = 1 - 1e-9
GRID = 2.0**-18

Alarm = Callable[[bool], bool]  # wrong ↦ whether the auditor raised an alarm


@dataclass(frozen=True)
class Mutant:
    """A mistake; for each auditor that applies, a function that runs it on the wrong or on the correct code."""

    name: str
    alarms: dict[str, Alarm]

    def row(self) -> dict[str, Any]:
        cells = dict.fromkeys(AUDITORS, "")
        cells |= {auditor: "found" if alarm(True) else "missed" for auditor, alarm in self.alarms.items()}
        quiet = not any(alarm(False) for alarm in self.alarms.values())
        return {"mutant": self.name, **cells, "control": "silent" if quiet else "ALARM"}


def run(quick: bool = False) -> list[dict[str, Any]]:
    """One row a mutant."""
    runs = 400_000 if quick else 2_000_000
    mutants = [*_noise_mutants(runs), *_selection_mutants(runs), *_release_mutants(runs), *_behaviour_mutants()]
    return [mutant.row() for mutant in mutants]


# ---------------------------------------------------------------- noise added to a vector, Laplace of scale 1, ε = 1


def _exact(values: Any, entropy: noise.Entropy) -> Any:
    return noise.laplace(values, 1.0, entropy)


def _half(values: Any, entropy: noise.Entropy) -> Any:
    return noise.laplace(values, 0.5, entropy)


def _textbook(values: Any, entropy: noise.Entropy) -> Any:
    return values + RNG.laplace(0.0, 1.0, np.shape(values))


def _one_draw(values: Any, entropy: noise.Entropy) -> Any:
    return np.asarray(values) + noise.laplace([0.0], 1.0, entropy)[0]


def _truncated(values: Any, entropy: noise.Entropy) -> Any:
    return np.asarray(values) + np.trunc(noise.laplace(np.zeros(np.shape(values)), 1.0, entropy))


def _few_seeds(values: Any, entropy: noise.Entropy) -> Any:
    seed = int(entropy.words(1)[0] % np.uint64(256))
    return noise.laplace(values, 1.0, noise.SeededEntropy(seed))


def _scale_as_location(values: Any, entropy: noise.Entropy) -> Any:
    return np.asarray(values) + 3.0 + noise.laplace(np.zeros(np.shape(values)), 0.25, entropy)


def _noise_mutants(runs: int) -> list[Mutant]:
    def additive(name: str, mutant: Any) -> Mutant:
        def add(wrong: bool) -> Any:
            return mutant if wrong else _exact

        def vectors(wrong: bool) -> Batches:
            return Batches(lambda v, count: np.array([add(wrong)(v, ENTROPY) for _ in range(count)]))

        pair = (np.zeros(2), np.array([1.0, 0.0]))
        some = runs // 80
        return Mutant(
            name,
            {
                "law": lambda wrong: (
                    not law_holds([add(wrong)(np.zeros(2), ENTROPY)[0] for _ in range(some)], laplace.cdf)
                ),
                "pair loss": lambda wrong: lower_bound(vectors(wrong), pair, some, CONFIDENCE) > 1,
                "grey box": lambda wrong: not replay(Declared("sum", add(wrong), "l1", 1.0, GRID), pair).holds,
                "low bits": lambda wrong: reachability(lambda v: add(wrong)(v, ENTROPY), pair, 400, scale=1.0) > 1,
            },
        )

    def radius(wrong: bool) -> Any:
        draws = [noise.spherical_laplace(np.zeros(50), 0.5 if wrong else 1.0, ENTROPY) for _ in range(400)]
        return np.linalg.norm(draws, axis=1)

    def ball(centre: float, count: int, scale: float) -> Any:
        directions = RNG.normal(size=(count, 50))
        directions *= (RNG.gamma(50, scale, count) / np.linalg.norm(directions, axis=1))[:, None]
        return directions + centre * np.eye(50)[0]

    def towards(outputs: Any) -> Any:
        return np.linalg.norm(outputs, axis=1) - np.linalg.norm(outputs - np.eye(50)[0], axis=1)

    def gaussian(wrong: bool, centre: float, count: int) -> Any:
        """μ of Gaussian differential privacy used as the noise multiplier instead of 1/μ."""
        return noise.gaussian(np.full(count, centre), 0.24 if wrong else 1 / 0.24, ENTROPY)

    def brownian(wrong: bool) -> Any:
        """Variances 0.04 and 0.01: a step up with standard deviation dt = 0.03 instead of √dt."""
        if not wrong:
            return noise.BrownianLadder(np.zeros(runs), [0.04, 0.01], ENTROPY).release(0)
        return noise.gaussian(np.zeros(runs), 0.1, ENTROPY) + noise.gaussian(np.zeros(runs), 0.03, ENTROPY)

    return [
        additive("half the noise", _half),
        additive("textbook noise in floating point", _textbook),
        additive("one draw for the whole vector", _one_draw),
        additive("noise truncated to integers", _truncated),
        additive("256 seeds", _few_seeds),
        additive("scale passed as location", _scale_as_location),
        Mutant(
            "spherical noise, d = 50, halved",
            {
                "law": lambda wrong: not law_holds(radius(wrong), gamma(50).cdf),
                "pair loss": lambda wrong: (
                    lower_bound(
                        Batches(lambda c, k: ball(c, k, 0.5 if wrong else 1.0)), (0.0, 1.0), runs // 10, score=towards
                    )
                    > 1
                ),
            },
        ),
        Mutant(
            "Gaussian multiplier inverted",
            {
                "law": lambda wrong: not law_holds(gaussian(wrong, 0.0, runs), norm(0, 1 / 0.24).cdf),
                "pair loss": lambda wrong: (
                    lower_bound(Batches(lambda c, k: gaussian(wrong, c, k)), (0.0, 1.0), runs, delta=1e-5)
                    > pair_loss.gaussian_pair_loss(1.0, 1 / 0.24, 1e-5)
                ),
            },
        ),
        Mutant(
            "Brownian step: dt for √dt",
            {"law": lambda wrong: not law_holds(brownian(wrong), norm(0, 0.2).cdf)},
        ),
    ]


# ---------------------------------------------------------------- selection, AboveThreshold, ladders


def _selection_mutants(runs: int) -> list[Mutant]:
    scores = ([0.0, 1.0, 1.0], [1.0, 0.0, 0.0])
    exact = pair_loss.largest_log_ratio(*(pair_loss.exponential_law(s, 2.0) for s in scores))
    queries = ((*[0.0] * 7, 1.0), (*[1.0] * 7, 0.0))
    stops = pair_loss.largest_log_ratio(*(pair_loss.above_threshold_law(q, 0.5, 2.0, 4.0) for q in queries))

    def first_above(query_scale: float, noisy_threshold: bool) -> Batches:
        def sample(values: Any, count: int) -> Any:
            threshold = 0.5 + (RNG.laplace(0, 2.0, count) if noisy_threshold else np.zeros(count))
            hits = np.asarray(values) + RNG.laplace(0, query_scale, (count, 8)) >= threshold[:, None]
            return np.where(hits.any(axis=1), hits.argmax(axis=1), 8)

        return Batches(sample)

    def select(wrong: bool) -> Any:
        return lambda s: noise.exponential_mechanism(s, 1.0 if wrong else 2.0, ENTROPY)

    def ladder(kept: float | None) -> Batches:
        """(finest level, step up to the coarser one) with a keep probability, or with fresh noise if None."""

        def sample(centre: float, count: int) -> Any:
            fine = RNG.laplace(0, 1.0, count)
            fresh = RNG.laplace(0, 2.0, count)
            coarse = fresh if kept is None else np.where(RNG.random(count) < kept, fine, fine + fresh)
            return np.column_stack([centre + fine, np.clip(np.trunc(2 * (coarse - fine)), -6, 6), centre + coarse])

        return Batches(sample)

    def level(kept: float | None, columns: list[int]) -> Batches:
        return Batches(lambda centre, count: np.asarray(ladder(kept).sample(centre, count))[:, columns])

    def alarm(target: Any, pair: Any, limit: float) -> bool:
        return lower_bound(target, pair, runs, CONFIDENCE) > limit

    return [
        Mutant(
            "exponential mechanism without its factor 2",
            {"pair loss": lambda wrong: lower_bound(select(wrong), scores, runs // 40, CONFIDENCE) > exact},
        ),
        Mutant(
            "AboveThreshold: half the query noise",
            {"pair loss": lambda wrong: alarm(first_above(2.0 if wrong else 4.0, True), queries, stops)},
        ),
        Mutant(
            "AboveThreshold: exact threshold",
            {"pair loss": lambda wrong: alarm(first_above(4.0, not wrong), queries, stops)},
        ),
        Mutant(
            "ladder: keep with r, not r²",
            {
                "law": lambda wrong: (
                    not law_holds(np.asarray(level(0.5 if wrong else 0.25, [2]).sample(0.0, runs)), laplace(0, 2.0).cdf)
                ),
                "pair loss": lambda wrong: alarm(level(0.5 if wrong else 0.25, [2]), (0.0, 1.0), 0.5),
            },
        ),
        Mutant(
            "ladder: fresh noise on each level",
            {
                "law": lambda wrong: (
                    not law_holds(
                        np.asarray(level(None if wrong else 0.25, [2]).sample(0.0, runs)), laplace(0, 2.0).cdf
                    )
                ),
                "pair loss": lambda wrong: alarm(level(None if wrong else 0.25, [0, 2]), (0.0, 1.0), 1.0),
            },
        ),
    ]


# ---------------------------------------------------------------- whole releases


def _tilted(rows: tuple[tuple[float, float], ...], weight: float, scale: float, count: int) -> Any:
    """Draws of objective perturbation with one feature, by bisection."""
    tilt = RNG.laplace(0, scale, count)
    low, high = np.full(count, -1e4), np.full(count, 1e4)
    for _ in range(80):
        middle = (low + high) / 2
        slope = weight * middle + tilt
        for x, y in rows:
            slope -= y * x / (1 + np.exp(np.clip(y * x * middle, -700, 700)))
        low, high = np.where(slope < 0, middle, low), np.where(slope < 0, high, middle)
    return (low + high) / 2


def _release_mutants(runs: int) -> list[Mutant]:
    def moments(with_noise_on_the_diagonal: bool) -> Batches:
        """(Σx², Σxy) for one feature in [0, 1], ε/2 each; the wrong one forgets the first."""

        def sample(row: tuple[float, float], count: int) -> Any:
            x, y = row
            square = x * x + (RNG.laplace(0, 2.0, count) if with_noise_on_the_diagonal else np.zeros(count))
            return np.column_stack([square, x * y + RNG.laplace(0, 2.0, count)])

        return Batches(sample)

    def mean_and_slope(epsilon_each: float) -> Batches:
        return Batches(lambda y, count: y + RNG.laplace(0, 1 / epsilon_each, (count, 2)))

    def classes(shared: bool) -> Batches:
        """Two classes, ε/2 each, seen through the difference of their releases as well."""

        def sample(values: Any, count: int) -> Any:
            draws = RNG.laplace(0, 4.0, (count, 2))
            noisy = np.asarray(values) + (draws[:, :1] if shared else draws)
            return np.column_stack([noisy[:, 0], noisy[:, 1] - noisy[:, 0]])

        return Batches(sample)

    def tilts(radius: float, curvature: float, epsilon: float, weight: float) -> tuple[Any, Any]:
        scale = 2 * radius / (epsilon - math.log1p(curvature / weight))
        high, low = (((radius, 1.0),), weight, scale), (((0.0, 1.0),), weight, scale)
        return high, low

    def objective(wrong: bool) -> bool:
        """cR for cR² in the curvature term (R = 12), against ε."""
        radius, epsilon, weight = 12.0, 0.9, 36.0 if not wrong else 5.0
        pair = tilts(radius, 0.25 * (radius if wrong else radius**2), epsilon, weight)
        laws = [TiltedLogistic(*side) for side in pair]
        target = Batches(lambda side, count: _tilted(*side, count))
        limit = epsilon if wrong else min(epsilon, tilted_pair_loss(*laws))
        return lower_bound(target, pair, runs // 4, CONFIDENCE, score=tilted_score(*laws)) > limit

    return [
        Mutant(
            "Gram diagonal without noise",
            {
                "pair loss": lambda wrong: (
                    lower_bound(moments(not wrong), ((0.0, 0.0), (1.0, 0.0)), runs, CONFIDENCE) > 1
                )
            },
        ),
        Mutant(
            "mean not charged",
            {"pair loss": lambda w: lower_bound(mean_and_slope(1.0 if w else 0.5), (0.0, 1.0), runs, CONFIDENCE) > 1},
        ),
        Mutant(
            "same noise for every class",
            {"pair loss": lambda w: lower_bound(classes(w), ((0.0, 0.0), (1.0, -1.0)), runs, CONFIDENCE) > 1},
        ),
        Mutant("objective perturbation: cR for cR²", {"pair loss": objective}),
    ]


# ---------------------------------------------------------------- what a release does besides


def _behaviour_mutants() -> list[Mutant]:
    table, neighbour = np.array([0.5, -0.5, 1.0]), np.array([0.5, -0.5, 50.0])

    def clipped(values: Any, entropy: noise.Entropy) -> Any:
        return noise.laplace([np.clip(values, -1, 1).sum()], 2.0, entropy)

    def unclipped(values: Any, entropy: noise.Entropy) -> Any:
        return noise.laplace([np.sum(values)], 2.0, entropy)

    def warned(values: Any, entropy: noise.Entropy) -> Any:
        if np.any(np.abs(values) > 1):
            warnings.warn("clipped", UserWarning, stacklevel=1)
        return clipped(values, entropy)

    def rejected(values: Any, entropy: noise.Entropy) -> Any:
        if np.any(np.abs(values) > 1):
            raise ValueError("out of bounds")
        return clipped(values, entropy)

    def retried(values: Any, entropy: noise.Entropy) -> Any:
        first = clipped(values, entropy)
        return clipped(values, entropy) if np.any(np.abs(values) > 1) else first

    def intercept_first(values: Any, entropy: noise.Entropy) -> Any:
        """Second moments of (x, 1)/√2 with x clipped: norm 1."""
        return _gram(np.clip(values, -1, 1), 1 / math.sqrt(2), entropy)

    def intercept_last(values: Any, entropy: noise.Entropy) -> Any:
        """x clipped to the unit ball, then a column of ones appended: norm √2."""
        return _gram(np.clip(values, -1, 1), 1.0, entropy)

    def grey(mutant: Any, correct: Any, norm_name: str, sensitivity: float) -> Alarm:
        pair = (table, neighbour if norm_name == "l1" else -table)
        return lambda w: not replay(Declared("", mutant if w else correct, norm_name, sensitivity, GRID), pair).holds

    slips = {"missing clip": unclipped, "warning about a row": warned, "row rejected": rejected, "retries": retried}
    return [
        *(Mutant(name, {"grey box": grey(slip, clipped, "l1", 2.0)}) for name, slip in slips.items()),
        Mutant(
            "intercept appended after clipping", {"grey box": grey(intercept_last, intercept_first, "l2", math.sqrt(2))}
        ),
    ]


def _gram(values: Any, scale: float, entropy: noise.Entropy) -> Any:
    """Σ vvᵀ, v = scale·(x, 1), released with noise for ‖v‖₂ ≤ 1."""
    rows = scale * np.column_stack([values, np.ones(len(values))])
    return noise.gaussian((rows.T @ rows).ravel(), math.sqrt(2), entropy)
