"""Queries inside of templates build what the plain evaluator builds, asked by the engine and by the
reference.
"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from tests.engine.xml.worlds import TOLD, VARIABLES, conditions, documents, patterns, sourced
from tests.engine.xml.xml_ql import evaluated
from tocsin.engine.xml.nested_queries import make_nested_query_reader as ask_engine
from tocsin.plan.xml.construction import (
    NestedQuery,
    OutputAttribute,
    OutputText,
    OutputValue,
    SkolemTerm,
    TemplateContent,
    TemplateElement,
    construct,
)
from tocsin.plan.xml.row_terms import OrderKey, RowCondition, condition_variables
from tocsin.plan.xml.xml_patterns import (
    BoundTo,
    InDocument,
    InEvent,
    PatternElement,
    SourcedPattern,
    VariableBinding,
    pattern_variables,
)
from tocsin.reference.blocks import make_evaluator as ask_reference

INNER = ("$p", "$q")
"""Variables that only queries bind."""

texts = st.sampled_from(("", "1", "2", "10", "a b"))
markup = st.sampled_from(
    (("<a>1</a>",), ('x<b k="1"><c>2</c></b>&amp;',), ("<b><b><a>1</a></b>2</b>",))
)
tables = st.lists(st.fixed_dictionaries(dict.fromkeys(VARIABLES, texts | markup)), max_size=4)


def renamed(pattern: PatternElement, names: dict[str, str]) -> PatternElement:
    """The pattern with other variables, so that some are only the query's own."""
    return PatternElement(
        pattern.name,
        pattern.rel,
        tuple(
            type(test)(
                test.name,
                test.value,
                names.get(test.variable or "", test.variable),
                test.name_variable,
            )
            for test in pattern.attributes
        ),
        pattern.text,
        tuple(
            type(each)(each.what, names.get(each.variable, each.variable))
            for each in pattern.bindings
        ),
        tuple(renamed(child, names) for child in pattern.children),
        pattern.path,
    )


LEAF = PatternElement(None, attributes=(), bindings=(VariableBinding(BoundTo.CONTENT, "$p"),))
likely = st.sampled_from(
    [SourcedPattern(LEAF, InDocument("d", text)) for text in TOLD]
    + [SourcedPattern(LEAF, InEvent())]
)
"""Queries with several rows."""


@st.composite
def queries(draw: st.DrawFn, bound: frozenset[str], name: str, levels: int) -> NestedQuery:
    """A query of one or two patterns: in the event, in a document, or inside of what is bound so
    far.
    """
    names = draw(st.sampled_from(({}, {"$x": "$p"}, {"$x": "$p", "$y": "$q"})))
    found: list[SourcedPattern] = []
    for _ in range(draw(st.integers(1, 2))):
        drawn = draw(
            likely
            | sourced(bound)
            | patterns(levels=2).map(lambda each: SourcedPattern(each, InEvent()))
        )
        found.append(SourcedPattern(renamed(drawn.pattern, names), drawn.source))
        bound |= frozenset(pattern_variables(found[-1]))
    keys = st.builds(OrderKey, st.sampled_from(sorted(bound)), st.booleans())
    met = draw(
        st.lists(
            conditions.filter(lambda each: set(condition_variables(each)) <= bound), max_size=1
        )
    )
    kept: tuple[RowCondition, ...] = tuple(met)
    order = tuple(draw(st.lists(keys, max_size=2)))
    return NestedQuery(tuple(found), kept, order, draw(contents(bound, name, levels)))


@st.composite
def contents(draw: st.DrawFn, bound: frozenset[str], name: str, levels: int) -> TemplateContent:
    """What stands in a template; elements are named by their places, so that no two places can make
    one element.
    """
    kinds = (
        ("element", "element", "query", "query", "value", "text") if levels else ("value", "text")
    )
    match draw(st.sampled_from(kinds)):
        case "element":
            return draw(templates(bound, name, levels - 1))
        case "query":
            return draw(queries(bound, name + "q", levels - 1))
        case "value":
            return OutputValue(draw(st.sampled_from(sorted(bound))))
        case _:
            return OutputText(draw(st.sampled_from(("t", " & "))))


@st.composite
def templates(draw: st.DrawFn, bound: frozenset[str], name: str, levels: int) -> TemplateElement:
    """A template element with an id now and then."""
    variables = st.sampled_from(sorted(bound))
    terms = st.builds(SkolemTerm, st.just("F"), st.lists(variables, max_size=2).map(tuple))
    values = st.one_of(
        st.builds(OutputText, st.just("<")), st.builds(OutputValue, variables), terms
    )
    given_values = draw(st.lists(values, max_size=2)) if draw(st.booleans()) else []
    attributes = tuple(
        OutputAttribute(f"k{number}", value) for number, value in enumerate(given_values)
    )
    inner = tuple(
        draw(contents(bound, f"{name}{number}", levels))
        for number in range(draw(st.integers(0, 3)))
    )
    return TemplateElement(name, attributes, inner)


def several(levels: int) -> st.SearchStrategy[list[TemplateElement]]:
    """One or two templates of different names."""
    one, other = (templates(frozenset(VARIABLES), name, levels) for name in "ef")
    return one.map(lambda each: [each]) | st.tuples(one, other).map(list)


@given(several(3), tables, documents(levels=3))
def test_what_queries_build_is_what_the_plain_evaluator_builds(
    given_templates: list[TemplateElement], table: list[dict[str, str | tuple[str]]], xml: str
) -> None:
    rows = tuple(dict.fromkeys(tuple(sorted(row.items())) for row in table))
    root = etree.fromstring(xml)
    expected = evaluated(given_templates, [dict(row) for row in rows], (), root)
    for asking in (ask_engine, ask_reference):
        assert construct(given_templates, rows, ask=asking(lambda _: root)) == expected


@given(several(1), tables, st.data())
def test_order_by(
    given_templates: list[TemplateElement],
    table: list[dict[str, str | tuple[str]]],
    data: st.DataObject,
) -> None:
    keys = st.builds(OrderKey, st.sampled_from(VARIABLES), st.booleans())
    order = data.draw(st.lists(keys, min_size=1, max_size=3))
    rows = tuple(dict.fromkeys(tuple(sorted(row.items())) for row in table))
    root = etree.fromstring("<a/>")
    expected = evaluated(given_templates, [dict(row) for row in rows], order, root)
    assert construct(given_templates, rows, order=order, ask=ask_engine(lambda _: root)) == expected
