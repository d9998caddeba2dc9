"""Reals that are never rounded, only compared: the noise of AboveThreshold, by `lazy-comparison`.

A lazy real is a function of a bit string. A comparison draws bits until balls around its two sides
separate, so its outcome is the outcome for the exact reals.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Protocol

from tacit.noise import balls
from tacit.noise.balls import Ball, BitString
from tacit.noise.entropy import Entropy
from tacit.noise.grid import Number, exact_scale

LARGEST = 2.0**1000
"""Compared values are clamped to ±2^1000; NaN counts as 0."""


class LazyReal(Protocol):
    """One exact real, known as far as needed."""

    def ball(self, bits: int) -> Ball:
        """Ball around the real, from `bits` bits of each of its strings (drawn if need be)."""
        ...


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


class LazyGaussian:
    """N(0, sigma²) by Box-Muller."""

    def __init__(self, sigma: Number, entropy: Entropy) -> None:
        self._sigma = exact_scale("sigma", sigma)
        uniform, turn = (int(word) for word in entropy.words(2))
        self._uniform = BitString(uniform, 64, entropy)
        self._turn = BitString(turn, 64, entropy)

    def ball(self, bits: int) -> Ball:
        normal, _ = balls.normal_pair(self._uniform.ball(bits), self._turn.ball(bits))
        return balls.rational(self._sigma) * normal


def exceeds(value: Number, noise: LazyReal, other: Number, other_noise: LazyReal) -> bool:
    """Whether value + noise > other + other_noise, exactly, by `lazy-comparison`.

    Ends with probability 1 when one of the noises has a density independent of the rest. No value
    raises: floats are clamped by a public rule.
    """
    gap = _clamped(value) - _clamped(other)
    bits = balls.WORD
    while True:
        with balls.precision(bits):
            difference = balls.rational(gap) + noise.ball(bits) - other_noise.ball(bits)
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
