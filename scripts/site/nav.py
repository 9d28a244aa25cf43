"""A hook of the site: `*` in the navigation stands for the pages that no other entry names, in
order of their names.

So a page that is added is in the navigation at once, and strictness about pages that are left out
stays on.
"""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Any


def on_config(config: Any) -> Any:
    docs = Path(config["docs_dir"])
    pages = sorted(path.relative_to(docs).as_posix() for path in docs.rglob("*.md"))
    named = set(_pages_in(config["nav"]))
    config["nav"] = _expanded(config["nav"], [page for page in pages if page not in named])
    return config


def _pages_in(entry: Any) -> Iterator[str]:
    if isinstance(entry, str):
        yield entry
    for inner in (
        entry.values() if isinstance(entry, dict) else entry if isinstance(entry, list) else ()
    ):
        yield from _pages_in(inner)


def _expanded(entries: list[Any], free: list[str]) -> list[Any]:
    """The entries with every pattern replaced; what a pattern has taken is not free any more."""
    found: list[Any] = []
    for entry in entries:
        if isinstance(entry, dict):
            found.append({title: _inner(inner, free) for title, inner in entry.items()})
        elif "*" in entry:
            taken = [
                page
                for page in free
                if fnmatch(page, entry) and page.count("/") == entry.count("/")
            ]
            free[:] = [page for page in free if page not in taken]
            found += taken
        else:
            found.append(entry)
    return found


def _inner(inner: Any, free: list[str]) -> Any:
    return _expanded(inner, free) if isinstance(inner, list) else inner
