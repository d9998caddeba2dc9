"""Public numbers of a release: the exact scale of the noise and the power-of-two grid of the output."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from tacit.arithmetic import Floats
from tacit.errors import ParameterError

Number = float | int | Fraction

GRID_BITS = 20
"""The grid is at most 2^-20 of the scale: rounding adds less than 2^-40 of the variance."""

SCALE_BITS = 900
"""Scales lie in [2^-900, 2^900], so that no intermediate binary64 number over- or underflows."""

VALUE_BITS = 50
"""Values are clamped to 2^50 grid units, where a grid unit still is a multiple of their last bit."""

OUTPUT_BITS = 52
"""Outputs are clamped to 2^52 grid units: every multiple of the grid up to there is a binary64 number."""


def exact(name: str, number: Number) -> Fraction:
    """The rational that a public parameter denotes; anything but a finite real number is refused."""
    if isinstance(number, bool | np.bool_) or not isinstance(number, int | float | Fraction | np.integer | np.float32):
        raise ParameterError(
            f"{name} must be an int, a float or a Fraction, not {type(number).__name__}; convert it first."
        )
    if isinstance(number, Fraction):
        return number
    if not math.isfinite(number):
        raise ParameterError(f"{name} must be a finite number, not {number}.")
    return Fraction(int(number)) if isinstance(number, int | np.integer) else Fraction(float(number))


def exact_scale(name: str, number: Number) -> Fraction:
    """A scale as a rational in [2^-900, 2^900]."""
    return _within(name, exact(name, number), SCALE_BITS)


def exact_variance(name: str, number: Number) -> Fraction:
    """A variance as a rational in [2^-1800, 2^1800]."""
    return _within(name, exact(name, number), 2 * SCALE_BITS)


def _within(name: str, number: Fraction, bits: int) -> Fraction:
    if not Fraction(1, 2**bits) <= number <= 2**bits:
        raise ParameterError(f"{name} must lie between 2^-{bits} and 2^{bits}; rescale the values if it does not.")
    return number


def binary_exponent(number: Fraction) -> int:
    """floor(log2(number)) for number > 0, exactly."""
    guess = number.numerator.bit_length() - number.denominator.bit_length()
    if guess >= 0:
        return guess if number.numerator >= number.denominator << guess else guess - 1
    return guess if number.numerator << -guess >= number.denominator else guess - 1


def grid_exponent(scale: Number) -> int:
    """k with 2^k <= 2^-20 scale < 2^(k+1): Laplace and Gaussian noise is released on multiples of 2^k."""
    return binary_exponent(exact_scale("scale", scale)) - GRID_BITS


def spherical_grid_exponent(scale: Number, dimension: int) -> int:
    """The grid of spherical noise, whose coordinates have size about scale √dimension."""
    return grid_exponent(scale) + spherical_bits(dimension)


def spherical_bits(dimension: int) -> int:
    """Bits by which the grid of spherical noise is coarser than that of a coordinate on its own."""
    return (max(dimension, 1).bit_length() - 1) // 2


def clamped(values: ArrayLike, exponent: int) -> Floats:
    """A private flat copy of the values, made representable by a fixed public rule.

    NaN becomes 0 and everything else is clamped to ±2^50 grid units. The rule acts on each coordinate
    alone, and clamping never moves two values apart, so it does not raise a sensitivity. No value raises.
    """
    copy = np.array(values, dtype=np.float64, copy=True, subok=False).reshape(-1)
    copy[np.isnan(copy)] = 0.0
    limit = math.ldexp(1.0, VALUE_BITS + exponent)
    return np.clip(copy, -limit, limit, out=copy)
