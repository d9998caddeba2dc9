"""Stability: how far one row can move a validation score while the randomness of training stays the same.

A score q(F(T, R), V) of a model trained on T with randomness R is (β₁, β₂, δ)-stable if

    a replaced training row moves q by at most β₁/n for every R, and
    a replaced validation row moves it by at most β₂/m, except for a set of R of probability δ.

It is a property of the training, not a consequence of its privacy: an exponential mechanism inside training maps the
same randomness to another winner (Chaudhuri and Vinterbo 2013, 6.1). So a mechanism has to declare how far the
vector it returns can move, by registering with `motion`; one that does not is refused. By `training-stability`.
"""

import math
from dataclasses import dataclass
from functools import singledispatch

from tacit.arithmetic import exact, upper
from tacit.errors import ParameterError
from tacit.mechanisms.laws import NoiseLaw, SphericalLaplace
from tacit.mechanisms.objective import ObjectivePerturbation
from tacit.mechanisms.output import OutputPerturbation

UNUSUAL = 2.0**-20
"""Probability with which a trained vector is longer than the ball it is scored on; it is then projected."""


@dataclass(frozen=True)
class Stability:
    """(β₁, β₂, δ) of a score for training sets of n rows and validation sets of m."""

    beta_training: float
    beta_validation: float
    delta: float = 0.0

    def spread(self, n: int, m: int) -> float:
        """β = max(β₁/n, β₂/m): the most that one replaced row moves a score. By `training-stability`."""
        by_training = upper(lambda: exact(self.beta_training) / n)
        by_validation = upper(lambda: exact(self.beta_validation) / m)
        return max(by_training, by_validation)


@dataclass(frozen=True)
class Motion:
    """What a mechanism declares of the vector it returns.

    moved: ‖θ(T) − θ(T')‖₂ for every value of the real noise, when one of the rows is replaced.
    length: a radius that ‖θ‖₂ rarely exceeds; privacy does not rest on it, because longer vectors are projected.
    """

    moved: float
    length: float


@singledispatch
def motion(mechanism: object) -> Motion:
    """How far one row moves what the mechanism returns, its randomness fixed. By `training-stability`."""
    raise ParameterError(
        f"{type(mechanism).__name__} does not declare how far one row moves its result when its randomness stays the "
        "same, and that does not follow from its privacy. method='stability' needs mechanism='output' or 'objective'; "
        "'split-data', 'split-budget' and 'random-stopping' take any mechanism"
    )


@motion.register
def _(mechanism: OutputPerturbation) -> Motion:
    """‖θ*(T) − θ*(T')‖ + 2τ + g√d: the minimiser, the solver, two roundings to the grid g."""
    problem, width = mechanism.problem, mechanism.problem.shape.width
    moved = _moved(problem.minimiser_sensitivity, mechanism.tolerance, mechanism.law.grid(width), width)
    return Motion(moved, problem.minimiser_radius + typical_length(mechanism.law, width))


@motion.register
def _(mechanism: ObjectivePerturbation) -> Motion:
    """Δ/(λn) + 2τ + g√d: with the same tilt both objectives are λ-strongly convex and differ by two rows' losses."""
    problem, width = mechanism.problem, mechanism.problem.shape.width
    change, n, l2 = problem.feasible_gradient_change, problem.shape.n, problem.l2
    tilted = upper(lambda: exact(change) / (exact(l2) * n))
    finishing = mechanism.finishing_law
    moved = _moved(tilted, mechanism.tolerance, finishing.grid(width), width)
    reach = (
        problem.loss.constants(None).slope * problem.shape.norms.l2 + typical_length(mechanism.law, width) / n
    ) / l2
    longest = reach if problem.radius is None else min(reach, problem.radius)
    return Motion(moved, longest + typical_length(finishing, width))


def typical_length(law: NoiseLaw, width: int) -> float:
    """A length that noise in `width` coordinates exceeds with probability near `UNUSUAL`: d + √(2dt) + t scales."""
    t = -math.log(UNUSUAL)
    if isinstance(law, SphericalLaplace):
        return law.scale * (width + math.sqrt(2 * width * t) + t)
    return law.deviation(width) * (math.sqrt(width) + t)


def _moved(minimiser: float, tolerance: float, grid: float, width: int) -> float:
    return upper(lambda: exact(minimiser) + 2 * exact(tolerance) + exact(grid) * exact(float(width)).sqrt())
