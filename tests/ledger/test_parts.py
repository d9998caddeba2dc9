"""Disjoint, declared parts of a dataset are charged side by side."""

from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tacit.errors import BudgetExceeded, ParameterError
from tacit.ledger import Ledger
from tacit.privacy import ZCDP, Approx

PARTS = ["north", "south", "west"]
wishes = st.lists(st.tuples(st.sampled_from(["", *PARTS]), st.floats(0.01, 0.7)), max_size=25)


def spend(ledger: Ledger, wishes: list[tuple[str, float]], limit: float, declare: list[str]) -> list[tuple[str, float]]:
    """The charges that were accepted; a part that is not declared is charged as its own account, which is wrong."""
    name = f"a{len(ledger.accounts())}"
    whole = ledger.open(name, limit, parts=declare)
    taken = []
    for part, epsilon in wishes:
        if not part or part in declare:
            account = whole.part(part) if part else whole
        else:
            account = ledger.open(f"{name}-{part}", limit)
        try:
            account.run(epsilon, b"", lambda: b"")
        except BudgetExceeded:
            continue
        taken.append((part, epsilon))
    return taken


def check_everybody_is_within(taken: list[tuple[str, float]], limit: float) -> None:
    """A person in a part loses what was charged to the whole and to that part."""
    for part in PARTS:
        assert sum(Fraction(e) for where, e in taken if where in ("", part)) <= Fraction(limit)


@pytest.mark.proof("ledger-parts")
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(wishes)
def test_nobody_in_any_part_loses_more_than_the_limit(file_ledger, wishes):
    check_everybody_is_within(spend(file_ledger, wishes, 2.0, PARTS), 2.0)
    file_ledger.verify()


def test_mutant_that_counts_a_part_alone_is_caught(file_ledger):
    wishes = [("", 0.75), ("", 0.75), ("north", 0.75)]
    check_everybody_is_within(spend(file_ledger, wishes, 2.0, PARTS), 2.0)
    with pytest.raises(AssertionError):
        check_everybody_is_within(spend(file_ledger, wishes, 2.0, []), 2.0)


@pytest.mark.proof("ledger-parts")
def test_parts_cost_their_largest_sum_on_top_of_the_whole(ledger):
    account = ledger.open("a", limit=2.0, parts=PARTS)
    account.run(0.5, b"", lambda: b"")
    account.part("north").run(1.0, b"", lambda: b"")
    account.part("south").run(1.25, b"", lambda: b"")
    assert account.spent.epsilon == 1.75
    assert account.part("north").spent.epsilon == 1.5
    assert account.part("west").remaining.epsilon == 1.5
    with pytest.raises(BudgetExceeded, match=r"has ε = 0.25 left"):
        account.run(0.5, b"", lambda: b"")
    assert account.part("north").spent.epsilon == 1.5
    account.part("west").run(1.5, b"", lambda: b"")
    ledger.verify()


@pytest.mark.proof("ledger-stages")
def test_a_part_turns_the_account_with_the_largest_sums(ledger):
    account = ledger.open("a", limit=Approx(3.0, 1e-6), parts=PARTS)
    account.part("north").run(2.0, b"", lambda: b"")
    account.part("south").run(Approx(0.5, 5e-7), b"", lambda: b"")
    account.part("west").run(ZCDP(0.01), b"", lambda: b"")
    assert account.part("west").spent.epsilon > 2.0
    assert account.part("west").spent.delta == pytest.approx(7.5e-7)
    assert account.part("north").spent.rho == 0.0
    ledger.verify()


def test_parts_are_declared_at_the_opening(ledger):
    account = ledger.open("a", limit=2.0, parts=PARTS)
    with pytest.raises(ParameterError, match="declares the parts"):
        account.part("east")
    for parts in ("north", ["north", "north"]):
        with pytest.raises(ParameterError, match="different names"):
            ledger.open("b", limit=2.0, parts=parts)
