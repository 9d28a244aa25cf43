"""A match of one event works out what it tells when it is asked, and is the same as one that knew
it all along.
"""

from __future__ import annotations

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tocsin.engine.json_scan.batch_reader import MIN_TEXTS, scan_events
from tocsin.events.codecs.base.cloudevents import decode
from tocsin.events.event import Event
from tocsin.events.matches.match import (
    Match,
    in_output_order,
    match_id,
    match_of_event,
    matches_of_events,
)

PLACED = decode(
    b'{"id":"1","source":"s","type":"t","time":"2026-01-31T08:00:00Z",'
    b'"endtime":"2026-01-31T09:00:00Z","place":"POINT (1 2)"}'
)
SCANNED = [
    event
    for event in scan_events(
        [
            b'{"id":"%d","source":"s","type":"t","place":"POINT (1 2)"}' % at
            for at in range(MIN_TEXTS)
        ]
    )
    if event is not None
]
BARE = decode(b'{"id":"1","source":"other","type":"t"}')


def test_a_place_that_is_told_later_is_the_same() -> None:
    line = b'{"id":"%d","source":"s","type":"t","place":"POINT (1 2.50)"}'
    for event in scan_events([line % number for number in range(MIN_TEXTS)]):
        assert event is not None
        assert match_of_event("x", event).place == "POINT (1 2.5)"


def known(subscription: str, event: object) -> Match:
    assert event is PLACED or event is BARE
    interval = event.interval
    start, end = (interval.start, interval.end) if interval else (None, None)
    key = match_id(subscription, (event.identity,))
    place = "POINT (1 2)" if event is PLACED else None
    return Match(
        subscription, (event.id,), start, end, end, place, key, {}, (), (event.source,), (event,)
    )


@pytest.mark.parametrize("event", [PLACED, BARE])
def test_a_match_that_is_told_later_is_the_same(event: object) -> None:
    expected = known("x", event)
    assert match_of_event("x", event) == expected  # type: ignore[arg-type]
    assert hash(match_of_event("x", event)) == hash(expected)  # type: ignore[arg-type]
    assert repr(match_of_event("x", event)) == repr(expected)  # type: ignore[arg-type]
    assert match_of_event("x", event).as_json() == expected.as_json()  # type: ignore[arg-type]


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from([PLACED, BARE, *SCANNED]))))
def test_many_that_are_made_together_are_the_same(rings: list[tuple[str, Event]]) -> None:
    keys, events = [key for key, _ in rings], [event for _, event in rings]
    together = matches_of_events(keys, events)
    apart = list(map(match_of_event, keys, events))
    assert together == apart
    assert [match.members for match in together] == [match.members for match in apart]
    assert list(map(repr, together)) == list(map(repr, apart))


def test_it_can_be_copied_and_sent_before_anybody_asked() -> None:
    assert copy.copy(match_of_event("x", PLACED)) == known("x", PLACED)
    assert copy.deepcopy(match_of_event("x", BARE)) == known("x", BARE)
    assert pickle.loads(pickle.dumps(match_of_event("x", PLACED))) == known("x", PLACED)


def test_it_has_no_other_attributes() -> None:
    with pytest.raises(AttributeError, match="nothing"):
        _ = match_of_event("x", BARE).nothing  # type: ignore[attr-defined]


def test_ids_settle_the_order_where_all_else_is_equal() -> None:
    other = decode(b'{"id":"1","source":"another","type":"t"}')
    found = [match_of_event(key, event) for key in ("b", "a") for event in (PLACED, BARE, other)]
    assert in_output_order(found) == sorted(found, key=lambda match: match.order)
    assert in_output_order(reversed(found)) == sorted(found, key=lambda match: match.order)
