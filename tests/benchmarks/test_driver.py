"""The driver of the benchmarks: tables, files, and reasons instead of crashes."""

import csv
import importlib
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    monkeypatch.syspath_prepend(str(ROOT))
    loaded = importlib.import_module("benchmarks.__main__")
    monkeypatch.setattr(loaded, "RESULTS", tmp_path / "results")
    return loaded


def test_a_topic_is_printed_written_and_drawn(
    driver: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[bool] = []
    drawn: list[Path] = []

    def run(quick: bool) -> list[dict[str, Any]]:
        asked.append(quick)
        return [{"name": "one", "seconds": 0.123456789}, {"name": "two", "reached": True}]

    topic = SimpleNamespace(run=run, plot=lambda rows, directory: drawn.append(directory))
    monkeypatch.setattr(driver, "topics", lambda _: {"made-up": topic})
    assert driver.main([]) == 0
    assert driver.main(["--full", "made-up"]) == 0
    assert asked == [True, False]
    assert drawn == [driver.RESULTS] * 2
    assert "0.1235" in capsys.readouterr().out
    with (driver.RESULTS / "made-up.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert rows == [
        {"name": "one", "seconds": "0.123457", "reached": ""},
        {"name": "two", "seconds": "", "reached": "True"},
    ]


def test_what_is_missing_is_said(
    driver: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def absent(quick: bool) -> list[dict[str, Any]]:
        raise driver.Missing("the table is elsewhere")

    topics = {"first": "needs the package abacus", "second": SimpleNamespace(run=absent)}
    monkeypatch.setattr(driver, "topics", lambda _: topics)
    assert driver.main([]) == 0
    shown = capsys.readouterr().out
    assert "first left out: needs the package abacus" in shown
    assert "second left out: the table is elsewhere" in shown
    assert driver.main(["third"]) == 1


def test_every_topic_can_be_run(driver: Any) -> None:
    found = driver.topics([])
    assert {"speed", "utility"} <= set(found)
    assert "data" not in found
    assert "benchmarks.peers" in sys.modules
