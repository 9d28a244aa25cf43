"""Content of the members of a match: their ids, the complete events, or each event as RDF.

`ids` is the fixed format alone. `events` adds `members`, CloudEvents objects that can be published
again unchanged. `rdf` adds `members` as Turtle, by the graph view of each event; null for one that
has no graph.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, Protocol

from tocsin.errors import MeaningProblem, Problem
from tocsin.events.codecs.base.cloudevents import as_object
from tocsin.events.event import Event
from tocsin.events.views.graph import graph_in
from tocsin.events.views.json_to_graph import Vocabulary
from tocsin.events.views.turtle import turtle_of


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
