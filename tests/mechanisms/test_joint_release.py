"""Gradient, Hessian and score covariance in one release: the inequalities, worst pairs, rounding, audits, mutants."""

import math
from dataclasses import replace
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from mechanisms_support import rows_of
from tacit.audit import Batches, lower_bound
from tacit.audit.pair_loss import gaussian_pair_loss
from tacit.losses import Logistic
from tacit.mechanisms.intervals import joint_release
from tacit.mechanisms.intervals.joint_release import JointRelease
from tacit.mechanisms.intervals.row_weights import Curvature, SquaredSlope, pulled, row_local_scores
from tacit.mechanisms.intervals.weighted_moments import SecondMoments, Trace, WeightedMoments
from tacit.mechanisms.problem import Shape
from tacit.mechanisms.svec import svec
from tacit.noise import SystemEntropy
from tacit.privacy import ZCDP, Pure

pytestmark = pytest.mark.proof("joint-release")

BALL = 0.7
LONG = np.array([4e7, 0.0])


def polynomial(*coefficients):
    """Exact, lowest degree first."""
    return [Fraction(c) for c in coefficients]


def product(first, second):
    out = [Fraction(0)] * (len(first) + len(second) - 1)
    for i, a in enumerate(first):
        for j, b in enumerate(second):
            out[i + j] += a * b
    return out


def added(*terms):
    size = max(map(len, terms))
    return [sum((t[i] for t in terms if i < len(t)), Fraction(0)) for i in range(size)]


def times(factor, term):
    return [Fraction(factor) * c for c in term]


S, REST = polynomial(0, 1), polynomial(1, -1)
SQUARE = product(S, S)
CURVED = times(20, product(SQUARE, product(REST, REST)))  # 20 s²(1 − s)²
INSIDE_CUBIC = polynomial(2, 2, Fraction(-39, 2), Fraction(41, 2))
OPPOSITE_CUBIC = polynomial(Fraction(5, 2), Fraction(1, 2), Fraction(-39, 2), Fraction(41, 2))


def test_both_bounds_factor_as_the_proof_says():
    inside = added(times(Fraction(3, 2), SQUARE), CURVED, times(Fraction(1, 2), product(SQUARE, SQUARE)))
    assert added(inside, polynomial(-2)) == product(polynomial(-1, 1), INSIDE_CUBIC)
    sum_squared = product(polynomial(1, 1), polynomial(1, 1))
    gap = added(polynomial(1), times(-1, SQUARE))
    opposite = added(sum_squared, times(Fraction(1, 2), product(gap, gap)), CURVED)
    assert added(opposite, polynomial(-4)) == product(polynomial(-1, 1), OPPOSITE_CUBIC)


def assert_positive_on_the_unit_interval(coefficients, at_least, cells=4096):
    """By interval arithmetic: every ball of a partition of [0, 1] is mapped above the bound."""
    exact = [arb(c.numerator) / arb(c.denominator) for c in coefficients]
    for cell in range(cells):
        s = arb(Fraction(2 * cell + 1, 2 * cells).numerator) / (2 * cells) + arb(0, 1.0 / (2 * cells))
        value = exact[0] + s * (exact[1] + s * (exact[2] + s * exact[3]))
        assert value > at_least


def test_both_cubics_are_positive_by_interval_arithmetic():
    assert_positive_on_the_unit_interval(INSIDE_CUBIC, 0.59)
    assert_positive_on_the_unit_interval(OPPOSITE_CUBIC, 0.19)
    with pytest.raises(AssertionError):
        assert_positive_on_the_unit_interval(OPPOSITE_CUBIC, 0.21)


