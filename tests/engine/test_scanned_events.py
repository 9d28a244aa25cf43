"""Events that are made when they are asked for are those of the strict reader, in the same order;
who is not asked for is not made.
"""

from __future__ import annotations

import copy
import gc
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.test_texts import CROWD, SAMPLES, told
from tocsin.engine.columns.batch import Batch
from tocsin.engine.json_scan import tape as cutting
from tocsin.engine.json_scan.batch_reader import scan_envelopes
from tocsin.engine.json_scan.envelopes import hash_identity
from tocsin.engine.json_scan.scanned_events import ScannedEvents
from tocsin.events.codecs.decode import decode_all
from tocsin.events.event import Event, in_canonical_order
from tocsin.plan.nodes.atoms import Condition, Equals
from tocsin.plan.nodes.composites import Plan
from tocsin.runtime.finite_run import Input, match_events, read_events
from tocsin.values.scalars import INSTANT, MILLISECONDS, Constant, Path

TIMES = (
    b"",
    b',"time":"2026-01-31T08:00:00Z"',
    b',"time":"2026-01-31T08:00:01Z"',
    b',"time":"2026-01-31T08:00:00Z","endtime":"2026-01-31T08:00:01Z"',
)
ESCAPED = b"\\u0031"
"""A 1 by which a line becomes odd, and means the same."""


@st.composite
def lines(draw: st.DrawFn) -> bytes:
    """A line whose identity and time others have too; some are odd, and some no events at all."""
    number = draw(st.sampled_from((b"1", ESCAPED, b"2", b"3", *(b"%d" % n for n in range(60)))))
    source, time = draw(st.sampled_from((b"s", b"t", b"\xc3\xa9"))), draw(st.sampled_from(TIMES))
    return draw(
        st.sampled_from(
            (
                b'{"id":"%s","source":"%s","type":"t","data":{"a":%d}%s}'
                % (number, source, draw(st.integers(0, 3)), time),
                *SAMPLES,
                b"",
                b"no event",
            )
        )
    )


PATHS = (
    ("a",),
    ("", "id"),
    ("", "time"),
    ("", "endtime"),
    ("", "time", INSTANT),
    ("", "endtime", INSTANT),
    ("", "time", MILLISECONDS),
    ("", "endtime", MILLISECONDS),
)


def scanned(count: int = 40) -> ScannedEvents:
    """So many events, of which none is made."""
    line = b'{"id":"%d","source":"s","type":"t","time":"2026-01-31T08:00:%02dZ","data":{"a":%d}}'
    found = read_events([line % (number, number, number % 10) for number in range(count)]).events
    assert isinstance(found, ScannedEvents)
    return found


@given(st.lists(lines(), max_size=40))
def test_they_are_those_of_the_strict_reader_in_canonical_order(drawn: list[bytes]) -> None:
    given_lines = [*CROWD, *drawn]
    expected: list[Event] = []
    for line in given_lines:
        if line not in (b"", b"no event"):
            expected += decode_all(line)
    found = read_events(given_lines)
    assert list(map(told, found.events)) == list(map(told, in_canonical_order(expected)))
    assert len(found.dead_letters) == drawn.count(b"no event")


@given(st.lists(lines(), max_size=40))
def test_a_batch_of_them_has_the_columns_of_made_ones(drawn: list[bytes]) -> None:
    found = read_events([*CROWD, *drawn]).events
    lazily, made = (
        Batch(found),
        Batch([decode_all(event.raw)[0] if hasattr(event, "raw") else event for event in found]),
    )
    for path in PATHS:
        mine, other = lazily.column(path), made.column(path)
        assert mine.kinds.tolist() == other.kinds.tolist()
        assert [mine.value(at) for at in np.flatnonzero(mine.kinds)] == [
            other.value(at) for at in np.flatnonzero(other.kinds)
        ]


def test_only_what_rings_is_made() -> None:
    events = scanned()
    plans = {"s": Plan(Condition(Equals(("a",), Constant.of(3))))}
    matches = match_events(plans, Input(events))
    assert [match.events for match in matches] == [("3",), ("13",), ("23",), ("33",)]
    assert events.count_made() == 4


@pytest.mark.parametrize("path", PATHS)
def test_who_asks_for_a_column_makes_none(path: Path) -> None:
    events = scanned()
    Batch(events).column(path)
    assert events.count_made() == 0


