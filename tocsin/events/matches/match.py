"""A match of a subscription, and the events constructed from it.

The same match has the same id on every host and every retry.

The content of its members is their ids, the complete events, or each event as RDF. `ids` is the
fixed format alone. `events` adds `members`, CloudEvents objects that can be published again
unchanged. `rdf` adds `members` as Turtle, by the graph view of each event; null for one that has no
graph.

An output of a construction is an event, with the match's events as lineage.

Its id has the number of constructions behind it, so that a loop of subscriptions ends on every
host.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import blake2b
from itertools import pairwise, repeat
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Protocol

from tocsin.errors import MeaningProblem, Problem
from tocsin.events.codecs.base.cloudevents import as_object, from_mapping, json_text
from tocsin.events.event import Event
from tocsin.events.views.graph import graph_in, turtle_of
from tocsin.events.views.json_to_graph import Vocabulary
from tocsin.values.html import table
from tocsin.values.time import Instant, format_instant


class MemberContent(StrEnum):
    """The content of `members` of a match."""

    IDS = "ids"
    EVENTS = "events"
    RDF = "rdf"


class PrefixVocabulary(Vocabulary, Protocol):
    """A vocabulary with its usual prefixes. An ontology is one."""

    @property
    def prefixes(self) -> Mapping[str, str]:
        """The namespaces by prefix."""


def parse_member_content(given: object) -> MemberContent:
    """Return the content of a setting; raises if it is unknown."""
    try:
        return MemberContent(given)  # type: ignore[arg-type]  # any other type is not a content either
    except ValueError:
        raise MeaningProblem(
            f"content {given!r} is not known",
            code="ContentError",
            token="content",
            hint=f"one of {', '.join(MemberContent)}",
        ) from None


def render_members(
    members: Iterable[Event], content: MemberContent, words: PrefixVocabulary | None = None
) -> list[Any]:
    """Return the members as JSON values: CloudEvents objects, or Turtle texts."""
    if content is MemberContent.EVENTS:
        return [as_object(event) for event in members]
    return [turtle(event, words) for event in members]


def turtle(event: Event, words: PrefixVocabulary | None = None) -> str | None:
    """Return the event's graph as Turtle, with the ontology if given; None if it has no graph."""
    try:
        graph = event.graph if words is None else graph_in(event, words)
        return turtle_of(graph, None if words is None else words.prefixes)
    except Problem:
        return None


class MatchFieldSource(Protocol):
    """Renderer of the matches of several events, for the matches that it made."""

    def render_fields(self, match: Match) -> None:
        """Set all derived fields but the id and the place."""
        ...

    def id_of(self, subscription: str) -> str:
        """Return the id of the match of a subscription."""
        ...

    def place_text(self) -> str | None:
        """Return the place of all members together as text, or None."""
        ...


class _LazyFields:
    """Base with a slot for the renderer of a match, so that it is not a field of the match."""

    __slots__ = ("_telling",)


