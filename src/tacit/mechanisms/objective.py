"""Objective perturbation: a random linear term goes into the objective, then the perturbed minimum is released.

    θ̃ = argmin J(θ) + ⟨b, θ⟩/n

The theorems are about the exact minimum for an exact b. What is computed lies within

    τ = τ_solver + (g√d/2 + u‖b‖)/(nλ)

of it: the solver's certificate, b rounded to its grid g, and the division by n. So a little noise for sensitivity
2τ is added at the end, paid with a counted share of the budget. By `approximate-minimum`.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import assert_never

import numpy as np

from tacit.arithmetic import UNIT_ROUNDOFF, exact, reduced, upper
from tacit.errors import ParameterError
from tacit.losses import Loss
from tacit.mechanisms.erm import certified_tilted_minimum, public_tilted_reach, public_tilted_tolerance
from tacit.mechanisms.laws import Laplace, NoiseLaw, SphericalLaplace, Vector
from tacit.mechanisms.objective_noise import currencies, objective_laws, too_little_l2
from tacit.mechanisms.problem import Problem
from tacit.mechanisms.release import Facts, Release, Sensitivity
from tacit.noise import Entropy
from tacit.privacy import ZCDP, Approx, Budget, Pure
from tacit.rows import Rows

FINISHING_SHARE = 2.0**-10


@dataclass(frozen=True)
class Tilt:
    """How b is drawn: its law, the budget whose theorem covers both stages, the pure part kept for the finish."""

    law: NoiseLaw
    paid: Budget
    finish: Pure

    def theorems(self, charge: Budget, loss: Loss) -> tuple[str, ...]:
        """What proves the tilted minimum, and its conversion if it is charged in another currency."""
        tied = ("slope-and-curvature",) if loss.curvature_tie.quadratic else ()
        match self.paid:
            case Pure():
                return ("objective-pure", *tied, *(() if charge == self.paid else ("pure-to-zcdp",)))
            case Approx():
                return ("objective-gaussian", *tied)
            case ZCDP():
                return ("objective-zcdp",)
            case _:
                assert_never(self.paid)


@dataclass(frozen=True)
class ObjectivePerturbation:
    """The minimiser of a randomly tilted problem with a smooth loss."""

    problem: Problem
    budget: Budget
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        loss = self.problem.loss
        if not loss.smooth:
            raise ParameterError("objective perturbation needs a smooth loss; for the hinge use mechanism='output'")
        if math.isinf(self.problem.feasible_gradient_bound):
            raise ParameterError(
                "objective perturbation of a loss whose slope has no bound needs a radius: a public bound on ‖θ‖₂"
            )

    @cached_property
    def tilt(self) -> Tilt:
        """The quietest law of b among all that keep the budget."""
        width = self.problem.shape.width
        tilts = [tilt for paid in currencies(self.budget) for tilt in _tilts(self.problem, paid)]
        if not tilts:
            raise too_little_l2()
        return min(tilts, key=lambda tilt: tilt.law.deviation(width))

    @property
    def charge(self) -> Budget:
        """Both stages together, never more than the budget. By `approximate-minimum`.

        A pure law under an (ε, δ) budget is charged as pure ε; under zCDP the currency stays, because zCDP adds up.
        """
        return self.budget.charge_for(self.tilt.paid)

    @property
    def law(self) -> NoiseLaw:
        """The law of b."""
        return self.tilt.law

    @cached_property
    def _longest_tilt(self) -> float:
        shape = self.problem.shape
        return upper(lambda: exact(self.law.reach(shape.width)) / shape.n)

    @cached_property
    def solver_tolerance(self) -> float:
        """What the solver is asked for: public, for every b within the noise's reach."""
        return public_tilted_tolerance(self.problem, self._longest_tilt)

    @cached_property
    def tolerance(self) -> float:
        """τ: how far the computed minimum can be from the exact one. By `approximate-minimum`."""
        shape, solver = self.problem.shape, self.solver_tolerance
        grid, longest = self.law.fine_grid(shape.width), self.law.reach(shape.width)
        return upper(
            lambda: (
                exact(solver)
                + (exact(grid) * exact(float(shape.width)).sqrt() / 2 + exact(UNIT_ROUNDOFF) * exact(longest))
                / (exact(self.problem.l2) * shape.n)
            )
        )

    @cached_property
    def finishing_law(self) -> SphericalLaplace:
        """Pure noise for sensitivity 2τ; a little more where its grid could not hold θ̃. By `approximate-minimum`."""
        finish = self.tilt.finish
        enough = upper(lambda: 2 * exact(self.tolerance) / exact(finish.epsilon))
        return SphericalLaplace(max(enough, 2.0**-29 * public_tilted_reach(self.problem, self._longest_tilt)))

    @property
    def sensitivity(self) -> Sensitivity:
        """How far one replaced row moves the sum of gradients, in the norm of the noise. By `objective-pure`."""
        match self.law:
            case Laplace():
                norm, total = "l1", 2 * self.problem.feasible_gradient_bound_l1
            case SphericalLaplace():
                norm, total = "l2", self.problem.feasible_gradient_change
            case _:
                norm, total = "l2", 2 * self.problem.feasible_gradient_bound
        return Sensitivity(f"{norm} of the gradient sum", total, {"the old row": total / 2, "the new row": total / 2})

    @property
    def facts(self) -> tuple[Facts, ...]:
        problem = self.problem
        finish = f"finishing noise: spherical Laplace, scale {self.finishing_law.scale:.4g}, for solver and rounding"
        return (
            Facts(
                mechanism="objective perturbation",
                theorems=(
                    *self.tilt.theorems(self.charge, problem.loss),
                    *(problem.change_theorems if isinstance(self.law, SphericalLaplace) else ()),
                    "approximate-minimum",
                    "noise-reach",
                    "newton-terminates",
                    "certified-rounding",
                ),
                sensitivity=self.sensitivity,
                charge=self.charge,
                law=self.law,
                grid=self.finishing_law.grid(problem.shape.width),
                l2=problem.l2,
                radius=problem.radius,
                tolerance=self.tolerance,
                notes=(f"{problem.loss.name} loss", *self.notes, finish),
            ),
        )

    def __call__(self, rows: Rows, entropy: Entropy) -> Release:
        width, n = self.problem.shape.width, self.problem.shape.n
        tilt = self._within_reach(self.law.draw(width, entropy))
        minimum = certified_tilted_minimum(rows, self.problem, self.solver_tolerance, tilt / n)
        largest_deviation = self.law.deviation(width) / (n * self.problem.l2)
        return Release(self.finishing_law.add(minimum, entropy), np.full(width, largest_deviation), bounded=True)

    def _within_reach(self, tilt: Vector) -> Vector:
        """b itself; shortened with a probability below e^−256, before any row is read. By `noise-reach`."""
        longest = reduced(self.law.reach(tilt.size), 40)
        largest = float(np.max(np.abs(tilt)))  # taken out first: squares of very large noise would overflow
        length = largest * float(np.linalg.norm(tilt / largest)) if largest > 0 else 0.0
        return tilt if length <= longest else tilt * (longest / length)


def _tilts(problem: Problem, paid: Budget) -> list[Tilt]:
    """What this budget can pay for: none if λ is too small for its curvature term."""
    first, finish = paid.split_off_pure(FINISHING_SHARE)
    return [Tilt(law, paid, finish) for law in objective_laws(problem, first)]
