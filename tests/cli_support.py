"""A folder with a table, its schemas and an account, and the command line on it."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml
from typer.testing import CliRunner, Result

from tacit import Ledger
from tacit.cli import app

FEATURES: dict[str, Any] = {
    "income": {"type": "number", "min": 0, "max": 100},
    "region": {"type": "category", "values": ["north", "south"]},
}
TARGETS: dict[str, dict[str, Any]] = {
    "buyers": {"name": "bought", "type": "binary", "positive": 1, "negative": 0},
    "savings": {"name": "saved", "type": "real", "min": -1, "max": 1},
}
ACCOUNT = ("--ledger", "budget.db", "--account", "people")
FIT = ("fit", "people.csv", "--schema", "buyers.yaml", "--model", "logistic", "--epsilon", "1")
TUNE = (
    *("tune", "people.csv", "--schema", "buyers.yaml", "--model", "logistic", "--l2", "0.01", "--l2", "0.1"),
    *("--epsilon", "1", "--select-epsilon", "0.5"),
)
ACCURACY_FIRST = (
    *("accuracy-first", "people.csv", "--schema", "savings.yaml", "--model", "ridge", "--radius", "2"),
    *("--excess-risk", "0.1", "--max-epsilon", "50"),
)
DENSITY = (
    *("density", "people.csv", "--column", "income", "--low", "0", "--high", "100"),
    *("--width", "10", "--epsilon", "1"),
)
COMMANDS = {"fit": FIT, "tune": TUNE, "accuracy-first": ACCURACY_FIRST, "density": DENSITY}


def furnish(folder: Path, limit: float = 100.0) -> None:
    """Write the table, a schema for each target, and open an account."""
    generator = np.random.default_rng()
    income = generator.uniform(0, 100, 3000)
    people = pd.DataFrame(
        {
            "income": income,
            "region": generator.choice(["north", "south"], 3000),
            "bought": (income + generator.normal(0, 10, 3000) > 50).astype(int),
            "saved": income / 50 - 1,
        }
    )
    people.to_csv(folder / "people.csv", index=False)
    for name, target in TARGETS.items():
        declared = {"name": name, "features": FEATURES, "target": target}
        (folder / f"{name}.yaml").write_text(yaml.safe_dump(declared), encoding="utf-8")
    Ledger(folder / "budget.db").open("people", limit=limit)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def shell(folder: Path, script: str) -> subprocess.CompletedProcess[str]:
    """A line of shell in which `tacit` is the real command."""
    command = f"tacit() {{ '{sys.executable}' -m tacit \"$@\"; }}; {script}"
    return subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True, check=False)


def charges(folder: Path) -> int:
    """How many releases were charged to the account."""
    return int((Ledger(folder / "budget.db").account("people").history()["kind"] == "charge").sum())


def files(folder: Path) -> list[Path]:
    """What lies in the folder, without the scratch files that SQLite keeps beside a database."""
    return sorted(path for path in folder.rglob("*") if not path.name.endswith(("-wal", "-shm")))
