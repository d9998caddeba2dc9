"""Everything that leaves the balls is on the safe side, and as close as a float can be."""

import math
from fractions import Fraction

import pytest
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_support import check_all
from tacit.arithmetic import (
    enlarged,
    exact,
    largest_float,
    lower,
    round_down,
    round_up,
    shown_down,
    shown_up,
    sum_up,
    upper,
)

floats = st.floats(allow_nan=False, allow_infinity=False)
fractions = st.fractions(max_denominator=10**40) | st.builds(
    lambda m, e: Fraction(m) * Fraction(2) ** e, st.integers(-(2**80), 2**80), st.integers(-1300, 1300)
)


def check_rounds_up(rounding, x: Fraction) -> None:
    """The result is the smallest float (or infinity) that is not below x."""
    result = rounding(x)
    assert result >= x
    below = math.nextafter(result, -math.inf)
    assert below < x


@pytest.mark.proof("outward-rounding")
@given(fractions)
@settings(max_examples=500)
def test_round_up_and_round_down_are_the_nearest_floats_outside(x):
    check_rounds_up(round_up, x)
    check_rounds_up(lambda y: -round_down(-y), x)


@pytest.mark.proof("outward-rounding")
@pytest.mark.parametrize(
    "mutant",
    [lambda x: float(x), lambda x: math.nextafter(float(x), math.inf)],
    ids=["to nearest", "always one further"],
)
def test_the_check_of_rounding_fails_on_mutants(mutant):
    with pytest.raises(AssertionError):
        check_all(check_rounds_up, mutant, [Fraction(1, n) for n in range(1, 12)])


def binary_value(x: Fraction) -> arb:
    """x = integer · 2^exponent as a ball of radius 0."""
    exponent = x.denominator.bit_length() - 1
    assert x.denominator == 2**exponent
    before = ctx.prec
    ctx.prec = 8192
    try:
        return arb(x.numerator) * arb(2) ** -exponent
    finally:
        ctx.prec = before


@pytest.mark.proof("outward-rounding")
@given(
    st.integers(-(2**70), 2**70), st.integers(-1300, 1100), st.integers(0, 2**20), st.sampled_from([-1200, -60, -40, 0])
)
@settings(max_examples=500)
def test_both_ends_of_a_ball_are_covered_down_to_subnormals_and_up_to_overflow(mantissa, exponent, radius, scale):
    middle = Fraction(mantissa) * Fraction(2) ** exponent
    spread = Fraction(radius) * Fraction(2) ** scale

    def ball() -> arb:
        return arb(binary_value(middle), binary_value(spread))

    assert Fraction(middle) + spread <= upper(ball)
    assert Fraction(middle) - spread >= lower(ball)


@pytest.mark.proof("outward-rounding")
@pytest.mark.parametrize("exponent", [-(10**12), -(10**30), -5000, 5000, 10**12])
@pytest.mark.parametrize("sign", [-1, 1])
def test_exponents_far_beyond_those_of_floats(exponent, sign):
    def value() -> arb:
        return sign * arb(2) ** exponent

    inner, outer = (0.0, 5e-324) if exponent < 0 else (1.7976931348623157e308, math.inf)
    assert (lower(value), upper(value)) == ((inner, outer) if sign > 0 else (-outer, -inner))


@pytest.mark.proof("outward-rounding")
@given(floats)
def test_a_float_is_its_own_bound(x):
    assert lower(lambda: exact(x)) == x == upper(lambda: exact(x))


@given(st.lists(st.floats(0, 1e6), max_size=20))
@pytest.mark.proof("outward-rounding")
def test_sums_are_rounded_up_by_less_than_one_float(terms):
    total = sum((Fraction(t) for t in terms), Fraction(0))
    check_rounds_up(lambda x: sum_up(*terms), total)


@pytest.mark.proof("outward-rounding")
def test_precision_is_raised_until_cancellation_is_invisible():
    tiny = 2.0**-700

    def cancelling() -> arb:
        return (1 + exact(tiny)) - 1

    assert lower(cancelling) == tiny == upper(cancelling)


def test_an_undefined_formula_is_bounded_by_infinity():
    assert upper(lambda: exact(-1.0).log()) == math.inf
    assert lower(lambda: exact(1.0) / exact(0.0)) == -math.inf


def test_the_working_precision_is_given_back_even_after_an_error():
    before = ctx.prec
    with pytest.raises(ZeroDivisionError):
        upper(lambda: exact(float(1 // 0)))
    upper(lambda: exact(1.0))
    assert ctx.prec == before


@given(st.floats(5e-324, 1e300))
def test_largest_float_finds_the_last_float_that_holds(threshold):
    assert largest_float(lambda x: x <= threshold, 1e300) == threshold


def test_largest_float_stops_at_the_largest_and_refuses_the_impossible():
    assert largest_float(lambda x: True, 3.0) == 3.0
    with pytest.raises(ArithmeticError):
        largest_float(lambda x: False, 3.0)


def unlucky_product(roundings: int) -> tuple[float, Fraction]:
    """A product computed with so many roundings, each of them downward and nearly as large as it can be."""
    computed, true = 1.0, Fraction(1)
    candidates = [1 + k * 2.0**-30 for k in range(1, 200)]
    for _ in range(roundings):
        factor = max(candidates, key=lambda f: Fraction(computed) * Fraction(f) / Fraction(computed * f))
        computed, true = computed * factor, true * Fraction(factor)
    return computed, true


def check_enlarged(enlarge) -> None:
    computed, true = unlucky_product(30)
    assert computed < true
    assert enlarge(computed) >= true


@pytest.mark.proof("outward-rounding")
def test_enlarging_covers_thirty_roundings():
    check_enlarged(enlarged)
    with pytest.raises(AssertionError):
        check_enlarged(lambda x: x * (1 + 2.0**-50))


@pytest.mark.proof("outward-rounding")
@given(st.floats(1e-3, 1e3), st.lists(st.tuples(st.sampled_from("+*"), st.floats(1e-3, 1e3)), max_size=30))
def test_enlarged_is_at_least_the_exact_value(start, chain):
    computed, true = start, Fraction(start)
    for sign, term in chain:
        computed = computed + term if sign == "+" else computed * term
        true = true + Fraction(term) if sign == "+" else true * Fraction(term)
    assert enlarged(computed) >= true


def check_shown_up(show, x: float) -> None:
    """What is printed is not below x, or reads back as x, and is near."""
    text = show(x)
    assert float(text) == x or Fraction(text) >= Fraction(x)
    assert float(text) == pytest.approx(x, rel=2e-5)


@pytest.mark.proof("outward-rounding")
@given(st.floats(1e-300, 1e300))
def test_shown_numbers_are_on_the_safe_side(x):
    check_shown_up(shown_up, x)
    check_shown_up(lambda y: shown_down(-y).removeprefix("-"), x)


@pytest.mark.proof("outward-rounding")
def test_the_usual_formatting_is_not_on_the_safe_side():
    with pytest.raises(AssertionError):
        check_all(check_shown_up, lambda x: f"{x:.6g}", [1 / 3, 2 / 3, 1.4715947])


def test_round_numbers_are_shown_as_they_were_written():
    assert [shown_up(x) for x in (1.0, 0.1, 1e-6, 2.5, 1000000.0)] == ["1", "0.1", "1e-06", "2.5", "1e+06"]
    assert (shown_up(1 / 3), shown_down(2 / 3), shown_up(1.4715947)) == ("0.333334", "0.666666", "1.4716")
