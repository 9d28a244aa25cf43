"""`match` on DataFrames: streaming in, streaming out; batch in, batch out. An ordinary
transformation.

No input stops the query: a row that is not an event, and a subscription of a live catalog that does
not compile, become dead letters. `match` returns the matches, `dead_letters` the dead letters,
`match_with_dead_letters` both in one pass.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import chain

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from tocsin.catalog import Snapshot
from tocsin.errors import MeaningProblem, UnsupportedProblem
from tocsin.events.codecs.reception import EventEndRule, parse_event_end_rule
from tocsin.events.matches.match import MemberContent, parse_member_content
from tocsin.plan.nodes.composites import Part, emits_by_timer
from tocsin.runtime.admission import DEFAULT_AHEAD
from tocsin.runtime.watermark import ClockSettings
from tocsin.spark.input.layout import EventColumns, Layout, laid_out
from tocsin.spark.input.own_tables import PerTable, TableOptions, Tables, read_tables
from tocsin.spark.match_task.admission import matches_once
from tocsin.spark.match_task.match_task import MatchTaskConfig
from tocsin.spark.output.batches import MATCH_NAMES
from tocsin.spark.output.carried_columns import (
    CarriedColumns,
    Keep,
    kept_column,
    require_names_apart,
)
from tocsin.spark.output.member_output import MemberOutput, convert_members, telling_of
from tocsin.spark.plans.shard_plans import DEFAULT_SHARDS
from tocsin.spark.plans.sources import (
    VERSION,
    FixedList,
    Source,
    Subscriptions,
    snapshot_of,
    source_of,
)
from tocsin.spark.query.absent_columns import warn_of_absent_columns
from tocsin.spark.query.checkpoints import Begun, require_same_checkpoint
from tocsin.spark.query.dataflow import (
    DEFAULT_LATENESS,
    DedupOptions,
    DetectionOptions,
    composites_in,
    match_rows,
    with_version,
)
from tocsin.spark.query.failures import watch_failures
from tocsin.spark.query.metrics import Watch
from tocsin.spark.query.outgoing_events import constructs_any
from tocsin.spark.query.session import choose_python, choose_rocksdb, levels_to_the_caller
from tocsin.spark.query.value_columns import (
    require_distinct_values,
    value_columns,
    with_keys,
    with_values,
)
from tocsin.values.scalars import ENVELOPE
from tocsin.values.time import Duration, parse_duration, parse_instant

Deduplicate = bool | str | timedelta | None
Length = str | timedelta
Columns = Mapping[str, str] | EventColumns | None

WHERE_LIVE = ""
"""The default of `ahead`: the host's own limit on a stream, no limit over a batch."""


class AbsenceWaitsWarning(UserWarning):
    """On a stream without an idle time, an absence is detected only at the next event."""


