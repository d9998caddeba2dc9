"""The history cannot be changed unnoticed, and an older copy is refused."""

import contextlib
import hashlib
import shutil
import sqlite3
from pathlib import Path

import pytest

from tacit.errors import LedgerError, ParameterError
from tacit.ledger import Ledger
from tacit.ledger.chain import GENESIS, Event, event_hash
from tacit.ledger.ledger import open_store
from tacit.ledger.replay import Replay
from tacit.ledger.tables import EVENT_COLUMNS
from tacit.privacy import ZCDP, Approx, ExPost

pytestmark = pytest.mark.proof("ledger-chain")


def fill(ledger: Ledger) -> None:
    """Every kind of event, ten of them or more."""
    account = ledger.open("a", limit=Approx(5.0, 1e-6), parts=["north"])
    account.run(1.0, b"q", lambda: b"one", key="k1", label="ridge")
    account.part("north").run(Approx(1.0, 1e-8), b"q", lambda: b"two", key="k2")
    account.reserve(1.0, key="k3").store(b"three", paid=ExPost(0.25, 0.25))
    account.run(ZCDP(0.01), b"q", lambda: b"four", key="k4")


def test_anyone_can_verify(ledger):
    fill(ledger)
    previous = GENESIS
    with open_store(ledger.url, 5.0).reading() as db:
        rows = db.rows(
            "SELECT sequence, kind, account, part, key, currency, main, delta, loss, label, digest, at, previous, hash "
            "FROM tacit_event ORDER BY sequence"
        )
    for *fields, own in rows:
        assert fields[-1] == previous
        previous = hashlib.sha256("\n".join(str(f) for f in fields).encode()).hexdigest()
        assert own == previous
    assert ledger.verify().head == ledger.head() == f"{len(rows) - 1}:{previous}"


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE tacit_event SET main = 1 WHERE kind = 'charge'",
        "UPDATE tacit_event SET output = NULL",
        "DELETE FROM tacit_event WHERE sequence = 3",
        "DELETE FROM tacit_balance",
    ],
)
def test_the_database_refuses_to_rewrite(ledger, statement):
    fill(ledger)
    with pytest.raises(LedgerError, match=r"append-only|never deleted"), open_store(ledger.url, 5.0).writing() as db:
        db.change(statement)
    ledger.verify()


