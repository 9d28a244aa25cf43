"""Early validation: views are derived on first access, so a host that must know at once checks
here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tocsin.events.views.payload import RDF_TYPES, is_xml, media_type

if TYPE_CHECKING:
    from tocsin.events.views.graph import Viewed


def check(event: Viewed) -> None:
    """Raise EventProblem or LimitProblem if data is not what its media type says; then views cannot
    fail.

    The parsed views are kept by the event. JSON and plain text are valid already, so they cost
    nothing here; only the graph of a very large JSON event is refused later, on access.
    """
    kind = media_type(event.envelope)
    if event.data is None:
        return
    if is_xml(kind):
        _ = event.document
    if kind in RDF_TYPES:
        _ = event.graph
