"""Gradient, Hessian and score covariance at a public θ, released as one vector: the matrices come with the gradient.

With p the miss probability of a row, x̂ the row pulled into the ball of radius r (by `pulled-rows`) and ‖x‖ ≤ R, a row
adds

    f = (−p·yx,  w·p(1 − p)·x̂x̂ᵀ,  v·p²·x̂x̂ᵀ),    w = √20·R/r²,  v = √½·R/r²

and two rows' vectors are never further apart than 2R, as far as their gradients alone can be. By `joint-release`.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tacit.arithmetic import Floats, enlarged, exact, lower, upper
from tacit.errors import ParameterError
from tacit.losses import Logistic
from tacit.mechanisms.erm import weighted_gram
from tacit.mechanisms.intervals.row_weights import pulled, row_local_scores
from tacit.mechanisms.laws import AddedLaw, Matrix, Vector, calibrate
from tacit.mechanisms.problem import Shape
from tacit.mechanisms.release import Facts, Sensitivity
from tacit.mechanisms.svec import smat, svec, svec_size
from tacit.noise import Entropy
from tacit.privacy import Budget
from tacit.rows import Rows

THEOREMS = ("joint-release", "pulled-rows", "blocked-sum", "noise-calibration", "certified-rounding", "composition")
HESSIAN_WEIGHT, SCORES_WEIGHT = 20.0, 0.5  # w²r⁴/R² and v²r⁴/R²
LARGEST_CURVATURE = 0.25


@dataclass(frozen=True)
class JointMoments:
    """Noisy means over the rows at one θ."""

    gradient: Vector
    hessian: Matrix
    scores: Matrix


@dataclass(frozen=True)
class JointRelease:
    """The three sums of the logistic loss at a θ that is already public, under one noise; ball: r."""

    shape: Shape
    charge: Budget
    ball: float

    def __post_init__(self) -> None:
        if not 0 < self.ball <= self.shape.norms.l2:
            raise ParameterError(f"rows of length {self.shape.norms.l2} cannot be pulled into a ball of {self.ball!r}")

    @cached_property
    def hessian_weight(self) -> float:
        """w, rounded down. By `joint-release`."""
        return self._weight(HESSIAN_WEIGHT)

    @cached_property
    def scores_weight(self) -> float:
        """v, rounded down. By `joint-release`."""
        return self._weight(SCORES_WEIGHT)

    @cached_property
    def sensitivity(self) -> Sensitivity:
        """2R for one replaced row, and twice the rounding of the sums. By `joint-release`."""
        one_row, rounding = 2 * self.shape.norms.l2, 2 * self._rounding
        return Sensitivity.adding("l2", {"one replaced row": one_row, "rounding of the sums": rounding})

    @cached_property
    def law(self) -> AddedLaw:
        return calibrate(self.sensitivity.total, self.charge)

    @property
    def size(self) -> int:
        """Numbers released."""
        return self.shape.width + 2 * svec_size(self.shape.width)

    @property
    def gradient_noise(self) -> float:
        """Standard deviation of one coordinate of the released mean gradient."""
        return self.law.deviation(self.size) / self.shape.n

    @property
    def hessian_noise(self) -> float:
        """The same for one svec coordinate of the Hessian."""
        return self.gradient_noise / self.hessian_weight

    @property
    def facts(self) -> Facts:
        return Facts(
            mechanism="gradient, Hessian and score covariance in one release",
            theorems=THEOREMS,
            sensitivity=self.sensitivity,
            charge=self.charge,
            law=self.law,
            grid=self.law.grid(self.size),
            l2=0.0,
            radius=None,
            tolerance=0.0,
            notes=("sums over rows at coefficients released before; matrices of rows pulled into a smaller ball",),
        )

    def __call__(self, rows: Rows, theta: Vector, entropy: Entropy) -> JointMoments:
        """Read the rows once at the released θ and return the noisy means."""
        return self.unpacked(self.law.add(self.packed(rows, theta), entropy))

    def packed(self, rows: Rows, theta: Vector) -> Vector:
        """The exact vector that noise is added to: private, not to be released."""

        def kernel(X: Any, y: Floats) -> tuple[Floats, Matrix, Matrix]:
            slope = np.clip(Logistic().slope(row_local_scores(X, theta), y), -1.0, 1.0)
            miss, pull = np.abs(slope), pulled(X, self.ball)
            hessian = weighted_gram(X, miss * (1.0 - miss) * pull)
            return np.asarray(slope @ X), hessian, weighted_gram(X, np.square(miss) * pull)

        return self.pack(*rows.total(kernel))

    def pack(self, gradient: Vector, hessian: Matrix, scores: Matrix) -> Vector:
        """The three sums as one vector, each with its weight."""
        return np.concatenate([gradient, self.hessian_weight * svec(hessian), self.scores_weight * svec(scores)])

    def unpacked(self, noisy: Vector) -> JointMoments:
        """Means from a noisy vector of sums."""
        width = self.shape.width
        mean = noisy / self.shape.n
        hessian, scores = mean[width : width + svec_size(width)], mean[width + svec_size(width) :]
        return JointMoments(
            mean[:width], smat(hessian / self.hessian_weight, width), smat(scores / self.scores_weight, width)
        )

    def _weight(self, squared: float) -> float:
        return lower(lambda: exact(squared).sqrt() * exact(self.shape.norms.l2) / exact(self.ball) ** 2)

    @cached_property
    def _rounding(self) -> float:
        """Computed against exact packed sums: weights, blocked addition, products with w, v and √2.

        A stored weight is off by at most (d + 16)·2⁻⁵² of itself. By `joint-release`.
        """
        shape, relative = self.shape, (self.shape.width + 16) * 2.0**-52
        square = enlarged(self.ball**2, 50)
        parts = (
            (1.0, shape.norms.l2),
            (self.hessian_weight, LARGEST_CURVATURE * square),
            (self.scores_weight, square),
        )
        lost = [2 * shape.summation_error(size, relative * size) for _, size in parts]
        return upper(
            lambda: sum(
                (
                    exact(weight) * (exact(error) + exact(size) * shape.n * exact(2.0**-50))
                    for (weight, size), error in zip(parts, lost, strict=True)
                ),
                exact(0.0),
            )
        )
