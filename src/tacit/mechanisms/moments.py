"""Second moments of (x, ay) released once: the covariance perturbation of private linear regression.

A row v = (x, ay) contributes vvᵀ to S = Σ vvᵀ. Three ways to measure what one replaced row moves:

    ℓ2:       svec (off-diagonal × √2) has norm ‖v‖₂², and ‖vvᵀ − wwᵀ‖_F ≤ √2 max(‖v‖₂, ‖w‖₂)²
    nuclear:  ‖vvᵀ − wwᵀ‖_* ≤ 2 max(‖v‖₂, ‖w‖₂)², for noise whose coordinates grow with √d, not with d
    ℓ1:       (vᵢ², 2vᵢvⱼ for i < j) has norm ‖v‖₁², so two rows differ by at most 2 max(‖v‖₁, ‖w‖₁)²

By `symmetric-moments` and `wishart-difference`; the rounding of the sums enters by `blocked-sum`.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tacit.arithmetic import exact, upper
from tacit.domain import Norms
from tacit.errors import ParameterError
from tacit.mechanisms.erm import gram
from tacit.mechanisms.laws import AddedLaw, Matrix, Vector, calibrate, calibrate_l1, calibrate_nuclear
from tacit.mechanisms.problem import Shape
from tacit.mechanisms.release import Sensitivity
from tacit.mechanisms.svec import smat, svec, svec_size
from tacit.noise import Entropy
from tacit.privacy import Budget
from tacit.rows import Rows


@dataclass(frozen=True)
class Frobenius:
    """Noise for the ℓ2 sensitivity of svec(S): spherical under pure ε, Gaussian otherwise."""

    off_diagonal: float = math.sqrt(2)
    norm: str = "l2"
    calibration: str = "noise-calibration"

    def row_norm(self, norms: Norms, target_weight: float) -> float:
        """‖v‖₂² ≤ ‖x‖₂² + a²."""
        return upper(lambda: exact(norms.l2) ** 2 + exact(target_weight) ** 2)

    def replacement(self, row_norm: float) -> float:
        """√2 ‖v‖₂². By `symmetric-moments`."""
        return upper(lambda: exact(row_norm) * exact(2.0).sqrt())

    def rounding(self, frobenius: float, order: int) -> float:
        """An error of svec(S) in this norm."""
        return frobenius

    def law(self, sensitivity: float, budget: Budget, largest: float) -> AddedLaw:
        return calibrate(sensitivity, budget)


@dataclass(frozen=True)
class Nuclear:
    """A difference of two Wisharts for the nuclear norm, on svec(S): pure ε only."""

    off_diagonal: float = math.sqrt(2)
    norm: str = "nuclear"
    calibration: str = "wishart-difference"

    def row_norm(self, norms: Norms, target_weight: float) -> float:
        """‖v‖₂² ≤ ‖x‖₂² + a²."""
        return Frobenius().row_norm(norms, target_weight)

    def replacement(self, row_norm: float) -> float:
        """2 ‖v‖₂². By `wishart-difference`."""
        return 2 * row_norm

    def rounding(self, frobenius: float, order: int) -> float:
        """‖E‖_* ≤ √m ‖E‖_F. By `wishart-difference`."""
        return upper(lambda: exact(frobenius) * exact(float(order)).sqrt())

    def law(self, sensitivity: float, budget: Budget, largest: float) -> AddedLaw:
        """Noise for sums whose coordinates are at most `largest` long, whatever the table."""
        law = calibrate_nuclear(sensitivity, budget.pure_within())
        if largest > law.largest_value:
            raise ParameterError(
                "too many rows at too large an ε for exact symmetric noise: n·ε may be 2²⁹ at most; "
                "pass a smaller ε, or ask for zCDP or (ε, δ)"
            )
        return law


@dataclass(frozen=True)
class Entrywise:
    """Laplace noise for the ℓ1 sensitivity, off-diagonal entries released doubled: pure ε only."""

    off_diagonal: float = 2.0
    norm: str = "l1"
    calibration: str = "noise-calibration"

    def row_norm(self, norms: Norms, target_weight: float) -> float:
        """‖v‖₁² ≤ (‖x‖₁ + a)²."""
        return upper(lambda: (exact(norms.l1) + exact(target_weight)) ** 2)

    def replacement(self, row_norm: float) -> float:
        """2 ‖v‖₁². By `symmetric-moments`."""
        return 2 * row_norm

    def rounding(self, entrywise: float, order: int) -> float:
        """An error of the doubled triangle in this norm."""
        return entrywise

    def law(self, sensitivity: float, budget: Budget, largest: float) -> AddedLaw:
        return calibrate_l1(sensitivity, budget.pure_within())


Measure = Frobenius | Nuclear | Entrywise

MOST_FOR_WISHART = 2.0**28  # rows times ε: beyond it sums might not fit the exact noise
LEAST_ORDER_FOR_WISHART = 4  # 2√(m + 1) against √2·√(m(m + 1)/2 + 1)


def quietest_measure(order: int, n: int, budget: Budget) -> Frobenius | Nuclear:
    """For moments of n vectors of this length: under pure ε a difference of Wisharts unless the matrix is small."""
    wishart = not budget.allows_gaussian and order >= LEAST_ORDER_FOR_WISHART and n * budget.amount <= MOST_FOR_WISHART
    return Nuclear() if wishart else Frobenius()


@dataclass(frozen=True)
class NoisyMoments:
    """The released matrix and the standard deviation of its off-diagonal noise."""

    matrix: Matrix
    deviation: float


@dataclass(frozen=True)
class MomentRelease:
    """S = Σ vvᵀ, v = (x, ay), plus exact noise."""

    shape: Shape
    budget: Budget
    measure: Measure
    target_weight: float

    @cached_property
    def sensitivity(self) -> Sensitivity:
        """One replaced row and twice the rounding of the sums. By `symmetric-moments` and `wishart-difference`."""
        row = self.measure.row_norm(self.shape.norms, self.target_weight)
        one_row = self.measure.replacement(row)
        rounding = 2 * self.measure.rounding(self._rounding(row), self.shape.width + 1)
        parts = {"one replaced row": one_row, "rounding of the sums": rounding}
        return Sensitivity.adding(self.measure.norm, parts)

    @cached_property
    def law(self) -> AddedLaw:
        row = self.measure.row_norm(self.shape.norms, self.target_weight)
        return self.measure.law(self.sensitivity.total, self.budget, 2 * self.shape.n * row)

    @property
    def theorems(self) -> tuple[str, ...]:
        """What the release rests on."""
        return ("symmetric-moments", "blocked-sum", self.measure.calibration, "certified-rounding")

    @property
    def off_diagonal(self) -> float:
        """Weight of an off-diagonal entry in the released vector."""
        return self.measure.off_diagonal

    @property
    def size(self) -> int:
        """Numbers released: the upper triangle with the diagonal."""
        return svec_size(self.shape.width + 1)

    def __call__(self, rows: Rows, entropy: Entropy) -> NoisyMoments:
        noisy = self.law.add(self.pack(self.total(rows)), entropy)
        return NoisyMoments(self.unpack(noisy), self.law.deviation(self.size) / self.measure.off_diagonal)

    def total(self, rows: Rows) -> Matrix:
        """S itself: private, not to be released."""

        def sums(X: Any, y: Vector) -> tuple[Matrix, Vector, float]:
            return gram(X), X.T @ y, float(y @ y)

        return self.matrix(*rows.total(sums))

    def matrix(self, products: Matrix, cross: Vector, squares: float) -> Matrix:
        """S from Σxxᵀ, Σyx and Σy²."""
        weight = self.target_weight
        side = weight * cross
        return np.block([[products, side[:, None]], [side[None, :], np.array([[weight * weight * squares]])]])

    def _rounding(self, row_norm: float) -> float:
        """Computed against exact packed sums: blocked addition, then products with a, a² and √2, themselves rounded.

        By `symmetric-moments`.
        """
        addition = self.shape.summation_error(row_norm)
        return upper(lambda: exact(addition) * 2 + exact(row_norm) * self.shape.n * exact(2.0**-50))

    def pack(self, matrix: Matrix) -> Vector:
        """The upper triangle as one vector, off-diagonal entries weighted."""
        return svec(matrix, self.measure.off_diagonal)

    def unpack(self, packed: Vector) -> Matrix:
        """The symmetric matrix that `pack` described."""
        return smat(packed, self.shape.width + 1, self.measure.off_diagonal)
