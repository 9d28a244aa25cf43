"""Construction equals a separate evaluator of the XML-QL translation on random templates and rows;
it is repeatable.
"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from tests.engine.xml.worlds import VARIABLES, documents
from tests.engine.xml.xml_ql import evaluated
from tocsin.events.views.canonical import canonical, canonical_content
from tocsin.plan.xml.construction import (
    OutputAttribute,
    OutputText,
    OutputValue,
    SkolemTerm,
    TemplateElement,
    construct,
    skolem_value,
    template_variables,
)
from tocsin.plan.xml.row_terms import ValueCondition

values = st.one_of(
    st.sampled_from(("", "1", "2", "<&>\"'", "a b")),
    st.sampled_from((("<i>1</i>",), ('x<i k="1"></i>&amp;',))),
)
tables = st.lists(st.fixed_dictionaries(dict.fromkeys(VARIABLES, values)), max_size=6)
variables = st.sampled_from(VARIABLES)
attribute_values = st.one_of(
    st.builds(OutputText, st.sampled_from(("", '<"&\t'))),
    st.builds(OutputValue, variables),
    st.builds(SkolemTerm, st.just("F"), st.lists(variables, min_size=1, max_size=2).map(tuple)),
)


@st.composite
def templates(draw: st.DrawFn, levels: int = 3) -> TemplateElement:
    """A template; elements are named by their places, so that no two places can make one
    element.
    """
    return _template(draw, levels, "e")


def _template(draw: st.DrawFn, levels: int, name: str) -> TemplateElement:
    attributes = tuple(
        OutputAttribute(f"k{number}", value)
        for number, value in enumerate(
            draw(st.lists(attribute_values, max_size=2)) if draw(st.booleans()) else ()
        )
    )
    contents: list[TemplateElement | OutputText | OutputValue] = []
    for number in range(draw(st.integers(0, 3))):
        kind = (
            draw(st.sampled_from(("element", "element", "value", "text")))
            if levels > 1
            else "value"
        )
        if kind == "element":
            contents.append(_template(draw, levels - 1, f"{name}{number}"))
        elif kind == "value":
            contents.append(OutputValue(draw(variables)))
        else:
            contents.append(OutputText(draw(st.sampled_from(("t", " & ")))))
    return TemplateElement(name, attributes, tuple(contents))


@given(st.lists(templates(), min_size=1, max_size=2), tables)
def test_construction_is_that_of_the_translation(
    given_templates: list[TemplateElement], table: list[dict[str, str | tuple[str]]]
) -> None:
    rows = tuple(dict.fromkeys(tuple(sorted(row.items())) for row in table))
    built = construct(given_templates, rows)
    # Attributes are in the order of the template, canonical XML sorts them: the names here are
    # sorted already.
    assert built == evaluated(given_templates, [dict(row) for row in rows])
    assert construct(given_templates, rows) == built


@given(documents())
def test_canonical_is_canonical_xml(xml: str) -> None:
    root = etree.fromstring(xml)
    assert canonical(root) == etree.canonicalize(xml)
    assert (
        canonical(root)
        == f"{canonical(root).partition('>')[0]}>{canonical_content(root)}</{root.tag}>"
    )


def test_canonical_declares_namespaces_where_they_are_used() -> None:
    for xml in (
        '<a xmlns="u:1" xmlns:q="u:2"><b/><q:c q:k="1" k="2"/><d xmlns=""><e xmlns="u:1"/></d></a>',
        '<p:a xmlns:p="u:1" xml:lang="de"><p:b xmlns:p="u:2" p:i="1"/></p:a>',
        "<a b='&#9;&#10;&quot;&lt;>'>&#13;&gt;&amp;</a>",
    ):
        assert canonical(etree.fromstring(xml)) == etree.canonicalize(xml)


def test_a_fragment_has_all_it_needs() -> None:
    root = etree.fromstring('<a xmlns="u:1" xmlns:q="u:2"><q:b><c/></q:b></a>')
    assert canonical(root[0]) == '<q:b xmlns:q="u:2"><c xmlns="u:1"></c></q:b>'


def test_relative_namespace_names_are_served() -> None:
    assert canonical(etree.fromstring('<p:a xmlns:p="u"/>')) == '<p:a xmlns:p="u"></p:a>'


def test_equal_skolem_terms_at_two_places_are_one_element() -> None:
    """Identity is the term, not the place (spec 4.5, 2); further rows and places add what is
    missing.
    """
    term = SkolemTerm("F", ("$x",))
    first = TemplateElement("p", (OutputAttribute("id", term),), (OutputValue("$x"),))
    second = TemplateElement(
        "p", (OutputAttribute("id", term), OutputAttribute("k", OutputValue("$y")))
    )
    rows = ((("$x", "1"), ("$y", "a")), (("$x", "1"), ("$y", "b")))
    identity = skolem_value("F", ["1"])
    assert construct([TemplateElement("o", (), (first, second))], rows) == [
        f'<o><p id="{identity}" k="a">1</p></o>'
    ]


def test_rows_that_do_not_meet_the_conditions_build_nothing() -> None:
    template = TemplateElement("o", (), (OutputValue("$x"),))
    rows = ((("$x", "4"),), (("$x", "5"),))
    assert construct([template], rows, [ValueCondition("$x", ">", "4.5")]) == ["<o>5</o>"]
    assert list(template_variables(template)) == ["$x"]
