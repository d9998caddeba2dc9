"""What intervals are made from, under audit, on the pairs that move it the most.

Matrices alone: orthogonal rows at θ = 0. Gradient and matrices together: rows almost opposite across a very long θ,
both of them misses.
"""

import numpy as np

from tacit.arithmetic import Floats
from tacit.audit.cases import Case
from tacit.audit.lower_bound import lower_bound
from tacit.audit.pair_loss import gaussian_pair_loss
from tacit.audit.targets import Batches
from tacit.domain import Domain, Geometry
from tacit.losses import Logistic
from tacit.mechanisms import Shape
from tacit.mechanisms.intervals import Curvature, JointRelease, SquaredSlope, WeightedMoments
from tacit.noise import SystemEntropy
from tacit.privacy import Approx, Pure
from tacit.rows import Rows, open_rows

WEIGHT_AT_ZERO = 0.25  # both p(1 − p) and p² of the logistic loss
LONG, JOINT_DELTA = 4e7, 1e-3


def interval_cases(runs: int) -> list[Case]:
    """Hessian and score covariance at θ = 0; the loss of the pair is the whole ε."""
    return [
        _case("Hessian for intervals", Curvature(Logistic()), runs),
        _case("score covariance for intervals", SquaredSlope(Logistic()), runs),
        _joint_case(runs),
    ]


def _case(name: str, weight: Curvature | SquaredSlope, runs: int) -> Case:
    pair, zero, entropy = (_rows([1.0, 0.0]), _rows([0.0, 1.0])), np.zeros(2), SystemEntropy()
    release = WeightedMoments(Shape.of(pair[0]), weight, Pure(1.0))
    law = release.law(zero)

    def draws(rows: Rows, count: int) -> list[Floats]:
        # The sum before the noise is the same in every run; reading it once leaves the noise to be drawn.
        total = rows.total(release._kernel(zero))
        return [release.statistic.unpacked(law.add(release.statistic.packed(total), entropy), 2) for _ in range(count)]

    loss = WEIGHT_AT_ZERO * np.sqrt(2) * release.shape.norms.l2**2 / law.scale
    return Case(
        name, 1.0, float(loss), lambda confidence: lower_bound(Batches(draws), pair, runs, confidence, score=_nearer)
    )


def _joint_case(runs: int) -> Case:
    """Gradient, Hessian and score covariance in one release; what is tested is the projection on their difference."""
    theta, budget, entropy = np.array([LONG, 0.0]), Approx(1.0, JOINT_DELTA), SystemEntropy()
    pair = _rows([-40 / LONG, 1 - 1e-12]), _rows([-40 / LONG, 1e-12 - 1])
    release = JointRelease(Shape.of(pair[0]), budget, 0.7)
    ends = [release.packed(rows, theta) for rows in pair]
    difference = ends[1] - ends[0]
    distance = float(np.linalg.norm(difference))

    def draws(rows: Rows, count: int) -> list[Floats]:
        packed = release.packed(rows, theta)
        return [release.law.add(packed, entropy) for _ in range(count)]

    def along(outputs: Floats) -> Floats:
        return np.asarray(-outputs @ difference / distance)

    def measure(confidence: float) -> float:
        return lower_bound(Batches(draws), pair, runs, confidence, delta=JOINT_DELTA, score=along)

    loss = gaussian_pair_loss(distance, release.law.scale, JOINT_DELTA)
    return Case("gradient, Hessian and score covariance together", budget.epsilon, loss, measure, JOINT_DELTA)


def _rows(x: list[float]) -> Rows:
    table = np.array([x, [0.0, 0.0]])
    declared = Domain(classes=(-1, 1))
    return open_rows(table, np.array([1, 1]), declared, Geometry(constant=None, clip=None)).one_vs_rest(1)


def _nearer(outputs: Floats) -> Floats:
    """Distance to the first row's matrix minus distance to the second's: the log likelihood ratio."""
    ends = WEIGHT_AT_ZERO * np.array([[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]])
    away = [np.linalg.norm(outputs.reshape(len(outputs), -1) - end, axis=1) for end in ends]
    return np.asarray(away[0] - away[1])
