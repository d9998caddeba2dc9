"""A fresh ledger on each database."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ledger_postgres import fresh_schema, private_server, server_binaries
from tacit.ledger import Ledger


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    if server_binaries() is None:
        pytest.skip("no PostgreSQL server binaries (initdb, pg_ctl) were found; apt-get install postgresql")
    with private_server() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "postgresql":
        return fresh_schema(request.getfixturevalue("postgres_server"))
    return f"sqlite:///{tmp_path / 'budget.db'}"


@pytest.fixture
def ledger(url: str) -> Iterator[Ledger]:
    with Ledger(url) as opened:
        yield opened


@pytest.fixture
def file_ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger(tmp_path / "budget.db") as opened:
        yield opened
