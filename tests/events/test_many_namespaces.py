"""Documents with many namespaces, elements and levels: canonical XML in linear time, as before."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tocsin.errors import LimitProblem
from tocsin.events.views import canonical as module
from tocsin.events.views import document
from tocsin.events.views.canonical import canonical, canonical_content
from tocsin.events.views.children import child_texts
from tocsin.events.views.document import (
    LIMITS,
    DocumentLimits,
    Element,
    attributes_in,
    parse_xml,
)

XML = "http://www.w3.org/XML/1998/namespace"

names = st.sampled_from(["a", "b", "c"])
uris = st.sampled_from(["urn:1", "urn:2", "urn:3"])
texts = st.sampled_from(["", "t", "&amp;", "<![CDATA[<]]>", "<!-- c -->", "<?p i?>"])


@st.composite
def elements(draw: st.DrawFn, bound: tuple[tuple[str, str], ...] = (), depth: int = 3) -> str:
    """An element that declares prefixes anew, shadows those around it, and uses some of them."""
    own = draw(st.dictionaries(names, uris, max_size=2))
    scope = dict(bound) | own
    default = draw(st.sampled_from(["", ' xmlns="urn:1"', ' xmlns=""']))
    prefix = draw(st.sampled_from(["", *(f"{each}:" for each in scope)]))
    used = draw(st.dictionaries(st.sampled_from([*scope.values(), "", XML]), names, max_size=3))
    written = {uri: next((p for p, u in scope.items() if u == uri), "xml") for uri in used if uri}
    attributes = "".join(
        f' {written[uri] + ":" if uri else ""}{name}="1"' for uri, name in used.items()
    )
    declared = "".join(f' xmlns:{each}="{uri}"' for each, uri in own.items())
    count = draw(st.integers(0, 2)) if depth else 0
    inner = [draw(elements(tuple(scope.items()), depth - 1)) + draw(texts) for _ in range(count)]
    tag = f"{prefix}e"
    return f"<{tag}{default}{declared}{attributes}>{draw(texts)}{''.join(inner)}</{tag}>"


@given(elements())
def test_it_is_what_a_plain_recursion_says(text: str) -> None:
    for element in parse_xml(text).iter():
        assert canonical(element) == "".join(_element(element, {"": ""}))
        assert canonical_content(element) == "".join(_content(element, {"": ""}))


def _element(element: Element, declared: Mapping[str, str]) -> Iterable[str]:
    """The definition, which asks every element for all prefixes that are in scope."""
    uri, name = _parted(str(element.tag))
    prefix = element.prefix or ""
    attributes = sorted((*_parted(name), value) for name, value in attributes_in(element))
    known = sorted((each, space) for each, space in element.nsmap.items() if each)
    spaces = {space for space, _, _ in attributes if space}
    prefixes = {XML: "xml"} | {uri: each for each, uri in reversed(known) if uri in spaces}
    used = {prefix: uri} | {prefixes[space]: space for space in spaces if space != XML}
    new = sorted((each, space) for each, space in used.items() if declared.get(each) != space)
    tag = f"{prefix}:{name}" if prefix else name
    yield f"<{tag}"
    yield from (f' xmlns{":" * bool(each)}{each}="{space}"' for each, space in new)
    for space, local, value in attributes:
        yield f' {prefixes[space] + ":" if space else ""}{local}="{value}"'
    yield ">"
    yield from _content(element, {**declared, **dict(new)})
    yield f"</{tag}>"


def _content(element: Element, declared: Mapping[str, str]) -> Iterable[str]:
    yield module.escaped_text(element.text or "")
    for child in element:
        yield from _element(child, declared)
        yield module.escaped_text(child.tail or "")


def _parted(name: str) -> tuple[str, str]:
    uri, _, local = name.rpartition("}")
    return uri[1:], local


SIZE = 4_000


def _declared(count: int, uri: str) -> str:
    return "".join(f' xmlns:p{n}="{uri.format(n)}"' for n in range(count))


BOMBS = {
    "namespaces x elements": f"<r{_declared(SIZE, 'u{}')}>"
    + "".join(f'<e p{n}:k="1"/>' for n in range(SIZE))
    + "</r>",
    "prefixes of one namespace": f"<r{_declared(SIZE, 'u')}>" + '<e p0:k="1"/>' * SIZE + "</r>",
    "prefixes that are hidden": f"<r{_declared(SIZE, 'u')}>"
    + '<e xmlns:p0="v" p1:k="1"/>' * SIZE
    + "</r>",
    "declarations in every element": f"<r{_declared(SIZE, 'u{}')}>"
    + "".join(f'<e xmlns:q{n}="v{n}" q{n}:k="1" p{n}:k="1"/>' for n in range(SIZE))
    + "</r>",
    "many declared, many that declare": f"<r{_declared(SIZE, 'u{}')}"
    + "".join(f' p{n}:k="1"' for n in range(SIZE))
    + ">"
    + "".join(f'<q:e xmlns:q="v{n}"/>' for n in range(SIZE))
    + "</r>",
    "levels": f"<r{_declared(SIZE, 'u{}')}>" + '<e p0:k="1">' * 120 + "</e>" * 120 + "</r>",
    "siblings and texts": "<r>" + "<e/>t" * SIZE + "</r>",
    "comments": "<r>" + "<!-- c -->t<?p i?>" * SIZE + "</r>",
}


@pytest.mark.parametrize("kind", BOMBS)
def test_work_is_linear(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pushes, drops and declarations are counted: a small number for each of the document's."""
    counts = {"steps": 0, "heap": 0}

    def counted_walk(element: Element) -> Iterable[tuple[str, object]]:
        for each in document.walk(element):
            counts["steps"] += 1
            yield each

    def counted(call):  # type: ignore[no-untyped-def]
        def work(*args: object) -> object:
            counts["heap"] += 1
            return call(*args)

        return work

    monkeypatch.setattr(module, "walk", counted_walk)
    monkeypatch.setattr(module, "heappush", counted(module.heappush))  # type: ignore[attr-defined]
    monkeypatch.setattr(module, "heappop", counted(module.heappop))  # type: ignore[attr-defined]
    text = BOMBS[kind]
    root = parse_xml(text, DocumentLimits(namespaces=10**6))
    assert canonical(root)
    assert counts["steps"] <= 4 * SIZE + 10
    assert counts["heap"] <= 5 * SIZE + 10


