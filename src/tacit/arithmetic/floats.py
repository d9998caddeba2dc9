"""Bounds computed in ordinary floats: how exact an operation is, and how to stay on the safe side of a few of them."""

UNIT_ROUNDOFF = 2.0**-53
"""u of IEEE binary64: fl(a ∘ b) = (a ∘ b)(1 + δ) with |δ| ≤ u."""


def enlarged(x: float) -> float:
    """x enlarged by 2⁻⁴⁸ = 32u relative, for an x ≥ 0 made by up to thirty +, ·, / and √ of numbers ≥ 0.

    The computed x is at least (1 − u)³⁰ of the exact one, and (1 − u)³¹ (1 + 32u) ≥ 1. By `outward-rounding`.
    """
    return x * (1.0 + 2.0**-48)
