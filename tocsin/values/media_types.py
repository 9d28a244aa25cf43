"""Media types of data: JSON, XML, RDF and text; by default JSON.

Media types are compared without case and without parameters: `Text/XML; charset=utf-8` is XML.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

JSON = "application/json"
JSON_LD = "application/ld+json"
N_TRIPLES = "application/n-triples"
N_QUADS = "application/n-quads"
RDF_XML = "application/rdf+xml"
TURTLE = "text/turtle"

RDF_TYPES = frozenset((JSON_LD, N_TRIPLES, RDF_XML, TURTLE))

_XML_TYPES = ("application/xml", "text/xml")
_TEXT_TYPES = (N_TRIPLES, "application/javascript", "application/sql", "application/yaml")


def media_type(envelope: Mapping[str, Any]) -> str:
    """Return the type and subtype of the data, in lower case."""
    given = envelope.get("datacontenttype")
    return JSON if given is None else str(given).partition(";")[0].strip().lower()


def is_json(kind: str) -> bool:
    """True if data of the media type is a JSON value."""
    return kind in (JSON, "text/json") or kind.endswith("+json")


def is_xml(kind: str) -> bool:
    """True if data of the media type is an XML document, including RDF/XML."""
    return kind in _XML_TYPES or kind.endswith("+xml")


def is_text(kind: str) -> bool:
    """True if data of the media type is text in UTF-8."""
    return kind.startswith("text/") or kind in _TEXT_TYPES
