"""A happening: what an actor of the story says took place, before it gets an id, a time and its JSON form."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from tocsin.values.time import Instant, format_instant

_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_MILLISECOND = 1_000


@dataclass(frozen=True, slots=True)
class Happening:
    """Who saw what, the details and, where it has one, the place as (longitude, latitude)."""

    source: str
    type: str
    data: Mapping[str, object]
    place: tuple[float, float] | None = None


def cloudevent(happening: Happening, id_: str, at: Instant) -> str:
    """The happening as one line of CloudEvents JSON."""
    body: dict[str, object] = {
        "specversion": "1.0",
        "id": id_,
        "source": happening.source,
        "type": happening.type,
        "time": format_instant(at - at % _MILLISECOND),
    }
    if happening.place is not None:
        body["place"] = f"POINT ({happening.place[0]:.5f} {happening.place[1]:.5f})"
    body["data"] = happening.data
    return _ENCODER.encode(body)
