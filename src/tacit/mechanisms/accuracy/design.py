"""The ladder and the test that together are expected to cost least, under a public guess of what will be needed.

Guess: the excess risk at ε is α (H/ε)², with H between `optimistic` and `pessimistic`. Few levels mean few chances to
accept a bad hypothesis, hence a cheap test; many levels stop nearer to the ε that is needed. What is paid is ε₀ + ε_t,
so levels stand at equal ratios of that sum: ε_t = (ε₀ + ε_low) ratio^t − ε₀. The guess decides nothing about privacy or
about the failure probability: both hold for the design chosen, whatever the data.
"""

import math
from dataclasses import dataclass

import numpy as np

from tacit.arithmetic import Floats
from tacit.mechanisms.accuracy.above_threshold import THRESHOLD_SHARE, OneSidedNoise
from tacit.mechanisms.accuracy.halting import unit_margins

COUNTS = (3, 4, 5, 7, 9, 12, 16, 22, 30)  # numbers of levels that are considered
PRICES = np.geomspace(4.0, 160.0, 24)  # ε₀ in units of Δ/α that are considered
BELOW_OPTIMISTIC, ABOVE_PESSIMISTIC = 0.6, 5.0  # ends of the ladder around the expected ε
MOST_OF_BUDGET = 0.9  # that the test may take
DEEPEST = 0.9  # of the gap that the margin may take: nearer to 0 or above, even a perfect model would often be refused
NEVER = 5.0  # halting nowhere is counted as this many times the most that a search can cost
DRAWS, WEIGHTS = np.polynomial.laguerre.laggauss(12)  # threshold noise in units of its mean, and how likely it is
MOST_STEPS = 40  # levels that are told apart when the price is predicted


@dataclass(frozen=True)
class HaltingTask:
    """Δ of the query, the gap between a perfect and a bad hypothesis, γ, and the most ε."""

    sensitivity: float
    gap: float
    failure: float
    most: float


@dataclass(frozen=True)
class Design:
    """The noise of the test, and the levels."""

    noise: OneSidedNoise
    epsilons: tuple[float, ...]


def best_design(task: HaltingTask, optimistic: float, pessimistic: float, levels: int | None) -> Design | None:
    """The design with the smallest mean over guesses of log(expected ε paid); None if max_privacy pays for none."""
    prices = PRICES * (task.sensitivity / task.gap)
    prices = prices[prices <= MOST_OF_BUDGET * task.most]
    if prices.size == 0:
        return None
    counts = np.array(COUNTS if levels is None else [levels])
    margins = unit_margins(2 * THRESHOLD_SHARE / (1 - THRESHOLD_SHARE), counts + 1.0, task.failure)
    query_noise = 2 * task.sensitivity / ((1 - THRESHOLD_SHARE) * prices)
    hopeless = margins[:, None] * query_noise > DEEPEST * task.gap
    if hopeless.all():
        return None
    regrets = np.stack(
        [
            _regrets(
                task,
                margin,
                prices,
                _ladders(task, optimistic, pessimistic, prices, int(count)),
                np.geomspace(optimistic, pessimistic, 3),
            )
            for count, margin in zip(counts, margins, strict=True)
        ]
    )
    row, column = np.unravel_index(int(np.argmin(np.where(hopeless, np.inf, regrets))), regrets.shape)
    epsilons = _ladders(task, optimistic, pessimistic, prices[column : column + 1], int(counts[row]))[0]
    return Design(OneSidedNoise(task.sensitivity, float(prices[column])), tuple(epsilons.tolist()))


def least_budget(task: HaltingTask, levels: int | None) -> float:
    """The smallest max_privacy for which `best_design` finds a test, up to the grid of prices."""
    counts = np.array([COUNTS[0] if levels is None else levels])
    (margin,) = unit_margins(2 * THRESHOLD_SHARE / (1 - THRESHOLD_SHARE), counts + 1.0, task.failure)
    needed = 2 * float(margin) / ((1 - THRESHOLD_SHARE) * DEEPEST)
    price = next((p for p in PRICES.tolist() if p >= needed), needed)
    return price * task.sensitivity / (task.gap * MOST_OF_BUDGET)


def _ladders(task: HaltingTask, optimistic: float, pessimistic: float, prices: Floats, count: int) -> Floats:
    """One ladder for each ε₀: from below the easiest guess to above the hardest one, or to what the budget leaves."""
    tops = np.minimum(ABOVE_PESSIMISTIC * pessimistic, (task.most - prices) * (1 - 2.0**-40))
    lows = np.minimum(BELOW_OPTIMISTIC * optimistic, tops / 2)
    ratios = np.log((prices + tops) / (prices + lows))
    between = np.exp(np.linspace(0.0, 1.0, count) * ratios[:, None]) * (prices + lows)[:, None] - prices[:, None]
    return np.asarray(np.clip(between, lows[:, None], tops[:, None]))


def _regrets(task: HaltingTask, margin: float, prices: Floats, ladders: Floats, guesses: Floats) -> Floats:
    """For each ε₀: mean over guesses of log(ε₀ + Σ ε_t P(halt at t)), and a large price where the search never halts.

    Axes of the large arrays: guess, ε₀, threshold noise, level.
    """
    first = task.sensitivity / (THRESHOLD_SHARE * prices[:, None, None])
    second = 2 * task.sensitivity / ((1 - THRESHOLD_SHARE) * prices[:, None, None])
    threshold = second * margin - task.gap + first * DRAWS[None, :, None]
    tries = math.ceil(ladders.shape[1] / MOST_STEPS)  # levels so close that they are counted as one with many tries
    epsilons = ladders[:, tries - 1 :: tries][:, None, :]
    excess = task.gap * np.minimum(1.0, (guesses[:, None, None, None] / epsilons) ** 2)
    refused = (1 - np.exp(-np.maximum(threshold + excess, 0.0) / second)) ** tries
    alive = np.cumprod(refused, axis=-1)
    before = np.concatenate([np.ones_like(alive[..., :1]), alive[..., :-1]], axis=-1)
    halting = (epsilons * (before - alive)).sum(axis=-1)
    never = NEVER * (prices + ladders[:, -1])[:, None] * alive[..., -1]
    return np.asarray(np.log(prices + (halting + never) @ WEIGHTS).mean(axis=0))