@dataclass(frozen=True, slots=True)
class Match(_LazyFields):
    """One match; `events` and `sources` identify the members in canonical order, times may be
    unknown.

    `members` are the events themselves, by reference, if the host has them; two matches that differ
    in nothing else are equal.
    """

    subscription: str
    events: tuple[str, ...]
    start: Instant | None
    end: Instant | None
    detected: Instant | None
    place: str | None
    id: str
    bindings: Mapping[str, str] = field(default_factory=dict, hash=False)
    outputs: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    members: tuple[Event, ...] = field(default=(), compare=False, repr=False)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Compute a derived field on first access."""
            if name == "_telling":
                return None  # a match of one event, or one with all fields set
            telling: MatchFieldSource | None = self._telling
            if name == "id":
                _set_id(
                    self, _id_of_one(self) if telling is None else telling.id_of(self.subscription)
                )
            elif name == "place":
                set_place(
                    self, self.members[0].place_text if telling is None else telling.place_text()
                )
            elif name not in _WORKED_OUT:
                raise AttributeError(name)
            elif telling is None:
                self._set_fields_from_event()
            else:
                telling.render_fields(self)
            return getattr(self, name)

    def _set_fields_from_event(self) -> None:
        event = self.members[0]
        start, end = (event.interval.start, event.interval.end) if event.interval else (None, None)
        set_derived_fields(self, (event.id,), start, end, {}, (event.source,))
        _set_outputs(self, ())

    @property
    def order(self) -> tuple[bool, int, str, tuple[str, ...], str]:
        """Output order: (detected, subscription, events), untimed first; the id breaks ties."""
        return (
            self.detected is not None,
            self.detected or 0,
            self.subscription,
            self.events,
            self.id,
        )

    def as_json(
        self,
        content: MemberContent | str = MemberContent.IDS,
        words: PrefixVocabulary | None = None,
    ) -> dict[str, Any]:
        """Return the fixed output format, with members as requested; `words` is an ontology, for
        RDF.
        """
        body = {
            "subscription": self.subscription,
            "events": list(self.events),
            "sources": list(self.sources),
            "start": _time(self.start),
            "end": _time(self.end),
            "detected": _time(self.detected),
            "place": self.place,
            "bindings": dict(self.bindings),
            "outputs": list(self.outputs),
            "id": self.id,
        }
        wanted = parse_member_content(content)
        return (
            body
            if wanted is MemberContent.IDS
            else body | {"members": render_members(self.members, wanted, words)}
        )

    def line(
        self,
        content: MemberContent | str = MemberContent.IDS,
        words: PrefixVocabulary | None = None,
    ) -> str:
        """Return the match as one line of JSON."""
        return json_text(self.as_json(content, words))

    def _repr_html_(self) -> str:
        """Return a table for notebooks: the fields of the match, and its members if present."""
        events = zip(self.sources or ("",) * len(self.events), self.events, strict=True)
        rows = [
            ("events", ", ".join(f"{source} {id_}".strip() for source, id_ in events)),
            *((name, _time(getattr(self, name))) for name in ("start", "end", "detected")),
            ("place", self.place),
            *self.bindings.items(),
            *(("output", output) for output in self.outputs),
            *((f"event {each.id}", _data_text(each)) for each in self.members),
        ]
        return table(f"{self.subscription} rang", rows)


def in_output_order(found: Iterable[Match]) -> list[Match]:
    """Sort matches by their order; ids, which are slow to compute, are used only for ties."""
    ordered = sorted(
        found,
        key=lambda match: (
            match.detected is not None,
            match.detected or 0,
            match.subscription,
            match.events,
        ),
    )
    if any(_is_tied(one, other) for one, other in pairwise(ordered)):
        return sorted(ordered, key=lambda match: match.order)
    return ordered


def _is_tied(one: Match, other: Match) -> bool:
    return (
        one.subscription == other.subscription
        and one.events == other.events
        and one.detected == other.detected
    )


def deduplicate(found: Sequence[Match]) -> Sequence[Match]:
    """Return the first match of each id: occurrences with equal members are one match.

    Ids are slow to compute, and those of different subscriptions differ.
    """
    if len(found) < 2 or len({match.subscription for match in found}) == len(found):
        return found
    matches: dict[str, Match] = {}
    for match in found:
        matches.setdefault(match.id, match)
    return list(matches.values())


_DERIVED_FIELDS = ("events", "start", "end", "detected", "bindings", "sources")
_WORKED_OUT = (*_DERIVED_FIELDS, "outputs")
_set_events, _set_start, _set_end, _set_detected, _set_bindings, _set_sources = (
    Match.__dict__[name].__set__ for name in _DERIVED_FIELDS
)
_set_subscription, set_place, _set_members, _set_id, _set_outputs = (
    Match.__dict__[name].__set__ for name in ("subscription", "place", "members", "id", "outputs")
)
_set_field_source = _LazyFields.__dict__["_telling"].__set__
_make = object.__new__
_has_plain_place = attrgetter("has_plain_place")


def lazy_match(
    subscription: str,
    members: tuple[Event, ...],
    outputs: tuple[str, ...],
    source: MatchFieldSource,
) -> Match:
    """Return a match whose other fields are computed on first access; that must not be able to
    fail.
    """
    match = _make(Match)
    _set_subscription(match, subscription)
    _set_members(match, members)
    _set_outputs(match, outputs)
    _set_field_source(match, source)
    return match


def lazy_matches(
    subscriptions: Sequence[str],
    members: Iterable[tuple[Event, ...]],
    sources: Iterable[MatchFieldSource],
) -> list[Match]:
    """Return such matches without outputs, made by column."""
    matches = list(map(_make, repeat(Match, len(subscriptions))))
    _set_all(_set_subscription, matches, subscriptions)
    _set_all(_set_members, matches, members)
    _set_all(_set_outputs, matches, repeat(()))
    _set_all(_set_field_source, matches, sources)
    return matches


def set_derived_fields(
    match: Match,
    events: tuple[str, ...],
    start: Instant | None,
    end: Instant | None,
    bindings: Mapping[str, str],
    sources: tuple[str, ...],
) -> None:
    """Set the derived fields of a match, which is detected when it ends."""
    _set_events(match, events)
    _set_start(match, start)
    _set_end(match, end)
    _set_detected(match, end)
    _set_bindings(match, bindings)
    _set_sources(match, sources)


def _id_of_one(match: Match) -> str:
    return match_id(match.subscription, (match.members[0].identity,))


def match_of_event(subscription: str, event: Event) -> Match:
    """Return the match of an atomic subscription: it is detected when its one event ends.

    Matches are many, and few are read: other fields are computed on first access, except for a
    place that may not be valid as WKT.
    """
    match = _make(Match)
    _set_subscription(match, subscription)
    _set_members(match, (event,))
    if not event.has_plain_place:
        set_place(match, event.place_text)
    return match


def matches_of_events(subscriptions: Sequence[str], events: Sequence[Event]) -> list[Match]:
    """Return the matches of pairs of subscription and event; half the cost, as fields are set by
    column.
    """
    matches = list(map(_make, repeat(Match, len(events))))
    _set_all(_set_subscription, matches, subscriptions)
    _set_all(_set_members, matches, zip(events))
    if not all(map(_has_plain_place, events)):
        for match, event in zip(matches, events, strict=True):
            if not event.has_plain_place:
                set_place(match, event.place_text)
    return matches


def _set_all(set_field: Callable[[Match, Any], None], matches: list[Match], values: Any) -> None:
    deque(map(set_field, matches, values), 0)


def match_id(subscription: str, identities: Sequence[tuple[str, str]]) -> str:
    """Return the id of a match that is identified by its subscription and its members alone."""
    return hashed_id(
        subscription, length_prefixed([text for identity in identities for text in identity])
    )


def hashed_id(subscription: str, constituents: str) -> str:
    """Return the id of a match from its length-prefixed members, shared by many subscriptions."""
    return blake2b(
        f"{len(subscription)}:{subscription}{constituents}".encode(), digest_size=16
    ).hexdigest()


def length_prefixed(parts: Iterable[str]) -> str:
    """Join the parts, each prefixed by its length, so that different lists give different texts."""
    return "".join([f"{len(part)}:{part}" for part in parts])


def _data_text(event: Event) -> str:
    return event.data if isinstance(event.data, str) else json_text(event.data)


def _time(instant: Instant | None) -> str | None:
    return None if instant is None else format_instant(instant)


HOP_LIMIT = 16
"""The number of constructions that may follow one another."""

SOURCE = "tocsin/"
"""The beginning of the source of constructed events, before the subscription."""

ID_PATTERN = r"^constructed-([0-9]{1,3})-"
"""The beginning of the id of constructed events; the group is the number of hops."""


def hops_behind(id: str) -> int:
    """Return the number of constructions behind an event id; 0 if it was not constructed."""
    found = re.match(ID_PATTERN, id)
    return int(found[1]) if found else 0


def hops_of(match: Match) -> int:
    """Return the number of constructions behind the outputs of a match."""
    return 1 + max(map(hops_behind, match.events), default=0)


def constructed_events(match: Match) -> list[Event]:
    """Return the events of the outputs of a match; [] past the limit of hops."""
    return (
        []
        if hops_of(match) > HOP_LIMIT
        else [from_mapping(body) for body in constructed_bodies(match)]
    )


def constructed_bodies(match: Match) -> list[dict[str, object]]:
    """Return the outputs of a match as CloudEvents objects, without a limit."""
    hops = hops_of(match)
    time = {} if match.detected is None else {"time": format_instant(match.detected)}
    return [
        {
            "specversion": "1.0",
            "id": f"constructed-{hops}-{match.id}-{number}",
            "source": f"{SOURCE}{match.subscription}",
            "type": "constructed",
            **time,
            "datacontenttype": "application/xml",
            "lineage": " ".join(match.events),
            "hops": hops,
            "data": text,
        }
        for number, text in enumerate(match.outputs, 1)
    ]
