"""The ledger under load: storms of kill -9, races, the cost of a release, a long history, on both databases.

Quick: 500 kills on SQLite and 100 on PostgreSQL; full: 10,000 and 1,000. A private PostgreSQL server is started on
loopback; its rows are left out where the server's binaries are not installed (Debian: apt-get install postgresql).
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tacit.ledger import Ledger, books
from tacit.ledger.books import Request
from tacit.ledger.chain import sha256
from tacit.privacy import Pure

TESTS = Path(__file__).resolve().parents[1] / "tests"
WORKERS, LIMIT = 16, 0.5
HISTORY = 100_000

Row = dict[str, Any]


def run(quick: bool = True) -> list[Row]:
    """One row a measure: database, measure, value, required."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        urls = {case: str(folder / f"{case}.db") for case in ("storm", "race", "release")}
        rows = list(measure("sqlite", urls, 500 if quick else 10_000))
        rows += long_history(folder / "history.db")
    return rows + on_postgresql(100 if quick else 1_000)


def on_postgresql(kills: int) -> list[Row]:
    """The same on a private server, or one row that says why not."""
    sys.path.insert(0, str(TESTS))
    from ledger_postgres import fresh_schema, private_server, server_binaries

    if server_binaries() is None:
        return [row("postgresql", "left out: no server binaries (initdb, pg_ctl)", "", "")]
    with private_server() as server:
        urls = {case: fresh_schema(server) for case in ("storm", "race", "release")}
        return list(measure("postgresql", urls, kills))


def measure(database: str, urls: dict[str, str], kills: int) -> Iterator[Row]:
    """A storm, a race and the cost of a release."""
    storm = unleash(urls["storm"], kills=kills)
    yield row(database, "storm: kill -9", storm["kills"], f"{kills}")
    yield row(database, "storm: charges", storm["charges"], "")
    yield row(database, "storm: releases seen", storm["seen"], "")
    yield row(database, "storm: charged, not finished", storm["unfinished"], "")
    yield from verdict(database, "storm", storm)
    yield row(database, "storm: seconds", storm["seconds"], "")
    race = unleash(urls["race"], workers=WORKERS, limit=LIMIT, conduct="plain")
    yield row(database, f"race of {WORKERS}: charges of 0.01 in {LIMIT}", race["charges"], "49")
    yield from verdict(database, f"race of {WORKERS}", race)
    median, worst = release_cost(urls["release"], 300)
    yield row(database, "reserve + store, median ms", median, "≤ 2" if database == "sqlite" else "")
    yield row(database, "reserve + store, 95 % ms", worst, "")


def verdict(database: str, case: str, figures: Row) -> Iterator[Row]:
    """What must be zero."""
    yield row(database, f"{case}: seen but not stored", figures["seen_but_not_stored"], "0")
    yield row(database, f"{case}: keys with two outputs", figures["keys_with_two_outputs"], "0")
    yield row(database, f"{case}: spent − sum of charges, units", figures["spent_minus_sum_of_charges"], "0")
    yield row(database, f"{case}: seen beyond the limit, ε", figures["seen_beyond_limit"], "0")
    yield row(database, f"{case}: errors in workers", len(figures["problems"]), "0")
    yield row(database, f"{case}: history verifies", bool(figures["verified"]), "True")


def unleash(url: str, **order: object) -> Row:
    """What tests/ledger_storm.py found."""
    quiet = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, str(TESTS / "ledger_storm.py"), json.dumps({"url": url, **order})]
    figures: Row = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, env=quiet).stdout)
    return figures


def release_cost(url: str, runs: int) -> tuple[float, float]:
    """Milliseconds of reserve + store, each its own durable commit: the median and the 95 % point."""
    with Ledger(url) as ledger:
        account = ledger.open("cost", limit=1e5)
        times = []
        for _ in range(runs):
            began = time.perf_counter()
            account.run(Pure(0.01), b"query", lambda: bytes(800))
            times.append((time.perf_counter() - began) * 1e3)
    return statistics.median(times), statistics.quantiles(times, n=20)[-1]


def long_history(path: Path) -> Iterator[Row]:
    """Opening a history of many charges, each with its stored release, which checks it; and verifying it as well."""
    with Ledger(path) as ledger:
        ledger.open("long", limit=1e6)
        with ledger._store.writing() as db:  # in one commit, so that filling takes seconds
            for i in range(HISTORY):
                request = Request("long", "", f"k{i}", Pure(0.01), sha256(b"query"), "ridge, output perturbation")
                books.charge(db, request)
                books.store(db, "long", request.key, os.urandom(400))
    began, worked = time.perf_counter(), time.process_time()
    with Ledger(path) as ledger:
        opened, opened_cpu = time.perf_counter() - began, time.process_time() - worked
        verified = ledger.verify()
        seconds, cpu = time.perf_counter() - began, time.process_time() - worked
    case = f"{verified.charges} charges, {verified.events} events"
    yield row("sqlite", f"{case}: open, s", opened, "")
    yield row("sqlite", f"{case}: open, CPU s", opened_cpu, "")
    yield row("sqlite", f"{case}: open + verify, s", seconds, "≤ 2")
    yield row("sqlite", f"{case}: open + verify, CPU s", cpu, "≤ 2")
    yield row("sqlite", "reserve + store after them, median ms", release_cost(str(path), 100)[0], "≤ 2")


def row(database: str, measure: str, value: object, required: str) -> Row:
    """One line of the table."""
    return {"database": database, "measure": measure, "value": value, "required": required}
