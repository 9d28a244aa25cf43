"""Matches in Arrow: one type, two encoders and one decoder.

Atomic matches are encoded as columns, without an object for each; matches of composites are objects
and encoded from these.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from tocsin.events.codecs.decode import decode_all
from tocsin.events.event import Event
from tocsin.events.matches.match import Match, match_id
from tocsin.spark.output.carried_columns import INSTANT_TYPE, Heads
from tocsin.spark.output.letters import structs_in
from tocsin.spark.output.member_output import MEMBERS, MemberRenderer

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
MATCH_NAMES = tuple(field.name for field in MATCH if field.name != "kept")
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
    typed = [_typed(columns[field.name], field.type) for field in MATCH]
    return pa.StructArray.from_arrays(typed, fields=list(MATCH))


def _typed(column: Any, type: pa.DataType) -> Any:
    return column.cast(type) if isinstance(column, pa.Array) else pa.array(column, type)


def _members(told: str | Mapping[str, Any]) -> list[Event]:
    """Return the event of a member: CloudEvents JSON, or a struct with a field `json`."""
    return decode_all(told if isinstance(told, str) else told["json"])