def match(
    events: Tables,
    subscriptions: Subscriptions,
    *,
    time: PerTable = None,
    name: str | None = None,
    id: PerTable = None,
    zone: str | None = None,
    columns: Mapping[str, str] | None = None,
    deduplicate: Deduplicate = None,
    lateness: Length | None = None,
    ontology: object = None,
    infer: object = None,
    shards: int = DEFAULT_SHARDS,
    idle: Length | None = None,
    until: str | datetime | None = None,
    composites: bool | None = None,
    content: MemberContent | str = MemberContent.IDS,
    interval: str | None = None,
    keep: Keep | None = None,
    metrics: Watch | str | None = None,
    ahead: str | None = WHERE_LIVE,
    checkpoint: str | None = None,
    values: bool = False,
) -> DataFrame:
    """Return the matches of subscriptions over events, one row each, without dead letters.

    `events` is a table of your own, as `match(orders, rules, time="ordered_at", name="order")`, or
    several by name, `match({"order": orders, "payment": payments}, rules, time="at")`: every column
    is an attribute, `name` is the type of the events, `time` the column of their time, `id` that of
    their id (without it a hash of the row), and `zone` the zone of times that do not say theirs.
    Or it has CloudEvents JSON in a column `value`, or the event columns; a mapping `columns` goes
    from column to event field, as in {"price": "data.price"}.

    `subscriptions` is a rule as text, a list of texts, a dict from name to text, a list of dicts or
    Subscriptions, fixed for the query, or a live catalog (object, URL or path). `ontology` is the
    path of a file, or several, for a fixed list, and `infer` lists the conclusions to draw from it;
    a live catalog holds its own.

    `deduplicate`: a batch query counts each (source, id) once unless this is False. A streaming
    query does so only if a duration is given: an identity is then remembered for that time after it
    arrived.

    `content` is the member output of a match for subscriptions without their own: "ids", "events"
    for a column `members` of the complete events as structs, "rdf" for one of Turtle texts.

    `interval="reception"`: an event without endtime ends when it was received: at its
    `receivedtime` or that of its row, else on a stream at the time of its micro-batch, which is
    stamped on it.

    `keep` names columns of the events that a match carries: each under its own name, or under the
    name that a mapping gives it. If the query detects composites, each is an array, parallel to
    `events`.

    `values` adds a typed column for each key of the rules (FOR EACH) and each value that they
    SELECT, over tables of your own and a fixed list.

    `metrics` is a Watch, or the name of one: events, matches and dead letters are counted under it.

    The rest concerns composites; an atomic subscription matches at once, however late the event. On
    a stream an event may be `lateness` behind the newest (2 seconds by default); after `idle`
    without events the clock continues by itself. Over a batch the clock runs to the end of time, or
    to the instant `until`. An event that ends more than `ahead` after the clock of the host does
    not advance time and is a dead letter: on a stream 1 hour by default, None for replays; over a
    batch only if it is given. `shards` is the number of tasks that combine events, fixed for a
    checkpoint: with `checkpoint`, the folder that the query is started with, what does not fit it
    raises here. A query over a live catalog detects composites if the catalog has one when the
    query is made, or if `composites` is True.
    """
    both = match_with_dead_letters(
        events,
        subscriptions,
        time=time,
        name=name,
        id=id,
        zone=zone,
        columns=columns,
        deduplicate=deduplicate,
        lateness=lateness,
        ontology=ontology,
        infer=infer,
        shards=shards,
        idle=idle,
        until=until,
        composites=composites,
        content=content,
        interval=interval,
        keep=keep,
        metrics=metrics,
        ahead=ahead,
        checkpoint=checkpoint,
        values=values,
    )
    return matches_of(both)


def dead_letters(
    events: Tables,
    subscriptions: Subscriptions = (),
    *,
    time: PerTable = None,
    name: str | None = None,
    id: PerTable = None,
    zone: str | None = None,
    columns: Mapping[str, str] | None = None,
) -> DataFrame:
    """Return the rows that are not events and the subscriptions that do not compile."""
    return dead_letters_of(
        match_with_dead_letters(
            events,
            subscriptions,
            time=time,
            name=name,
            id=id,
            zone=zone,
            columns=columns,
            deduplicate=False,
        )
    )


