"""What the repository-level tests read: tracked files, sources, docstrings."""

import ast
import subprocess
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "tacit"
TESTS = ROOT / "tests"
PROOFS = ROOT / "docs" / "proofs"


def python_files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*.py") if "__pycache__" not in path.parts)


def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def module_name(path: Path) -> str:
    """The dotted name of a source file; a package has the name of its folder."""
    names = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(names[:-1] if names[-1] == "__init__" else names)


def documentation(tree: ast.Module) -> Iterator[str]:
    """Docstrings of modules, classes and functions, and the strings written below attributes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.value.value


def imported_modules(tree: ast.Module) -> Iterator[str]:
    """Every dotted name an import statement brings in: `from a.b import c` gives a.b and a.b.c."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def dotted_names(tree: ast.Module) -> Iterator[str]:
    """Every chain of attributes on a plain name, such as np.random.normal."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Attribute, ast.Name)):
            yield ast.unparse(node)


def tracked_files() -> list[Path]:
    """The files under version control; none in an unpacked archive."""
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listing.returncode != 0:
        return []
    return [path for name in listing.stdout.split("\0") if name and (path := ROOT / name).is_file()]
