"""The exponential mechanism over the vertices of an ℓ1 ball, without looking at all of them.

    P(j, s) ∝ exp(−s G_j / scale),     j = 0 … p−1,  s among the signs that the step allows

The scores G may have moved by up to `room` from the ones H that a table of proposals was made of. Feature j has a level
e_j with 2^e_j ≥ exp((max_s(−sH_j) + room)/scale). A proposal takes a feature with probability proportional to 2^e_j
(whole numbers), one of the signs, and is accepted with probability exp(−sG_j/scale)/2^e_j. What is accepted has exactly
the wanted law, by `vertex-sampler-law`: the same as `tacit.noise.exponential_mechanism` with the scores of all
candidates. A proposal costs O(log p) and at most the score of one feature; the table is made anew, in O(p), only when
the scores have moved too far.
"""

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from flint import arb
from numpy.typing import NDArray

from tacit.arithmetic import exact, upper
from tacit.noise import Entropy, balls

Integers = NDArray[np.int64]

TOTAL_BITS = 60  # of all proposal weights together, or one more: a word picks one with at most 2^-3 rejections
TRIES = 128  # proposals for which words are drawn beforehand, whatever the scores
COARSENESS = 2.0**-49
"""Allowed relative error of a probability in binary64 for each unit of its exponent, by `vertex-sampler-law`."""

_WORD = 2**64
_LN2 = math.log(2.0)


class MovingScores(Protocol):
    """Scores G that change from step to step, and a copy H of all of them that is brought up to date now and then."""

    @property
    def scores(self) -> Integers:
        """The copy H of all scores."""

    @property
    def drift(self) -> int:
        """A bound on |G_j − H_j| for every feature j."""

    def score(self, feature: int) -> int:
        """G_j."""

    def refresh(self) -> None:
        """Make H equal to G."""


@dataclass(frozen=True)
class Proposals:
    """Features with weights 2^(level − base) for the signs that a step allows."""

    signs: tuple[int, ...]
    ends: Integers
    base: int

    @classmethod
    def of(cls, scores: Integers, signs: tuple[int, ...], room: float, levels_per_unit: float) -> "Proposals":
        """Levels ⌈(max_s(−sH) + room)·log2(e)/scale⌉ or one more; those far below the top are raised to the base."""
        merits = np.abs(scores) if len(signs) == 2 else scores * -signs[0]
        levels = np.multiply(merits, levels_per_unit, dtype=np.float64)
        top = float(levels.max())
        lift = room * levels_per_unit + (abs(top) + TOTAL_BITS) * 2.0**-40  # the last for rounding
        base = math.ceil(top + lift) - (TOTAL_BITS - scores.size.bit_length())
        levels += lift - base
        np.maximum(levels, 0.0, out=levels)
        np.ceil(levels, out=levels)
        weights = np.left_shift(1, levels.astype(np.int64), out=merits)
        return cls(signs, np.cumsum(weights, out=weights), base)

    def find(self, place: int) -> tuple[int, int]:
        """The feature whose run of 2^(level − base) places holds this one, and its level."""
        feature = int(self.ends.searchsorted(place, side="right"))
        run = int(self.ends[feature]) - (int(self.ends[feature - 1]) if feature else 0)
        return feature, self.base + run.bit_length() - 1


class VertexSampler:
    """Draws vertices by scores that move between the draws. scale: of the noise, in units of the scores."""

    def __init__(self, state: MovingScores, scale: float) -> None:
        self._state, self._scale = state, scale
        self._levels_per_unit = upper(lambda: 1 / (exact(scale) * arb(2).log()))
        self._room = scale * _LN2 / 2
        self._tables: dict[tuple[int, ...], Proposals] = {}

    def draw(self, signs: tuple[int, ...], entropy: Entropy) -> tuple[int, int]:
        """One vertex (j, s) with s among the signs, by `vertex-sampler-law`."""
        table = self._table(signs)
        total, words = int(table.ends[-1]), entropy.words(2 * TRIES)
        for number in range(TRIES):
            vertex = self._proposed(table, total, int(words[2 * number]), int(words[2 * number + 1]), entropy)
            if vertex is not None:
                return vertex
        while True:
            vertex = self._proposed(table, total, entropy.more(), entropy.more(), entropy)
            if vertex is not None:
                return vertex

    def _table(self, signs: tuple[int, ...]) -> Proposals:
        if self._state.drift > self._room:
            self._state.refresh()
            self._tables.clear()
        if signs not in self._tables:
            self._tables[signs] = Proposals.of(self._state.scores, signs, self._room, self._levels_per_unit)
        return self._tables[signs]

    def _proposed(self, table: Proposals, total: int, word: int, coin: int, entropy: Entropy) -> tuple[int, int] | None:
        """A proposal from two words, if it is accepted."""
        place = _below(total, word)
        if place is None:
            return None
        feature, level = table.find(place)
        sign = table.signs[coin & 1] if len(table.signs) == 2 else table.signs[0]
        return (feature, sign) if self._accepts(feature, sign, level, coin, entropy) else None

    def _accepts(self, feature: int, sign: int, level: int, word: int, entropy: Entropy) -> bool:
        """U < exp(−sG_j/scale) / 2^level, U uniform with the upper 63 bits of the word, by `vertex-sampler-law`.

        First for all scores within `drift` of H_j, which decides most cases; then for the score itself, in binary64;
        then in balls.
        """
        known, drift = sign * int(self._state.scores[feature]), self._state.drift
        decided = self._compared(known - drift, known + drift, level, word)
        if decided is None:
            score = sign * self._state.score(feature)
            decided = self._compared(score, score, level, word)
        return self._accepts_exactly(score, level, word, entropy) if decided is None else decided

    def _compared(self, least: int, most: int, level: int, word: int) -> bool | None:
        """Whether U < exp(−score/scale) / 2^level for a score in this interval; None if it cannot be told."""
        uniform = (word >> 11) * 2.0**-53
        slack = COARSENESS * (max(abs(least), abs(most)) / self._scale + abs(level) + 8)
        if uniform + 2.0**-53 < math.exp(min(-most / self._scale - level * _LN2, 0.0)) * (1 - slack):
            return True
        if uniform > math.exp(min(-least / self._scale - level * _LN2, 0.0)) * (1 + slack):
            return False
        return None

    def _accepts_exactly(self, score: int, level: int, word: int, entropy: Entropy) -> bool:
        uniform, bits = balls.BitString(word >> 1, 63, entropy), 63
        while True:
            with balls.precision(bits + 64):
                probability = (-arb(score) / exact(self._scale) - level * arb(2).log()).exp()
                known = uniform.ball(bits)
                if known < probability:
                    return True
                if known > probability:
                    return False
            bits += 64


def _below(total: int, word: int) -> int | None:
    """A uniform whole number below `total` from one word, or None with probability below total/2^64 (Lemire 2019)."""
    product = word * total
    return None if product % _WORD < _WORD % total else product // _WORD
