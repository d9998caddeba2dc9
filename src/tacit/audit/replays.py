"""tacit in the grey box: its mechanisms on their worst neighbours and on hostile ones, with the same bits."""

from tacit.audit.grey_box import Observation, declarations, replay
from tacit.audit.own import L2, standard_shape
from tacit.audit.pairs import hostile_pair, worst_pair
from tacit.losses import HuberHinge, Logistic, Squared
from tacit.mechanisms import (
    CovariancePerturbation,
    Entrywise,
    Frobenius,
    Nuclear,
    ObjectivePerturbation,
    OutputPerturbation,
    Problem,
)
from tacit.noise import SystemEntropy
from tacit.privacy import Pure

HOSTILE_PAIRS = 10


def own_replays() -> list[tuple[str, Observation]]:
    """(mechanism, the observation that came closest to its limit or broke it) for each mechanism."""
    shape = standard_shape(2)
    mechanisms = {
        "output perturbation, logistic": OutputPerturbation(Problem(shape, Logistic(), L2), Pure(1.0)),
        "output perturbation, Huber hinge": OutputPerturbation(Problem(shape, HuberHinge(), L2), Pure(1.0)),
        "objective perturbation, logistic": ObjectivePerturbation(Problem(shape, Logistic(), L2), Pure(1.0)),
        "objective perturbation, squared": ObjectivePerturbation(Problem(shape, Squared(), L2, 1.0), Pure(1.0)),
        "covariance perturbation, l2": CovariancePerturbation(shape, Pure(1.0), Frobenius()),
        "covariance perturbation, nuclear norm": CovariancePerturbation(shape, Pure(1.0), Nuclear()),
        "covariance perturbation, l1": CovariancePerturbation(shape, Pure(1.0), Entrywise()),
    }
    found = []
    for name, mechanism in mechanisms.items():
        pairs = [worst_pair(mechanism), *(hostile_pair(mechanism, SystemEntropy()) for _ in range(HOSTILE_PAIRS))]
        seen = [replay(declared, pair) for declared in declarations(mechanism) for pair in pairs]
        found.append((name, min(seen, key=lambda each: (each.holds, -each.moved / each.allowed))))
    return found
