"""The step-by-step reference agrees with the declarative meaning, and every policy chooses from
that meaning.
"""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.timelines import event_at, kind, parts, patterns, timelines
from tocsin.events.event import Event
from tocsin.plan.nodes.composites import Absence, AfterWindow, Join, Named, Part, Policy
from tocsin.reference.declarative_semantics import occurrences
from tocsin.reference.detection import PatternDetection
from tocsin.reference.occurrence import ReferenceOccurrence, scopes_of


def detected(
    pattern: Part, events: list[Event], until: int | None = None
) -> list[ReferenceOccurrence]:
    detection = PatternDetection(pattern)
    for event in events:
        detection.event(event)
    detection.advance_to(until)
    return detection.found


def keys(found: list[ReferenceOccurrence]) -> Counter[tuple[object, ...]]:
    return Counter(
        (
            each.identity,
            each.start,
            each.end,
            tuple(sorted((n, o.identity) for n, o in each.names.items())),
        )
        for each in found
    )


@given(patterns(Policy.UNRESTRICTED), timelines())
def test_unrestricted_detection_finds_exactly_the_meaning(
    pattern: Part, events: list[Event]
) -> None:
    assert set(keys(detected(pattern, events))) == set(keys(occurrences(pattern, events)))


@given(
    st.sampled_from([Policy.CHRONICLE, Policy.RECENT, Policy.EXCLUSIVE, Policy.GLOBE]).flatmap(
        parts
    ),
    timelines(),
)
def test_a_policy_only_chooses_among_the_meaning(pattern: Part, events: list[Event]) -> None:
    assert set(keys(detected(pattern, events))) <= set(keys(occurrences(pattern, events)))


@given(patterns(Policy.DEFERRED), timelines())
def test_deferred_only_chooses_and_each_once(pattern: Part, events: list[Event]) -> None:
    found = keys(detected(pattern, events))
    assert set(found) <= set(keys(occurrences(pattern, events)))


@given(patterns(Policy.DEFERRED), timelines(), st.integers(0, 9))
def test_stopping_the_clock_shows_what_was_known_then(
    pattern: Part, events: list[Event], until: int
) -> None:
    later = until + max(
        (event.interval.end for event in events if event.interval is not None), default=0
    )
    whole = [each for each in detected(pattern, events, later) if each.end <= until]
    seen = [event for event in events if event.interval is not None and event.interval.end <= until]
    assert keys(detected(pattern, seen, until)) == keys(whole)


def test_the_scope_of_a_name_is_what_lies_between_its_places() -> None:
    x, y = Named("x", kind("a")), Named("y", kind("b"))
    left, right = Join((x, y)), Join((x, y), keep=5)
    root = Join((left, right))
    whole = Join((root, kind("c")))
    assert {name: scope.root for name, scope in scopes_of(whole).items()} == {"x": root, "y": root}
    assert scopes_of(whole)["x"].operators == {left, right, root}
    assert scopes_of(Join((x, y))) == {}


@pytest.mark.parametrize(("events", "expected"), [("a0 b5", []), ("a0 b6", [5]), ("a0 b0", [5])])
def test_silence_after_a_part_is_half_open(events: str, expected: list[int]) -> None:
    from_text = [event_at(int(word[1:]), word[0]) for word in events.split()]
    pattern = Absence(kind("b"), AfterWindow(kind("a"), 5))
    assert [each.end for each in detected(pattern, from_text)] == expected
