"""One account from many places: copies, clones, pickles, workers, threads, forks."""

import copy
import os
import pickle
import threading
import traceback

import joblib
import pytest
from sklearn.base import BaseEstimator, clone

from tacit.errors import BudgetExceeded, LedgerError, ParameterError
from tacit.ledger import Ledger


class Estimator(BaseEstimator):
    """An estimator with an account among its parameters."""

    def __init__(self, ledger=None):
        self.ledger = ledger


def spend_once(account, key):
    return account.run(1.0, b"", lambda: os.urandom(8), key=key)


def test_a_clone_has_the_same_account(ledger):
    account = ledger.open("a", limit=1.0)
    assert clone(Estimator(ledger=account)).ledger is account
    assert copy.deepcopy(account) is copy.copy(account) is account


def test_a_pickle_reopens_the_account(ledger):
    account = ledger.open("a", limit=5.0, parts=["north"])
    travelled = pickle.loads(pickle.dumps(account.part("north")))  # noqa: S301
    travelled.run(1.0, b"", lambda: b"")
    assert account.part("north").spent.epsilon == 1.0
    assert repr(travelled) == repr(account.part("north"))


def test_joblib_workers_charge_the_same_account(ledger):
    account = ledger.open("a", limit=10.0)
    with joblib.parallel_backend("loky", n_jobs=2):
        first, again = (joblib.Parallel()(joblib.delayed(spend_once)(account, f"k{i}") for i in range(6)) for _ in "12")
    assert len(set(first)) == 6
    assert first == again
    assert account.spent.epsilon == 6.0


def test_threads_share_a_handle(ledger):
    account = ledger.open("a", limit=20.0)
    refused = []

    def work(name: int) -> None:
        for i in range(8):
            try:
                spend_once(account, f"{name}-{i}")
            except BudgetExceeded:
                refused.append(name)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert account.spent.epsilon == 20.0
    assert len(refused) == 12
    assert ledger.verify().charges == 20


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_child_opens_its_own_connection(ledger):
    account = ledger.open("a", limit=10.0)
    account.run(1.0, b"", lambda: b"parent")
    children = []
    for i in range(3):
        child = os.fork()
        if child == 0:
            status = 1
            try:
                status = 0 if spend_once(account, f"child-{i}") else 1
            finally:
                os._exit(status)
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0, 0, 0]
    account.run(1.0, b"", lambda: b"parent again")
    assert account.spent.epsilon == 5.0
    ledger.verify()


def test_a_closed_ledger_opens_again_when_used(ledger):
    account = ledger.open("a", limit=2.0)
    ledger.close()
    account.run(1.0, b"", lambda: b"")
    assert account.spent.epsilon == 1.0


def test_a_relative_path_survives_a_change_of_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    account = Ledger("budget.db").open("a", limit=2.0)
    text = pickle.dumps(account)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    pickle.loads(text).run(1.0, b"", lambda: b"")  # noqa: S301
    assert account.spent.epsilon == 1.0


def test_passwords_are_not_shown(postgres_server):
    from ledger_postgres import fresh_schema

    url = fresh_schema(postgres_server)
    password = url.split(":")[2].partition("@")[0]
    ledger = Ledger(url)
    assert password in ledger.url
    assert password not in repr(ledger) + repr(ledger.open("a", limit=1.0))
    with pytest.raises(LedgerError) as caught:
        ledger.account("b")
    assert password not in str(caught.value)


SECRET = "swordfish"


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql://u:{SECRET}@h/db",
        f"postgres://u:{SECRET}@h:5432/db",
        f"postgresql://u@h/db?password={SECRET}",
        f"postgresql://h/db?user=u&password={SECRET}&connect_timeout=3",
        f"postgresql:///db?host=/run/postgresql&password={SECRET}",
        f"postgresql://u:%40{SECRET}%2F@h/db",
        f"postgresql://u:x:{SECRET}@h/db",
        f"postgresql://u:x#{SECRET}@h/db",
        f"postgresql://u:x?{SECRET}@h/db",
        f"postgresql://u:[{SECRET}]@h/db",
        f"postgresql://u:{SECRET}@[::1]:5432/db",
        f"postgresql://u:{SECRET}@h1:1,h2:2/db",
        f"postgresql://u%40tenant:{SECRET}@h/db?options=-csearch_path%3Dname",
        f"postgresql://u@h/db?sslpassword={SECRET}",
        f"postgresql://u@h/db?password=x@{SECRET}",
    ],
)
def test_the_place_of_a_url_has_no_secret(url):
    from tacit.ledger.postgres import PostgresStore

    place = PostgresStore(url, 1.0).place
    assert SECRET not in place
    assert "dbname=db" in place


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql://u:x@{SECRET}@h/db",
        f"postgresql://u:{SECRET}@x@h/db",
        f"postgresql://u:x/{SECRET}@h/db",
        f"postgresql://u:{SECRET}/x@h/db",
        f"postgresql://u:1234/{SECRET}@h/db",
        f"postgresql://u:{SECRET} x@h/db",
        f"postgresql://u:{SECRET}%@h/db",
        f"postgresql://u@h/db?passwort={SECRET}",
        f"postgresql+psycopg://u:{SECRET}@h/db",
        f"mysql://u:{SECRET}@h/db",
        f"host=h user=u password={SECRET}",
    ],
)
def test_a_url_that_cannot_be_read_is_not_shown(url):
    with pytest.raises(ParameterError) as caught:
        Ledger(url)
    told = "".join(traceback.format_exception(caught.value, chain=True)).replace(repr(url), "")
    assert SECRET not in str(caught.value)
    assert "ProgrammingError" not in told


def test_a_server_that_cannot_be_reached_is_told_without_the_password():
    with pytest.raises(LedgerError, match="PostgreSQL") as caught:
        Ledger(f"postgresql://u:{SECRET}@127.0.0.1:1/db", timeout=1.0)
    assert SECRET not in "".join(traceback.format_exception(caught.value)).replace(f"u:{SECRET}@127", "")
