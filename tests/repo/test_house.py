"""The rules of the house that a reader relies on, kept by tests."""

import ast
import re
import subprocess
import sys

import pytest

from repo_support import (
    ROOT,
    SOURCE,
    dotted_names,
    imported_modules,
    module_name,
    parse,
    python_files,
    tracked_files,
)

SEEDED_ENTROPY = SOURCE / "noise"
RANDOM_MODULES = re.compile(r"(random|numpy\.random|scipy\.stats\.(qmc|sampling))(\.|$)")
RANDOM_CALLS = re.compile(r"((np|numpy)\.random|os\.urandom)(\.|$)|.*\.rvs$|check_random_state$")
PRIVATE_SKLEARN = re.compile(r"sklearn\.(.*\.)?_[a-z]")
# Written in pieces so that this file does not contain what it looks for.
MACHINE_PATHS = re.compile("|".join("/" + name + "/" for name in ("work", "root", "home", "Users", "workspace")))
TEXT_FILES = {".py", ".md", ".toml", ".yaml", ".yml", ".json", ".txt", ".csv", ".cfg", ".html", ".sh", ""}


def randomness(tree: ast.Module) -> list[str]:
    """Sources of randomness a module could draw from."""
    modules = [name for name in imported_modules(tree) if RANDOM_MODULES.match(name)]
    return modules + [name for name in dotted_names(tree) if RANDOM_CALLS.match(name)]


def private_sklearn(tree: ast.Module) -> list[str]:
    return [name for name in imported_modules(tree) if PRIVATE_SKLEARN.match(name)]


def prints(tree: ast.Module) -> list[int]:
    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
    ]


def test_rooms_import_only_below():
    pytest.importorskip("importlinter", reason="import-linter comes with the 'check' extra")
    command = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    result = subprocess.run(
        [sys.executable, "-c", command, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("path", python_files(SOURCE), ids=lambda path: str(path.relative_to(SOURCE)))
def test_a_source_file_keeps_the_rules(path):
    tree = parse(path)
    assert not private_sklearn(tree), "scikit-learn's private modules change without notice"
    assert not prints(tree), "a library does not print; what it prints could depend on rows"
    if SEEDED_ENTROPY not in path.parents:
        assert not randomness(tree), "tacit.noise is the only door to randomness"


def test_the_rules_see_what_they_forbid():
    assert randomness(ast.parse("import numpy as np\nnp.random.default_rng(0)"))
    assert randomness(ast.parse("from numpy import random"))
    assert randomness(ast.parse("import random"))
    assert randomness(ast.parse("from os import path\nimport os\nos.urandom(8)"))
    assert not randomness(ast.parse("from tacit.noise import gaussian\nrandom_state = None"))
    assert private_sklearn(ast.parse("from sklearn.linear_model._base import LinearModel"))
    assert private_sklearn(ast.parse("from sklearn.utils import _param_validation"))
    assert not private_sklearn(ast.parse("from sklearn.utils.validation import check_is_fitted"))
    assert prints(ast.parse("def f():\n    print('row')"))
    assert MACHINE_PATHS.search("see /" + "home/someone")


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 120


def test_no_tracked_file_names_a_place_on_a_machine():
    files = [path for path in tracked_files() if path.suffix in TEXT_FILES]
    if not files:
        pytest.skip("not a git checkout: there is no list of tracked files")
    guilty = {
        str(path.relative_to(ROOT)): found.group()
        for path in files
        if (found := MACHINE_PATHS.search(path.read_text(encoding="utf-8", errors="replace")))
    }
    assert not guilty


def deep_imports(module: str, tree: ast.Module, packages: set[str]) -> list[str]:
    """Modules imported past the face of their room: only a room itself, and rooms inside it, know its files."""
    sources = [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]
    files = [name for name in sources if name.startswith("tacit.") and name not in packages]
    return [name for name in files if not f"{module}.".startswith(name.rsplit(".", 1)[0] + ".")]


def test_a_room_is_entered_by_its_face():
    packages = {module_name(path) for path in SOURCE.rglob("__init__.py")}
    deep = {module_name(path): deep_imports(module_name(path), parse(path), packages) for path in python_files(SOURCE)}
    assert not {module: names for module, names in deep.items() if names}


def test_the_rule_of_faces_sees_what_it_forbids():
    packages = {"tacit", "tacit.rows", "tacit.mechanisms", "tacit.mechanisms.lasso"}
    allowed = ast.parse("from tacit.rows import Rows\nfrom tacit.mechanisms.laws import Laplace")
    assert not deep_imports("tacit.mechanisms.lasso.plan", allowed, packages)
    assert deep_imports("tacit.mechanisms.lasso.plan", ast.parse("from tacit.rows.door import x"), packages)
    assert deep_imports("tacit.mechanisms.choice", ast.parse("from tacit.mechanisms.lasso.plan import x"), packages)


def public_definitions(tree: ast.Module) -> list[str]:
    """Functions, classes and methods without an underscore, at the top of a module or of a class."""
    tops = [node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))]
    inner = [node for top in tops if isinstance(top, ast.ClassDef) for node in top.body]
    found = [*tops, *(node for node in inner if isinstance(node, ast.FunctionDef))]
    return [node.name for node in found if not node.name.startswith("_")]


def used_names(tree: ast.Module) -> set[str]:
    """Names and attributes that code reads; a definition or an import alone is no use."""
    nodes = list(ast.walk(tree))
    return {n.id for n in nodes if isinstance(n, ast.Name)} | {n.attr for n in nodes if isinstance(n, ast.Attribute)}


CALLED_FROM_OUTSIDE = {"predict_log_proba", "ignore_aliases"}
"""Names that other libraries call: scikit-learn's scorers, the base class of PyYAML's dumpers."""
FOR_CHECKING = {"Balls", "refinements"}
"""The second evaluator of noise and the count of words beyond the first: written so that tests can compare."""


def test_every_public_function_has_a_caller_or_a_page_for_users():
    trees = {path: parse(path) for path in python_files(SOURCE)}
    outside = [parse(path) for folder in ("benchmarks", "examples") for path in python_files(ROOT / folder)]
    used = set().union(*map(used_names, [*trees.values(), *outside])) | CALLED_FROM_OUTSIDE | FOR_CHECKING
    pages = "\n".join(path.read_text(encoding="utf-8") for path in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
    documented = set(re.findall(r"\w+", pages))
    idle = {
        f"{module_name(path)}.{name}"
        for path, tree in trees.items()
        for name in public_definitions(tree)
        if name not in used and name not in documented
    }
    assert not idle


def test_a_definition_is_not_its_own_caller():
    tree = ast.parse("def idle():\n    return 1\n\nclass Box:\n    def unused(self):\n        return self.used()")
    assert set(public_definitions(tree)) == {"idle", "Box", "unused"}
    assert not {"idle", "unused"} & used_names(tree)
