"""Random plans and events for property tests: few names and few values, so that things meet and
collide.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.builders import SECOND, START, build_event
from tocsin.events.event import Event
from tocsin.plan.nodes.atoms import (
    AllOf,
    AnyOf,
    Between,
    BooleanNode,
    Computed,
    Equals,
    IsNull,
    Like,
    Not,
    OneOf,
    Ordered,
    Predicate,
)
from tocsin.plan.nodes.expressions import Attribute, Call, Semantics, Value
from tocsin.values.like import LikePattern, Wild
from tocsin.values.scalars import ENVELOPE, Constant
from tocsin.values.truth import Truth

NAMES = ("a", "b", "c")
PATHS = st.sampled_from(
    [("a",), ("b",), ("c",), ("n", "a"), ("n", "b"), (ENVELOPE, "type"), (ENVELOPE, "id")]
)
HUGE = (2**53, 2**53 + 1, -(2**53) - 1, 2**64, 10**30, 10**30 + 1)

numbers = st.one_of(
    st.integers(-3, 3),
    st.sampled_from([0.5, -0.5, 1.5, 1e308, -0.0, float("inf"), float("-inf"), 2.0**53]),
    st.sampled_from(HUGE),
)
texts = st.one_of(
    st.sampled_from(
        ["", "a", "ab", "abc", "b", "xax", "a\nb", "%", "_", "ü", "t", "a\0", "NaN", "1"]
    ),
    st.sampled_from(["\uffff", "\U00010000", "\U0001f514"]),
    st.text("ab_%", max_size=5),
)
mismatches = st.sampled_from([Truth.UNKNOWN, Truth.FALSE])


def patterns() -> st.SearchStrategy[LikePattern]:
    """LIKE patterns over the alphabet of the texts."""
    tokens = st.one_of(st.sampled_from(list(Wild)), st.text("ab_%", min_size=1, max_size=2))
    return st.lists(tokens, max_size=5).map(LikePattern.of)


def constants() -> st.SearchStrategy[Constant]:
    """Constants of every kind."""
    return st.one_of(numbers, texts, st.booleans()).map(Constant.of)


def predicates() -> st.SearchStrategy[Predicate]:
    """Predicates of every class, strict and lenient about kinds."""
    number, text = numbers.map(Constant.of), texts.map(Constant.of)
    one_kind = st.one_of(
        st.frozensets(number, min_size=1, max_size=3), st.frozensets(text, min_size=1, max_size=3)
    )
    limits = st.one_of(st.tuples(number, number), st.tuples(text, text))
    sums = st.builds(
        lambda left, op, right, limit: Computed(
            Call(op, (Call("+", (Attribute(left), Attribute(right))), Value(limit))),
            Semantics.SELECTOR,
        ),
        PATHS,
        st.sampled_from(["<", "="]),
        PATHS,
        st.integers(-3, 3).map(Constant.of),
    )
    return st.one_of(
        st.builds(Equals, PATHS, constants(), mismatches),
        st.builds(
            Ordered,
            PATHS,
            st.sampled_from(["<", "<=", ">", ">="]),
            st.one_of(number, text),
            mismatches,
        ),
        st.builds(
            lambda path, both, mismatch: Between(path, *both, mismatch),  # type: ignore[call-arg]
            PATHS,
            limits,
            mismatches,  # type: ignore[call-arg]
        ),
        st.builds(OneOf, PATHS, one_kind, mismatches),
        st.builds(Like, PATHS, patterns(), mismatches),
        st.builds(IsNull, PATHS),
        sums,
    )


def boolean_nodes(leaves: int = 8) -> st.SearchStrategy[BooleanNode]:
    """Boolean expressions, negations and empty groups included."""
    return st.recursive(
        predicates(),
        lambda inner: st.one_of(
            st.builds(Not, inner),
            st.lists(inner, max_size=4).map(lambda operands: AllOf(tuple(operands))),
            st.lists(inner, max_size=4).map(lambda operands: AnyOf(tuple(operands))),
        ),
        max_leaves=leaves,
    )


def attribute_values() -> st.SearchStrategy[Any]:
    """What an attribute can hold: every kind, null, and what compares as unknown."""
    return st.one_of(st.none(), st.booleans(), numbers, texts, st.just([1]), st.just({"a": 1}))


def data() -> st.SearchStrategy[dict[str, Any]]:
    """The data of an event, with a nested object."""
    flat = st.dictionaries(st.sampled_from(NAMES), attribute_values())
    return st.builds(
        lambda outer, inner: outer | ({} if inner is None else {"n": inner}), flat, st.none() | flat
    )


@st.composite
def events(draw: st.DrawFn, ids: tuple[str, ...] = ("e1", "e2", "a", "ab")) -> Event:
    """Events with few identities, so that duplicates happen."""
    id = draw(st.sampled_from(ids))
    source = draw(st.sampled_from(["s", "t"]))
    type = draw(st.sampled_from(["t", "ab"]))
    second, endtime = None, None
    if draw(st.booleans()):
        second = draw(st.integers(0, 5))
        endtime = START + draw(st.integers(second, 9)) * SECOND
    return build_event(id, type, second, source=source, endtime=endtime, data=draw(data()))
