"""CloudEvents JSON: what an event is, and every way in which a text is none, each with its code."""

from __future__ import annotations

import base64
import json
from collections import OrderedDict
from decimal import Decimal
from enum import IntEnum, StrEnum
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tocsin.errors import Problem
from tocsin.events.codecs.base.cloudevents import MAX_BYTES, MAX_DEPTH, decode, from_mapping
from tocsin.values.time import parse_instant

BASE = {"id": "1", "source": "s", "type": "t"}
INVALID, LIMIT, DUPLICATE = "InvalidEventError", "EventLimitError", "DuplicateAttributeError"


def text(**fields: Any) -> str:
    return json.dumps(BASE | fields)


def raw_data(data: str) -> str:
    """An event whose data is written exactly so."""
    return '{"id":"1","source":"s","type":"t","data":' + data + "}"


def shortly(value: bytes | str) -> str:
    """The name of a case whose input may be megabytes long."""
    return ascii(value[:60])


def refusal(raw: bytes | str) -> Problem:
    with pytest.raises(Problem) as caught:
        decode(raw)
    return caught.value


def nested(levels: int) -> Any:
    value: Any = 1
    for level in range(levels):
        value = [value] if level % 2 else {"a": value}
    return value


def test_an_event_has_its_envelope_and_its_data() -> None:
    event = decode(
        text(specversion="1.0", subject="x", extra=5, nothing=None, data={"a": {"b": 1}})
    )
    assert (event.id, event.source, event.type) == ("1", "s", "t")
    assert event.envelope == {**BASE, "specversion": "1.0", "subject": "x", "extra": 5}
    assert event.attribute(("a", "b")) == 1
    assert event.attribute(("", "subject")) == "x"
    assert event.interval is None
    assert event.place is None


@pytest.mark.parametrize("data", [None, 5, "text", [1, 2], True])
def test_data_need_not_be_an_object(data: object) -> None:
    event = decode(text(data=data))
    assert event.data == data
    assert event.attributes == {}
    assert event.attribute(("a",)) is None


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ("", "malformed JSON"),
        ("{", "malformed JSON"),
        (text() + "x", "malformed JSON"),
        ("\ufeff\ufeff" + text(), "malformed JSON"),
        ("{'id': 1}", "line 1, column 2"),
        ("[]", "a list"),
        ("null", "null"),
        ("5", "a number"),
        ("true", "a boolean"),
        ('"x"', "a string"),
        (b'{"id":"\xff"}', "invalid UTF-8"),
        (text().encode("utf-16"), "invalid UTF-8"),
        (raw_data("NaN"), "NaN"),
        (raw_data("-Infinity"), "-Infinity"),
        (raw_data('{"a":{"":1}}'), "empty"),
        (raw_data('"\\ud800"'), "surrogate"),
        (raw_data('{"a":["\\uDC00x"]}'), "surrogate"),
        (raw_data('{"\\udfff":1}'), "surrogate"),
        (raw_data('"\ud800"'), "surrogate"),
        (raw_data("1" * 5_000), "malformed JSON"),
        ('{"source":"s","type":"t"}', "id is missing"),
        ('{"id":"1","type":"t"}', "source is missing"),
        ('{"id":"1","source":"s"}', "type is missing"),
        (text(id=None), "id is missing"),
        (text(id=5), "id must be"),
        (text(source=""), "source must be"),
        (text(specversion="0.3"), "specversion"),
        (text(specversion=1.0), "specversion"),
        (text(datacontenttype=5), "datacontenttype"),
        (text(time=5), "time must be"),
        (text(time="2026-01-01T00:00:00"), "RFC 3339"),
        (text(time="2026-02-30T00:00:00Z"), "time: "),
        (text(time="2026-01-01T00:00:00Z", endtime="now"), "endtime: "),
        (text(endtime="2026-01-01T00:00:00Z"), "without time"),
        (text(time="2026-01-01T00:00:01Z", endtime="2026-01-01T00:00:00Z"), "after endtime"),
        (text(time="2026-01-01T00:00:00-01:00", endtime="2026-01-01T00:59:59Z"), "after endtime"),
        (text(place="nowhere"), "place: "),
        (text(place=5), "place: "),
        (text(place="POLYGON ((0 0, 4 4, 4 0, 0 4, 0 0))"), "Self-intersection"),
        (text(place="GEOMETRYCOLLECTION (" * 50_000), "deeper"),
        (text(data_base64=5), "data_base64 must be"),
        (text(data_base64="%%%"), "not base64"),
        (text(data_base64="é"), "not base64"),
        (text(data_base64="YQ"), "not base64"),
        (text(data_base64="e30=", data={}), "not both"),
        (text(data_base64="ew=="), "malformed JSON"),
        (text(data_base64="/w==", datacontenttype="text/plain"), "invalid UTF-8"),
    ],
    ids=shortly,
)
def test_what_is_no_event_is_refused_with_the_reason(raw: bytes | str, words: str) -> None:
    problem = refusal(raw)
    assert problem.code == INVALID
    assert words in problem.message


