"""Reservations: ex-post mechanisms settle down to what they paid, and nothing else does."""

import contextlib
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tacit.errors import LedgerError, ParameterError
from tacit.ledger import books
from tacit.privacy import ZCDP, Approx, ExPost, Pure


@pytest.mark.proof("ledger-ex-post")
def test_an_ex_post_mechanism_reserves_its_maximum_and_pays_its_loss(ledger):
    account = ledger.open("a", limit=5.0)
    with account.reserve(Pure(4.0), b"query") as reservation:
        assert account.spent.epsilon == 4.0
        assert reservation.store(b"model") == b"model"
        assert account.spent.epsilon == 4.0
        reservation.settle(ExPost(0.25, 0.5))
    assert account.spent.epsilon == 0.75
    ledger.verify()


@pytest.mark.proof("ledger-ex-post")
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(losses=st.lists(st.tuples(st.floats(0, 0.5), st.floats(0, 0.5)), max_size=8))
def test_settlements_never_fall_below_what_was_paid(file_ledger, losses):
    account = file_ledger.open(f"a{len(file_ledger.accounts())}", limit=20.0)
    for test, hypothesis in losses:
        with account.reserve(1.0) as reservation:
            reservation.store(b"model", paid=ExPost(test, hypothesis))
    paid = sum((Fraction(ExPost(*loss).total) for loss in losses), Fraction(0))
    assert paid <= Fraction(account.spent.epsilon) <= paid + Fraction(len(losses) + 1, 2**50)


def test_store_and_settle_are_one_step(ledger):
    account = ledger.open("a", limit=5.0)
    account.reserve(4.0, key="k").store(b"model", paid=ExPost(0.5, 0.5))
    assert account.reserve(4.0, key="k").released == b"model"
    assert account.spent.epsilon == 1.0


@pytest.mark.proof("ledger-ex-post")
def test_only_the_run_whose_release_is_stored_may_settle(ledger):
    account = ledger.open("a", limit=5.0)
    winner = account.reserve(4.0, key="k")
    assert winner.store(b"dear") == b"dear"
    replay = account.reserve(4.0, key="k")
    assert replay.store(b"cheap", paid=ExPost(0, 0.1)) == b"dear"
    replay.settle(ExPost(0, 0.1))
    assert account.spent.epsilon == 4.0
    winner.settle(ExPost(1, 1))
    assert account.spent.epsilon == 2.0
    ledger.verify()


def test_a_loss_is_settled_once(ledger):
    account = ledger.open("a", limit=5.0)
    reservation = account.reserve(4.0)
    reservation.store(b"model", paid=ExPost(1, 1))
    with pytest.raises(LedgerError, match="settled before"):
        reservation.settle(ExPost(0, 0.1))
    assert account.spent.epsilon == 2.0


def test_a_loss_above_the_reservation_is_a_defect_and_gives_nothing_back(ledger):
    account = ledger.open("a", limit=5.0)
    reservation = account.reserve(1.0)
    with pytest.raises(LedgerError, match="more than it reserved"):
        reservation.settle(ExPost(0.5, 0.75))
    assert account.spent.epsilon == 1.0
    ledger.verify()


@pytest.mark.proof("ledger-ex-post")
@pytest.mark.parametrize(
    ("reserved", "paid"),
    [
        (Approx(1.0, 1e-7), ExPost(0, 0.5, 1e-6)),
        (Pure(1.0), ExPost(0, 0.5, 1e-9)),
        (ZCDP(0.01), ExPost(0, 0.1, 1e-9)),
        (Approx(1.0, 1e-7), ExPost(0.5, 0.75, 1e-7)),
    ],
)
def test_more_delta_than_was_reserved_is_a_defect_too(ledger, reserved, paid):
    account = ledger.open("a", limit=Approx(5.0, 1e-5))
    reservation = account.reserve(reserved)
    spent = account.spent
    with pytest.raises(LedgerError, match="more than it reserved"):
        reservation.settle(paid)
    assert account.spent == spent
    account.reserve(Approx(1.0, 1e-7)).settle(ExPost(0, 0.5, 1e-7))
    ledger.verify()


@pytest.mark.parametrize("paid", [Pure(0.1), 0.1, None, Approx(0.1, 1e-9)])
def test_nothing_but_an_ex_post_loss_settles(ledger, paid):
    account = ledger.open("a", limit=5.0)
    with pytest.raises(ParameterError, match="only an ExPost loss"):
        account.reserve(1.0).settle(paid)
    assert account.spent.epsilon == 1.0


