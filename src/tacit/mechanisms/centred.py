"""Mean first: a small share of ε finds the mean of y, the rest fits what is left on a ball by objective perturbation.

Under pure ε and more than a few columns this beats releasing all moments: centring takes away most of what a large
intercept would cost, and the residual y − m, clipped to [−1, 1], keeps every bound. By `centred-target`.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from tacit.arithmetic import exact, upper
from tacit.errors import ParameterError
from tacit.mechanisms.laws import NoiseLaw, Vector, calibrate
from tacit.mechanisms.objective import ObjectivePerturbation
from tacit.mechanisms.problem import Shape
from tacit.mechanisms.release import Facts, Release, Sensitivity
from tacit.noise import Entropy
from tacit.privacy import Budget, compose
from tacit.rows import Rows

MEAN_SHARE = Fraction(1, 10)


@dataclass(frozen=True)
class CentredObjective:
    """The mean of y, then objective perturbation of y − mean; needs a constant column to put the mean back."""

    shape: Shape
    mean_budget: Budget
    slopes: ObjectivePerturbation

    def __post_init__(self) -> None:
        if self.shape.constant is None:
            raise ParameterError("centring the target needs fit_intercept=True")

    @cached_property
    def charge(self) -> Budget:
        return compose(self.mean_budget, self.slopes.charge)

    @cached_property
    def mean_sensitivity(self) -> Sensitivity:
        """The mean of |y| ≤ 1 moves by 2/n, plus the rounding of sum and division. By `centred-target`."""
        n = self.shape.n
        one_row = upper(lambda: exact(2.0) / n)
        rounding = upper(lambda: exact(2 * self.shape.summation_error(1.0)) / n + exact(2.0**-51))
        return Sensitivity.adding("absolute value", {"one replaced row": one_row, "rounding of the sums": rounding})

    @cached_property
    def mean_law(self) -> NoiseLaw:
        return calibrate(self.mean_sensitivity.total, self.mean_budget)

    @property
    def facts(self) -> tuple[Facts, ...]:
        mean = Facts(
            mechanism="mean of the target",
            theorems=("centred-target", "blocked-sum", "noise-calibration", "certified-rounding"),
            sensitivity=self.mean_sensitivity,
            charge=self.mean_budget,
            law=self.mean_law,
            grid=self.mean_law.grid(1),
            l2=0.0,
            radius=None,
            tolerance=0.0,
        )
        return (mean, *self.slopes.facts)

    def __call__(self, rows: Rows, entropy: Entropy) -> Release:
        mean = self._noisy_mean(rows, entropy)
        release = self.slopes(rows.recoded(lambda y: np.clip(y - mean, -1.0, 1.0)), entropy)
        theta = release.theta.copy()
        assert self.shape.constant is not None
        theta[-1] += mean / self.shape.constant
        return Release(theta, release.deviation, bounded=release.bounded)

    def _noisy_mean(self, rows: Rows, entropy: Entropy) -> float:
        def sum_of_targets(X: Any, y: Vector) -> float:
            return float(np.sum(y))

        mean = rows.total(sum_of_targets) / self.shape.n
        return float(np.clip(self.mean_law.add(np.array([mean]), entropy)[0], -1.0, 1.0))
