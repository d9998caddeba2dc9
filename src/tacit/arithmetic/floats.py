"""Bounds computed in ordinary floats: how exact an operation is, and how to stay on the safe side of a few of them."""

import math

UNIT_ROUNDOFF = 2.0**-53
"""u of IEEE binary64: fl(a ∘ b) = (a ∘ b)(1 + δ) with |δ| ≤ u."""


def enlarged(x: float, bits: int = 48) -> float:
    """x enlarged by 2^−bits relative, for an x ≥ 0 made by at most 2^(53 − bits) − 2 of +, ·, / and √ of numbers ≥ 0.

    After k roundings the computed x is at least (1 − u)^k of the exact one, u = 2⁻⁵³, and
    (1 − u)^(k + 1) (1 + 2^(53 − bits) u) ≥ 1 for k ≤ 2^(53 − bits) − 2: thirty roundings for 48 bits, six for 50. By
    `outward-rounding`.
    """
    return x * (1.0 + math.ldexp(1.0, -bits))


def reduced(x: float, bits: int = 48) -> float:
    """x reduced by 2^−bits relative, for an x ≥ 0 made in the same way. By `outward-rounding`."""
    return x * (1.0 - math.ldexp(1.0, -bits))
