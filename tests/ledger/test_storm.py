"""kill -9 and races, briefly; `benchmarks/ledger.py` runs the long ones."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).parents[1] / "ledger_storm.py"
WORKERS = 16

pytestmark = [
    pytest.mark.proof("ledger-protocol"),
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork"),
]


def unleash(**order: object) -> dict[str, Any]:
    """The figures of a storm or a race."""
    quiet = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    result = subprocess.run([sys.executable, str(SCRIPT), json.dumps(order)], capture_output=True, text=True, env=quiet)
    assert result.returncode == 0, result.stderr
    figures: dict[str, Any] = json.loads(result.stdout)
    return figures


def check_survived(figures: dict[str, Any]) -> None:
    """Nothing was seen that is not stored, no key has two outputs, the sum of the charges is what was spent."""
    assert figures["problems"] == []
    assert figures["seen_but_not_stored"] == 0
    assert figures["keys_with_two_outputs"] == 0
    assert figures["spent_minus_sum_of_charges"] == 0
    assert figures["seen_beyond_limit"] == 0
    assert figures["verified"]


def test_a_storm_of_kills_loses_and_leaks_nothing(url):
    figures = unleash(url=url, kills=60)
    check_survived(figures)
    assert figures["kills"] == 60
    assert figures["seen"] > 0


def test_a_race_for_the_last_of_a_budget_never_passes_the_limit(url):
    figures = unleash(url=url, workers=WORKERS, limit=0.5, conduct="plain")
    check_survived(figures)
    assert figures["charges"] == figures["seen"] == 49  # the float 0.01 is a little more than 1/100


def test_mutant_that_charges_after_release_is_caught(url):
    with pytest.raises(AssertionError):
        check_survived(unleash(url=url, kills=60, conduct="charge_after_release"))


def test_mutant_that_checks_then_spends_is_caught(url):
    figures = unleash(url=url, workers=WORKERS, limit=0.5, conduct="check_then_spend")
    assert figures["seen_beyond_limit"] > 0
    with pytest.raises(AssertionError):
        check_survived(figures)
