"""Requests that a careless or hostile client may send: every field of every body, every parameter
and every header with values of a wrong kind, out of range, or not text at all.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

_DEEP = "[" * 3_000 + "]" * 3_000

KINDS: tuple[str, ...] = ("null", "true", "false", "0", "-0.0", "[]", "{}", '""', '"x"')
"""JSON texts of a value of each kind, empty ones above all: what is false is not what is missing.
"""

VALUES: tuple[str, ...] = (
    *("1", "-1", "0.5", '" "'),
    *("1e400", "-1e400", "NaN", "Infinity", "9" * 400, "-" + "9" * 400, "1" + "0" * 5_000),
    *('"\\ud800"', '"\\udfff x"', '"\\u0000"', '"\\uffff"', '"\\u202e"', '"' + "a" * 5_000 + '"'),
    *("[[]]", "[null]", "[false]", "[0]", '[""]', '["x", 1, null]', '{"": {}}', '{"a": [{}]}'),
    *('"0001-01-01T00:00:00Z"', '"9999-12-31T23:59:59.999999Z"', '"9999-12-31T23:59:59-14:00"'),
    *('"0001-01-01T00:00:00+14:00"', '"0000-00-00T00:00:00Z"', '"2026-02-30T00:00:00Z"'),
    *('"2016-12-31T23:59:60Z"', '"99999999999999d"', '"-1d"', '"999999999999999999s"', '"P9W"'),
    *('"P999999999999999999W"', '"0s"', "9223372036854775807", "9223372036854775808"),
    *('"\\u0661\\u0662"', '"9223372036854775808"', '"POINT(1e400 0)"', '"POLYGON(())"', _DEEP),
    *('{"type": "Point", "coordinates": [null]}', '{"a": "\\ud800"}', '{"\\ud800": 1}'),
)
"""JSON texts of further values: out of range, too long, too deep, not text at all."""

TEXTS: tuple[str, ...] = (
    *("", " ", "x", "-1", "0", "1", "1.5", "1e9", "+1", "00", "9" * 5_000, "-" + "9" * 5_000),
    *("9223372036854775807", "9223372036854775808", "\u0661\u0662", "\u00b2", "\uff11", "1\u0660"),
    *(
        "true",
        "false",
        "null",
        "None",
        "NaN",
        "inf",
        "[]",
        "{}",
        "a" * 2_000,
        "\0",
        "a\0b",
        "%",
        "%zz",
    ),
    *("0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59-14:00"),
    *("0001-01-01T00:00:00+14:00", "0000-01-01T00:00:00Z", "2016-12-31T23:59:60Z", "10000-01-01"),
    *("99999999999999d", "-1d", "999999999999999999s", "0.000000000000000001us", "P1Y", "PT"),
    *("P999999999999999999W", "\ud800", "\u202e", "\ufffd", "a|b", "||", "a,b", "*", "::", "/"),
)
"""Values of parameters."""

HEADERS: tuple[str, ...] = (
    *("last-event-id", "content-type", "accept", "accept-encoding", "if-none-match", "range"),
    *("authorization", "content-encoding", "expect", "cookie", "traceparent", "x-forwarded-for"),
    *("gs1-epcis-version", "gs1-cbv-version", "gs1-epcis-min", "gs1-epcis-max", "gs1-epc-format"),
    *("gs1-capture-error-behaviour", "gs1-cbv-xml-format", "gs1-extensions", "gs1-cbv-min"),
    *("ce-id", "ce-specversion", "ce-time", "ce-source", "ce-type", "ce-datacontenttype"),
)
"""Headers that something reads, or could."""

HEADER_VALUES: tuple[bytes, ...] = tuple(
    dict.fromkeys(
        [each.encode("utf-8", "replace") for each in TEXTS if "\0" not in each]
        + [b"\xff\xfe", b"\xe9", b"2.0.0.0.0.0", b"1." * 40, b"bytes=0-", b"application/", b"; ;"]
    )
)

PARAMETERS: tuple[str, ...] = (
    *("after", "before", "limit", "since", "until", "newest", "subscription", "subscriptions"),
    *("code", "force", "last", "source", "access_token", "perPage", "nextPageToken", "@context"),
    *("eventType", "GE_eventTime", "LT_eventTime", "GE_recordTime", "LT_recordTime", "EQ_bizStep"),
    *("EQ_eventID", "MATCH_epc", "MATCH_anyEPC", "EQ_quantity", "GE_quantity", "orderBy"),
    *("orderDirection", "eventCountLimit", "maxEventCount", "EXISTS_errorDeclaration"),
    *("EQ_https://x.example/rank", "HASATTR_bizLocation", "EQATTR_bizLocation_x", "EQ_readPoint"),
    *("WD_readPoint", "EQ_bizTransaction_po", "GE_errorDeclarationTime", "EQ_INNER_x", "x", ""),
)
"""Parameters that some address reads, and some that none does."""


def broken_bodies(sample: Any, values: tuple[str, ...]) -> Iterator[bytes]:
    """Yield texts of a body in which one value, at any depth, or the whole is one of the values."""
    mark = "\u2603"
    for marked in _marked(sample, mark):
        before, _, after = json.dumps(marked, ensure_ascii=False).partition(f'"{mark}"')
        for value in values:
            yield f"{before}{value}{after}".encode()


def _marked(sample: Any, mark: str) -> Iterator[Any]:
    yield mark
    if isinstance(sample, dict):
        for name, value in sample.items():
            yield from ({**sample, name: each} for each in _marked(value, mark))
    elif isinstance(sample, list):
        for number, value in enumerate(sample):
            for each in _marked(value, mark):
                yield [*sample[:number], each, *sample[number + 1 :]]
