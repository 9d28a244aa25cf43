"""The document of an event: an XML tree of elements, attributes and text. The only module that
imports lxml.

XML data is parsed once, with entities, DTD and network off and within limits of size, depth and
number of elements. A document type that only names the outermost element is ignored; with
declarations or an address it is refused. Comments and processing instructions are omitted. Other
data is lifted and never fails: a member is an element by its name, an array repeats the element (an
array inside an array holds `item` elements), null is an empty element, and a character that XML
cannot hold becomes U+FFFD. A document must not be changed: it is shared.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol, TypeAlias

from lxml import etree

from tocsin.errors import EventProblem, LimitProblem, SyntaxProblem
from tocsin.events.views.names import xml_name
from tocsin.values.media_types import RDF_XML, is_xml, media_type

Element: TypeAlias = etree._Element

ROOT = "event"
ITEM = "item"
TEXT = "#text"
"""The key of an element's own text in the attributes, if the element also has attributes or
children.
"""


@dataclass(frozen=True, slots=True)
class DocumentLimits:
    """Limits of an XML text: characters, depth, elements, and namespace declarations in scope.

    As many characters as an event has bytes at most, all of them in one text node if need be.
    libxml2 itself allows 256 levels, and ten million characters in a text node.
    """

    characters: int = 4 << 20
    depth: int = 128
    elements: int = 100_000
    namespaces: int = 1_000


LIMITS = DocumentLimits()

DEEPEST = 256
"""The deepest level of any document: XML data is refused before, and other data nests less."""


class Payload(Protocol):
    """The part of an event that views read."""

    @property
    def envelope(self) -> Mapping[str, Any]:
        """The context attributes, the media type among them."""

    @property
    def data(self) -> object:
        """JSON data as Python objects, or text, or None."""


class Documented(Payload, Protocol):
    """An event that keeps its document."""

    @property
    def document(self) -> Element:
        """The XML tree."""


_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_LIMIT_CODE = "EventLimitError"
_MALFORMED_CODE = "MalformedEvent"


def document_of(event: Payload) -> Element:
    """Return the root of the event's XML tree; raises if XML data is malformed, too large or too
    deep.
    """
    if event.data is not None and is_xml(media_type(event.envelope)):
        return parse_xml(event.data)
    root = etree.Element(ROOT)
    _fill(root, event.data)
    return root


def parse_xml(data: object, limits: DocumentLimits = LIMITS) -> Element:
    """Return the root of an XML text. Its declared encoding is ignored: the text is already
    decoded.
    """
    if not isinstance(data, str):
        raise _refused(f"XML data is a string, got {type(data).__name__}", token="data")
    if len(data) > limits.characters:
        raise _too_much(f"the XML has {len(data):,} characters, the limit is {limits.characters:,}")
    try:
        root = etree.fromstring(data.encode("utf-8"), _parser())
    except UnicodeEncodeError:
        raise _refused("malformed XML: half of a surrogate pair is no character") from None
    except etree.XMLSyntaxError as error:
        raise _malformed(error, "<!ENTITY" in data) from None
    _refuse_document_type(root, data)
    _refuse_large(root, data.count("<"), limits)
    if data.count("xmlns") > limits.namespaces and _declared_in_scope(root) > limits.namespaces:
        raise too_many_namespaces(limits.namespaces)
    return root


def size_of(root: Element) -> int:
    """Return the size of the document as text, in bytes: an upper bound of every text, value or
    name in it.
    """
    return len(etree.tostring(root, encoding="utf-8"))


def attribute_sizes(root: Element) -> list[int]:
    """Return the lengths of all attribute values, in bytes."""
    found = _ATTRIBUTES(root)
    assert isinstance(found, list)
    return [len(str(value).encode()) for value in found]


def attributes_in(element: Element) -> list[tuple[str, str]]:
    """Return the attributes of an element, in document order; the time is linear in their number.

    lxml looks up each name again for its value, which is quadratic for many attributes.
    """
    attributes = element.attrib
    if len(attributes) <= _MAX_ATTRIBUTES_LISTED_BY_ELEMENT:
        return [(str(name), str(value)) for name, value in attributes.items()]
    found: Any = _OWN_ATTRIBUTES(element)
    return [(str(each.attrname), str(each)) for each in found]


def has_attributes_in_namespaces(root: Element) -> bool:
    """True if any attribute is in a namespace."""
    return bool(_SPACED_ATTRIBUTES(root))


def has_prefixed_attributes(element: Element) -> bool:
    """True if an attribute of the element, or of one inside it, is in a namespace."""
    return bool(_PREFIXED_INSIDE(element))


def walk(element: Element) -> Iterator[tuple[str, Any]]:
    """Yield the steps through an element: `start-ns` with prefix and namespace for each declaration
    of an element before its `start`, and its `end`.

    `nsmap` of an element collects the declarations of all elements around it; reading it for every
    element is quadratic.
    """
    steps: Any = etree.iterwalk(element, events=("start-ns", "start", "end"))
    yield from steps


_MAX_ATTRIBUTES_LISTED_BY_ELEMENT = 16
"""The number of attributes up to which the element itself lists them fastest."""

_OWN_ATTRIBUTES = etree.XPath("@*")
_ATTRIBUTES = etree.XPath("//@*", smart_strings=False)
_PREFIXED_INSIDE = etree.XPath("boolean(descendant-or-self::*/@*[namespace-uri() != ''])")
_SPACED_ATTRIBUTES = etree.XPath("count(//@*[namespace-uri() != '']) > 0")


def attributes_of(event: Documented) -> dict[str, Any]:
    """Return XML data as a nested map by local names: text alone is a string, a repeated element a
    list.

    `@` marks attributes. The names are those inside the root, like the members of a JSON object.
    RDF and data other than XML have none.
    """
    kind = media_type(event.envelope)
    if event.data is None or not is_xml(kind) or kind == RDF_XML:
        return {}
    content = _content(event.document)
    return content if isinstance(content, dict) else {TEXT: content} if content else {}


CAUTION: Mapping[str, Any] = {
    "resolve_entities": False,
    "load_dtd": False,
    "dtd_validation": False,
    "attribute_defaults": False,
    "no_network": True,
    "huge_tree": False,
    "recover": False,
    "remove_comments": True,
    "remove_pis": True,
}
"""The parser settings for all external XML."""


def _parser() -> etree.XMLParser:
    return etree.XMLParser(encoding="utf-8", **CAUTION)


def _refused(message: str, token: str = "", hint: str = "") -> EventProblem:
    return EventProblem(message, code=_MALFORMED_CODE, token=token, hint=hint)


def _too_much(message: str) -> LimitProblem:
    return LimitProblem(
        message, code=_LIMIT_CODE, hint="send smaller documents, one for each thing that happened"
    )


_RESOURCE_LIMIT = 114
"""XML_ERR_RESOURCE_LIMIT of libxml2; lxml has a name for it only from 6.1 on."""


def _malformed(error: etree.XMLSyntaxError, entities: bool) -> EventProblem | LimitProblem:
    if error.code == _RESOURCE_LIMIT:  # type: ignore[attr-defined]
        if entities:
            return doctype_problem()
        return _too_much(f"the XML is too large or too deep: {error.msg}")
    return _refused(f"malformed XML: {error.msg}")


_BARE_DOCUMENT_TYPE = re.compile(
    r"""\ufeff?(?>\s+|<\?.*?\?>|<!--.*?-->)*+<!DOCTYPE\s+[^\s\[\]<>"']+\s*>""", re.DOTALL
)


