"""Rows of JSON texts read many at once, and the same rows one by one: the same events, the same dead
letters.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from tocsin.engine.json_scan.batch_reader import MIN_TEXTS
from tocsin.events.codecs.reception import EventEndRule
from tocsin.events.event import ScannedEvent, content
from tocsin.spark.input.layout import CAME, LINE, ORIGIN, JsonRows
from tocsin.spark.input.rows import EventRowBatch, RowBatch, read
from tocsin.spark.output.carried_columns import KEPT, carried_by

USUAL = (
    b'{"id":"%d","source":"s","type":"t","time":"2026-01-01T00:00:00Z","place":"POINT (1 2)",'
    b'"data":{"v":%d}}'
)
CROWD = [USUAL % (number, number) for number in range(MIN_TEXTS)]
ODD = [
    None,
    b"",
    b"null",
    b"no json",
    b'{"id":"x"}',
    b'{"id":"x","id":"y","source":"s","type":"t"}',
    b'{"id":"x","source":"s","type":"t","data":{"v":1,"v":2}}',
    b'{"id":"x","source":"s","type":"t","time":"2026-01-01T00:00:00"}',
    b'{"id":"x","source":"s","type":"t","time":"2026-02-01T00:00:00Z","endtime":"2026-01-01T00:00:00Z"}',
    b'{"id":"x","source":"s","type":"t","place":"LINESTRING (0 0, 1 1)","data":7}',
    b'{"id":"x","source":"s","type":"t","receivedtime":"2026-01-01T00:00:09Z","data":{"\\u0061":1}}',
    '{"id":"é","source":"s","type":"t","data":{"k":"ü"}}'.encode(),
    b'{"id":"\xff","source":"s","type":"t"}',
    b'[{"id":"x","source":"s","type":"t"}]',
]
HEADERS = [
    None,
    [],
    [{"key": "trace", "value": b"1"}],
    [{"key": "content-type", "value": b"application/cloudevents+json"}],
    [
        {"key": "ce_id", "value": b"h"},
        {"key": "ce_source", "value": b"s"},
        {"key": "ce_type", "value": b"t"},
    ],
]
_HEADERS = pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))


@st.composite
def batches(draw: st.DrawFn) -> Any:
    texts = draw(st.permutations([*CROWD, *draw(st.lists(st.sampled_from(ODD), max_size=8))]))
    size = len(texts)
    columns: dict[str, Any] = {"value": pa.array(texts, pa.binary())}
    if draw(st.booleans()):
        columns[LINE] = pa.array(range(size), pa.int64())
        columns[ORIGIN] = pa.array([f"topic-0@{number}" for number in range(size)])
    if draw(st.booleans()):
        given_headers = draw(st.lists(st.sampled_from(HEADERS), min_size=size, max_size=size))
        columns["headers"] = pa.array(given_headers, _HEADERS)
    if draw(st.integers(0, 3)) == 0:
        columns[KEPT] = pa.array([json.dumps({"n": number}) for number in range(size)])
    if draw(st.booleans()):
        columns[CAME] = pa.array([10**12] * size, pa.timestamp("us", tz="UTC"))
    return pa.RecordBatch.from_pydict(columns)


def told(reading: RowBatch) -> list[tuple[object, ...]]:
    assert isinstance(reading, EventRowBatch)
    heads = reading.heads(np.arange(reading.batch.size))
    ends = reading.ends().to_pylist()
    assert ends == heads.ends.to_pylist()
    return [
        (content(event), event.interval, event.place_text, carried_by(event), end)
        for event, end in zip(reading.events, ends, strict=True)
    ]


@given(rows=batches(), ends=st.sampled_from(EventEndRule))
def test_many_rows_at_once_are_read_as_one_by_one(rows: Any, ends: EventEndRule) -> None:
    at_once = read(rows, JsonRows(ends))
    alone = [read(rows.slice(number, 1), JsonRows(ends)) for number in range(rows.num_rows)]
    assert told(at_once) == [event for reading in alone for event in told(reading)]
    assert list(at_once.letters) == [letter for reading in alone for letter in reading.letters]


def test_usual_texts_are_not_read_before_somebody_asks() -> None:
    rows = pa.RecordBatch.from_pydict({"value": pa.array([*CROWD, None], pa.binary())})
    reading = read(rows, JsonRows())
    assert isinstance(reading, EventRowBatch)
    assert {type(event) for event in reading.events} == {ScannedEvent}
    assert len(reading.letters) == 1