def match_with_dead_letters(
    events: Tables,
    subscriptions: Subscriptions,
    *,
    time: PerTable = None,
    name: str | None = None,
    id: PerTable = None,
    zone: str | None = None,
    columns: Mapping[str, str] | None = None,
    deduplicate: Deduplicate = None,
    lateness: Length | None = None,
    ontology: object = None,
    infer: object = None,
    shards: int = DEFAULT_SHARDS,
    idle: Length | None = None,
    until: str | datetime | None = None,
    composites: bool | None = None,
    content: MemberContent | str = MemberContent.IDS,
    interval: str | None = None,
    keep: Keep | None = None,
    metrics: Watch | str | None = None,
    ahead: str | None = WHERE_LIVE,
    checkpoint: str | None = None,
    values: bool = False,
) -> DataFrame:
    """Return columns `match` and `dead_letter` in one pass, one of them null in each row.

    For `foreachBatch`, where `matches_of` and `dead_letters_of` separate the two; persist the batch
    before.
    """
    stop = None if until is None else parse_instant(until)
    ends = parse_event_end_rule(interval)
    table = TableOptions(time, name, id, zone)
    source = source_of(subscriptions, ontology, infer)
    held = snapshot_of(source)
    if values:
        _require_columns(events, table, source)
    added = value_columns(held, columns) if values else ()
    require_distinct_values(added, keep, MATCH_NAMES)
    carried = with_keys(keep, added) if added else keep
    rows, layout, kept, schema = _rows_of(events, table, columns, carried, ends)
    types = _value_types(rows, layout)
    far = _ahead(ahead, is_live=rows.isStreaming)
    detection = DetectionOptions(shards, _pace(lateness, idle), stop, ahead=far)
    telling = telling_of(parse_member_content(content), held.subscriptions)
    if schema is not None:
        require_names_apart(schema, MATCH_NAMES)
        telling = replace(
            telling, keeping=CarriedColumns(schema.json(), _detects(held, composites))
        )
    watch = Watch(metrics) if isinstance(metrics, str) else metrics
    if rows.isStreaming:
        _prepare_state(rows, checkpoint, Begun(shards, _detects(held, composites)))
    counted = rows if watch is None else watch.on_events(rows)
    results = results_of(
        counted, source, detection, telling, layout, deduplicate, composites, ends, kept, watch
    )
    both = convert_members(results, telling)
    if added:
        both = with_values(both, added, carried, types, detects=_detects(held, composites))
    return both if watch is None else watch.on_results(both)


def _rows_of(
    events: Tables,
    table: TableOptions,
    columns: Mapping[str, str] | None,
    keep: Keep | None,
    ends: EventEndRule,
) -> tuple[DataFrame, Columns, Column | None, T.StructType | None]:
    """Return the rows with their mapping or layout, and the kept columns if they are apart."""
    if isinstance(events, DataFrame) and not table.is_given_for(events):
        kept, schema = (None, None) if keep is None else kept_column(events, keep)
        return events, table.mapping(columns), kept, schema
    found = read_tables(events, table, columns, keep, ends)
    return found.rows, found.layout, None, found.kept


def _require_columns(events: Tables, table: TableOptions, source: Source) -> None:
    """Raise unless attributes and rules are known beforehand, so that values can be columns."""
    is_table = isinstance(events, Mapping) or table.is_given_for(events)
    if not is_table or not isinstance(source, FixedList):
        raise UnsupportedProblem(
            "values are columns over a table of your own, with a fixed list of rules",
            hint='as in match(orders, rules, name="order", time="at", values=True)',
        )


def _value_types(rows: DataFrame, layout: Columns) -> dict[tuple[str, ...], T.DataType]:
    """Return the types of attributes that are columns."""
    names = layout.names if isinstance(layout, EventColumns) else {}
    return {path: rows.schema[name].dataType for path, name in names.items()}


def _prepare_state(rows: DataFrame, checkpoint: str | None, now: Begun) -> None:
    """Choose the state store of a stream, and raise if a checkpoint does not fit it."""
    if now.composites:
        choose_rocksdb(rows.sparkSession)
    if checkpoint is not None:
        require_same_checkpoint(rows.sparkSession, checkpoint, now)


def _detects(held: Snapshot, composites: bool | None) -> bool:
    """True if a query detects composites, so that a match may have several events."""
    return composites is not False and (
        bool(composites) or next(composites_in(held), None) is not None
    )