def largest_change(hessian_weight, r2):
    """The largest ‖f − f'‖² over slopes, lengths and the angle of two rows, by optimisation from many starts."""

    def minus(v):
        p, q, x, z, cosine = v
        m, k = min(1, x * x / r2), min(1, z * z / r2)

        def apart(a, b, c):
            return a * a + b * b - 2 * a * b * c

        matrices = hessian_weight * apart(p * (1 - p) * m, q * (1 - q) * k, cosine**2)
        return -apart(p * x, q * z, cosine) - matrices - 0.5 * apart(p * p * m, q * q * k, cosine**2)

    starts = np.random.default_rng(0).uniform([0, 0, 0, 0, -1], 1, (60, 5))
    return max(-minimize(minus, start, bounds=[(0, 1)] * 4 + [(-1, 1)]).fun for start in starts)


@pytest.mark.parametrize("r2", [1.0, 0.6, 0.2])
def test_optimisation_over_all_pairs_finds_four_and_more_for_a_larger_weight(r2):
    assert largest_change(joint_release.HESSIAN_WEIGHT, r2) == pytest.approx(4, abs=1e-6)
    assert largest_change(21.5, r2) > 4.006


def release_for(rows, budget=None, ball=BALL):
    return JointRelease(Shape.of(rows), budget or ZCDP(0.5), ball)


def moved(release, theta, first, second):
    return float(np.linalg.norm(release.packed(first, theta) - release.packed(second, theta)))


def opposite_pair(theta, probabilities, n=6):
    """Neighbours whose replaced rows point almost opposite ways across a long θ and miss with these probabilities."""
    length = float(np.linalg.norm(theta))
    rows = []
    for sign, p in zip((1.0, -1.0), probabilities, strict=True):
        along = -math.log(p / (1 - p)) / length
        rows.append(([along, sign * math.sqrt(1 - along**2) * (1 - 1e-12)], 1))
    rest = [[0.0, 0.0]] * (n - 1)
    return tuple(rows_of([x, *rest], [y] + [1] * (n - 1)) for x, y in rows)


WORST = (1 - 1e-12, 1 - 1e-12)
UNEVEN = (1 - 1e-12, 0.62)


@settings(max_examples=80)
@given(
    seed=st.integers(0, 2**32 - 1), length=st.floats(0, 60), width=st.integers(1, 4), ball=st.sampled_from([1.0, 0.5])
)
def test_one_replaced_row_moves_the_vector_by_at_most_its_sensitivity(seed, length, width, ball):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((7, width))
    X /= np.maximum(1, np.linalg.norm(X, axis=1, keepdims=True)) * rng.choice([1.0, 0.3], (7, 1))
    y = rng.choice([-1.0, 1.0], 7)
    theta = rng.standard_normal(width)
    theta *= length / max(np.linalg.norm(theta), 1e-9)
    other, labels = X.copy(), y.copy()
    other[3], labels[3] = rng.standard_normal(width), rng.choice([-1.0, 1.0])
    first, second = rows_of(X, y), rows_of(other, labels)
    release = release_for(first, ball=ball * Shape.of(first).norms.l2)
    assert moved(release, theta, first, second) <= release.sensitivity.total


def test_the_bound_is_reached():
    pair = opposite_pair(LONG, WORST)
    release = release_for(pair[0])
    assert moved(release, LONG, *pair) >= 0.999999 * release.sensitivity.total


def assert_no_pair_exceeds(release):
    for probabilities in (WORST, UNEVEN):
        pair = opposite_pair(LONG, probabilities)
        assert moved(release, LONG, *pair) <= release.sensitivity.total


def test_mutants_of_the_weights_are_caught(monkeypatch):
    rows = opposite_pair(LONG, WORST)[0]
    assert_no_pair_exceeds(release_for(rows))
    monkeypatch.setattr(joint_release, "HESSIAN_WEIGHT", 21.5)
    with pytest.raises(AssertionError):
        assert_no_pair_exceeds(release_for(rows))


