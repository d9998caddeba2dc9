"""Numbers of a guarantee for people: few digits, and never better than the truth.

A decimal that reads back as the very same float stands for it: 0.1 is shown as 0.1. By `outward-rounding`.
"""

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal


def shown_up(x: float, digits: int = 6) -> str:
    """A loss with so many digits, the last one rounded up. By `outward-rounding`."""
    return _shown(x, digits, ROUND_CEILING)


def shown_down(x: float, digits: int = 6) -> str:
    """What is left with so many digits, the last one rounded down. By `outward-rounding`."""
    return _shown(x, digits, ROUND_FLOOR)


def _shown(x: float, digits: int, rounding: str) -> str:
    nearest = f"{x:.{digits}g}"
    if float(nearest) == x:
        return nearest
    return f"{float(Context(prec=digits, rounding=rounding).create_decimal(Decimal(x))):.{digits}g}"
