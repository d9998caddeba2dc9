"""Admission: what is accepted is within the limit, in exact arithmetic and for an analyst who adapts."""

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tacit.errors import BudgetExceeded
from tacit.ledger.chain import Event
from tacit.ledger.filters import Currency, Stage, concentrated_rest, first_stage, price
from tacit.ledger.planned import planned_epsilon, planned_spending
from tacit.ledger.units import TOO_MUCH, Cost, Scale, amount_down, bits_for, units_exactly, units_up
from tacit.privacy import ZCDP, Approx, Budget, ExPost, Pure

amounts = st.floats(1e-9, 1e3, allow_subnormal=False)
limits = st.one_of(
    st.builds(Pure, st.floats(0.5, 5.0)),
    st.builds(ZCDP, st.floats(0.01, 1.0)),
    st.builds(Approx, st.floats(0.5, 5.0), st.floats(1e-9, 1e-5)),
)
charges = st.one_of(
    st.builds(Pure, st.floats(1e-6, 2.0)),
    st.builds(ZCDP, st.floats(1e-9, 0.1)),
    st.builds(Approx, st.floats(1e-6, 2.0), st.floats(1e-12, 1e-6)),
)


def check_units(up: Callable[[float, int], float], terms: list[float], limit: float) -> None:
    """Sums of what is booked bound the sums of what is real, and exactly so."""
    bits = bits_for(limit)
    booked = sum((Fraction(up(x, bits)) for x in terms), Fraction(0))
    real = sum((min(Fraction(x) * Fraction(2) ** bits, Fraction(TOO_MUCH)) for x in terms), Fraction(0))
    assert real <= booked <= real + len(terms)
    assert booked.denominator == 1
    running: float = 0
    for x in terms:
        running = running + up(x, bits)
    assert Fraction(running) == booked
    assert up(limit, bits) == units_exactly(limit, bits) < TOO_MUCH


@pytest.mark.proof("ledger-units")
@given(st.lists(amounts, min_size=1, max_size=30), amounts)
def test_charges_are_rounded_up_and_limits_are_exact(terms, limit):
    check_units(units_up, terms, limit)


def test_mutant_units_are_caught():
    terms = [0.1, 0.2, 1e-9] * 10
    check_units(units_up, terms, 1.0)
    for up in (
        lambda x, bits: x * 2.0**bits,  # float units
        lambda x, bits: round(Fraction(x) * 2**bits - Fraction(1, 2)),  # to nearest
        lambda x, bits: math.floor(Fraction(x) * 2**bits),  # down
    ):
        with pytest.raises(AssertionError):
            check_units(up, terms, 1.0)


@pytest.mark.proof("ledger-units")
def test_sums_fit_sixty_four_bits():
    largest = Approx(2.0**20, math.nextafter(1.0, 0.0))
    for limit in (largest, Approx(1e-9, 1e-30)):
        stage = first_stage(limit)
        cost = price(largest, "epsilon", stage.scale)
        assert cost is not None
        assert stage.main + cost.main < 2**63
        assert stage.delta + cost.delta < 2**63


@pytest.mark.proof("ledger-units")
@given(limits)
def test_one_charge_may_be_the_whole_limit(limit):
    stage = first_stage(limit)
    assert price(limit, stage.currency, stage.scale) == Cost(stage.main, stage.delta)


@pytest.mark.proof("ledger-units")
def test_ten_tenths_are_more_than_one(ledger):
    account = ledger.open("a", limit=1.0)
    for _ in range(9):
        account.run(0.1, b"", lambda: b"x")
    with pytest.raises(BudgetExceeded):
        account.run(0.1, b"", lambda: b"x")


@dataclass(frozen=True)
class Rules:
    """How an account admits charges: the code's own, or a mutant's."""

    price: Callable[[Budget, Currency, Scale], Cost | None] = price
    rest: Callable[[Cost, Scale], Stage | None] = concentrated_rest


