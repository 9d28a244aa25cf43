"""Random documents and blocks, small enough that names, texts and values meet by chance; and events
that hold them.
"""

from __future__ import annotations

import re

from hypothesis import strategies as st
from lxml import etree

from tests.builders import build_unread_event
from tocsin.events.event import Event
from tocsin.plan.xml.paths import PathChoice, PathRepeat, PathSequence, PathStep
from tocsin.plan.xml.row_terms import (
    RowAll,
    RowAny,
    RowCondition,
    RowNot,
    TextValue,
    VariableValue,
    make_comparison,
)
from tocsin.plan.xml.xml_patterns import (
    AttributeTest,
    BoundTo,
    InDocument,
    InVariable,
    Pattern,
    PatternElement,
    SourcedPattern,
    VariableBinding,
    XmlBlock,
    XPathPattern,
    pattern_variables,
)

NAMES = "abc"
TEXTS = ("", "1", "2", " 1 ")
VARIABLES = ("$x", "$y", "$z")
TOLD = ('<a k="1"><b>1</b><c><b k="2">2</b></c></a>', "<b>1<a/></b>")
"""Documents that are told beforehand."""

names = st.sampled_from(NAMES)
variables = st.sampled_from(VARIABLES)


def xml_event(xml: str, name: str = "1") -> Event:
    """An event whose data is the XML text."""
    return build_unread_event(xml, "application/xml", id=name)


@st.composite
def documents(draw: st.DrawFn, levels: int = 4) -> str:
    """The text of a document of a few elements."""
    return etree.tostring(_element(draw, levels), encoding="unicode")


def _element(draw: st.DrawFn, levels: int) -> etree._Element:
    element = etree.Element(draw(names))
    if draw(st.integers(0, 2)) == 0:
        element.set("k", draw(st.sampled_from("12")))
    element.text = draw(st.sampled_from(TEXTS))
    if levels > 1:
        for _ in range(draw(st.integers(0, 3))):
            child = _element(draw, levels - 1)
            child.tail = draw(st.sampled_from(("", "", "2")))
            element.append(child)
    return element


_bindings = st.builds(VariableBinding, st.sampled_from(BoundTo), variables)
_attribute_tests = st.one_of(
    st.builds(AttributeTest, st.just("k"), value=st.sampled_from("12")),
    st.builds(AttributeTest, st.just("k"), variable=variables),
    st.builds(AttributeTest, st.none(), value=st.sampled_from("12"), name_variable=variables),
    st.builds(AttributeTest, st.none(), variable=variables, name_variable=variables),
)
_steps = st.builds(PathStep, st.sampled_from((*NAMES, None)))
paths = st.recursive(
    _steps,
    lambda inner: st.one_of(
        st.builds(PathSequence, st.lists(inner, min_size=2, max_size=3).map(tuple)),
        st.builds(PathChoice, st.lists(inner, min_size=2, max_size=2).map(tuple)),
        st.builds(PathRepeat, inner, st.sampled_from("*+?")),
    ),
    max_leaves=4,
)


@st.composite
def patterns(draw: st.DrawFn, levels: int = 3, rel: int = 0) -> PatternElement:
    """A pattern: wildcards, paths, repeated names, attribute and text tests, variables in several
    places.
    """
    path = draw(paths) if draw(st.integers(0, 4)) == 0 else None
    children: tuple[PatternElement, ...] = ()
    if levels > 1:
        rels = draw(st.lists(st.sampled_from((1, 1, 1, 2)), max_size=3))
        children = tuple(draw(patterns(levels - 1, each)) for each in rels)
    return PatternElement(
        draw(st.sampled_from((*NAMES, None))) if path is None else None,
        rel if path is None else min(rel, 1),
        tuple(draw(st.lists(_attribute_tests, max_size=1))) if draw(st.integers(0, 3)) == 0 else (),
        draw(st.sampled_from((None, None, None, "", "1", "2"))),
        tuple(draw(st.lists(_bindings, max_size=1))),
        children,
        path,
    )


_likely_paths = st.sampled_from(
    (
        PathSequence((PathRepeat(PathStep(None), "*"), PathStep("a"))),
        PathSequence((PathRepeat(PathStep(None), "*"), PathStep("b"))),
        PathRepeat(PathStep("a"), "*"),
        PathRepeat(PathStep("a"), "+"),
        PathRepeat(PathChoice((PathStep("a"), PathStep("b"))), "?"),
        PathSequence((PathStep("a"), PathRepeat(PathStep("b"), "?"))),
    )
)


