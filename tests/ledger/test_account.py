"""An account does what its protocol promises, on both databases."""

import contextlib
import os
from collections.abc import Callable

import pytest

from tacit.errors import BudgetExceeded, LedgerError, ParameterError
from tacit.ledger import Account, Ledger, books
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


def check_every_computation_is_paid(ledger: Ledger, run: Run, tries: int = 5) -> None:
    """A randomised response raises on one of its outcomes and is run again and again under one key.

    P(it raises j times) is p^j on one table and q^j on the other, log(p/q) = ε = 1: the loss of what is seen is as
    many times ε as computations were started, whether or not anything was released.
    """
    account = ledger.open("a", limit=10.0)
    started = []

    def raise_on_the_telling_outcome() -> bytes:
        started.append("yes")
        raise Broken

    for _ in range(tries):
        with contextlib.suppress(Broken, LedgerError):
            run(account, raise_on_the_telling_outcome, "job")
    assert started
    assert account.spent.epsilon >= len(started) * 1.0


def plain_run(account: Account, compute: Callable[[], bytes], key: str) -> bytes:
    return account.run(1.0, b"", compute, key)


@pytest.mark.proof("ledger-protocol")
def test_an_error_is_never_refunded_and_never_tried_again(ledger):
    check_every_computation_is_paid(ledger, plain_run)
    with pytest.raises(LedgerError, match=r"closed without a release.*new key, which is charged anew"):
        ledger.account("a").run(1.0, b"", lambda: b"second try", key="job")
    assert ledger.account("a").spent.epsilon == 1.0
    ledger.verify()


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_an_interruption_closes_the_key_too(ledger, error):
    def stopped() -> bytes:
        raise error

    account = ledger.open("a", limit=5.0)
    with pytest.raises(error):
        account.run(1.0, b"", stopped, key="job")
    with pytest.raises(LedgerError, match="closed without a release"):
        account.run(1.0, b"", fail, key="job")


def test_mutant_that_tries_an_open_key_again_is_caught(ledger, monkeypatch):
    """What would go unbooked: five looks at a randomised response for the price of one."""

    def run_again_if_it_failed(account: Account, compute: Callable[[], bytes], key: str) -> bytes:
        monkeypatch.setattr(books, "_release", lambda db, key: None)
        return account.reserve(1.0, b"", key).store(compute())

    with pytest.raises(AssertionError):
        check_every_computation_is_paid(ledger, run_again_if_it_failed)


@pytest.mark.proof("ledger-protocol")
def test_a_key_whose_process_died_is_not_computed_again(ledger):
    account = ledger.open("a", limit=5.0)
    account.reserve(1.0, b"", key="job")  # and then kill -9
    for run in (plain_run, lambda account, compute, key: account.reserve(1.0, b"", key).store(compute())):
        with pytest.raises(LedgerError, match="has no release: it is being computed, or the process"):
            run(account, lambda: pytest.fail("computed twice for one charge"), "job")
    assert account.spent.epsilon == 1.0


@pytest.mark.proof("ledger-protocol")
def test_two_runs_of_a_key_at_once_compute_once(ledger):
    account = ledger.open("a", limit=5.0)

    def meanwhile() -> bytes:
        with pytest.raises(LedgerError, match="is being computed"):
            account.run(1.0, b"", fail, key="job")
        return b"first"

    assert account.run(1.0, b"", meanwhile, key="job") == account.run(1.0, b"", fail, key="job") == b"first"


def test_mutant_that_refunds_on_error_is_caught(ledger):
    def refunding(account: Account, compute: Callable[[], bytes], key: str) -> bytes:
        reservation = account.reserve(1.0, b"", key)
        try:
            return reservation.store(compute())
        except Broken:
            reservation.settle(ExPost(0, 0))
            raise

    with pytest.raises(AssertionError):
        check_every_computation_is_paid(ledger, refunding)


def test_a_release_can_be_fetched(ledger):
    account = ledger.open("a", limit=Approx(5.0, 1e-6), parts=["north"])
    account.run(1.0, b"", lambda: bytes(range(256)), key="whole")
    account.part("north").run(1.0, b"", lambda: b"of the north", key="part")
    assert account.fetch("whole") == bytes(range(256))
    assert account.fetch("part") == account.part("north").fetch("part") == b"of the north"
    assert account.spent.epsilon == 2.0
    with pytest.raises(LedgerError, match="no charge under the key 'whole'"):
        account.part("north").fetch("whole")


def test_what_cannot_be_fetched_says_why(ledger):
    account = ledger.open("a", limit=5.0)
    ledger.open("b", limit=5.0).run(1.0, b"", lambda: b"x", key="of another account")
    account.reserve(1.0, b"", key="open")
    with account.reserve(1.0, b"", key="closed"):
        pass
    for key, finding in (
        ("unknown", "has no charge under the key 'unknown'"),
        ("of another account", "has no charge under"),
        ("open", "is being computed, or the process that computed it died"),
        ("closed", "closed without a release"),
    ):
        with pytest.raises(LedgerError, match=finding):
            account.fetch(key)


def test_a_charge_for_another_declaration_is_refused(ledger):
    account = ledger.open("a", limit=5.0, schema="5eed")
    for other in (None, "f00d"):
        with pytest.raises(ParameterError, match="opened for the declaration '5eed'"):
            account.run(1.0, b"", fail, schema=other)
    assert account.spent.epsilon == 0.0
    assert account.run(1.0, b"", lambda: b"x", schema="5eed") == b"x"
    assert ledger.open("any", limit=5.0).run(1.0, b"", lambda: b"y", schema="f00d") == b"y"


def test_nothing_spent_is_shown_as_nought(ledger):
    for name, limit in {"p": 1.0, "z": ZCDP(1.0), "a": Approx(1.0, 1e-6)}.items():
        account = ledger.open(name, limit=limit)
        assert "-" not in str(account.spent)
        account.run(limit, b"", lambda: b"")
        assert "-" not in str(account.remaining)


@pytest.mark.parametrize(
    "slip",
    [
        lambda ledger: ledger.open("b", limit="much"),
        lambda ledger: ledger.open("b", limit=1.0, schema=7),
        lambda ledger: ledger.open("b", limit=1.0, parts=[7]),
        lambda ledger: ledger.open("b", limit=1.0, parts=3),
        lambda ledger: ledger.open("a", limit=1.0).run(1.0, "text", fail),
        lambda ledger: ledger.open("a", limit=1.0).run(1.0, b"", fail, label=7),
        lambda ledger: ledger.open("a", limit=1.0).keyed(7),
        lambda ledger: ledger.open("a", limit=1.0).fetch(7),
        lambda ledger: ledger.open("a", limit=1.0).planned(0.0),
        lambda ledger: ledger.open("a", limit=1.0).planned("1e-6"),
        lambda ledger: ledger.account(7),
        lambda ledger: Ledger(None),
        lambda ledger: Ledger(ledger.url, timeout="long"),
        lambda ledger: Ledger(ledger.url, timeout=-1.0),
        lambda ledger: Ledger(ledger.url, expect_head=7),
    ],
)
def test_slips_have_our_own_errors(ledger, slip):
    with pytest.raises(ParameterError):
        slip(ledger)


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
