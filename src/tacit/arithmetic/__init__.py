"""Exact arithmetic: directed rounding, bounds that survive ordinary floats, and digits on the safe side."""

from tacit.arithmetic.arrays import Floats
from tacit.arithmetic.floats import UNIT_ROUNDOFF, enlarged, reduced
from tacit.arithmetic.rounding import (
    exact,
    largest_float,
    lower,
    round_down,
    round_up,
    sum_up,
    upper,
    working_precision,
)
from tacit.arithmetic.shown import shown_down, shown_up

__all__ = [
    "UNIT_ROUNDOFF",
    "Floats",
    "enlarged",
    "exact",
    "largest_float",
    "lower",
    "reduced",
    "round_down",
    "round_up",
    "shown_down",
    "shown_up",
    "sum_up",
    "upper",
    "working_precision",
]
