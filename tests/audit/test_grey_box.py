"""Same bits, neighbouring tables: what moves is declared, and nothing else differs."""

import warnings

import numpy as np
import pytest

from tacit import noise
from tacit.audit import Declared, declarations, hostile_pair, replay, worst_pair
from tacit.domain import Domain, Geometry
from tacit.losses import HuberHinge, Logistic, Squared
from tacit.mechanisms.centred import CentredObjective
from tacit.mechanisms.covariance import CovariancePerturbation
from tacit.mechanisms.moments import Entrywise, Frobenius
from tacit.mechanisms.objective import ObjectivePerturbation
from tacit.mechanisms.output import OutputPerturbation
from tacit.mechanisms.problem import Problem, Shape
from tacit.privacy import Approx, Pure
from tacit.rows import open_rows

ENTROPY = noise.SystemEntropy()


def shape(width, n=5, constant=None):
    return Shape.of(open_rows(np.zeros((n, width)), np.zeros(n), Domain(), Geometry(constant=constant)))


def mechanisms():
    plain, wide = shape(1), shape(3, constant=1.0)
    yield OutputPerturbation(Problem(plain, Logistic(), 0.1), Pure(1.0))
    yield OutputPerturbation(Problem(wide, HuberHinge(), 0.1), Approx(1.0, 1e-6))
    yield ObjectivePerturbation(Problem(wide, Logistic(), 0.2), Pure(1.0))
    yield ObjectivePerturbation(Problem(shape(2), Squared(), 0.5, radius=1.0), Approx(1.0, 1e-6))
    yield CovariancePerturbation(wide, Pure(1.0), Entrywise())
    yield CovariancePerturbation(shape(3), Approx(1.0, 1e-6), Frobenius())
    yield CentredObjective(wide, Pure(0.1), ObjectivePerturbation(Problem(wide, Squared(), 0.5, radius=1.0), Pure(0.9)))


@pytest.mark.parametrize("mechanism", list(mechanisms()), ids=lambda m: f"{type(m).__name__}")
def test_tacit_moves_no_more_than_declared(mechanism):
    for declared in declarations(mechanism):
        for pair in (worst_pair(mechanism), *(hostile_pair(mechanism, ENTROPY) for _ in range(3))):
            seen = replay(declared, pair)
            assert seen.holds, (declared.name, seen)


def test_the_worst_pair_reaches_the_whole_sensitivity_of_moments():
    mechanism = CovariancePerturbation(shape(2), Pure(1.0), Frobenius())
    (declared,) = declarations(mechanism)
    seen = replay(declared, worst_pair(mechanism))
    assert seen.moved > 0.999 * declared.sensitivity


def clipped_sum(table, entropy):
    return noise.laplace([np.clip(table, -1, 1).sum()], 2.0, entropy)


def unclipped_sum(table, entropy):
    """Mutant: the clip is missing."""
    return noise.laplace([np.sum(table)], 2.0, entropy)


def sum_with_a_warning(table, entropy):
    """Mutant: a warning tells that somebody was clipped."""
    if np.any(np.abs(table) > 1):
        warnings.warn("clipped", UserWarning, stacklevel=1)
    return clipped_sum(table, entropy)


def sum_with_an_error(table, entropy):
    """Mutant: a row is rejected for its value."""
    if np.any(np.abs(table) > 1):
        raise ValueError("out of bounds")
    return clipped_sum(table, entropy)


def sum_with_retries(table, entropy):
    """Mutant: draws again while the answer looks wrong."""
    answer = clipped_sum(table, entropy)
    return clipped_sum(table, entropy) if np.any(np.abs(table) > 1) else answer


def sum_of_some(table, entropy):
    """Mutant: the number of outputs depends on rows."""
    return noise.laplace(table[np.abs(table) <= 1], 2.0, entropy)


PAIR = (np.array([0.5, -0.5, 1.0]), np.array([0.5, -0.5, 50.0]))


def check(release):
    assert replay(Declared("sum", release, "l1", 2.0, 2.0**-19), PAIR).holds


def test_a_correct_sum_holds():
    check(clipped_sum)


@pytest.mark.parametrize(
    "mutant", [unclipped_sum, sum_with_a_warning, sum_with_an_error, sum_with_retries, sum_of_some]
)
def test_mutants_do_not(mutant):
    with pytest.raises(AssertionError):
        check(mutant)


def test_what_a_mechanism_of_another_kind_declares_is_not_known():
    assert declarations(object()) == ()
