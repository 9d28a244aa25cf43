"""The Spark query of the demo: files that appear in a folder, matched with a live catalog, given
back as plain data.

The number of a micro-batch is not the number of a file, since a query that keeps state may run a
micro-batch without input. How many files were read is what the query itself has written to its
checkpoint before the micro-batch began.

The only file of the demo that speaks to Spark, which is an optional part of Tocsin and loaded when
it is needed.
"""

from __future__ import annotations

import json
import logging
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path
from typing import Any

from tocsin.catalog import Catalog
from tocsin.errors import StateProblem, UnsupportedProblem
from tocsin.events.dead_letter import EVENT_WARNING, DeadLetter
from tocsin.events.matches.match import Match
from tocsin.values.time import Instant
from tocsin_demo.replay import Found
from tocsin_demo.story import LATENESS

MASTER = "local[2]"

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_SECOND = 1_000_000
_SETTINGS = {
    # Without this a slice of a megabyte is one partition, and one of the two cores stands idle.
    "spark.sql.files.openCostInBytes": "65536",
    # One task combines the few events that composites want; a second one would be one more to start
    # for every slice.
    "spark.sql.shuffle.partitions": "1",
    # State of composites: what changed is enough to keep, a whole copy after every slice costs
    # more.
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
    # A short life: compiling Java thoroughly would cost more than it saves.
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}


def load_spark() -> Any:
    """The module `tocsin.spark`; raises, with a way out, where pyspark is not installed."""
    try:
        return import_module("tocsin.spark")
    except ImportError as error:
        raise UnsupportedProblem(
            f"Spark is not installed: {error.__cause__ or error}",
            code="SparkMissing",
            hint="pip install 'tocsin[spark]'",
        ) from None


@contextmanager
def spark_session(spark: Any) -> Iterator[Any]:
    """A local session that stops with the block."""
    # The bridge to Java logs a traceback of its own when the user interrupts; what matters is
    # raised as well.
    logging.getLogger("py4j").setLevel(logging.CRITICAL)
    session = spark.local_session(MASTER, name="tocsin demo", settings=_SETTINGS)
    try:
        yield session
    finally:
        session.stop()


@contextmanager
def running_query(
    spark: Any,
    session: Any,
    catalog: Catalog,
    folders: tuple[Path, Path],
    receive: Callable[[Found], object],
) -> Iterator[Callable[[], str | None]]:
    """The query over (inbox, checkpoint) while the block runs; yields what tells why it failed, or
    None.
    """
    inbox, checkpoint = folders
    lines = session.readStream.format("text").option("maxFilesPerTrigger", 1).load(str(inbox))
    with warnings.catch_warnings():
        # A day passes in a minute: only events may move time here, and one comes after every
        # absence.
        warnings.simplefilter("ignore", spark.AbsenceWaitsWarning)
        rung = spark.match_with_dead_letters(
            lines, catalog, lateness=f"{LATENESS // _SECOND}s", shards=1
        )
    query = (
        rung.writeStream.foreachBatch(
            lambda frame, batch: receive(_found(frame, batch, files_read(checkpoint, batch)))
        )
        .option("checkpointLocation", str(checkpoint))
        .start()
    )
    try:
        yield lambda: _failure(query)
    finally:
        query.stop()


def _failure(query: Any) -> str | None:
    if query.isActive:
        return None
    error = query.exception()
    return "it ended by itself" if error is None else str(error).strip().partition("\n")[0]


def files_read(checkpoint: Path, batch: int) -> int:
    """How many files the query has read by the end of a micro-batch; the source takes one at a
    time.
    """
    path = checkpoint / "offsets" / str(batch)
    try:
        return int(json.loads(path.read_text().splitlines()[-1])["logOffset"]) + 1
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise StateProblem(
            f"the checkpoint does not say what was read: {error!r}", code="SparkError"
        ) from None


def _found(frame: Any, batch: int, slices_read: int) -> Found:
    table = frame.toArrow()
    matches = [_match(each) for each in table.column("match").to_pylist() if each is not None]
    letters = [
        _dead_letter(each) for each in table.column("dead_letter").to_pylist() if _is_dead(each)
    ]
    return Found(batch, slices_read, matches, letters)


def _match(row: dict[str, Any]) -> Match:
    start, end, detected = (_instant(row[name]) for name in ("start", "end", "detected"))
    events, bindings, outputs = tuple(row["events"]), dict(row["bindings"]), tuple(row["outputs"])
    return Match(
        row["subscription"],
        events,
        start,
        end,
        detected,
        row["place"],
        row["id"],
        bindings,
        outputs,
        tuple(row["sources"]),
    )


def _instant(moment: datetime | None) -> Instant | None:
    return None if moment is None else (moment - _EPOCH) // _MICROSECOND


def _is_dead(row: dict[str, Any] | None) -> bool:
    """Whether something was not served. What the ontology of auctions finds odd about a shop's
    events was.
    """
    return row is not None and row["code"] != EVENT_WARNING


def _dead_letter(row: dict[str, Any]) -> DeadLetter:
    return DeadLetter(row["code"], row["reason"], row["input"], row["line"])
