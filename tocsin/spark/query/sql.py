"""Rules in SQL: a table function over a batch, and a function for conditions.

`SELECT * FROM tocsin_match(TABLE(orders), rule => 'WHEN ...', time => 'at', name => 'order')`. The
function is called where the rows of a task are, so rows that a rule combines must meet in one task.
`PARTITION BY` in the call would be enough, but a function cannot ask for it and allow it as well.
So it counts its rows over a window by the keys of the rule: that brings rows of equal keys, or all
rows of a rule without a key, into one task, and the count says whether they are complete there.
"""

from __future__ import annotations

import base64
import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import Any, cast

import numpy as np
import pyarrow as pa
from pyspark.sql import Row, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

from tocsin.catalog import Surroundings, compile_subscription
from tocsin.engine.columns.batch import Batch
from tocsin.engine.engine import Engine
from tocsin.errors import Problem, StateProblem, UnsupportedProblem
from tocsin.events.codecs.base.cloudevents import from_mapping, parse_json
from tocsin.events.event import Event, in_canonical_order
from tocsin.events.matches.match import Match
from tocsin.plan.nodes.atoms import Atom
from tocsin.plan.nodes.composites import Plan
from tocsin.plan.semantics.partitioning import partition_key_of_plan
from tocsin.runtime.finite_run import Input, match_events
from tocsin.spark.input.attribute_sql import column_problem
from tocsin.spark.input.layout import require_mapping
from tocsin.spark.input.own_tables import (
    DEFAULT_NAME,
    TableOptions,
    TableSchema,
    TableShape,
    require_zone,
    shape_of,
)
from tocsin.spark.input.rows import event_of_object
from tocsin.spark.input.table import object_of_values
from tocsin.spark.output.batches import MATCHES
from tocsin.spark.plans.sources import FIXED_VERSION, source_of
from tocsin.values.scalars import ENVELOPE, Path
from tocsin.values.time import format_instant, parse_instant

TABLE_FUNCTION = "tocsin_match"
CONDITION_FUNCTION = "tocsin_matches"

RULE_ID = "rule-1"
"""The subscription in the matches of a rule in SQL, as of one text in `match`."""

_PLAIN, _JSON, _KEY, _COUNT = "c", "j", "key ", "row count"
"""Names of the columns that a row is given: parts of the event, with their path, and its keys."""