def _refuse_document_type(root: Element, data: str) -> None:
    """Raise for a DTD with entities of its own, or an external one that could define them."""
    if root.getroottree().docinfo.internalDTD is not None and not _BARE_DOCUMENT_TYPE.match(data):
        raise doctype_problem()


def doctype_problem() -> EventProblem:
    """Return the problem of XML with declarations in its document type."""
    return _refused(
        "XML with declarations in its document type, and so with entities, is refused",
        hint=(
            "write <!DOCTYPE name> alone or leave it out, and write the text where an entity stands"
        ),
    )


def _refuse_large(root: Element, tags: int, limits: DocumentLimits) -> None:
    """Raise for too many levels or elements; each takes a `<`, so a small text is not searched."""
    if tags > limits.depth and _deeper_than(limits.depth)(root):
        raise _too_much(f"the XML has more than {limits.depth} levels of elements")
    if tags > limits.elements and _count(root) > limits.elements:
        raise _too_much(f"the XML has more than {limits.elements:,} elements")


def too_many_namespaces(most: int) -> LimitProblem:
    """Return the problem of XML with too many namespace declarations in scope."""
    return _too_much(f"the XML declares more than {most:,} namespaces around an element")


def _declared_in_scope(root: Element) -> int:
    """Return the greatest number of declarations on an element and those around it."""
    own, most, levels = 0, 0, [0]
    for step, _ in walk(root):
        if step == "start-ns":
            own += 1
        elif step == "start":
            levels.append(levels[-1] + own)
            own, most = 0, max(most, levels[-1])
        else:
            levels.pop()
    return most


