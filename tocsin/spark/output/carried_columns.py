"""Columns of the events of matches: their match fields, and the columns that they carry (`keep`).

What an event carries is one opaque text. As part of the envelope the text goes wherever the event
goes, also through the state of composites; it is removed when an event is rendered.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from tocsin.errors import MeaningProblem
from tocsin.events.event import Event, ScannedEvent

KEPT = "row_kept"
"""The name of the column and of the envelope member; not a valid name of a CloudEvents attribute.
"""

Keep = str | Iterable[str] | Mapping[str, str]

_FORMATS = {
    "timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX",
    "timestampNTZFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSS",
}
_NUMBERS = (
    T.ByteType,
    T.ShortType,
    T.IntegerType,
    T.LongType,
    T.FloatType,
    T.DoubleType,
    T.DecimalType,
)
_TIMES = (T.DateType, T.TimestampType, T.TimestampNTZType)
_LEAVES = (T.StringType, T.BooleanType, T.BinaryType, *_NUMBERS, *_TIMES)


@dataclass(frozen=True, slots=True)
class CarriedColumns:
    """The names and types of the kept columns; `by_event` if a match may have several events:
    arrays.
    """

    schema: str
    by_event: bool


def kept_column(events: DataFrame, keep: Keep) -> tuple[Column, T.StructType]:
    """Return the kept columns of a row as one text, and their names and types.

    Raises if a column is missing or its type is not supported.
    """
    names = keep_names(keep)
    for column in names:
        if column not in events.columns:
            raise _unkept(
                f"there is no column {column!r} to keep",
                f"one of {', '.join(events.columns)}",
                column,
            )
    schema = T.StructType(
        [T.StructField(name, events.schema[column].dataType) for column, name in names.items()]
    )
    for field in schema:
        _require_keepable(field)
    chosen = F.struct(*(F.col(f"`{column}`").alias(name) for column, name in names.items()))
    return F.to_json(chosen, dict(_FORMATS)), schema


def kept_of_tables(
    tables: Mapping[str, DataFrame], keep: Keep
) -> tuple[dict[str, Column], T.StructType]:
    """Return the kept columns of a row of each table as one text, and their names and types.

    A column that a table lacks is null in its rows. Raises if no table has it, or if its types
    differ.
    """
    names = keep_names(keep)
    fields = [
        T.StructField(name, _type_in_tables(column, tables)) for column, name in names.items()
    ]
    for field in fields:
        _require_keepable(field)
    types = {column: field.dataType for column, field in zip(names, fields, strict=True)}
    texts = {}
    for table_name, table in tables.items():
        held = [
            (F.col(f"`{column}`") if column in table.columns else F.lit(None).cast(given)).alias(
                names[column]
            )
            for column, given in types.items()
        ]
        texts[table_name] = F.to_json(F.struct(*held), dict(_FORMATS))
    return texts, T.StructType(fields)


def _type_in_tables(column: str, tables: Mapping[str, DataFrame]) -> T.DataType:
    held = [table.schema[column].dataType for table in tables.values() if column in table.columns]
    if not held:
        known = {each: None for table in tables.values() for each in table.columns}
        raise _unkept(
            f"there is no column {column!r} to keep", f"one of {', '.join(known)}", column
        )
    if len({each.simpleString() for each in held}) > 1:
        kinds = " and ".join(sorted({each.simpleString() for each in held}))
        raise _unkept(
            f"the column {column!r} is {kinds}", "cast it to one type in all tables", column
        )
    return held[0]


def require_names_apart(schema: T.StructType, taken: Iterable[str]) -> None:
    """Raise if a kept column has the name of a column of every match."""
    held = {name.lower() for name in taken}
    for name in schema.fieldNames():
        if name.lower() in held:
            raise _unkept(
                f"a match has a column {name!r} of its own",
                f'tell it by another: keep={{"{name}": "event_{name}"}}',
                name,
            )


def expand_columns(match: Column, keeping: CarriedColumns | None) -> Column:
    """Return the struct of a match with the kept columns in place of the text."""
    told = match.dropFields("kept")
    if keeping is None:
        return told
    schema = T.StructType.fromJson(_parsed(keeping.schema))
    for name in schema.fieldNames():
        told = told.withField(f"`{name}`", _told(match["kept"], name, schema, keeping.by_event))
    return told


def attach_columns(event: Event, text: str | None) -> Event:
    """Return the event with the kept columns of its row."""
    return Event({**event.envelope, KEPT: text}, event.data, event.interval, event.place_source)


def carried_by(event: Event) -> str | None:
    """Return the kept columns of the event's row, or None; a scanned event has none."""
    if type(event) is ScannedEvent:
        return None
    text: str | None = event.envelope.get(KEPT)
    return text


