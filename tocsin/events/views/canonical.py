"""Canonical XML of an element or its content, so that equal parts of documents are equal texts
(Canonical XML 2.0).

Namespaces are declared where they are used (as in exclusive canonicalization), attributes are
sorted, empty elements have both tags. Relative namespace names, which other implementations refuse,
are accepted unchanged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from heapq import heappop, heappush

from tocsin.events.views.document import (
    Element,
    attributes_in,
    has_prefixed_attributes,
    walk,
)

XML_SPACE = " \t\r\n"
"""White space of XML."""

_XML = "http://www.w3.org/XML/1998/namespace"
_TEXT = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#xD;"})
_VALUE = str.maketrans(
    {"&": "&amp;", "<": "&lt;", '"': "&quot;", "\t": "&#x9;", "\n": "&#xA;", "\r": "&#xD;"}
)


def canonical(element: Element) -> str:
    """Return the text of the element with its content, without its tail."""
    return "".join(_parts(element))


def canonical_content(element: Element) -> str:
    """Return the content of the element: markup and text."""
    return "".join(_parts(element, content_only=True))


def own_text(element: Element) -> str:
    """Return the stripped text directly in the element, without that of its children."""
    text = element.text
    if len(element):
        text = (text or "") + "".join([child.tail or "" for child in element])
    return text.strip(XML_SPACE) if text else ""


def escaped_text(text: str) -> str:
    """Return the text escaped for use between tags."""
    return text.translate(_TEXT)


def escaped_value(value: str) -> str:
    """Return the text escaped for use in double quotes."""
    return value.translate(_VALUE)


def _parts(top: Element, *, content_only: bool = False) -> Iterator[str]:
    """Yield the texts of an element, with its tags or without; the time is linear in its size."""
    scope = _scope_of(top)
    declared = {"": ""}
    frames: list[_Frame] = []
    frame = _Frame()
    for step, node in walk(top):
        if step == "start-ns":
            if scope is not None and node[0]:
                frame.bound.append((node[0], scope.bind(*node)))
        elif step == "start":
            if frames or not content_only:
                yield from _start_tag(node, scope, declared, frame)
            yield escaped_text(node.text or "")
            frames.append(frame)
            frame = _Frame()
        else:
            ended = frames.pop()
            if frames or not content_only:
                yield f"</{ended.tag}>"
            ended.restore(scope, declared)
            if frames:
                yield escaped_text(node.tail or "")


def _start_tag(
    element: Element, scope: _NamespaceScope | None, declared: dict[str, str], frame: _Frame
) -> Iterator[str]:
    """Yield the start tag, and note the declarations in the frame."""
    prefix, uri, name = element.prefix or "", *_split_name(str(element.tag))
    attributes = sorted((*_split_name(name), value) for name, value in attributes_in(element))
    prefixes = {
        space: scope.prefix_of(space) for space, _, _ in attributes if scope is not None and space
    }
    used = {prefix: uri} | {each: space for space, each in prefixes.items() if space != _XML}
    new = sorted((each, space) for each, space in used.items() if declared.get(each) != space)
    frame.tag = f"{prefix}:{name}" if prefix else name
    yield f"<{frame.tag}"
    for each, space in new:
        frame.declared.append((each, declared.get(each)))
        declared[each] = space
        yield f' xmlns{":" * bool(each)}{each}="{escaped_value(space)}"'
    for space, local, value in attributes:
        yield f' {prefixes[space] + ":" if space else ""}{local}="{escaped_value(value)}"'
    yield ">"


@dataclass(slots=True)
class _Frame:
    """An open element: its tag, and the bindings of its prefixes before it."""

    tag: str = ""
    bound: list[tuple[str, str | None]] = field(default_factory=list)
    declared: list[tuple[str, str | None]] = field(default_factory=list)

    def restore(self, scope: _NamespaceScope | None, declared: dict[str, str]) -> None:
        """Restore the bindings of prefixes from before the element."""
        for prefix, before in self.declared:
            if before is None:
                del declared[prefix]
            else:
                declared[prefix] = before
        if scope is not None:
            for prefix, before in self.bound:
                scope.restore(prefix, before)


class _NamespaceScope:
    """The prefixes bound at a position in a document.

    Each namespace has a heap of its prefixes; those that are bound to another namespace by now are
    dropped when they are met: every binding is pushed and dropped once.
    """

    def __init__(self, bound: Mapping[str, str]) -> None:
        self._uris: dict[str, str] = {}
        self._heaps: dict[str, list[str]] = {}
        for prefix, uri in bound.items():
            self.bind(prefix, uri)

    def bind(self, prefix: str, uri: str) -> str | None:
        """Bind a prefix; return its namespace before, or None."""
        before = self._uris.get(prefix)
        self._uris[prefix] = uri
        heappush(self._heaps.setdefault(uri, []), prefix)
        return before

    def restore(self, prefix: str, before: str | None) -> None:
        """Restore the binding of a prefix; None if it was not bound."""
        if before is None:
            del self._uris[prefix]
        else:
            self.bind(prefix, before)

    def prefix_of(self, uri: str) -> str:
        """Return the alphabetically first prefix of a namespace."""
        if uri == _XML:
            return "xml"
        heap = self._heaps[uri]
        while self._uris.get(heap[0]) != uri:
            heappop(heap)
        return heap[0]


def _scope_of(element: Element) -> _NamespaceScope | None:
    """Return the prefixes bound around an element; None if nothing inside needs them."""
    if not has_prefixed_attributes(element):
        return None
    parent = element.getparent()
    bound = {} if parent is None else parent.nsmap
    return _NamespaceScope({prefix: uri for prefix, uri in bound.items() if prefix})


def _split_name(name: str) -> tuple[str, str]:
    """Split an expanded name into namespace and local name."""
    uri, _, local = name.rpartition("}")
    return uri[1:], local
