"""Tables of plain columns as events: a DataFrame without id, source and type, or several of them.

Every column is an attribute under its own name. The envelope comes from the call: the type and the
source are the name of the table, the time is a column, and the id a column or a hash of the row.
Several tables become one, with the columns of all of them; a column of which the types differ is
one for each type, and at most one of these has a value in a row.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import reduce
from zoneinfo import available_timezones

from pyspark.errors import AnalysisException
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from tocsin.events.codecs.reception import RECEIVED, EventEndRule
from tocsin.spark.input.attribute_sql import (
    attribute_sql,
    column_problem,
    instant_sql,
    instant_text,
    is_variant,
    literal,
    quoted,
    require_distinct,
)
from tocsin.spark.input.layout import (
    TIMES,
    EventColumns,
    field_path,
    has_members_by_row,
    require_mapping,
)
from tocsin.spark.output.carried_columns import KEPT, Keep, kept_of_tables
from tocsin.values.scalars import ENVELOPE, Path

DEFAULT_NAME = "row"
"""The type of the events of a table that is given without a name."""

_OWN = "row_"
"""The beginning of the names of columns that are not those of attributes."""

VERSION_COLUMN = "catalog_version"
"""The column that a query adds to the rows for a live catalog."""

_ID: Path = (ENVELOPE, "id")
_SOURCE: Path = (ENVELOPE, "source")
_TYPE: Path = (ENVELOPE, "type")
_TIME: Path = (ENVELOPE, "time")
_RECEIVED: Path = (ENVELOPE, RECEIVED)

_REQUIRED = ("id", "source", "type")
_TIME_TYPES = (T.TimestampType, T.TimestampNTZType, T.DateType)
_TIMES_AS_TEXT = (T.StringType, T.FloatType, T.DoubleType, T.DecimalType)
_OFFSET = re.compile(r"[+-]\d\d:\d\d|Z|UTC")
_NESTED = (T.StructType, T.ArrayType, T.MapType)
_AS_EXTENSION = (T.StringType, T.BooleanType, T.IntegerType, T.LongType, T.ShortType, T.ByteType)
_WHOLE = ("tinyint", "smallint", "int", "bigint")
_EXACT_AS_DOUBLE = (*_WHOLE[:3], "double")
_HASH_FORMATS = {
    "timeZone": "UTC",
    "timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX",
    "timestampNTZFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSS",
    "ignoreNullFields": "true",
}
_HASH_DIGITS = 32

PerTable = str | Mapping[str, str] | None
"""One value for all tables, or one for each by its name."""

Tables = DataFrame | Mapping[str, DataFrame]


@dataclass(frozen=True, slots=True)
class TableOptions:
    """The columns of time and id, the name of a single table, and the zone of times that do not
    say theirs.
    """

    time: PerTable = None
    name: str | None = None
    id: PerTable = None
    zone: str | None = None

    def is_given_for(self, events: DataFrame) -> bool:
        """True if the DataFrame is a table of plain columns, as these options say.

        Without a name it is not if it has the fields of events itself.
        """
        given = (self.time, self.name, self.id, self.zone)
        if all(each is None for each in given):
            return False
        return self.name is not None or not set(_REQUIRED) <= set(events.columns)

    def mapping(self, columns: Mapping[str, str] | None) -> Mapping[str, str] | None:
        """Return the mapping of columns to event fields, with time and id of these options."""
        own = {
            column: event_field
            for column, event_field in ((self.time, "time"), (self.id, "id"))
            if isinstance(column, str) and column != event_field
        }
        return {**(columns or {}), **own} if own else columns


@dataclass(frozen=True, slots=True)
class TableRows:
    """Rows of tables with a column for each part of the event, their layout, and the types kept."""

    rows: DataFrame
    layout: EventColumns
    kept: T.StructType | None


def read_tables(
    tables: Tables,
    options: TableOptions,
    columns: Mapping[str, str] | None = None,
    keep: Keep | None = None,
    ends: EventEndRule = EventEndRule.START,
) -> TableRows:
    """Return the rows of tables as event columns.

    A mapping `columns` says of single columns which field of the event they are, or by which other
    name they are attributes. Raises for a column that is missing, or has no value in an event.
    """
    require_mapping(columns)
    require_zone(options.zone)
    named = _named(tables, options)
    _require_one_kind(named)
    _require_mapped(columns or {}, named)
    kept, schema = (dict.fromkeys(named), None) if keep is None else kept_of_tables(named, keep)
    shapes = {
        name: shape_of(
            TableSchema.of_type(name, table.schema), options, columns or {}, ends, table.isStreaming
        )
        for name, table in named.items()
    }
    rows, layout = _merged(named, shapes, kept, ends)
    if all(shape.fields[_TYPE] == literal(name) for name, shape in shapes.items()):
        layout = replace(layout, types=frozenset(named))
    return TableRows(rows, layout, schema)


def _named(tables: Tables, options: TableOptions) -> dict[str, DataFrame]:
    """Return the tables by name; raises where the call names them in two ways, or not at all."""
    if isinstance(tables, DataFrame) or not isinstance(tables, Mapping):
        return {_checked_name(DEFAULT_NAME if options.name is None else options.name): tables}
    if options.name is not None:
        raise column_problem(
            f"name={options.name!r} is for one table, and here each has its own",
            "leave it out",
            "name",
        )
    if not tables:
        raise column_problem("there is no table", 'as in match({"order": orders}, rules)')
    for given in (options.time, options.id):
        for name in given if isinstance(given, Mapping) else ():
            if name not in tables:
                raise column_problem(f"there is no table {name!r}", near(name, tables), name)
    return {_checked_name(name): table for name, table in tables.items()}


def _checked_name(name: object) -> str:
    if not isinstance(name, str) or not name.strip():
        raise column_problem(
            f"a table is named by a text, got {name!r}", 'as in name="order"', "name"
        )
    return name


def _require_one_kind(named: Mapping[str, DataFrame]) -> None:
    for name, table in named.items():
        if not hasattr(table, "isStreaming"):
            raise column_problem(
                f"the table {name} is a {type(table).__name__}, not a DataFrame",
                'as in match({"order": orders}, rules), each a DataFrame',
                name,
            )
    if len({table.isStreaming for table in named.values()}) > 1:
        still = next(name for name, table in named.items() if not table.isStreaming)
        raise column_problem(
            f"some tables are streams, and {still} is a batch",
            "give streams or batches; what does not change is joined to a stream before:"
            " stream.join(table, key)",
            still,
        )


def _require_mapped(columns: Mapping[str, str], named: Mapping[str, DataFrame]) -> None:
    """Raise if no table has a column that is mapped."""
    held = {column for table in named.values() for column in table.columns}
    for column in columns:
        if column not in held and column.partition(".")[0] not in held:
            raise column_problem(f"there is no column {column!r}", near(column, held), column)


def require_zone(zone: str | None) -> None:
    """Raise for a zone that is not one, as far as this machine knows them."""
    if zone is None or (isinstance(zone, str) and _OFFSET.fullmatch(zone)):
        return
    known = available_timezones()
    if not isinstance(zone, str) or (known and zone not in known):
        raise column_problem(
            f"{zone!r} is not a zone", 'as in zone="Europe/Brussels", or zone="+01:00"', "zone"
        )


def near(name: str, known: Iterable[str]) -> str:
    """Return a hint with the known name that is closest, else with all names."""
    by_lower = {each.lower(): each for each in known}
    found = get_close_matches(name.lower(), by_lower, 1)
    few = ", ".join(sorted(by_lower.values())[:20])
    return f"did you mean {by_lower[found[0]]!r}?" if found else f"one of {few}"


@dataclass(frozen=True, slots=True)
class TableSchema:
    """The name of a table and the types of its columns, all that SQL for its events needs."""

    name: str
    columns: Mapping[str, T.DataType]

    @staticmethod
    def of_type(name: str, given: T.StructType) -> TableSchema:
        """Return the schema of a struct type; raises if two columns have one name."""
        require_distinct(name, given.fieldNames())
        return TableSchema(name, {each.name: each.dataType for each in given.fields})

    def find(self, column: str) -> tuple[str, T.DataType] | None:
        """Return SQL and type of a column, or of a member of a struct, `a.b`; None if it is
        absent.
        """
        if column in self.columns:
            return quoted(column), self.columns[column]
        head, *steps = column.split(".")
        if head not in self.columns:
            return None
        sql, given = quoted(head), self.columns[head]
        for step in steps:
            if not isinstance(given, T.StructType) or step not in given.fieldNames():
                return None
            sql, given = f"{sql}.{quoted(step)}", given[step].dataType
        return sql, given

    def get(self, column: str) -> tuple[str, T.DataType]:
        """Return SQL and type of a column; raises with the closest name if it is absent."""
        found = self.find(column)
        if found is None:
            raise column_problem(
                f"{self.name} has no column {column!r}", near(column, self.columns), column
            )
        return found


@dataclass(frozen=True, slots=True)
class TableShape:
    """SQL for each field of the events of a table; `json` has the fields that are JSON text."""

    fields: Mapping[Path, str]
    json: frozenset[Path]


def shape_of(
    schema: TableSchema,
    options: TableOptions,
    columns: Mapping[str, str],
    ends: EventEndRule = EventEndRule.START,
    is_stream: bool = False,
    *,
    as_text: bool = False,
) -> TableShape:
    """Return the shape of the events of a table; raises for columns that have no value in one.

    With `as_text` all times are text.
    """
    sources = _sources(schema, options, columns)
    fields = {_ID: _hash_sql(schema), _SOURCE: literal(schema.name), _TYPE: literal(schema.name)}
    if ends is EventEndRule.RECEPTION and is_stream:
        fields[_RECEIVED] = "current_timestamp()"
    json = set()
    for path, column in sources.items():
        sql, given = schema.get(column)
        if path[0] == ENVELOPE:
            fields[path] = _envelope_sql(path[1], sql, given, column, options.zone)
            if as_text and path[1] in TIMES and not isinstance(given, _TIMES_AS_TEXT):
                fields[path] = instant_text(fields[path])
        elif is_variant(given):
            fields[path] = f"to_json({sql})"
            json.add(path)
        else:
            fields[path] = attribute_sql(sql, given, column, options.zone, as_text=as_text)
    return TableShape(fields, frozenset(json))


def _sources(
    schema: TableSchema, options: TableOptions, columns: Mapping[str, str]
) -> dict[Path, str]:
    """Return the column of each field: mapped ones, all others as attributes, time and id."""
    found: dict[Path, str] = {}
    for column, event_field in columns.items():
        if schema.find(column) is None:
            continue
        path = field_path(event_field)
        if path in found or not path:
            raise column_problem(
                f"two columns are mapped to {event_field}"
                if path
                else f"{column} is mapped to data, and every column is a part of it",
                "map one column to each event field",
                event_field,
            )
        found[path] = column
    for column in schema.columns:
        if column not in columns:
            found.setdefault((column,), column)
    _require_distinct_paths(found)
    for path, given, option in ((_TIME, options.time, "time"), (_ID, options.id, "id")):
        own = given.get(schema.name) if isinstance(given, Mapping) else given
        if own is not None:
            found[path] = _checked_column(own, option)
    if _TIME not in found and isinstance(schema.columns.get("time"), _TIME_TYPES):
        found[_TIME] = "time"
    return found


def _checked_column(given: object, option: str) -> str:
    if not isinstance(given, str):
        raise column_problem(
            f"{option} is the name of a column, got {type(given).__name__}",
            f'as in {option}="ordered_at"',
            option,
        )
    return given


def _require_distinct_paths(found: Mapping[Path, str]) -> None:
    inner = {path for path in found if path[0] != ENVELOPE}
    for path in inner:
        for length in range(1, len(path)):
            if path[:length] in inner:
                raise column_problem(
                    f"{found[path]} is mapped to a part of the attribute {path[0]}, which is a"
                    " column itself",
                    "map it to another name",
                    found[path],
                )


def _envelope_sql(name: str, sql: str, given: T.DataType, column: str, zone: str | None) -> str:
    if name in TIMES:
        return instant_sql(sql, given, column, zone)
    if name == "place" and isinstance(given, T.StructType):
        return sql
    if isinstance(given, _NESTED) or is_variant(given):
        raise column_problem(
            f"a column of type {given.simpleString()} cannot be the event's {name}: {column}",
            "use one with a single value",
            column,
        )
    is_text = name in ("id", "source", "type", "place", "subject")
    return sql if isinstance(given, _AS_EXTENSION) and not is_text else f"CAST({sql} AS STRING)"


def _hash_sql(schema: TableSchema) -> str:
    """Return SQL for a hash of all that a row has; only equal rows have equal ones."""
    row = ", ".join(f"{literal(each)}, {quoted(each)}" for each in schema.columns)
    formats = ", ".join(f"{literal(key)}, {literal(text)}" for key, text in _HASH_FORMATS.items())
    text = f"to_json(named_struct({row}), map({formats}))"
    return f"left(sha2({text}, 256), {_HASH_DIGITS})"


def _types_of(table: DataFrame, shape: TableShape) -> list[T.DataType]:
    """Return the types of the fields of a table, in their order."""
    chosen = [F.expr(sql).alias(f"{_OWN}{n}") for n, sql in enumerate(shape.fields.values())]
    try:
        return [each.dataType for each in table.select(*chosen).schema.fields]
    except AnalysisException as error:
        reason = str(error).partition("SQLSTATE")[0].strip()
        raise column_problem(
            f"a column cannot be read: {reason}", "cast it, or leave it out: df.drop(...)"
        ) from None


@dataclass(frozen=True, slots=True)
class _Slot:
    """A column of the merged rows; `is_json` if it is JSON text."""

    path: Path
    given: T.DataType
    is_json: bool

    @property
    def key(self) -> tuple[Path, str, bool]:
        """The path and the type without its nulls, by which slots are one."""
        return self.path, self.given.simpleString(), self.is_json


def _merged(
    named: Mapping[str, DataFrame],
    shapes: Mapping[str, TableShape],
    kept: Mapping[str, Column | None],
    ends: EventEndRule,
) -> tuple[DataFrame, EventColumns]:
    """Return the rows of all tables under the columns that their fields have in common."""
    own = {
        name: [
            _Slot(path, given, path in shape.json)
            for path, given in zip(shape.fields, _types_of(named[name], shape), strict=True)
        ]
        for name, shape in shapes.items()
    }
    by_path: dict[Path, list[_Slot]] = {}
    for slots in own.values():
        for slot in slots:
            by_path.setdefault(slot.path, []).append(slot)
    common = {path: _common_slots(slots) for path, slots in by_path.items()}
    names = _slot_names(common)
    parts = [
        _part(named[name], shapes[name], own[name], common, names, kept[name]) for name in named
    ]
    keeps = any(each is not None for each in kept.values())
    return reduce(DataFrame.unionByName, parts), _layout(common, names, ends, keeps)


def _slot_names(common: Mapping[Path, Sequence[_Slot]]) -> dict[_Slot, str]:
    """Return the name of each column: that of the attribute, unless it could be mistaken.

    A column that keeps its name costs nothing: the time in which Spark optimises a query grows with
    the square of the columns that are renamed.
    """
    names: dict[_Slot, str] = {}
    taken = {VERSION_COLUMN}
    for number, slot in enumerate(slot for slots in common.values() for slot in slots):
        own = slot.path[0].lower()
        is_free = len(slot.path) == 1 and own not in taken and _is_plain(own)
        names[slot] = slot.path[0] if is_free else f"{_OWN}{number}"
        taken.add(names[slot].lower())
    return names


def _common_slots(found: Sequence[_Slot]) -> list[_Slot]:
    """Return the columns for one field: one if a type holds the values of all exactly, else one
    for each type.
    """
    different = {slot.key: slot for slot in found if not isinstance(slot.given, T.NullType)}
    first = found[0]
    if len(different) < 2:
        return [next(iter(different.values()), first)]
    if first.path[0] == ENVELOPE:
        return [_Slot(first.path, T.StringType(), False)]
    kinds = {slot.given.simpleString() for slot in different.values()}
    if kinds <= set(_WHOLE):
        return [_Slot(first.path, T.LongType(), False)]
    if kinds <= set(_EXACT_AS_DOUBLE):
        return [_Slot(first.path, T.DoubleType(), False)]
    return list(different.values())


def _is_plain(name: str) -> bool:
    """True if Spark finds a column by the bare name, and no other column of a query has it."""
    return not name.startswith(_OWN) and "." not in name and "`" not in name


def _part(
    table: DataFrame,
    shape: TableShape,
    own: Sequence[_Slot],
    common: Mapping[Path, Sequence[_Slot]],
    names: Mapping[_Slot, str],
    kept: Column | None,
) -> DataFrame:
    """Return the rows of one table with the columns of all; null where it has none."""
    values = {}
    for slot in own:
        goals = common[slot.path]
        goal = next((each for each in goals if each.key == slot.key), goals[0])
        values[goal] = _as_slot(shape.fields[slot.path], slot, goal)
    chosen = []
    for slot, name in names.items():
        if slot not in values:
            chosen.append(F.lit(None).cast(slot.given).alias(name))
        elif values[slot] == quoted(name):
            chosen.append(F.col(values[slot]))
        else:
            chosen.append(F.expr(values[slot]).alias(name))
    return table.select(*chosen, *([] if kept is None else [kept.alias(KEPT)]))


def _as_slot(sql: str, slot: _Slot, goal: _Slot) -> str:
    if slot.key == goal.key:
        return sql
    if isinstance(goal.given, T.StringType) and isinstance(slot.given, T.TimestampType):
        return instant_text(sql)
    return f"CAST({sql} AS {goal.given.simpleString()})"


def _layout(
    common: Mapping[Path, Sequence[_Slot]],
    names: Mapping[_Slot, str],
    ends: EventEndRule,
    keeps: bool,
) -> EventColumns:
    columns = {path: names[found[0]] for path, found in common.items()}
    if keeps:
        columns[ENVELOPE, KEPT] = KEPT
    further = {
        path: tuple(names[slot] for slot in found[1:])
        for path, found in common.items()
        if len(found) > 1
    }
    json = frozenset(name for slot, name in names.items() if slot.is_json)
    nested = any(
        has_members_by_row(slot.path, slot.given) for slot in names if slot.path[0] != ENVELOPE
    )
    return EventColumns(columns, nested or bool(further or json), ends, further, json)
