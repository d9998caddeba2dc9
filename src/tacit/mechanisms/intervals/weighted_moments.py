"""Private sums at a released θ: Σ w(x, y, θ) xxᵀ, or only its trace, with noise for one replaced row.

A row contributes vvᵀ with v = √w·x and ‖v‖² ≤ w_max r². Two such matrices have a non-negative inner product, so

    matrix:  ‖vvᵀ − v'v'ᵀ‖_F ≤ √2 w_max r²,  ‖vvᵀ − v'v'ᵀ‖_* ≤ 2 w_max r²
    trace:   |‖v‖² − ‖v'‖²| ≤ w_max r²

w_max may depend on the released ‖θ‖₂, never on the exact minimiser: the release is then a mechanism chosen by what was
released before it (adaptive composition). By `weighted-moments`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from tacit.arithmetic import Floats, enlarged, exact, upper
from tacit.mechanisms.erm import weighted_gram
from tacit.mechanisms.intervals.row_weights import RowWeight, pulled, row_local_squares, stored_weights
from tacit.mechanisms.laws import AddedLaw, Matrix
from tacit.mechanisms.moments import Frobenius, Nuclear
from tacit.mechanisms.problem import Shape
from tacit.mechanisms.release import Facts, Sensitivity
from tacit.mechanisms.svec import smat, svec, svec_size
from tacit.noise import Entropy
from tacit.privacy import Budget
from tacit.rows import Rows
from tacit.solvers import norm_above


@dataclass(frozen=True)
class SecondMoments:
    """Σ vvᵀ, as svec."""

    measure: Frobenius | Nuclear = field(default_factory=Frobenius)
    label: str = ""

    def size(self, width: int) -> int:
        return svec_size(width)

    def replacement(self, longest: float) -> float:
        """√2 ‖v‖² or 2 ‖v‖². By `weighted-moments`."""
        return self.measure.replacement(longest)

    def block(self, X: Any, weights: Floats, longest: float) -> Matrix:
        return weighted_gram(X, weights)

    def packed(self, total: Matrix) -> Floats:
        return svec(total)

    def unpacked(self, noisy: Floats, width: int) -> Matrix:
        return smat(noisy, width)


@dataclass(frozen=True)
class Trace:
    """Σ ‖v‖²: one number instead of d(d+1)/2."""

    measure: Frobenius = field(default_factory=Frobenius)
    label: str = "trace of the "

    def size(self, width: int) -> int:
        return 1

    def replacement(self, longest: float) -> float:
        """‖v‖² lies in [0, longest]. By `weighted-moments`."""
        return longest

    def block(self, X: Any, weights: Floats, longest: float) -> Matrix:
        lengths = np.clip(weights * row_local_squares(X), 0.0, longest)
        return np.array([float(np.sum(lengths))])

    def packed(self, total: Matrix) -> Floats:
        return total

    def unpacked(self, noisy: Floats, width: int) -> Matrix:
        return noisy


@dataclass(frozen=True)
class WeightedMoments:
    """One private statistic of √w·x at a θ that is already public; ball: rows are pulled into it, by `pulled-rows`."""

    shape: Shape
    weight: RowWeight
    charge: Budget
    statistic: SecondMoments | Trace = SecondMoments()
    ball: float | None = None

    def sensitivity(self, theta: Floats | None = None) -> Sensitivity:
        """One replaced row and twice the rounding of the sums, at the released θ; None: for every θ.

        By `weighted-moments`.
        """
        return self._sensitivity(self._weight_bound(theta))

    def law(self, theta: Floats | None = None) -> AddedLaw:
        """Noise in the sum, at the released θ; None: the largest for any θ."""
        return _law(self, self._weight_bound(theta))

    @cached_property
    def size(self) -> int:
        return self.statistic.size(self.shape.width)

    @property
    def theorems(self) -> tuple[str, ...]:
        """What the release rests on."""
        calibration, pulls = self.statistic.measure.calibration, () if self.ball is None else ("pulled-rows",)
        return ("weighted-moments", *pulls, "blocked-sum", calibration, "certified-rounding", "composition")

    @property
    def facts(self) -> Facts:
        """The largest sensitivity and noise; at a released θ with bounded scores both can only be smaller."""
        return Facts(
            mechanism=self.statistic.label + self.weight.name,
            theorems=self.theorems,
            sensitivity=self.sensitivity(),
            charge=self.charge,
            law=self.law(),
            grid=self.law().grid(self.size),
            l2=0.0,
            radius=None,
            tolerance=0.0,
            notes=("sums over rows, for intervals; sensitivity and noise are stated for every possible released θ",),
        )

    def __call__(self, rows: Rows, theta: Floats, entropy: Entropy) -> Matrix:
        """Read the rows once at the released θ and return the noisy sum."""
        total = rows.total(self._kernel(theta))
        noisy = self.law(theta).add(self.statistic.packed(total), entropy)
        return self.statistic.unpacked(noisy, self.shape.width)

    def _kernel(self, theta: Floats) -> Callable[[Any, Floats], Matrix]:
        bound = self._weight_bound(theta)
        longest = self._longest(bound)

        def kernel(X: Any, y: Floats) -> Matrix:
            weights = stored_weights(self.weight, X, y, theta, bound)
            if self.ball is not None:
                weights *= pulled(X, self.ball)
            return self.statistic.block(X, weights, longest)

        return kernel

    def _weight_bound(self, theta: Floats | None) -> float:
        if theta is None:
            return self.weight.bound(None)
        return self.weight.bound(enlarged(norm_above(theta) * self.shape.norms.l2, 50))

    def _sensitivity(self, weight_bound: float) -> Sensitivity:
        longest = self._longest(weight_bound)
        measure, one_row = self.statistic.measure, self.statistic.replacement(longest)
        rounding = 2 * measure.rounding(self._rounding(longest), self.shape.width)
        parts = {"one replaced row": one_row, "rounding of the sums": rounding}
        return Sensitivity.adding(measure.norm, parts)

    def _longest(self, weight_bound: float) -> float:
        """‖v‖² ≤ w_max r² for the stored v = fl(fl(√w)·x): four roundings, covered by 2⁻⁴⁸.

        A pulled row has r the radius of its ball and d + 4 roundings more. By `pulled-rows`.
        """
        if self.ball is None:
            return enlarged(weight_bound * self.shape.norms.l2**2)
        return weight_bound * self.ball**2 * (1 + (self.shape.width + 16) * 2.0**-52)

    def _rounding(self, longest: float) -> float:
        """Computed against exact sums: blocked addition (√2 enlarges it), then the product with √2 as a float."""
        addition = self.shape.summation_error(longest)
        return upper(lambda: exact(addition) * 2 + exact(longest) * self.shape.n * exact(2.0**-52))


@lru_cache(maxsize=64)
def _law(release: WeightedMoments, weight_bound: float) -> AddedLaw:
    largest = 2 * release.shape.n * release._longest(weight_bound)
    return release.statistic.measure.law(release._sensitivity(weight_bound).total, release.charge, largest)
