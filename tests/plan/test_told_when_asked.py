"""What a match of several events tells is the same in whatever order it is asked for; what may not
be told at all is known when the match is made.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.builders import build_event
from tocsin.events.event import Event
from tocsin.events.matches.match import Match, deduplicate
from tocsin.plan.semantics.match_rendering import MatchRenderer
from tocsin.plan.semantics.occurrence import Occurrence
from tocsin.values.time import format_instant

FIELDS = ("events", "start", "end", "detected", "place", "id", "bindings", "outputs", "sources")


def event(number: int) -> Event:
    place = f"POINT ({number} 1)" if number % 3 else None
    return build_event(f"e{number}", time=number, source=f"s{number % 2}", place=place)


EVENTS = [event(number) for number in range(5)]


@st.composite
def occurrences(draw: st.DrawFn) -> Occurrence:
    members = tuple(draw(st.lists(st.sampled_from(EVENTS), min_size=1, unique=True)))
    named = {
        name: Occurrence((draw(st.sampled_from(members)),), 0, 1)
        for name in draw(st.sets(st.sampled_from(["a", "b", ".hidden"])))
    }
    windows = draw(st.lists(st.tuples(st.integers(0, 9), st.integers(10, 20)), max_size=2))
    return Occurrence(members, 0, 30, named, tuple(windows))


def made(occurrence: Occurrence, subscription: str = "s") -> Match:
    match = MatchRenderer(occurrence, writes_place=False).match(subscription)
    assert match is not None
    return match


@given(occurrences(), st.permutations(FIELDS))
def test_it_is_the_same_in_any_order(occurrence: Occurrence, fields: Sequence[str]) -> None:
    members = occurrence.members
    match = made(occurrence)
    told = {name: getattr(match, name) for name in fields}
    assert told["events"] == tuple(each.id for each in members)
    assert told["sources"] == tuple(each.source for each in members)
    assert (told["start"], told["end"], told["detected"]) == (0, 30, 30)
    bindings = {
        name: bound.members[0].id for name, bound in occurrence.names.items() if name != ".hidden"
    }
    for name, (start, end) in zip(("absence", "absence1"), occurrence.absences, strict=False):
        bindings[name] = f"{format_instant(start)}/{format_instant(end)}"
    assert told["bindings"] == bindings
    assert match == Match("s", **told)
    assert pickle.loads(pickle.dumps(made(occurrence))) == match


@given(st.lists(st.tuples(occurrences(), st.sampled_from("stu")), max_size=6))
def test_each_id_is_told_once(drawn: list[tuple[Occurrence, str]]) -> None:
    drawn += drawn[:1]
    found = [made(*each) for each in drawn]
    first: dict[str, Match] = {}
    for match in (made(*each) for each in drawn):
        first.setdefault(match.id, match)
    assert deduplicate(found) == list(first.values())


@pytest.mark.parametrize(
    ("window", "written"),
    [
        ((0, 10**18), "1970-01-01T00:00:00Z/9999-12-31T23:59:59.999999Z"),
        ((-(10**18), 0), "0001-01-01T00:00:00Z/1970-01-01T00:00:00Z"),
    ],
)
def test_a_window_beyond_all_time_is_written_up_to_its_end(
    window: tuple[int, int], written: str
) -> None:
    silent = Occurrence((EVENTS[0],), 0, 1, {}, (window,))
    assert made(silent).bindings == {"absence": written}


def test_a_value_that_cannot_be_written_is_known_at_once() -> None:
    with pytest.raises(ValueError, match="digits"):
        made(Occurrence((EVENTS[0],), 0, 1, rows=((("x", 10**5000),),)))
