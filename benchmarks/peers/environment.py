"""Peers with requirements of their own live in their own virtual environments beside the project's.

`python -m benchmarks.peers` makes them (it needs a package index); a benchmark whose peer is missing says so and
leaves it out.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

ENVIRONMENT = Path(__file__).parents[2] / ".venv-diffprivlib"
REQUIREMENTS = ("diffprivlib==0.6.6", "scikit-learn==1.6.*")
RUNNER = Path(__file__).with_name("diffprivlib_runner.py")


def create() -> None:
    """Make the environment of diffprivlib, which needs an older scikit-learn."""
    subprocess.run([sys.executable, "-m", "venv", str(ENVIRONMENT)], check=True)
    subprocess.run([str(_python()), "-m", "pip", "install", "--quiet", *REQUIREMENTS], check=True)


def has_diffprivlib() -> bool:
    return _python().exists()


def diffprivlib(X: np.ndarray, y: np.ndarray, request: dict[str, Any]) -> np.ndarray:
    """Coefficients [ε, seed, :] fitted by diffprivlib in its own environment."""
    with tempfile.TemporaryDirectory() as directory:
        rows, answer = Path(directory, "rows.npz"), Path(directory, "answer.npz")
        np.savez(rows, X=X, y=y)
        subprocess.run([str(_python()), str(RUNNER), str(rows), str(answer), json.dumps(request)], check=True)
        return np.asarray(np.load(answer)["theta"])


def _python() -> Path:
    return ENVIRONMENT / "bin" / "python"