def test_the_database_refuses_to_pass_a_limit(ledger):
    fill(ledger)
    with pytest.raises(LedgerError, match=r"(?i)check"), open_store(ledger.url, 5.0).writing() as db:
        db.change("UPDATE tacit_balance SET main = main_limit + 1")
    ledger.verify()


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a ledger with every kind of event."""
    path = tmp_path_factory.mktemp("filled") / "budget.db"
    with Ledger(path) as ledger:
        fill(ledger)
    return path


def tamper(url: str, *statements: str) -> None:
    """What somebody with the database and a tool can do."""
    store = open_store(url, 5.0)
    with store.writing() as db:
        if url.startswith("sqlite"):
            for (name,) in db.rows("SELECT name FROM sqlite_master WHERE type = 'trigger'"):
                db.change(f"DROP TRIGGER {name}")
        else:
            for table in ("tacit_event", "tacit_balance"):
                db.change(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        for statement in statements:
            db.change(statement)
    store.close()


TEXT_FIELDS = ["kind", "account", "part", "key", "currency", "loss", "label", "digest", "at", "previous", "hash"]


@pytest.mark.parametrize("field", [*TEXT_FIELDS, "main", "delta"])
def test_any_changed_field_of_any_entry_is_found(filled, tmp_path, field):
    value = f"{field} || 'x'" if field in TEXT_FIELDS else f"{field} + 1"
    for sequence in range(12):
        path = tmp_path / f"{sequence}.db"
        shutil.copy(filled, path)
        with Ledger(path) as ledger:
            ledger.verify()
            tamper(ledger.url, f"UPDATE tacit_event SET {field} = {value} WHERE sequence = {sequence}")
            with pytest.raises(LedgerError, match=r"entry \d+.*restore the newest backup"):
                ledger.verify()
        with pytest.raises(LedgerError, match=r"entry \d+.*restore the newest backup"):
            Ledger(path)


@pytest.mark.parametrize(
    ("statements", "finding"),
    [
        (["DELETE FROM tacit_event WHERE sequence = 4"], "does not follow"),
        (["DELETE FROM tacit_event WHERE sequence = 0"], "does not follow"),
        (["UPDATE tacit_event SET output = x'00' WHERE kind = 'store' AND key = 'k2'"], "release that was changed"),
        (["UPDATE tacit_event SET output = NULL WHERE kind = 'store' AND key = 'k2'"], "release that was changed"),
        (["UPDATE tacit_balance SET main = 0 WHERE part = 'north'"], "not the sums"),
        (["UPDATE tacit_balance SET main_limit = main_limit + 1"], "not the sums"),
        (["UPDATE tacit_balance SET main_bits = main_bits + 1"], "not the sums"),
        (["DELETE FROM tacit_balance WHERE part = 'north'"], "not the sums"),
        (
            [
                "UPDATE tacit_event SET sequence = 100 WHERE sequence = 4",
                "UPDATE tacit_event SET sequence = 4 WHERE sequence = 5",
                "UPDATE tacit_event SET sequence = 5 WHERE sequence = 100",
            ],
            "does not follow",
        ),
    ],
)
def test_rewriting_is_found(filled, tmp_path, statements, finding):
    shutil.copy(filled, tmp_path / "copy.db")
    with Ledger(tmp_path / "copy.db") as ledger:
        tamper(ledger.url, *statements)
        with pytest.raises(LedgerError, match=finding):
            ledger.verify()


BESIDE_THE_HISTORY = [
    "UPDATE tacit_balance SET main = 0",
    "UPDATE tacit_balance SET delta = delta + 1",
    "UPDATE tacit_balance SET main_limit = main_limit * 3",
    "UPDATE tacit_balance SET delta_limit = delta_limit + 1",
    "UPDATE tacit_balance SET main_bits = main_bits + 1",
    "UPDATE tacit_balance SET currency = 'epsilon'",
    "DELETE FROM tacit_balance WHERE part = 'north'",
    "INSERT INTO tacit_balance SELECT account, 'south', currency, 0, 0, 1, 1, 0, 0 FROM tacit_balance WHERE part = ''",
    "DELETE FROM tacit_event WHERE sequence = (SELECT max(sequence) FROM tacit_event)",
    "UPDATE tacit_event SET hash = previous WHERE sequence = (SELECT max(sequence) FROM tacit_event)",
]
IN_THE_HISTORY = [
    "UPDATE tacit_event SET main = 0 WHERE kind = 'charge' AND key = 'k1'",
    "UPDATE tacit_event SET loss = '[\"Approx\", 50.0, 1e-05]' WHERE kind = 'open'",
    "UPDATE tacit_event SET main = main * 3 WHERE kind = 'open'",
    "UPDATE tacit_event SET digest = '' WHERE kind = 'store' AND key = 'k1'",
    "DELETE FROM tacit_event WHERE key = 'k1'",
    "DELETE FROM tacit_event WHERE sequence = 0",
]


@pytest.mark.parametrize("statement", BESIDE_THE_HISTORY)
def test_an_altered_ledger_is_not_charged(ledger, statement):
    """A handle that was open before the alteration refuses to charge, to read balances, and to open again."""
    fill(ledger)
    account = ledger.account("a")
    tamper(ledger.url, statement)
    for _ in range(2):  # a refusal is not forgotten
        with pytest.raises(LedgerError, match="restore the newest backup"):
            account.run(0.01, b"q", lambda: pytest.fail("computed on an altered ledger"))
        with pytest.raises(LedgerError, match="restore the newest backup"):
            account.remaining  # noqa: B018


@pytest.mark.parametrize("statement", BESIDE_THE_HISTORY[:-2] + IN_THE_HISTORY)
def test_an_altered_ledger_is_not_opened(ledger, statement):
    """Neither without a head, nor with one from before the alteration."""
    fill(ledger)
    head = ledger.head()
    tamper(ledger.url, statement)
    for expected in (None, head):
        with pytest.raises(LedgerError, match="restore the newest backup"):
            Ledger(ledger.url, expect_head=expected)


def test_a_shortened_ledger_is_not_opened_with_its_head(ledger):
    fill(ledger)
    head = ledger.head()
    tamper(ledger.url, "DELETE FROM tacit_event WHERE sequence = (SELECT max(sequence) FROM tacit_event)")
    with pytest.raises(LedgerError, match="older copy"):
        Ledger(ledger.url, expect_head=head)


@pytest.mark.parametrize("value", ["other", None])
def test_an_altered_release_is_not_returned(ledger, value):
    fill(ledger)
    account = ledger.account("a")
    assert account.fetch("k1") == b"one"
    changed = "NULL" if value is None else "CAST('other' AS BLOB)" if ledger.url.startswith("sqlite") else "'other'"
    tamper(ledger.url, f"UPDATE tacit_event SET output = {changed} WHERE kind = 'store' AND key = 'k1'")
    for again in (account, Ledger(ledger.url).account("a")):
        for attempt in (lambda a: a.fetch("k1"), lambda a: a.run(1.0, b"q", lambda: b"", key="k1")):
            with pytest.raises(LedgerError, match="'k1' was changed after it was stored"):
                attempt(again)
    with pytest.raises(LedgerError, match="holds a release that was changed"):
        ledger.verify()


def test_what_a_handle_has_seen_cannot_be_taken_back(ledger):
    """An older copy put in the place of an open ledger: its charges would be forgotten."""
    account = ledger.open("a", limit=2.0)
    account.run(1.0, b"q", lambda: b"one", key="k1")
    assert account.spent.epsilon == 1.0
    tamper(ledger.url, "DELETE FROM tacit_event WHERE key = 'k1'", "UPDATE tacit_balance SET main = 0")
    with pytest.raises(LedgerError, match="seen before, is gone"):
        account.run(1.5, b"q", lambda: pytest.fail("computed beyond the limit"))


def check_not_charged(ledger: Ledger) -> None:
    """An account that was set back to nothing takes no further charge."""
    account = ledger.open("spent", limit=1.0)
    account.run(1.0, b"q", lambda: b"")
    for _ in range(9):
        tamper(ledger.url, "UPDATE tacit_balance SET main = 0")
        with contextlib.suppress(LedgerError):
            account.run(1.0, b"q", lambda: b"beyond the limit")
    assert len([event for event in account.entries() if event.kind == "charge"]) == 1


def test_a_balance_set_to_nothing_buys_nothing(ledger):
    check_not_charged(ledger)


def test_mutant_that_trusts_the_balances_is_caught(ledger, monkeypatch):
    monkeypatch.setattr(Replay, "compare", lambda self, kept, account: None)
    with pytest.raises(LedgerError, match="beyond its limit"):
        check_not_charged(ledger)


def rebuild(path: Path) -> None:
    """Recompute every hash and balance, as somebody with this source could."""
    with sqlite3.connect(path) as db:
        previous = GENESIS
        for row in db.execute(f"SELECT {EVENT_COLUMNS} FROM tacit_event ORDER BY sequence").fetchall():
            event = Event(*row)._replace(previous=previous)
            previous = event_hash(event[:-1])
            db.execute(
                "UPDATE tacit_event SET previous = ?, hash = ? WHERE sequence = ?",
                (event.previous, previous, event.sequence),
            )
    db.close()


@pytest.mark.parametrize(
    ("statement", "finding"),
    [
        ("UPDATE tacit_event SET main = 1 WHERE key = 'k1' AND kind = 'charge'", "not cost what its loss says"),
        ("UPDATE tacit_event SET delta = 0 WHERE key = 'k2' AND kind = 'charge'", "not cost what its loss says"),
        ("UPDATE tacit_event SET main = main + 1 WHERE kind = 'open'", "limits of its terms"),
        ("UPDATE tacit_event SET main = main + main / 1000 WHERE kind = 'stage'", "worth more than what was left"),
        ("UPDATE tacit_event SET delta = delta + 1 WHERE kind = 'stage'", "worth more than what was left"),
        ("UPDATE tacit_event SET main = main / 2 WHERE kind = 'settle'", "worth more than what was left"),
        ("UPDATE tacit_event SET main = -main WHERE kind = 'settle'", "settles what was never charged"),
        ("UPDATE tacit_event SET kind = 'gift' WHERE kind = 'settle'", "unknown kind"),
        ("UPDATE tacit_event SET account = 'b' WHERE kind = 'charge'", "not read like an entry"),
        ("UPDATE tacit_event SET part = 'west' WHERE kind = 'charge'", "not read like an entry"),
        ("UPDATE tacit_event SET label = '7' WHERE kind = 'open'", "not read like an entry"),
        ("UPDATE tacit_event SET label = '{' WHERE kind = 'stage'", "not read like an entry"),
        ("UPDATE tacit_event SET loss = '[\"Pure\", -1.0]' WHERE kind = 'open'", "budget was expected"),
        ("UPDATE tacit_event SET currency = 'gold' WHERE kind = 'open'", "currency was expected"),
        ("UPDATE tacit_event SET key = 'k9' WHERE kind = 'store' AND key = 'k1'", "without one charge"),
    ],
)
def test_a_rebuilt_chain_must_still_add_up(filled, tmp_path, statement, finding):
    shutil.copy(filled, tmp_path / "copy.db")
    with Ledger(tmp_path / "copy.db") as ledger:
        tamper(ledger.url, statement)
        rebuild(tmp_path / "copy.db")
        with pytest.raises(LedgerError, match="seen before, is gone or was changed"):
            ledger.verify()
    with pytest.raises(LedgerError, match=finding):
        Ledger(tmp_path / "copy.db")


def test_fields_cannot_be_shifted_across_a_line_break():
    event = Event(3, "charge", "a", "", "k", "epsilon", 1, 0, "x", "y", "d", "t", "p", "")
    shifted = event._replace(account="a\n", part="", key="k")
    with pytest.raises(LedgerError, match="line break"):
        event_hash(shifted[:-1])


def test_an_older_copy_is_refused(file_ledger, tmp_path):
    fill(file_ledger)
    file_ledger.close()
    shutil.copy(tmp_path / "budget.db", tmp_path / "backup.db")
    file_ledger.account("a").run(ZCDP(0.001), b"", lambda: b"after the backup")
    head = file_ledger.head()
    assert Ledger(tmp_path / "budget.db", expect_head=head).verify().head == head
    Ledger(tmp_path / "backup.db").verify()
    with pytest.raises(LedgerError, match="older copy"):
        Ledger(tmp_path / "backup.db", expect_head=head)


def test_a_newer_ledger_contains_its_old_heads(ledger):
    heads = [ledger.head()]
    account = ledger.open("a", limit=1.0)
    heads.append(ledger.head())
    account.run(1.0, b"", lambda: b"")
    for head in heads:
        Ledger(ledger.url, expect_head=head)
    with Ledger(ledger.url) as other, pytest.raises(LedgerError, match="another"):
        Ledger(other.url, expect_head=f"1:{'0' * 64}")


def test_a_missing_ledger_is_not_created_where_a_head_is_expected(tmp_path):
    with pytest.raises(LedgerError, match="there is no ledger"):
        Ledger(tmp_path / "gone.db", expect_head=f"1:{'0' * 64}")
    with pytest.raises(ParameterError, match="a head looks like"), Ledger(tmp_path / "here.db"):
        Ledger(tmp_path / "here.db", expect_head="yesterday")
