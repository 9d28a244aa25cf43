"""Canonical XML of an element or its content, so that equal parts of documents are equal texts
(Canonical XML 2.0).

Namespaces are declared where they are used (as exclusive canonicalization does), attributes are
sorted, empty elements have both tags. Namespace names that are relative, which other
implementations refuse, are served as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tocsin.events.views.document import Element, attributes_in

XML_SPACE = " \t\r\n"
"""What XML calls white space."""

_XML = "http://www.w3.org/XML/1998/namespace"
_TEXT = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#xD;"})
_VALUE = str.maketrans(
    {"&": "&amp;", "<": "&lt;", '"': "&quot;", "\t": "&#x9;", "\n": "&#xA;", "\r": "&#xD;"}
)

_Declared = Mapping[str, str]


def canonical(element: Element) -> str:
    """The element with all that is in it, without what follows it."""
    return "".join(_element(element, {"": ""}))


def canonical_content(element: Element) -> str:
    """What is inside the element: markup and text."""
    return "".join(_content(element, {"": ""}))


def own_text(element: Element) -> str:
    """The text directly in the element, not that of its children, without white space around it."""
    text = element.text
    if len(element):
        text = (text or "") + "".join([child.tail or "" for child in element])
    return text.strip(XML_SPACE) if text else ""


def escaped_text(text: str) -> str:
    """The text as it stands between tags."""
    return text.translate(_TEXT)


def escaped_value(value: str) -> str:
    """The text as it stands in double quotes."""
    return value.translate(_VALUE)


def _element(element: Element, declared: _Declared) -> Iterable[str]:
    prefix, uri, name = element.prefix or "", *_parted(str(element.tag))
    attributes = sorted((*_parted(name), value) for name, value in attributes_in(element))
    prefixes = _prefixes(element, {each for each, _, _ in attributes if each}) if attributes else {}
    used = {prefix: uri} | {each: space for space, each in prefixes.items() if space != _XML}
    new = sorted((each, space) for each, space in used.items() if declared.get(each) != space)
    tag = f"{prefix}:{name}" if prefix else name
    yield f"<{tag}"
    for each, space in new:
        yield f' xmlns{":" * bool(each)}{each}="{escaped_value(space)}"'
    for space, local, value in attributes:
        yield f' {prefixes[space] + ":" if space else ""}{local}="{escaped_value(value)}"'
    yield ">"
    yield from _content(element, {**declared, **dict(new)} if new else declared)
    yield f"</{tag}>"


def _content(element: Element, declared: _Declared) -> Iterable[str]:
    yield escaped_text(element.text or "")
    for child in element:
        yield from _element(child, declared)
        yield escaped_text(child.tail or "")


def _prefixes(element: Element, spaces: set[str]) -> dict[str, str]:
    """A prefix for each namespace that attributes use; the first in the alphabet where there are
    several.
    """
    if not spaces:
        return {}
    known = sorted((prefix, uri) for prefix, uri in element.nsmap.items() if prefix)
    return {_XML: "xml"} | {uri: prefix for prefix, uri in reversed(known) if uri in spaces}


def _parted(name: str) -> tuple[str, str]:
    """Namespace and local name of an expanded name."""
    uri, _, local = name.rpartition("}")
    return uri[1:], local
