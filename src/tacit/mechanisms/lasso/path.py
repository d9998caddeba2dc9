"""The mean loss along the path of a private fit: a further release with a price of its own.

At K public steps the mean clipped loss of θ_t is released with noise. θ_t is public by then. Over ‖θ‖₁ ≤ c and
|x_ij| ≤ r a row's loss lies in [0, V], so one replaced row moves the vector of K sums by at most √K·V in ℓ2, by
`loss-path`.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tacit.arithmetic import enlarged, exact, upper
from tacit.mechanisms.lasso.frank_wolfe import VertexFrankWolfe
from tacit.mechanisms.laws import NoiseLaw, Vector, calibrate
from tacit.mechanisms.release import Facts, Mechanism, Release, Sensitivity
from tacit.noise import Entropy
from tacit.privacy import ZCDP, Budget, Pure, compose
from tacit.rows import Rows

PATH = "loss path"
"""The name under which a release holds (step, mean loss) pairs."""

POINTS = 10


@dataclass(frozen=True)
class LossPath:
    """A fit, and then the noisy mean loss after up to ten of its steps."""

    fit: VertexFrankWolfe
    path_charge: Pure | ZCDP

    @cached_property
    def points(self) -> tuple[int, ...]:
        """The steps after which the loss is measured."""
        T = self.fit.steps
        return tuple(sorted({max(1, round(T * k / POINTS)) for k in range(1, POINTS + 1)}))

    @property
    def charge(self) -> Budget:
        return compose(self.fit.charge, self.path_charge)

    @cached_property
    def largest_loss(self) -> float:
        """V ≥ φ(s, y) for |s| ≤ cr and |y| ≤ 1: convex, so largest at an end; a hair for rounding. By `loss-path`."""
        problem = self.fit.problem
        reach = problem.radius * problem.cell_bound
        ends = np.array([-reach, -reach, reach, reach])
        return enlarged(float(problem.loss.value(ends, np.array([-1.0, 1.0, -1.0, 1.0])).max()), 40)

    @cached_property
    def sensitivity(self) -> Sensitivity:
        """√K·V and twice the rounding of the sums, by `loss-path`."""
        shape, V, K = self.fit.problem.shape, self.largest_loss, len(self.points)
        row = upper(lambda: exact(K).sqrt() * exact(V))
        rounding = 2 * shape.summation_error(row)
        return Sensitivity.adding("l2", {"one replaced row": row, "rounding of the sums": rounding})

    @cached_property
    def law(self) -> NoiseLaw:
        """By `noise-calibration`."""
        return calibrate(self.sensitivity.total, self.path_charge)

    @property
    def facts(self) -> tuple[Facts, ...]:
        released = Facts(
            mechanism="mean loss along the path",
            theorems=("loss-path", "noise-calibration", "blocked-sum", "certified-rounding"),
            sensitivity=self.sensitivity,
            charge=self.path_charge,
            law=self.law,
            grid=self.law.grid(len(self.points)),
            l2=0.0,
            radius=self.fit.problem.radius,
            tolerance=0.0,
            notes=(f"after steps {', '.join(map(str, self.points))}",),
        )
        return (*self.fit.facts, released)

    def __call__(self, rows: Rows, entropy: Entropy) -> Release:
        features, signs = self.fit.transcript(rows, entropy)
        release = self.fit.released(features, signs)
        sums = self.law.add(self._loss_sums(rows, features, signs), entropy)
        path = np.column_stack([np.array(self.points, dtype=np.float64), sums / rows.n])
        return Release(release.theta, release.deviation, {**release.statistics, PATH: path})

    def _loss_sums(self, rows: Rows, features: Any, signs: Any) -> Vector:
        """Σᵢ φ(⟨xᵢ, θ_t⟩, yᵢ), each clipped to [0, V], for the measured steps t."""
        support, place = np.unique(features, return_inverse=True)
        schedule, steps, radius = self.fit.schedule, self.fit.steps, self.fit.problem.radius
        weights = signs * np.array([schedule.weight(step) for step in range(1, steps + 1)])
        thetas = np.column_stack(
            [
                np.bincount(place[:t], weights[:t], minlength=support.size) * (radius / schedule.total(t, steps))
                for t in self.points
            ]
        )

        def kernel(X: Any, y: Vector) -> Vector:
            values = self.fit.problem.loss.value(X[:, support] @ thetas, y[:, np.newaxis])
            return np.asarray(np.clip(values, 0.0, self.largest_loss).sum(axis=0))

        return rows.total(kernel)


def with_loss_path(fit: VertexFrankWolfe, path: Budget | None) -> Mechanism:
    """The fit alone, or with its loss path at a price. (ε, δ) is spent as zCDP, so that both add up."""
    return fit if path is None else LossPath(fit, path.additive())
