"""How budgets are shared: by public facts, a little for what would say little, and never more than there is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.domain import Norms
from tacit.losses import HuberHinge, Logistic
from tacit.mechanisms.intervals.choice import adding_up
from tacit.mechanisms.intervals.shares import (
    ALWAYS_COVARIANCE,
    ALWAYS_COVARIANCE_LOUD,
    ALWAYS_COVARIANCE_NARROW,
    COVARIANCE_NARROW,
    COVARIANCE_PURE,
    COVARIANCE_ZCDP,
    TRACE_NARROW,
    TRACE_PURE,
    TRACE_ZCDP,
    Split,
    shared,
)
from tacit.mechanisms.intervals.weighted_moments import SecondMoments, Trace
from tacit.mechanisms.moments import Frobenius, Nuclear
from tacit.mechanisms.problem import Shape
from tacit.privacy import ZCDP, Approx, Pure, compose

L2 = 0.002


def shape(n, width):
    return Shape(n, width, Norms(width**0.5, 1.0, 1.0), width, 4096, None)


def matrix(width, budget):
    """Wishart noise where a matrix of this width has less of it."""
    return SecondMoments(Nuclear() if isinstance(budget, Pure) and width >= 4 else Frobenius())


@pytest.mark.parametrize(
    ("n", "width", "budget", "split"),
    [
        (2000, 2, Pure(0.5), ALWAYS_COVARIANCE_LOUD),
        (5000, 2, Pure(1.0), ALWAYS_COVARIANCE_NARROW),
        (500_000, 2, Pure(1.0), ALWAYS_COVARIANCE),
        (1000, 6, Pure(0.5), ALWAYS_COVARIANCE_LOUD),
        (5000, 6, Pure(1.0), ALWAYS_COVARIANCE),
        (2000, 6, ZCDP(0.125), ALWAYS_COVARIANCE),
    ],
)
def test_a_huber_hinge_spends_on_its_hessian_where_it_can_be_heard(n, width, budget, split):
    assert shared(shape(n, width), HuberHinge(0.5), L2, budget, None) == (split, matrix(width, budget))


@pytest.mark.parametrize(
    ("n", "width", "budget", "split", "statistic"),
    [
        (2000, 6, Pure(1.0), TRACE_PURE, Trace()),
        (500_000, 6, Pure(1.0), COVARIANCE_PURE, SecondMoments(Nuclear())),
        (2000, 6, ZCDP(0.5), TRACE_ZCDP, Trace()),
        (30_000, 6, ZCDP(0.5), COVARIANCE_ZCDP, SecondMoments()),
        (2000, 2, Pure(1.0), TRACE_NARROW, Trace()),
        (30_000, 2, Pure(1.0), COVARIANCE_NARROW, SecondMoments()),
    ],
)
def test_the_whole_covariance_is_released_where_its_noise_is_small(n, width, budget, split, statistic):
    assert shared(shape(n, width), Logistic(), L2, budget, None) == (split, statistic)


@pytest.mark.parametrize(("width", "currency"), [(2, Pure), (6, Pure), (40, ZCDP)])
def test_what_an_epsilon_delta_budget_is_spent_as_has_little_noise_and_implies_it(width, currency):
    spent = adding_up(Approx(1.0, 1e-6), width)
    assert isinstance(spent, currency)
    assert spent.to_approx(1e-6).epsilon <= 1.0
    for other in (Pure(0.3), ZCDP(0.3)):
        assert adding_up(other, width) == other


def test_a_wanted_split_is_kept():
    wanted = Split(0.5, 0.3, 0.2)
    for loss in (Logistic(), HuberHinge(0.5)):
        assert shared(shape(2000, 2), loss, L2, Pure(0.5), wanted)[0] == wanted


@given(epsilon=st.floats(1e-6, 1e3), shares=st.tuples(*[st.floats(0.001, 1.0)] * 3))
def test_the_parts_of_a_split_never_exceed_the_whole(epsilon, shares):
    total = sum(shares)
    drawn = Split(*(share / total * (1 - 1e-9) for share in shares))
    splits = (drawn, TRACE_PURE, COVARIANCE_PURE, ALWAYS_COVARIANCE_LOUD)
    for split in splits:
        assert compose(*split.of(Pure(epsilon))).epsilon <= epsilon
        assert compose(*split.of(ZCDP(epsilon))).rho <= epsilon
