"""Rows of Kafka: CloudEvents in structured mode in `value`, or in binary mode with `headers`.

By the Kafka binding of CloudEvents 1.0: a content type `application/cloudevents...` means
structured; headers `ce_...` mean binary, `value` is then the data, and a record without a value has
none. A record with neither is read as structured. If `value` is mapped, as plain JSON, fields that
the mapping does not set are taken from the record itself.
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
    """True if the rows have Kafka's headers: option includeHeaders of the source."""
    if HEADERS not in events.columns:
        return False
    given = events.schema[HEADERS].dataType
    element = given.elementType if isinstance(given, T.ArrayType) else None
    return isinstance(element, T.StructType) and element.fieldNames() == ["key", "value"]


def origin_of(events: DataFrame) -> Column | None:
    """Return topic, partition and offset of each row as text, `orders-0@17`; None if not from
    Kafka.
    """
    if not set(_RECORD) <= set(events.columns):
        return None
    topic, partition, offset = map(F.col, _RECORD)
    return F.concat_ws("", topic, F.lit("-"), partition, F.lit("@"), offset)


def known_of_records(events: DataFrame) -> Mapping[Path, Column]:
    """Return the fields of a Kafka row itself: id, source, type and time; {} for other rows."""
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
    """Return the events of one record; of a repeated header the last value counts, as in Kafka."""
    named = [(each["key"], each["value"]) for each in headers or () if each and each["key"]]
    return events_of_message(message_of_record(raw, named))


def shown_record(raw: bytes | None, headers: Iterable[Mapping[str, Any]] | None) -> bytes:
    """Return a record as text for a dead letter: its headers, one per line, and its value."""
    lines = [
        b"%s: %s" % (each["key"].encode(), each["value"] or b"")
        for each in headers or ()
        if each and each["key"]
    ]
    return b"\n".join([*lines, raw or b""])
