"""From parameters of encoded rows back to the user's units: an affine map."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.domain.cells import Floats


@dataclass(frozen=True, eq=False)
class Decoder:
    """x̃_j = slope_j (x_j − origin_j) for unclipped rows, x̃_last = constant; score units to outcome units.

    ⟨θ, x̃⟩·scale + offset = Σ coef_j x_j + intercept with coef_j = scale·slope_j·θ_j and
    intercept = offset + scale·(constant·θ_last − Σ slope_j·origin_j·θ_j).
    """

    slopes: Floats
    origins: Floats
    constant: float | None
    scale: float
    offset: float

    def decode(self, theta: Floats) -> tuple[Floats, Floats]:
        """(coef, intercept) of one parameter vector, or of each row of a matrix of them."""
        features = theta[..., : self.slopes.size]
        coef = self.scale * (self.slopes * features)
        intercept = self.offset - coef @ self.origins
        if self.constant is not None:
            intercept = intercept + self.scale * (self.constant * theta[..., -1])
        return coef, np.asarray(intercept)

    def linear_map(self) -> tuple[Floats, Floats]:
        """(A, b) with (coef, intercept) stacked = A θ + b; A is dense, (features + 1) × width."""
        count = self.slopes.size
        width = count + (self.constant is not None)
        matrix = np.zeros((count + 1, width))
        steps = self.scale * self.slopes
        matrix[np.arange(count), np.arange(count)] = steps
        matrix[count, :count] = -steps * self.origins
        if self.constant is not None:
            matrix[count, count] = self.scale * self.constant
        shift = np.zeros(count + 1)
        shift[count] = self.offset
        return matrix, shift
