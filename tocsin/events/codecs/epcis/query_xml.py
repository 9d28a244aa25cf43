"""Queries in XML: the parameters of a Poll or Subscribe element as the JSON object of the same
query.
"""

from __future__ import annotations

from typing import Any

from tocsin.events.codecs.epcis.field_readers import wrong
from tocsin.events.codecs.epcis.from_xml import content, fields, local
from tocsin.events.views.document import Element

QUERIES = ("Poll", "Subscribe")
SIMPLE_EVENT_QUERY = "SimpleEventQuery"


def parameters_of(query: Element) -> dict[str, Any]:
    """Return values by parameter name: a list if the value has items, else its text."""
    name = next((content(child) for key, child in fields(query) if key == "queryName"), "")
    if name != SIMPLE_EVENT_QUERY:
        reason = f"queryName {name!r} is not served" if name else "queryName is missing"
        raise wrong(
            f"{local(query)}.queryName", reason, f"the query served is {SIMPLE_EVENT_QUERY}"
        )
    found: dict[str, Any] = {}
    for parameter in (element for element in query.iter() if local(element) == "param"):
        parts = dict(fields(parameter))
        if "name" not in parts or not content(parts["name"]):
            raise wrong("params.param.name", "name is missing")
        found[content(parts["name"])] = _value(content(parts["name"]), parts.get("value"))
    return found


def _value(name: str, element: Element | None) -> Any:
    if element is None:
        raise wrong(name, f"the parameter {name} has no value")
    return [content(item) for item in element] if len(element) else content(element)
