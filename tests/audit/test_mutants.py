"""The table of mutants: each is found by some auditor, and the correct code beside it by none."""

import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.statistical
def test_every_mutant_is_found_and_every_control_is_silent(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    mutants = importlib.import_module("benchmarks.mutants")
    for row in mutants.run(quick=True):
        assert "found" in row.values(), row
        assert row["control"] == "silent", row
