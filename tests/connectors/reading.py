"""Files written and read: what a test of connectors starts with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.builders import event_json
from tocsin.connectors.events import ReadOptions, read_items
from tocsin.connectors.files import input_files
from tocsin.errors import Problem
from tocsin.events.codecs.decode import FileItem
from tocsin.events.event import Event


def event(id: str, **data: Any) -> dict[str, Any]:
    return event_json(id, data=data)


def lines_of(*items: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(item).encode() + b"\n" for item in items)


GOOD = [event(str(number), price=number) for number in range(1, 6)]
GOOD_IDS = [each["id"] for each in GOOD]


def written(folder: Path, name: str, content: bytes | str) -> str:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(path)


def pieces(path: str, reading: ReadOptions | None = None) -> list[FileItem]:
    return [
        piece
        for file in input_files([path])
        for piece in read_items(file, reading or ReadOptions())
    ]


def read(
    path: str, reading: ReadOptions | None = None
) -> tuple[list[Event], list[tuple[int, Problem]]]:
    """The events of a file, and the line and problem of what is none."""
    events: list[Event] = []
    problems: list[tuple[int, Problem]] = []
    for piece in pieces(path, reading):
        try:
            events += piece.events()
        except Problem as problem:
            problems.append((piece.line, problem))
    return events, problems


def ids(events: list[Event]) -> list[str]:
    return [each.id for each in events]
