"""Enclosures in binary64: the same maps from words to reals as in `balls`, with a-priori error bounds.

Only conversions, + - * / sqrt, comparisons and exact splits of mantissa and exponent are used. IEEE 754
fixes each of them to half a unit in the last place, so no accuracy of a mathematical library has to be
trusted. Bounds are
derived in docs/proofs/binary64-enclosures.md; what is claimed here exceeds them by a factor of eight
or more, which covers fused operations, a directed rounding mode and the rounding of the bounds
themselves.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from tacit.arithmetic import Floats
from tacit.noise.entropy import Words

CLAIM = 2.0**-47
"""64 units of 2^-53: the claimed error of one elementary function, by `binary64-enclosures`."""

ADDITION = 2.0**-50
"""8 units of 2^-53: the claimed error of one addition in a long sum, by `binary64-enclosures`."""

_MANTISSA_BITS = 52
_SQRT_HALF_PATTERN = int(np.float64(math.sqrt(0.5)).view(np.int64))
_LN2_HIGH = float.fromhex("0x1.62e42fee00000p-1")  # 32 bits: times a 7-bit exponent it is exact
_LN2_LOW = float.fromhex("0x1.a39ef35793c76p-33")
_ATANH = tuple(1.0 / (2 * k + 1) for k in range(13))
_SINE = tuple((-1.0) ** k / math.factorial(2 * k + 1) for k in range(10))
_COSINE = tuple((-1.0) ** k / math.factorial(2 * k) for k in range(11))
_QUARTER_PI = math.pi / 4
_OCTANT_BITS = 61
_IN_OCTANT = np.uint64(2**_OCTANT_BITS - 1)


class Enclosure(NamedTuple):
    """|exact - centre| <= bound in every coordinate, whatever the bits not drawn yet. Bounds may be inf."""

    centre: Floats
    bound: Floats


def exponential(words: Words, bits: int) -> Enclosure:
    """-log U for every U in [w, w+1] 2^-bits, within 2^-47 (1 + L) + 1/w, by `binary64-enclosures`."""
    whole = words.astype(np.float64)
    centre = minus_logarithm(whole + 0.5, bits)
    with np.errstate(divide="ignore"):
        bound = 1.0 / whole  # infinite for the word 0, whose cell reaches log 0
    bound += CLAIM * (1.0 + centre)
    return Enclosure(centre, bound)


def minus_logarithm(numbers: Floats, bits: int = 0) -> Floats:
    """-log(x 2^-bits) for floats x with 2^-100 <= x 2^-bits <= 2, within 2^-47 (1 + |L|), by `binary64-enclosures`."""
    pattern = numbers.view(np.int64)
    exponent = (pattern - _SQRT_HALF_PATTERN) >> _MANTISSA_BITS
    mantissa = (pattern - (exponent << _MANTISSA_BITS)).view(np.float64)  # √½ <= mantissa < √2, exact
    power = exponent - float(bits)

    ratio = (mantissa - 1.0) / (mantissa + 1.0)
    log_mantissa = _horner(_ATANH, ratio * ratio)
    log_mantissa *= ratio + ratio
    log_mantissa += power * _LN2_LOW
    return np.asarray(-(power * _LN2_HIGH + log_mantissa))


def cosine_sine(words: Words) -> tuple[Floats, Floats]:
    """cos and sin of 2πV for every V in [w, w+1] 2^-64, within 2^-47, by `binary64-enclosures`."""
    octant = (words >> np.uint64(_OCTANT_BITS)).astype(np.int8)
    odd = (octant & 1).astype(bool)
    # Reflecting an integer about the end of its octant is exact.
    place = (words ^ (np.uint64(0) - odd.astype(np.uint64))) & _IN_OCTANT
    angle = (place.astype(np.float64) + 0.5) * (_QUARTER_PI * 2.0**-_OCTANT_BITS)
    square = angle * angle
    sine = _horner(_SINE, square)
    sine *= angle
    cosine = _horner(_COSINE, square)

    swapped = ((octant + 1) & 2).astype(bool)
    x = np.where(swapped, sine, cosine)
    y = np.where(swapped, cosine, sine)
    x *= 1.0 - 2.0 * ((octant >= 2) & (octant <= 5))
    y *= 1.0 - 2.0 * (octant >= 4)
    return x, y


def normal_pairs(words: Words, turns: Words) -> Enclosure:
    """Box-Muller normals, pair by pair: coordinates 2p and 2p+1 come from words[p] and turns[p].

    Bound 2e/R + 2^-46 R for R = √(2L) and |L - exact| <= e, by `binary64-enclosures`.
    """
    energy, error = exponential(words, 64)
    radius = np.sqrt(np.abs(2.0 * energy))  # for the last words L is -0.0, and the bound below would be -infinity
    with np.errstate(divide="ignore"):
        error *= 2.0 / radius
    error += 2.0 * CLAIM * radius
    cosine, sine = cosine_sine(turns)
    centre = np.empty(2 * words.size)
    np.multiply(radius, cosine, out=centre[0::2])
    np.multiply(radius, sine, out=centre[1::2])
    return Enclosure(centre, np.repeat(error, 2))


def scaled(unit: Enclosure, factor: float | Floats, factor_bound: float | Floats = 0.0) -> Enclosure:
    """Enclosure of s·x for |s - factor| <= factor_bound + 4u |factor| and x in `unit`.

    |s x - fl(factor·centre)| <= |s|·bound + |s - factor|·|centre| + u |factor·centre|, and 2^-47 covers
    the 5u of the last two, by `binary64-enclosures`.
    """
    centre = factor * unit.centre
    bound = np.abs(unit.centre)
    with np.errstate(invalid="ignore"):  # 0 times an infinite bound: undecided, not an error
        bound *= CLAIM * factor + factor_bound
        bound += (factor * (1.0 + CLAIM) + factor_bound) * unit.bound
    return Enclosure(centre, bound)


def _horner(coefficients: tuple[float, ...], x: Floats) -> Floats:
    value = coefficients[-1] * x
    for coefficient in coefficients[-2:0:-1]:
        value += coefficient
        value *= x
    value += coefficients[0]
    return value
