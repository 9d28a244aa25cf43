"""The event: one model for all languages. Identity is (source, id); order is (end, start, source,
id).

The canonical order has each identity once, so that results never depend on arrival, batches or
partitions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tocsin.errors import EventProblem, LimitProblem
from tocsin.lazy_import import LazyModule
from tocsin.values.scalars import ENVELOPE, INSTANT, Path
from tocsin.values.space import Geometry, format_place, read_place
from tocsin.values.time import Instant, Interval

if TYPE_CHECKING:
    from tocsin.events.views import document as documents
    from tocsin.events.views import graph as graphs
    from tocsin.events.views.document import Element
    from tocsin.events.views.graph import Graph
else:
    documents = LazyModule("tocsin.events.views.document")
    graphs = LazyModule("tocsin.events.views.graph")
import json
from collections.abc import Iterable
from operator import attrgetter

import numpy as np
import numpy.typing as npt

_NOTHING: Mapping[str, Any] = {}
UNTIMED: Instant = -(2**63)
"""The end of an event without a time; lower than every valid instant."""


class Event:
    """One event. Built by a codec, never changed afterwards; views are derived on first access."""

    __slots__ = (
        "_attributes",
        "_document",
        "_graph",
        "_place",
        "_place_text",
        "data",
        "envelope",
        "id",
        "interval",
        "place_source",
        "source",
        "type",
    )

    has_plain_place = False
    """True if its place, if any, is certainly a point, which can always be written as WKT."""

    def __init__(
        self,
        envelope: Mapping[str, Any],
        data: object,
        interval: Interval | None,
        place_source: object = None,
    ) -> None:
        self.id: str = envelope["id"]
        self.source: str = envelope["source"]
        self.type: str = envelope["type"]
        self.envelope = envelope
        self.data = data
        self.interval = interval
        self.place_source = place_source
        self._place: Geometry | None = None
        self._place_text: str | None = None

    @property
    def identity(self) -> tuple[str, str]:
        """The identity; a second event with the same pair is a duplicate."""
        return (self.source, self.id)

    @property
    def order(self) -> tuple[Instant, Instant, str, str]:
        """The canonical order key; an event without a time is before all others."""
        if self.interval is None:
            return (UNTIMED, UNTIMED, self.source, self.id)
        return (self.interval.end, self.interval.start, self.source, self.id)

    @property
    def place(self) -> Geometry | None:
        """The geometry of the event, or None if it has no place."""
        if self._place is None and self.place_source is not None:
            self._place = read_place(self.place_source)
        return self._place

    @property
    def place_text(self) -> str | None:
        """The place as WKT, or None; computed once for all matches."""
        if self._place_text is None and self.place is not None:
            self._place_text = format_place(self.place)
        return self._place_text

    @property
    def attributes(self) -> Mapping[str, Any]:
        """Data as a nested map; empty unless data is a JSON object or XML."""
        if isinstance(self.data, dict):
            return self.data
        return self._text_attributes if isinstance(self.data, str) else _NOTHING

    @property
    def _text_attributes(self) -> Mapping[str, Any]:
        try:
            return self._attributes
        except AttributeError:
            self._attributes: Mapping[str, Any] = documents.attributes_of(self)
            return self._attributes

    @property
    def document(self) -> Element:
        """Data as an XML tree, not to be changed; raises EventProblem if XML data is malformed."""
        try:
            return self._document
        except AttributeError:
            self._document: Element = documents.document_of(self)
            return self._document

    @property
    def graph(self) -> Graph:
        """Data as RDF with a home vertex, lifted with the default vocabulary.

        Raises EventProblem if RDF data is malformed.
        """
        try:
            return self._graph
        except AttributeError:
            self._graph: Graph = graphs.graph_of(self)
            return self._graph

    def attribute(self, path: Path) -> Any:
        """Return the value at a path, or None."""
        if len(path) == 1:
            return self.attributes.get(path[0])
        if len(path) == 3 and path[0] == ENVELOPE:
            return self._measured_time(path[1], path[2])
        return value_at(self.attributes, self.envelope, path)

    def _measured_time(self, name: str, unit: str) -> int | None:
        if self.interval is None:
            return None
        instant = self.interval.start if name == "time" else self.interval.end
        return instant if unit == INSTANT else instant // 1000

    def __reduce__(self) -> tuple[object, ...]:
        # views are derived again
        return (
            Event,
            (self.envelope, self.data, self.interval, self.place_source),
        )

    def __repr__(self) -> str:
        return f"Event({self.source!r}, {self.id!r})"


def value_at(attributes: Mapping[str, Any], envelope: Mapping[str, Any], path: Path) -> Any:
    """Return the value at a path in an event's attributes or envelope, or None.

    Without endtime, the path of the endtime gives the time.
    """
    if len(path) == 1:
        return attributes.get(path[0])
    if path[0] == ENVELOPE:
        given = envelope.get(path[1])
        return envelope.get("time") if given is None and path[1] == "endtime" else given
    value: Any = attributes
    for step in path:
        if not isinstance(value, dict):
            return None
        value = value.get(step)
    return value


def document_to_match(event: Event) -> Element | None:
    """Return the event's document, or None if it is malformed.

    Then no block matches, and hosts report the reason.
    """
    try:
        return event.document
    except (EventProblem, LimitProblem):
        return None


Ends = npt.NDArray[np.int64]
"""The ends of events as a column; UNTIMED for those without a time."""

MANY = 32
"""The number of events from which they are sorted by columns."""

_ORDER, _IDENTITY = attrgetter("order"), attrgetter("source", "id")


def ends_of(events: Iterable[Event]) -> Ends:
    """Return the end of each event."""
    intervals = [event.interval for event in events]
    ends = [UNTIMED if interval is None else interval.end for interval in intervals]
    return np.array(ends, np.int64)


def ordered_by(events: list[Event], ends: Ends) -> list[Event]:
    """Sort events by (end, start, source, id): by their ends, then ties by the rest of the key.

    Most input is sorted already, which is checked first.
    """
    if (ends[1:] > ends[:-1]).all():
        return events
    places = np.argsort(ends, kind="stable")
    ordered, ends = [events[place] for place in places.tolist()], ends[places]
    cuts = np.flatnonzero(ends[1:] != ends[:-1]) + 1
    firsts, lasts = np.append(0, cuts), np.append(cuts, len(ends))
    tied = lasts - firsts > 1
    for first, last in zip(firsts[tied].tolist(), lasts[tied].tolist(), strict=True):
        ordered[first:last] = sorted(ordered[first:last], key=_ORDER)
    return ordered


def in_canonical_order(events: Iterable[Event]) -> list[Event]:
    """Return events by (end, start, source, id), each identity once.

    Of several events with one identity the first in this order counts; if their times are equal
    too, the one whose content sorts first, so that the choice does not depend on arrival.
    """
    given = list(events)
    many = len(given) >= MANY
    ordered = ordered_by(given, ends_of(given)) if many else sorted(given, key=_ORDER)
    if len(set(map(_IDENTITY, ordered))) == len(ordered):
        return ordered
    first: dict[tuple[str, str], Event] = {}
    for event in ordered:
        known = first.setdefault(event.identity, event)
        if known is not event and known.order == event.order and content(event) < content(known):
            first[event.identity] = event
    return list(first.values())


def content(event: Event) -> str:
    """Return the event as text that does not depend on the order of members."""
    return json.dumps(
        [event.envelope, event.data, event.place_source], sort_keys=True, ensure_ascii=False
    )


_NOT_CONTEXT = ("data", "data_base64", "place")
_read_text = json.JSONDecoder().scan_once  # type: ignore[attr-defined]


class ScannedEvent(Event):
    """An event with its text and the position of its data in it; -1 if it has none.

    The scanner guarantees that the strict reader would accept the text, that the place is at most a
    plain point, and that there is no EPCIS inside, so that all views equal those of the event that
    the strict reader would make.
    """

    __slots__ = ("_begin", "_end", "raw")

    has_plain_place = True

    def __init__(
        self,
        raw: bytes,
        id: str,
        source: str,
        type: str,
        interval: Interval | None,
        begin: int,
        end: int,
        has_place: bool,
    ) -> None:
        self.id = id
        self.source = source
        self.type = type
        self.interval = interval
        self.raw = raw
        self._begin = begin
        self._end = end
        if not has_place:
            self.place_source = None
        self._place = None
        self._place_text = None

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Decode the data or the envelope when an empty slot is read."""
            if name == "data":
                self.data = self._read_data()
            elif name in ("envelope", "place_source"):
                self._read_envelope()
            else:
                raise AttributeError(name)
            return getattr(self, name)

    def _read_data(self) -> object:
        if self._begin < 0:
            return None
        return _read_text(self.raw[self._begin : self._end].decode(), 0)[0]

    def _read_envelope(self) -> None:
        members = json.loads(self.raw)
        self.place_source = members.get("place")
        for name in _NOT_CONTEXT:
            members.pop(name, None)
        self.envelope = {name: given for name, given in members.items() if given is not None}
