"""For any text: a pattern or problems, nothing else. For any pattern: written down and read again,
it is the same.
"""

from __future__ import annotations

import pickle

from hypothesis import given
from hypothesis import strategies as st

from tests.languages.graph.texts import auction, cheap, parsed, problems_of
from tocsin.errors import Problem
from tocsin.languages.graph.printer import as_query, as_statements
from tocsin.plan.nodes.graphs import (
    RELATIONS,
    Comparison,
    Filter,
    FilterAll,
    FilterAny,
    FilterNot,
    GraphPattern,
    Home,
    Injective,
    Regex,
    StatementPattern,
    Variable,
    Vertex,
)
from tocsin.values.terms import (
    ANY_LITERAL,
    BOOLEAN,
    DECIMAL,
    DOUBLE,
    INTEGER,
    LANG_STRING,
    STRING,
    Iri,
    Literal,
)

PIECES = st.sampled_from(
    """( ) , ; . { } _:H _:x ?1 ?2 ? Selling :Selling target units:dollar owl:Thing xsd:decimal rdf:type <http://x/y> <
    <= > = =~ != ! && || and or not regex( "a" 'b' "(" "\\q" "a"@en "5"^^xsd:decimal 5 -1.5 1e9 true PREFIX ex: select
    ASK SELECT WHERE OPTIONAL FILTER FILTER( NOT EXISTS UNION a + / * # ^^ @en [ ] $x ≤ ∨
    (_:H,?1,(Selling,target,Computer))
    """.split()
)
TEXTS = st.one_of(
    st.text(max_size=60),
    st.lists(PIECES, max_size=25).map(" ".join),
    st.lists(PIECES, max_size=25).map("".join),
    st.lists(PIECES, max_size=4).map(lambda pieces: cheap() + " ".join(pieces)),
)

CONTENT = st.text(max_size=8)
LITERALS = st.one_of(
    st.builds(Literal, CONTENT),
    st.builds(Literal, CONTENT, st.sampled_from([DECIMAL, STRING, "http://x/type"])),
    st.builds(Literal, CONTENT, st.just(LANG_STRING), st.sampled_from(["en", "de-at"])),
    st.builds(Literal, st.integers().map(str), st.just(INTEGER)),
    st.builds(Literal, st.sampled_from(["1.5", "-0.25"]), st.just(DECIMAL)),
    st.builds(Literal, st.sampled_from(["1e9", "2.5E-3"]), st.just(DOUBLE)),
    st.builds(Literal, st.sampled_from(["true", "false"]), st.just(BOOLEAN)),
)
VALUES = st.one_of(LITERALS, st.just(Iri("http://x/y")))
PATTERNS = st.sampled_from(["a", "^a.*b$", '["\\\\]', "\\d+", "é\n", "(?i)x"])
FILTERS: st.SearchStrategy[Filter] = st.recursive(
    st.one_of(
        st.builds(Comparison, st.sampled_from(RELATIONS), VALUES),
        st.builds(Regex, PATTERNS, st.sampled_from(["", "i", "ms", "x"])),
    ),
    lambda inner: st.one_of(
        st.builds(FilterNot, inner),
        st.builds(FilterAll, st.lists(inner, min_size=2, max_size=3).map(tuple)),
        st.builds(FilterAny, st.lists(inner, min_size=2, max_size=3).map(tuple)),
    ),
    max_leaves=5,
)


@st.composite
def graph_patterns(draw: st.DrawFn) -> GraphPattern:
    """A tree of variables with literals at its leaves; the classes are those that the auction gives
    everything.
    """
    thing = "http://www.w3.org/2002/07/owl#Thing"
    resources: list[Vertex] = [Home()]
    statements: list[StatementPattern] = []
    for number in range(draw(st.integers(1, 5))):
        subject = draw(st.sampled_from(resources))
        if draw(st.booleans()):
            value = draw(st.one_of(st.just(Variable(f"v{number}")), LITERALS))
            condition = draw(st.none() | FILTERS) if isinstance(value, Variable) else None
            prop, kind = "http://auction.example/minBid", ANY_LITERAL
            statements.append(StatementPattern(subject, value, thing, prop, kind, condition))
            continue
        fresh = draw(
            st.sampled_from([Variable(f"v{number}"), Iri(f"http://x/{number}"), *resources])
        )
        prop = "http://auction.example/currency"
        statements.append(
            StatementPattern(subject, fresh, thing, prop, thing, None, draw(st.booleans()))
        )
        resources.append(fresh)
    names = sorted({each.object.name for each in statements if isinstance(each.object, Variable)})
    select = tuple(draw(st.lists(st.sampled_from(names), unique=True))) if names else ()
    if not any(isinstance(each.subject, Home) for each in statements):
        statements.append(
            StatementPattern(Home(), resources[-1], thing, "http://auction.example/currency", thing)
        )
    return GraphPattern(tuple(dict.fromkeys(statements)), auction(), Injective.RESOURCES, select)


@given(TEXTS)
def test_any_text_is_a_pattern_or_has_problems_with_places_and_hints(text: str) -> None:
    found = problems_of(text)
    assert all(problem.place is not None and problem.hint and problem.code for problem in found)
    raised = _raised(text)
    assert [(each.code, each.place) for each in found[:1]] == [
        (each.code, each.place) for each in raised
    ]


@given(graph_patterns())
def test_a_pattern_written_as_statements_is_read_as_the_same(pattern: GraphPattern) -> None:
    assert parsed(as_statements(pattern)) == pattern


@given(graph_patterns())
def test_a_pattern_written_as_a_query_says_the_same_statements(pattern: GraphPattern) -> None:
    read = parsed(as_query(pattern))
    assert _bare(read) == _bare(pattern)
    assert (read.select, read.injective) == (pattern.select, pattern.injective)


@given(graph_patterns())
def test_a_pattern_travels_between_processes(pattern: GraphPattern) -> None:
    received = pickle.loads(pickle.dumps(pattern))
    assert received == pattern
    assert hash(received) == hash(pattern)


def _raised(text: str) -> list[Problem]:
    try:
        parsed(text)
    except Problem as problem:
        return [problem]
    return []


def _bare(pattern: GraphPattern) -> set[tuple[object, ...]]:
    """The statements without their filters, which a query says of the first statement that ends at
    the variable.
    """
    return {
        (each.subject, each.object, each.property, each.repeated) for each in pattern.statements
    }
