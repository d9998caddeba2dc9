"""The documents lead where they say, and the table of contents is complete."""

import re

import pytest

from repo_support import PROOFS, ROOT

LINK = re.compile(r"\]\((?!https?://|#|mailto:)([^)#\s]+)")
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(document):
    targets = LINK.findall(document.read_text(encoding="utf-8"))
    lost = [target for target in targets if not (document.parent / target).exists()]
    assert not lost


def test_every_proof_is_in_the_table_of_contents():
    listed = set(re.findall(r"\(proofs/([a-z0-9-]+)\.md\)", (ROOT / "docs" / "index.md").read_text(encoding="utf-8")))
    assert listed == {path.stem for path in PROOFS.glob("*.md")}


def test_every_page_is_in_the_table_of_contents():
    listed = set(re.findall(r"\(([a-z0-9-]+)\.md\)", (ROOT / "docs" / "index.md").read_text(encoding="utf-8")))
    assert listed >= {path.stem for path in (ROOT / "docs").glob("*.md")} - {"index"}
