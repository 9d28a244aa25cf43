"""The events of a JSON array as texts, each with its problem if it is broken; the others are not
affected.

Valid batches are cut by the fastest parser; only others are examined element by element.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from io import BytesIO

from tocsin.errors import EventProblem, Problem
from tocsin.events.codecs.base.json_values import json_values
from tocsin.service.base.work import checkpoint

Value = tuple[bytes, Problem | None]

_READ = json.JSONDecoder().raw_decode
_BLANK = re.compile(r"[ \t\r\n]*")


def values_of_batch(body: bytes, most: int | None = None) -> Iterator[Value]:
    """Return the elements of an array in order. A valid array is cut after `most` + 1 elements; a
    broken one is read lazily.
    """
    quick = _cut(body, most)
    return iter(quick) if quick is not None else _searched(body)


def _cut(body: bytes, most: int | None) -> list[Value] | None:
    """Return the elements of a JSON array, `most` + 1 at most; None if the text is not valid."""
    try:
        text = body.decode("utf-8-sig")
        at = _after_blank(text, 0)
        if text[at] != "[":
            return None
        at = _after_blank(text, at + 1)
        found: list[Value] = []
        while text[at] != "]":
            _, end = _READ(text, at)
            found.append((text[at:end].encode(), None))
            if most is not None and len(found) > most:
                return found
            checkpoint()
            at = _after_blank(text, end)
            if text[at] == ",":
                at = _after_blank(text, at + 1)
                if text[at] == "]":
                    return None
            elif text[at] != "]":
                return None
        return found if _after_blank(text, at + 1) == len(text) else None
    except (ValueError, IndexError, RecursionError):
        return None


def _searched(body: bytes) -> Iterator[Value]:
    if body.lstrip()[:1] != b"[":
        yield body, EventProblem("a batch is a JSON array of events", hint="write [{...}, {...}]")
        return
    for raw, _, problem in json_values(BytesIO(), body):
        yield raw, problem


def _after_blank(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return at if found is None else found.end()
