"""An account does what its protocol promises, on both databases."""

import os
from collections.abc import Callable

import pytest

from tacit.errors import BudgetExceeded, LedgerError, ParameterError
from tacit.ledger import Account, Ledger
from tacit.privacy import ZCDP, Approx, ExPost

Run = Callable[[Account, Callable[[], bytes], str], bytes]


class Broken(Exception):
    """What a failing computation raises."""


def fail() -> bytes:
    raise Broken


def test_a_release_is_charged_and_returned(ledger):
    account = ledger.open("a", limit=3.0)
    assert account.run(1.0, b"query", lambda: b"release") == b"release"
    assert account.spent.epsilon == 1.0
    assert account.remaining.epsilon == 2.0
    assert ledger.verify().charges == 1


def test_a_retried_key_returns_the_same_bytes_for_one_charge(ledger):
    account = ledger.open("a", limit=1.0)
    first = account.run(1.0, b"query", lambda: os.urandom(16), key="job-7")
    assert account.run(1.0, b"query", lambda: os.urandom(16), key="job-7") == first
    assert Ledger(ledger.url).account("a").run(1.0, b"query", fail, key="job-7") == first
    assert account.spent.epsilon == 1.0


def test_without_a_key_every_run_is_a_new_release(ledger):
    account = ledger.open("a", limit=1.0)
    assert account.run(0.5, b"q", lambda: b"one") != account.run(0.5, b"q", lambda: b"two")
    assert account.spent.epsilon == 1.0


OTHER_QUESTIONS = [
    (0.5, b"query", ""),
    (1.0, b"other", ""),
    (Approx(1.0, 1e-9), b"query", ""),
    (1.0, b"query", "north"),
]


@pytest.mark.parametrize(("charge", "query", "part"), OTHER_QUESTIONS)
def test_a_key_cannot_serve_another_question(ledger, charge, query, part):
    account = ledger.open("a", limit=Approx(5.0, 1e-6), parts=["north"])
    account.run(1.0, b"query", lambda: b"release", key="job-7")
    with pytest.raises(LedgerError, match="used before for another"):
        (account.part(part) if part else account).run(charge, query, fail, key="job-7")
    assert account.spent.epsilon == 1.0


def test_a_key_of_another_account_is_refused(ledger):
    ledger.open("a", limit=1.0).run(1.0, b"", lambda: b"x", key="k")
    with pytest.raises(LedgerError, match="used before"):
        ledger.open("b", limit=1.0).run(1.0, b"", fail, key="k")


def test_what_does_not_fit_is_refused_before_anything_runs(ledger):
    account = ledger.open("a", limit=1.0)
    account.run(0.75, b"", lambda: b"x")
    with pytest.raises(BudgetExceeded, match=r"ε = 0.5 does not fit account 'a', which has ε = 0.25 left"):
        account.run(0.5, b"", fail)
    assert account.run(0.25, b"", lambda: b"the rest") == b"the rest"
    assert account.remaining.epsilon == 0.0
    assert ledger.verify().charges == 2


@pytest.mark.proof("ledger-protocol")
def test_the_charge_is_durable_before_the_computation_starts(ledger):
    def look() -> bytes:
        with Ledger(ledger.url) as other:
            assert other.account("a").spent.epsilon == 1.0
        return b"seen"

    ledger.open("a", limit=1.0).run(1.0, b"", look)


def check_errors_cost(ledger: Ledger, run: Run) -> None:
    """A computation that fails has been paid for, and its key can finish the job without paying again."""
    account = ledger.open("a", limit=2.0)
    with pytest.raises(Broken):
        run(account, fail, "job")
    assert account.spent.epsilon == 1.0
    assert run(account, lambda: b"done", "job") == b"done"
    assert account.spent.epsilon == 1.0


@pytest.mark.proof("ledger-protocol")
def test_an_error_is_never_refunded(ledger):
    check_errors_cost(ledger, lambda account, compute, key: account.run(1.0, b"", compute, key))


def test_mutant_that_refunds_on_error_is_caught(ledger):
    def refunding(account: Account, compute: Callable[[], bytes], key: str) -> bytes:
        reservation = account.reserve(1.0, b"", key)
        try:
            return reservation.store(compute())
        except Broken:
            reservation.settle(ExPost(0, 0))
            raise

    with pytest.raises(AssertionError):
        check_errors_cost(ledger, refunding)


def test_a_release_must_be_bytes(ledger):
    account = ledger.open("a", limit=2.0)
    with pytest.raises(ParameterError, match="must be bytes"):
        account.run(1.0, b"", lambda: "text")
    assert account.spent.epsilon == 1.0


def test_terms_never_change(ledger):
    terms = {"limit": Approx(3.0, 1e-6), "schema": "sha256:ab", "parts": ["north", "south"]}
    assert ledger.open("a", **terms).name == ledger.open("a", **terms).name == "a"
    for change in ({"limit": 3.0}, {"limit": Approx(3.5, 1e-6)}, {"schema": None}, {"parts": ["north"]}):
        with pytest.raises(LedgerError, match=f"exists with other terms: {next(iter(change))}"):
            ledger.open("a", **(terms | change))
    assert ledger.accounts() == ["a"]


def test_an_account_that_does_not_exist_has_to_be_opened(ledger):
    with pytest.raises(LedgerError, match="no account 'a'"):
        ledger.account("a")


@pytest.mark.parametrize("name", ["", "two\nlines", "x" * 201, 7, "nul\0"])
def test_names_are_readable(ledger, name):
    with pytest.raises(ParameterError, match="printable"):
        ledger.open(name, limit=1.0)
    with pytest.raises(ParameterError, match="printable"):
        ledger.open("a", limit=1.0).run(1.0, b"", fail, key=name)


def test_names_may_be_in_any_language(ledger):
    account = ledger.open("données '26 — 数据", limit=1.0)
    account.run(1.0, b"", lambda: bytes(range(256)), key="ключ % ? {}")
    assert account.run(1.0, b"", fail, key="ключ % ? {}") == bytes(range(256))
    ledger.verify()


@pytest.mark.parametrize("url", ["mysql://host/db", ":memory:", ""])
def test_other_addresses_are_refused(url):
    with pytest.raises(ParameterError, match="sqlite:///path or postgresql://"):
        Ledger(url)


def test_the_history_is_a_frame(ledger):
    account = ledger.open("a", limit=ZCDP(1.0))
    account.run(0.5, b"", lambda: b"x", key="k", label="ridge, output perturbation")
    frame = account.history()
    assert list(frame["kind"]) == ["open", "charge", "store"]
    assert frame["label"].iloc[1] == "ridge, output perturbation"
    assert [event.hash for event in account.entries()] == list(frame["hash"])
    assert list(frame.index) == [1, 2, 3]
