"""`python -m scripts.ways`: the files of the package that an event runs through in the Hub.

Only calls count, and only after some events: what is loaded when it is first used is loaded then.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import tocsin
from tocsin import rule

_PACKAGE = f"{Path(tocsin.__file__).parent}/"


@contextmanager
def record_files() -> Iterator[set[str]]:
    """Yield a set of the files of the package whose functions are called inside the block."""
    files: set[str] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        name = frame.f_code.co_filename
        if event == "call" and name.startswith(_PACKAGE):
            files.add(name.removeprefix(_PACKAGE))

    sys.setprofile(note)
    try:
        yield files
    finally:
        sys.setprofile(None)


def files_of_event() -> list[str]:
    """Return the files of an event that a selector matches."""
    with tocsin.Hub() as hub:
        heard: list[tocsin.Match] = []
        hub.subscribe("price < 400 AND kind = 'laptop'", id="cheap", to=heard.append)
        data: dict[str, object] = {"price": 300, "kind": "laptop"}
        hub.publish(_event(1, data), _event(2, data))
        with record_files() as files:
            hub.publish(_event(3, data))
    assert len(heard) == 3
    return sorted(files)


def files_of_rule() -> list[str]:
    """Return the files of the second event of a sequence, until it rings."""
    left, arrived = rule.event("move", "kind = 'left'"), rule.event("move", "kind = 'arrived'")
    trip = left.then(arrived, within="2h").for_each("parcel").named("trip")
    with tocsin.Hub() as hub:
        heard: list[tocsin.Match] = []
        hub.subscribe(trip, to=heard.append)
        first: dict[str, object] = {"kind": "left", "parcel": "p"}
        second: dict[str, object] = {"kind": "arrived", "parcel": "p"}
        hub.publish(_event(1, first), _event(2, second), _event(3, first))
        hub.advance_to("2026-01-01T00:03:30Z")
        with record_files() as files:
            hub.publish(_event(4, second))
            hub.advance_to("2026-01-01T00:04:30Z")
    assert len(heard) == 2
    return sorted(files)


def _event(minute: int, data: dict[str, object]) -> dict[str, object]:
    time = f"2026-01-01T00:{minute:02}:00Z"
    return {"id": str(minute), "source": "depot", "type": "move", "time": time, "data": data}


if __name__ == "__main__":
    for files in (files_of_event(), files_of_rule()):
        print(len(files), *files)
