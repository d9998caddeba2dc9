"""Exact money: every amount in the books is an integer.

ε and ρ are counted in units of 2⁻⁴⁰, δ in units of 2⁻⁶¹, so that the largest sums fit the 64-bit integers of both
databases. A charge is rounded up and a limit down, hence a sum of integers within the limit proves that the sum of
the real numbers is within it. By `ledger-units`.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

from tacit.errors import ParameterError
from tacit.privacy.rounding import round_down, round_up

MAIN_UNITS = 2**40  # units per 1.0 of ε or ρ
DELTA_UNITS = 2**61  # units per 1.0 of δ
_LARGEST = 2**61  # two of them still fit a signed 64-bit integer


@dataclass(frozen=True)
class Cost:
    """What is booked: units of the main currency (ε or ρ) and units of δ."""

    main: int
    delta: int


def units_up(amount: float, per_one: int) -> int:
    """The smallest number of units that is at least the amount. By `ledger-units`."""
    return _checked(math.ceil(Fraction(amount) * per_one), amount)


def units_down(amount: float, per_one: int) -> int:
    """The largest number of units that is at most the amount. By `ledger-units`."""
    return _checked(math.floor(Fraction(amount) * per_one), amount)


def amount_up(units: int, per_one: int) -> float:
    """The smallest float that is at least this many units: for what was spent."""
    return round_up(Fraction(units, per_one))


def amount_down(units: int, per_one: int) -> float:
    """The largest float that is at most this many units: for what remains."""
    return round_down(Fraction(units, per_one))


def _checked(units: int, amount: float) -> int:
    if units > _LARGEST:
        raise ParameterError(
            f"the ledger counts ε and ρ up to {_LARGEST // MAIN_UNITS}, got {amount:g}; such an amount protects nobody"
        )
    return units
