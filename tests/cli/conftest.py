"""The place where commands run."""

from pathlib import Path

import pytest

from cli_support import furnish


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a table, a schema for each target and an account."""
    furnish(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path