def results_of(
    events: DataFrame,
    source: Source,
    detection: DetectionOptions,
    telling: MemberOutput,
    columns: Columns = None,
    deduplicate: Deduplicate = None,
    composites: bool | None = None,
    ends: EventEndRule = EventEndRule.START,
    kept: Column | None = None,
    watch: Watch | None = None,
    versioned: bool = False,
) -> DataFrame:
    """Return matches and dead letters in one pass, as workers return them.

    `kept` is carried along with each event, and `watch` counts the messages to shards. With
    `versioned`, rows have the version of the catalog that they are matched with.
    """
    choose_python(events.sparkSession)
    rows, layout = laid_out(events, columns, ends, kept, (VERSION,) if versioned else ())
    held = snapshot_of(source)
    warn_of_absent_columns(rows, layout, held)
    if events.isStreaming:
        watch_failures(events.sparkSession)
    found = composites_in(held) if composites is not False else iter(())
    first = next(found, None)
    if first is not None:
        _require_time(layout, first[0])
    counting = _counting(events, deduplicate)
    if first is not None and events.isStreaming and detection.pace.idle is None:
        _warn_of_waiting(chain([first], found))
    detects = bool(composites) or first is not None
    ahead = detection.ahead if detects else None
    serving = MatchTaskConfig(layout, source, telling, detects, ahead, events.isStreaming)
    placed = rows if versioned else with_version(rows, source)
    results = match_rows(placed, serving, detection, counting, watch)
    if counting.once and not events.isStreaming and constructs_any(held):
        return matches_once(results)
    return results


def _require_time(layout: Layout, subscription: str) -> None:
    """Raise if events of tables have no time, and a subscription combines events."""
    if isinstance(layout, EventColumns) and layout.types and (ENVELOPE, "time") not in layout.names:
        raise MeaningProblem(
            f"subscription {subscription!r} combines events, and no column holds their time",
            code="ColumnError",
            token="time",
            hint='say which: time="ordered_at"',
        )


def _warn_of_waiting(found: Iterable[tuple[str, Part]]) -> None:
    """Warn once, when the query is made, that absences will wait for the next event."""
    waiting = next((id for id, pattern in found if emits_by_timer(pattern)), None)
    if waiting is not None:
        warnings.warn(
            f"subscriptions such as {waiting!r} ring when nothing comes; without idle they wait for"
            ' the next event: give a time, as in idle="10s"',
            AbsenceWaitsWarning,
            stacklevel=levels_to_the_caller(),
        )


def matches_of(both: DataFrame) -> DataFrame:
    """Return the matches in the result of `match_with_dead_letters`."""
    return both.where(F.col("match").isNotNull()).select("match.*")


def dead_letters_of(both: DataFrame) -> DataFrame:
    """Return the dead letters in the result of `match_with_dead_letters`."""
    return both.where(F.col("dead_letter").isNotNull()).select("dead_letter.*")


def _counting(events: DataFrame, deduplicate: Deduplicate) -> DedupOptions:
    """Return the deduplication: on by default for a batch, only with a duration for a stream."""
    if deduplicate is not None and not isinstance(deduplicate, bool):
        remembered = parse_duration(deduplicate)
        return DedupOptions(True, remembered if events.isStreaming else None)
    if deduplicate and events.isStreaming:
        raise UnsupportedProblem(
            "a stream cannot remember every event for ever",
            hint='give a time, as in deduplicate="10 minutes"',
        )
    return DedupOptions(deduplicate is not False and not events.isStreaming)


def _pace(lateness: Length | None, idle: Length | None) -> ClockSettings:
    allowed = DEFAULT_LATENESS if lateness is None else parse_duration(lateness)
    return ClockSettings(allowed, None if idle is None else parse_duration(idle))


def _ahead(ahead: str | None, *, is_live: bool) -> Duration | None:
    """Return the distance by which an event may end after the clock; None for no limit."""
    if ahead == WHERE_LIVE:
        return parse_duration(DEFAULT_AHEAD) if is_live else None
    return None if ahead is None else parse_duration(ahead)
