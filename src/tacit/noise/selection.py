"""Private selection: the index of the largest noisy score, for a handful or for millions of candidates.

Both mechanisms return argmax_i (score_i/scale + noise_i) for exact independent reals, by `noisy-argmax`.
A word is a uniform V with 64 known bits. The exponent of its float bounds -log V within 0.06 at the
cost of a conversion, which leaves a candidate or two; only those are evaluated, in balls, with as many
bits as it takes to separate them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tacit.arithmetic import Floats
from tacit.errors import ParameterError
from tacit.noise import balls
from tacit.noise.balls import Ball, BitString
from tacit.noise.entropy import Entropy, Words
from tacit.noise.grid import Number, exact_scale
from tacit.noise.rounding import blocks

Shortlist = Callable[[Floats, float, Words], NDArray[np.intp]]
"""(scores, scale, words) -> indices among which the winner is, whatever the bits not drawn yet."""

LARGEST_MERIT = 2.0**1000
"""Scores are clamped to ±2^1000 min(1, scale), so that no quotient overflows; NaN counts as the lowest."""

_LN2 = math.log(2.0)
_ROUNDING = 2.0**-40
_CHORD_GAP = 0.0625  # > 0.0861 ln 2, the most by which log2 exceeds its chords between powers of two


def exponential_mechanism(
    scores: ArrayLike, scale: Number, entropy: Entropy, *, shortlist: Shortlist | None = None
) -> int:
    """Index i with probability proportional to exp(score_i/scale), by `noisy-argmax`.

    Scores of sensitivity Δ (each moves by at most Δ between neighbours) cost ε = 2Δ/scale.
    """
    return _argmax(scores, scale, entropy, _gumbel, shortlist)


def permute_and_flip(scores: ArrayLike, scale: Number, entropy: Entropy, *, shortlist: Shortlist | None = None) -> int:
    """argmax of score_i + Exp(scale): permute-and-flip, by `noisy-argmax`.

    Costs the same ε = 2Δ/scale as the exponential mechanism and its expected score is never worse.
    """
    return _argmax(scores, scale, entropy, balls.exponential, shortlist)


def everyone(scores: Floats, scale: float, words: Words) -> NDArray[np.intp]:
    """No shortlist at all: every candidate is evaluated in balls."""
    return np.arange(scores.size)


def by_leading_bits(scores: Floats, scale: float, words: Words) -> NDArray[np.intp]:
    """Candidates whose upper bound reaches the best lower bound, for both noises, by `noisy-argmax`."""
    highest, best = float(scores.max()), -math.inf
    found: list[NDArray[np.intp]] = []
    uppers: list[Floats] = []
    for block in blocks(scores.size):
        merit = (scores[block] - highest) / scale
        upper = merit * (1.0 - _ROUNDING)
        upper += _upper_noise(words[block])
        top = int(np.argmax(upper))
        lower = float(merit[top]) * (1.0 + _ROUNDING) + _lower_noise(int(words[block][top]))
        best = max(best, lower)
        reaching = np.flatnonzero(upper >= best)
        found.append(reaching + block.start)
        uppers.append(upper[reaching])
    return np.concatenate(found)[np.concatenate(uppers) >= best]


def _upper_noise(words: Words) -> Floats:
    """At least -log V for every V in [w, w+1] 2^-64: a chord lies below log2, so its negative above."""
    pattern = words.astype(np.float64).view(np.int64)
    upper: Floats = pattern * np.float64(-_LN2 * 2.0**-52)
    upper += (64 + 1023) * _LN2 + _ROUNDING
    if not words.all():
        upper[words == 0] = math.inf
    return upper


def _lower_noise(word: int) -> float:
    """At most -log V and at most -log(-log(1-V)) for every V in [w, w+1] 2^-64."""
    if not 2**20 <= word < 2**63:
        return -math.inf
    upper = float(_upper_noise(np.array([word], dtype=np.uint64))[0])
    return upper - _CHORD_GAP - 1.5 * math.ldexp(word, -64)


def _gumbel(uniform: Ball) -> Ball:
    """-log(-log(1-V)): written with 1-V so that the large values, which win, keep their accuracy."""
    return -((-((-uniform).log1p())).log())


def _argmax(
    scores: ArrayLike,
    scale: Number,
    entropy: Entropy,
    noise: Callable[[Ball], Ball],
    shortlist: Shortlist | None,
) -> int:
    exact = exact_scale("scale", scale)
    finite = _clamped_scores(scores, LARGEST_MERIT * min(1.0, float(exact)))
    words = entropy.words(finite.size)
    chosen = by_leading_bits if shortlist is None else shortlist
    alive = [int(index) for index in chosen(finite, float(exact), words)]
    if len(alive) == 1:
        return alive[0]
    strings = {index: BitString(int(words[index]), balls.WORD, entropy) for index in alive}
    return _last_standing(finite, exact, strings, noise)


def _clamped_scores(scores: ArrayLike, limit: float) -> Floats:
    array = np.asarray(scores, dtype=np.float64)
    if array.ndim != 1 or array.size == 0:
        raise ParameterError(f"scores must be a non-empty list of numbers, not of shape {array.shape}.")
    floored: Floats = np.fmax(array, -limit)  # fmax takes the limit where the score is NaN
    return np.minimum(floored, limit, out=floored)


def _last_standing(
    scores: Floats, scale: Fraction, strings: dict[int, BitString], noise: Callable[[Ball], Ball]
) -> int:
    """Refine until one candidate is certainly above all others."""
    highest = float(scores.max())
    alive, bits = list(strings), balls.WORD
    while len(alive) > 1:
        with balls.precision(bits + 2 * balls.WORD):
            origin, unit = balls.exact_float(highest), balls.rational(scale)
            noisy = {
                index: (balls.exact_float(float(scores[index])) - origin) / unit + noise(strings[index].ball(bits))
                for index in alive
            }
            leader = max((ball.lower() for ball in noisy.values() if ball.is_finite()), default=None)
            if leader is not None:
                alive = [index for index in alive if not noisy[index] < leader]
        bits += balls.WORD
    return alive[0]
