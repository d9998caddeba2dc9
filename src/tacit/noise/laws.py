"""The laws as maps from words to exact reals: Laplace, and normals times a fixed or random spread."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Protocol

import numpy as np

from tacit.noise import balls, kernel
from tacit.noise.balls import Ball, BitString
from tacit.noise.entropy import Entropy, Words
from tacit.noise.kernel import Enclosure

_SIGN = np.uint64(63)
_MAGNITUDE = np.uint64(2**63 - 1)


class LaplaceNoise:
    """Independent Laplace(scale) coordinates, a word each."""

    def __init__(self, size: int, scale: Fraction, entropy: Entropy) -> None:
        self._words = entropy.words(size)
        self._scale = scale
        self._strings = SignedStrings(self._words, entropy)

    def enclosure(self, block: slice) -> Enclosure:
        return kernel.scaled(signed_exponential(self._words[block]), float(self._scale))

    def ball(self, index: int, bits: int) -> Ball:
        return balls.rational(self._scale) * self._strings.ball(index, bits)


def signed_exponential(words: Words) -> Enclosure:
    """Laplace(1) from each word: the first bit is the sign, the others are a uniform U; ±log U."""
    centre, bound = kernel.exponential(words & _MAGNITUDE, 63)
    centre *= 2.0 * (words >> _SIGN) - 1.0
    return Enclosure(centre, bound)


class SignedStrings:
    """The same reals as balls, continued only where somebody asks."""

    def __init__(self, words: Words, entropy: Entropy) -> None:
        self._words = words
        self._entropy = entropy
        self._strings: dict[int, BitString] = {}

    def ball(self, index: int, bits: int) -> Ball:
        word = int(self._words[index])
        if index not in self._strings:
            self._strings[index] = BitString(word & int(_MAGNITUDE), 63, self._entropy)
        size = balls.exponential(self._strings[index].ball(bits - 1))
        return size if word >> 63 else -size


class Spread(Protocol):
    """A non-negative real, fixed or random, that multiplies a vector of normals."""

    def interval(self) -> tuple[float, float]:
        """(centre, bound) in binary64."""
        ...

    def ball(self, bits: int) -> Ball: ...


class FixedSpread:
    """√variance for an exact variance."""

    def __init__(self, variance: Fraction) -> None:
        self._variance = variance

    def interval(self) -> tuple[float, float]:
        # A power of four keeps the argument of the square root in range whatever the variance.
        half = (self._variance.numerator.bit_length() - self._variance.denominator.bit_length()) // 2
        return math.ldexp(math.sqrt(self._variance / Fraction(4) ** half), half), 0.0

    def ball(self, bits: int) -> Ball:
        return balls.rational(self._variance).sqrt()


class GammaSpread:
    """scale·√(2V), V ~ Gamma(halves/2, 1), by `spherical-mixture`.

    V = -Σ log U_i over ⌊halves/2⌋ uniforms, plus N²/2 = E cos²(2πT) of one Box-Muller normal if odd.
    """

    def __init__(self, scale: Fraction, halves: int, entropy: Entropy) -> None:
        self._scale = scale
        self._words = entropy.words(halves // 2)
        self._normal = entropy.words(2) if halves % 2 else entropy.words(0)
        self._strings = StringBank(entropy)

    def interval(self) -> tuple[float, float]:
        centre, bound = kernel.exponential(self._words, 64)
        parts, errors = centre.tolist(), bound.tolist()
        if self._normal.size:
            normal, error = kernel.normal_pairs(self._normal[:1], self._normal[1:])
            parts.append(float(normal[0]) ** 2 / 2)
            errors.append(float(error[0]) * (abs(float(normal[0])) + float(error[0])))
        return root_of_sum(float(self._scale), parts, errors)

    def ball(self, bits: int) -> Ball:
        energy = balls.exponential(balls.product(self._strings.balls(self._words, bits)))
        if self._normal.size:
            normal, _ = balls.normal_pair(*self._strings.balls(self._normal, bits, offset=self._words.size))
            energy += normal * normal / 2
        return balls.rational(self._scale) * balls.square_root(2 * energy)


class NormalNoise:
    """spread · N(0, I): Box-Muller normals, coordinates 2p and 2p+1 from words p of two arrays."""

    def __init__(self, size: int, spread: Spread, entropy: Entropy) -> None:
        pairs = (size + 1) // 2
        words = entropy.words(2 * pairs)
        self._size = size
        self._words = words[:pairs]
        self._turns = words[pairs:]
        self._spread = spread
        self._spread_interval: tuple[float, float] | None = None
        self._spread_balls: dict[int, Ball] = {}
        self._strings = StringBank(entropy)

    def enclosure(self, block: slice) -> Enclosure:
        if self._spread_interval is None:
            self._spread_interval = self._spread.interval()
        start, stop, _ = block.indices(self._size)
        pairs = slice(start // 2, (stop + 1) // 2)
        unit = kernel.normal_pairs(self._words[pairs], self._turns[pairs])
        size = stop - start
        return kernel.scaled(Enclosure(unit.centre[:size], unit.bound[:size]), *self._spread_interval)

    def ball(self, index: int, bits: int) -> Ball:
        pair, half = divmod(index, 2)
        if bits not in self._spread_balls:
            self._spread_balls[bits] = self._spread.ball(bits)
        uniform = self._strings.ball(pair, self._words[pair], bits)
        turn = self._strings.ball(pair + self._words.size, self._turns[pair], bits)
        return balls.normal_pair(uniform, turn)[half] * self._spread_balls[bits]


class StringBank:
    """The bit strings that start with given words, continued only where somebody asks."""

    def __init__(self, entropy: Entropy) -> None:
        self._entropy = entropy
        self._strings: dict[int, BitString] = {}

    def ball(self, key: int, word: np.uint64, bits: int) -> Ball:
        string = self._strings.get(key)
        if string is None:
            string = self._strings[key] = BitString(int(word), 64, self._entropy)
        return string.ball(bits)

    def balls(self, words: Words, bits: int, offset: int = 0) -> list[Ball]:
        return [self.ball(offset + place, word, bits) for place, word in enumerate(words)]


def root_of_sum(scale: float, parts: list[float], errors: list[float]) -> tuple[float, float]:
    """(centre, bound) of scale·√(2 Σ x_i) for |x_i - parts_i| <= errors_i, by `binary64-enclosures`.

    |√a - √b| <= |a - b| / √a; `math.fsum` rounds once.
    """
    energy, error = math.fsum(parts), math.fsum(errors)
    if energy == 0.0:
        return 0.0, scale * math.sqrt(2.0 * error) * (1.0 + kernel.CLAIM)
    root = math.sqrt(2.0 * energy)
    return scale * root, scale * (2.0 * error / root + kernel.CLAIM * root)
