"""What notebooks show: small HTML without scripts or styles of its own, every text escaped, long
ones cut.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

_LONGEST_VALUE = 2_000
_LONGEST_TEXT = 50_000


def preformatted(lines: Iterable[str]) -> str:
    """Lines as they are."""
    return f"<pre>{_safe(chr(10).join(lines), _LONGEST_TEXT)}</pre>"


def table(title: str, rows: Iterable[tuple[str, str | None]]) -> str:
    """A title and a row for each value; what is not known has no row."""
    cells = (
        f"<tr><th>{_safe(name)}</th><td>{_safe(value)}</td></tr>" for name, value in rows if value
    )
    return f"<table><caption>{_safe(title)}</caption>{''.join(cells)}</table>"


def _safe(text: str, longest: int = _LONGEST_VALUE) -> str:
    whole = len(text) <= longest
    return escape(text if whole else f"{text[:longest]} ... ({len(text):,} characters)")
