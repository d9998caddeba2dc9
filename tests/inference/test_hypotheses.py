"""p-values, Wald tests and corrections: against statsmodels' formulas, and the same story as the intervals."""

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests

from tacit.domain import Domain, Geometry
from tacit.errors import ParameterError
from tacit.inference import evidence_of
from tacit.inference.hypotheses import adjusted, wald_test
from tacit.losses import Logistic, Squared
from tacit.mechanisms import FitRequest, Shape
from tacit.mechanisms.intervals import plan_ordinary, plan_with_intervals
from tacit.noise import SystemEntropy
from tacit.privacy import ZCDP, Pure
from tacit.rows import open_rows

N, WIDTH = 3000, 4


def evidence(kind, budget):
    """(evidence, θ̃) of one release on 3,000 rows with four columns, the last without an effect."""
    rng = np.random.default_rng(1)
    X = rng.uniform(-0.4, 0.4, (N, WIDTH))
    effect = X @ [4.0, -3.0, 2.0, 0.0]
    domain, y = Domain(), np.clip(effect / 4 + 0.2 * rng.standard_normal(N), -1, 1)
    if kind != "ridge":
        domain, y = Domain(classes=(-1, 1)), np.where(rng.random(N) < 1 / (1 + np.exp(-effect)), 1, -1)
    rows = open_rows(X, y, domain, Geometry(constant=None, clip=None))
    shape = Shape.of(rows)
    if kind == "ridge":
        plan = plan_with_intervals(shape, FitRequest(Squared(), 0.01), budget, "auto", None)
    elif kind == "ordinary":
        plan = plan_ordinary(shape, budget)
    else:
        plan = plan_with_intervals(shape, FitRequest(Logistic(), 0.01), budget, kind, None)
    release = plan.mechanism(rows if kind == "ridge" else rows.one_vs_rest(1), SystemEntropy())
    found = evidence_of(plan.mechanism, release)
    assert found is not None
    return found, release.theta


KINDS = [
    ("ordinary", ZCDP(200.0)),
    ("ordinary", Pure(40.0)),
    ("objective", ZCDP(2.0)),
    ("objective", Pure(5.0)),
    ("output", Pure(5.0)),
    ("ridge", ZCDP(2.0)),
    ("ridge", Pure(5.0)),
]


@pytest.mark.parametrize(("kind", "budget"), KINDS)
def test_a_p_value_is_below_a_twentieth_where_the_interval_leaves_the_hypothesis_out(kind, budget):
    found, theta = evidence(kind, budget)
    half = found.half_widths(np.eye(WIDTH), 0.95)
    assert np.all(np.isfinite(half))
    inside, outside = found.tails(np.eye(WIDTH), 0.97 * half), found.tails(np.eye(WIDTH), 1.03 * half)
    assert np.all(inside > 0.05)
    assert np.all(outside < 0.05)
    assert found.reasons(np.eye(WIDTH)) == ("",) * WIDTH
    assert "penalised" in found.target or kind == "ordinary"
    test = wald_test(found, theta[:1], np.eye(WIDTH)[:1])
    assert test.degrees == 1
    assert test.p_value == pytest.approx(found.tails(np.eye(WIDTH)[:1], np.abs(theta[:1]))[0], abs=0.02)


@pytest.mark.parametrize(("kind", "budget"), KINDS)
def test_the_variance_of_a_sum_is_that_of_its_direction(kind, budget):
    found, _ = evidence(kind, budget)
    ones = np.ones((1, WIDTH))
    apart, together = found.covariance(np.eye(WIDTH)), found.covariance(ones)
    assert together[0, 0] == pytest.approx(float((ones @ apart @ ones.T)[0, 0]))
    assert np.all(np.diag(apart) >= 0.97 * found.standard_errors(np.eye(WIDTH)) ** 2)


def test_a_wald_test_sees_effects_and_not_the_order_of_columns():
    found, theta = evidence("ordinary", ZCDP(200.0))
    all_zero = wald_test(found, theta, np.eye(WIDTH))
    assert all_zero.degrees == WIDTH
    assert all_zero.p_value < 1e-6
    assert wald_test(found, theta[::-1], np.eye(WIDTH)[::-1]).statistic == pytest.approx(all_zero.statistic)
    twice = np.vstack([np.eye(WIDTH), np.eye(WIDTH)[:1]])
    assert wald_test(found, twice @ theta, twice).degrees == WIDTH
    assert "4 degrees" in str(all_zero)


def test_what_is_not_determined_is_not_tested():
    found, theta = evidence("ordinary", ZCDP(1e-4))
    test = wald_test(found, theta, np.eye(WIDTH))
    assert np.isnan(test.statistic)
    assert test.p_value == 1.0
    assert "not determined" in str(test)


@pytest.mark.parametrize("correction", ["holm", "bonferroni"])
def test_corrections_are_those_of_statsmodels(correction):
    p_values = np.random.default_rng(0).uniform(size=9) ** 3
    assert adjusted(p_values, correction) == pytest.approx(multipletests(p_values, method=correction)[1])
    assert np.array_equal(adjusted(p_values, None), p_values)


def test_an_unknown_correction_is_refused():
    with pytest.raises(ParameterError, match="holm"):
        adjusted(np.ones(2), "sidak")


def test_robust_standard_errors_stand_beside_homoskedastic_ones():
    found, _ = evidence("ridge", ZCDP(200.0))
    assert found.robust
    robust, plain = found.standard_errors(np.eye(WIDTH)), found.homoskedastic_errors(np.eye(WIDTH))
    assert not np.array_equal(robust, plain)
    assert robust == pytest.approx(plain, rel=0.5)
