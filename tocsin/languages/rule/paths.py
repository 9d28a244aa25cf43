"""Names of attributes as paths: `ce_id` and its like lead into the envelope, dots into objects."""

from __future__ import annotations

import re

from tocsin.events.event import ENVELOPE, INSTANT, Path

ENVELOPE_NAMES = frozenset(
    ("id", "source", "type", "time", "endtime", "subject", "datacontenttype", "dataschema")
)
_STEP = re.compile(r"`([^`]+)`|([^.`]+)")
_TIMES = ((ENVELOPE, "time"), (ENVELOPE, "endtime"))


def path_of(name: str) -> Path:
    """Return the path of a name; backticks make one step."""
    prefix, _, rest = name.partition("_")
    if prefix == "ce" and rest in ENVELOPE_NAMES:
        return (ENVELOPE, rest)
    return tuple(quoted or plain for quoted, plain in _STEP.findall(name))


def is_time(path: Path) -> bool:
    """True if a path leads to a time of the envelope."""
    return path in _TIMES


def as_instant(path: Path) -> Path:
    """Return the path to a time of the envelope as a number of microseconds."""
    return (*path, INSTANT)
