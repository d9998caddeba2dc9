"""Sums whose rounding error has a public bound.

A total over n rows is computed in three steps: BLAS adds the rows of one block in whatever order it likes, the
blocks are added with an error term carried along (the error-free addition of two floats by Knuth), and the
error terms are added at the very end. The bound below holds for every table, so it may enter a sensitivity.
"""

import math
from fractions import Fraction
from typing import Generic, TypeAlias, TypeVar, cast

import numpy as np

from tacit.arithmetic import Floats, round_up
from tacit.errors import ParameterError
from tacit.rows.schedule import MOST_LANES

Sum: TypeAlias = Floats | float
Sums = TypeVar("Sums", bound=Sum | tuple[Sum, ...])

UNIT_ROUNDOFF = Fraction(1, 2**53)
UNDERFLOW_PER_ROW = Fraction(1, 2**1000)
LARGEST_TOTAL = Fraction(2) ** 1000

# Five arrays of this many floats stay in a second-level cache while one chunk is added.
CHUNK = 8192


class CompensatedSum(Generic[Sums]):
    """A running sum of arrays (or floats, or tuples of them) together with the rounding errors it made."""

    def __init__(self) -> None:
        self._is_tuple = False
        self._shapes: list[tuple[int, ...]] = []
        self._sums: list[Floats] = []
        self._errors: list[Floats] = []

    def add(self, term: Sums) -> None:
        """Add one block's result, component by component."""
        parts: tuple[Sum, ...] = term if isinstance(term, tuple) else (term,)
        arrays = [np.asarray(part, dtype=np.float64) for part in parts]
        if not self._sums:
            self._start(isinstance(term, tuple), [array.shape for array in arrays])
        for total, error, array in zip(self._sums, self._errors, arrays, strict=True):
            _add_error_free(total, error, array.reshape(-1))

    def absorb(self, other: "CompensatedSum[Sums]") -> None:
        """Add another running sum; its errors join the errors of this one."""
        if not self._sums:
            self._start(other._is_tuple, other._shapes)
        pairs = zip(self._sums, self._errors, other._sums, other._errors, strict=True)
        for total, error, other_total, other_error in pairs:
            _add_error_free(total, error, other_total)
            error += other_error

    def result(self) -> Sums:
        """The sums, corrected by their errors and rounded once, in the form they were added."""
        corrected = (total + error for total, error in zip(self._sums, self._errors, strict=True))
        parts = tuple(
            part.reshape(shape) if shape else float(part[0])
            for part, shape in zip(corrected, self._shapes, strict=True)
        )
        return cast(Sums, parts if self._is_tuple else parts[0])

    def _start(self, is_tuple: bool, shapes: list[tuple[int, ...]]) -> None:
        self._is_tuple, self._shapes = is_tuple, shapes
        self._sums = [np.zeros(math.prod(shape)) for shape in shapes]
        self._errors = [np.zeros(math.prod(shape)) for shape in shapes]


def _add_error_free(total: Floats, error: Floats, term: Floats) -> None:
    """total, error ← fl(total + term), error + (total + term − fl(total + term)), entry by entry (TwoSum)."""
    work = np.empty((3, min(CHUNK, total.size)))
    for start in range(0, total.size, CHUNK):
        a, b = total[start : start + CHUNK], term[start : start + CHUNK]
        new, part, rest = work[:, : a.size]
        np.add(a, b, out=new)
        np.subtract(new, a, out=part)
        np.subtract(b, part, out=rest)
        np.subtract(new, part, out=part)
        np.subtract(a, part, out=part)
        part += rest
        error[start : start + CHUNK] += part
        a[...] = new


def summation_error(rows: int, block: int, magnitude: float, evaluation: float = 0.0) -> float:
    """Bound on ‖computed total − Σᵢ cᵢ‖, by `blocked-sum`.

    rows: number n of rows summed; block: most rows in one block, k.
    magnitude: ‖cᵢ‖ ≤ M for the real-number contribution of every possible row.
    evaluation: ‖ĉᵢ − cᵢ‖ ≤ η, where ĉᵢ is what the kernel hands to the sum: a stored number, or the exact
    product of two stored numbers (the sum may round that product).

    The norm is any that looks only at absolute values and grows with them: |·| of one coordinate, ℓ1, ℓ2, ℓ∞,
    Frobenius; M and η must be bounds in the norm asked for. With m = ⌈n/k⌉ + lanes, γⱼ = ju/(1 − ju), u = 2⁻⁵³:

        n η + γₖ n (M + η) + (u + (1 + u) γₘ²)(1 + γₖ) n (M + η) + n 2⁻¹⁰⁰⁰

    evaluated exactly and rounded up.
    """
    if rows < 1 or block < 1:
        raise ParameterError(f"A sum needs at least one row and one row per block, got {rows} and {block}.")
    for name, bound in (("magnitude", magnitude), ("evaluation", evaluation)):
        if not (0 <= bound < math.inf):
            raise ParameterError(f"{name} is a finite bound, at least 0; got {bound!r}.")
    n, noise = Fraction(rows), Fraction(evaluation)
    stored = n * (Fraction(magnitude) + noise)
    if stored > LARGEST_TOTAL:
        raise ParameterError("A total beyond 2**1000 could overflow: scale the rows down.")
    inside = _gamma(min(block, rows))
    across = _gamma(-(-rows // block) + MOST_LANES)
    combined = (UNIT_ROUNDOFF + (1 + UNIT_ROUNDOFF) * across**2) * (1 + inside)
    return round_up(n * noise + (inside + combined) * stored + n * UNDERFLOW_PER_ROW)


def _gamma(operations: int) -> Fraction:
    """γⱼ = ju/(1 − ju): relative error of j roundings in any order (Higham 2002, lemma 3.1)."""
    product = operations * UNIT_ROUNDOFF
    return product / (1 - product)
