"""The attributes of events: their paths as written in a subscription, the types of their values,
how often they occur, and examples.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from tocsin.errors import Problem
from tocsin.events.event import Event
from tocsin.plan.explain.atoms import path_text
from tocsin.values.scalars import ENVELOPE, Path

EXAMPLES = 5
MAX_PATHS = 2_000
DEEPEST = 8
LONGEST_EXAMPLE = 80

_TYPES = {str: "string", bool: "boolean", int: "number", float: "number", list: "list"}


@dataclass(slots=True)
class _Seen:
    types: set[str] = field(default_factory=set)
    count: int = 0
    examples: dict[object, None] = field(default_factory=dict)

    def note(self, value: object) -> None:
        self.types.add(_TYPES.get(type(value), "other"))
        self.count += 1
        if len(self.examples) < EXAMPLES and isinstance(value, str | int | float):
            shown = value[:LONGEST_EXAMPLE] if isinstance(value, str) else value
            self.examples[shown] = None


def attributes_seen(events: Iterable[Event]) -> list[dict[str, Any]]:
    """Return the attributes of events, the most frequent first."""
    seen: dict[Path, _Seen] = {}
    for event in events:
        for path, value in _paths(event):
            if path in seen or len(seen) < MAX_PATHS:
                seen.setdefault(path, _Seen()).note(value)
    told = [
        {
            "path": path_text(path),
            "types": sorted(each.types),
            "count": each.count,
            "examples": list(each.examples),
        }
        for path, each in seen.items()
    ]
    return sorted(told, key=lambda each: (-each["count"], each["path"]))


def _paths(event: Event) -> Iterator[tuple[Path, Any]]:
    """Yield every path of an event that leads to a value, envelope attributes included."""
    with suppress(Problem):
        yield from _inside((), event.attributes)
    for name, value in event.envelope.items():
        yield (ENVELOPE, name), value


def _inside(path: Path, members: Mapping[str, Any]) -> Iterator[tuple[Path, Any]]:
    for name, value in members.items():
        inner = (*path, name)
        if isinstance(value, dict):
            if len(inner) < DEEPEST:
                yield from _inside(inner, value)
        elif value is not None and name:
            yield inner, value