def admitted(limit: Budget, wishes: list[Budget], rules: Rules) -> list[list[Budget]]:
    """The charges admitted before and after the turn, by the arithmetic of the books without a database."""
    stage, main, delta = first_stage(limit), 0, 0
    taken: list[list[Budget]] = [[], []]
    for wish in wishes:
        cost = rules.price(wish, stage.currency, stage.scale)
        now, left = stage, Cost(stage.main - main, stage.delta - delta)
        if cost is None:
            rest = rules.rest(left, stage.scale) if isinstance(limit, Approx) else None
            if rest is None:
                continue
            now, left, cost = rest, Cost(rest.main, rest.delta), rules.price(wish, rest.currency, rest.scale)
        assert cost is not None
        if cost.main > left.main or cost.delta > left.delta:
            continue
        if now is not stage:
            stage, main, delta = now, 0, 0
        main, delta = main + cost.main, delta + cost.delta
        taken[now.currency == "rho"].append(wish)
    return taken


def exactly(values: list[float]) -> Fraction:
    return sum(map(Fraction, values), Fraction(0))


def check_admission(limit: Budget, wishes: list[Budget], rules: Rules) -> None:
    """Σε, Σδ before the turn and Σρ, Σδ after it are worth no more than the limit; ρ computed on its own."""
    before, after = admitted(limit, wishes, rules)
    epsilon = exactly([x.epsilon for x in before if not isinstance(x, ZCDP)])
    delta = exactly([x.delta for x in before if isinstance(x, Approx)])
    rho = exactly([x.rho if isinstance(x, ZCDP) else x.epsilon * math.tanh(x.epsilon / 2) * (1 - 1e-12) for x in after])
    later = exactly([x.delta for x in after if isinstance(x, Approx)])
    match limit:
        case Pure():
            assert not after
            assert (epsilon, delta) <= (Fraction(limit.epsilon), 0)
        case ZCDP():
            assert rho <= Fraction(limit.rho)
            assert later == 0
        case Approx():
            assert epsilon <= Fraction(limit.epsilon)
            assert delta + later <= Fraction(limit.delta)
            if rho:
                left = Fraction(limit.delta) - delta - later
                worth = ZCDP(float(rho)).to_approx(float(left)).epsilon
                assert epsilon + Fraction(worth) <= Fraction(limit.epsilon)


@pytest.mark.proof("ledger-basic-filter")
@pytest.mark.proof("ledger-zcdp-filter")
@pytest.mark.proof("ledger-stages")
@settings(deadline=None)
@given(limits, st.lists(charges, max_size=30))
def test_what_is_admitted_is_within_the_limit(limit, wishes):
    check_admission(limit, wishes, Rules())


GREEDY: list[Budget] = [
    Pure(1.0),
    Approx(1.0, 4e-7),
    *[ZCDP(0.0005)] * 200,
    *[Approx(0.01, 5e-8)] * 30,
    *[Pure(0.05)] * 30,
]


def free_deltas(charge: Budget, currency: Currency, scale: Scale) -> Cost | None:
    cost = price(charge, currency, scale)
    return Cost(cost.main, 0) if cost else None


