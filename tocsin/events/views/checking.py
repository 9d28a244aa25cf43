"""Early refusal: views are derived when first asked for, so a host that wants to know at once asks here."""

from __future__ import annotations

from typing import Protocol

from tocsin.events.views.document import Documented
from tocsin.events.views.graph import Graph
from tocsin.events.views.payload import RDF_TYPES, is_xml, media_type


class Viewed(Documented, Protocol):
    """An event with its views."""

    @property
    def graph(self) -> Graph:
        """The RDF graph."""


def check(event: Viewed) -> None:
    """Raises EventProblem or LimitProblem where data is not what its media type says; after it no view can fail.

    What is parsed here is kept by the event. JSON and plain text always have their views, so they cost nothing here.
    """
    kind = media_type(event.envelope)
    if event.data is None:
        return
    if is_xml(kind):
        _ = event.document
    if kind in RDF_TYPES:
        _ = event.graph
