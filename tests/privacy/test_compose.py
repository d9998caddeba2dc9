"""Composition: never better than the exact composition of the worst mechanisms, never worse than the sum."""

import math
from fractions import Fraction
from itertools import product

import mpmath
import pytest
from dp_accounting.pld import common, privacy_loss_distribution
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mpf

from tacit.errors import ParameterError
from tacit.privacy import ZCDP, Approx, ExPost, Pure, compose

epsilons = st.floats(0.001, 5)


def exact_delta(losses: list[float], epsilon: float) -> mpf:
    """The profile of randomised responses run side by side, by enumeration of all outcomes."""
    with mpmath.workdps(50):
        total = mpf(0)
        for signs in product((1, -1), repeat=len(losses)):
            p = mpmath.fprod(1 / (1 + mpmath.exp(-s * mpf(e))) for s, e in zip(signs, losses, strict=True))
            q = mpmath.fprod(1 / (1 + mpmath.exp(s * mpf(e))) for s, e in zip(signs, losses, strict=True))
            total += max(p - mpmath.exp(mpf(epsilon)) * q, 0)
        return total


def check_composition_of_pure(together, losses: list[float], delta: float) -> None:
    """At the ε reported for δ, randomised responses composed exactly stay within δ."""
    with mpmath.workdps(50):
        assert exact_delta(losses, together(losses, delta)) <= mpf(delta) * (1 + mpf(10) ** -40)


def ours(losses: list[float], delta: float) -> float:
    return compose(*map(Pure, losses), delta=delta).epsilon


@pytest.mark.proof("composition")
@given(st.lists(epsilons, min_size=1, max_size=6), st.sampled_from([1e-9, 1e-4, 0.05, 0.3]))
@settings(max_examples=100, deadline=None)
def test_composed_pure_losses_cover_randomised_responses(losses, delta):
    check_composition_of_pure(ours, losses, delta)
    assert ours(losses, delta) <= compose(*map(Pure, losses)).epsilon


@pytest.mark.proof("composition")
@pytest.mark.parametrize(
    "mutant",
    [
        lambda losses, delta: max(losses),
        lambda losses, delta: math.sqrt(sum(e * e for e in losses)),
        lambda losses, delta: 0.9 * ours(losses, delta),
    ],
    ids=["parallel", "root of squares", "a tenth too small"],
)
def test_the_check_of_composition_fails_on_mutants(mutant):
    with pytest.raises(AssertionError):
        check_composition_of_pure(mutant, [0.5, 0.3, 0.2], 1e-9)


@pytest.mark.proof("composition")
@given(st.lists(epsilons, min_size=1, max_size=20))
def test_pure_losses_add_up_and_round_up(losses):
    total = sum(map(Fraction, losses))
    together = compose(*map(Pure, losses))
    assert isinstance(together, Pure)
    assert total <= Fraction(together.epsilon) <= total * (1 + Fraction(1, 10**15))


@pytest.mark.proof("composition")
def test_many_pure_losses_are_between_the_exact_answer_and_the_sum():
    one = privacy_loss_distribution.from_privacy_parameters(common.DifferentialPrivacyParameters(0.1, 0))
    exact = one.self_compose(100).get_epsilon_for_delta(1e-6)
    reported = compose(*[Pure(0.1)] * 100, delta=1e-6)
    assert reported.delta == 1e-6
    assert exact * (1 - 1e-6) <= reported.epsilon < 1.2 * exact


@pytest.mark.proof("composition")
def test_concentrated_losses_add_up_with_pure_ones_converted():
    assert compose(ZCDP(0.25), ZCDP(0.5)) == ZCDP(0.75)
    together = compose(ZCDP(0.25), Pure(1.0))
    assert together.rho == pytest.approx(0.25 + Pure(1.0).to_zcdp().rho, rel=1e-15)


@pytest.mark.proof("composition")
def test_approximate_losses_add_up_with_pure_ones_at_delta_zero():
    assert compose(Approx(1.0, 1e-6), Approx(0.5, 1e-6), Pure(0.25)) == Approx(1.75, 2e-6)


@pytest.mark.proof("composition")
def test_concentrated_beside_approximate_needs_a_delta():
    with pytest.raises(ParameterError, match="needs a δ"):
        compose(ZCDP(0.1), Approx(1.0, 1e-6))
    together = compose(ZCDP(0.1), Approx(1.0, 2.0**-20), delta=2.0**-20)
    assert together.delta == 2.0**-19
    assert together.epsilon == pytest.approx(1.0 + ZCDP(0.1).to_approx(2.0**-20).epsilon, rel=1e-15)


@pytest.mark.proof("composition")
def test_a_large_pure_loss_stays_pure_beside_a_small_concentrated_one():
    together = compose(Pure(30.0), ZCDP(0.01), delta=1e-6)
    assert together.epsilon <= 30.0 + ZCDP(0.01).to_approx(1e-6).epsilon + 1e-12
    many = compose(*[Pure(0.01)] * 500, ZCDP(0.01), delta=1e-6)
    assert many.epsilon < 500 * 0.01


@given(st.lists(st.sampled_from([Pure(0.5), ZCDP(0.1), Approx(0.3, 1e-7)]), min_size=1, max_size=6), st.randoms())
def test_the_order_of_losses_does_not_matter(losses, random):
    shuffled = list(losses)
    random.shuffle(shuffled)
    assert compose(*shuffled, delta=1e-6) == compose(*losses, delta=1e-6)


@pytest.mark.parametrize("loss", [Pure(0.5), ZCDP(0.1), Approx(0.3, 1e-7)])
def test_one_loss_alone_is_itself(loss):
    assert compose(loss) == loss


@pytest.mark.proof("composition")
def test_realised_losses_stay_realised():
    assert compose(ExPost(0.5, 0.25), ExPost(0.5, 0.0), Pure(1.0)) == ExPost(1.0, 1.25)
    assert compose(ExPost(0.0, 0.0), ExPost(0.0, 0.0)).total == 0.0


@pytest.mark.proof("composition")
@pytest.mark.parametrize("other", [ZCDP(0.1), Approx(1.0, 1e-6)])
def test_realised_losses_refuse_currencies_they_do_not_bound(other):
    with pytest.raises(ParameterError, match="charge the most"):
        compose(ExPost(0.5, 0.5), other)
    with pytest.raises(ParameterError, match="no δ"):
        compose(ExPost(0.5, 0.5), Pure(1.0), delta=1e-6)


def test_impossible_compositions_are_refused():
    with pytest.raises(ParameterError, match="at least one"):
        compose()
    with pytest.raises(ParameterError):
        compose(Approx(1.0, 0.6), Approx(1.0, 0.6))
    with pytest.raises(ParameterError):
        compose(Pure(1.0), delta=0.0)
