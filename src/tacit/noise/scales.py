"""The public scales of a ladder: exact numbers, and binary64 numbers within one rounding of them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tacit.arithmetic import Floats
from tacit.errors import ParameterError
from tacit.noise.grid import SCALE_BITS, Number, binary_exponent, exact_scale


class Scales:
    """Strictly decreasing scales, the noisiest first. A thousand floats are checked without becoming fractions."""

    def __init__(self, scales: Sequence[Number]) -> None:
        self._given = list(scales)
        self._are_floats = all(type(scale) is float for scale in self._given)
        if not self._are_floats:
            self._given = [exact_scale("every scale", scale) for scale in self._given]
        self.floats: Floats = np.array([float(scale) for scale in self._given])
        if self._are_floats:
            self._refuse_odd_floats()
        refuse_unless_decreasing("scales", self._given)

    def __len__(self) -> int:
        return len(self._given)

    def exact(self, level: int) -> Fraction:
        """The scale of a level as a rational."""
        return Fraction(self._given[level])

    def kept(self, level: int) -> Fraction:
        """(scale_{t+1}/scale_t)², and 0 for the last level, which starts from nothing; by `laplace-ladder`."""
        return (self.exact(level + 1) / self.exact(level)) ** 2 if level + 1 < len(self) else Fraction(0)

    @cached_property
    def kept_shares(self) -> Floats:
        """`kept` of every level, within 8u relatively."""
        if not self._are_floats:
            return np.array([float(self.kept(level)) for level in range(len(self))])
        return np.asarray((np.append(self.floats[1:], 0.0) / self.floats) ** 2)

    @cached_property
    def jump_chances(self) -> Floats:
        """1 - kept, within 8u relatively: the difference of two scales is exact or does not cancel (Sterbenz)."""
        if not self._are_floats:
            return np.array([float(1 - self.kept(level)) for level in range(len(self))])
        fine = np.append(self.floats[1:], 0.0)
        return np.asarray((self.floats - fine) / self.floats * (1.0 + fine / self.floats))

    @cached_property
    def binary_exponents(self) -> NDArray[np.int64]:
        """floor(log2(scale)) for every scale, exactly."""
        if self._are_floats:
            return np.frexp(self.floats)[1].astype(np.int64) - 1
        return np.array([binary_exponent(Fraction(scale)) for scale in self._given])

    def _refuse_odd_floats(self) -> None:
        limit = 2.0**SCALE_BITS
        for scale in self.floats[~((self.floats >= 1 / limit) & (self.floats <= limit))].tolist():
            exact_scale("every scale", scale)


def refuse_unless_decreasing(name: str, levels: Sequence[Number]) -> None:
    """Levels are public, so an error may name what is wrong."""
    if not levels or any(fine >= coarse for coarse, fine in pairwise(levels)):
        raise ParameterError(f"{name} must be a non-empty, strictly decreasing list: the noisiest level first.")
