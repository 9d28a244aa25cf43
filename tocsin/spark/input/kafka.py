"""Rows as Kafka gives them. CloudEvents in structured mode stand in `value`, in binary mode in
`headers` and `value`.

By the Kafka binding of CloudEvents 1.0: a content type `application/cloudevents...` says
structured; headers `ce_...` say binary, `value` is then the data, and a record without a value has
none. What has neither is read as structured. Where `value` is mapped, as plain JSON, what the
mapping leaves open is known of the record itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from tocsin.events.codecs.bindings import events_of_message, message_of_record
from tocsin.events.event import ENVELOPE, Event, Path

HEADERS = "headers"

_RECORD = ("topic", "partition", "offset")


def has_headers(events: DataFrame) -> bool:
    """Whether the rows have Kafka's headers: option includeHeaders of the source."""
    if HEADERS not in events.columns:
        return False
    given = events.schema[HEADERS].dataType
    element = given.elementType if isinstance(given, T.ArrayType) else None
    return isinstance(element, T.StructType) and element.fieldNames() == ["key", "value"]


def origin_of(events: DataFrame) -> Column | None:
    """Topic, partition and offset of each row as one text, `orders-0@17`; None where rows are not
    Kafka's.
    """
    if not set(_RECORD) <= set(events.columns):
        return None
    topic, partition, offset = map(F.col, _RECORD)
    return F.concat_ws("", topic, F.lit("-"), partition, F.lit("@"), offset)


def known_of_records(events: DataFrame) -> Mapping[Path, Column]:
    """What a Kafka row tells by itself: who it is, and when it came into the log; nothing for other
    rows.
    """
    origin = origin_of(events)
    if origin is None:
        return {}
    known = {"id": origin, "source": F.col("topic"), "type": F.col("topic")}
    if "timestamp" in events.columns and isinstance(
        events.schema["timestamp"].dataType, T.TimestampType
    ):
        known["time"] = F.col("timestamp")
    return {(ENVELOPE, name): column for name, column in known.items()}


def events_of_record(raw: bytes | None, headers: Sequence[Mapping[str, Any]] | None) -> list[Event]:
    """The events of one record; of a header that is given twice the last counts, as in Kafka."""
    named = [(each["key"], each["value"]) for each in headers or () if each and each["key"]]
    return events_of_message(message_of_record(raw, named))


def shown_record(raw: bytes | None, headers: Iterable[Mapping[str, Any]] | None) -> bytes:
    """A record for a dead letter: its headers, one a line, and its value."""
    lines = [
        b"%s: %s" % (each["key"].encode(), each["value"] or b"")
        for each in headers or ()
        if each and each["key"]
    ]
    return b"\n".join([*lines, raw or b""])