def test_places_are_read_together_and_known_to_whom_is_asked_for_afterwards() -> None:
    line = b'{"id":"p%d","source":"s","type":"t","place":%s}'
    places = (b'"POINT (1 2)"', b'"POLYGON ((0 0, 1 0, 1 1, 0 0))"', b"null")
    read = [line % (number, places[number % 3]) for number in range(60)]
    batch = Batch(read_events(read).events)
    made = Batch(in_canonical_order(decode_all(each)[0] for each in read))
    assert [each and each.wkt for each in batch.places()] == [
        each and each.wkt for each in made.places()
    ]
    chosen = batch.chosen(np.arange(60))
    assert all(event._place is place for event, place in zip(chosen, batch.places(), strict=True))
    assert [batch.event(at).place_text for at in range(60)] == [
        made.event(at).place_text for at in range(60)
    ]


def test_an_order_that_times_tell_makes_none() -> None:
    line = b'{"id":"%d","source":"s","type":"t","time":"2026-01-31T08:00:%02dZ"}'
    events = read_events([line % (number, number) for number in reversed(range(40))]).events
    assert isinstance(events, ScannedEvents)
    assert events.count_made() == 0
    assert [event.id for event in events] == [str(number) for number in range(40)]


def test_each_is_made_once_whoever_asks() -> None:
    events = scanned()
    third = events[3]
    assert events[3] is third
    assert events[-37] is third
    assert events[2:5][1] is third
    assert events[::3][1] is third
    assert events.chosen(np.array([3, 5, 3]))[::2] == [third, third]
    assert list(events)[3] is third
    assert events.count_made() == len(events)
    with pytest.raises(IndexError):
        events[40]


def test_who_asks_for_many_one_by_one_is_given_all() -> None:
    events = scanned()
    assert [events[at].id for at in range(10)] == [str(at) for at in range(10)]
    assert events.count_made() == 10
    assert events[10].id == "10"
    assert events.count_made() == len(events)


def test_one_made_alone_is_one_made_with_others() -> None:
    read = read_events([*CROWD, *SAMPLES]).events
    again = read_events([*CROWD, *SAMPLES]).events
    assert list(map(told, read)) == [told(again[at]) for at in range(len(again))]


def test_threads_are_given_the_same_event() -> None:
    for events in (scanned() for _ in range(20)):
        with ThreadPoolExecutor(8) as pool:
            found = [pool.submit(events.__getitem__, 7) for _ in range(4)]
            found += [pool.submit(lambda all_: list(all_)[7], events) for _ in range(4)]
            assert len({id(each.result()) for each in found}) == 1


def test_they_can_be_sent_and_copied() -> None:
    expected = list(map(told, scanned()))
    assert list(map(told, pickle.loads(pickle.dumps(scanned())))) == expected
    assert list(map(told, copy.deepcopy(scanned()))) == expected


@pytest.mark.parametrize("asks", [lambda all_: all_[7], lambda all_: list(all_)[7]])
def test_one_that_is_kept_keeps_nothing_of_the_others(asks: object) -> None:
    event = asks(scanned())  # type: ignore[operator]
    held = [event]
    for each in held:
        held += (more for more in gc.get_referents(each) if not isinstance(more, type))
    assert sum(isinstance(each, bytes) for each in held) == 1
    assert not any(isinstance(each, np.ndarray | list | dict) for each in held)


@given(st.text(max_size=5), st.text(max_size=5))
def test_rows_and_events_have_equal_hashes(source: str, id_: str) -> None:
    line = f'{{"id":"{id_}","source":"{source}","type":"t"}}'
    glance = scan_envelopes([line.encode("utf-8", "replace")])
    if not glance.needs_fallback[0]:
        assert glance.hashes[0] == hash_identity(source, id_)


@pytest.mark.parametrize("patience", [cutting._MAX_COLLISIONS_PER_PIECE, 0])
@given(texts=st.lists(st.text(max_size=3) | st.sampled_from(("a", "ab", "")), min_size=1))
def test_different_texts_are_numbered_as_they_appear(patience: int, texts: list[str]) -> None:
    pieces = [text.encode("utf-8", "replace") for text in texts]
    ends = np.cumsum([len(piece) for piece in pieces])
    begins = ends - [len(piece) for piece in pieces]
    text = np.frombuffer(b"".join(pieces), np.uint8)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(cutting, "_MAX_COLLISIONS_PER_PIECE", patience)
        different, codes = cutting.dictionary_encode_texts(text, begins, ends)
    assert different == list(dict.fromkeys(piece.decode() for piece in pieces))
    assert [different[code] for code in codes.tolist()] == [piece.decode() for piece in pieces]
