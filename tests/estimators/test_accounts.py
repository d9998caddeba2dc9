"""Fits under an account: charged before a row is read, released only as stored."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from estimators_support import CASES, people, schema
from tacit import Ledger, PrivateLogisticRegression, PrivateRidge, Pure
from tacit.errors import BudgetExceeded
from tacit.estimators import payment
from tacit.ledger import Account
from tacit.privacy import ZCDP, Approx
from tacit.rows import Rows


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path / "budget.db")


class Read(Exception):
    """A row was asked for."""


def forbid_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    def total(rows: Rows, kernel: object) -> object:
        raise Read

    monkeypatch.setattr(Rows, "total", total)


@pytest.mark.parametrize(("kind", "options", "target"), CASES.values(), ids=CASES)
def test_no_row_is_read_beyond_the_budget(
    kind: Any, options: dict[str, Any], target: str, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    account = ledger.open("people", limit=Pure(0.5))
    forbid_reading(monkeypatch)
    model = kind(privacy=1.0, domain=schema(target), ledger=account, **options)
    with pytest.raises(BudgetExceeded):
        model.fit(people(target=target))
    assert account.spent.epsilon == 0
    assert not hasattr(model, "coef_")
    with pytest.raises(Read):  # and the trap works: within the budget rows would have been read
        model.set_params(privacy=0.25).fit(people(target=target))


def test_a_charge_outlives_a_crash(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """The charge is durable before reading starts, so a fit that dies has been paid for."""
    account = ledger.open("people", limit=Pure(1.0))
    forbid_reading(monkeypatch)
    with pytest.raises(Read):
        PrivateRidge(privacy=0.75, domain=schema("real"), ledger=account).fit(people(target="real"))
    assert account.spent.epsilon == 0.75


def test_every_fit_is_a_new_release(ledger: Ledger) -> None:
    account = ledger.open("people", limit=Pure(2.0))
    model = PrivateLogisticRegression(privacy=1.0, domain=schema(), ledger=account)
    first = model.fit(people()).encoded_coef_
    second = model.fit(people()).encoded_coef_
    assert not np.array_equal(first, second)
    assert account.spent.epsilon == 2.0
    with pytest.raises(BudgetExceeded):
        model.fit(people())
    assert np.array_equal(model.encoded_coef_, second)


@pytest.mark.parametrize("budget", [Pure(1.0), ZCDP(0.1), Approx(1.0, 1e-6)], ids=str)
def test_certificate_names_the_entry(budget: Any, ledger: Ledger) -> None:
    account = ledger.open("people", limit=Approx(3.0, 1e-5))
    model = PrivateLogisticRegression(privacy=budget, domain=schema("classes"), ledger=account)
    model.fit(people(target="classes"))
    charge = next(event for event in account.entries() if event.kind == "charge")
    assert model.certificate_.ledger == f"account 'people', entry {charge.key}"
    assert model.certificate_.ledger in str(model.certificate_)


def test_stored_bytes_are_what_is_returned(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """What leaves a fit is what the account stored, bit for bit; a key that has released releases the same again."""
    account = ledger.open("people", limit=Pure(5.0))
    kept: list[bytes] = []
    encode = payment._to_bytes

    def keeping(releases: Any) -> bytes:
        kept.append(encode(releases))
        return kept[-1]

    monkeypatch.setattr(payment, "_to_bytes", keeping)
    model = PrivateRidge(privacy=1.0, domain=schema("real"), ledger=account).fit(people(target="real"))
    (release,) = payment._from_bytes(kept[0])
    assert np.array_equal(model.encoded_coef_[0], release.theta)
    once = account.run(1.0, b"query", lambda: kept[0], key="again")
    assert account.run(1.0, b"query", lambda: pytest.fail("computed twice"), key="again") == once
    assert account.spent.epsilon == 2.0


def test_accounts_survive_cloning(ledger: Ledger) -> None:
    from sklearn.base import clone

    account: Account = ledger.open("people", limit=Pure(5.0))
    assert clone(PrivateRidge(ledger=account)).ledger is account


def test_a_fit_tried_again_with_its_key_is_the_same_release_and_costs_nothing(ledger: Ledger) -> None:
    account = ledger.open("survey", limit=Pure(1.5))
    X, y = np.linspace(-1, 1, 40).reshape(-1, 2) / 2, np.arange(20) % 2
    fits = [PrivateLogisticRegression(privacy=1.0, ledger=account.keyed("job 1")).fit(X, y) for _ in range(2)]
    assert np.array_equal(fits[0].coef_, fits[1].coef_)
    assert account.spent.epsilon == pytest.approx(1.0)
    handle = pickle.loads(pickle.dumps(account.keyed("job 1")))  # noqa: S301
    again = PrivateLogisticRegression(privacy=1.0, ledger=handle).fit(X, y)
    assert np.array_equal(again.coef_, fits[0].coef_)
    with pytest.raises(BudgetExceeded):
        PrivateLogisticRegression(privacy=1.0, ledger=account.keyed("job 2")).fit(X, y)
