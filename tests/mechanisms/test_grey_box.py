"""Neighbouring tables, extreme rows included: what noise is added to moves by no more than declared.

A spy in place of the noise law sees the vector before noise. Also: the number of random words is the same for both
tables, and nothing warns (warnings are errors in this suite).
"""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from mechanisms_support import Unclipped, rows_of, without_noise
from tacit.errors import ParameterError
from tacit.losses import Hinge, HuberHinge, Logistic, Squared
from tacit.losses.huber import Huber
from tacit.losses.poisson import Poisson
from tacit.mechanisms import output as output_module
from tacit.mechanisms.centred import CentredObjective
from tacit.mechanisms.choice import FitRequest, centred
from tacit.mechanisms.functional import FunctionalMechanism
from tacit.mechanisms.moments import Entrywise, Frobenius, MomentRelease, Nuclear
from tacit.mechanisms.objective import ObjectivePerturbation
from tacit.mechanisms.output import OutputPerturbation
from tacit.mechanisms.problem import Problem, Shape
from tacit.mechanisms.svec import smat
from tacit.noise import RecordedEntropy, SystemEntropy
from tacit.privacy import ZCDP, Approx, Pure

CELLS = st.sampled_from([0.0, 1.0, -1.0, 0.5, -0.3, 1e-8, 1e300, -1e300, math.inf, -math.inf, math.nan])
MEASURES = [(Frobenius(), 2), (Nuclear(), "nuc"), (Entrywise(), 1)]
CLASSIFIERS = [Logistic(), HuberHinge(0.5), Hinge()]


@st.composite
def neighbours(draw, width: int = 2):
    """Two tables of up to four rows that differ in one row, cells and target alike."""
    n = draw(st.integers(1, 4))
    row = st.lists(CELLS, min_size=width, max_size=width)
    X = draw(st.lists(row, min_size=n, max_size=n))
    y = draw(st.lists(st.sampled_from([-1, 1]), min_size=n, max_size=n))
    place = draw(st.integers(0, n - 1))
    other_X, other_y = [list(r) for r in X], list(y)
    other_X[place], other_y[place] = draw(row), draw(st.sampled_from([-1, 1]))
    return (X, y), (other_X, other_y)


def opened(table, *, classify: bool):
    return rows_of(table[0], table[1], classify=classify)


def check_moved(mechanism, attribute: str, tables, declared: float, norm: int | str) -> None:
    first, second = (without_noise(mechanism, attribute, rows) for rows in tables)
    change = smat(first - second, tables[0].width + 1) if norm == "nuc" else first - second
    assert np.linalg.norm(change, norm) <= declared


def check_words(mechanism, tables) -> None:
    counts = []
    for rows in tables:
        entropy = RecordedEntropy(SystemEntropy())
        mechanism(rows, entropy)
        counts.append(entropy.count)
    assert counts[0] == counts[1] > 0


@pytest.mark.proof("minimiser-sensitivity")
@pytest.mark.proof("inexact-minimiser")
@pytest.mark.parametrize(
    "loss", [*CLASSIFIERS, Squared(), Huber(0.2), Poisson(0.1, 0.5)], ids=lambda loss: type(loss).__name__
)
@given(tables=neighbours(), l2=st.sampled_from([1e-9, 1e-3, 0.1, 3.0]), radius=st.sampled_from([None, 0.5, 2.0]))
@settings(max_examples=25)
def test_the_certified_minimum_moves_by_at_most_the_declared_sensitivity(loss, tables, l2, radius):
    assume(not (isinstance(loss, Hinge) and l2 < 1e-3))  # a slow certificate, not another claim
    first, second = (opened(table, classify=loss.labels) for table in tables)
    mechanism = OutputPerturbation(Problem(Shape.of(first), loss, l2, radius), Pure(1.0))
    check_moved(mechanism, "law", (first, second), mechanism.sensitivity.total, 2)
    check_words(mechanism, (first, second))


