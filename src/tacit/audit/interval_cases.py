"""The matrices that intervals are made from, under audit: orthogonal rows at θ = 0 move them the most."""

import numpy as np

from tacit.arithmetic import Floats
from tacit.audit.cases import Case
from tacit.audit.lower_bound import lower_bound
from tacit.audit.targets import Batches
from tacit.domain import Domain, Geometry
from tacit.losses import Logistic
from tacit.mechanisms import Shape
from tacit.mechanisms.intervals import Curvature, SquaredSlope, WeightedMoments
from tacit.noise import SystemEntropy
from tacit.privacy import Pure
from tacit.rows import Rows, open_rows

WEIGHT_AT_ZERO = 0.25  # both p(1 − p) and p² of the logistic loss


def interval_cases(runs: int) -> list[Case]:
    """Hessian and score covariance at θ = 0; the loss of the pair is the whole ε."""
    return [
        _case("Hessian for intervals", Curvature(Logistic()), runs),
        _case("score covariance for intervals", SquaredSlope(Logistic()), runs),
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


def _rows(x: list[float]) -> Rows:
    table = np.array([x, [0.0, 0.0]])
    declared = Domain(classes=(-1, 1))
    return open_rows(table, np.array([1, 1]), declared, Geometry(constant=None, clip=None)).one_vs_rest(1)


def _nearer(outputs: Floats) -> Floats:
    """Distance to the first row's matrix minus distance to the second's: the log likelihood ratio."""
    ends = WEIGHT_AT_ZERO * np.array([[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]])
    away = [np.linalg.norm(outputs.reshape(len(outputs), -1) - end, axis=1) for end in ends]
    return np.asarray(away[0] - away[1])
