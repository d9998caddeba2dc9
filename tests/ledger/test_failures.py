"""Full disks, locks, damage, clocks, versions: a clear error, nothing lost, nothing overspent."""

import json
import os
import sqlite3
import subprocess
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path, PurePosixPath

import pytest

from tacit.errors import LedgerError
from tacit.ledger import Ledger, books, history, mounts
from tacit.ledger.ledger import open_store
from tacit.ledger.tables import VERSION
from tacit.privacy import ExPost, Pure

FILL_THE_DISK = """
import json, os, resource, sys
from tacit.errors import LedgerError
from tacit.ledger import Ledger
account = Ledger(sys.argv[1]).open("a", limit=1000.0)
resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, resource.RLIM_INFINITY))
seen = []
while True:
    key = f"k{len(seen)}"
    try:
        seen.append(account.run(0.5, b"", lambda: os.urandom(700), key=key).hex())
    except LedgerError as error:
        print(json.dumps({"seen": seen, "error": str(error)}))
        break
"""


def run(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True)


@pytest.mark.proof("ledger-protocol")
def test_a_full_disk_loses_nothing(file_ledger):
    result = run(FILL_THE_DISK, file_ledger.url)
    assert result.returncode == 0, result.stderr
    told = json.loads(result.stdout)
    assert "disk is full or failing" in told["error"]
    assert len(told["seen"]) > 5
    file_ledger.verify()
    account = file_ledger.account("a")
    for i, output in enumerate(told["seen"]):
        assert account.run(0.5, b"", lambda: b"never", key=f"k{i}").hex() == output
    last = f"k{len(told['seen'])}"
    charged = last in [event.key for event in account.entries()]
    if charged:  # the disk was full when the release was stored, so nobody saw it, and the key pays for no other
        with pytest.raises(LedgerError, match="use a new key"):
            account.run(0.5, b"", lambda: b"never", key=last)
    else:
        account.run(0.5, b"", lambda: b"there is room again", key=last)
    assert account.spent.epsilon == 0.5 * (len(told["seen"]) + 1)
    file_ledger.verify()


SPEND_READ_ONLY = """
import os, sys
from tacit.errors import LedgerError
from tacit.ledger import Ledger
if os.geteuid() == 0:
    os.setuid(65534)  # root may write anywhere
account = Ledger(sys.argv[1]).account("a")
print(account.spent.epsilon)
try:
    account.run(1.0, b"", lambda: print("computed") or b"")
except LedgerError as error:
    print(error)
"""


def test_a_read_only_file_can_be_read_and_refuses_charges():
    with tempfile.TemporaryDirectory() as name, Ledger(Path(name) / "budget.db") as ledger:
        check_read_only(ledger, Path(name))


def check_read_only(ledger: Ledger, folder: Path) -> None:
    """Somebody who may read the file sees the balance and cannot charge."""
    account = ledger.open("a", limit=5.0)
    account.run(1.0, b"", lambda: b"")
    for path in folder.iterdir():
        path.chmod(0o444)
    folder.chmod(0o755)
    result = run(SPEND_READ_ONLY, ledger.url)
    assert result.stdout.startswith("1.0\n"), result.stderr
    assert "must exist and be writable" in result.stdout
    assert "computed" not in result.stdout
    assert account.spent.epsilon == 1.0


def test_a_read_only_directory_can_be_read_and_refuses_charges():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with Ledger(folder / "budget.db") as ledger:
            ledger.open("a", limit=5.0).run(1.0, b"", lambda: b"")
        check_read_only_directory(folder)


def check_read_only_directory(folder: Path) -> None:
    """Nobody has it open: no log lies beside the file, and none can be put there."""
    assert [path.name for path in folder.iterdir()] == ["budget.db"]
    folder.chmod(0o555)
    try:
        for mode in (0o444, 0o666):
            (folder / "budget.db").chmod(mode)
            result = run(SPEND_READ_ONLY, str(folder / "budget.db"))
            assert result.stdout.startswith("1.0\n"), result.stderr
            assert "must exist and be writable" in result.stdout
            assert "computed" not in result.stdout
    finally:
        folder.chmod(0o755)
    assert [path.name for path in folder.iterdir()] == ["budget.db"]


def test_a_log_beside_the_file_is_read_in_a_read_only_directory():
    """Somebody has the ledger open: the newest charge is in the log."""
    with tempfile.TemporaryDirectory() as name, Ledger(Path(name) / "budget.db") as ledger:
        account = ledger.open("a", limit=5.0)
        account.run(1.0, b"", lambda: b"")
        for path in Path(name).iterdir():
            path.chmod(0o666)
        Path(name).chmod(0o555)
        try:
            result = run(SPEND_READ_ONLY, ledger.url)
        finally:
            Path(name).chmod(0o755)
        assert result.stdout.startswith("1.0\n"), result.stderr


def test_a_file_that_cannot_be_made_is_an_error(tmp_path):
    with pytest.raises(LedgerError, match="directory must exist"):
        Ledger(tmp_path / "nowhere" / "budget.db")


@pytest.mark.parametrize("page", range(2, 8))
def test_a_damaged_page_is_found(tmp_path, page):
    path = tmp_path / "budget.db"
    with Ledger(path) as ledger:
        account = ledger.open("a", limit=50.0)
        for _ in range(20):
            account.run(1.0, b"", lambda: bytes(500))
    with path.open("r+b") as file:
        file.seek(4096 * (page - 1))
        file.write(os.urandom(4096))
    with pytest.raises(LedgerError), Ledger(path) as damaged:
        damaged.verify()


