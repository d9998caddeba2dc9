"""Private Hessians and score covariances: sensitivities, noise, audits, and mutants that must be caught."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import gamma, kstest

from tacit.audit import Batches, lower_bound
from tacit.domain import Domain, Geometry
from tacit.losses import HuberHinge, Logistic, Squared
from tacit.mechanisms.intervals.row_weights import Curvature, SquaredSlope, row_local_scores, stored_weights
from tacit.mechanisms.intervals.weighted_moments import SecondMoments, Trace, WeightedMoments
from tacit.mechanisms.moments import Frobenius, Nuclear
from tacit.mechanisms.problem import Shape
from tacit.mechanisms.svec import smat, svec, svec_size
from tacit.noise import SystemEntropy
from tacit.privacy import ZCDP, Pure
from tacit.rows import open_rows

pytestmark = pytest.mark.proof("weighted-moments")

LOSSES = (Logistic(), HuberHinge(0.5))
NO_CONSTANT = Geometry(constant=None, clip=None)


def rows_of(X, y):
    return open_rows(np.asarray(X, float), np.asarray(y, float), Domain(classes=(-1.0, 1.0)), NO_CONSTANT).one_vs_rest(
        1
    )


def release_for(rows, weight, statistic=None, budget=None):
    return WeightedMoments(Shape.of(rows), weight, budget or Pure(1.0), statistic or SecondMoments())


def exact_total(release, rows, theta):
    """The sum before noise, as the mechanism computes it, as the vector that noise is added to."""
    return release.statistic.packed(rows.total(release._kernel(theta)))


def moved(release, theta, first, second):
    change = exact_total(release, first, theta) - exact_total(release, second, theta)
    if release.statistic.measure.norm == "nuclear":
        return float(np.linalg.norm(smat(change, release.shape.width), "nuc"))
    return float(np.linalg.norm(change))


def extreme_pair(theta):
    """Neighbours whose replaced rows are orthogonal: one along −θ (largest slope), one across."""
    along = -theta / np.linalg.norm(theta)
    across = np.array([-along[1], along[0]])
    rest = [[0.1, 0.2]] * 5
    return rows_of([along, *rest], [1] * 6), rows_of([across, *rest], [1] * 6)


def assert_within(movement, sensitivity):
    assert movement <= sensitivity


@settings(max_examples=60)
@given(
    seed=st.integers(0, 2**32 - 1),
    length=st.floats(0, 30),
    width=st.integers(1, 4),
    loss=st.sampled_from(LOSSES),
    statistic=st.sampled_from([SecondMoments(), SecondMoments(Nuclear()), Trace()]),
    squared=st.booleans(),
)
def test_one_replaced_row_moves_a_statistic_by_at_most_its_sensitivity(seed, length, width, loss, statistic, squared):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((7, width))
    X /= np.maximum(1, np.linalg.norm(X, axis=1, keepdims=True)) * rng.choice([1.0, 0.3], (7, 1))
    y = rng.choice([-1.0, 1.0], 7)
    theta = rng.standard_normal(width)
    theta *= length / max(np.linalg.norm(theta), 1e-9)
    other, labels = X.copy(), y.copy()
    other[3], labels[3] = rng.standard_normal(width), rng.choice([-1.0, 1.0])
    first, second = rows_of(X, y), rows_of(other, labels)
    release = release_for(first, SquaredSlope(loss) if squared else Curvature(loss), statistic)
    assert_within(moved(release, theta, first, second), release.sensitivity(theta).total)
    assert release.sensitivity(theta).total <= release.sensitivity().total


@pytest.mark.proof("wishart-difference")
@pytest.mark.parametrize(("measure", "factor"), [(Frobenius(), math.sqrt(2)), (Nuclear(), 2)])
def test_the_bound_is_reached_and_the_length_of_one_row_alone_is_not_enough(measure, factor):
    theta = np.array([1e-9, 0.0])
    first, second = extreme_pair(theta)
    release = release_for(first, Curvature(Logistic()), SecondMoments(measure))
    movement = moved(release, theta, first, second)
    assert movement >= 0.999 * release.sensitivity(theta).total
    mutant = release.sensitivity(theta).total / factor
    with pytest.raises(AssertionError):
        assert_within(movement, mutant)


def test_the_score_sensitivity_belongs_to_the_released_theta():
    """Mutant: the bound taken at the exact minimiser, which is shorter than what was released (and is private)."""
    exact_minimiser, released = np.array([0.05, 0.0]), np.array([6.0, 0.0])
    first, second = extreme_pair(released)
    release = release_for(first, SquaredSlope(Logistic()))
    movement = moved(release, released, first, second)
    assert_within(movement, release.sensitivity(released).total)
    with pytest.raises(AssertionError):
        assert_within(movement, release.sensitivity(exact_minimiser).total)


def test_residuals_are_capped_where_slopes_have_no_bound():
    X, theta = np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([9.0, 0.0])
    y = np.array([-1.0, 1.0])
    capped, unbounded = SquaredSlope(Squared(), 2.0), SquaredSlope(Squared())

    def within_cap(weight):
        assert np.all(weight(X @ theta, y) <= capped.bound(None))

    within_cap(capped)
    with pytest.raises(AssertionError):
        within_cap(unbounded)


def other_rows_keep_their_weights(weights_of):
    rng = np.random.default_rng(5)
    X, y, theta = rng.standard_normal((40, 3)), np.ones(40), rng.standard_normal(3)
    other = X.copy()
    other[7] = 5.0
    kept = np.arange(40) != 7
    assert np.array_equal(weights_of(X, y, theta)[kept], weights_of(other, y, theta)[kept])


def test_a_weight_is_a_function_of_its_own_row_bit_for_bit():
    weight = Curvature(HuberHinge(0.5))
    other_rows_keep_their_weights(lambda X, y, theta: stored_weights(weight, X, y, theta, 1.0))

    def scaled_by_the_block(X, y, theta):
        return stored_weights(weight, X / np.abs(X).max(), y, theta, 1.0)

    with pytest.raises(AssertionError):
        other_rows_keep_their_weights(scaled_by_the_block)


def test_sparse_and_dense_rows_have_the_same_statistics():
    import scipy.sparse

    rng = np.random.default_rng(3)
    X, y, theta = rng.uniform(-0.4, 0.4, (50, 4)), rng.choice([-1.0, 1.0], 50), rng.standard_normal(4)
    dense = rows_of(X, y)
    sparse = open_rows(scipy.sparse.csr_array(X), y, Domain(classes=(-1.0, 1.0)), NO_CONSTANT).one_vs_rest(1)
    assert row_local_scores(X, theta) == pytest.approx(X @ theta)
    for statistic in (SecondMoments(), Trace()):
        release = release_for(dense, SquaredSlope(Logistic()), statistic)
        assert exact_total(release, sparse, theta) == pytest.approx(exact_total(release, dense, theta))


def test_svec_keeps_the_frobenius_norm_and_smat_undoes_it():
    rng = np.random.default_rng(0)
    matrix = rng.standard_normal((5, 5))
    matrix += matrix.T
    assert np.linalg.norm(svec(matrix)) == pytest.approx(np.linalg.norm(matrix))
    assert smat(svec(matrix), 5) == pytest.approx(matrix)
    assert smat(np.stack([svec(matrix)] * 2), 5)[1] == pytest.approx(matrix)


def assert_spherical(vectors, scale, size):
    """Density ∝ exp(−‖z‖/s) in `size` dimensions: radius Γ(size, s), coordinates alike; false alarms below 1e−9."""
    radii = np.linalg.norm(vectors, axis=1)
    assert vectors.shape[1] == size
    assert kstest(radii / scale, gamma(size).cdf).pvalue > 1e-10
    shares = np.mean((vectors / radii[:, None]) ** 2, axis=0)
    assert np.all(np.abs(shares - 1 / size) < 7 * math.sqrt(2 / size**2 / len(vectors)))


@pytest.mark.statistical
def test_matrix_noise_has_as_many_dimensions_as_a_symmetric_matrix():
    width, count = 3, 600
    rows = rows_of(np.zeros((4, width)), [1, 1, -1, -1])
    release = release_for(rows, Curvature(Logistic()))
    theta, entropy = np.zeros(width), SystemEntropy()
    size, scale = svec_size(width), release.law(theta).scale
    vectors = np.stack([svec(release(rows, theta, entropy)) for _ in range(count)])
    assert_spherical(vectors, scale, size)
    # Mutant: noise in all d² entries, its length drawn for d(d+1)/2 of them.
    rng = np.random.default_rng()
    flat = rng.standard_normal((count, width * width))
    flat *= (scale * rng.gamma(size, size=count) / np.linalg.norm(flat, axis=1))[:, None]
    square = flat.reshape(count, width, width)
    mutant = np.stack([svec((noise + noise.T) / 2) for noise in square])
    with pytest.raises(AssertionError):
        assert_spherical(mutant, scale, size)


def assert_pair_loss(release, theta, pair, epsilon):
    """The largest log ratio of two densities ∝ exp(−‖z − f‖/s) is ‖f − f'‖/s, reached behind f."""
    assert moved(release, theta, *pair) / release.law(theta).scale <= epsilon


