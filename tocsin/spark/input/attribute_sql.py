"""SQL that converts a column to the value of an attribute, and a column of times to instants.

As SQL text, so that a query and a table function in SQL read a table alike. What an event cannot
hold becomes what its JSON would: bytes are base64, a day-time interval its seconds, a year-month
interval its months, and keys of a map text. A `float` is the number that it shows (0.1, not
0.10000000149), and NaN is null: the one value is unknown, the rest of the row counts.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from pyspark.sql import types as T

from tocsin.errors import MeaningProblem

_INTEGERS = (T.ByteType, T.ShortType, T.IntegerType, T.LongType)
_FRACTIONS = (T.FloatType, T.DoubleType, T.DecimalType)
_AS_THEY_ARE = (
    *_INTEGERS,
    T.StringType,
    T.BooleanType,
    T.DecimalType,
    T.NullType,
)
_AS_TEXT = ("calendarinterval", "interval", "time")
_DAY = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_LOCAL_TIME = f"^ *{_DAY}([ T][0-9]{{2}}:[0-9]{{2}}(:[0-9]{{2}}([.][0-9]+)?)?)? *$"
_NO_DOUBLE = "CAST(NULL AS DOUBLE)"
_LEVELS = ((10**11, "* 1000000"), (10**14, "* 1000"), (10**17, "* 1"))
"""The sizes below which a number counts seconds, milli- and microseconds since 1970, with the
factor to microseconds; larger ones count nanoseconds.
"""

_EPOCH_BOUND = "9e18"


def quoted(name: str) -> str:
    """Return a name as one identifier of SQL, whatever characters it has."""
    return f"`{name.replace('`', '``')}`"


def literal(text: str) -> str:
    """Return a text as a literal of SQL."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def is_variant(given: T.DataType) -> bool:
    """True if a value of the type is, or has inside, a variant."""
    match given:
        case T.StructType():
            return any(is_variant(field.dataType) for field in given.fields)
        case T.ArrayType():
            return is_variant(given.elementType)
        case T.MapType():
            return is_variant(given.valueType)
        case _:
            return given.typeName() == "variant"


def attribute_sql(
    sql: str, given: T.DataType, field: str, zone: str | None = None, *, as_text: bool = False
) -> str:
    """Return SQL for the value of an attribute; the same text if the value may stay as it is.

    A time without a zone is an instant if the zone is given, else text without one; with `as_text`
    instants are RFC 3339 text too. Raises for a type that has no value in an event; `field` names
    the column.
    """
    return _Reading(zone, as_text).value(sql, given, field)


@dataclass(frozen=True, slots=True)
class _Reading:
    """The settings of a reading; `depth` is the number of lists and maps around a value."""

    zone: str | None
    as_text: bool
    depth: int = 0

    def value(self, sql: str, given: T.DataType, field: str) -> str:
        match given:
            case T.FloatType():
                return f"nanvl(CAST(CAST({sql} AS STRING) AS DOUBLE), {_NO_DOUBLE})"
            case T.DoubleType():
                return f"nanvl({sql}, {_NO_DOUBLE})"
            case T.BinaryType():
                return f"translate(base64({sql}), '\\r\\n', '')"
            case T.TimestampType():
                return instant_text(sql) if self.as_text else sql
            case T.TimestampNTZType():
                if self.zone is None:
                    return _local_text(sql)
                return self.value(_instant_of_local(sql, self.zone), T.TimestampType(), field)
            case T.DateType():
                return f"CAST({sql} AS STRING)" if self.as_text else sql
            case T.DayTimeIntervalType():
                return _seconds(sql)
            case T.YearMonthIntervalType():
                return f"CAST(CAST({sql} AS INTERVAL MONTH) AS INT)"
            case T.StructType():
                return self._struct(sql, given, field)
            case T.ArrayType():
                name = f"element_{self.depth}"
                inner = self._inside().value(name, given.elementType, field)
                return sql if inner == name else f"transform({sql}, {name} -> {inner})"
            case T.MapType():
                return self._map(sql, given, field)
            case _ if isinstance(given, _AS_THEY_ARE):
                return sql
            case _ if given.typeName().startswith(_AS_TEXT):
                return f"CAST({sql} AS STRING)"
            case _:
                raise column_problem(
                    f"a column of type {given.simpleString()} cannot be an attribute: {field}",
                    f'cast it, or leave it out: df.drop("{field}")',
                    field,
                )

    def _inside(self) -> _Reading:
        return replace(self, depth=self.depth + 1)

    def _struct(self, sql: str, given: T.StructType, field: str) -> str:
        names = given.fieldNames()
        if len(set(names)) < len(names):
            raise column_problem(
                f"the struct {field} has two members of one name", "rename one of them", field
            )
        old = [f"{sql}.{quoted(name)}" for name in names]
        new = [
            self.value(member, each.dataType, f"{field}.{each.name}")
            for member, each in zip(old, given.fields, strict=True)
        ]
        if old == new:
            return sql
        listed = ", ".join(
            f"{literal(name)}, {member}" for name, member in zip(names, new, strict=True)
        )
        return f"if({sql} IS NULL, NULL, named_struct({listed}))"

    def _map(self, sql: str, given: T.MapType, field: str) -> str:
        key, name = f"key_{self.depth}", f"element_{self.depth}"
        if not isinstance(given.keyType, T.StringType):
            sql = f"transform_keys({sql}, ({key}, {name}) -> CAST({key} AS STRING))"
        inner = self._inside().value(name, given.valueType, field)
        return sql if inner == name else f"transform_values({sql}, ({key}, {name}) -> {inner})"