def test_a_file_that_is_no_database_is_refused(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("dear diary, " * 1000)
    with pytest.raises(LedgerError, match="damaged or not a ledger"):
        Ledger(path)
    assert path.read_text().startswith("dear diary")


def test_the_clock_may_jump(ledger, monkeypatch):
    class Jumping(datetime):
        days = iter([0, 4000, -9000, 1, 0, -1, 7])

        @classmethod
        def now(cls, tz=None):
            return datetime.now(tz) + timedelta(days=next(cls.days))

    monkeypatch.setattr(history, "datetime", Jumping)
    account = ledger.open("a", limit=5.0)
    for i in range(3):
        account.run(1.0, b"", lambda: b"x", key=f"k{i}")
    stamps = [datetime.fromisoformat(event.at) for event in account.entries()]
    assert stamps != sorted(stamps)
    assert all(stamp.tzinfo == UTC for stamp in stamps)
    assert [event.key for event in account.entries()][1::2] == ["k0", "k1", "k2"]
    assert account.spent.epsilon == 3.0
    ledger.verify()


def test_the_history_does_not_tell_how_long_a_release_took(ledger, monkeypatch):
    """An hour passes between a charge and its release; stamps are to the minute, and the release has the charge's."""

    class Running(datetime):
        hours = iter(range(100))

        @classmethod
        def now(cls, tz=None):
            return datetime.now(tz) + timedelta(hours=next(cls.hours))

    monkeypatch.setattr(history, "datetime", Running)
    account = ledger.open("a", limit=5.0)
    account.run(1.0, b"", lambda: b"x", key="run")
    with account.reserve(Pure(2.0), b"", key="search") as reservation:
        reservation.store(b"y", ExPost(0.5, 0.5))
    by_key: dict[str, set[str]] = {}
    for event in account.entries():
        by_key.setdefault(event.key, set()).add(event.at)
        assert datetime.fromisoformat(event.at).second == 0
    assert len(by_key["run"]) == len(by_key["search"]) == 1
    ledger.verify()


@pytest.mark.parametrize(("version", "advice"), [(VERSION + 1, "upgrade tacit"), (0, "the tacit that made it")])
def test_another_layout_is_refused(ledger, version, advice):
    ledger.open("a", limit=5.0)
    with open_store(ledger.url, 5.0).writing() as db:
        db.change("UPDATE tacit_version SET version = ?", version)
    with pytest.raises(LedgerError, match=f"has layout {version}, this tacit writes layout {VERSION}; .*{advice}"):
        Ledger(ledger.url)


def test_waiting_for_a_lock_ends_with_a_clear_error(url):
    with Ledger(url, timeout=0.2) as impatient:
        account = impatient.open("a", limit=5.0)
        store = open_store(url, 5.0)
        with store.writing(), pytest.raises(LedgerError, match=r"held the ledger for more than 0.2 s"):
            account.run(1.0, b"", lambda: b"")
        store.close()
        account.run(1.0, b"", lambda: b"")
        assert account.spent.epsilon == 1.0


def test_an_interrupted_transaction_leaves_nothing(ledger):
    account = ledger.open("a", limit=5.0)

    def interrupted() -> None:
        with open_store(ledger.url, 5.0).writing() as db:
            books.charge(db, books.Request("a", "", "k", account.limit, "", ""))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert account.spent.epsilon == 0.0
    assert ledger.verify().charges == 0


TABLE = """\
22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 254:0 / / rw,relatime - ext4 /dev/vda rw
30 27 0:30 / /mnt/team rw,relatime shared:3 - nfs4 server:/team rw,vers=4.2
31 30 0:31 / /mnt/team/scratch rw - xfs /dev/vdb rw
32 27 0:32 / /mnt/with\\040space rw - cifs //server/share rw
broken line
"""


@pytest.mark.parametrize(
    ("directory", "kind"),
    [
        ("/data", "ext4"),
        ("/mnt/team", "nfs4"),
        ("/mnt/team/a/b", "nfs4"),
        ("/mnt/teammate", "ext4"),
        ("/mnt/team/scratch/x", "xfs"),
        ("/mnt/with space/x", "cifs"),
    ],
)
def test_the_mount_table_tells_the_file_system(directory, kind):
    assert mounts.filesystem_type(TABLE, PurePosixPath(directory)) == kind


def test_a_network_file_system_is_refused(tmp_path, monkeypatch):
    table = tmp_path / "mountinfo"
    table.write_text(f"1 1 0:1 / / rw - ext4 x rw\n2 1 0:2 / {tmp_path} rw - nfs4 server:/x rw\n")
    monkeypatch.setattr(mounts, "_MOUNTS", table)
    with pytest.raises(LedgerError, match=r"network file system \(nfs4\).*postgresql://"):
        Ledger(tmp_path / "budget.db")
    assert not (tmp_path / "budget.db").exists()


def test_commits_reach_the_disk(file_ledger, tmp_path):
    store = open_store(file_ledger.url, 5.0)
    with store.reading() as db:
        assert db.rows("PRAGMA journal_mode") == [("wal",)]
        assert db.rows("PRAGMA synchronous") == [(2,)]
    with sqlite3.connect(tmp_path / "budget.db") as plain:
        assert plain.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    plain.close()


def test_a_server_that_does_not_sync_is_refused(postgres_server, monkeypatch):
    from ledger_postgres import fresh_schema
    from tacit.ledger import postgres

    monkeypatch.setattr(postgres, "_DURABLE", {"fsync": "off"})
    with pytest.raises(LedgerError, match="fsync"):
        Ledger(fresh_schema(postgres_server))
