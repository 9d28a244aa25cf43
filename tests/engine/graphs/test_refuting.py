"""An event that is refuted before it is lifted matches nothing by the reference; and whoever asks
sees the same hits, problems and warnings as if every event were lifted.
"""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import example, given, reject
from hypothesis import strategies as st

from tests.builders import build_unread_event
from tests.engine.graphs.worlds import pairs
from tocsin.engine.columns.batch import Batch
from tocsin.engine.graphs.matcher import MAX_REQUIREMENTS, GraphMatcher, PatternRequirements
from tocsin.errors import EventProblem
from tocsin.events.event import Event
from tocsin.events.views.graph import graph_in
from tocsin.events.views.names import default_iri
from tocsin.knowledge.ontology import Ontology, open_ontology
from tocsin.plan.nodes.graphs import (
    Comparison,
    GraphPattern,
    Home,
    Injective,
    StatementPattern,
    Variable,
    home_is_a,
)
from tocsin.reference import graphs as reference
from tocsin.values.terms import (
    ANY_LITERAL,
    DOUBLE,
    INTEGER,
    RDF_VALUE,
    STRING,
    THING,
    Blank,
    Iri,
    Literal,
    Term,
)

NAMES = ["a", "b", "type", "item", "value", "rdfs:label", "rdf:first", "rdf:type", "é x", ""]
SCALARS = st.sampled_from(
    [None, True, False, 0, 1, 1.0, -0.0, 1.5, "1", "", "a", "\x00", "urn:x", 10**20, float("inf")]
)
ONTOLOGIES = [open_ontology(), open_ontology("urn:ns:")]