def _seconds(sql: str) -> str:
    units = (("DAY", 86_400), ("HOUR", 3_600), ("MINUTE", 60), ("SECOND", 1))
    summed = " + ".join(f"extract({unit} FROM {sql}) * {size}" for unit, size in units)
    return f"CAST({summed} AS DOUBLE)"


def _local_text(sql: str) -> str:
    """Return SQL for the text of a time without a zone, as RFC 3339 without its offset."""
    return f"replace(CAST({sql} AS STRING), ' ', 'T')"


def _instant_of_local(sql: str, zone: str) -> str:
    return f"CAST(concat(CAST({sql} AS STRING), {literal(' ' + zone)}) AS TIMESTAMP)"


def instant_sql(sql: str, given: T.DataType, field: str, zone: str | None = None) -> str:
    """Return SQL for the time of an event: a timestamp, or RFC 3339 text where not every value is
    a time, which then stays as it is.

    A date is its midnight, and a text without a zone is read, in the zone given, else in that of
    the session. A number counts seconds, milli-, micro- or nanoseconds since 1970, by its size.
    Raises for a type that is not a time, and for `timestamp_ntz` without a zone.
    """
    match given:
        case T.TimestampType():
            return sql
        case T.TimestampNTZType():
            if zone is None:
                raise column_problem(
                    f"the time {field} is timestamp_ntz, which does not say in which zone",
                    'say which: zone="Europe/Brussels"',
                    field,
                )
            return _instant_of_local(sql, zone)
        case T.DateType():
            midnight = f"concat(CAST({sql} AS STRING), {literal(f' 00:00:00 {zone}')})"
            return f"CAST({sql if zone is None else midnight} AS TIMESTAMP)"
        case T.StringType():
            instant = instant_text(_instant_of_text(sql, zone))
            return f"if({sql} RLIKE '{_LOCAL_TIME}', coalesce({instant}, {sql}), {sql})"
        case _ if isinstance(given, _INTEGERS):
            return _instant_of_number(f"CAST({sql} AS BIGINT)", "div")
        case _ if isinstance(given, _FRACTIONS):
            number = f"CAST({sql} AS DOUBLE)"
            held = f"if(abs({number}) < {_EPOCH_BOUND}, {number}, {_NO_DOUBLE})"
            instant = instant_text(_instant_of_number(held, "/"))
            return f"coalesce({instant}, CAST({sql} AS STRING))"
        case _:
            raise column_problem(
                f"a column of type {given.simpleString()} cannot be a time: {field}",
                "a time is a timestamp, a date, a number since 1970, or text such as"
                " 2026-01-31 08:00:00",
                field,
            )


def instant_text(sql: str) -> str:
    """Return SQL for a timestamp as RFC 3339 text in UTC, exact in every zone of the session."""
    seconds = f"CAST(unix_micros({sql}) AS DECIMAL(20, 0)) / 1000000"
    utc = f"TIMESTAMP_NTZ '1970-01-01 00:00:00' + make_dt_interval(0, 0, 0, {seconds})"
    return f"concat(replace(CAST({utc} AS STRING), ' ', 'T'), 'Z')"


def _instant_of_text(sql: str, zone: str | None) -> str:
    if zone is None:
        return f"try_cast({sql} AS TIMESTAMP)"
    seconds = (
        f"CASE length(trim({sql})) WHEN 10 THEN concat(trim({sql}), ' 00:00:00')"
        f" WHEN 16 THEN concat(trim({sql}), ':00') ELSE trim({sql}) END"
    )
    return f"try_cast(concat({seconds}, {literal(' ' + zone)}) AS TIMESTAMP)"


def _instant_of_number(number: str, divided: str) -> str:
    cases = " ".join(
        f"WHEN {number} BETWEEN {1 - bound} AND {bound - 1} THEN {number} {scale}"
        for bound, scale in _LEVELS
    )
    micros = f"CASE {cases} ELSE {number} {divided} 1000 END"
    whole = micros if divided == "div" else f"CAST(round({micros}) AS BIGINT)"
    return f"timestamp_micros({whole})"


def require_distinct(table: str, columns: Iterable[str]) -> None:
    """Raise if two columns of a table have one name, or one has none."""
    seen: dict[str, str] = {}
    for each in columns:
        if not each:
            raise column_problem(
                f"a column of {table} has no name", "give it one: df.toDF(...)", table
            )
        other = seen.get(each.lower())
        seen[each.lower()] = each
        if other is not None:
            both = f"columns {other}" if other == each else f"columns {other} and {each}"
            raise column_problem(
                f"{table} has two {both}, which are one name to Spark",
                "rename one: df.toDF(...) gives all of them new names",
                each,
            )


def column_problem(message: str, hint: str, token: str = "") -> MeaningProblem:
    """Return the problem of a column."""
    return MeaningProblem(message, code="ColumnError", hint=hint, token=token)
