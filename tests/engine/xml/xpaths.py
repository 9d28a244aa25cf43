"""Random XPath expressions, and small documents in which their names occur."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.engine.xml.worlds import documents
from tocsin.plan.xml.xpath.syntax import (
    Chain,
    Expression,
    Filter,
    NodeTest,
    Number,
    Path,
    XPathCall,
    XPathLiteral,
    XPathMinus,
    XPathStep,
)

AXES = (
    "child child child descendant descendant-or-self self parent ancestor ancestor-or-self attribute following"
    " following-sibling preceding preceding-sibling".split()
)
NAMES = ("a", "b", "c", "*")
TEXTS = ("", "1", "2", "x", "a b", "10")
_KINDS = st.sampled_from(("node", "text"))
TESTS = st.sampled_from(NAMES).map(NodeTest) | _KINDS.map(lambda kind: NodeTest(kind=kind))
DOCUMENTS = documents


def steps(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[tuple[XPathStep, ...]]:
    predicates = st.lists(inner, max_size=1).map(tuple)
    step = st.builds(XPathStep, st.sampled_from(AXES), TESTS, predicates)
    anywhere = st.just(XPathStep("descendant-or-self", NodeTest(kind="node")))
    return st.lists(step | anywhere, min_size=1, max_size=3).map(tuple)


def paths(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    return st.builds(Path, steps(inner), st.booleans())


def _nodes(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    plain = paths(inner)
    union = st.tuples(plain, plain).map(lambda both: Chain(both, ("|",)))
    filtered = st.builds(Filter, plain | union, st.tuples(inner))
    further = st.builds(Path, steps(inner), st.just(False), filtered)
    return plain | union | filtered | further


def _wider(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    nodes = _nodes(inner)
    any_two = st.tuples(inner, inner)
    return st.one_of(
        nodes,
        st.builds(
            Chain,
            any_two,
            st.sampled_from(("=", "!=", "<", ">=", "and", "or", "+", "*", "mod")).map(
                lambda s: (s,)
            ),
        ),
        st.builds(XPathMinus, inner),
        st.builds(
            XPathCall, st.sampled_from(("count", "sum", "name", "local-name")), st.tuples(nodes)
        ),
        st.builds(
            XPathCall,
            st.sampled_from(
                ("not", "boolean", "string", "number", "string-length", "normalize-space")
            ),
            st.tuples(inner),
        ),
        st.builds(
            XPathCall,
            st.sampled_from(("contains", "starts-with", "substring-before", "concat")),
            any_two,
        ),
        st.builds(XPathCall, st.just("translate"), st.tuples(inner, inner, inner)),
    )


_SIMPLE: st.SearchStrategy[Expression] = st.one_of(
    st.sampled_from(TEXTS).map(XPathLiteral),
    st.sampled_from(("0", "1", "2", "3.5")).map(Number),
    st.sampled_from(("position", "last", "true", "string", "normalize-space")).map(
        lambda name: XPathCall(name, ())
    ),
    st.builds(
        Path,
        st.lists(st.builds(XPathStep, st.sampled_from(AXES), TESTS), min_size=1, max_size=2).map(
            tuple
        ),
        st.booleans(),
    ),
)
EXPRESSIONS = st.recursive(_SIMPLE, _wider, max_leaves=6)
