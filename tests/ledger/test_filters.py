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
from tacit.ledger import Ledger
from tacit.ledger.chain import Event
from tacit.ledger.filters import Stage, concentrated_rest, first_stage, price
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
        cost = price(largest, stage)
        assert cost is not None
        assert stage.main + cost.main < 2**63
        assert stage.delta + cost.delta < 2**63


@pytest.mark.proof("ledger-units")
@given(limits)
def test_one_charge_may_be_the_whole_limit(limit):
    stage = first_stage(limit)
    assert price(limit, stage) == Cost(stage.main, stage.delta)


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

    price: Callable[[Budget, Stage], Cost | None] = price
    rest: Callable[[Cost, Scale, float], Stage | None] = concentrated_rest


def admitted(limit: Budget, wishes: list[Budget], rules: Rules) -> list[list[Budget]]:
    """The charges admitted before and after the turn, by the arithmetic of the books without a database."""
    stage, main, delta = first_stage(limit), 0, 0
    taken: list[list[Budget]] = [[], []]
    for wish in wishes:
        cost = rules.price(wish, stage)
        now, left = stage, Cost(stage.main - main, stage.delta - delta)
        if cost is None:
            rest = rules.rest(left, stage.scale, wish.amount)
            if rest is None:
                continue
            now, left, cost = rest, Cost(rest.main, rest.delta), rules.price(wish, rest)
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
    """Σε, Σδ before the turn and what came after it are worth no more than the limit, by arithmetic of its own."""
    before, after = admitted(limit, wishes, rules)
    epsilon = exactly([x.epsilon for x in before if not isinstance(x, ZCDP)])
    delta = exactly([x.delta for x in before if isinstance(x, Approx)])
    rho = exactly([own_rho(x) for x in after])
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
            if after:
                left = float(Fraction(limit.delta) - delta - later)
                assert left > 0
                worth = min(worth_at(order, after, left) for order in ORDERS)
                assert float(epsilon) + worth <= limit.epsilon * (1 + 1e-4)  # the orders are 0.5 % apart


ORDERS = [1 + 1.005**k for k in range(-400, 3000)]


def own_rho(charge: Budget) -> float:
    """ρ of a charge, a hair below the truth."""
    pure = charge.amount * math.tanh(charge.amount / 2) * (1 - 1e-12)
    return charge.amount if isinstance(charge, ZCDP) else pure


def worth_at(order: float, charges: list[Budget], delta: float) -> float:
    """ε at this δ of charges by the sum of their Rényi divergences of one order: αρ, and ε if that is less."""
    sums = math.fsum(order * own_rho(x) if isinstance(x, ZCDP) else min(order * own_rho(x), x.amount) for x in charges)
    return sums - math.log(order * delta) / (order - 1) + math.log1p(-1 / order)


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


MIXED: list[Budget] = [ZCDP(0.001), *[Pure(0.3)] * 20]
NEARLY_ALL = Approx(3.0, 1e-6).zcdp_within().share(0.98)  # fits only if all of δ pays for the conversion


def free_deltas(charge: Budget, stage: Stage) -> Cost | None:
    cost = price(charge, stage)
    return Cost(cost.main, 0) if cost else None


