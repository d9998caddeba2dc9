"""The ladder and the test that together are expected to cost least, under a public guess of what will be needed.

Guess: the excess risk at ε is α (H/ε)², with H somewhere between `easy` and `hard`. Few levels mean few chances to
accept a bad hypothesis, hence a cheap test; many levels stop nearer to the ε that is needed. The guess decides nothing
about privacy or about the failure probability: both hold for the design chosen, whatever the data.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacit.mechanisms.accuracy.above_threshold import THRESHOLD_SHARE, OneSidedNoise
from tacit.mechanisms.accuracy.halting import smallest_margin

STEPS = (1.08, 1.13, 1.2, 1.3, 1.45, 1.7)  # ratios of neighbouring levels that are considered
LEAST_PRICE = 4.0
PRICES = np.geomspace(LEAST_PRICE, 160.0, 24)  # ε₀ in units of Δ/α that are considered
BELOW_EASY, ABOVE_HARD = 0.6, (2.0, 5.0, 12.0)  # ends of the ladder around the expected ε
BUDGET_SHARES = (0.5, 0.9)  # of max_privacy that the last level may take
NEVER = 5.0  # halting nowhere is counted as this many times the most that a search can cost
POINTS = 32  # quantiles of the threshold noise
MOST_STEPS = 40  # levels that are told apart when the price is predicted


@dataclass(frozen=True)
class Wish:
    """Δ of the query, the gap between a perfect and a bad hypothesis, γ, the most ε, and n."""

    sensitivity: float
    gap: float
    failure: float
    most: float
    n: int


@dataclass(frozen=True)
class Design:
    """The noise of the test, the levels, and the mean over guesses of log(expected ε paid)."""

    noise: OneSidedNoise
    epsilons: tuple[float, ...]
    regret: float


def best_design(wish: Wish, easy: float, hard: float, levels: int | None) -> Design | None:
    """The design with the smallest regret; None if max_privacy pays for none."""
    found = [design for ladder in _ladders(wish, easy, hard, levels) for design in _best_test(wish, easy, hard, ladder)]
    return min(found, key=lambda design: design.regret, default=None)


def _ladders(wish: Wish, easy: float, hard: float, levels: int | None) -> list[tuple[float, ...]]:
    """Geometric ladders over the expected range, or with the number of levels asked for, from 1/n."""
    tops = sorted({min(above * hard, share * wish.most) for above in ABOVE_HARD for share in BUDGET_SHARES})
    if levels is not None:
        return [tuple(np.geomspace(min(1 / wish.n, top / 2), top, levels).tolist()) for top in tops]
    ladders = []
    for top in tops:
        low = min(BELOW_EASY * easy, top / 2)
        counts = sorted({math.ceil(math.log(top / low) / math.log(step)) + 1 for step in STEPS})
        ladders += [tuple(np.geomspace(low, top, count).tolist()) for count in counts]
    return ladders


def _best_test(wish: Wish, easy: float, hard: float, epsilons: tuple[float, ...]) -> list[Design]:
    """The best ε₀ for a ladder, among those that leave room for its last level; at most one."""
    prices = PRICES * (wish.sensitivity / wish.gap)
    prices = prices[prices + epsilons[-1] <= wish.most * (1 - 2.0**-40)]
    if prices.size == 0:
        return []
    guesses = np.geomspace(easy, hard, 3)
    totals = np.stack([prices + _expected_price(wish, guess, prices, epsilons) for guess in guesses])
    regrets = np.log(totals).mean(axis=0)
    best = int(np.argmin(regrets))
    return [Design(OneSidedNoise(wish.sensitivity, float(prices[best])), epsilons, float(regrets[best]))]


def _expected_price(
    wish: Wish, guess: float, prices: NDArray[np.float64], epsilons: tuple[float, ...]
) -> NDArray[np.float64]:
    """Σ ε_t P(halt at t) for each ε₀, and a large price where the search does not halt."""
    first = wish.sensitivity / (THRESHOLD_SHARE * prices[:, None])
    second = 2 * wish.sensitivity / ((1 - THRESHOLD_SHARE) * prices[:, None])
    quantiles = (np.arange(POINTS) + 0.5) / POINTS
    level = second * _unit_margin(len(epsilons) + 1, wish.failure) - wish.gap - first * np.log(quantiles)
    alive, price = np.ones_like(level), np.zeros(prices.size)
    together = math.ceil(len(epsilons) / MOST_STEPS)  # levels so close that they are counted as one with many tries
    for start in range(0, len(epsilons), together):
        tries = min(together, len(epsilons) - start)
        epsilon = epsilons[start + tries - 1]
        excess = wish.gap * min(1.0, (guess / epsilon) ** 2)
        passing = alive * (1 - (1 - np.exp(-np.maximum(level + excess, 0.0) / second)) ** tries)
        price += epsilon / POINTS * passing.sum(axis=1)
        alive -= passing
    return np.asarray(price + NEVER * (prices + epsilons[-1]) * alive.mean(axis=1))


_MARGINS: dict[tuple[int, float], float] = {}


def _unit_margin(chances: int, failure: float) -> float:
    """The margin in units of the query noise: the same for every ε₀ and Δ, as both scales move together."""
    if (chances, failure) not in _MARGINS:
        noise = OneSidedNoise(1.0, 1.0)
        _MARGINS[chances, failure] = smallest_margin(noise, chances, failure) / noise.query_scale
    return _MARGINS[chances, failure]
