"""Record batches of matches and dead letters, one of the two null in each row, and their schema."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
from pyspark.sql.pandas.types import from_arrow_type
from pyspark.sql.types import StructField, StructType

from tocsin.events.dead_letter import internal_error
from tocsin.events.matches.match import Match
from tocsin.runtime.containment import run_with_bisection
from tocsin.spark.output.letters import DEAD_LETTER, Letter, letter_array, letter_of
from tocsin.spark.output.match_codec import MATCH, matches_to_arrow
from tocsin.spark.output.member_output import MemberOutput, MemberRenderer

MAX_MATCHES = 10_000
"""The number of matches in one Arrow batch, unless a single event has more."""

RESULTS = pa.schema([pa.field("match", MATCH), pa.field("dead_letter", DEAD_LETTER)])
MATCHES = from_arrow_type(MATCH)
DEAD_LETTERS = from_arrow_type(DEAD_LETTER)
BY_MATCH = StructType([StructField("match", MATCHES), StructField("dead_letter", DEAD_LETTERS)])


@dataclass(slots=True)
class Results:
    """Matches and dead letters, before they are put into batches."""

    matches: list[Match] = field(default_factory=list)
    letters: list[Letter] = field(default_factory=list)


def batch_of_matches(matches: Any) -> Any:
    """Return a record batch of an array of matches."""
    return _batch(matches.cast(MATCH), pa.nulls(len(matches), DEAD_LETTER))


def batch_of_letters(letters: Any) -> Any:
    """Return a record batch of dead letters, given as an array or a list."""
    array = letter_array(letters) if isinstance(letters, list) else letters.cast(DEAD_LETTER)
    return _batch(pa.nulls(len(letters), MATCH), array)


def batch_of_both(rows: Any) -> Any:
    """Return the two result columns of rows that have others too."""
    return _batch(*(rows.column(field.name).cast(field.type) for field in RESULTS))


def batches_of(results: Results, teller: MemberRenderer) -> Iterator[Any]:
    """Yield results as record batches; a match that cannot be rendered is a dead letter."""
    if results.letters:
        yield batch_of_letters(results.letters)
    for first in range(0, len(results.matches), MAX_MATCHES):
        yield from _told(results.matches[first : first + MAX_MATCHES], teller)


def _told(matches: Sequence[Match], teller: MemberRenderer) -> Iterator[Any]:
    contained = run_with_bisection(matches, lambda part: matches_to_arrow(part, teller))
    for _, array in contained.completed:
        yield batch_of_matches(array)
    if contained.failed:
        faults = (
            internal_error(error, each.members, each.subscription)
            for each, error in contained.failed
        )
        yield batch_of_letters(list(map(letter_of, faults)))


def narrow_type(telling: MemberOutput) -> StructType:
    """Return the type of rows (match, dead_letter) without the fields that the query omits."""
    told = from_arrow_type(pa.struct(_told_fields(telling)))
    return StructType([StructField("match", told), BY_MATCH["dead_letter"]])


def narrow(batch: Any, telling: MemberOutput) -> Any:
    """Convert a record batch of results to that type, without copying."""
    matches, letters = batch.columns
    fields = _told_fields(telling)
    if len(fields) < MATCH.num_fields:
        columns = [matches.field(each.name) for each in fields]
        matches = pa.StructArray.from_arrays(columns, fields=fields, mask=matches.is_null())
    return pa.RecordBatch.from_arrays([matches, letters], names=RESULTS.names)


def _told_fields(telling: MemberOutput) -> list[Any]:
    return [each for each in MATCH if each.name not in telling.untold]


def _batch(matches: Any, letters: Any) -> Any:
    return pa.RecordBatch.from_arrays([matches, letters], schema=RESULTS)
