"""Random documents and blocks, small enough that names, texts and values meet by chance; and events that hold them."""

from __future__ import annotations

from hypothesis import strategies as st
from lxml import etree

from tocsin.events.event import Event
from tocsin.plan.blocks import (
    AttributeTest,
    BoundTo,
    PatternElement,
    VariableBinding,
    XmlBlock,
    XPathPattern,
)
from tocsin.plan.row_terms import TextValue, ValueCondition, VariableValue

NAMES = "abc"
TEXTS = ("", "1", "2", " 1 ")
VARIABLES = ("$x", "$y", "$z")

names = st.sampled_from(NAMES)
variables = st.sampled_from(VARIABLES)


def xml_event(xml: str, name: str = "1") -> Event:
    """An event whose data is the XML text."""
    envelope = {"id": name, "source": "s", "type": "t", "datacontenttype": "application/xml"}
    return Event(envelope, xml, None)


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
)


@st.composite
def patterns(draw: st.DrawFn, levels: int = 3, rel: int = 0) -> PatternElement:
    """A pattern: wildcards, repeated names, attribute and text tests, variables that may stand in several places."""
    children: tuple[PatternElement, ...] = ()
    if levels > 1:
        rels = draw(st.lists(st.sampled_from((1, 1, 1, 2)), max_size=3))
        children = tuple(draw(patterns(levels - 1, each)) for each in rels)
    return PatternElement(
        draw(st.sampled_from((*NAMES, None))),
        rel,
        tuple(draw(st.lists(_attribute_tests, max_size=1))) if draw(st.integers(0, 3)) == 0 else (),
        draw(st.sampled_from((None, None, None, "", "1", "2"))),
        tuple(draw(st.lists(_bindings, max_size=1))),
        children,
    )


_paths = st.builds(
    XPathPattern,
    st.sampled_from(
        ("//a", "/a/b", "//b[c]/@k", "count(//a) > 1", "string(/a)", "//c/text()", "0 div 0", "count(//b)", "true()")
    ),
    st.just(()),
    st.lists(
        st.builds(VariableBinding, st.sampled_from((BoundTo.ELEMENT, BoundTo.CONTENT)), variables), max_size=1
    ).map(tuple),
)
_operands = variables.map(VariableValue) | st.sampled_from(("1", "2.0", "a")).map(TextValue)
_conditions = st.builds(
    ValueCondition,
    variables.map(VariableValue),
    st.sampled_from(("=", "!=", "<", "<=", ">", ">=")),
    _operands,
)
blocks = st.builds(
    XmlBlock,
    st.lists(st.one_of(patterns(), patterns(), patterns(), _paths), min_size=1, max_size=2).map(tuple),
    st.lists(_conditions, max_size=1).map(tuple),
)
