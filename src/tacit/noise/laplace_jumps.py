"""The noise of a Laplace ladder: independent coordinates that jump now and then."""

from __future__ import annotations

import numpy as np

from tacit.arithmetic import Floats
from tacit.noise import balls, kernel
from tacit.noise.balls import Ball
from tacit.noise.entropy import Entropy
from tacit.noise.jump_times import added_up, draw_jumps
from tacit.noise.kernel import Enclosure
from tacit.noise.laws import SignedStrings, signed_exponential
from tacit.noise.scales import Scales


class LaplaceJumps:
    """X_t, coordinate by coordinate the sum of its jumps at the levels t, t+1, …, by `laplace-ladder`.

    A jump at level t is Laplace(scale_t). Between jumps, some ten to twenty in a whole ladder, nothing happens, and
    nothing is drawn.
    """

    def __init__(self, size: int, scales: Scales, entropy: Entropy) -> None:
        self._size = size
        self._scales = scales
        self._jumps = draw_jumps(size, scales, entropy)
        self._strings = SignedStrings(self._jumps.word, entropy)
        self._enclosures = self._enclosed()

    def enclosure(self, levels: slice) -> Enclosure:
        """One row a level."""
        return Enclosure(*(self._sums(numbers, levels) for numbers in self._enclosures))

    def ball(self, level: int, index: int, bits: int) -> Ball:
        mine = np.flatnonzero((self._jumps.part == index) & (self._jumps.level >= level))
        return sum(
            balls.rational(self._scales.exact(int(self._jumps.level[place]))) * self._strings.ball(int(place), bits)
            for place in mine
        )

    def _enclosed(self) -> Enclosure:
        """Each jump. A sum of k numbers errs by ku times the sum of their sizes; 8ku is added beforehand."""
        part, level, word = self._jumps
        jump = kernel.scaled(signed_exponential(word), self._scales.floats[level])
        most = int(np.bincount(part).max(initial=0)) + 1
        jump.bound[:] += most * kernel.ADDITION * np.abs(jump.centre)
        return jump

    def _sums(self, numbers: Floats, levels: slice) -> Floats:
        """Σ of the numbers at levels >= t, for each level t and each coordinate."""
        count, (part, level, _) = levels.stop - levels.start, self._jumps
        after, end = np.searchsorted(-level, [-levels.stop, -levels.start], side="right")
        below = added_up(part[:after], numbers[:after], self._size)
        place = (level[after:end] - levels.start) * self._size + part[after:end]
        steps = added_up(place, numbers[after:end], count * self._size).reshape(count, self._size)
        steps[-1] += below
        return np.asarray(np.cumsum(steps[::-1], axis=0)[::-1])