@cache
def _deeper_than(levels: int) -> Callable[[Element], object]:
    return etree.XPath(f"boolean({'/*' * (levels + 1)})")


def _count(root: Element) -> int:
    return sum(1 for _ in root.iter())


def _content(element: Element) -> str | dict[str, Any]:
    """Return the content of an element as a string or a map; one stack frame per level."""
    if not len(element) and not element.attrib:
        return element.text or ""
    content: dict[str, Any] = {"@" + _local(name): value for name, value in attributes_in(element)}
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
    """Put a JSON value inside an element."""
    if isinstance(value, dict):
        for name, member in value.items():
            _append(element, xml_name(name), member)
    elif isinstance(value, list | tuple):
        _append(element, ITEM, value)
    elif value is not None:
        element.text = scalar_text(value)


def _append(parent: Element, name: str, value: Any) -> None:
    """Put a member inside an element: one element, or one for each item of an array."""
    for item in value if isinstance(value, list | tuple) else (value,):
        _fill(etree.SubElement(parent, name), item)


def scalar_text(value: object) -> str:
    """Return a scalar as text: `true`, `false`, numbers as in JSON, infinity as in XML Schema
    (`INF`).
    """
    if isinstance(value, str):
        return _NOT_XML.sub("\ufffd", value)
    if isinstance(value, float) and math.isinf(value):
        return "INF" if value > 0 else "-INF"
    return json.dumps(value)


class XPath:
    """An XPath 1.0 expression without variables and extensions, compiled once; SyntaxProblem if
    invalid.
    """

    __slots__ = ("_compiled",)

    def __init__(self, expression: str, namespaces: Mapping[str, str]) -> None:
        try:
            self._compiled = etree.XPath(
                expression, namespaces=dict(namespaces), regexp=False, smart_strings=False
            )
            self._compiled(etree.Element(ROOT))
        except (etree.XPathError, ValueError) as error:
            raise SyntaxProblem(
                f"not an XPath expression: {error}", token=expression[:40]
            ) from None

    def select(self, root: Element) -> list[Element | str] | bool:
        """Return elements and texts in document order, or a boolean; False if the evaluation fails.

        A text or number counts as one text; the empty text, 0 and NaN count as nothing, as for
        `boolean()`.
        """
        try:
            found = self._compiled(root)
        except etree.XPathError:
            return False
        if isinstance(found, list):
            # other results are namespaces
            return [each for each in found if isinstance(each, str | Element)]
        if isinstance(found, float):
            return [_number_text(found)] if found and not math.isnan(found) else []
        return found if isinstance(found, bool) else [str(found)] if found else []


def _number_text(number: float) -> str:
    """Return a number as XPath writes it: without a point if it is whole."""
    if math.isinf(number):
        return "Infinity" if number > 0 else "-Infinity"
    return str(int(number)) if number.is_integer() else repr(number)
