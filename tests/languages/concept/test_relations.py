"""All relations of Allen as words: the inverses, the complements, and the spellings of the
paper.
"""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.concepts.worlds import context
from tests.languages.concept.texts import pattern_of, problems_of
from tests.scenarios.loading import events_of
from tocsin.events.codecs.base.cloudevents import from_mapping
from tocsin.languages import parse_subscription
from tocsin.plan.passes import prepared
from tocsin.plan.passes.settings import with_settings
from tocsin.reference import matches
from tocsin.runtime.finite_run import match_events, read_events

Interval = tuple[int, int]
A, B = "selector{ kind = 'a' }", "selector{ kind = 'b' }"

# Allen 1983, figure 2, written for two intervals (begin, end); instants are intervals of no length.
MEANING: dict[str, Callable[[Interval, Interval], bool]] = {
    "Equals": lambda a, b: a == b,
    "Before": lambda a, b: a[1] < b[0],
    "After": lambda a, b: b[1] < a[0],
    "Meets": lambda a, b: a[1] == b[0],
    "MetBy": lambda a, b: a[0] == b[1],
    "Overlaps": lambda a, b: a[0] < b[0] < a[1] < b[1],
    "OverlappedBy": lambda a, b: b[0] < a[0] < b[1] < a[1],
    "Starts": lambda a, b: a[0] == b[0] and a[1] < b[1],
    "StartedBy": lambda a, b: a[0] == b[0] and b[1] < a[1],
    "Finishes": lambda a, b: a[1] == b[1] and b[0] < a[0],
    "FinishedBy": lambda a, b: a[1] == b[1] and a[0] < b[0],
    "During": lambda a, b: b[0] < a[0] and a[1] < b[1],
    "Contains": lambda a, b: a[0] < b[0] and b[1] < a[1],
}
INVERSES = {
    "After": "Before",
    "MetBy": "Meets",
    "OverlappedBy": "Overlaps",
    "StartedBy": "Starts",
    "FinishedBy": "Finishes",
    "Contains": "During",
}
intervals = st.tuples(st.integers(0, 6), st.integers(0, 4)).map(
    lambda drawn: (drawn[0], drawn[0] + drawn[1])
)


@given(st.sampled_from(list(MEANING)), st.booleans(), st.booleans(), intervals, intervals)
def test_a_word_means_its_relation(
    relation: str, negated: bool, paper: bool, a: Interval, b: Interval
) -> None:
    written = f"{'int' * paper}{'Un' * negated}{relation}"
    plan = parse_subscription("concept", f"{A} {written} {B}", {}, context())
    plan = with_settings(prepared(plan), None, 1_000_000)
    events = list(events_of(f"x:a@{a[0]}..{a[1]} y:b@{b[0]}..{b[1]}"))
    expected = MEANING[relation](a, b) is not negated
    assert bool(matches("s", plan, [from_mapping(event) for event in events])) is expected
    assert (
        bool(
            list(
                match_events(
                    {"s": plan}, read_events(json.dumps(event).encode() for event in events)
                )
            )
        )
        is expected
    )


@pytest.mark.parametrize("inverse", INVERSES)
@pytest.mark.parametrize("negation", ["", "Un"])
def test_an_inverse_is_the_relation_the_other_way_round(inverse: str, negation: str) -> None:
    there = pattern_of(f"ObjectEvent {negation}{inverse} AggregationEvent")
    back = pattern_of(f"AggregationEvent {negation}{INVERSES[inverse]} ObjectEvent")
    assert there == back


def test_an_anchored_absence_may_stand_after() -> None:
    there = pattern_of("AggregationEvent After not (ObjectEvent) (1 h anchored)")
    assert there == pattern_of("not (ObjectEvent) (1 h anchored) Before AggregationEvent")
    later = pattern_of("not (ObjectEvent) (1 h anchored) After AggregationEvent")
    assert later == pattern_of("AggregationEvent Before not (ObjectEvent) (1 h anchored)")
    assert later != there
    (problem,) = problems_of("not (ObjectEvent) (1 h anchored) MetBy AggregationEvent")
    assert problem.code == "UNSUPPORTED"


@pytest.mark.parametrize(
    ("paper", "ours"),
    [
        ("ObjectEvent ∧ ∃bizStep.shipping", "ObjectEvent and exists bizStep.shipping"),
        (
            "ObjectEvent ∨ ¬∀bizStep.(shipping ∨ selling)",
            "ObjectEvent or not forall bizStep.(shipping or selling)",
        ),
        (
            "ObjectEvent ⊓ ¬(TransactionEvent ⊔ ⊥)",
            "ObjectEvent and not (TransactionEvent or Nothing)",
        ),
        ("⊤ intBefore ObjectEvent", "Thing Before ObjectEvent"),
        ("ObjectEvent intUnOverlaps ObjectEvent", "ObjectEvent UnOverlaps ObjectEvent"),
    ],
)
def test_the_paper_s_spellings(paper: str, ours: str) -> None:
    assert pattern_of(paper) == pattern_of(ours)