@pytest.mark.parametrize(
    "raw",
    [
        '{"id":"1","id":"1","source":"s","type":"t"}',
        raw_data('{"a":1,"b":2,"a":1}'),
        raw_data('[{"x":[{"a":1,"\\u0061":2}]}]'),
        text(data_base64=base64.b64encode(b'{"a":1,"a":2}').decode()),
    ],
)
def test_a_member_given_twice_is_refused_at_any_depth(raw: str) -> None:
    assert refusal(raw).code == DUPLICATE


def test_a_member_given_twice_among_many_is_found_soon() -> None:
    members = ",".join(f'"{number}":1' for number in range(200_000))
    assert refusal(raw_data("{" + members + ',"199999":2}')).token == "199999"


@pytest.mark.parametrize(
    "raw",
    [
        b"[" * 100_000,
        raw_data("[" * 100_000 + "]" * 100_000),
        raw_data('{"a":' * 100_000 + "1" + "}" * 100_000),
        json.dumps(BASE | {"data": nested(MAX_DEPTH)}),
        text(data="x" * 10_000_000),
        b" " * (MAX_BYTES + 1),
        text(data_base64=base64.b64encode(b"[" * 100_000 + b"]" * 100_000).decode()),
    ],
    ids=shortly,
)
def test_what_is_too_large_or_too_deep_is_refused(raw: bytes | str) -> None:
    assert refusal(raw).code == LIMIT


def test_the_deepest_event_is_served_from_text_and_from_memory() -> None:
    body = BASE | {"data": nested(MAX_DEPTH - 1)}
    assert decode(json.dumps(body)).data == from_mapping(body).data == body["data"]


def test_brackets_inside_of_texts_are_not_depth() -> None:
    assert decode(text(data="[" * 1_000)).data == "[" * 1_000


@pytest.mark.parametrize(
    ("written", "number"),
    [
        (str(2**53 + 1), 2**53 + 1),
        ("-" + "9" * 4_000, -(10**4_000) + 1),
        ("1e400", float("inf")),
        ("0.1", 0.1),
        ("-0", 0),
    ],
)
def test_numbers_keep_their_value(written: str, number: float) -> None:
    assert decode(raw_data(written)).data == number


def test_a_pair_of_surrogates_is_a_character() -> None:
    assert decode(raw_data('"\\ud83d\\udd14"')).data == "\U0001f514"


@pytest.mark.parametrize(
    ("fields", "start", "end"),
    [
        ({"time": "2026-01-01T00:00:00Z"}, "2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"),
        (
            {"time": "2026-01-01T00:00:00Z", "endtime": "2026-01-01T02:00:00+01:00"},
            "2026-01-01T00:00:00Z",
            "2026-01-01T01:00:00Z",
        ),
        (
            {"time": "2026-01-01T01:00:00+01:00", "endtime": None},
            "2026-01-01T00:00:00Z",
            "2026-01-01T00:00:00Z",
        ),
    ],
)
def test_the_interval_is_read_with_offsets_and_the_end_defaults_to_the_start(
    fields: dict[str, Any], start: str, end: str
) -> None:
    event = decode(text(**fields))
    assert event.interval is not None
    assert (event.interval.start, event.interval.end) == (parse_instant(start), parse_instant(end))
    assert parse_instant(event.attribute(("", "endtime"))) == parse_instant(end)


def test_null_is_the_same_as_absent() -> None:
    event = decode(
        text(
            specversion=None,
            datacontenttype=None,
            time=None,
            endtime=None,
            place=None,
            data_base64=None,
        )
    )
    assert event.envelope == BASE


