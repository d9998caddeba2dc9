"""The exponential mechanism over the 2p vertices of an ℓ1 ball, without looking at all of them.

    P(j, s) ∝ exp(−s G_j / scale),     j = 0 … p−1,  s = ±1

Feature j has a level e_j with 2^e_j ≥ exp(|G_j|/scale) and stands in a block of about √p features. A proposal takes a
feature with probability proportional to 2^e_j (whole numbers: block by block, then inside the block), a fair sign, and
is accepted with probability exp(−sG_j/scale)/2^e_j. What is accepted has exactly the wanted law, by
`vertex-sampler-law`: the same as `tacit.noise.exponential_mechanism` with 2p scores. A draw costs O(√p), a changed
score O(1); four proposals are needed on average at most, when the levels are tight.
"""

import math
from typing import Any

import numpy as np
from flint import arb
from numpy.typing import NDArray

from tacit.noise import Entropy, balls
from tacit.privacy.rounding import exact, upper

Integers = NDArray[np.int64]

TOTAL_BITS = 56  # of all proposal weights together: a word picks one of them with at most 2^-8 rejections
ROOM = 8  # levels by which the top may rise before the weights are rescaled
TRIES = 64  # proposals for which words are drawn beforehand, whatever the scores
CHUNK = 64  # blocks that are weighed at once: all weights of a million features would cost as much as their scores
_WORD = 2**64
_LN2 = math.log(2.0)


class VertexSampler:
    """Draws vertices by scores that its owner changes: after a change, call `update` or `rebuild`.

    scores: whole numbers G, shared with the owner. scale: of the noise, in units of the scores.
    """

    def __init__(self, scores: Integers, scale: float) -> None:
        self._scale = scale
        # A little more than log2(e)/scale: a level that is too high is still a bound.
        self._levels_per_unit = upper(lambda: (1 + arb(2) ** -40) / (exact(scale) * arb(2).log()))
        self._shift = max(1, (scores.size.bit_length() + 1) // 2)
        self._headroom = TOTAL_BITS - scores.size.bit_length()
        self.rebuild(scores)

    def rebuild(self, scores: Integers) -> None:
        """Take notice of all scores."""
        self._scores = scores
        self._levels = self._level(scores)
        self._rebase()

    def update(self, features: NDArray[np.integer[Any]]) -> None:
        """Take notice of these scores; a feature may be named twice."""
        new = self._level(self._scores[features])
        moved = np.flatnonzero(new != self._levels[features])
        if moved.size == 0:
            return
        features, first = np.unique(features[moved], return_index=True)
        new = new[moved[first]]
        old = self._levels[features]
        self._levels[features] = new
        if int(new.max()) - self._base > self._headroom:
            self._rebase()
            return
        np.add.at(self._sums, features >> self._shift, self._weight(new) - self._weight(old))

    def draw(self, entropy: Entropy) -> tuple[int, int]:
        """One vertex (j, s), by `vertex-sampler-law`."""
        if self._base > 0 and int(self._sums.sum()) < 16 * self._scores.size:
            self._rebase()  # the top fell: most proposals would go to features far below their level
        ends = np.cumsum(self._sums)
        prepared = iter(entropy.words(2 * TRIES).tolist())
        while True:
            place = _below(int(ends[-1]), next(prepared, None), entropy)
            word = next(prepared, None)
            word = entropy.more() if word is None else word
            if place is None:
                continue
            feature = self._feature(ends, place)
            sign = 1 if word & 1 else -1
            level = max(int(self._levels[feature]), self._base)
            if self._accepts(int(self._scores[feature]) * sign, level, word, entropy):
                return feature, sign

    def _level(self, scores: Integers) -> Integers:
        """⌈|G| log2(e)/scale⌉, or one more."""
        levels = np.multiply(scores, self._levels_per_unit, dtype=np.float64)
        np.abs(levels, out=levels)
        np.ceil(levels, out=levels)
        return levels.astype(np.int64)

    def _weight(self, levels: Integers) -> Integers:
        """2^(e − base); features below the base are proposed as if they stood at it, which is still a bound."""
        return np.left_shift(np.int64(1), np.maximum(levels - self._base, 0))

    def _rebase(self) -> None:
        """Fix the unit of the weights from the top level, so that their total stays below 2^56."""
        self._base = max(int(self._levels.max()) - self._headroom + ROOM, 0)
        block = 1 << self._shift
        self._sums = np.concatenate(
            [
                np.add.reduceat(weights, np.arange(0, weights.size, block))
                for start in range(0, self._levels.size, CHUNK * block)
                for weights in [self._weight(self._levels[start : start + CHUNK * block])]
            ]
        )

    def _feature(self, ends: Integers, place: int) -> int:
        """The feature whose run of 2^(e − base) places holds this one."""
        block = int(np.searchsorted(ends, place, side="right"))
        start = block << self._shift
        inside = np.cumsum(self._weight(self._levels[start : start + (1 << self._shift)]))
        offset = place - (int(ends[block - 1]) if block else 0)
        return start + int(np.searchsorted(inside, offset, side="right"))

    def _accepts(self, score: int, level: int, word: int, entropy: Entropy) -> bool:
        """U < exp(−score/scale) / 2^level, U uniform with the upper 63 bits of the word, by `vertex-sampler-law`."""
        merit = score / self._scale
        probability = math.exp(min(-merit - level * _LN2, 0.0))
        slack = COARSENESS * (abs(merit) + level + 8)
        uniform = (word >> 11) * 2.0**-53
        if uniform + 2.0**-53 < probability * (1 - slack):
            return True
        if uniform > probability * (1 + slack):
            return False
        return self._accepts_exactly(score, level, balls.BitString(word >> 1, 63, entropy))

    def _accepts_exactly(self, score: int, level: int, uniform: balls.BitString) -> bool:
        bits = 63
        while True:
            with balls.precision(bits + 64):
                probability = (-arb(score) / exact(self._scale) - level * arb(2).log()).exp()
                known = uniform.ball(bits)
                if known < probability:
                    return True
                if known > probability:
                    return False
            bits += 64


COARSENESS = 2.0**-49
"""Allowed relative error of a probability in binary64 for each unit of its exponent, by `vertex-sampler-law`."""


def _below(total: int, word: int | None, entropy: Entropy) -> int | None:
    """A uniform whole number below `total` from one word, or None with probability below total/2^64 (Lemire 2019)."""
    product = (entropy.more() if word is None else word) * total
    return None if product % _WORD < _WORD % total else product // _WORD
