"""Small HTML for notebooks: no scripts, no styles, every text escaped, long texts cut."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

_LONGEST_VALUE = 2_000
_LONGEST_TEXT = 50_000


def preformat(lines: Iterable[str]) -> str:
    """Return the lines as preformatted text."""
    return f"<pre>{_safe(chr(10).join(lines), _LONGEST_TEXT)}</pre>"


def table(title: str, rows: Iterable[tuple[str, str | None]]) -> str:
    """Return a table with a title and a row per value; unknown values have no row."""
    cells = (
        f"<tr><th>{_safe(name)}</th><td>{_safe(value)}</td></tr>" for name, value in rows if value
    )
    return f"<table><caption>{_safe(title)}</caption>{''.join(cells)}</table>"


def _safe(text: str, longest: int = _LONGEST_VALUE) -> str:
    whole = len(text) <= longest
    return escape(text if whole else f"{text[:longest]} ... ({len(text):,} characters)")