def half_rho(charge: Budget, stage: Stage) -> Cost | None:
    cost = price(charge, stage)
    return Cost(cost.main // 2, cost.delta) if cost and stage.currency == "rho" else cost


def twice_the_order(charge: Budget, stage: Stage) -> Cost | None:
    """A pure ε booked at another order than the one the conversion was certified at."""
    return price(charge, replace(stage, excess=2 * stage.excess) if stage.excess else stage)


def forgetful(left: Cost, scale: Scale, rho: float) -> Stage | None:
    """A turn that starts again from the whole limit."""
    return concentrated_rest(Cost(units_exactly(3.0, scale.main), left.delta), scale, rho)


def twice(left: Cost, scale: Scale, rho: float) -> Stage | None:
    """A turn that spends δ on the conversion and offers it to charges again."""
    stage = concentrated_rest(Cost(left.main, 2 * left.delta), scale, rho)
    return replace(stage, delta=left.delta) if stage else None


def keeps_the_pool(left: Cost, scale: Scale, rho: float) -> Stage | None:
    """A turn that may take all of δ for the conversion and keeps half of it for charges all the same."""
    stage = concentrated_rest(left, scale, rho)
    return replace(stage, delta=max(stage.delta, left.delta // 2)) if stage else None


@pytest.mark.parametrize(
    ("rules", "wishes"),
    [
        (Rules(price=free_deltas), GREEDY),
        (Rules(price=half_rho), GREEDY),
        (Rules(price=half_rho), MIXED),
        (Rules(price=twice_the_order), MIXED),
        (Rules(rest=forgetful), GREEDY),
        (Rules(rest=twice), GREEDY),
        (Rules(rest=keeps_the_pool), [NEARLY_ALL, Approx(1e-6, 5e-7)]),
    ],
)
def test_mutant_rules_are_caught(rules, wishes):
    check_admission(Approx(3.0, 1e-6), wishes, Rules())
    with pytest.raises(AssertionError):
        check_admission(Approx(3.0, 1e-6), wishes, rules)


@pytest.mark.proof("ledger-stages")
@pytest.mark.parametrize("limit", [Approx(1.0, 1e-6), Approx(0.3, 1e-9), Approx(8.0, 1e-3)])
def test_a_rho_calibrated_to_the_whole_limit_fits_an_empty_account(ledger, limit):
    account = ledger.open("a", limit=limit)
    account.run(limit.zcdp_within(), b"", lambda: b"")
    assert limit.epsilon * (1 - 1e-9) <= account.spent.epsilon <= limit.epsilon
    assert account.spent.delta == limit.delta
    with pytest.raises(BudgetExceeded):
        account.run(ZCDP(1e-9), b"", lambda: b"")
    ledger.verify()
    Ledger(ledger.url)


@pytest.mark.proof("ledger-stages")
def test_halves_of_a_limit_fit_in_two_currencies(ledger):
    half = Approx(0.5, 5e-7)
    account = ledger.open("first in ε", limit=Approx(1.0, 1e-6))
    account.run(half, b"", lambda: b"")
    account.run(half.zcdp_within(), b"", lambda: b"")
    assert account.spent.epsilon <= 1.0
    several = ledger.open("all in ρ", limit=Approx(1.0, 1e-6))
    for _ in range(3):  # in ρ more than two of them fit, although half of δ was put aside
        several.run(half.zcdp_within(), b"", lambda: b"")
    ledger.verify()


@pytest.mark.proof("ledger-zcdp-filter")
def test_after_the_turn_a_pure_charge_costs_at_most_its_share_of_the_order(ledger):
    account = ledger.open("a", limit=Approx(3.0, 1e-6))
    account.run(ZCDP(0.001), b"", lambda: b"")
    before = account.remaining
    assert before.epsilon > 1.0 > ZCDP(before.rho).pure_within().epsilon  # by its ρ alone no ε = 1 would fit
    account.run(Pure(before.epsilon), b"", lambda: b"")
    assert account.remaining.rho < 1e-15
    assert account.spent.epsilon <= 3.0
    ledger.verify()


@pytest.mark.proof("ledger-zcdp-filter")
@pytest.mark.parametrize("order", [1.5, 4.0, 11.0, 60.0])
@pytest.mark.parametrize("epsilon", [0.05, 1.0, 4.0])
def test_the_divergence_of_a_response_is_within_both_prices(order, epsilon):
    """Rényi divergence of randomised response: at most ε and at most α ε tanh(ε/2), whichever the books take."""
    likely = 1 / (1 + math.exp(-epsilon))
    power = likely**order * (1 - likely) ** (1 - order) + (1 - likely) ** order * likely ** (1 - order)
    divergence = math.log(power) / (order - 1)
    assert divergence <= min(epsilon, order * epsilon * math.tanh(epsilon / 2)) * (1 + 1e-12)


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


Rest = Callable[[Cost, Scale, float], Stage | None]


def check_adaptive(limit: Approx, opening: float, small: float, rest: Rest) -> None:
    """Ask once; if the answer was telling turn to many small questions, otherwise lose δ by a coin: within (E, D)?"""
    whole = first_stage(limit)
    first = price(Pure(opening), whole)
    assert first is not None
    stage = rest(Cost(whole.main - first.main, whole.delta), whole.scale, 1e-9)
    assert stage is not None
    cost = price(Pure(small), stage)
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
@pytest.mark.parametrize("small", [0.01, 0.15])
def test_an_analyst_who_turns_when_it_pays_stays_within_the_limit(limit, opening, small):
    check_adaptive(limit, opening, small, concentrated_rest)


def test_mutant_turn_is_caught_by_the_adaptive_analyst():
    def unaware(left: Cost, scale: Scale, rho: float) -> Stage | None:
        stage = concentrated_rest(Cost(left.main + units_up(0.4, scale.main), left.delta), scale, rho)
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
    for charge, foreign in ((ZCDP(1e-6), "ρ"), (Approx(0.1, 1e-9), "δ")):
        with pytest.raises(BudgetExceeded, match=rf"no charge with a {foreign} fits it, however small.*Approx\(ε, δ\)"):
            pure.run(charge, b"", lambda: b"")
    concentrated = ledger.open("zcdp", limit=ZCDP(1.0))
    with pytest.raises(BudgetExceeded, match="no charge with a δ fits it, however small"):
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
