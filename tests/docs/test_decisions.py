"""The index of decisions names every note once, and no note that does not exist."""

from __future__ import annotations

import re
from pathlib import Path

NOTES = Path(__file__).resolve().parents[2] / "docs" / "decisions"


def test_every_note_is_in_the_index_once() -> None:
    listed = re.findall(r"\]\((\d{4}-[^)]+\.md)\)", (NOTES / "by-topic.md").read_text())
    assert sorted(listed) == sorted(path.name for path in NOTES.glob("[0-9]*.md"))


def test_numbers_are_given_once() -> None:
    numbers = [path.name[:4] for path in NOTES.glob("[0-9]*.md")]
    assert len(set(numbers)) == len(numbers)