def test_noise_for_the_hessian_alone_is_caught():
    class HessianAlone(JointRelease):
        @property
        def sensitivity(self):
            alone = math.sqrt(2) * self.hessian_weight * joint_release.LARGEST_CURVATURE * self.ball**2
            return replace(super().sensitivity, total=alone)

    rows = opposite_pair(LONG, WORST)[0]
    with pytest.raises(AssertionError):
        assert_no_pair_exceeds(HessianAlone(Shape.of(rows), ZCDP(0.5), BALL))


@pytest.mark.proof("pulled-rows")
def test_rows_that_are_not_pulled_are_caught(monkeypatch):
    first, second = rows_of([[1.0, 0.0], [0.0, 0.0]], [1, 1]), rows_of([[0.0, 1.0], [0.0, 0.0]], [1, 1])
    theta, budget = np.zeros(2), Pure(1.0)
    joint = release_for(first, ball=0.3)
    hessian = WeightedMoments(Shape.of(first), Curvature(Logistic()), budget, SecondMoments(), 0.3)
    trace = WeightedMoments(Shape.of(first), SquaredSlope(Logistic()), budget, Trace(), 0.3)

    def assert_within():
        assert moved(joint, theta, first, second) <= joint.sensitivity.total
        for release in (hessian, trace):
            one, two = (release.statistic.packed(rows.total(release._kernel(theta))) for rows in (first, second))
            assert np.linalg.norm(one - two) <= release.sensitivity(theta).total

    assert_within()
    for module in ("joint_release", "weighted_moments"):
        monkeypatch.setattr(f"tacit.mechanisms.intervals.{module}.pulled", lambda X, ball: np.ones(len(X)))
    with pytest.raises(AssertionError):
        assert_within()


@pytest.mark.proof("pulled-rows")
def test_a_factor_looks_at_its_own_row_and_pulls_into_the_ball():
    rng = np.random.default_rng(2)
    X = rng.standard_normal((50, 3)) / 2
    X[0] = 0.0
    factors = pulled(X, 0.5)
    other = X.copy()
    other[7] = 9.0
    kept = np.arange(50) != 7
    assert np.array_equal(factors[kept], pulled(other, 0.5)[kept])
    assert np.linalg.norm(X * np.sqrt(factors)[:, None], axis=1) == pytest.approx(
        np.minimum(np.linalg.norm(X, axis=1), 0.5)
    )


@pytest.mark.proof("pulled-rows")
def test_the_hessian_of_pulled_rows_is_below_the_true_one():
    rng = np.random.default_rng(4)
    X = rng.standard_normal((300, 4))
    X /= np.maximum(1, np.linalg.norm(X, axis=1, keepdims=True))
    rows, theta = rows_of(X, rng.choice([-1.0, 1.0], 300)), rng.standard_normal(4)
    whole = release_for(rows, ball=Shape.of(rows).norms.l2)
    small = release_for(rows, ball=0.4)
    difference = whole.unpacked(whole.packed(rows, theta)).hessian - small.unpacked(small.packed(rows, theta)).hessian
    assert np.linalg.eigvalsh(difference).min() > 0


def test_computed_sums_are_within_their_rounding_of_exact_ones():
    rng = np.random.default_rng(8)
    X = rng.standard_normal((40, 3))
    X /= np.maximum(1, np.linalg.norm(X, axis=1, keepdims=True))
    theta, y = rng.standard_normal(3) * 3, rng.choice([-1.0, 1.0], 40)
    rows = rows_of(X, y)
    release = release_for(rows)
    stored = []

    def keep(block, labels):
        stored.append((block.copy(), labels.copy()))
        return 0.0

    rows.total(keep)
    with mpmath.workdps(60):
        total = [mpmath.mpf(0)] * release.size
        for block, labels in stored:
            slopes = Logistic().slope(row_local_scores(block, theta), labels)
            for x, slope in zip(block, slopes, strict=True):
                total = [a + b for a, b in zip(total, exact_contribution(release, x, slope), strict=True)]
        away = [a - mpmath.mpf(float(b)) for a, b in zip(total, release.packed(rows, theta), strict=True)]
        distance = float(mpmath.sqrt(sum(a * a for a in away)))
    assert 0 < distance <= release._rounding


