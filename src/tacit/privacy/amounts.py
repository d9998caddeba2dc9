"""Numbers of which budgets are made: what is refused, and how a number is cut without gaining anything."""

import math
from fractions import Fraction
from numbers import Real

from tacit.arithmetic import round_down
from tacit.errors import ParameterError

MAX_EPSILON = 2.0**20  # beyond this the word privacy has no meaning, and the ledger no units
MAX_RHO = 2.0**39
LEAST_SPENT = 1e-60  # noise for less would leave the floats


def positive_number(name: str, value: object, largest: float) -> float:
    """The value as a float (rounded down), or a ParameterError that says what a budget must be."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise ParameterError(f"{name} must be a real number, got {type(value).__name__}; write for example {name}=0.5")
    number = float_below(value)
    if not 0 < number <= largest:  # also false for nan
        raise ParameterError(
            f"{name} must be finite with 0 < {name} <= {largest:g}, got {value!r}; write for example {name}=0.5"
        )
    return number


def float_below(value: Real) -> float:
    """The number as a float, rounded down when it is not one (a fraction, a wide integer or a long double)."""
    try:
        nearest = float(value)
    except OverflowError:
        return math.inf
    return math.nextafter(nearest, -math.inf) if value < nearest else nearest


def part_of(whole: float, fraction: float | Fraction) -> float:
    """whole · fraction, rounded down.

    A float is read as its binary value or as the decimal it prints as, whichever is smaller, so that shares fit
    when their fractions sum to one in either reading: ten shares of 0.1 do.
    """
    below = positive_number("fraction", fraction, 1.0)
    share = fraction if isinstance(fraction, Fraction) else min(Fraction(below), Fraction(repr(below)))
    return round_down(Fraction(whole) * share)
