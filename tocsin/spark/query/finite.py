"""Finite input on Spark, for the command line: the same results in the same order as the local
host.

With a lateness, an event behind the watermark in the order of lines is also a dead letter; atomic
subscriptions match it all the same.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from tocsin.errors import MeaningProblem
from tocsin.events.codecs.base.lines import sound_lines
from tocsin.events.codecs.decode import decode_all
from tocsin.events.codecs.reception import EventEndRule, parse_event_end_rule, stamp_reception
from tocsin.events.dead_letter import LATE, DeadLetter, far_letter, late, malformed_input
from tocsin.events.event import Event
from tocsin.events.matches.match import Match
from tocsin.runtime import admission as clocks
from tocsin.spark.input.lines import PART_BYTES, open_lines, read_lines
from tocsin.spark.output.batches import matches_in
from tocsin.spark.output.letters import letters_in
from tocsin.spark.output.member_output import EVENTS_AS_TEXT, MemberOutput, convert_members
from tocsin.spark.plans.sources import Entry, source_of
from tocsin.spark.query.dataflow import DetectionOptions
from tocsin.spark.query.matching import results_of
from tocsin.spark.query.session import choose_python, local_session
from tocsin.spark.versions.optional_names import to_arrow
from tocsin.values.time import Duration, Instant

_ENDS = pa.schema([("line", pa.int64()), ("end", pa.int64()), ("input", pa.string())])


def run_match(
    subscriptions: Iterable[Entry],
    events_path: str,
    *,
    lateness: Duration | None = None,
    until: Instant | None = None,
    master: str | None = None,
    session: SparkSession | None = None,
    part_bytes: int = PART_BYTES,
    with_members: bool = False,
    interval: str | None = None,
    ahead: Duration | None = None,
) -> tuple[list[Match], list[DeadLetter]]:
    """Match a file of JSON Lines; return the matches in output order and the dead letters by line.

    A `.gz` file is decompressed, `-` is standard input. Of a damaged file the readable part is
    matched and the rest is a dead letter; if no line of it is an event, it raises. A running Spark
    session is used; otherwise one is started on `master`, and left running. For composites the
    clock runs on to `until`, or to the end of time; late events are excluded from them. Constructed
    events are matched again. Matches hold their members if `with_members`: each has to be sent here
    from the worker that found it. With `interval="reception"` an event without endtime ends when it
    was received, if it says when. With `ahead`, an event that ends that much later than those
    around it is a dead letter and excluded from composites.
    """
    spark = session or local_session(master)
    choose_python(spark)
    source = source_of(subscriptions)
    ends = parse_event_end_rule(interval)
    telling = EVENTS_AS_TEXT if with_members else MemberOutput(heeds=False)

    def run(path: str) -> tuple[list[Match], list[DeadLetter]]:
        lines = read_lines(spark, path, part_bytes=part_bytes)
        judged = lateness is not None or ahead is not None
        late_ones = list(_out_of_time(lines, lateness, ahead, ends)) if judged else []
        detection = DetectionOptions(until=until, late=frozenset(map(_identity, late_ones)))
        results = results_of(lines, source, detection, telling, ends=ends)
        both = _collected(convert_members(results, telling))
        return list(matches_in(both)), [*letters_in(both), *late_ones]

    with _in_a_file(events_path) as path:
        try:
            found, letters = run(path)
        except _UnreadableFile:
            with _readable_part(path) as (part, damage):
                found, letters = run(part)
            letters.append(damage)
    return sorted(found, key=lambda match: match.order), sorted(
        letters, key=lambda letter: letter.line or 0
    )


@contextmanager
def _in_a_file(path: str) -> Iterator[str]:
    """Yield the path of the input; standard input is copied, since executors cannot read it."""
    if path != "-":
        yield path
        return
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as copy:
        shutil.copyfileobj(sys.stdin.buffer, copy)
        copy.flush()
        yield copy.name


@contextmanager
def _readable_part(path: str) -> Iterator[tuple[str, DeadLetter]]:
    """Yield a copy of the readable lines of a damaged file, and a dead letter for the rest.

    Raises the problem of the file if no line of it is an event.
    """
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as copy, open_lines(path) as file:
        count, has_event = 0, False
        try:
            for line in sound_lines(file, path):
                copy.write(line)
                count += 1
                has_event = has_event or bool(_decoded(line))
        except MeaningProblem as problem:
            if not has_event:
                raise
            copy.flush()
            yield copy.name, malformed_input(problem, b"", count + 1)
        else:
            raise MeaningProblem(
                f"an executor cannot read {path}",
                code="FileError",
                hint="give every executor access to the file",
            )


class _UnreadableFile(Exception):
    """Raised if a task could not read the file to its end."""


def _collected(frame: DataFrame) -> Any:
    """Collect the rows of a DataFrame; raises `_UnreadableFile` if the input file breaks off."""
    try:
        return to_arrow(frame)
    except PySparkException as error:
        unreadable = ("BadGzipFile", "EOFError", "zlib.error", "PermissionError")
        if any(name in str(error) for name in unreadable):
            raise _UnreadableFile from None
        raise


def _out_of_time(
    lines: DataFrame, lateness: Duration | None, ahead: Duration | None, ends: EventEndRule
) -> Iterator[DeadLetter]:
    """Yield dead letters of events too far ahead of their neighbours, then of late ones.

    An event is late if it ends more than the lateness before the highest end above it.
    """
    collected = lines.mapInArrow(EndsOfLines(ends), "line bigint, end bigint, input string")
    found = _collected(collected).sort_by("line")
    end = found.column("end").to_numpy()
    beyond = [] if ahead is None else list(clocks.find_too_far_ahead(end.tolist(), ahead))
    for row in found.take(pa.array(beyond, pa.int64())).to_pylist():
        yield far_letter(row["end"], row["input"], ahead or 0, row["line"])
    kept = found.filter(pa.array(~np.isin(np.arange(len(end)), beyond)))
    if lateness is None or kept.num_rows == 0:
        return
    end = kept.column("end").to_numpy()
    behind = np.flatnonzero(end[1:] < np.maximum.accumulate(end)[:-1] - lateness) + 1
    for row in kept.take(pa.array(behind)).to_pylist():
        yield DeadLetter("LateEvent", LATE, row["input"], row["line"])


def _identity(letter: DeadLetter) -> tuple[str, str]:
    """Return the identity of a late event, from its dead letter."""
    told = json.loads(letter.input)
    return (told["source"], told["id"])


@dataclass(frozen=True, slots=True)
class EndsOfLines:
    """Task: rows of lines -> line, end and dead letter input of each event that has a time."""

    ends: EventEndRule

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Run one task."""
        for rows in batches:
            found = [
                {"line": line, "end": event.interval.end, "input": late(event).input}
                for raw, line in zip(
                    rows.column("value").to_pylist(), rows.column("line").to_pylist(), strict=True
                )
                for event in self._events(raw)
                if event.interval is not None
            ]
            yield pa.RecordBatch.from_pylist(found, schema=_ENDS)

    def _events(self, raw: bytes) -> list[Event]:
        events = _decoded(raw)
        return list(map(stamp_reception, events)) if self.ends is EventEndRule.RECEPTION else events


def _decoded(raw: bytes) -> list[Event]:
    """Return the events of a line; [] if it is malformed."""
    try:
        return decode_all(raw)
    except Exception:  # the match tasks report it
        return []