@given(elements())
def test_the_limit_counts_what_is_declared_around_an_element(text: str) -> None:
    root = parse_xml(text, DocumentLimits(namespaces=100))
    most = max(_around(element) for element in root.iter())
    assert parse_xml(text, DocumentLimits(namespaces=most)) is not None
    if most:
        with pytest.raises(LimitProblem):
            parse_xml(text, DocumentLimits(namespaces=most - 1))


def _around(element: Element) -> int:
    """The declarations of an element and those around it, counted one element at a time."""
    first = [step for step, _ in _until_start(element)]
    parent = element.getparent()
    return first.count("start-ns") + (0 if parent is None else _around(parent))


def _until_start(element: Element) -> Iterable[tuple[str, object]]:
    for step in document.walk(element):
        if step[0] == "start":
            return
        yield step


def test_a_document_with_too_many_namespaces_is_refused_also_child_by_child() -> None:
    text = f"<r{_declared(LIMITS.namespaces + 1, 'u{}')}><e/></r>"
    with pytest.raises(LimitProblem):
        parse_xml(text)
    with pytest.raises(LimitProblem):
        list(child_texts([text.encode()]))
    many = "<r>" + "".join(f'<e xmlns:p="u{n}"/>' for n in range(SIZE)) + "</r>"
    assert len(parse_xml(many)) == SIZE


def test_many_attributes_are_asked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """lxml looks each name up again: its own list of attributes is quadratic in their number."""
    asked = []
    whole = document._OWN_ATTRIBUTES
    monkeypatch.setattr(
        document, "_OWN_ATTRIBUTES", lambda element: asked.append(element) or whole(element)
    )
    root = parse_xml("<r " + " ".join(f'n{n}="{n}"' for n in range(SIZE)) + "/>")
    assert len(attributes_in(root)) == SIZE
    assert asked == [root]