@pytest.mark.parametrize("weight", [Curvature(Logistic()), SquaredSlope(Logistic()), Curvature(HuberHinge(0.5))])
@pytest.mark.parametrize("theta", [np.array([1e-9, 0.0]), np.array([3.0, 0.5]), np.array([0.0, -40.0])])
def test_the_exact_loss_of_extreme_pairs_stays_within_the_charge(weight, theta):
    pair = extreme_pair(theta)
    release = release_for(pair[0], weight, budget=Pure(0.7))
    assert_pair_loss(release, theta, pair, 0.7)


def test_half_of_the_noise_is_caught_by_the_exact_loss():
    theta = np.array([1e-9, 0.0])
    pair = extreme_pair(theta)
    release = release_for(pair[0], Curvature(Logistic()), budget=Pure(0.7))
    with pytest.raises(AssertionError):
        assert_pair_loss(release, theta, pair, 0.7 / 2)


@pytest.mark.statistical
@pytest.mark.parametrize("weight", [Curvature(Logistic()), SquaredSlope(Logistic())])
def test_an_audit_of_many_runs_finds_no_more_than_the_charge(weight):
    theta, epsilon, runs = np.array([1e-9]), 1.0, 400
    first, second = rows_of([[1.0], [0.0]], [-1, -1]), rows_of([[0.0], [0.0]], [-1, -1])
    release, entropy = release_for(first, weight, budget=Pure(epsilon)), SystemEntropy()

    def draws(rows, count):
        return [release(rows, theta, entropy).ravel() for _ in range(count)]

    def audited(sample):
        known = {"confidence": 1 - 1e-9, "score": lambda outputs: -outputs[:, 0]}
        return lower_bound(Batches(sample), (first, second), runs=runs, **known)

    assert audited(draws) <= epsilon
    cheap = release_for(first, weight, budget=Pure(10 * epsilon))

    def mutant(rows, count):
        return [cheap(rows, theta, entropy).ravel() for _ in range(count)]

    assert audited(mutant) > epsilon


def test_gaussian_noise_for_zcdp_is_calibrated_to_the_sensitivity():
    rows = rows_of([[0.5, 0.5]] * 3, [1, 1, -1])
    release = release_for(rows, Curvature(Logistic()), budget=ZCDP(0.02))
    assert release.law().scale == pytest.approx(release.sensitivity().total / math.sqrt(0.04))
