"""Early refusal: views are derived when first asked for, so a host that wants to know at once asks
here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tocsin.events.views.payload import RDF_TYPES, is_xml, media_type

if TYPE_CHECKING:
    from tocsin.events.views.graph import Viewed


def check(event: Viewed) -> None:
    """Raises EventProblem or LimitProblem where data is not what its media type says; after it no
    such view can fail.

    What is parsed here is kept by the event. JSON and plain text have their views, so they cost
    nothing here; only the graph of a very large JSON event is refused when it is asked for.
    """
    kind = media_type(event.envelope)
    if event.data is None:
        return
    if is_xml(kind):
        _ = event.document
    if kind in RDF_TYPES:
        _ = event.graph