def detach_columns(event: Event) -> Event:
    """Return the event without the kept columns."""
    if KEPT not in event.envelope:
        return event
    own = {name: value for name, value in event.envelope.items() if name != KEPT}
    return Event(own, event.data, event.interval, event.place_source)


def keep_names(keep: Keep) -> dict[str, str]:
    """Return the name in the match for each column; raises if names repeat."""
    if isinstance(keep, Mapping):
        names = dict(keep)
    else:
        names = {each: each for each in ([keep] if isinstance(keep, str) else keep)}
    if not all(isinstance(each, str) and each for each in (*names, *names.values())):
        raise _unkept("keep has the names of columns", 'as in keep=["region", "price"]', "keep")
    if len(set(names.values())) != len(names):
        raise _unkept("two columns are kept under one name", "give each a name of its own", "keep")
    return names


def _told(kept: Column, name: str, schema: T.StructType, by_event: bool) -> Column:
    def value(text: Column) -> Column:
        return F.from_json(text, schema, {**_FORMATS, "mode": "FAILFAST"})[name]

    return F.transform(kept, value) if by_event else value(F.get(kept, F.lit(0)))


def _parsed(schema: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(schema)
    return found


def _require_keepable(field: T.StructField) -> None:
    if not _is_keepable(field.dataType):
        kind = field.dataType.simpleString()
        raise _unkept(
            f"a column of type {kind} cannot be kept", "cast it: col.cast('string')", field.name
        )


def _is_keepable(given: T.DataType) -> bool:
    """True if a value survives a round trip through JSON."""
    match given:
        case T.StructType():
            return all(_is_keepable(field.dataType) for field in given.fields)
        case T.ArrayType():
            return _is_keepable(given.elementType)
        case T.MapType():
            return isinstance(given.keyType, T.StringType) and _is_keepable(given.valueType)
        case _:
            return isinstance(given, _LEAVES)


def _unkept(message: str, hint: str, token: str) -> MeaningProblem:
    return MeaningProblem(message, code="ColumnError", token=token, hint=hint)


# Match fields of events: identity, times (null without a time), place, kept columns.

INSTANT_TYPE = pa.timestamp("us", tz="UTC")


@dataclass(frozen=True, slots=True)
class Heads:
    """One entry per event; `starts` and `ends` are instants in microseconds."""

    ids: Any
    sources: Any
    starts: Any
    ends: Any
    places: Any
    kept: Any

    def take(self, at: Any) -> Heads:
        """Return the entries at the given indexes, in that order."""
        chosen = pa.array(at)
        return Heads(
            self.ids.take(chosen),
            self.sources.take(chosen),
            self.starts.take(chosen),
            self.ends.take(chosen),
            self.places.take(chosen),
            self.kept.take(chosen),
        )

    def identities(self) -> list[tuple[str, str]]:
        """Return the (source, id) of each event."""
        return list(zip(self.sources.to_pylist(), self.ids.to_pylist(), strict=True))


def heads_of_events(events: Sequence[Event], *, places: bool = True) -> Heads:
    """Return the match fields of events in memory."""
    intervals = [event.interval for event in events]
    return Heads(
        pa.array([event.id for event in events], pa.string()),
        pa.array([event.source for event in events], pa.string()),
        pa.array([each and each.start for each in intervals], pa.int64()),
        pa.array([each and each.end for each in intervals], pa.int64()),
        pa.array([event.place_text if places else None for event in events], pa.string()),
        pa.array(map(carried_by, events), pa.string()),
    )