@pytest.mark.proof("ledger-ex-post")
def test_in_rho_and_for_delta_nothing_comes_down(ledger):
    concentrated = ledger.open("z", limit=ZCDP(1.0))
    before = concentrated.reserve(1.0)
    spent = concentrated.spent
    before.settle(ExPost(0, 0.1))
    assert concentrated.spent == spent
    approximate = ledger.open("a", limit=Approx(5.0, 1e-6))
    approximate.reserve(Approx(2.0, 1e-7)).settle(ExPost(0, 0.5))
    assert approximate.spent.epsilon == 0.5
    assert approximate.spent.delta >= 1e-7
    ledger.verify()


@pytest.mark.proof("ledger-stages")
def test_a_reservation_from_before_the_turn_stays_at_its_maximum(ledger):
    account = ledger.open("a", limit=Approx(5.0, 1e-6))
    early = account.reserve(2.0)
    account.run(ZCDP(0.01), b"", lambda: b"gaussian")
    spent = account.spent
    early.settle(ExPost(0, 0.1))
    assert account.spent == spent
    ledger.verify()


def test_a_block_that_ends_without_a_stored_release_closes_its_key(ledger):
    account = ledger.open("a", limit=5.0)
    with account.reserve(1.0, key="k"):
        pass
    with pytest.raises(LedgerError, match="use a new key"):
        account.reserve(1.0, key="k")
    assert account.spent.epsilon == 1.0
    ledger.verify()


@pytest.mark.proof("ledger-protocol")
def test_a_block_that_fails_closes_its_key(ledger):
    account = ledger.open("a", limit=5.0)
    with pytest.raises(ZeroDivisionError), account.reserve(1.0, key="k") as reservation:
        raise ZeroDivisionError
    with pytest.raises(LedgerError, match="closed without a stored release"):
        reservation.store(b"after all")
    with pytest.raises(LedgerError, match="closed without a release"):
        account.reserve(1.0, key="k")
    assert account.spent.epsilon == 1.0


def test_a_block_that_fails_after_its_release_was_stored_keeps_it(ledger):
    account = ledger.open("a", limit=5.0)
    with contextlib.suppress(ZeroDivisionError), account.reserve(1.0, key="k") as reservation:
        reservation.store(b"done")
        raise ZeroDivisionError
    assert account.reserve(1.0, key="k").released == account.fetch("k") == b"done"


def full(*args: object, **options: object) -> None:
    """Stands for a database that cannot write."""
    raise LedgerError("the disk is full")


def test_storing_may_be_repeated_when_the_database_failed(ledger, monkeypatch):
    account = ledger.open("a", limit=5.0)
    reservation = account.reserve(1.0, key="k")
    monkeypatch.setattr(books, "append", full)
    with pytest.raises(LedgerError, match="disk is full"):
        reservation.store(b"computed once")
    monkeypatch.undo()
    assert reservation.store(b"computed once") == account.fetch("k") == b"computed once"


def test_an_error_is_told_also_where_its_key_could_not_be_closed(ledger, monkeypatch):
    account = ledger.open("a", limit=5.0)
    reservation = account.reserve(1.0, key="k")
    monkeypatch.setattr(books, "append", full)
    with pytest.raises(ZeroDivisionError), reservation:
        raise ZeroDivisionError
    with pytest.raises(LedgerError, match="use a new key"):
        account.reserve(1.0, key="k")


def test_a_settled_block_needs_no_stored_release(ledger):
    account = ledger.open("a", limit=5.0)
    with account.reserve(Pure(4.0), key="k") as reservation:
        reservation.settle(ExPost(0.5, 0.5))
    assert account.spent.epsilon == 1.0
    with pytest.raises(LedgerError, match="use a new key"):
        account.reserve(Pure(4.0), key="k")


def test_a_closed_key_stores_nothing(ledger):
    account = ledger.open("a", limit=5.0)
    reservation = account.reserve(Pure(4.0))
    reservation.settle(ExPost(0.5, 0.5))
    with pytest.raises(LedgerError, match="store before you settle"):
        reservation.store(b"model")
    ledger.verify()


def test_storing_again_returns_the_first_release(ledger):
    account = ledger.open("a", limit=5.0)
    reservation = account.reserve(Pure(4.0))
    assert reservation.store(b"one") == reservation.store(b"two", paid=ExPost(0, 0.1)) == b"one"
    assert account.spent.epsilon == 4.0
    reservation.settle(ExPost(1, 1))
    assert account.spent.epsilon == 2.0
