"""Every link between pages leads somewhere; docs/papers.md keeps its promise: each row has its
place and its reason.

A link to a test or a scenario file names what to look for there: the words of the link stand in the
file.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
PAPERS = ROOT / "docs" / "papers.md"
LINK = re.compile(r"!?\[(?P<words>[^\]]*)\]\((?P<target>[^)\s]+)\)")
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
OUTSIDE = ("http://", "https://", "mailto:")


def links_of(page: Path) -> list[tuple[str, str]]:
    text = FENCED.sub("", page.read_text())
    found = [(link["words"], link["target"]) for link in LINK.finditer(text)]
    return [(words, target) for words, target in found if not target.startswith(OUTSIDE)]


def headings_of(page: Path) -> set[str]:
    """The anchors that a page of Markdown has, as the common renderers make them."""
    lines = FENCED.sub("", page.read_text()).splitlines()
    titles = [line.lstrip("#").strip().lower() for line in lines if line.startswith("#")]
    return {re.sub(r"[^\w\- ]", "", title).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for words, target in links_of(page):
        path, _, anchor = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        assert there.exists(), f"{page.name}: [{words}]({target})"
        if anchor:
            assert anchor in headings_of(there), (
                f"{page.name}: [{words}]({target}) has no such heading"
            )


def rows_of(page: Path) -> list[list[str]]:
    lines = [line for line in page.read_text().splitlines() if line.startswith("|")]
    rows = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip("|"))] for line in lines]
    rules = [number for number, row in enumerate(rows) if set("".join(row)) <= set("-: ")]
    heads = {number - 1 for number in rules}
    return [row for number, row in enumerate(rows) if number not in heads and number not in rules]


def test_every_row_of_the_papers_has_a_place_and_says_what_differs() -> None:
    rows = rows_of(PAPERS)
    assert len(rows) > 70, "five papers have more to tell"
    for row in rows:
        assert len(row) == 3, row
        assert LINK.search(row[1]), f"no place for: {row[0]}"
        assert row[2], f"says not what differs: {row[0]}"
        if row[2].startswith("differs"):
            assert len(row[2]) > len("differs: because"), f"no reason: {row[0]}"


def test_the_tests_that_the_papers_page_names_are_there() -> None:
    named = [(words, target) for words, target in links_of(PAPERS) if "/tests/" in target]
    assert len(named) > 15
    for words, target in named:
        text = (PAPERS.parent / target).read_text()
        assert words.strip("`") in text, f"{target} has no {words}"
