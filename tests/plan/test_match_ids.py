"""Two matches of a subscription have one id iff nothing that is told tells them apart: the same on
every evaluator.
"""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import tocsin
from tests.builders import build_event
from tests.timelines import patterns, timelines
from tocsin.catalog import Subscription, compile_subscription
from tocsin.engine.detection.scheduling.network import Network
from tocsin.events.event import Event
from tocsin.plan.bindings import NOTHING_BOUND
from tocsin.plan.nodes.composites import Part, Plan, Policy
from tocsin.plan.semantics.match_rendering import match_of
from tocsin.plan.semantics.occurrence import Occurrence
from tocsin.reference import matches
from tocsin.reference.atoms import holds
from tocsin.reference.detection import PatternDetection
from tocsin.runtime.finite_run import Input, match_events

MOST_FREE = st.sampled_from([Policy.UNRESTRICTED, Policy.UNRESTRICTED, *Policy]).flatmap(patterns)


def sources_share_ids(events: list[Event]) -> list[Event]:
    """The same timeline from two sources that use the same ids."""
    return [
        _renamed(event, f"e{number // 2}", "st"[number % 2]) for number, event in enumerate(events)
    ]


def _renamed(event: Event, id: str, source: str) -> Event:
    return Event(
        {**event.envelope, "id": id, "source": source},
        event.data,
        event.interval,
        event.place_source,
    )


def apart(each: Occurrence) -> tuple[object, ...]:
    """All that tells occurrences apart, as values."""
    names = {name: (bound.identity, bound.absences) for name, bound in each.names.items()}
    return (each.identity, each.absences, tuple(sorted(names.items())), frozenset(each.rows))


def by_reference(pattern: Part, events: list[Event]) -> list[Occurrence]:
    detection = PatternDetection(pattern)
    for event in events:
        detection.event(event)
    detection.advance_to(None)
    return detection.found


def by_engine(pattern: Part, events: list[Event]) -> list[Occurrence]:
    network = Network()
    network.add("s", pattern)
    found = []
    for event in events:
        found += network.event(event, [atom for atom in network.atoms if holds(atom, event)])
    return [each for _, each in found + network.advance_to(None)]


def id_of(each: Occurrence) -> str:
    match = match_of("s", each)
    assert match is not None
    return match.id


def require_ids_tell_apart(found: list[Occurrence]) -> None:
    ids, keys = list(map(id_of, found)), list(map(apart, found))
    assert len(set(ids)) == len(set(keys)) == len(set(zip(ids, keys, strict=True)))


@given(MOST_FREE, timelines().map(sources_share_ids))
def test_ids_tell_matches_apart_and_nothing_else(pattern: Part, events: list[Event]) -> None:
    require_ids_tell_apart(by_reference(pattern, events) + by_engine(pattern, events))


@given(MOST_FREE, timelines().map(sources_share_ids))
def test_every_way_gives_the_same_ids(pattern: Part, events: list[Event]) -> None:
    plan = Plan(pattern)
    found = match_events({"s": plan}, Input(events))
    assert [(each.id, each.events, each.sources) for each in found] == [
        (each.id, each.events, each.sources) for each in matches("s", plan, events)
    ]
    assert len({each.id for each in found}) == len(found)


rows = st.lists(
    st.lists(
        st.tuples(st.sampled_from("xy"), st.sampled_from(["1", "1 2", 1, True, 0.5])),
        max_size=2,
        unique=True,
    ),
    min_size=1,
    max_size=2,
).map(lambda some: tuple(tuple(row) for row in some))


@given(st.lists(st.tuples(rows, st.booleans(), st.booleans()), min_size=2, max_size=4))
def test_what_variables_are_bound_to_counts_and_their_order_does_not(many: list[Any]) -> None:
    e1, e2 = (_event(f"e{number}", number) for number in (1, 2))
    found = []
    for each, named, swapped in many:
        first, second = (e2, e1) if swapped else (e1, e2)
        parts = {"x": Occurrence((first,), 1, 1), "y": Occurrence((second,), 2, 2)} if named else {}
        found.append(
            Occurrence((e1, e2), 1, 2, parts, (), tuple(dict.fromkeys(each)) or NOTHING_BOUND)
        )
    ids = {(id_of(each), (_names(each), frozenset(map(repr, each.rows)))) for each in found}
    assert len(ids) == len({id for id, _ in ids}) == len({key for _, key in ids})


def _names(each: Occurrence) -> tuple[object, ...]:
    return tuple((name, bound.identity) for name, bound in each.names.items())


def test_unnamed_parts_that_swap_their_events_are_two_matches_where_variables_tell() -> None:
    text = "xml{<e><k>$x</></>} && xml{<e><k>$y</></>}"
    plan = compile_subscription(Subscription("s", "opsl", text, policy="unrestricted"))
    events = [_event(f"e{n}", n, f"<e><k>{n}</k></e>") for n in (1, 2)]
    expected = [{"$x": "1", "$y": "2"}, {"$x": "2", "$y": "1"}]
    for found in (matches("s", plan, events), match_events({"s": plan}, Input(events))):
        assert (
            sorted((dict(each.bindings) for each in found), key=lambda each: each["$x"]) == expected
        )
        assert len({each.id for each in found}) == 2


def test_a_name_that_stands_for_events_of_two_sources_tells_which() -> None:
    plan = compile_subscription(
        Subscription(
            "s",
            "opsl",
            "$a; && $b;, $a; = selector{true}, $b; = selector{true}",
            policy="unrestricted",
        )
    )
    events = [_renamed(_event("1", n), "1", source) for n, source in enumerate("st", 1)]
    found = matches("s", plan, events)
    assert [each.sources for each in found] == [("s", "t"), ("s", "t")]
    assert len({each.id for each in found}) == 2


def test_the_hub_tells_both_and_each_once() -> None:
    hub, heard = tocsin.Hub(lateness="0s"), []
    everything = "$a; = selector{true}, $b; = selector{true}"
    hub.subscribe(
        f"$a; && $b;, {everything}", language="opsl", policy="unrestricted", to=heard.append
    )
    hub.subscribe(
        "selector{true} && selector{true}", language="opsl", policy="unrestricted", to=heard.append
    )
    hub.publish(
        *(event.envelope | {"data": event.data} for event in (_event("e1", 1), _event("e2", 2)))
    )
    hub.advance_to("2026-01-01T00:01:00Z")
    told = sorted((each.subscription, sorted(each.bindings.items())) for each in heard)
    assert told == [
        ("s1", [("a", "e1"), ("b", "e2")]),
        ("s1", [("a", "e2"), ("b", "e1")]),
        ("s2", []),
    ]
    assert len({each.id for each in heard}) == len(heard) == 3


def _event(id: str, second: int, xml: str | None = None) -> Event:
    if xml is None:
        return build_event(id, second=second, data={"v": 1})
    return build_event(id, second=second, content_type="text/xml", data=xml)