@pytest.mark.proof("minimiser-sensitivity")
def test_missing_clip_fails():
    clipped = tuple(rows_of([[1.0]], [label]) for label in (1, -1))
    mechanism = OutputPerturbation(Problem(Shape.of(clipped[0]), Logistic(), 200.0), Pure(1.0))
    check_moved(mechanism, "law", clipped, mechanism.sensitivity.total, 2)
    with pytest.raises(AssertionError):
        check_moved(mechanism, "law", tuple(map(Unclipped, clipped)), mechanism.sensitivity.total, 2)


@pytest.mark.proof("minimiser-sensitivity")
def test_a_sensitivity_without_its_factor_two_fails():
    mechanism = OutputPerturbation(Problem(Shape.of(rows_of([[1.0]], [1])), Hinge(), 1.0), Pure(1.0))
    tables = tuple(rows_of([[1.0]], [label]) for label in (1, -1))
    check_moved(mechanism, "law", tables, mechanism.sensitivity.total, 2)
    with pytest.raises(AssertionError):
        check_moved(mechanism, "law", tables, mechanism.sensitivity.total / 2, 2)


@pytest.mark.proof("inexact-minimiser")
def test_a_solver_that_ignores_its_tolerance_fails(monkeypatch):
    """Off by 1 % of the sensitivity in whichever direction hurts: the declared 2τ no longer covers it."""
    mechanism = OutputPerturbation(Problem(Shape.of(rows_of([[1.0]], [1])), HuberHinge(0.5), 3.0), Pure(1.0))
    solve = output_module.certified_minimum

    def sloppy(rows, problem, tolerance):
        theta = solve(rows, problem, tolerance)
        return theta + 0.01 * problem.minimiser_sensitivity * np.sign(theta)

    tables = tuple(rows_of([[1.0]], [label]) for label in (1, -1))
    check_moved(mechanism, "law", tables, mechanism.sensitivity.total, 2)
    monkeypatch.setattr(output_module, "certified_minimum", sloppy)
    with pytest.raises(AssertionError):
        check_moved(mechanism, "law", tables, mechanism.sensitivity.total, 2)


@pytest.mark.proof("symmetric-moments")
@pytest.mark.proof("wishart-difference")
@pytest.mark.parametrize(("measure", "norm"), MEASURES)
@given(tables=neighbours(), weight=st.sampled_from([0.3, 0.7, 1.0]))
@settings(max_examples=40)
def test_packed_moments_move_by_at_most_the_declared_sensitivity(measure, norm, tables, weight):
    first, second = (opened(table, classify=False) for table in tables)
    release = MomentRelease(Shape.of(first), Pure(1.0), measure, weight)
    check_moved(release, "law", (first, second), release.sensitivity.total, norm)
    check_words(release, (first, second))


@pytest.mark.proof("symmetric-moments")
@pytest.mark.proof("wishart-difference")
@pytest.mark.parametrize(("measure", "norm"), MEASURES)
def test_moment_bounds_are_attained_so_smaller_ones_fail(measure, norm):
    """Two orthogonal rows (ℓ2, nuclear) or two unit vectors (ℓ1): √2‖v‖², 2‖v‖² and 2‖v‖₁² up to the target's part."""
    first, second = (rows_of([x], [0.0], classify=False) for x in ([1.0, 0.0], [0.0, 1.0]))
    release = MomentRelease(Shape.of(first), Pure(1.0), measure, 1e-6)
    bound = measure.replacement(1.0)
    check_moved(release, "law", (first, second), bound, norm)
    with pytest.raises(AssertionError):
        check_moved(release, "law", (first, second), 0.99 * bound, norm)


@pytest.mark.proof("wishart-difference")
def test_symmetric_noise_is_refused_where_its_sums_could_be_clamped():
    """Clamping coordinates could lengthen a difference in the nuclear norm."""

    def law(n: int):
        shape = Shape.of(rows_of([[1.0, 0.0]], [0.0], classify=False))
        many = Shape(n, shape.width, shape.norms, shape.max_nonzeros, shape.block_rows, shape.constant)
        return MomentRelease(many, Pure(1.0), Nuclear(), 0.5).law

    assert law(2**28).largest_value >= 2**28 * 1.25 * math.sqrt(2)
    with pytest.raises(ParameterError, match="too many rows"):
        law(2**31)


