"""`match` on DataFrames: streaming in, streaming out; batch in, batch out. An ordinary transformation.

No input stops the query: a row that is no event, and a subscription of a live catalog that does not compile, become
dead letters. `match` gives the matches, `dead_letters` the dead letters, `match_with_dead_letters` both in one pass.
"""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from tocsin.catalog import Catalog
from tocsin.errors import UnsupportedProblem
from tocsin.hosts.spark.detection.clock import Pace
from tocsin.hosts.spark.detection.pipeline import DEFAULT_LATENESS, Detection, Given, detected_in, has_composites
from tocsin.hosts.spark.detection.shards import DEFAULT_SHARDS
from tocsin.hosts.spark.layout import laid_out
from tocsin.hosts.spark.repeats import first_of_each
from tocsin.hosts.spark.schemas import BY_EVENT, BY_MATCH
from tocsin.hosts.spark.sources import LiveCatalog, Source, Subscriptions, source_of
from tocsin.hosts.spark.versions import version_table
from tocsin.hosts.spark.worker import ByEvent, ByMatch
from tocsin.values.time import Duration, parse_duration, parse_instant

Deduplicate = bool | str | None


def match(
    events: DataFrame,
    subscriptions: Subscriptions,
    *,
    columns: Mapping[str, str] | None = None,
    deduplicate: Deduplicate = None,
    lateness: str | None = None,
    ontology: object = None,
    infer: object = None,
    shards: int = DEFAULT_SHARDS,
    idle: str | None = None,
    until: str | None = None,
    composites: bool | None = None,
) -> DataFrame:
    """The matches of subscriptions over events, one row each; dead letters are left out.

    `events` has CloudEvents JSON in a column `value`, or the event columns, or any columns with a mapping `columns`
    from column to event field, as in {"price": "data.price"}. `subscriptions` is a list of dicts or Subscriptions,
    fixed for the query, or a live catalog (object, URL or path). `ontology` is the path of a file, or several, for a
    fixed list, and `infer` lists what is to be concluded from it; a live catalog holds its own.

    `deduplicate`: a batch query counts each (source, id) once unless this is False. A streaming query does so only
    where a duration is given: an identity is then remembered for that time after it came.

    The rest concerns composites; a condition on one event rings at once, however late the event. On a stream an event
    may be `lateness` behind the newest (2 seconds by default); after `idle` without events the clock runs on by itself.
    Over a batch the clock runs to the end of time, or to the instant `until`. `shards` is how many tasks combine
    events, fixed for a checkpoint. A query over a live catalog detects composites if the catalog has one when the
    query is made, or if `composites` is True.
    """
    both = match_with_dead_letters(
        events,
        subscriptions,
        columns=columns,
        deduplicate=deduplicate,
        lateness=lateness,
        ontology=ontology,
        infer=infer,
        shards=shards,
        idle=idle,
        until=until,
        composites=composites,
    )
    return matches_of(both)


def dead_letters(
    events: DataFrame,
    subscriptions: Subscriptions = (),
    *,
    columns: Mapping[str, str] | None = None,
) -> DataFrame:
    """The rows that are no events and the subscriptions that do not compile, each with its reason."""
    return dead_letters_of(match_with_dead_letters(events, subscriptions, columns=columns, deduplicate=False))


def match_with_dead_letters(
    events: DataFrame,
    subscriptions: Subscriptions,
    *,
    columns: Mapping[str, str] | None = None,
    deduplicate: Deduplicate = None,
    lateness: str | None = None,
    ontology: object = None,
    infer: object = None,
    shards: int = DEFAULT_SHARDS,
    idle: str | None = None,
    until: str | None = None,
    composites: bool | None = None,
) -> DataFrame:
    """Matches and dead letters in one pass: columns `match` and `dead_letter`, one of them null in each row.

    For `foreachBatch`, where `matches_of` and `dead_letters_of` part the two; persist the batch before.
    """
    detection = Detection(shards, _pace(lateness, idle), None if until is None else parse_instant(until))
    return results_of(events, source_of(subscriptions, ontology, infer), detection, columns, deduplicate, composites)


def results_of(
    events: DataFrame,
    source: Source,
    detection: Detection,
    columns: Mapping[str, str] | None = None,
    deduplicate: Deduplicate = None,
    composites: bool | None = None,
) -> DataFrame:
    """Matches and dead letters in one pass."""
    rows, layout = laid_out(events, columns)
    given = _with_version(rows, source)
    remembered = _remembered(events, deduplicate)
    if composites or (composites is None and has_composites(source)):
        return detected_in(Given(given, layout, source), detection, deduplicate is not False, remembered)
    if deduplicate is False or (events.isStreaming and remembered is None):
        return given.mapInArrow(ByMatch(layout, source), BY_MATCH)
    by_event = ByEvent(layout, source, with_content=not events.isStreaming)
    return first_of_each(given.mapInArrow(by_event, BY_EVENT), remembered)


def matches_of(both: DataFrame) -> DataFrame:
    """The matches in the result of `match_with_dead_letters`."""
    return both.where(F.col("match").isNotNull()).select("match.*")


def dead_letters_of(both: DataFrame) -> DataFrame:
    """The dead letters in the result of `match_with_dead_letters`."""
    return both.where(F.col("dead_letter").isNotNull()).select("dead_letter.*")


def _with_version(rows: DataFrame, source: Source) -> DataFrame:
    """Every row with the version of the catalog that it is to be matched with; a fixed list has but one."""
    if not isinstance(source, LiveCatalog):
        return rows
    return rows.crossJoin(F.broadcast(version_table(rows.sparkSession, Catalog(source.url))))


def _remembered(events: DataFrame, deduplicate: Deduplicate) -> Duration | None:
    """How long a streaming query remembers an identity; None where it does not, or where the query is a batch."""
    if isinstance(deduplicate, str):
        duration = parse_duration(deduplicate)
        return duration if events.isStreaming else None
    if deduplicate and events.isStreaming:
        raise UnsupportedProblem(
            "a stream cannot remember every event for ever", hint='give a time, as in deduplicate="10 minutes"'
        )
    return None


def _pace(lateness: str | None, idle: str | None) -> Pace:
    allowed = DEFAULT_LATENESS if lateness is None else parse_duration(lateness)
    return Pace(allowed, None if idle is None else parse_duration(idle))
