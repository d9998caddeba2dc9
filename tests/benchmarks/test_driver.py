"""The driver of the benchmarks: tables, files, and reasons instead of crashes."""

import csv
import importlib
import sys
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    monkeypatch.syspath_prepend(str(ROOT))
    loaded = importlib.import_module("benchmarks.__main__")
    monkeypatch.setattr(loaded.parts, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(loaded.parts, "FULL", tmp_path / "results" / "full")
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
    assert drawn == [driver.parts.RESULTS, driver.parts.FULL]
    assert "0.1235" in capsys.readouterr().out
    assert (driver.parts.FULL / "made-up.csv").exists()
    with (driver.parts.RESULTS / "made-up.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert rows == [
        {"name": "one", "seconds": "0.123457", "reached": ""},
        {"name": "two", "seconds": "", "reached": "True"},
    ]


def test_a_full_run_that_was_broken_off_goes_on(driver: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    worked: list[str] = []

    def part(name: str) -> list[dict[str, Any]]:
        if name == "second" and "second" not in worked:
            worked.append(name)
            raise KeyboardInterrupt
        worked.append(name)
        return [{"name": name, "value": 1.5}]

    def run(quick: bool) -> list[dict[str, Any]]:
        return [r for name in ("first", "second") for r in driver.parts.once("made-up", name, partial(part, name))]

    monkeypatch.setattr(driver, "topics", lambda _: {"made-up": SimpleNamespace(run=run)})
    with pytest.raises(KeyboardInterrupt):
        driver.main(["--full", "made-up"])
    driver.main(["--full", "made-up"])
    assert worked == ["first", "second", "second"]
    driver.main(["--full", "made-up"])  # the earlier run had ended: nothing of it is taken over
    assert worked == ["first", "second", "second", "first", "second"]


def test_a_quick_run_leaves_the_parts_of_a_full_one_alone(driver: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    driver.parts.once("made-up", "first", lambda: [{"x": 1}])
    monkeypatch.setattr(driver, "topics", lambda _: {"made-up": SimpleNamespace(run=lambda quick: [{"x": 2}])})
    driver.main(["made-up"])
    assert driver.parts.once("made-up", "first", lambda: [{"x": 3}]) == [{"x": 1}]
    driver.main(["--full", "made-up"])
    assert driver.parts.once("made-up", "first", lambda: [{"x": 3}]) == [{"x": 3}]


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