@pytest.mark.proof("symmetric-moments")
def test_off_diagonals_packed_without_their_root_two_change_the_norm():
    """svec keeps the Frobenius norm; plain packing does not, so its noise would not be that of the theorem."""

    def check_isometry(measure: Frobenius) -> None:
        rows = rows_of([[0.6, 0.8]], [1.0], classify=False)
        release = MomentRelease(Shape.of(rows), Pure(1.0), measure, 1.0)
        packed = without_noise(release, "law", rows)
        assert np.linalg.norm(packed) == pytest.approx(2.0, rel=1e-9)  # ‖vvᵀ‖_F = ‖v‖² = 1 + 1

    check_isometry(Frobenius())
    with pytest.raises(AssertionError):
        check_isometry(Frobenius(off_diagonal=1.0))


@pytest.mark.proof("functional-mechanism")
@pytest.mark.parametrize("loss", [Squared(), Logistic()], ids=lambda loss: type(loss).__name__)
@given(tables=neighbours())
@settings(max_examples=40)
def test_polynomial_coefficients_move_by_at_most_the_declared_sensitivity(loss, tables):
    first, second = (opened(table, classify=isinstance(loss, Logistic)) for table in tables)
    mechanism = FunctionalMechanism(Shape.of(first), loss, Pure(1.0))
    check_moved(mechanism, "law", (first, second), mechanism.sensitivity.total, 1)
    check_words(mechanism, (first, second))


@pytest.mark.proof("functional-mechanism")
def test_functional_sensitivity_is_of_the_right_order():
    """Rows (1, 1)/√2 against their mirror image: a bound ten times smaller fails."""
    first, second = (rows_of([[0.7, 0.7]], [label]) for label in (1, -1))
    mechanism = FunctionalMechanism(Shape.of(first), Logistic(), Pure(1.0))
    with pytest.raises(AssertionError):
        check_moved(mechanism, "law", (first, second), mechanism.sensitivity.total / 10, 1)


@pytest.mark.proof("centred-target")
@given(tables=neighbours())
@settings(max_examples=25)
def test_the_mean_moves_by_at_most_two_over_n(tables):
    first, second = (opened(table, classify=False) for table in tables)
    mechanism = _centred(first)
    check_moved(mechanism, "mean_law", (first, second), mechanism.mean_sensitivity.total, 1)
    check_words(mechanism, (first, second))


@pytest.mark.proof("centred-target")
def test_the_mean_does_move_by_two_over_n():
    tables = tuple(rows_of([[1.0, 0.0]], [target], classify=False) for target in (1.0, -1.0))
    mechanism = _centred(tables[0])
    with pytest.raises(AssertionError):
        check_moved(mechanism, "mean_law", tables, 0.99 * 2.0, 1)


def _centred(rows) -> CentredObjective:
    shape = Shape.of(rows)
    with_constant = Shape(shape.n, shape.width, shape.norms, shape.max_nonzeros, shape.block_rows, 1.0)
    plan = centred(with_constant, FitRequest(Squared()), Pure(1.0))
    assert isinstance(plan.mechanism, CentredObjective)
    return plan.mechanism


@pytest.mark.proof("approximate-minimum")
@pytest.mark.parametrize("budget", [Pure(1.0), Approx(1.0, 1e-6), ZCDP(0.5)], ids=lambda b: type(b).__name__)
@given(tables=neighbours())
@settings(max_examples=10)
def test_objective_perturbation_draws_the_same_words_for_neighbours(budget, tables):
    first, second = (opened(table, classify=True) for table in tables)
    check_words(ObjectivePerturbation(Problem(Shape.of(first), Logistic(), 4.0), budget), (first, second))
