"""How much of its members a match tells: their ids, the complete events, or each event as RDF.

`ids` is the fixed format alone. `events` adds `members`, CloudEvents objects that can be published
again as they are. `rdf` adds `members` as Turtle, by the graph view of each event; one that has no
graph is null in its place.
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


class Content(StrEnum):
    """What `members` of a match are."""

    IDS = "ids"
    EVENTS = "events"
    RDF = "rdf"


class Words(Vocabulary, Protocol):
    """A vocabulary with the prefixes that its people use. An ontology is one."""

    @property
    def prefixes(self) -> Mapping[str, str]:
        """Prefixes and the namespaces that they stand for."""


def content_named(given: object) -> Content:
    """The content that a setting asks for; a problem where there is no such."""
    try:
        return Content(given)  # type: ignore[arg-type]  # what is no text is no content either
    except ValueError:
        raise MeaningProblem(
            f"content {given!r} is not known",
            code="ContentError",
            token="content",
            hint=f"one of {', '.join(Content)}",
        ) from None


def members_told(
    members: Iterable[Event], content: Content, words: Words | None = None
) -> list[Any]:
    """The members as JSON values: objects that are CloudEvents, or texts that are Turtle."""
    if content is Content.EVENTS:
        return [as_object(event) for event in members]
    return [turtle(event, words) for event in members]


def turtle(event: Event, words: Words | None = None) -> str | None:
    """The event's graph as Turtle, in the words of an ontology where there is one; None where it
    has no graph.
    """
    try:
        graph = event.graph if words is None else graph_in(event, words)
        return turtle_of(graph, None if words is None else words.prefixes)
    except Problem:
        return None
