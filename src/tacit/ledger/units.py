"""Exact money: every amount in the books is an integer.

An account counts in units of 2⁻ᵇ, b chosen from its limit so that the limit is a whole number of units below 2⁶¹ and
every sum fits the 64-bit integers of both databases. A charge is rounded up, hence a sum of integers within the limit
proves that the sum of the real numbers is within it. By `ledger-units`.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

from tacit.arithmetic import round_down, round_up

_BITS = 61
TOO_MUCH = 1 << _BITS  # more than any limit; two of them still fit a signed 64-bit integer


@dataclass(frozen=True)
class Cost:
    """What is booked: units of the main currency (ε or ρ) and units of δ."""

    main: int
    delta: int


@dataclass(frozen=True)
class Scale:
    """One unit is 2^−main of ε or ρ, and 2^−delta of δ."""

    main: int
    delta: int

    def charge(self, main: float, delta: float = 0.0) -> Cost:
        """The units of a charge, rounded up. By `ledger-units`."""
        return Cost(units_up(main, self.main), units_up(delta, self.delta))


def bits_for(limit: float) -> int:
    """b with 2⁶⁰ ≤ limit · 2ᵇ < 2⁶¹: a float limit, of 53 bits, is then a whole number of units. By `ledger-units`."""
    return _BITS - math.frexp(limit)[1]


def units_up(amount: float | Fraction, bits: int) -> int:
    """The smallest number of units that is at least the amount. By `ledger-units`."""
    return min(math.ceil(Fraction(amount) * _units_per_one(bits)), TOO_MUCH)


def units_exactly(limit: float, bits: int) -> int:
    """A limit in units of its own scale: exact. By `ledger-units`."""
    units = Fraction(limit) * _units_per_one(bits)
    if units.denominator != 1:
        raise ArithmeticError("a limit is a whole number of its own units")
    return int(units)


def amount_up(units: int, bits: int) -> float:
    """The smallest float that is at least this many units: for what was spent."""
    return round_up(units / _units_per_one(bits))


def amount_down(units: int, bits: int) -> float:
    """The largest float that is at most this many units: for what remains."""
    return round_down(units / _units_per_one(bits))


def _units_per_one(bits: int) -> Fraction:
    return Fraction(1 << bits) if bits >= 0 else Fraction(1, 1 << -bits)
