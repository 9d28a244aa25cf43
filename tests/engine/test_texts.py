"""Texts that are scanned many at once say what the strict reader says of each; what it refuses is
never taken.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.engine.test_columns import seen
from tocsin.catalog import Subscription, compile_subscription
from tocsin.engine.columns.batch import Batch
from tocsin.engine.json_scan.batch_reader import MIN_TEXTS, scan_events
from tocsin.engine.json_scan.envelopes import NAMES
from tocsin.engine.json_scan.tape import MAX_TEXTS, Tape
from tocsin.errors import Problem
from tocsin.events.codecs.decode import decode_all
from tocsin.events.codecs.epcis.document import _TYPES
from tocsin.events.event import Event
from tocsin.hub.hub import Hub
from tocsin.runtime.finite_run import match_events, read_events
from tocsin.values.scalars import ENVELOPE, INSTANT, Kind, Path

USUAL = b'{"id":"c%d","source":"s","type":"t","data":{"a":%d}}'
CROWD = [USUAL % (number, number) for number in range(MIN_TEXTS)]
"""Texts beside which others are scanned: few alone are not."""

SAMPLES = (
    b'{"specversion":"1.0","id":"1","source":"s","type":"t","time":"2026-01-31T08:00:00.5Z",'
    b'"data":{"a":12,"b":-0.25,"c":"x","d":null,"e":true,"f":{"a":1},"g":[1,[2]]}}',
    b'{"id":"2","source":"s","type":"t","place":"POINT (1.5 -2)","data":{"a":1e3}}',
    b'{"id":"3","source":"s","type":"t","place":{"type":"Point","coordinates":[1, 2.25]}}',
    b' {"id" : "4" , "source":"s","type":"t","data" : null , "x":"\xc3\xa9" } \n',
    b'{"id":"5","source":"s","type":"t","time":"2026-01-31T08:00:00Z",'
    b'"endtime":"2026-01-31t09:00:00+01:00"}',
    b'{"id":"6","source":"s","type":"t","data":{"type":"ship","a":"POINT"},"e":[]}',
)
ODD = (
    b"",
    b"{}",
    b"[]",
    b"<a/>",
    b"\xef\xbb\xbf" + SAMPLES[0],
    b'{"id":"1","id":"1","source":"s","type":"t"}',
    b'{"id":"1","source":"s","type":"t","data":{"a":1,"b":2,"a":1}}',
    b'{"id":"1","source":"s","type":"t","data":{"a":{"b":1,"b":1}}}',
    b'{"id":"1","source":"s","type":"t","data":{"":1}}',
    b'{"id":"1","source":"s","type":"t","data":{"a":NaN}}',
    b'{"id":"1","source":"s","type":"t","data":{"a":-Infinity}}',
    b'{"id":"1","source":"s","type":"t","data":{"a":12345678901234567890123}}',
    b'{"id":"1","source":"s","type":"t","data":{"a":' + b"9" * 5000 + b"}}",
    b'{"id":"1","source":"s","type":"t","data":{"a":01}}',
    b'{"id":"1","source":"s","type":"t","data":{"a":"\\ud800"}}',
    b'{"id":"1","source":"s","type":"t","data":{"a":"\xff"}}',
    b'{"id":"1","source":"s","type":"t","data":{"a":"\t"}}',
    b'{"id":"","source":"s","type":"t"}',
    b'{"id":1,"source":"s","type":"t"}',
    b'{"id":"1","type":"t"}',
    b'{"id":"1","source":"s","type":"t","specversion":"0.3"}',
    b'{"id":"1","source":"s","type":"t","datacontenttype":1}',
    b'{"id":"1","source":"s","type":"t","data_base64":"aGk="}',
    b'{"id":"1","source":"s","type":"t","data":"<a/>","datacontenttype":"text/xml"}',
    b'{"id":"1","source":"s","type":"t","endtime":"2026-01-31T08:00:00Z"}',
    b'{"id":"1","source":"s","type":"t","time":"2026-01-31T08:00:00"}',
    b'{"id":"1","source":"s","type":"t","time":"2026-02-29T08:00:00Z"}',
    b'{"id":"1","source":"s","type":"t","time":"0001-01-01T00:00:00+01:00"}',
    b'{"id":"1","source":"s","type":"t","time":"2026-01-31T08:00:00Z",'
    b'"endtime":"2026-01-31T07:00:00Z"}',
    b'{"id":"1","source":"s","type":"t","place":"POLYGON EMPTY"}',
    b'{"id":"1","source":"s","type":"t","place":"POINT (1 2"}',
    b'{"id":"1","source":"s","type":"t","place":{"type":"Point","coordinates":[1]}}',
    b'{"id":"1","source":"s","type":"t","place":{"type":"Point","coordinates":[1,2],"a":1}}',
    b'{"id":"1","source":"s","type":"t","data":{"a":' + b"[" * 101 + b"]" * 101 + b"}}",
    b'{"id":"1","source":"s","type":"t","data":{"type":"ObjectEvent","eventTime":1}}',
    b'{"id":"1","source":"s","type":"t"} x',
    b'{"id":"1","source":"s","type":"t",}',
    b'{"id":"1","source":"s","type":"t","data":{"a":1.}}',
    b'{"id":"1","source":"s","type":"t","data":[1,{"a":1,"a":1}]}',
)


def scanned(text: bytes | str) -> Event | None:
    """The event of a text in a crowd."""
    return scan_events([*CROWD, text])[-1]


def strict(text: bytes | str) -> Event | None:
    """The one event that the strict reader finds; None where it refuses the text or finds more."""
    try:
        events = decode_all(text)
    except Problem:
        return None
    return events[0] if len(events) == 1 else None


def told(event: Event) -> tuple[object, ...]:
    """All that can be told of an event; repr tells 1 from 1.0 and from True."""
    parts = (event.id, event.source, event.type, event.interval, event.order, event.place_text)
    return (*parts, repr(event.data), repr(event.envelope), repr(event.place_source))


def same_as_strict(text: bytes | str) -> None:
    found = scanned(text)
    if found is not None:
        expected = strict(text)
        assert expected is not None, text
        assert told(found) == told(expected)


@pytest.mark.parametrize("text", SAMPLES)
def test_what_is_usual_is_scanned(text: bytes) -> None:
    assert scanned(text) is not None
    same_as_strict(text)
    same_as_strict(text.decode())


@pytest.mark.parametrize("text", ODD)
def test_what_is_odd_is_left_to_the_strict_reader(text: bytes) -> None:
    assert scanned(text) is None


def test_few_texts_are_not_scanned() -> None:
    assert scan_events(CROWD[1:]) == [None] * (MIN_TEXTS - 1)


def test_half_of_a_surrogate_pair_is_odd() -> None:
    assert scanned('{"id":"\ud800","source":"s","type":"t"}') is None


def test_all_types_of_epcis_end_as_the_scanner_knows() -> None:
    assert all(name.endswith(("Event", "Document")) for name in _TYPES)


class Members(list[tuple[str, Any]]):
    """The members of an object, of which two may have one name."""


NAMES_DRAWN = st.sampled_from((*NAMES, "a", "b", "type", "coordinates", "é", ""))
TEXTS = st.text(max_size=6) | st.sampled_from(
    (
        "1.0",
        "Point",
        "POINT (1 2)",
        "ObjectEvent",
        "2026-01-31T08:00:00Z",
        "2026-01-31T08:00:00.123456789-01:30",
    )
)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.integers(-999, 999)
    | st.floats()
    | TEXTS
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(st.tuples(NAMES_DRAWN, inner), max_size=4).map(Members)
    ),
    max_leaves=8,
)


def written(value: object, *, ascii_only: bool, blank: str) -> str:
    """JSON, in which names may come twice."""
    if isinstance(value, Members):
        inner = (
            f"{json.dumps(name, ensure_ascii=ascii_only)}{blank}:{written(each, ascii_only=ascii_only, blank=blank)}"
            for name, each in value
        )
        return "{" + f",{blank}".join(inner) + "}"
    if isinstance(value, list):
        return f"[{','.join(written(each, ascii_only=ascii_only, blank=blank) for each in value)}]"
    return json.dumps(value, ensure_ascii=ascii_only)


IDENTITY = [("id", "1"), ("source", "s"), ("type", "t")]
OBJECTS = st.lists(st.tuples(NAMES_DRAWN, VALUES), max_size=5).map(
    lambda more: Members([*IDENTITY, *more])
)


@st.composite
def texts(draw: st.DrawFn) -> bytes:
    text = written(
        draw(OBJECTS), ascii_only=draw(st.booleans()), blank=draw(st.sampled_from(("", " ", "\n")))
    )
    return text.encode("utf-8", "surrogatepass")


@given(texts())
def test_drawn_objects_are_read_as_the_strict_reader_reads_them(text: bytes) -> None:
    same_as_strict(text)


@given(
    st.sampled_from(SAMPLES),
    st.lists(
        st.tuples(
            st.integers(0, 400),
            st.integers(0, 2),
            st.sampled_from(b'{}[]",:\\ \n0159-+.eEtfnTZ\xc3\xff'),
        ),
        max_size=3,
    ),
)
def test_texts_with_wrong_bytes_are_read_as_the_strict_reader_reads_them(
    text: bytes, changes: list[tuple[int, int, int]]
) -> None:
    for place, taken, byte in changes:
        at = place % len(text)
        text = text[:at] + bytes([byte]) + text[at + taken :]
    same_as_strict(text)


DECIMALS = st.from_regex(
    r"-?(0|[1-9][0-9]{0,19})(\.[0-9]{1,24})?([eE][+-]?[0-9]{1,4})?", fullmatch=True
)


@given(st.lists(DECIMALS, min_size=1, max_size=20))
@example(["-0", "-0.0", "9007199254740993", "0.1e-22", "123456789012345678", "1e23", "1e999"])
def test_numbers_of_a_column_are_those_of_python(written_numbers: list[str]) -> None:
    lines = [
        b'{"id":"%d","source":"s","type":"t","data":{"a":%s}}' % (number, text.encode())
        for number, text in enumerate(written_numbers)
    ]
    assert_same_columns([*CROWD, *lines], (("a",),))


TIMES = st.from_regex(
    r"(0001|1969|2000|2026|1900|9999)-(0[0-9]|1[0-3])-([0-2][0-9]|3[0-2])[Tt ]([01][0-9]|2[0-4]):[0-6][0-9]:[0-6][0-9](\.[0-9]{1,9})?([Zz]|[+-][0-2][0-9]:[0-6][0-9])",
    fullmatch=True,
)


@given(TIMES)
def test_times_are_those_of_the_strict_reader(time: str) -> None:
    same_as_strict(b'{"id":"1","source":"s","type":"t","time":"%s"}' % time.encode())


def test_most_times_are_scanned() -> None:
    for time in (
        "2024-02-29T23:59:59Z",
        "1969-12-31t23:59:59.999999z",
        "2026-01-31 08:00:00-23:59",
    ):
        assert (
            scanned(b'{"id":"1","source":"s","type":"t","time":"%s"}' % time.encode()) is not None
        )


PATHS: tuple[Path, ...] = (
    ("a",),
    ("b",),
    ("a", "b"),
    ("type",),
    ("é",),
    (ENVELOPE, "id"),
    (ENVELOPE, "a"),
    (ENVELOPE, "data"),
    (ENVELOPE, "endtime"),
    (ENVELOPE, "time", INSTANT),
)


def assert_same_columns(lines: Sequence[bytes], paths: Sequence[Path]) -> None:
    """Columns from texts are those from events of the strict reader, exact values too."""
    read = [event for line in lines if (event := strict(line)) is not None]
    kept = [line for line in lines if strict(line) is not None]
    glanced = [event or strict(line) for event, line in zip(scan_events(kept), kept, strict=True)]
    ours, theirs = Batch([event for event in glanced if event]), Batch(read)
    for path in paths:
        mine, other = ours.column(path), theirs.column(path)
        assert seen(mine) == seen(other)
        present = np.flatnonzero(mine.kinds).tolist()
        assert [repr(mine.value(i)) for i in present] == [repr(other.value(i)) for i in present]
    assert [place and place.wkt for place in ours.places()] == [
        place and place.wkt for place in theirs.places()
    ]


@given(st.lists(texts() | st.sampled_from((*SAMPLES, *ODD)), max_size=12))
def test_columns_of_texts_are_those_of_events(lines: list[bytes]) -> None:
    assert_same_columns([*CROWD, *lines], PATHS)


SELECTORS = ("a > 3", "a = 'x'", "b IS NULL", "NOT a = 5", "a = 1 OR b = TRUE", "f.a = 1")


def numbered(lines: Sequence[bytes]) -> list[bytes]:
    """Texts with ids of their own, where they have one at all."""
    return [
        line.replace(b'"id":"1"', b'"id":"n%d"' % number, 1) for number, line in enumerate(lines)
    ]


MIXED = st.lists(texts() | st.sampled_from((*SAMPLES, *ODD)), max_size=8).map(numbered)


def outcome(hub: Hub) -> tuple[list[object], ...]:
    return (list(hub.dead_letters), [hub.counts], list(hub.warnings))


@given(MIXED, st.randoms())
def test_a_batch_published_at_once_is_served_as_one_by_one(
    lines: list[bytes], random: Random
) -> None:
    given_lines = [*CROWD, *lines]
    random.shuffle(given_lines)
    at_once, one_by_one = Hub(ahead=None), Hub(ahead=None)
    for hub in (at_once, one_by_one):
        for number, selector in enumerate(SELECTORS):
            hub.subscribe(selector, id=f"s{number}")
    together = at_once.publish(*given_lines)
    apart = [match for line in given_lines for match in one_by_one.publish(line)]
    order = sorted(together, key=lambda match: match.order)
    assert order == sorted(apart, key=lambda match: match.order)
    assert outcome(at_once) == outcome(one_by_one)


@given(MIXED)
def test_finite_input_is_read_as_line_by_line(lines: list[bytes]) -> None:
    whole = read_events([*CROWD, *lines])
    apart = [read_events([line]) for line in [*CROWD, *lines]]
    letters = [letter for each in apart for letter in each.dead_letters]
    assert [letter.reason for letter in whole.dead_letters] == [letter.reason for letter in letters]
    assert {told(event) for event in whole.events} <= {
        told(event) for each in apart for event in each.events
    }


def test_what_rings_for_scanned_events_is_what_rings_for_decoded_ones() -> None:
    lines = [*CROWD, *SAMPLES]
    hub, plans = Hub(ahead=None), {}
    for number, selector in enumerate(SELECTORS):
        hub.subscribe(selector, id=f"s{number}")
        plans[f"s{number}"] = compile_subscription(Subscription(f"s{number}", "selector", selector))
    assert match_events(plans, read_events(lines)) == sorted(
        (match for line in lines for match in hub.publish(decode_all(line)[0])),
        key=lambda match: match.order,
    )


def test_a_batch_may_have_more_texts_than_are_scanned_at_a_time() -> None:
    texts = [USUAL % (number, number) for number in range(MAX_TEXTS + 10)]
    hub = Hub()
    hub.subscribe(f"a >= {MAX_TEXTS}", id="last")
    assert [match.events for match in hub.publish(*texts)] == [
        (f"c{number}",) for number in range(MAX_TEXTS, MAX_TEXTS + 10)
    ]
    assert not hub.dead_letters
    events = read_events(texts).events
    numbers = Batch(events).column(("a",)).numbers.tolist()
    assert [f"c{number:.0f}" for number in numbers] == [event.id for event in events]


@given(st.data())
def test_a_tape_is_given_again_for_the_very_same_texts_only(data: st.DataObject) -> None:
    texts = [USUAL % (number, number) for number in range(MIN_TEXTS)]
    first = scan_events(texts)
    again = data.draw(st.permutations(range(MIN_TEXTS)) | st.just(list(range(MIN_TEXTS))))
    other = [first[number] for number in again]
    drawn = data.draw(st.sets(st.integers(0, MIN_TEXTS - 1)))
    for number in drawn:
        other[number] = scan_events([*CROWD, USUAL % (number, 7)])[-1]
    events = [event for event in other if event is not None]
    column = Batch(events).column(("a",))
    assert [column.value(row) for row in range(MIN_TEXTS)] == [
        event.attribute(("a",)) for event in events
    ]


numbers = st.one_of(
    st.lists(st.integers(-5, 40), min_size=1),
    st.lists(st.sampled_from([0, -0.0, 0.5, 7, 7.0, 1e300, -(2**53), 2**53 + 1]), min_size=1),
    st.lists(st.integers(-(10**12), 10**12), min_size=1),
)


@given(numbers)
def test_different_numbers_are_found_however_they_lie(given_numbers: list[float]) -> None:
    tape = Tape([json.dumps({"n": number}).encode() for number in given_numbers])
    distinct = tape.encoding(tape.members(("n",))).distinct(Kind.NUMBER)
    assert [distinct.values[code] for code in distinct.codes.tolist()] == given_numbers
    assert len(set(distinct.values)) == len(distinct.values) == len(set(given_numbers))
