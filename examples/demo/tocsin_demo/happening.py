"""A happening: what an actor of the story says took place, before it gets an id, a time and its
JSON form.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from tocsin.values.time import Instant, format_instant

_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_MILLISECOND = 1_000


@dataclass(frozen=True, slots=True)
class Happening:
    """Who saw what, the details and, where it has one, the place as (longitude, latitude).

    The details are a JSON object or, with a `media_type`, a text of that type.
    """

    source: str
    type: str
    data: Mapping[str, object] | str
    place: tuple[float, float] | None = None
    media_type: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """A happening of a story that was made up as a whole, with its id, and when it happens and
    arrives.
    """

    id: str
    at: Instant
    happening: Happening


class Tale(Protocol):
    """Something of the day that was made up as a whole, so that what truly becomes of it is
    known.
    """

    def reports(self) -> Iterable[Report]:
        """What is told of it."""
        ...


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
    if happening.media_type:
        body["datacontenttype"] = happening.media_type
    body["data"] = happening.data
    return _ENCODER.encode(body)
