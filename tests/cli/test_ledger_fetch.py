"""`tacit ledger fetch`: what was paid for can be had again, as it was."""

from pathlib import Path

import numpy as np
import pytest

import tacit
from cli_support import run
from tacit import Domain, Ledger, PrivateRidge


@pytest.fixture
def paid(place: Path) -> PrivateRidge:
    """A model that was fitted under a key and never saved."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2)) / 4
    account = Ledger("pool.db").open("people", limit=3.0)
    return PrivateRidge(ledger=account.keyed("job 1"), domain=Domain()).fit(X, X[:, 0])


def test_a_lost_model_is_fetched(place: Path, paid: PrivateRidge) -> None:
    done = run("ledger", "fetch", "pool.db", "people", "job 1", "--out", "again.json")
    assert done.exit_code == 0, done.output
    again = tacit.load(place / "again.json")
    assert np.array_equal(again.coef_, paid.coef_)
    assert str(again.certificate_) == str(paid.certificate_)
    printed = run("ledger", "fetch", "pool.db", "people", "job 1")
    assert printed.stdout_bytes == (place / "again.json").read_bytes()
    assert Ledger("pool.db").account("people").spent.epsilon == 1.0


def test_what_cannot_be_fetched_says_why(place: Path, paid: PrivateRidge) -> None:
    account = Ledger("pool.db").account("people")
    account.reserve(0.5, key="died")
    with account.reserve(0.5, key="closed"):
        pass
    for key, words in (("job 9", "has no charge"), ("died", "has no release"), ("closed", "closed without a release")):
        refused = run("ledger", "fetch", "pool.db", "people", key, "--out", "none.json")
        assert refused.exit_code == 2
        assert words in refused.output
    assert not (place / "none.json").exists()
    assert run("ledger", "fetch", "other.db", "people", "job 1").exit_code == 2
    assert "there is no folder" in run("ledger", "fetch", "pool.db", "people", "job 1", "--out", "no/x.json").output


def test_opening_speaks_of_the_limit() -> None:
    told = run("ledger", "open", "--help").output
    assert "limit" in told
    assert "release" not in told


def test_an_account_for_a_declaration_takes_no_other(place: Path) -> None:
    opened = run("ledger", "open", "pool.db", "people", "--epsilon", "3", "--schema", "buyers.yaml")
    assert opened.exit_code == 0, opened.output
    fit = ("fit", "people.csv", "--model", "logistic", "--epsilon", "1", "--ledger", "pool.db", "--account", "people")
    assert run(*fit, "--schema", "buyers.yaml").exit_code == 0
    text = (place / "buyers.yaml").read_text(encoding="utf-8")
    (place / "other.yaml").write_text(text.replace("name: buyers", "name: others"), encoding="utf-8")
    refused = run(*fit, "--schema", "other.yaml")
    assert refused.exit_code == 2
    assert "was opened for the declaration" in refused.output
    assert "ε = 1" in run("ledger", "show", "pool.db").output
