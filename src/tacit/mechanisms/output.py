"""Output perturbation: solve exactly enough, then add noise to the answer.

    release θ̂ + Z,   ‖θ̂(S) − θ̂(S')‖₂ ≤ Δ₂ = 2G/(λn) + 2τ

The minimiser moves by at most 2G/(λn), less for the squared loss, when one row is replaced, and a solver certified
within τ adds τ on either side. Smooth or not, on a ball or not. By `minimiser-sensitivity` and by `inexact-minimiser`.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tacit.mechanisms.erm import certified_minimum, public_tolerance
from tacit.mechanisms.laws import NoiseLaw, calibrate
from tacit.mechanisms.problem import Problem
from tacit.mechanisms.release import Facts, Release, Sensitivity
from tacit.noise import Entropy
from tacit.privacy import Budget
from tacit.rows import Rows


@dataclass(frozen=True)
class OutputPerturbation:
    """The minimiser of a problem, plus noise for its ℓ2 sensitivity."""

    problem: Problem
    charge: Budget
    notes: tuple[str, ...] = ()

    @cached_property
    def tolerance(self) -> float:
        """τ: public, and reached on every table."""
        return public_tolerance(self.problem)

    @cached_property
    def sensitivity(self) -> Sensitivity:
        """Δ₂ = 2G/(λn) + 2τ. By `minimiser-sensitivity` and by `inexact-minimiser`."""
        minimiser, solver = self.problem.minimiser_sensitivity, 2 * self.tolerance
        parts = {"one replaced row": minimiser, "solver tolerance": solver}
        return Sensitivity.adding("l2", parts)

    @cached_property
    def law(self) -> NoiseLaw:
        return calibrate(self.sensitivity.total, self.charge)

    @property
    def facts(self) -> tuple[Facts, ...]:
        return (
            Facts(
                mechanism="output perturbation",
                theorems=(
                    "minimiser-sensitivity",
                    *self.problem.change_theorems,
                    "inexact-minimiser",
                    "newton-terminates" if self.problem.loss.smooth else "hinge-terminates",
                    "noise-calibration",
                    "certified-rounding",
                ),
                sensitivity=self.sensitivity,
                charge=self.charge,
                law=self.law,
                grid=self.law.grid(self.problem.shape.width),
                l2=self.problem.l2,
                radius=self.problem.radius,
                tolerance=self.tolerance,
                notes=(f"{self.problem.loss.name} loss", *self.notes),
            ),
        )

    def __call__(self, rows: Rows, entropy: Entropy) -> Release:
        width = self.problem.shape.width
        theta = self.law.add(certified_minimum(rows, self.problem, self.tolerance), entropy)
        return Release(theta, np.full(width, self.law.deviation(width)))
