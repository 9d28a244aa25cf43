"""The document of an event: an XML tree of elements, attributes and text. The only door to lxml.

XML data is parsed with entities, DTD and network off and within the limits of libxml2 on depth and size; comments and
processing instructions are left out. Other data is lifted and never fails: a member is an element by its name, an array
repeats the element (an array inside an array holds `item` elements), null is an empty element, and a character that XML
cannot hold becomes U+FFFD. Whoever reads a document must not change it: it is shared.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, Protocol, TypeAlias

from lxml import etree

from tocsin.errors import EventProblem, LimitProblem
from tocsin.events.views.names import xml_name
from tocsin.events.views.payload import RDF_XML, Payload, is_xml, media_type

Element: TypeAlias = etree._Element

ROOT = "event"
ITEM = "item"
TEXT = "#text"
"""The key of an element's own text in the attributes, where the element also has attributes or children."""

MAX_CHARACTERS = 4 << 20


class Documented(Payload, Protocol):
    """An event that keeps its document."""

    @property
    def document(self) -> Element:
        """The XML tree."""


_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_LIMIT_CODE = "EventLimitError"


def document_of(event: Payload) -> Element:
    """The root of the event's XML tree; a problem where XML data is malformed, too large or too deep."""
    if event.data is not None and is_xml(media_type(event.envelope)):
        return parse_xml(event.data)
    root = etree.Element(ROOT)
    _fill(root, event.data)
    return root


def parse_xml(data: object) -> Element:
    """The root of an XML text. Its declared encoding is moot, because the text is already decoded."""
    if not isinstance(data, str):
        raise EventProblem(f"XML data is a string, got {type(data).__name__}", token="data")
    if len(data) > MAX_CHARACTERS:
        raise LimitProblem(f"the XML has {len(data):,} characters, the limit is {MAX_CHARACTERS:,}", code=_LIMIT_CODE)
    parser = _parser()
    try:
        root = etree.fromstring(data.encode("utf-8"), parser)
    except UnicodeEncodeError:
        raise EventProblem("malformed XML: half of a surrogate pair is no character") from None
    except etree.XMLSyntaxError as error:
        raise _malformed(error) from None
    _refuse_entities(root, parser)
    return root


def attributes_of(event: Documented) -> dict[str, Any]:
    """XML data as a nested map by local names: text alone is a string, a repeated element a list, `@` marks attributes.

    The names are those inside the root, as the members of a JSON object are. RDF and what is not XML have none.
    """
    kind = media_type(event.envelope)
    if event.data is None or not is_xml(kind) or kind == RDF_XML:
        return {}
    content = _content(event.document)
    return content if isinstance(content, dict) else {TEXT: content} if content else {}


def _parser() -> etree.XMLParser:
    return etree.XMLParser(
        encoding="utf-8",
        resolve_entities=False,
        load_dtd=False,
        dtd_validation=False,
        attribute_defaults=False,
        no_network=True,
        huge_tree=False,
        recover=False,
        remove_comments=True,
        remove_pis=True,
    )


def _malformed(error: etree.XMLSyntaxError) -> EventProblem | LimitProblem:
    if error.code == etree.ErrorTypes.ERR_RESOURCE_LIMIT:  # type: ignore[attr-defined]
        return LimitProblem(f"the XML is too large or too deep: {error.msg}", code=_LIMIT_CODE)
    return EventProblem(f"malformed XML: {error.msg}")


def _refuse_entities(root: Element, parser: etree.XMLParser) -> None:
    """Entities of the document's own DTD, and those that a DTD elsewhere would have to explain."""
    dtd = root.getroottree().docinfo.internalDTD
    if dtd is None:
        return
    unknown = any(entry.type == etree.ErrorTypes.WAR_UNDECLARED_ENTITY for entry in parser.error_log)
    if unknown or next(dtd.iterentities(), None) is not None:  # type: ignore[attr-defined]
        raise EventProblem("XML with entities is refused", hint="write the text where the entity stands")


def _content(element: Element) -> str | dict[str, Any]:
    """The content of an element as a string or a map; one frame per level, libxml2 allows 256."""
    if not len(element) and not element.attrib:
        return element.text or ""
    content: dict[str, Any] = {"@" + _local(name): value for name, value in element.attrib.items()}
    for child in element:
        _add(content, _local(child.tag), _content(child))
    text = (element.text or "") + "".join(child.tail or "" for child in element)
    if text.strip():
        content[TEXT] = text
    return content


def _add(content: dict[str, Any], name: str, value: str | dict[str, Any]) -> None:
    if name not in content:
        content[name] = value
    elif isinstance(content[name], list):
        content[name].append(value)
    else:
        content[name] = [content[name], value]


def _local(name: Any) -> str:
    return str(name).rpartition("}")[2]


def _fill(element: Element, value: Any) -> None:
    """Puts a JSON value inside an element."""
    if isinstance(value, dict):
        for name, member in value.items():
            _append(element, xml_name(name), member)
    elif isinstance(value, list | tuple):
        _append(element, ITEM, value)
    elif value is not None:
        element.text = scalar_text(value)


def _append(parent: Element, name: str, value: Any) -> None:
    """Puts a member inside an element: one element, or one for each item of an array."""
    for item in value if isinstance(value, list | tuple) else (value,):
        _fill(etree.SubElement(parent, name), item)


def scalar_text(value: object) -> str:
    """A scalar as text: `true`, `false`, numbers as JSON writes them, infinity as XML Schema does (`INF`)."""
    if isinstance(value, str):
        return _NOT_XML.sub("\ufffd", value)
    if isinstance(value, float) and math.isinf(value):
        return "INF" if value > 0 else "-INF"
    return json.dumps(value)
