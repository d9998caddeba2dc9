"""What README and documentation show is run as it stands, page by page, in an empty folder."""

import re
from pathlib import Path

import pytest

from repo_support import ROOT

BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def python_blocks(text: str) -> list[tuple[int, str]]:
    """(first line, code) of each python block."""
    return [(text.count("\n", 0, match.start(1)), match.group(1)) for match in BLOCK.finditer(text)]


def run_blocks(text: str, name: str) -> None:
    """Run the blocks one after the other in one namespace; a traceback shows the line of the document."""
    namespace: dict[str, object] = {"__name__": "__document__"}
    for line, code in python_blocks(text):
        exec(compile("\n" * line + code, name, "exec"), namespace)


PAGES = [
    page
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
    if python_blocks(page.read_text("utf-8"))
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_in_a_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run_blocks(page.read_text("utf-8"), page.name)


def test_the_readme_and_the_guides_show_python() -> None:
    assert {"README.md", "estimators.md", "ledger.md"} <= {page.name for page in PAGES}


def test_blocks_are_found_with_their_lines_and_share_a_namespace() -> None:
    text = "# Title\n\n```python\nx = 1\n```\n\n```sh\nmake\n```\n\n```python\nassert x == 1\n```\n"
    assert python_blocks(text) == [(3, "x = 1\n"), (11, "assert x == 1\n")]
    run_blocks(text, "example")