def exact_contribution(release, x, slope):
    """f of a stored row and slope, in 60 digits."""
    x, slope = [mpmath.mpf(float(v)) for v in x], mpmath.mpf(float(slope))
    p, length = abs(slope), sum(v * v for v in x)
    pull = min(mpmath.mpf(1), mpmath.mpf(release.ball) ** 2 / length)
    pairs = [(i, i) for i in range(3)] + [(i, j) for i in range(3) for j in range(i + 1, 3)]
    packed = [pull * x[i] * x[j] * (1 if i == j else mpmath.sqrt(2)) for i, j in pairs]
    hessian = [mpmath.mpf(release.hessian_weight) * p * (1 - p) * v for v in packed]
    return [slope * v for v in x] + hessian + [mpmath.mpf(release.scores_weight) * p * p * v for v in packed]


def test_the_sums_are_those_of_the_loss():
    rng = np.random.default_rng(1)
    X, y, theta = rng.uniform(-0.4, 0.4, (200, 3)), rng.choice([-1.0, 1.0], 200), rng.standard_normal(3)
    rows = rows_of(X, y)
    release = release_for(rows, ball=Shape.of(rows).norms.l2)
    found = release.unpacked(release.packed(rows, theta))
    p = 1 / (1 + np.exp(y * (X @ theta)))
    assert found.gradient == pytest.approx(-(y * p) @ X / 200)
    assert found.hessian == pytest.approx((X.T * (p * (1 - p))) @ X / 200)
    assert found.scores == pytest.approx((X.T * p**2) @ X / 200)


def assert_pair_loss(release, pair, delta):
    """The exact ε at δ of the worst pair is within what the charge implies at δ."""
    lost = gaussian_pair_loss(moved(release, LONG, *pair), release.law.scale, delta)
    claimed = gaussian_pair_loss(math.sqrt(2 * release.charge.rho), 1.0, delta)
    assert lost <= claimed * (1 + 1e-9)
    return lost / claimed


def test_the_exact_loss_of_the_worst_pair_is_the_charge_and_too_little_noise_is_seen():
    pair = opposite_pair(LONG, WORST)
    release = release_for(pair[0])
    assert assert_pair_loss(release, pair, 1e-6) > 0.9999

    class Quieter(JointRelease):
        @property
        def law(self):
            law = super().law
            return replace(law, scale=0.99 * law.scale)

    with pytest.raises(AssertionError):
        assert_pair_loss(Quieter(release.shape, release.charge, BALL), pair, 1e-6)


@pytest.mark.statistical
def test_an_audit_of_many_runs_finds_no_more_than_the_charge():
    pair, runs, delta = opposite_pair(LONG, WORST), 2000, 1e-2
    release, entropy = release_for(pair[0]), SystemEntropy()
    ends = [release.packed(rows, LONG) for rows in pair]
    across = (ends[1] - ends[0]) / np.linalg.norm(ends[1] - ends[0])
    claimed = gaussian_pair_loss(math.sqrt(2 * release.charge.rho), 1.0, delta)

    def packed(joint):
        return np.concatenate(
            [joint.gradient, release.hessian_weight * svec(joint.hessian), release.scores_weight * svec(joint.scores)]
        )

    def audited(shrink):
        def draws(rows, count):
            values = ends[0] if rows is pair[0] else ends[1]
            noisy = [packed(release.unpacked(release.law.add(values / shrink, entropy))) for _ in range(count)]
            return [shrink * vector for vector in noisy]

        known = {"confidence": 1 - 1e-9, "delta": delta, "score": lambda outputs: -outputs @ across}
        return lower_bound(Batches(draws), pair, runs=runs, **known)

    assert audited(1.0) <= claimed
    assert audited(0.2) > claimed
