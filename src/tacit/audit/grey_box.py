"""The grey box: the same random bits on two neighbouring tables, and a look at what moved.

With equal bits additive noise cancels, so the difference of two releases is the difference of what was protected. If it
exceeds the declared sensitivity, the declaration is wrong: no statistics, one pair is a proof. And whatever can be
seen besides the release must not differ at all: how many random words were taken, warnings, exceptions.
"""

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tacit.arithmetic import Floats
from tacit.mechanisms import CentredObjective, CovariancePerturbation, ObjectivePerturbation, OutputPerturbation
from tacit.noise import Entropy, RecordedEntropy, SystemEntropy

NORMS: dict[str, Callable[[Floats], float]] = {
    "l1": lambda change: float(np.sum(np.abs(change))),
    "l2": lambda change: float(np.linalg.norm(change)),
    "nuclear": lambda change: float(np.linalg.norm(change.reshape(math.isqrt(change.size), -1), "nuc")),
}


@dataclass(frozen=True)
class Declared:
    """A release (table, entropy) → numbers, and how far one replaced row may move it under the same bits."""

    name: str
    release: Callable[[Any, Entropy], ArrayLike]
    norm: str
    sensitivity: float
    grid: float = 0.0


@dataclass(frozen=True)
class Observation:
    """What two runs with the same bits showed."""

    moved: float
    allowed: float
    same_traces: bool

    @property
    def holds(self) -> bool:
        """Whether the declaration survived."""
        return self.same_traces and self.moved <= self.allowed


def replay(declared: Declared, pair: tuple[Any, Any], entropy: Entropy | None = None) -> Observation:
    """Run twice on the same bits; the grid of the release may add one step to each coordinate."""
    recorder = RecordedEntropy(entropy or SystemEntropy())
    first, first_trace = _run(declared, pair[0], recorder)
    again = RecordedEntropy(recorder.replay())
    second, second_trace = _run(declared, pair[1], again)
    same = first_trace == second_trace and recorder.count == again.count and first.shape == second.shape
    change = first - second if first.shape == second.shape else np.array([np.inf])
    steps = NORMS["l2" if declared.norm == "l2" else "l1"](np.full(change.shape, declared.grid))
    return Observation(NORMS[declared.norm](change), declared.sensitivity * (1 + 1e-12) + steps, same)


def declarations(mechanism: Any) -> tuple[Declared, ...]:
    """What tacit's mechanisms declare, in a form that equal bits can refute.

    Objective perturbation moves by at most (what its gradients sum to)/(λn) under equal tilts, because the tilted
    objective is λ-strongly convex, and by its tolerance on either side.
    """
    match mechanism:
        case OutputPerturbation():
            sensitivity, (facts, *_) = mechanism.sensitivity, mechanism.facts
            return (Declared("minimiser", _theta(mechanism), sensitivity.norm, sensitivity.total, facts.grid or 0.0),)
        case ObjectivePerturbation(problem=problem):
            facts = mechanism.facts[0]
            gradient = 2 * problem.feasible_gradient_bound / (problem.l2 * problem.shape.n)
            return (
                Declared(
                    "tilted minimiser", _theta(mechanism), "l2", gradient + 2 * mechanism.tolerance, facts.grid or 0.0
                ),
            )
        case CovariancePerturbation(moments=moments):
            grid = moments.law.grid(moments.size)

            def matrix(rows: Any, entropy: Entropy) -> ArrayLike:
                return moments(rows, entropy).matrix.ravel()

            return (Declared("moments", matrix, moments.measure.norm, moments.sensitivity.total, grid),)
        case CentredObjective(slopes=slopes):
            return declarations(slopes)
        case _:
            return ()


def _theta(mechanism: Any) -> Callable[[Any, Entropy], ArrayLike]:
    return lambda rows, entropy: np.asarray(mechanism(rows, entropy).theta)


def _run(declared: Declared, table: Any, entropy: Entropy) -> tuple[Floats, tuple[str, ...]]:
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            outcome = np.ravel(np.asarray(declared.release(table, entropy), dtype=float))
        except (ArithmeticError, LookupError, TypeError, ValueError, np.linalg.LinAlgError) as error:
            return np.zeros(0), (type(error).__name__, str(error))
    return outcome, tuple(f"{each.category.__name__}: {each.message}" for each in seen)
