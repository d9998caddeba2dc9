"""Private Frank–Wolfe over any convex set, by noise in the gradient (Talwar, Thakurta and Zhang 2015, theorem 2.6).

    g_t = Σ Dᵢ xᵢ + Z_t,     v_t = argmin_{v ∈ C} ⟨v, g_t⟩,     θ_{t+1} = (1 − γ_t) θ_t + γ_t v_t,   γ_t = 2/(t + 2)

Dᵢ is the clipped slope of row i in whole units, |Dᵢ| ≤ 2^14. One replaced row moves ΣDᵢxᵢ by at most 2·2^14·r in ℓ2
for rows of norm at most r; T releases with noise compose. By `noisy-gradient` and by `composition`.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, assert_never

import numpy as np

from tacit.arithmetic import exact, upper
from tacit.mechanisms.lasso.convex_sets import ConvexSet
from tacit.mechanisms.lasso.loss import SLOPE_UNITS, ClippedLoss
from tacit.mechanisms.lasso.schedule import MOST_STEPS, checked_steps
from tacit.mechanisms.laws import NoiseLaw, Vector, calibrate
from tacit.mechanisms.problem import Shape
from tacit.mechanisms.release import Facts, Release, Sensitivity
from tacit.noise import Entropy
from tacit.privacy import ZCDP, Pure
from tacit.rows import Rows


@dataclass(frozen=True)
class PrivateFrankWolfe:
    """T noisy gradient steps over a convex set; releases the last iterate. steps=None: `recommended_steps`."""

    shape: Shape
    loss: ClippedLoss
    region: ConvexSet
    charge: Pure | ZCDP
    steps: int | None = None

    @cached_property
    def taken_steps(self) -> int:
        """The number T of gradient steps."""
        return self.recommended_steps if self.steps is None else checked_steps(self.steps)

    @cached_property
    def recommended_steps(self) -> int:
        """The T that minimises 2Γ/T + 2wσ(T), by `frank-wolfe-steps`.

        Γ = φ''r²·diameter², w the Gaussian width of the set, σ the deviation of the noise in the mean gradient.
        """
        r, n, d = self.shape.norms.l2, self.shape.n, self.shape.width
        bend = self.loss.curvature * (r * self.region.diameter) ** 2
        noise = 2 * self.loss.slope_bound * r / n * self.region.width(d)
        match self.charge:
            case ZCDP(rho):
                best = math.pow(2 * bend * math.sqrt(2 * rho) / noise, 2 / 3)
            case Pure(epsilon):
                best = math.sqrt(bend * epsilon / (noise * math.sqrt(d + 1)))
            case _:
                assert_never(self.charge)
        return min(max(1, round(best)), MOST_STEPS)

    @cached_property
    def sensitivity(self) -> Sensitivity:
        """2·2^14·r and twice the rounding of the sum, in units of the slope, by `noisy-gradient`."""
        longest = upper(lambda: SLOPE_UNITS * exact(self.shape.norms.l2))
        rounding = 2 * self.shape.summation_error(longest)
        row = 2 * longest
        return Sensitivity.adding("l2", {"one replaced row": row, "rounding of the sums": rounding})

    @cached_property
    def law(self) -> NoiseLaw:
        """Noise in one of T gradients, by `noise-calibration`."""
        return calibrate(self.sensitivity.total, self._step_charge)

    @cached_property
    def _step_charge(self) -> Pure | ZCDP:
        return self.charge.share(Fraction(1, self.taken_steps))

    @property
    def facts(self) -> tuple[Facts, ...]:
        return (
            Facts(
                mechanism=f"Frank–Wolfe with noisy gradients over the {self.region.name}, {self.loss.name}",
                theorems=("noisy-gradient", "noise-calibration", "blocked-sum", "composition", "certified-rounding"),
                sensitivity=self.sensitivity,
                charge=self.charge,
                law=self.law,
                grid=self.law.grid(self.shape.width),
                l2=0.0,
                radius=self.region.radius,
                tolerance=0.0,
                notes=(f"{self.taken_steps} steps; slope clipped at {self.loss.slope_bound:g}",),
            ),
        )

    def __call__(self, rows: Rows, entropy: Entropy) -> Release:
        theta = self.region.start(rows.width)
        for step in range(self.taken_steps):
            gradient = self.law.add(slope_sums(rows, self.loss, theta), entropy)
            theta += 2 / (step + 2) * (self.region.furthest(gradient) - theta)
        return Release(theta, np.full(theta.size, np.nan))


def slope_sums(rows: Rows, loss: ClippedLoss, theta: Vector) -> Vector:
    """Σ Dᵢ xᵢ at θ: the gradient of n times the mean loss, in units of L/2^14."""

    def kernel(X: Any, y: Vector) -> Vector:
        return np.asarray(X.T @ loss.units(X @ theta, y))

    return rows.total(kernel)
