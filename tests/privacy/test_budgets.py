"""What counts as a budget, and what its parts are."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy_support import check_all
from tacit.errors import ParameterError
from tacit.privacy import ZCDP, Approx, ExPost, Pure, as_budget, compose
from tacit.privacy.amounts import MAX_EPSILON, MAX_RHO

positive = st.floats(1e-300, 1e5)
NOT_BUDGETS = [True, False, np.True_, "1.0", b"1", None, 1j, [1.0], np.array(1.0), Decimal("1")]
NOT_POSITIVE = [0, 0.0, -0.0, -1, -1e-300, float("nan"), float("inf"), float("-inf"), 1e300, 10**400, -(10**400)]


@pytest.mark.parametrize("value", NOT_BUDGETS + NOT_POSITIVE, ids=repr)
@pytest.mark.parametrize("make", [as_budget, Pure, ZCDP, lambda x: Approx(x, 0.1), lambda x: Approx(1.0, x)])
def test_what_is_not_a_positive_finite_real_number_is_refused(make, value):
    with pytest.raises(ParameterError):
        make(value)


@pytest.mark.parametrize("value", [np.float32(0.5), np.float16(0.5), np.float64(0.5), Fraction(1, 2), 0.5])
def test_every_kind_of_real_number_is_a_pure_budget(value):
    assert as_budget(value) == Pure(0.5)
    assert type(as_budget(value).epsilon) is float
    assert as_budget(np.int64(3)) == as_budget(3) == Pure(3.0)


@pytest.mark.parametrize("budget", [Pure(1.0), ZCDP(0.5), Approx(1.0, 1e-6)])
def test_a_budget_is_its_own_budget(budget):
    assert as_budget(budget) is budget


@given(st.fractions(min_value=Fraction(1, 10**20), max_value=1))
def test_a_budget_that_is_no_float_is_rounded_down(value):
    assert as_budget(value).epsilon <= value
    assert Approx(value, value / 2).delta <= value / 2
    assert Pure(value).epsilon >= value * (1 - Fraction(1, 10**15))


def test_a_long_double_is_rounded_down():
    third = np.longdouble(1) / 3
    assert Pure(third).epsilon <= third


def test_delta_must_be_below_one_and_caps_are_inclusive():
    with pytest.raises(ParameterError, match="below 1"):
        Approx(1.0, 1.0)
    assert Pure(MAX_EPSILON).epsilon == MAX_EPSILON
    assert ZCDP(MAX_RHO).rho == MAX_RHO


def check_shares_fit(share, whole: float, weights: list[int]) -> None:
    """Shares by fractions that sum to one never sum to more than the whole."""
    parts = [Fraction(share(whole, Fraction(w, sum(weights)))) for w in weights]
    assert sum(parts) <= Fraction(whole)


@given(positive, st.lists(st.integers(1, 10**6), min_size=1, max_size=10))
def test_exact_shares_fit_the_whole(whole, weights):
    check_shares_fit(lambda budget, fraction: Pure(budget).share(fraction).epsilon, whole, weights)


def test_the_check_of_shares_fails_when_rounded_to_nearest():
    nearest = lambda whole, fraction: float(Fraction(whole) * fraction)  # noqa: E731
    with pytest.raises(AssertionError):
        check_all(check_shares_fit, nearest, [1.0, 0.1, 0.3], [[1] * n for n in range(2, 30)])


@given(positive, st.integers(1, 99))
def test_decimal_shares_fit_the_whole(whole, percent):
    parts = [Pure(whole).share(percent / 100), Pure(whole).share((100 - percent) / 100)]
    assert sum(Fraction(p.epsilon) for p in parts) <= Fraction(whole)
    assert sum(p.epsilon for p in parts) >= whole * (1 - 1e-15)
    assert sum(Fraction(ZCDP(whole).share(0.1).rho) for _ in range(10)) <= Fraction(whole)


@given(positive, st.floats(0.5, 1, exclude_max=True))
def test_binary_shares_fit_the_whole(whole, fraction):
    assert Fraction(fraction) + Fraction(1 - fraction) == 1
    parts = [Pure(whole).share(fraction), Pure(whole).share(1 - fraction)]
    assert sum(Fraction(p.epsilon) for p in parts) <= Fraction(whole)


def test_shares_of_every_currency():
    assert Pure(2.0).share(0.5) == Pure(1.0)
    assert ZCDP(2.0).share(0.25) == ZCDP(0.5)
    assert Approx(2.0, 1e-6).share(0.5) == Approx(1.0, 5e-7)
    assert Pure(0.3).share(1) == Pure(0.3)
    assert Pure(1.0).share(np.float32(0.5)) == Pure(0.5)


@pytest.mark.parametrize("fraction", [0, -0.1, 1.1, float("nan"), True, "half", Fraction(3, 2)])
def test_a_share_lies_between_zero_and_one(fraction):
    with pytest.raises(ParameterError, match="fraction"):
        Pure(1.0).share(fraction)


def test_realised_losses_are_validated_and_rounded_up():
    assert ExPost(0, 0).total == 0.0
    assert ExPost(test=0.25, hypothesis=0.5).total == 0.75
    assert Fraction(ExPost(Fraction(1, 3), 0.0).test) >= Fraction(1, 3)
    assert Fraction(ExPost(0.1, 0.2).total) >= Fraction(0.1) + Fraction(0.2)
    for bad in (-1.0, float("nan"), float("inf"), "1", None, True):
        with pytest.raises(ParameterError):
            ExPost(bad, 0.0)


def test_budgets_print_for_people():
    assert str(Pure(0.1)) == "ε = 0.1"
    assert str(ZCDP(0.25)) == "ρ = 0.25 (zCDP)"
    assert str(Approx(1.0, 1e-6)) == "ε = 1, δ = 1e-06"
    assert str(ExPost(0.5, 1.0)) == "ε = 1.5 ex post (test 0.5 + hypothesis 1)"
    assert str(compose(Pure(1.0), ExPost(0.5, 1.0))) == "ε = 2.5 ex post (test 0.5 + hypothesis 2)"
