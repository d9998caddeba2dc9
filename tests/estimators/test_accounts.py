"""Fits under an account: charged before a row is read, released only as stored, replayed as they were."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tacit
from estimators_support import EVERY, Fitted, people, schema
from tacit import Domain, Ledger, PrivateLogisticRegression, PrivateRidge, Pure
from tacit.errors import BudgetExceeded, LedgerError, ParameterError
from tacit.ledger import Account
from tacit.privacy import ZCDP, Approx
from tacit.rows import Rows


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path / "budget.db")


class Read(Exception):
    """A row was asked for."""


def test_a_charge_outlives_a_crash(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """The charge is durable before reading starts, so a fit that dies has been paid for, and its key pays no other."""
    account = ledger.open("people", limit=Pure(1.0)).keyed("job")

    def total(rows: Rows, kernel: object) -> object:
        raise Read

    monkeypatch.setattr(Rows, "total", total)
    model = PrivateRidge(privacy=0.75, domain=schema("real"), ledger=account)
    with pytest.raises(Read):
        model.fit(people(target="real"))
    assert account.spent.epsilon == 0.75
    with pytest.raises(LedgerError):
        model.fit(people(target="real"))


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


@pytest.mark.parametrize("case", EVERY, ids=str)
def test_the_ledger_stores_the_model_file_and_a_fit_is_read_from_it(
    case: Fitted, ledger: Ledger, tmp_path: Path
) -> None:
    """What leaves a fit is what the account stored, byte for byte; the stored bytes open like a saved model."""
    account = ledger.open("rows", limit=Pure(1000.0)).keyed("job")
    fitted = case.fit(ledger=account)
    assert account.fetch("job") == fitted.model_file().to_bytes()
    (tmp_path / "fetched.json").write_bytes(account.fetch("job"))
    case.check_same(tacit.load(tmp_path / "fetched.json"), fitted)


@pytest.mark.parametrize("case", EVERY, ids=str)
def test_a_fit_tried_again_with_its_key_is_the_same_release_and_costs_nothing(case: Fitted, ledger: Ledger) -> None:
    account = ledger.open("rows", limit=Pure(1000.0)).keyed("job")
    fitted = case.fit(ledger=account)
    spent = account.spent
    again = case.fit(ledger=pickle.loads(pickle.dumps(account)))  # noqa: S301
    case.check_same(again, fitted)
    assert again.model_file().to_bytes() == fitted.model_file().to_bytes()
    assert account.spent == spent


@pytest.mark.parametrize("case", EVERY, ids=str)
def test_a_replay_keeps_its_seal(case: Fitted, ledger: Ledger, tmp_path: Path) -> None:
    """A key that was used with a seed gives the sealed release to a seed, and nothing to a fit without."""
    account = ledger.open("rows", limit=Pure(1000.0)).keyed("job")
    sealed = case.fit(ledger=account, random_state=0)
    again = case.fit(ledger=account, random_state=1)
    again.save(tmp_path / "model.json")
    for model in (sealed, again, tacit.load(tmp_path / "model.json")):
        assert not model.certificate_.private
        assert "NOT PRIVATE" in str(model.certificate_)
        case.check_same(model, sealed)
    with pytest.raises(LedgerError, match="job"):
        case.fit(ledger=account)


@pytest.mark.parametrize("case", EVERY, ids=str)
def test_a_private_release_is_not_sealed_by_a_later_seed(case: Fitted, ledger: Ledger) -> None:
    account = ledger.open("rows", limit=Pure(1000.0)).keyed("job")
    assert case.fit(ledger=account).certificate_.private
    with pytest.raises(LedgerError, match="job"):
        case.fit(ledger=account, random_state=0)


def test_a_key_stands_for_one_question(ledger: Ledger) -> None:
    account = ledger.open("people", limit=Pure(9.0)).keyed("job")
    PrivateRidge(privacy=1.0, domain=schema("real"), ledger=account).fit(people(target="real"))
    other = PrivateRidge(privacy=1.0, domain=schema("real"), fit_intercept=False, ledger=account)
    with pytest.raises(LedgerError, match="job"):
        other.fit(people(target="real"))


def test_an_account_opened_for_a_declaration_takes_no_other(ledger: Ledger) -> None:
    declared = schema("real")
    account = ledger.open("people", limit=Pure(5.0), schema=declared.fingerprint())
    PrivateRidge(domain=declared, ledger=account).fit(people(target="real"))
    with pytest.raises(ParameterError, match="declaration"):
        PrivateRidge(domain=schema("real", rows=60), ledger=account).fit(people(target="real"))


def test_labels_must_be_declared_where_an_account_pays(ledger: Ledger) -> None:
    """To find them would mean to read y before the charge."""
    account = ledger.open("people", limit=Pure(5.0))
    X, y = np.eye(4), [0, 1, 0, 1]
    with pytest.raises(ParameterError, match=r"declare them, domain=Domain\(classes="):
        PrivateLogisticRegression(ledger=account).fit(X, y)
    assert account.spent.epsilon == 0
    PrivateLogisticRegression(domain=Domain(classes=(0, 1)), ledger=account).fit(X, y)


def test_accounts_survive_cloning(ledger: Ledger) -> None:
    from sklearn.base import clone

    account: Account = ledger.open("people", limit=Pure(5.0))
    assert clone(PrivateRidge(ledger=account)).ledger is account


@pytest.mark.parametrize(
    ("model", "target"),
    [
        (PrivateRidge(mechanism="magic"), "real"),
        (PrivateLogisticRegression(mechanism="covariance"), "binary"),
        (PrivateLogisticRegression(mechanism="centred"), "classes"),
        (PrivateLogisticRegression(l2=-1.0), "binary"),
        (PrivateRidge(centre="yes"), "real"),
    ],
    ids=repr,
)
def test_a_fit_that_cannot_be_planned_costs_nothing(ledger: Ledger, model: Any, target: str) -> None:
    """With so many rows a look at the columns comes first; what follows it must be possible before it is paid."""
    account = ledger.open("people", limit=Pure(9.0))
    model.set_params(domain=schema(target), ledger=account)
    with pytest.raises(ParameterError):
        model.fit(people(2000, target))
    assert account.spent.epsilon == 0
