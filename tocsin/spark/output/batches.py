"""Results in Arrow: the type of matches and their codec, and record batches with their schema.

Each row of a batch has a match or a dead letter; the other is null. Atomic matches are encoded as
columns, without an object for each; matches of composites are objects and encoded from these.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql.pandas.types import from_arrow_type
from pyspark.sql.types import StructField, StructType

from tocsin.events.codecs.decode import decode_all
from tocsin.events.dead_letter import internal_error
from tocsin.events.event import Event
from tocsin.events.matches.match import Match, match_id
from tocsin.runtime.containment import run_with_bisection
from tocsin.spark.output.carried_columns import INSTANT_TYPE, Heads
from tocsin.spark.output.letters import DEAD_LETTER, Letter, letter_array, letter_of, structs_in
from tocsin.spark.output.member_output import MEMBERS, MemberOutput, MemberRenderer

MATCH = pa.struct(
    [
        pa.field("subscription", pa.string()),
        pa.field("events", pa.list_(pa.field("element", pa.string()))),
        pa.field("sources", pa.list_(pa.field("element", pa.string()))),
        pa.field("start", INSTANT_TYPE),
        pa.field("end", INSTANT_TYPE),
        pa.field("detected", INSTANT_TYPE),
        pa.field("place", pa.string()),
        pa.field("bindings", pa.map_(pa.string(), pa.string())),
        pa.field("outputs", pa.list_(pa.field("element", pa.string()))),
        pa.field("id", pa.string()),
        pa.field("members", MEMBERS),
        pa.field("kept", pa.list_(pa.field("element", pa.string()))),
    ]
)
MATCH_NAMES = tuple(each.name for each in MATCH if each.name != "kept")
"""The columns of a match; kept columns have names of their own."""

_TIMES = ("start", "end", "detected")


def rings_to_arrow(
    keys: Sequence[str], heads: Heads, told: Sequence[Match | None], members: Any
) -> Any:
    """Encode matches of atomic subscriptions, each with its one event.

    `told` has for each match its output fields or None, and may be empty; `members` is the column
    of rendered members.
    """
    ids = [match_id(key, (who,)) for key, who in zip(keys, heads.identities(), strict=True)]
    one_each = pa.array(np.arange(len(keys) + 1, dtype=np.int32))
    more = told or [None] * len(keys)
    return _structs(
        subscription=keys,
        events=pa.ListArray.from_arrays(one_each, heads.ids),
        sources=pa.ListArray.from_arrays(one_each, heads.sources),
        start=heads.starts,
        end=heads.ends,
        detected=heads.ends,
        place=heads.places,
        bindings=[[] if each is None else list(each.bindings.items()) for each in more],
        outputs=[() if each is None else each.outputs for each in more],
        id=ids,
        members=members,
        kept=pa.ListArray.from_arrays(one_each, heads.kept),
    )


def matches_to_arrow(matches: Sequence[Match], teller: MemberRenderer) -> Any:
    """Encode matches of any kind, with rendered members."""
    keys = [each.subscription for each in matches]
    same = ("events", "sources", "place", "outputs", "id")
    return _structs(
        subscription=keys,
        bindings=[list(each.bindings.items()) for each in matches],
        members=teller.column(keys, lambda number: matches[number].members),
        kept=[teller.kept(each.members) for each in matches],
        **{name: [getattr(each, name) for each in matches] for name in same},
        **{name: _instants(matches, name) for name in _TIMES},
    )


def matches_in(both: Any) -> Iterator[Match]:
    """Yield the matches of a collected table with a column `match`."""
    for row in structs_in(both, "match"):
        times = {name: row[name] for name in _TIMES}
        yield Match(
            row["subscription"],
            tuple(row["events"]),
            place=row["place"],
            id=row["id"],
            bindings=dict(row["bindings"]),
            outputs=tuple(row["outputs"]),
            sources=tuple(row["sources"]),
            members=tuple(event for told in row.get("members") or () for event in _members(told)),
            **times,
        )


def _instants(matches: Sequence[Match], name: str) -> Any:
    return pa.array([getattr(each, name) for each in matches], pa.int64())


def _structs(**columns: Any) -> Any:
    """Return the columns of matches, arrays or lists, as an array of structs."""
    typed = [_typed(columns[each.name], each.type) for each in MATCH]
    return pa.StructArray.from_arrays(typed, fields=list(MATCH))


def _typed(column: Any, type: pa.DataType) -> Any:
    return column.cast(type) if isinstance(column, pa.Array) else pa.array(column, type)


def _members(told: str | Mapping[str, Any]) -> list[Event]:
    """Return the event of a member: CloudEvents JSON, or a struct with a field `json`."""
    return decode_all(told if isinstance(told, str) else told["json"])


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