def half_rho(charge: Budget, currency: Currency, scale: Scale) -> Cost | None:
    cost = price(charge, currency, scale)
    return Cost(cost.main // 2, cost.delta) if cost and currency == "rho" else cost


def forgetful(left: Cost, scale: Scale) -> Stage | None:
    """A turn that starts again from the whole limit."""
    return concentrated_rest(Cost(units_exactly(3.0, scale.main), left.delta), scale)


def twice(left: Cost, scale: Scale) -> Stage | None:
    """A turn that spends δ on the conversion and offers it to charges again."""
    stage = concentrated_rest(Cost(left.main, 2 * left.delta), scale)
    return replace(stage, delta=left.delta) if stage else None


@pytest.mark.parametrize(
    "rules", [Rules(price=free_deltas), Rules(price=half_rho), Rules(rest=forgetful), Rules(rest=twice)]
)
def test_mutant_rules_are_caught(rules):
    check_admission(Approx(3.0, 1e-6), GREEDY, Rules())
    with pytest.raises(AssertionError):
        check_admission(Approx(3.0, 1e-6), GREEDY, rules)


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(limits, st.lists(charges, max_size=12))
def test_the_books_admit_exactly_what_the_rules_admit(file_ledger, limit, wishes):
    account = file_ledger.open(f"a{len(file_ledger.accounts())}", limit)
    taken = []
    for wish in wishes:
        try:
            account.run(wish, b"", lambda: b"")
        except BudgetExceeded:
            continue
        taken.append(wish)
    assert taken == list(itertools.chain(*admitted(limit, wishes, Rules())))
    file_ledger.verify()


# An analyst who adapts, computed exactly: randomised responses with losses ±ε under a limit (E, D).


def losses_of_response(epsilon: float) -> list[tuple[float, float, float]]:
    """Outcomes of randomised response on one table: loss, probability there, probability on the neighbour."""
    likely, unlikely = 1 / (1 + math.exp(-epsilon)), 1 / (1 + math.exp(epsilon))
    return [(epsilon, likely, unlikely), (-epsilon, unlikely, likely)]


def responses(epsilon: float, count: int) -> list[tuple[float, float]]:
    """The loss and its probability after `count` independent responses."""
    yes, no = -math.log1p(math.exp(-epsilon)), -math.log1p(math.exp(epsilon))
    ways = [math.lgamma(count + 1) - math.lgamma(k + 1) - math.lgamma(count - k + 1) for k in range(count + 1)]
    return [((2 * k - count) * epsilon, math.exp(ways[k] + k * yes + (count - k) * no)) for k in range(count + 1)]


def excess(losses: list[tuple[float, float]], epsilon: float) -> float:
    """The smallest δ for this ε: E(1 − e^(ε − L))₊."""
    return math.fsum(p * -math.expm1(epsilon - loss) for loss, p in losses if loss > epsilon)


def check_adaptive(limit: Approx, opening: float, small: float, rest: Callable[[Cost, Scale], Stage | None]) -> None:
    """Ask once; if the answer was telling turn to many small questions, otherwise lose δ by a coin: within (E, D)?"""
    whole = first_stage(limit)
    first = price(Pure(opening), "epsilon", whole.scale)
    assert first is not None
    stage = rest(Cost(whole.main - first.main, whole.delta), whole.scale)
    assert stage is not None
    cost = price(Pure(small), "rho", stage.scale)
    assert cost is not None
    count = stage.main // cost.main
    coins = amount_down(stage.delta, stage.scale.delta)  # lost after the small questions, too
    total = 0.0
    for loss, probability, _ in losses_of_response(opening):
        if loss > 0:
            path = [(loss + later, p) for later, p in responses(small, count)]
            total += probability * (coins + (1 - coins) * excess(path, limit.epsilon))
        else:
            total += probability * limit.delta
    assert total <= limit.delta * (1 + 1e-9)


@pytest.mark.proof("ledger-stages")
@pytest.mark.parametrize("limit", [Approx(1.0, 1e-3), Approx(3.0, 1e-6), Approx(0.5, 1e-2)])
@pytest.mark.parametrize("opening", [0.01, 0.2, 0.4])
def test_an_analyst_who_turns_when_it_pays_stays_within_the_limit(limit, opening):
    check_adaptive(limit, opening, 0.01, concentrated_rest)


def test_mutant_turn_is_caught_by_the_adaptive_analyst():
    def unaware(left: Cost, scale: Scale) -> Stage | None:
        stage = concentrated_rest(Cost(left.main + units_up(0.4, scale.main), left.delta), scale)
        return replace(stage, delta=left.delta) if stage else None

    with pytest.raises(AssertionError):
        check_adaptive(Approx(0.5, 1e-2), 0.4, 0.01, unaware)


def test_charges_fixed_beforehand_are_worth_less(file_ledger):
    account = file_ledger.open("a", limit=Approx(5.0, 1e-6))
    for _ in range(30):
        account.run(0.1, b"", lambda: b"")
    planned = account.planned(1e-6)
    assert excess(responses(0.1, 30), planned) <= 1e-6
    assert excess(responses(0.1, 30), planned - 0.02) > 1e-6
    account.reserve(1.0).store(b"", paid=ExPost(0.125, 0.125))
    assert account.planned(1e-6) == pytest.approx(planned + 0.25)
    account.run(ZCDP(0.01), b"", lambda: b"")
    assert planned + 0.25 < account.planned(1e-6) < account.spent.epsilon


def test_planned_counts_the_delta_of_settled_charges(file_ledger):
    account = file_ledger.open("a", limit=Approx(5.0, 1e-3))
    account.run(0.5, b"", lambda: b"")
    before = account.planned(2e-4)
    account.reserve(Approx(1.0, 1e-4)).store(b"", paid=ExPost(0.125, 0.125, 1e-4))
    assert account.planned(1e-9) == account.planned(1e-4) == math.inf
    assert account.planned(2e-4) >= before + 0.25
    assert account.planned(2e-4) == pytest.approx(planned_epsilon([Pure(0.5)], 1e-4) + 0.25)
    account.reserve(Approx(1.0, 1e-4)).store(b"", paid=ExPost(0.125, 0.125))
    assert account.planned(2e-4) == pytest.approx(planned_epsilon([Pure(0.5)], 1e-4) + 0.5)


def test_a_settlement_written_without_delta_kept_what_was_reserved():
    lines = [("charge", '["Approx", 1.0, 0.0001]'), ("settle", '["ExPost", 0.125, 0.125]')]
    events = [Event(i, kind, "a", "", "k", "", 0, 0, loss, "", "", "", "", "") for i, (kind, loss) in enumerate(lines)]
    assert planned_spending(events, "", 1e-4) == 0.25
    assert planned_spending(events, "", 9e-5) == math.inf


def test_other_currencies_have_no_price(ledger):
    pure = ledger.open("pure", limit=1.0)
    for charge in (ZCDP(1e-6), Approx(0.1, 1e-9)):
        with pytest.raises(BudgetExceeded):
            pure.run(charge, b"", lambda: b"")
    concentrated = ledger.open("zcdp", limit=ZCDP(1.0))
    with pytest.raises(BudgetExceeded):
        concentrated.run(Approx(0.1, 1e-9), b"", lambda: b"")
    concentrated.run(Pure(0.5), b"", lambda: b"")
    assert concentrated.spent.rho == pytest.approx(0.5 * math.tanh(0.25))


def test_an_approximate_limit_takes_every_currency(ledger):
    account = ledger.open("a", limit=Approx(3.0, 1e-6))
    account.run(Approx(1.0, 1e-7), b"", lambda: b"")
    account.run(Pure(0.5), b"", lambda: b"")
    assert (account.spent.epsilon, account.spent.rho) == (1.5, None)
    account.run(ZCDP(0.01), b"", lambda: b"")
    account.run(Approx(0.01, 1e-8), b"", lambda: b"")
    account.run(Pure(0.01), b"", lambda: b"")
    assert 1.5 < account.spent.epsilon < 3.0
    assert account.spent.delta < 1e-6
    largest = account.remaining.rho
    account.run(ZCDP(largest), b"", lambda: b"")
    assert account.remaining.rho < 1e-15
    assert account.spent.epsilon <= 3.0
    ledger.verify()


def test_the_whole_of_an_approximate_limit_can_be_one_charge(ledger):
    account = ledger.open("a", limit=Approx(1.0, 1e-6))
    account.run(Approx(1.0, 1e-6), b"", lambda: b"")
    assert str(account.remaining) == "ε = 0"
