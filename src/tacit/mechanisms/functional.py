"""The functional mechanism (Zhang et al. 2012): noise on the coefficients of a polynomial objective.

The objective is a quadratic in ω, exactly for squared loss and by Taylor's second order for logistic loss:

    squared:   Σ (y − xᵀω)²   = ωᵀ(Σxxᵀ)ω − 2(Σyx)ᵀω + const,        Δ = 2(d + 1)²
    logistic:  Σ log(1 + e^(−yxᵀω)) ≈ ⅛ωᵀ(Σxxᵀ)ω − ½(Σyx)ᵀω + const,  Δ = d²/4 + 3d

Δ is the published bound on the ℓ1 change of all coefficients for |xⱼ| ≤ 1, |y| ≤ 1. A published baseline, kept with
its published post-processing: regularise by four standard deviations of the noise, then drop what is left of
non-positive curvature. By `functional-mechanism`.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tacit.errors import ParameterError
from tacit.losses import Expansion, Loss
from tacit.mechanisms.erm import gram
from tacit.mechanisms.laws import Laplace, Vector, calibrate_l1
from tacit.mechanisms.problem import Shape
from tacit.mechanisms.release import Facts, Release, Sensitivity
from tacit.mechanisms.svec import smat, svec
from tacit.noise import Entropy
from tacit.privacy import Pure
from tacit.rows import Rows


@dataclass(frozen=True)
class FunctionalMechanism:
    """Pure ε for squared and logistic loss."""

    shape: Shape
    loss: Loss
    charge: Pure

    def __post_init__(self) -> None:
        if self.loss.expansion is None:
            raise ParameterError("the functional mechanism is published for squared and logistic loss only")

    @property
    def polynomial(self) -> Expansion:
        """What stands for the objective."""
        assert self.loss.expansion is not None
        return self.loss.expansion

    @cached_property
    def sensitivity(self) -> Sensitivity:
        """The published Δ and twice the rounding of the sums. By `functional-mechanism`."""
        published = self.polynomial.change(self.shape.width)
        rounding = 4 * self.shape.summation_error(published)
        return Sensitivity.adding("l1", {"one replaced row": published, "rounding of the sums": rounding})

    @cached_property
    def law(self) -> Laplace:
        return calibrate_l1(self.sensitivity.total, self.charge)

    @property
    def facts(self) -> tuple[Facts, ...]:
        return (
            Facts(
                mechanism="functional mechanism",
                theorems=("functional-mechanism", "noise-calibration", "blocked-sum", "certified-rounding"),
                sensitivity=self.sensitivity,
                charge=self.charge,
                law=self.law,
                grid=self.law.grid(self.shape.width),
                l2=None,
                radius=None,
                tolerance=0.0,
            ),
        )

    def __call__(self, rows: Rows, entropy: Entropy) -> Release:
        quadratic, linear = self.polynomial.quadratic, self.polynomial.linear

        def polynomial(X: Any, y: Vector) -> tuple[Any, Any]:
            return gram(X), X.T @ y

        products, cross = rows.total(polynomial)
        d = self.shape.width
        coefficients = np.concatenate([svec(quadratic * products, 2.0), linear * cross])  # powers of two: exact
        noisy = self.law.add(coefficients, entropy)
        matrix = smat(noisy[:-d], d, 2.0)
        regularisation = 4 * math.sqrt(2) * self.law.scale
        deviation = np.full(d, self.law.deviation(d) / (2 * regularisation))
        return Release(_minimise(matrix, noisy[-d:], regularisation), deviation)


def _minimise(matrix: np.ndarray[Any, np.dtype[np.float64]], linear: Vector, regularisation: float) -> Vector:
    """argmin ωᵀ(M + rI)ω − lᵀω over the eigenvectors of positive curvature."""
    values, vectors = np.linalg.eigh(matrix)
    values = values + regularisation
    kept = values > 0
    return np.asarray(vectors[:, kept] @ ((vectors[:, kept].T @ linear) / (2 * values[kept])))