@st.composite
def path_patterns(draw: st.DrawFn, levels: int = 3, rel: int = 0) -> PatternElement:
    """A pattern that is mostly paths, few of them hard to meet, so that they cross and lie in each
    other.
    """
    children: tuple[PatternElement, ...] = ()
    if levels > 1:
        children = tuple(draw(path_patterns(levels - 1, 1)) for _ in range(draw(st.integers(0, 2))))
    path = draw(st.none() | _likely_paths | _likely_paths)
    name = draw(st.sampled_from("ab")) if path is None else None
    tested = draw(
        st.sampled_from(
            ((), (), (), (AttributeTest("k", value="1"),), (AttributeTest("k", variable="$z"),))
        )
    )
    bound = draw(st.sampled_from(((), (), (VariableBinding(BoundTo.CONTENT, "$x"),))))
    return PatternElement(name, rel, tested, None, bound, children, path)


@st.composite
def deep_documents(draw: st.DrawFn) -> str:
    """A document of two names, some levels deep."""
    depth, text = 0, ""
    for step in draw(
        st.lists(st.sampled_from(("<a>", "<b>", '<a k="1">', "</", "</", "1")), max_size=14)
    ):
        if step == "</" and depth:
            text, depth = text + "</", depth - 1
        elif step.startswith("<") and step != "</":
            text, depth = text + step, depth + 1
        elif step == "1":
            text += step
    return _closed(f"<a>{text}")


def _closed(text: str) -> str:
    """The text with a name in every closing tag, and all elements closed."""
    opened: list[str] = []
    parts: list[str] = []
    for part in re.split(r"(<[ab][^>]*>|</)", text):
        if part == "</":
            parts.append(f"</{opened.pop()}>")
        else:
            opened += [part[1]] if part.startswith("<") else []
            parts.append(part)
    return "".join((*parts, *(f"</{name}>" for name in reversed(opened))))


_paths = st.builds(
    XPathPattern,
    st.sampled_from(
        (
            "//a",
            "/a/b",
            "//b[c]/@k",
            "count(//a) > 1",
            "string(/a)",
            "//c/text()",
            "0 div 0",
            "count(//b)",
            "true()",
        )
    ),
    st.just(()),
    st.lists(
        st.builds(VariableBinding, st.sampled_from((BoundTo.ELEMENT, BoundTo.CONTENT)), variables),
        max_size=1,
    ).map(tuple),
)
_operands = variables.map(VariableValue) | st.sampled_from(("1", "2.0", "a")).map(TextValue)
_comparisons = st.builds(
    make_comparison,
    variables.map(VariableValue),
    st.sampled_from(("=", "!=", "<", "<=", ">", ">=")),
    _operands,
)
conditions: st.SearchStrategy[RowCondition] = st.recursive(
    _comparisons,
    lambda inner: st.one_of(
        st.builds(RowNot, inner),
        st.builds(RowAll, st.lists(inner, min_size=2, max_size=2).map(tuple)),
        st.builds(RowAny, st.lists(inner, min_size=2, max_size=2).map(tuple)),
    ),
    max_leaves=3,
)
_own_patterns = st.lists(
    st.one_of(patterns(), patterns(), patterns(), _paths), min_size=1, max_size=2
)


@st.composite
def sourced(draw: st.DrawFn, bound: frozenset[str]) -> SourcedPattern:
    """A pattern in a document that is told beforehand, or inside of a variable that is bound."""
    source = InDocument("d", draw(st.sampled_from(TOLD)))
    if bound and draw(st.booleans()):
        return SourcedPattern(
            draw(patterns(levels=2)), InVariable(draw(st.sampled_from(sorted(bound))))
        )
    return SourcedPattern(draw(patterns(levels=2)), source)


@st.composite
def blocks(draw: st.DrawFn) -> XmlBlock:
    """A block of one or two patterns about its event, now and then one elsewhere, and now and then
    a condition.
    """
    own: list[Pattern] = draw(_own_patterns)
    bound = frozenset(variable for pattern in own for variable in pattern_variables(pattern))
    further = [draw(sourced(bound))] if draw(st.integers(0, 3)) == 0 else []
    return XmlBlock((*own, *further), tuple(draw(st.lists(conditions, max_size=1))))
