"""What is constructed on a stream of Spark is matched as in the Hub: at once, in every shard that
wants it, in whatever cut, with workers lost on the way.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import SparkSession

import tocsin
from tests.hub import test_constructed as constructing
from tests.hub.test_constructed import LOOP, ORDER, PAY, SPLIT, TASK, event, in_file, in_hub
from tests.spark.scenes import found_in
from tests.spark.shard.fake import FakeHost
from tests.spark.shard.scenes import Stream, ids
from tocsin.catalog import Definition, Subscription, compile_subscription
from tocsin.events.codecs.base.cloudevents import encode
from tocsin.events.dead_letter import DeadLetter
from tocsin.events.matches.match import Match, constructed_events
from tocsin.plan.explain.plan import summary_lines
from tocsin.runtime.watermark import ClockSettings
from tocsin.spark import match, match_with_dead_letters
from tocsin.spark.output.batches import matches_in
from tocsin.spark.output.letters import letters_in
from tocsin.spark.plans.sources import FixedList
from tocsin.spark.shard import state_store

AGG = Subscription("agg", "exmlql", "WHERE <a>$x</> #A <b>$x</> #B #A ; #B CONSTRUCT <ab>$x</>")
SECOND = Subscription(
    "second", "exmlql", "WHERE <ab>$x</> #X <c>$x</> #C #X ; #C CONSTRUCT <abc>$x</>"
)
PAID = Subscription(
    "paid", "exmlql", "WHERE <task>$i</> #T <b>$i</> #B #T ; #B CONSTRUCT <order><id>9$i</></>"
)
LAST = Subscription("last", "exmlql", "WHERE <abc>$x</>")
ANY = Subscription("any", "selector", "ce_type = 'constructed'")
NAMES = (
    Definition("BUILT", language="selector", expression="ce_type = 'constructed'"),
    Definition("GIVEN", language="selector", expression="ce_type = 't'"),
)
NEAR = Subscription("near", "opsl", "=|(BUILT; 4s)(GIVEN)")
ALONE = Subscription("alone", "opsl", "!(BUILT; 3s)GIVEN")
SAME = Subscription(
    "same",
    "opsl",
    "=|($x;; 9s)($y;) WHERE $x;.ce_source = $y;.ce_source, $x; = BUILT, $y; = BUILT",
)
POOL = (AGG, SECOND, PAID, SPLIT, TASK, LAST, ANY, NEAR, ALONE, SAME)
FOUND_ONLY_HERE = [
    event("a", 1, "<a>1</a>"),
    event("b", 2, "<b>1</b>"),
    event("z", 10, "<z/>"),
    event("c", 40, "<c>1</c>"),
    event("zz", 59, "<z/>"),
]
"""Where time goes on between the parts: what was built would be late if it had to come back."""

LATENESS = 2


def played(
    subscriptions: Sequence[Subscription],
    batches: Iterable[Iterable[dict[str, Any]]],
    shards: int = 2,
    after: Callable[[FakeHost], object] = lambda host: None,
) -> FakeHost:
    """A fake host that was given micro-batches of events."""
    host = FakeHost(
        FixedList.of([*NAMES, *subscriptions]), shards, ClockSettings(LATENESS * 1_000_000)
    )
    for batch in batches:
        host.batch([json.dumps(each) for each in batch])
        after(host)
    return host


def hub_of(subscriptions: Iterable[Subscription]) -> tocsin.Hub:
    hub = tocsin.Hub(lateness=f"{LATENESS}s", ahead=None)
    hub.define(*NAMES)
    for each in subscriptions:
        hub.subscribe(each.expression, language=each.language, id=each.id)
    return hub


@pytest.mark.parametrize("shards", [1, 2, 5])
def test_what_a_composite_builds_is_part_of_another_long_after(shards: int) -> None:
    subscriptions = [AGG, SECOND, LAST]
    host = played(subscriptions, ([each] for each in FOUND_ONLY_HERE), shards)
    expected, _ = in_hub(subscriptions, FOUND_ONLY_HERE)
    assert {each.subscription for each in expected} == {"agg", "second", "last"}
    assert ids(host.matches) == ids(expected)
    assert host.letters == []


@pytest.mark.parametrize("shards", [1, 2, 5])
def test_what_is_split_off_is_part_of_composites(shards: int) -> None:
    subscriptions = [SPLIT, TASK, PAID]
    events = [event("1", 1, ORDER), event("z", 9, "<z/>"), event("2", 11, "<b>7</b>")]
    events.append(event("zz", 59, "<z/>"))
    host = played(subscriptions, ([each] for each in events), shards)
    expected, _ = in_hub(subscriptions, events)
    assert {each.subscription for each in expected} == {"split", "task", "paid"}
    assert ids(host.matches) == ids(expected)
    assert host.letters == []


def in_shards(
    subscriptions: Iterable[Subscription], events: Iterable[dict[str, object]]
) -> tuple[list[Match], list[DeadLetter]]:
    beyond = event("beyond", 59, "<nothing/>")
    host = played(list(subscriptions), ([each] for each in (*events, beyond)), shards=3)
    return host.matches, host.letters


@pytest.mark.parametrize(
    "subscriptions",
    [[constructing.TWO], [constructing.LEFT, constructing.RIGHT]],
    ids=["templates", "subscriptions"],
)
def test_what_multiplies_ends_as_in_the_hub(subscriptions: list[Subscription]) -> None:
    constructing.test_what_multiplies_ends_before_it_harms_anybody(in_shards, subscriptions)


GROWING = [
    Subscription("grow", "exmlql", "WHERE <a>$x</> #A <b>$x</> #B #A ; #B CONSTRUCT <b>$x</>"),
    Subscription("more", "exmlql", "WHERE <a>$x</> #A <b>$x</> #B #A ; #B CONSTRUCT <b>$x</>"),
]
"""Two composites that build out of what either built: a generation is twice the one before."""


def test_composites_that_multiply_are_bounded_and_told_once() -> None:
    events = [event("1", 1, "<a>1</a>"), event("2", 2, "<b>1</b>"), event("z", 30, "<z/>")]
    host = played(GROWING, ([each] for each in events), shards=3)
    expected, letters = in_hub(GROWING, events)
    assert [each.code for each in letters] == ["FanOutLimitExceeded"]
    assert ids(host.matches) == ids(expected)
    assert host.letters == letters


def test_a_loop_of_composites_ends_at_the_limit_and_is_told_once() -> None:
    events = [event("1", 1, "<a>1</a>"), event("2", 2, "<b>1</b>"), event("z", 30, "<z/>")]
    host = played(GROWING[:1], ([each] for each in events), shards=3)
    expected, letters = in_hub(GROWING[:1], events)
    assert [each.code for each in letters] == ["HopLimitExceeded"]
    assert ids(host.matches) == ids(expected)
    assert host.letters == letters


def test_a_copy_that_comes_back_rings_for_nobody_again() -> None:
    subscriptions = [AGG, SECOND, LAST, ANY, SPLIT, TASK]
    events = [event("o", 1, ORDER), *FOUND_ONLY_HERE]
    expected, _ = in_hub(subscriptions, events)
    building = [each for each in expected if each.subscription in ("agg", "second", "split")]
    copies = [json.loads(encode(each)) for found in building for each in constructed_events(found)]
    assert len(copies) == 3
    host = played(subscriptions, [*([each] for each in events), copies, copies])
    assert ids(host.matches) == ids(expected)
    assert host.letters == []


def test_what_another_query_built_is_an_event_as_any() -> None:
    (copy,) = constructed_events(in_hub([SPLIT], [event("1", 1, ORDER)])[0][0])
    host = played([TASK, PAID], [[json.loads(encode(copy))]])
    assert [each.subscription for each in host.matches] == ["task"]


def test_what_is_built_out_of_a_late_event_is_late() -> None:
    """Composites have gone past it on every host; conditions on one event ring."""
    subscriptions = [SPLIT, TASK, PAID]
    events = [
        event("z", 20, "<z/>"),
        event("1", 1, ORDER),
        event("2", 26, "<b>7</b>"),
        event("zz", 59, "<z/>"),
    ]
    hub = hub_of(subscriptions)
    told = [each.subscription for given in events for each in hub.publish(given)]
    assert sorted(told) == ["split", "task"]
    host = played(subscriptions, ([each] for each in events))
    assert sorted(each.subscription for each in host.matches) == ["split", "task"]


def test_a_constructing_subscription_is_served_whole_by_every_shard() -> None:
    [line] = [
        each
        for each in summary_lines(compile_subscription(AGG))
        if each.startswith("partition key")
    ]
    assert "none: what it constructs is matched again" in line


@st.composite
def worlds(draw: st.DrawFn) -> tuple[list[Subscription], list[dict[str, object]]]:
    """A few subscriptions, of which one at least constructs, and events in order of time."""
    builder = draw(st.sampled_from((AGG, PAID, SPLIT)))
    some = draw(st.lists(st.sampled_from(POOL), min_size=2, max_size=6))
    subscriptions = list({each.id: each for each in (builder, *some)}.values())
    second, events = 1, []
    for number in range(draw(st.integers(2, 12))):
        second += draw(st.sampled_from([0, 0, 1, 1, 3]))
        value = draw(st.sampled_from("12"))
        name = draw(st.sampled_from(["a", "b", "c", "order"]))
        body = f"<id>{value}</id>" if name == "order" else value
        events.append(event(f"e{number}", second, f"<{name}>{body}</{name}>"))
    return subscriptions, events


@given(worlds(), st.integers(1, 4), st.data())
def test_every_cut_with_lost_workers_is_the_hub(
    world: tuple[list[Subscription], list[dict[str, object]]], shards: int, data: st.DataObject
) -> None:
    subscriptions, events = world
    events = [*events, event("end", 59, "<z/>")]
    hub = hub_of(subscriptions)
    expected = [found for each in events for found in hub.publish(each)]
    batches = []
    rest = events
    while rest:
        size = data.draw(st.integers(1, len(rest)))
        batches.append(rest[:size])
        rest = rest[size:]

    def perhaps_lose_workers(host: FakeHost) -> None:
        if data.draw(st.booleans()):
            host.lose_workers()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(state_store, "LOG_BYTES", data.draw(st.sampled_from([0, 1 << 20])))
        patch.setattr(state_store, "LOG_FACTOR", 0)
        host = played(subscriptions, batches, shards, perhaps_lose_workers)
    assert ids(host.matches) == ids(expected)
    assert host.letters == list(hub.dead_letters)


def frame_of(spark: SparkSession, events: Iterable[dict[str, Any]]) -> Any:
    return spark.createDataFrame([(json.dumps(each),) for each in events], "value string")


ALL = [AGG, SECOND, LAST, ANY, SPLIT, TASK, PAID]
ALL_EVENTS = [event("o", 1, ORDER), event("p", 2, "<b>7</b>"), *FOUND_ONLY_HERE]


def test_a_batch_is_the_file_of_the_local_host(spark: SparkSession) -> None:
    """Also where copies of what it builds are in the input."""
    expected, _ = in_file(ALL, ALL_EVENTS)
    assert {each.subscription for each in expected} == {each.id for each in ALL}
    found = found_in(match(frame_of(spark, ALL_EVENTS), ALL, shards=3))
    assert ids(found) == ids(expected)
    building = [each for each in expected if each.outputs and each.subscription != "task"]
    copies = [json.loads(encode(each)) for found in building for each in constructed_events(found)]
    given = [*ALL_EVENTS, *copies]
    again = found_in(match(frame_of(spark, given), ALL, shards=3))
    assert ids(again) == ids(in_file(ALL, given)[0])


def test_a_batch_of_conditions_on_one_event_is_the_file(spark: SparkSession) -> None:
    events = [event("1", 1, ORDER), event("2", 2, PAY), event("3", 3, "<a>1</a>")]
    expected, letters = in_file([SPLIT, TASK, LOOP], events)
    both = match_with_dead_letters(frame_of(spark, events), [SPLIT, TASK, LOOP]).toArrow()
    assert ids(matches_in(both)) == ids(expected)
    assert list(letters_in(both)) == letters


@pytest.mark.parametrize("settings", [{}, {"deduplicate": "1 hour"}], ids=["plain", "once"])
def test_a_stream_is_the_hub(spark: SparkSession, tmp_path: Path, settings: dict[str, str]) -> None:
    """One event in a micro-batch, and a restart between what is built and what it waits for."""
    stream = Stream(spark, tmp_path, {"lateness": f"{LATENESS}s", "shards": 2, **settings})
    for some in (ALL_EVENTS[:5], ALL_EVENTS[5:]):
        for each in some:
            stream.put([json.dumps(each)])
        stream.run(ALL)
    hub = hub_of(ALL)
    expected = [found for each in ALL_EVENTS for found in hub.publish(each)]
    assert ids(stream.all_matches()) == ids(expected)
    assert stream.all_letters() == []
