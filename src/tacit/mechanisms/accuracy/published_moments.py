"""Second moments as Ligett et al. (2017) release them: every entry of Σxxᵀ and of Σyx, each with its own noise.

One replaced row moves Σxxᵀ by at most 2‖x‖₁² and Σyx by at most 2‖x‖₁ b in ℓ1, so Laplace(Δ₁/ε) with
Δ₁ = 2r₁² + 2r₁b; for r₁ = b = 1 this is the published Laplace(4/ε). By `symmetric-moments`.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tacit.arithmetic import exact, upper
from tacit.mechanisms.laws import Matrix, Vector
from tacit.mechanisms.problem import Shape
from tacit.mechanisms.release import Sensitivity


@dataclass(frozen=True)
class PublishedMoments:
    """Σxxᵀ with both triangles, and Σyx; |y| ≤ 1."""

    shape: Shape
    target_weight: float = 1.0
    off_diagonal: float = 1.0

    @cached_property
    def sensitivity(self) -> Sensitivity:
        """2r₁² + 2r₁ and twice the rounding of the sums, in ℓ1. By `symmetric-moments` and by `blocked-sum`."""
        length = self.shape.norms.l1
        per_row = upper(lambda: exact(length) ** 2 + exact(length))
        rounding = 2 * self.shape.summation_error(per_row)
        return Sensitivity.adding("l1", {"one replaced row": 2 * per_row, "rounding of the sums": rounding})

    @property
    def size(self) -> int:
        return self.shape.width * (self.shape.width + 1)

    def matrix(self, products: Matrix, cross: Vector, squares: float) -> Matrix:
        return np.block([[products, cross[:, None]], [np.zeros((1, self.shape.width + 1))]])

    def pack(self, matrix: Matrix) -> Vector:
        return np.ravel(matrix[:-1])

    def unpack(self, packed: Vector) -> Matrix:
        upper_part = packed.reshape(self.shape.width, self.shape.width + 1)
        return np.vstack([upper_part, np.zeros((1, self.shape.width + 1))])
