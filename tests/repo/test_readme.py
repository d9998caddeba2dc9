"""What the README shows is run as it stands, in an empty folder."""

import re

from repo_support import ROOT

BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def python_blocks(text: str) -> list[tuple[int, str]]:
    """(first line, code) of each python block."""
    return [(text.count("\n", 0, match.start(1)), match.group(1)) for match in BLOCK.finditer(text)]


def run_blocks(text: str, name: str) -> None:
    """Run the blocks one after the other in one namespace; a traceback shows the line of the document."""
    namespace: dict[str, object] = {"__name__": "__readme__"}
    for line, code in python_blocks(text):
        exec(compile("\n" * line + code, name, "exec"), namespace)


def test_the_readme_shows_python_that_runs(tmp_path, monkeypatch):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert python_blocks(text), "the README shows no python block"
    monkeypatch.chdir(tmp_path)
    run_blocks(text, "README.md")


def test_blocks_are_found_with_their_lines_and_share_a_namespace():
    text = "# Title\n\n```python\nx = 1\n```\n\n```sh\nmake\n```\n\n```python\nassert x == 1\n```\n"
    assert python_blocks(text) == [(3, "x = 1\n"), (11, "assert x == 1\n")]
    run_blocks(text, "example")
