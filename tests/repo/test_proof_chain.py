"""Every privacy-relevant number names its proof; every proof is written, used and exercised.

A docstring says: by, then a key in backticks. docs/proofs/<key>.md holds the proof, and a test marked proof(<key>)
exercises its claim.
"""

import ast
import re
from collections.abc import Iterator

import pytest

from repo_support import PROOFS, SOURCE, TESTS, documentation, parse, python_files

CITATION = re.compile(r"\b[Bb]y\s+`([a-z0-9-]+)`")
SECTIONS = ("claim", "source", "proof", "checked", "assumed")


def citations(text: str) -> set[str]:
    return set(CITATION.findall(text))


def cited_keys() -> dict[str, list[str]]:
    """key → the files whose docstrings cite it."""
    where: dict[str, list[str]] = {}
    for path in python_files(SOURCE):
        for key in {key for text in documentation(parse(path)) for key in citations(text)}:
            where.setdefault(key, []).append(str(path.relative_to(SOURCE)))
    return where


def written_keys() -> set[str]:
    return {path.stem for path in PROOFS.glob("*.md")}


def marked_keys(tree: ast.Module) -> Iterator[str]:
    """The keys of all pytest.mark.proof(...) calls, wherever they stand: decorators, pytestmark, parameters."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.proof":
            yield from (a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str))


def exercised_keys() -> set[str]:
    return {key for path in python_files(TESTS) for key in marked_keys(parse(path))}


def test_every_cited_key_has_a_proof():
    missing = {key: files for key, files in cited_keys().items() if key not in written_keys()}
    assert not missing, f"cited in src without docs/proofs/<key>.md: {missing}"


def test_every_proof_is_used():
    unused = written_keys() - set(cited_keys())
    assert not unused, f"proofs that no docstring in src cites: {sorted(unused)}"


def test_every_key_is_exercised_by_a_marked_test():
    untested = set(cited_keys()) - exercised_keys()
    assert not untested, f"keys without a test marked proof(key): {sorted(untested)}"


def test_every_marked_key_exists():
    unknown = exercised_keys() - set(cited_keys())
    assert not unknown, f"tests marked with keys that src does not cite: {sorted(unknown)}"


@pytest.mark.parametrize("key", sorted(written_keys()))
def test_a_proof_says_what_it_claims_where_from_why_what_is_checked_and_what_is_assumed(key):
    text = (PROOFS / f"{key}.md").read_text(encoding="utf-8")
    assert text.startswith(f"# {key}\n"), "a proof begins with its key as the title"
    missing = [section for section in SECTIONS if section not in text.lower()]
    assert not missing, f"docs/proofs/{key}.md does not state: {missing}"


def test_the_chain_sees_several_keys_in_one_sentence_and_over_line_ends():
    assert citations("Bound, by `one-key` and by `two`. By\n    `three3`; nearby `no`, by nothing `no`") == {
        "one-key",
        "two",
        "three3",
    }


def test_the_chain_sees_marks_in_decorators_and_in_parameters():
    tree = ast.parse("pytestmark = pytest.mark.proof('a')\nx = pytest.param(1, marks=pytest.mark.proof('b'))")
    assert set(marked_keys(tree)) == {"a", "b"}
