"""Losses and budgets say what algorithms need; how many places still ask which one it is, counted."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from repo_support import SOURCE, parse, python_files

LOSSES = {"Squared", "Logistic", "Hinge", "HuberHinge", "Huber", "Poisson"}
BUDGETS = {"Pure", "ZCDP", "Approx"}
MOST_LOSS_DISPATCHES = 3
MOST_BUDGET_DISPATCHES = 30


def dispatches(tree: ast.Module, types: set[str]) -> Iterator[int]:
    """Lines that ask which of the types an object is: isinstance, a case, a comparison or a table of types."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id="isinstance" | "issubclass"), args=[_, asked]) if _names(asked) & types:
                yield node.lineno
            case ast.match_case(pattern=pattern) if _matched(pattern) & types:
                yield pattern.lineno
            case ast.Compare(left=ast.Call(func=ast.Name(id="type"))) if _names(node) & types:
                yield node.lineno
            case ast.Dict(keys=keys) if any(isinstance(key, ast.Name) and key.id in types for key in keys):
                yield node.lineno


def _names(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def _matched(pattern: ast.pattern) -> set[str]:
    classes = [part.cls for part in ast.walk(pattern) if isinstance(part, ast.MatchClass)]
    return {name for cls in classes for name in _names(cls)}


def found(types: set[str], but: Path | None = None) -> list[str]:
    files = [path for path in python_files(SOURCE) if but is None or but not in path.parents]
    return [f"{path.relative_to(SOURCE)}:{line}" for path in files for line in dispatches(parse(path), types)]


def test_algorithms_do_not_ask_which_loss_it_is():
    places = found(LOSSES, but=SOURCE / "losses")
    assert len(places) <= MOST_LOSS_DISPATCHES, "\n".join(places)


def test_few_places_ask_which_currency_a_budget_has():
    places = found(BUDGETS)
    assert len(places) <= MOST_BUDGET_DISPATCHES, "\n".join(places)


def open_ended(tree: ast.Module) -> list[int]:
    """Matches on budgets that a new currency would fall through unnoticed."""
    matches = [node for node in ast.walk(tree) if isinstance(node, ast.Match)]
    asking = [node for node in matches if any(_matched(case.pattern) & BUDGETS for case in node.cases)]
    return [node.lineno for node in asking if not _catches_all(node.cases[-1].pattern)]


def _catches_all(pattern: ast.pattern) -> bool:
    return isinstance(pattern, ast.MatchAs) and pattern.pattern is None


def test_a_match_on_budgets_says_what_happens_to_a_new_currency():
    assert not {path.name: lines for path in python_files(SOURCE) if (lines := open_ended(parse(path)))}
    assert open_ended(ast.parse("match x:\n    case Pure():\n        pass"))


@pytest.mark.parametrize(
    "code",
    [
        "isinstance(x, Pure)",
        "isinstance(x, (int, ZCDP))",
        "isinstance(x, Pure | Approx)",
        "match x:\n    case Approx(e, _):\n        pass",
        "match x:\n    case int() | Pure():\n        pass",
        "type(x) is Pure",
        "{Pure: 1}[type(x)]",
    ],
)
def test_the_count_sees_what_it_counts(code):
    assert list(dispatches(ast.parse(code), BUDGETS))
    assert not list(dispatches(ast.parse(code), LOSSES))


def test_arrays_of_numbers_have_one_name_for_their_type():
    definitions = [
        path.relative_to(SOURCE).as_posix()
        for path in python_files(SOURCE)
        for node in parse(path).body
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and ast.unparse(node).endswith("NDArray[np.float64]")
    ]
    assert definitions == ["arithmetic/arrays.py"]
