"""Public bounds on the norms of encoded rows, in exact rational arithmetic rounded outward."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Norms:
    """Bounds that every stored encoded row satisfies as exact numbers, by `encoding-norms`."""

    l1: float
    l2: float
    linf: float


def float_above(value: Fraction) -> float:
    """A float that is at least `value`, at most one step too large."""
    near = float(value)
    return near if Fraction(near) >= value else math.nextafter(near, math.inf)


def float_below(value: Fraction) -> float:
    """A float that is at most `value`, at most one step too small."""
    near = float(value)
    return near if Fraction(near) <= value else math.nextafter(near, -math.inf)


def sqrt_above(value: Fraction) -> float:
    """A float that is at least √value, within a few steps."""
    root = math.sqrt(float_above(value))
    while Fraction(root) ** 2 < value:
        root = math.nextafter(root, math.inf)
    return root
