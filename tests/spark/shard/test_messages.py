"""What travels to shards: the same events, atoms and shards, whether by columns or one by one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from tocsin.catalog import Subscription
from tocsin.engine.json_scan.batch_reader import MIN_TEXTS, scan_events
from tocsin.events.codecs.base.cloudevents import decode
from tocsin.events.event import Event, ScannedEvent, content
from tocsin.spark.input.rows import EventRowBatch
from tocsin.spark.match_task.messages import ShardMessageBuilder, drafts_for, message_of
from tocsin.spark.match_task.serde import pack, plain_event
from tocsin.spark.match_task.stream_task import Router
from tocsin.spark.plans.plan_cache import WORKER_INDEXES
from tocsin.spark.plans.sources import FIXED_VERSION, FixedList

SUBSCRIPTIONS = [
    ("by key", "WHEN t(kind = 'a') THEN NO t(kind = 'b') WITHIN 5s FOR EACH k"),
    ("by two", "WHEN t(kind = 'a') THEN t(kind = 'c') WITHIN 5s FOR EACH k, m"),
    ("whole", "WHEN t(kind = 'b') THEN t(kind = 'c') WITHIN 5s"),
    ("too", "WHEN t(kind = 'a') THEN t(kind = 'b') WITHIN 9s"),
]
SOURCE = FixedList.of([Subscription(id, "rule", text) for id, text in SUBSCRIPTIONS])

KEYS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.sampled_from([1.0, -0.0, 0.5, 1e22, 10**22, 2**53 + 1, -(2**60)]),
    st.sampled_from(["", "1", "true", "a b", "é"]),
    st.lists(st.integers(0, 1), max_size=2),
    st.just({"x": 1}),
)


@st.composite
def lines(draw: st.DrawFn) -> bytes:
    body: dict[str, Any] = {"id": str(draw(st.integers(0, 50))), "source": "s", "type": "t"}
    if draw(st.integers(0, 9)):
        body["time"] = f"2026-01-01T00:00:{draw(st.integers(10, 40))}Z"
    if draw(st.booleans()):
        body["place"] = draw(st.sampled_from(["POINT (1 2)", None]))
    data = {"kind": draw(st.sampled_from("abcz")), "k": draw(KEYS), "m": draw(KEYS)}
    missing = draw(st.sets(st.sampled_from(["k", "m"]), max_size=1))
    body["data"] = {name: value for name, value in data.items() if name not in missing}
    return json.dumps(body, ensure_ascii=draw(st.booleans())).encode()


CROWD = [
    b'{"id":"c%d","source":"s","type":"t","time":"2026-01-01T00:00:00Z","data":{"kind":"z"}}' % n
    for n in range(MIN_TEXTS)
]


def events_of(texts: Sequence[bytes]) -> list[Event]:
    scanned = scan_events(texts)
    return [found or decode(text) for found, text in zip(scanned, texts, strict=True)]


def told(event: Event) -> tuple[object, ...]:
    return (content(event), event.interval, event.place_text)


@given(drawn=st.lists(lines(), max_size=20), scanned=st.booleans(), shards=st.integers(1, 5))
def test_events_go_by_columns_where_they_go_one_by_one(
    drawn: list[bytes], scanned: bool, shards: int
) -> None:
    reading = EventRowBatch(events_of([*CROWD, *drawn] if scanned else drawn), ())
    index = WORKER_INDEXES.at(SOURCE, FIXED_VERSION, detects=True)
    assert not index.problems
    relevant = index.engine.match(reading.batch).composite_inputs
    router = Router(index, reading.batch, shards)
    router.send(relevant, frozenset())
    found = [message_of(draft.packed(1, (0, 9))).hits for draft in router.drafts]
    expected: list[list[tuple[object, ...]]] = [[] for _ in range(shards)]
    for each in relevant:
        event = reading.events[each.index]
        if event.interval is not None:
            routes = index.routes(each.atoms, shards)
            for shard, draft in drafts_for(event, routes, shards).items():
                (hit,) = message_of(draft.packed(1, None)).hits
                expected[shard].append((told(event), set(hit.atoms), hit.reports_late))
    assert [
        [(told(hit.event), set(hit.atoms), hit.reports_late) for hit in hits] for hits in found
    ] == expected


@given(drawn=st.lists(lines(), max_size=MIN_TEXTS + 5), crowded=st.booleans(), data=st.data())
@example(drawn=[], crowded=False, data=None)
def test_a_message_says_what_was_put_into_it(
    drawn: list[bytes], crowded: bool, data: st.DataObject | None
) -> None:
    """Texts, events that are no longer their text, and few of either, in any order."""
    texts = [*drawn, *CROWD] if crowded else drawn
    events = events_of(texts if data is None else data.draw(st.permutations(texts)))
    draft, expected = ShardMessageBuilder(), []
    for number, event in enumerate(events):
        atoms, teller = ((b"x",), (b"x", b"y"), ())[number % 3], number % 2 == 0
        draft.add(event, draft.number_of(atoms), teller)
        expected.append((told(event), atoms, teller))
    message = message_of(draft.packed(7, (1, 2)))
    assert (message.version, message.span) == (7, (1, 2))
    assert [(told(hit.event), hit.atoms, hit.reports_late) for hit in message.hits] == expected


def test_the_texts_of_many_events_travel_and_are_read_when_asked_for() -> None:
    draft = ShardMessageBuilder()
    for event in events_of(CROWD):
        draft.add(event, draft.number_of(()), True)
    hits = message_of(draft.packed(1, None)).hits
    assert {type(hit.event) for hit in hits} == {ScannedEvent}


def test_a_message_of_before_is_still_read() -> None:
    """A state store may hold some: steps that are to be taken again."""
    event = decode(CROWD[0])
    raw = b"h" + pack((3, (1, 2), [b"x", b"y"], [(plain_event(event), (1, 0), True)]))
    message = message_of(raw)
    assert (message.version, message.span) == (3, (1, 2))
    ((found, atoms, teller),) = message.hits
    assert (told(found), atoms, teller) == (told(event), (b"y", b"x"), True)