_functions: Any = F
"""The functions of the running version: older ones lack some of them."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_OMITTED = ("members", "kept")
_SCHEMA = T.StructType([each for each in cast(T.StructType, MATCHES) if each.name not in _OMITTED])
_TIMES = ("start", "end", "detected")


def register(spark: SparkSession) -> None:
    """Add the functions `tocsin_match` and `tocsin_matches` to the SQL of a session.

    `tocsin_matches` needs Spark 4.1; before, it is left out.
    """
    if not hasattr(_functions, "AnalyzeResult"):
        raise UnsupportedProblem(
            "this Spark has no table functions that look at their table",
            hint="use Spark 4.0 or newer, or match(df, rules) in Python",
        )
    spark.udtf.register(TABLE_FUNCTION, _functions.udtf(MatchTable))
    if hasattr(_functions, "arrow_udf"):
        spark.udf.register(
            CONDITION_FUNCTION, _functions.arrow_udf(matches_condition, T.BooleanType())
        )


class MatchTable:
    """The table function: the rows of a table -> the matches of a rule over them."""

    def __init__(self) -> None:
        self._rows: list[Any] = []
        self._given: tuple[str | None, ...] = ()

    @staticmethod
    def analyze(
        rows: Any,
        rule: Any,
        time: Any = None,
        name: Any = None,
        id: Any = None,
        zone: Any = None,
        until: Any = None,
        columns: Any = None,
    ) -> Any:
        """Return the columns of the result, and those that the rows must have.

        A row has the fields of its event, the number of rows with its keys, and the keys.
        """
        if not getattr(rows, "isTable", False):
            raise column_problem(
                "the first argument is not a table", f"{TABLE_FUNCTION}(TABLE(orders), rule => ...)"
            )
        options = TableOptions(*map(_constant, (time, name, id, zone)))
        require_zone(options.zone)
        schema = TableSchema.of_type(options.name or DEFAULT_NAME, rows.dataType)
        shape = shape_of(schema, options, _mapping(columns, schema), as_text=True)
        plan = plan_of(_constant(rule) or "")
        _constant(until)
        _require_time(plan, shape)
        chosen = [
            _functions.SelectedColumn(sql, _column_name(path, path in shape.json))
            for path, sql in shape.fields.items()
        ]
        if not isinstance(plan.pattern, Atom):
            keys = _key_columns(plan, schema, shape)
            by = f"PARTITION BY {', '.join(keys)}" if keys else ""
            chosen.append(_functions.SelectedColumn(f"count(1) OVER ({by})", _COUNT))
            chosen += [_functions.SelectedColumn(sql, f"{_KEY}{n}") for n, sql in enumerate(keys)]
        return _functions.AnalyzeResult(schema=_SCHEMA, select=chosen)

    def eval(
        self,
        rows: Any,
        rule: str,
        time: str | None = None,
        name: str | None = None,
        id: str | None = None,
        zone: str | None = None,
        until: str | None = None,
        columns: Mapping[str, str] | None = None,
    ) -> None:
        """Take a row; its columns hold what the other arguments say."""
        self._given = (rule, until)
        self._rows.append(rows)

    def terminate(self) -> Iterator[tuple[Any, ...]]:
        """Yield the matches over the rows that were taken."""
        if not self._rows:
            return
        rule, until = self._given
        names = self._rows[0].__fields__
        _require_complete(self._rows, names)
        given = Input(in_canonical_order(_events(self._rows, names)))
        stop = None if until is None else parse_instant(until)
        for found in match_events({RULE_ID: plan_of(rule or "")}, given, stop):
            yield _as_row(found)


def _constant(given: Any) -> str | None:
    """Return a constant argument; raises if it is an expression, or of another type."""
    if given is None:
        return None
    if getattr(given, "isTable", False) or not given.isConstantExpression:
        raise column_problem(
            "rule, time, name, id, zone and until are constant texts", "as in time => 'at'"
        )
    return None if given.value is None else str(given.value)


def _mapping(given: Any, schema: TableSchema) -> dict[str, str]:
    """Return the constant mapping of columns to event fields; raises for columns that are not."""
    if given is None or given.value is None:
        return {}
    require_mapping(given.value)
    for column in given.value:
        schema.get(column)
    return dict(given.value)


@lru_cache(maxsize=64)
def plan_of(text: str) -> Plan:
    """Return the plan of a rule or of a condition; raises if it does not compile."""
    snapshot = source_of([text]).snapshot(FIXED_VERSION)
    return compile_subscription(snapshot.subscriptions[0], Surroundings.of(()))


def _require_time(plan: Plan, shape: TableShape) -> None:
    if not isinstance(plan.pattern, Atom) and (ENVELOPE, "time") not in shape.fields:
        raise column_problem(
            "the rule combines rows, and no column holds their time",
            "say which: time => 'ordered_at'",
            "time",
        )


def _key_columns(plan: Plan, schema: TableSchema, shape: TableShape) -> list[str]:
    """Return SQL for the keys by which rows may be divided; none if they may not be."""
    keys = partition_key_of_plan(plan).by
    usual = all(len(path) == 1 and path in shape.fields for path in keys)
    if not usual or any(isinstance(schema.columns[path[0]], T.MapType) for path in keys):
        return []
    return [shape.fields[path] for path in keys]


def _column_name(path: Path, is_json: bool) -> str:
    return f"{_JSON if is_json else _PLAIN}{json.dumps(path)}"


def _require_complete(rows: Sequence[Any], names: Sequence[str]) -> None:
    """Raise if the call divides rows that the rule keeps together."""
    keys = [number for number, name in enumerate(names) if name.startswith(_KEY)]
    if not keys:
        return
    at = names.index(_COUNT)
    found = Counter(tuple(row[number] for number in keys) for row in rows)
    wanted = {tuple(row[number] for number in keys): row[at] for row in rows}
    if any(found[key] < count for key, count in wanted.items()):
        raise StateProblem(
            "PARTITION BY of the call divides rows that FOR EACH of the rule keeps together",
            code="PartitionError",
            hint="leave PARTITION BY out: the function divides the table by FOR EACH itself",
        )


def _events(rows: Iterable[Any], names: Sequence[str]) -> Iterator[Event]:
    """Yield the events of rows; a row that is not an event is left out, as by `match`."""
    parts = [
        (number, tuple(json.loads(name[1:])), name[0] == _JSON)
        for number, name in enumerate(names)
        if name[0] in (_JSON, _PLAIN) and name[1:2] == "["
    ]
    for row in rows:
        try:
            values = {path: _value(row[number], is_json) for number, path, is_json in parts}
            yield event_of_object(object_of_values(values))
        except Problem:
            continue


def _value(given: Any, is_json: bool) -> Any:
    if is_json and given is not None:
        return parse_json(given)
    return _plain(given)


def _plain(given: Any) -> Any:
    """Return a value of Spark in plain types: a struct is a dict."""
    if isinstance(given, Row):
        return {name: _plain(value) for name, value in zip(given.__fields__, given, strict=True)}
    if isinstance(given, dict):
        return {name: _plain(value) for name, value in given.items()}
    return [_plain(each) for each in given] if isinstance(given, list) else given


def _as_row(found: Match) -> tuple[Any, ...]:
    return tuple(
        _datetime(getattr(found, name)) if name in _TIMES else _cell(getattr(found, name))
        for name in _SCHEMA.fieldNames()
    )


def _cell(given: Any) -> Any:
    if isinstance(given, Mapping):
        return dict(given)
    return list(given) if isinstance(given, tuple) else given


def _datetime(instant: int | None) -> datetime | None:
    return None if instant is None else _EPOCH + timedelta(microseconds=instant)


def matches_condition(rows: pa.Array, texts: pa.Array) -> pa.Array:
    """Return for each row, a struct, True if it makes the condition of the other column true."""
    answers = np.zeros(len(rows), dtype=np.bool_)
    events = [_event_of_struct(each, rows.type) for each in rows]
    by_text: dict[str, list[tuple[int, Event]]] = {}
    for number, (text, event) in enumerate(zip(texts.to_pylist(), events, strict=True)):
        if text is not None and event is not None:
            by_text.setdefault(text, []).append((number, event))
    for text, some in by_text.items():
        numbers = np.array([number for number, _ in some])
        answers[numbers[_true_for(text, [event for _, event in some])]] = True
    return pa.array(answers)


def _true_for(text: str, events: Sequence[Event]) -> Any:
    plan = plan_of(text)
    if not isinstance(plan.pattern, Atom):
        raise UnsupportedProblem(
            f"{text!r} is about several events",
            hint=f"{CONDITION_FUNCTION} decides about one row; use {TABLE_FUNCTION}",
        )
    engine = Engine()
    engine.add(RULE_ID, plan)
    return engine.match(Batch(events)).atomic_matches.events


def _event_of_struct(row: Any, given: pa.DataType) -> Event | None:
    """Return a struct as an event without a time; None for a null or a value of no event."""
    if not row.is_valid:
        return None
    data = _value_of_arrow(row, given)
    try:
        return from_mapping({"id": "row", "source": "sql", "type": DEFAULT_NAME, "data": data})
    except Problem:
        return None


def _value_of_arrow(value: Any, given: pa.DataType) -> Any:
    """Return a scalar of Arrow as the attribute that a column of its type is."""
    if not value.is_valid:
        return None
    if pa.types.is_struct(given):
        return {each.name: _value_of_arrow(value[each.name], each.type) for each in given}
    if pa.types.is_list(given):
        return [_value_of_arrow(each, given.value_type) for each in value.values]
    if pa.types.is_map(given):
        return {
            str(each["key"].as_py()): _value_of_arrow(each["value"], given.item_type)
            for each in value.values
        }
    plain = value.as_py()
    if pa.types.is_floating(given):
        number = float(str(np.float32(plain))) if pa.types.is_float32(given) else plain
        return None if math.isnan(number) else number
    if pa.types.is_binary(given):
        return base64.b64encode(plain).decode()
    if pa.types.is_timestamp(given) and given.tz is None:
        return re.sub(r"\.?0+$", "", plain.isoformat()) if plain.microsecond else plain.isoformat()
    if pa.types.is_timestamp(given):
        return format_instant((plain - _EPOCH) // timedelta(microseconds=1))
    if pa.types.is_duration(given):
        return plain.total_seconds()
    return plain.isoformat() if isinstance(plain, date) else plain