def members(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    names = st.sampled_from(NAMES)
    special = st.fixed_dictionaries(
        {}, optional={"@id": st.sampled_from(["urn:x", "_:x", "", 1]), "@type": SCALARS}
    )
    plain = st.dictionaries(names, inner, max_size=3)
    return st.lists(inner, max_size=3) | plain | st.builds(lambda a, b: {**a, **b}, plain, special)


DATA = st.recursive(SCALARS, members, max_leaves=8)
KINDS = st.sampled_from([None, "application/json", "text/xml", "application/ld+json"])
PROPERTIES = st.sampled_from([*map(default_iri, NAMES), RDF_VALUE, "urn:p"])
CONSTANTS: st.SearchStrategy[Iri | Literal] = st.sampled_from(
    [
        Iri("urn:x"),
        Literal("1", INTEGER),
        Literal("1.0", DOUBLE),
        Literal("0", INTEGER),
        Literal("1", STRING),
        Literal("a", STRING),
        Literal("", STRING),
    ]
)
CLASSES = st.sampled_from([THING, ANY_LITERAL, STRING, "urn:c"])


@st.composite
def statements(draw: st.DrawFn) -> tuple[StatementPattern, ...]:
    """A tree from home, of a few arcs."""
    said = [home_is_a(THING)] if draw(st.booleans()) else []
    known: list[Any] = [Home()]
    for number in range(draw(st.integers(0 if said else 1, 3))):
        end = draw(st.just(Variable(f"v{number}")) | CONSTANTS)
        said.append(
            StatementPattern(
                draw(st.sampled_from(known)),
                end,
                THING,
                draw(PROPERTIES),
                draw(CLASSES),
                draw(st.sampled_from([None, Comparison(">", Literal("0", INTEGER))])),
                draw(st.booleans()),
            )
        )
        if not isinstance(end, Literal):
            known.append(end)
    return tuple(said)


@st.composite
def patterns(draw: st.DrawFn) -> GraphPattern:
    groups = st.lists(statements(), max_size=1).map(tuple)
    return GraphPattern(
        draw(statements()),
        draw(st.sampled_from(ONTOLOGIES)),
        draw(st.sampled_from(Injective)),
        (),
        draw(groups),
        draw(groups),
    )


def event(number: int, data: object, kind: str | None) -> Event:
    """An event as a host may make it, whose data are not what a reader of JSON would let through."""
    return build_unread_event("<a>1</a>" if kind == "text/xml" else data, kind, id=f"e{number}")


def events_of(given_data: list[tuple[object, str | None]]) -> list[Event]:
    return [event(number, data, kind) for number, (data, kind) in enumerate(given_data)]


@given(st.lists(patterns(), min_size=1, max_size=3), st.lists(st.tuples(DATA, KINDS), max_size=4))
@example([GraphPattern((home_is_a(THING),), ONTOLOGIES[0])], [({}, None)])
def test_who_asks_sees_the_same_as_if_all_were_lifted(
    many: list[GraphPattern], data: list[tuple[object, str | None]]
) -> None:
    events = events_of(data)
    matcher, oracle = GraphMatcher(), GraphMatcher()
    for number, pattern in enumerate(many):
        matcher.add(str(number), pattern)
        oracle.add(str(number), pattern)
    found = pairs(matcher, events)
    with patch.object(PatternRequirements, "rules_out", return_value=False):
        assert pairs(oracle, events) == found
    assert {i: str(each) for i, each in matcher.refused.items()} == {
        i: str(each) for i, each in oracle.refused.items()
    }
    assert [(i, str(each)) for i, each in matcher.warned] == [
        (i, str(each)) for i, each in oracle.warned
    ]


@given(patterns(), DATA, KINDS)
def test_what_is_refuted_matches_nothing(
    pattern: GraphPattern, data: object, kind: str | None
) -> None:
    needs, one = PatternRequirements(pattern.ontology), event(0, data, kind)
    needs.add(pattern)
    if needs.rules_out(one):
        assert not reference.holds(pattern, one)


@st.composite
def taken(draw: st.DrawFn) -> tuple[GraphPattern, Event]:
    """An event of JSON, and a pattern that says some of its arcs, values in another spelling."""
    ontology = draw(st.sampled_from(ONTOLOGIES))
    one = event(0, draw(members(DATA).filter(bool)), None)
    try:
        graph = graph_in(one, ontology)
    except EventProblem:
        reject()
    ids: dict[Any, Any] = {graph.home: Home()}
    said: list[StatementPattern] = []
    for subject, used, value in graph.arcs:
        if subject in ids and draw(st.booleans()):
            free = Variable(f"v{len(ids)}")
            ids.setdefault(value, draw(st.sampled_from([free, _other_spelling(value) or free])))
            kind = ANY_LITERAL if isinstance(value, Literal) else THING
            said.append(StatementPattern(ids[subject], ids[value], THING, used, kind))
    return GraphPattern(tuple(said or [home_is_a(THING)]), ontology, Injective.NONE), one


def _other_spelling(value: Term) -> Iri | Literal | None:
    """The same constant, a number with zeros more; a blank node is none."""
    if isinstance(value, Literal) and value.datatype in (INTEGER, DOUBLE):
        return Literal(f"{float(value.lexical)}0", DOUBLE) if len(value.lexical) < 9 else value
    return None if isinstance(value, Blank) else value


@given(taken())
def test_what_matches_is_lifted(pair: tuple[GraphPattern, Event]) -> None:
    pattern, one = pair
    needs = PatternRequirements(pattern.ontology)
    needs.add(pattern)
    if reference.holds(pattern, one):
        assert not needs.rules_out(one)


def path(*properties: str) -> GraphPattern:
    ends = [Home(), *(Variable(f"v{number}") for number in range(len(properties)))]
    return GraphPattern(
        tuple(
            StatementPattern(start, end, THING, each, kind)
            for start, end, each, kind in zip(
                ends,
                ends[1:],
                properties,
                [*[THING] * (len(properties) - 1), ANY_LITERAL],
                strict=False,
            )
        ),
        ONTOLOGIES[0],
    )


@pytest.mark.parametrize(
    ("pattern", "data"),
    [
        (path(default_iri("a"), default_iri("item")), {"a": [[1]]}),
        (path(default_iri("a"), default_iri("b")), {"a": [1, {"b": "x"}]}),
        (path("http://www.w3.org/2000/01/rdf-schema#label"), {"rdfs:label": "x"}),
        (path(RDF_VALUE), {"value": "x"}),
    ],
    ids=[
        "list in list",
        "object in list",
        "a known property",
        "a known property by its short name",
    ],
)
def test_what_matches_in_an_odd_place_is_lifted(
    pattern: GraphPattern, data: dict[str, object]
) -> None:
    assert reference.holds(pattern, event(0, data, None))
    needs = PatternRequirements(pattern.ontology)
    needs.add(pattern)
    assert not needs.rules_out(event(0, data, None))


def asking(name: str, value: Literal, ontology: Ontology = ONTOLOGIES[0]) -> GraphPattern:
    statement = StatementPattern(Home(), value, THING, default_iri(name), ANY_LITERAL)
    return GraphPattern((statement,), ontology)


def test_only_what_may_match_is_lifted() -> None:
    matcher = GraphMatcher()
    matcher.add("s", asking("kind", Literal("a", STRING)))
    data = [{"kind": "a"}, {"kind": "b", "v": 1.5}, {"other": "a"}, {"in": [{"kind": "a"}]}]
    assert pairs(matcher, events_of([(each, None) for each in data])) == [(0, "s")]
    assert matcher.work.not_lifted == 2
    matcher.add("t", asking("kind", Literal("b", STRING)))
    matcher.remove("s")
    matcher.match(Batch(events_of([({"kind": "a"}, None)])))
    assert matcher.work.not_lifted == 3


def test_with_many_different_needs_the_index_is_asked_at_once() -> None:
    needs = PatternRequirements(ONTOLOGIES[0])
    for number in range(MAX_REQUIREMENTS + 1):
        assert needs.rules_out(event(0, {"other": 1}, None))
        needs.add(asking(f"n{number}", Literal("a", STRING)))
    assert not needs.rules_out(event(0, {"other": 1}, None))


def test_what_is_too_large_for_a_graph_is_refused_all_the_same() -> None:
    matcher = GraphMatcher()
    matcher.add("s", asking("kind", Literal("a", STRING)))
    wide = {"some": [{"in": [{}] * 9}] * 6_000}
    assert pairs(matcher, events_of([(wide, None)])) == []
    assert matcher.refused[0].code == "EVENT_TOO_LARGE"