@pytest.mark.parametrize(
    ("raw", "content_type", "data"),
    [
        (b'{"a":1}', None, {"a": 1}),
        (b'{"a":1}', "Application/JSON; charset=utf-8", {"a": 1}),
        (b"[1]", "application/geo+json", [1]),
        ("é".encode(), "text/plain", "é"),
        ("<a>é</a>".encode(), "application/xml", "<a>é</a>"),
        ("<a>é</a>".encode("utf-16"), "text/xml", "<a>é</a>"),
        ("<a/>".encode("utf-8-sig"), "image/svg+xml", "<a/>"),
        (b"\xff\x00", "image/png", "/wA="),
    ],
)
def test_base64_is_read_as_its_media_type_says(
    raw: bytes, content_type: str | None, data: object
) -> None:
    assert (
        decode(text(data_base64=base64.b64encode(raw).decode(), datacontenttype=content_type)).data
        == data
    )


def test_xml_in_base64_is_read_in_the_encoding_that_it_declares() -> None:
    raw = "<?xml version='1.0' encoding='ISO-8859-1'?><a><b>é</b></a>".encode("iso-8859-1")
    event = decode(
        text(data_base64=base64.b64encode(raw).decode(), datacontenttype="application/xml")
    )
    assert event.attribute(("b",)) == "é"


@pytest.mark.parametrize(
    "raw",
    [
        b"<a>\xe9</a>",
        b"<?xml version='1.0' encoding='us-ascii'?><a>\xe9</a>",
        b"<?xml version='1.0' encoding='idna'?><a/>",
        b"<?xml version='1.0' encoding='iso-8859-99'?><a/>",
        b"\xff\xfe<",
    ],
)
def test_xml_that_is_not_in_its_encoding_is_refused(raw: bytes) -> None:
    problem = refusal(
        text(data_base64=base64.b64encode(raw).decode(), datacontenttype="application/xml")
    )
    assert problem.code == "MalformedEvent"
    assert "encoding" in problem.message


class Colour(StrEnum):
    RED = "red"


class Size(IntEnum):
    BIG = 7


def test_a_mapping_is_read_as_the_text_would_be() -> None:
    given_data = MappingProxyType(
        {"c": Colour.RED, "s": Size.BIG, "f": 5.0, "d": Decimal("1.50"), "t": (1, None)}
    )
    data: Any = from_mapping(OrderedDict(BASE, data=given_data)).data
    assert data == {"c": "red", "s": 7, "f": 5.0, "d": 1.5, "t": [1, None]}
    assert [type(value) for value in data.values()] == [str, int, float, float, list]


@pytest.mark.parametrize(
    "value",
    [
        *(
            float("nan"),
            Decimal("NaN"),
            b"bytes",
            {1, 2},
            object(),
            1j,
            {5: 1},
            {"": 1},
            "\ud800",
            {"\ud800": 1},
        ),
        *(10**5_000, -(10**5_000), Decimal("9" * 5_000)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_mapping_is_refused_where_text_would_be(value: object) -> None:
    with pytest.raises(Problem) as caught:
        from_mapping(BASE | {"data": {"a": value}})
    assert caught.value.code == INVALID


def test_a_mapping_that_holds_itself_is_too_deep() -> None:
    loop: dict[str, Any] = dict(BASE)
    loop["data"] = loop
    with pytest.raises(Problem) as caught:
        from_mapping(loop)
    assert caught.value.code == LIMIT


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(min_size=1), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(json_values)
def test_text_and_mapping_give_the_same_event(data: Any) -> None:
    body = BASE | {"data": data}
    try:
        written = json.dumps(body, allow_nan=False)
    except ValueError:  # infinity: JSON has no word for it
        return
    by_text, by_mapping = decode(written), from_mapping(body)
    assert by_text.data == by_mapping.data == data
    assert json.dumps(by_text.data) == json.dumps(by_mapping.data)


@given(st.binary(max_size=200) | st.text(max_size=200))
def test_any_input_is_an_event_or_a_problem(raw: bytes | str) -> None:
    with pytest.raises(Problem):
        decode(raw)


def test_one_byte_order_mark_may_come_first() -> None:
    for raw in (text(), text().encode()):
        marked = "\ufeff" + raw if isinstance(raw, str) else b"\xef\xbb\xbf" + raw
        assert decode(marked).envelope == decode(raw).envelope
