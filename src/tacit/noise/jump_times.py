"""At which steps of a ladder a part jumps: the exact law, drawn jump by jump instead of step by step.

Going up from level t+1 to level t a part jumps with probability 1 - (scale_{t+1}/scale_t)², each step for itself. The
probabilities of staying multiply to (scale_a/scale_t)² for all steps from level a up to level t, so the next level
above a at which a part jumps is the largest t with U >= (scale_a/scale_t)², U uniform: one word instead of a thousand.
By `jump-times`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tacit.arithmetic import Floats
from tacit.noise.balls import WORD, BitString
from tacit.noise.entropy import Entropy, Words
from tacit.noise.kernel import CLAIM
from tacit.noise.scales import Scales

Places = NDArray[np.int64]


class Jumps(NamedTuple):
    """Jumps in order of falling level: which part, at which level, and a fresh word for its size."""

    part: Places
    level: Places
    word: Words


def draw_jumps(parts: int, scales: Scales, entropy: Entropy) -> Jumps:
    """All jumps of independent parts. Every part jumps at the last level, where noise starts. By `jump-times`.

    The number of words asked for is public: as many jumps a part as hardly any part exceeds. What lies beyond comes
    from the channel for refinement.
    """
    slots = _slots(scales)
    times = entropy.words(slots * parts).reshape(slots, parts)
    sizes = entropy.words((slots + 1) * parts).reshape(slots + 1, parts)
    active = np.arange(parts)
    level = np.full(parts, len(scales) - 1)
    found = [Jumps(active, level, sizes[0])]
    for slot in range(len(scales) - 1):
        waiting = times[slot, active] if slot < slots else _further(active.size, entropy)
        level = _next_levels(waiting, level, scales, entropy)
        active, level = active[level >= 0], level[level >= 0]
        if not active.size:
            break
        fresh = sizes[slot + 1, active] if slot < slots else _further(active.size, entropy)
        found.append(Jumps(active, level, fresh))
    part, levels, words = (np.concatenate(each) for each in zip(*found, strict=True))
    order = np.argsort(-levels, kind="stable")
    return Jumps(part[order], levels[order], words[order])


def added_up(places: Places, numbers: Floats, count: int) -> Floats:
    """Σ of the numbers at each of `count` places, in the order of the numbers."""
    return np.asarray(np.bincount(places, numbers, count), dtype=np.float64)


def _slots(scales: Scales) -> int:
    """Jumps beyond the first for which words are drawn at once: their mean number and three deviations more."""
    mean = float(scales.jump_chances[:-1].sum())
    return min(len(scales) - 1, math.ceil(mean + 3.0 * math.sqrt(mean) + 3.0))


def _further(count: int, entropy: Entropy) -> Words:
    """Words for the few parts that jump more often."""
    return np.array([entropy.more() for _ in range(count)], dtype=np.uint64)


def _next_levels(words: Words, level: Places, scales: Scales, entropy: Entropy) -> Places:
    """The level of the next jump of each part, -1 if there is none; exact, by `jump-times`.

    U >= (scale_a/scale_t)² iff scale_t >= x for x = scale_a/√U. The computed x is within 2^-47 + 1/w of all that the
    word w allows, relatively; where a scale lies so near, more bits decide.
    """
    rising = scales.floats[::-1]
    whole = words.astype(np.float64)
    with np.errstate(divide="ignore"):
        slack = CLAIM + 1.0 / whole
    reached = scales.floats[level] / np.sqrt((whole + 0.5) * 2.0**-WORD)
    found = len(scales) - 1 - np.searchsorted(rising, reached * (1.0 + slack))
    doubtful = found != len(scales) - 1 - np.searchsorted(rising, reached * (1.0 - slack))
    for place in np.flatnonzero(doubtful):
        string = BitString(int(words[place]), WORD, entropy)
        found[place] = _exact_next_level(string, int(level[place]), scales)
    return found


def _exact_next_level(string: BitString, level: int, scales: Scales) -> int:
    """The same by rational arithmetic and as many bits as it takes."""
    low, high = -1, level  # jumps at `low` or above are possible, at `high` or below they are not
    while high - low > 1:
        middle = (low + high) // 2
        if string.at_least((scales.exact(level) / scales.exact(middle)) ** 2):
            low = middle
        else:
            high = middle
    return low
