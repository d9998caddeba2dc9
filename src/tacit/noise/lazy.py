"""Reals that are never rounded, only compared: the noise of AboveThreshold, by `lazy-comparison`.

A lazy real is a function of a bit string. A comparison draws bits until balls around its two sides
separate, so its outcome is the outcome for the exact reals.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Protocol

import numpy as np

from tacit.arithmetic import Floats
from tacit.noise import balls, kernel
from tacit.noise.balls import Ball, BitString
from tacit.noise.entropy import Entropy
from tacit.noise.grid import Number, exact_scale
from tacit.noise.kernel import Enclosure
from tacit.noise.laws import LaplaceNoise, StringBank

LARGEST = 2.0**1000
"""Compared values are clamped to ±2^1000; NaN counts as 0."""


class LazyReal(Protocol):
    """One exact real, known as far as needed."""

    def ball(self, bits: int) -> Ball:
        """Ball around the real, from `bits` bits of each of its strings (drawn if need be)."""
        ...


class LazyReals(Protocol):
    """Many independent exact reals."""

    def enclosure(self) -> Enclosure:
        """All of them in binary64, from the words drawn first."""
        ...

    def ball(self, index: int, bits: int) -> Ball: ...


class LazyExponential:
    """Exp with mean `scale`: -scale log U."""

    def __init__(self, scale: Number, entropy: Entropy) -> None:
        self._scale = exact_scale("scale", scale)
        self._string = BitString(int(entropy.words(1)[0]), 64, entropy)

    def ball(self, bits: int) -> Ball:
        return balls.rational(self._scale) * balls.exponential(self._string.ball(bits))


class LazyLaplace:
    """Laplace(scale): the first bit is the sign, the others are a uniform U; ±scale log U."""

    def __init__(self, scale: Number, entropy: Entropy) -> None:
        self._scale = exact_scale("scale", scale)
        word = int(entropy.words(1)[0])
        self._positive = bool(word >> 63)
        self._string = BitString(word & (2**63 - 1), 63, entropy)

    def ball(self, bits: int) -> Ball:
        size = balls.rational(self._scale) * balls.exponential(self._string.ball(bits - 1))
        return size if self._positive else -size


class LazyExponentials:
    """Independent Exp with mean `scale`, drawn together."""

    def __init__(self, count: int, scale: Number, entropy: Entropy) -> None:
        self._scale = exact_scale("scale", scale)
        self._words = entropy.words(count)
        self._strings = StringBank(entropy)

    def enclosure(self) -> Enclosure:
        return kernel.scaled(kernel.exponential(self._words, 64), float(self._scale))

    def ball(self, index: int, bits: int) -> Ball:
        uniform = self._strings.ball(index, self._words[index], bits)
        return balls.rational(self._scale) * balls.exponential(uniform)


class LazyLaplaces:
    """Independent Laplace(scale), drawn together."""

    def __init__(self, count: int, scale: Number, entropy: Entropy) -> None:
        self._noise = LaplaceNoise(count, exact_scale("scale", scale), entropy)

    def enclosure(self) -> Enclosure:
        return self._noise.enclosure(slice(None))

    def ball(self, index: int, bits: int) -> Ball:
        return self._noise.ball(index, bits)


def exceeds(value: Number, noise: LazyReal, other: Number, other_noise: LazyReal) -> bool:
    """Whether value + noise > other + other_noise, exactly, by `lazy-comparison`.

    Ends with probability 1 when one of the noises has a density independent of the rest. No value
    raises: floats are clamped by a public rule.
    """
    return _is_positive(_clamped(value) - _clamped(other), noise.ball, other_noise)


def first_exceeding(
    bounds: Floats, value: Callable[[int], float], noises: LazyReals, other: float, other_noise: LazyReal
) -> int | None:
    """The first index i with value(i) + noise i > other + other_noise, exactly, by `lazy-comparison`; None if none.

    value(i) is asked for only where bounds[i] >= value(i) leaves the comparison open.
    """
    with balls.precision(balls.WORD):
        centre, error = balls.as_interval(balls.rational(_clamped(other)) + other_noise.ball(balls.WORD))
    noise = noises.enclosure()
    highest = np.clip(np.nan_to_num(bounds, nan=LARGEST), -LARGEST, LARGEST)
    slack = noise.bound + error + kernel.CLAIM * (np.abs(highest) + np.abs(noise.centre) + abs(centre))
    for index in np.flatnonzero(~(highest + noise.centre - centre + slack < 0.0)).tolist():
        gap = _clamped(value(index)) - _clamped(other)
        if _is_positive(gap, partial(noises.ball, index), other_noise):
            return index
    return None


def _is_positive(gap: Fraction, noise: Callable[[int], Ball], other_noise: LazyReal) -> bool:
    """Whether gap + noise - other_noise > 0: balls are narrowed until they exclude 0."""
    bits = balls.WORD
    while True:
        with balls.precision(bits):
            difference = balls.rational(gap) + noise(bits) - other_noise.ball(bits)
            if difference > 0:
                return True
            if difference < 0:
                return False
        bits += balls.WORD


def _clamped(value: Number) -> Fraction:
    if isinstance(value, Fraction | int):
        return Fraction(value)
    number = float(value)
    return Fraction(0) if math.isnan(number) else Fraction(max(-LARGEST, min(LARGEST, number)))
