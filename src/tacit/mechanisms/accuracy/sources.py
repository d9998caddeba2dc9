"""Where hypotheses can come from, and how much ε each source can be expected to need: public guesses, not promises.

Near the minimiser the excess risk is ½ zᵀHz for noise z with covariance v I, so about ½ v tr H. The trace is known up
to a factor from public facts, and so is the ε at which the excess risk reaches α. The guesses steer the calibration of
a search; its privacy and its failure probability do not depend on them.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from tacit.mechanisms.accuracy.excess_risk import ExcessRisk
from tacit.mechanisms.accuracy.gradual import GradualOutput, Hypotheses
from tacit.mechanisms.accuracy.gradual_moments import GradualMoments
from tacit.mechanisms.accuracy.gradual_noise import GradualNoise, LaplaceReduction, SphericalReduction
from tacit.mechanisms.covariance import TARGET_WEIGHT
from tacit.mechanisms.erm import RiskBounds
from tacit.mechanisms.moments import Entrywise, Frobenius, MomentRelease
from tacit.privacy import Pure

TYPICAL_NORM = 0.5  # of θ in encoded units, where no better guess is public


@dataclass(frozen=True)
class Source:
    """A way to make hypotheses, and the ε at which it is expected to reach the target: at best and at worst."""

    name: str
    build: Callable[[tuple[float, ...]], Hypotheses]
    optimistic_epsilon: float
    pessimistic_epsilon: float

    @property
    def expected(self) -> float:
        return math.sqrt(self.optimistic_epsilon * self.pessimistic_epsilon)


def output_source(query: ExcessRisk, noise: GradualNoise) -> Source:
    """The minimiser under noise: tr H between λd and λd + r² sup φ'', and d‖∇J‖/R more where the ball may be binding.

    On the sphere a hypothesis is turned by the noise z, which costs ‖∇J‖ times about ‖z‖²/(2R).
    """
    problem = query.problem
    free = replace(problem, radius=None)
    binding = query.radius < free.minimiser_radius
    bounds = RiskBounds(problem.shape, problem.loss, problem.l2)
    turning = bounds.gradient_bounds(query.radius).magnitude / query.radius if binding else 0.0

    def build(epsilons: tuple[float, ...]) -> Hypotheses:
        return GradualOutput(query, noise, epsilons)

    def needed(trace: float) -> float:
        probe = GradualOutput(query, noise, (1.0,))
        return _needed(query, lambda epsilon: _deviation(probe, epsilon) ** 2 * trace)

    floor = problem.l2 * problem.shape.width
    return Source(
        "output", build, needed(floor), needed(floor + problem.curvature_bound + problem.shape.width * turning)
    )


def moment_source(query: ExcessRisk, measure: Frobenius | Entrywise, noise: GradualNoise) -> Source:
    """Moments under noise: the error in θ is (A + λ)⁻¹e, so tr (A + λ)⁻¹ takes the place of tr H; tr A ≤ r².

    e = noise in Σxy minus noise in Σxxᵀ times θ, so a long θ needs more; its length is not public, its bound R is.
    """
    shape, l2 = query.problem.shape, query.problem.l2
    release = MomentRelease(shape, Pure(1.0), measure, TARGET_WEIGHT)

    def build(epsilons: tuple[float, ...]) -> Hypotheses:
        return GradualMoments(query, release, noise, epsilons)

    def needed(trace: float, norm: float) -> float:
        probe = GradualMoments(query, release, noise, (1.0,))
        spread = math.hypot(1 / TARGET_WEIGHT, norm) / shape.n
        return _needed(query, lambda epsilon: (float(probe.entry_deviations((epsilon,))[0]) * spread) ** 2 * trace)

    flat = shape.width / (shape.norms.l2**2 / shape.width + l2)
    optimistic = needed(flat, min(query.radius, TYPICAL_NORM))
    return Source("covariance", build, optimistic, needed(shape.width / l2, query.radius))


def sources(query: ExcessRisk, mechanism: str, noises: tuple[GradualNoise, ...]) -> list[Source]:
    """Every source that the mechanism's name allows, in each of the noise families."""
    found = []
    for noise in noises:
        if mechanism in ("auto", "output"):
            found.append(output_source(query, noise))
        if mechanism in ("auto", "covariance") and query.problem.loss.quadratic:
            measure = Entrywise() if noise.norm == "l1" else Frobenius()
            found.append(moment_source(query, measure, noise))
    return found


PURE_NOISES: tuple[GradualNoise, ...] = (SphericalReduction(), LaplaceReduction())


def _needed(query: ExcessRisk, doubled_excess: Callable[[float], float]) -> float:
    """ε with ½·doubled_excess(ε) = α; the excess falls about as 1/ε², so a few steps settle it."""
    assert query.cap is not None
    epsilon = 1.0
    for _ in range(6):
        epsilon = min(max(epsilon * math.sqrt(doubled_excess(epsilon) / (2 * query.cap)), 1e-12), 1e6)
    return epsilon


def _deviation(probe: GradualOutput, epsilon: float) -> float:
    law = probe.noise.law(probe.sensitivity.total, epsilon)
    return law.deviation(probe.query.problem.shape.width)
