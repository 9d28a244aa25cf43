"""Composites in process and by the reference agree on random timelines with intervals, instants and
ties.
"""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from tests.engine.concepts.worlds import context
from tests.scenarios.loading import events_of, shown
from tocsin.events.codecs.base.cloudevents import from_mapping
from tocsin.languages import parse_subscription
from tocsin.plan.passes import prepared
from tocsin.plan.passes.settings import with_settings
from tocsin.reference import matches
from tocsin.runtime.finite_run import match_events, read_events
from tocsin.values.allen import BOUNDS

INVERSES = ("After", "MetBy", "OverlappedBy", "StartedBy", "FinishedBy", "Contains")
RELATIONS = [
    negation + each
    for each in (*(each.value for each in BOUNDS), *INVERSES)
    for negation in ("", "Un")
]
HORIZON = 1_000_000

atoms = st.sampled_from([f"selector{{ kind LIKE '%{letter}%' }}" for letter in "abc"])


def _larger(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    signs = st.sampled_from([*RELATIONS, "&", "|"])
    pairs = st.builds("({}) {} ({})".format, inner, signs, inner)
    anchored = st.builds(
        "not ({}) ({} ms anchored) Before ({})".format, atoms, st.integers(1, 6), inner
    )
    return st.one_of(pairs, pairs, pairs, anchored)


texts = st.recursive(
    st.builds("({}) {} ({})".format, atoms, st.sampled_from([*RELATIONS, "&"]), atoms),
    _larger,
    max_leaves=3,
)
moments = st.tuples(st.integers(0, 12), st.sampled_from([0, 0, 1, 2, 5]))
kinds = st.sampled_from(["a", "b", "c", "a+b", "b+c", "a+b+c"])


@st.composite
def timelines(draw: st.DrawFn) -> str:
    drawn = draw(st.lists(st.tuples(kinds, moments), min_size=1, max_size=9))
    return " ".join(
        f"e{number}:{kind}@{start}..{start + length}"
        for number, (kind, (start, length)) in enumerate(drawn)
    )


@given(texts, timelines(), st.sampled_from(["paper", "proper"]))
def test_engine_and_reference_agree(text: str, timeline: str, mode: str) -> None:
    plan = parse_subscription("concept", text, {"intervals": mode}, context())
    plan = with_settings(prepared(plan), None, HORIZON)
    events = list(events_of(timeline))
    expected = matches("s", plan, [from_mapping(event) for event in events])
    found = match_events({"s": plan}, read_events(json.dumps(event).encode() for event in events))
    assert [shown(each) for each in found] == [shown(each) for each in expected]
