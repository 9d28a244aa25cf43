"""What a listener hears of a stream of Server-Sent Events."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx


def messages(answer: httpx.Response) -> Iterator[tuple[str | None, Any]]:
    """The id and the value of each message, those without data left out."""
    id: str | None = None
    for line in answer.iter_lines():
        name, _, value = line.partition(": ")
        if name == "id":
            id = value
        elif name == "data":
            yield id, json.loads(value)
