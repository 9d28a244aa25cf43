"""The children of an XML document's outermost element, one by one, for documents of any length.

Each child is a text of its own, with the namespaces in scope; at most one child is held. External
XML is parsed with the same caution as the document of an event.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, cast

from lxml import etree

from tocsin.errors import EventProblem, LimitProblem
from tocsin.events.views.document import (
    CAUTION,
    LIMITS,
    Element,
    doctype_problem,
    too_many_namespaces,
)


def outermost_tag(head: bytes) -> str:
    """Return the tag of the outermost element from the beginning of a text; "" if it is not
    visible.
    """
    parser = _parser()
    try:
        parser.feed(head)
        return next((str(element.tag) for _, element in _steps(parser)), "")
    except etree.XMLSyntaxError:
        return ""


def child_texts(chunks: Iterable[bytes]) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of each child, in order; raises if the text is not XML or one is
    too long.
    """
    parser = _parser()
    depth, fed = 0, 0
    for chunk in chunks:
        fed += len(chunk)
        broken = _feed(parser, chunk)
        for step, element in _steps(parser):
            depth += 1 if step == "start" else -1
            if step == "start" and depth == 1:
                _refuse_declarations(element)
                if len(element.nsmap) > LIMITS.namespaces:  # each child would declare all of them
                    raise too_many_namespaces(LIMITS.namespaces)
            if step == "end" and depth == 1:
                fed, line = 0, cast("int | None", element.sourceline)
                yield line or 1, etree.tostring(element, encoding="unicode", with_tail=False)
                _forget(element)
        if broken is not None:
            raise broken
        if fed > LIMITS.characters:
            message = f"a child of the outermost element has more than {LIMITS.characters:,} bytes"
            raise LimitProblem(message, code="EventLimitError")
    _close(parser)


def _parser() -> etree.XMLPullParser:
    return etree.XMLPullParser(events=("start", "end"), **CAUTION)


def _steps(parser: etree.XMLPullParser) -> Iterator[tuple[str, Element]]:
    events: Any = parser.read_events()
    yield from events


def _feed(parser: etree.XMLPullParser, chunk: bytes) -> EventProblem | None:
    """Parse a chunk and return its problem, if any; the part before it is parsed all the same."""
    try:
        parser.feed(chunk)
    except etree.XMLSyntaxError as error:
        return _malformed(error)
    return None


def _close(parser: etree.XMLPullParser) -> None:
    try:
        parser.close()
    except etree.XMLSyntaxError as error:
        raise _malformed(error) from None


def _malformed(error: etree.XMLSyntaxError) -> EventProblem:
    return EventProblem(f"malformed XML: {error.msg}", code="MalformedEvent")


def _refuse_declarations(root: Element) -> None:
    information: Any = root.getroottree().docinfo
    declared = information.internalDTD
    if declared is not None and (
        information.system_url or [*declared.iterentities(), *declared.iterelements()]
    ):
        raise doctype_problem()


def _forget(child: Element) -> None:
    """Remove a finished child from the tree, and everything before it."""
    parent: Any = child.getparent()
    child.clear()
    while child.getprevious() is not None:
        del parent[0]
