"""Layout of a DataFrame: how its rows become events, decided once when the query is made.

Either each row is a CloudEvents JSON text in a column `value`, or a record of Kafka with its
headers; or event fields are columns: the event columns by their own names (id, source, type, time,
endtime, place, data, ...), and any other column by a mapping from column to field.

A record of Kafka follows the Kafka binding of CloudEvents 1.0: a content type
`application/cloudevents...` means structured mode, in `value`; headers `ce_...` mean binary mode,
`value` is then the data, and a record without a value has none. A record with neither is read as
structured. If `value` is mapped, as plain JSON, fields that the mapping does not set are taken from
the record itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pyspark.errors import AnalysisException
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from tocsin.errors import MeaningProblem
from tocsin.events.codecs.bindings import events_of_message, message_of_record
from tocsin.events.codecs.reception import RECEIVED, EventEndRule
from tocsin.events.event import Event
from tocsin.spark.input.attribute_sql import (
    attribute_sql,
    instant_sql,
    is_variant,
    quoted,
    require_distinct,
)
from tocsin.spark.output.carried_columns import KEPT
from tocsin.values.scalars import ENVELOPE, Path

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


LINE = "row_line"
CAME = "row_came"
ORIGIN = "row_origin"
VALUE = "value"
DATA: Path = ()
"""The path of the data as a whole."""

_REQUIRED = ("id", "source", "type")
TIMES = ("time", "endtime", RECEIVED)
_CONTEXT = (*_REQUIRED, *TIMES, "place", "subject", "datacontenttype", "dataschema")
_NUMBERS = (T.ByteType, T.ShortType, T.IntegerType, T.LongType)
_SCALARS = (T.StringType, T.BooleanType, *_NUMBERS)
_TIME_TYPES = (
    T.StringType,
    T.TimestampType,
    T.DateType,
    *_NUMBERS,
    T.FloatType,
    T.DoubleType,
    T.DecimalType,
)


@dataclass(frozen=True, slots=True)
class JsonRows:
    """Layout with one event per row as CloudEvents JSON in bytes; `ends` is the rule without
    endtime.
    """

    ends: EventEndRule = EventEndRule.START


@dataclass(frozen=True, slots=True)
class EventColumns:
    """Layout with a column for each part of the event.

    `by_row` if data is text or a map: then its members are not columns. A path may have `further`
    columns of other types, of which at most one has a value in a row; the columns in `json` are
    JSON text. `types` are the types that events have, if these are known; it is for the driver.
    """

    names: Mapping[Path, str]
    by_row: bool
    ends: EventEndRule = EventEndRule.START
    further: Mapping[Path, tuple[str, ...]] = field(default_factory=dict)
    json: frozenset[str] = frozenset()
    types: frozenset[str] = frozenset()


Layout = JsonRows | EventColumns


def laid_out(
    events: DataFrame,
    columns: Mapping[str, str] | EventColumns | None = None,
    ends: EventEndRule = EventEndRule.START,
    kept: Column | None = None,
    passed: tuple[str, ...] = (),
) -> tuple[DataFrame, Layout]:
    """Return the DataFrame with only the columns that workers need, and its layout.

    `kept` is carried along with each event, and so are the columns `passed` of JSON rows. Rows of
    tables have these columns and their layout already.
    """
    if isinstance(columns, EventColumns):
        return events, columns
    require_mapping(columns)
    if columns is None and VALUE in events.columns and not set(_REQUIRED) <= set(events.columns):
        return _json_rows(events, ends, kept, passed), JsonRows(ends)
    fields = _fields(events, columns or {}, ends)
    if VALUE in (columns or {}):
        fields = {**known_of_records(events), **fields}
    implied = {} if columns or DATA in fields else _implied(events)
    fields = {**fields, **implied}
    if kept is not None:
        fields[ENVELOPE, KEPT] = kept
    for name in _REQUIRED:
        if (ENVELOPE, name) not in fields:
            raise _unclear(
                f"no column holds the event's {name}",
                'for a table of your own say its name and time, match(df, rules, name="order",'
                f' time="at"); else map one, columns={{"...": "{name}"}}',
            )
    chosen, layout = _event_columns(events, fields, frozenset(implied))
    return chosen, replace(layout, ends=ends)


def require_mapping(columns: object) -> None:
    if columns is None or (
        isinstance(columns, Mapping) and all(isinstance(each, str) for each in columns.values())
    ):
        return
    given = columns if isinstance(columns, list | tuple) else ["price"]
    first = next((each for each in given if isinstance(each, str)), "price")
    raise _unclear(
        f"columns maps columns to event fields, got {type(columns).__name__}",
        f'say what each column is, as in columns={{"{first}": "data.{first}"}}',
    )


def field_path(field: str) -> Path:
    """Return the path of an event field: `id`, `time`, `ce_region`; `data`, `data.price`,
    `data.a.b`.
    """
    if field in _CONTEXT:
        return (ENVELOPE, field)
    head, *steps = field.split(".")
    if head == "data" and all(steps):
        return tuple(steps)
    if field.startswith("ce_") and len(field) > len("ce_"):
        return (ENVELOPE, field.removeprefix("ce_"))
    raise _unclear(
        f"{field!r} is no event field",
        f"one of {', '.join(_CONTEXT)}, data, data.<name> or ce_<name>",
    )


def _json_rows(
    events: DataFrame, ends: EventEndRule, kept: Column | None, passed: tuple[str, ...]
) -> DataFrame:
    given = events.schema[VALUE].dataType
    if not isinstance(given, T.StringType | T.BinaryType):
        raise _unclear(
            f"the column value is {given.simpleString()}",
            "CloudEvents JSON is a string or binary; for a table of your own say its name and time,"
            ' match(df, rules, name="reading", time="at")',
        )
    chosen = [F.col(VALUE).cast("binary").alias(VALUE)]
    if "line" in events.columns:
        chosen.append(F.col("line").cast("bigint").alias(LINE))
    if ends is EventEndRule.RECEPTION and (came := _came(events)) is not None:
        chosen.append(came.alias(CAME))
    if has_headers(events):
        chosen.append(F.col(HEADERS))
    if kept is not None:
        chosen.append(kept.alias(KEPT))
    return events.select(*chosen, *_origin(events), *passed)


def _origin(events: DataFrame) -> list[Column]:
    origin = origin_of(events)
    return [] if origin is None else [origin.alias(ORIGIN)]


def _came(events: DataFrame) -> Column | None:
    """Return the reception time: the column, else on a stream the time of the micro-batch.

    A retried micro-batch has the same time. None for a batch without the column.
    """
    given = events.schema[RECEIVED].dataType if RECEIVED in events.columns else None
    if given is None:
        return F.current_timestamp() if events.isStreaming else None
    if not isinstance(given, T.TimestampType):
        raise _unclear(f"the column {RECEIVED} is {given.simpleString()}", _received_hint(given))
    column = F.col(f"`{RECEIVED}`")
    return F.coalesce(column, F.current_timestamp()) if events.isStreaming else column


def _received_hint(given: T.DataType) -> str:
    return (
        _cast_hint(given)
        if _has_timestamp_ntz(given)
        else "it is a timestamp: col.cast('timestamp')"
    )


def _fields(
    events: DataFrame, columns: Mapping[str, str], ends: EventEndRule
) -> dict[Path, Column]:
    """Return the columns by path: mapped ones, then event columns by name where none is mapped."""
    fields: dict[Path, Column] = {}
    for column, event_field in columns.items():
        path = _path_for(column, event_field)
        if path in fields:
            raise _unclear(
                f"two columns are mapped to {event_field}", "map one column to each event field"
            )
        fields[path] = F.col(quoted(column) if column in events.columns else column)
    for name in (*_CONTEXT, "data"):
        path = field_path(name)
        if (
            name in events.columns
            and name not in columns
            and not any(_covers(path, other) for other in fields)
        ):
            fields[path] = F.col(f"`{name}`")
    if (
        ends is EventEndRule.RECEPTION
        and (ENVELOPE, RECEIVED) not in fields
        and (came := _came(events)) is not None
    ):
        fields[ENVELOPE, RECEIVED] = came
    _require_apart(fields)
    return fields


def _implied(events: DataFrame) -> dict[Path, Column]:
    """Return the columns that are attributes where none is mapped: all that are no event field."""
    require_distinct("the DataFrame", events.columns)
    others = [name for name in events.columns if name not in _CONTEXT]
    return {(name,): F.col(quoted(name)) for name in others}


def _path_for(column: str, field: str) -> Path:
    """Return the path of a mapped field; the problem of a reversed mapping says so."""
    try:
        return field_path(field)
    except MeaningProblem as problem:
        if column.partition(".")[0] != "data" and column not in _CONTEXT:
            raise
        hint = (
            f'columns maps a column to a field, not the other way round: {{"{field}": "{column}"}}'
        )
        raise _unclear(problem.message, hint) from None


def _covers(path: Path, other: Path) -> bool:
    """True if the two are the same field, or the first is data as a whole and the second a part."""
    return path == other or (path == DATA and not _in_envelope(other))


def _in_envelope(path: Path) -> bool:
    return path[:1] == (ENVELOPE,)


def _event_columns(
    events: DataFrame, fields: Mapping[Path, Column], implied: frozenset[Path] = frozenset()
) -> tuple[DataFrame, EventColumns]:
    typed = _selected(events, fields, _origin(events))
    types = {path: typed.schema[name].dataType for path, name in _names(fields).items()}
    whole = types.get(DATA)
    if isinstance(whole, T.StructType):
        members = {(name,): fields[DATA].getField(name) for name in whole.fieldNames()}
        return _event_columns(
            events, {path: column for path, column in fields.items() if path != DATA} | members
        )
    fields = {
        path: column
        for path, column in fields.items()
        if path not in implied or _has_value(types[path])
    }
    names = {path: name for path, name in _names(types).items() if path in fields}
    for path in names:
        if path not in implied:
            _require_readable(path, types[path])
    plain = [F.expr(_plain(path, name, types[path])).alias(name) for path, name in names.items()]
    data = {path: name for path, name in names.items() if not _in_envelope(path)}
    json = frozenset(name for path, name in data.items() if is_variant(types[path]))
    by_row = bool(json) or any(has_members_by_row(path, types[path]) for path in data)
    rows = typed.select(*plain, *(typed.columns[len(types) :]))
    return rows, EventColumns(names, by_row, json=json)


def _selected(
    events: DataFrame, fields: Mapping[Path, Column], beside: Iterable[Column] = ()
) -> DataFrame:
    names = _names(fields)
    try:
        return events.select(
            *(column.alias(names[path]) for path, column in fields.items()), *beside
        )
    except AnalysisException as error:
        raise _unclear(
            f"a mapped column is not there: {str(error).partition('SQLSTATE')[0].strip()}",
            "columns maps columns of the DataFrame to event fields, as in {'price': 'data.price'}",
        ) from None


def _names(paths: Iterable[Path]) -> dict[Path, str]:
    return {path: f"c{number}" for number, path in enumerate(paths)}


def _plain(path: Path, column: str, given: T.DataType) -> str:
    """Return SQL for a column in the type that workers read.

    Numbers and bytes as id, source or type become text; JSON text becomes bytes, so that bad UTF-8
    affects one row only.
    """
    if path == DATA and isinstance(given, T.StringType | T.BinaryType):
        return f"CAST({column} AS BINARY)"
    if not _in_envelope(path):
        return f"to_json({column})" if is_variant(given) else attribute_sql(column, given, column)
    if path[1] in TIMES:
        return instant_sql(column, given, path[1])
    as_text = isinstance(given, T.BinaryType) or (
        path[1] in _CONTEXT and isinstance(given, _NUMBERS)
    )
    return f"CAST({column} AS STRING)" if as_text else column


def _has_value(given: T.DataType) -> bool:
    """True if a value of the type can be that of an attribute."""
    try:
        attribute_sql("value", given, "value")
    except MeaningProblem:
        return is_variant(given)
    return True


def _require_readable(path: Path, given: T.DataType) -> None:
    if not _in_envelope(path):
        good = _has_value(given) and not _has_timestamp_ntz(given)
    elif path[1] in TIMES:
        good = isinstance(given, _TIME_TYPES)
    elif path[1] == "place":
        good = isinstance(given, T.StringType | T.StructType)
    else:
        good = isinstance(given, (*_SCALARS, T.BinaryType))
    if not good:
        field = ".".join(path[1:]) if _in_envelope(path) else ".".join(("data", *path))
        raise _unclear(
            f"a column of type {given.simpleString()} cannot be the event's {field}",
            _cast_hint(given),
        )


def _cast_hint(given: T.DataType) -> str:
    """Return a hint how to cast a column of another type."""
    if _has_timestamp_ntz(given):
        return (
            "it does not say in which zone: where it is in the zone of the session,"
            " col.cast('timestamp'); else convert_timezone(lit('Europe/Brussels'),"
            " current_timezone(), col).cast('timestamp') with its own zone"
        )
    return (
        "cast it: col.cast('string')"
        if isinstance(given, T.AtomicType)
        else "cast it, or leave out that part"
    )


def _has_timestamp_ntz(given: T.DataType) -> bool:
    match given:
        case T.StructType():
            return any(_has_timestamp_ntz(field.dataType) for field in given.fields)
        case T.ArrayType():
            return _has_timestamp_ntz(given.elementType)
        case T.MapType():
            return _has_timestamp_ntz(given.valueType)
        case _:
            return isinstance(given, T.TimestampNTZType)


def has_members_by_row(path: Path, given: T.DataType) -> bool:
    """True if the members of the value can differ from row to row."""
    if isinstance(given, T.StructType):
        return any(
            has_members_by_row((*path, field.name), field.dataType) for field in given.fields
        )
    return path == DATA or isinstance(given, T.MapType)


def _require_apart(fields: Mapping[Path, Column]) -> None:
    inner = [path for path in fields if not _in_envelope(path)]
    for path in inner:
        if any(other != path and other[: len(path)] == path for other in inner):
            raise _unclear(
                f"{'.'.join(('data', *path))} is mapped, and so is a part of it",
                "map one or the other",
            )


def _unclear(message: str, hint: str) -> MeaningProblem:
    return MeaningProblem(message, code="ColumnError", hint=hint)
