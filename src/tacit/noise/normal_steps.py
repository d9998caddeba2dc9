"""The noise of a ladder whose every step adds a vector of normals, times a fixed or a random spread."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Protocol

import numpy as np

from tacit.noise import balls, kernel
from tacit.noise.balls import Ball
from tacit.noise.entropy import Entropy
from tacit.noise.kernel import Enclosure
from tacit.noise.laws import FixedSpread, StringBank


class Spreads(Protocol):
    """A non-negative real for each level."""

    def enclosure(self) -> Enclosure:
        """All levels in binary64."""
        ...

    def ball(self, level: int, bits: int) -> Ball: ...


class FixedSpreads:
    """Square roots of exact variances."""

    def __init__(self, spreads: Sequence[FixedSpread]) -> None:
        self._spreads = spreads

    def enclosure(self) -> Enclosure:
        centre, bound = zip(*(spread.interval() for spread in self._spreads), strict=True)
        return Enclosure(np.array(centre), np.array(bound))

    def ball(self, level: int, bits: int) -> Ball:
        return self._spreads[level].ball(bits)


class NormalSteps:
    """X_t = Σ spread_s N_s over the levels s >= t, N_s independent N(0, I) by Box-Muller."""

    def __init__(self, size: int, levels: int, spreads: Spreads, entropy: Entropy) -> None:
        self._size = size
        self._levels = levels
        self._spreads = spreads
        pairs = (size + 1) // 2
        words = entropy.words(2 * levels * pairs).reshape(2, levels, pairs)
        self._words, self._turns = words[0], words[1]
        self._strings = StringBank(entropy)

    def enclosure(self, levels: slice) -> Enclosure:
        """One row a level."""
        return Enclosure(self._sums.centre[levels], self._sums.bound[levels])

    def ball(self, level: int, index: int, bits: int) -> Ball:
        return sum(self._step(each, index, bits) for each in range(level, self._levels))

    @cached_property
    def _sums(self) -> Enclosure:
        """All levels at once: running sums from the last level on, 8u of each sum for the addition that made it."""
        unit = kernel.normal_pairs(self._words.reshape(-1), self._turns.reshape(-1))
        rows = [numbers.reshape(self._levels, -1)[:, : self._size] for numbers in unit]
        spread = self._spreads.enclosure()
        step = kernel.scaled(Enclosure(*rows), spread.centre[:, None], spread.bound[:, None])
        centre = np.cumsum(step.centre[::-1], axis=0)
        bound = np.cumsum(step.bound[::-1] + kernel.ADDITION * np.abs(centre), axis=0)
        return Enclosure(centre[::-1], bound[::-1])

    def _step(self, level: int, index: int, bits: int) -> Ball:
        pair, half = divmod(index, 2)
        key = 2 * (level * self._words.shape[1] + pair)
        uniform = self._strings.ball(key, self._words[level, pair], bits)
        turn = self._strings.ball(key + 1, self._turns[level, pair], bits)
        return balls.normal_pair(uniform, turn)[half] * self._spreads.ball(level, bits)
