"""The rows that workers give back, as Arrow arrays: matches, dead letters, and events with their
matches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from tocsin.errors import Problem
from tocsin.events.dead_letter import malformed, shown_input, unreadable
from tocsin.events.match import Match, match_id
from tocsin.hosts.spark.headers import INSTANT, Heads
from tocsin.hosts.spark.telling import MEMBERS

MATCH = pa.struct(
    [
        pa.field("subscription", pa.string()),
        pa.field("events", pa.list_(pa.field("element", pa.string()))),
        pa.field("sources", pa.list_(pa.field("element", pa.string()))),
        pa.field("start", INSTANT),
        pa.field("end", INSTANT),
        pa.field("detected", INSTANT),
        pa.field("place", pa.string()),
        pa.field("bindings", pa.map_(pa.string(), pa.string())),
        pa.field("outputs", pa.list_(pa.field("element", pa.string()))),
        pa.field("id", pa.string()),
        pa.field("members", MEMBERS),
        pa.field("kept", pa.list_(pa.field("element", pa.string()))),
    ]
)
MATCH_NAMES = tuple(field.name for field in MATCH if field.name != "kept")
"""The columns of a match; what is kept is told under names of its own."""

DEAD_LETTER = pa.struct(
    [
        pa.field("code", pa.string()),
        pa.field("reason", pa.string()),
        pa.field("token", pa.string()),
        pa.field("line", pa.int64()),
        pa.field("place", pa.string()),
        pa.field("subscription", pa.string()),
        pa.field("input", pa.string()),
    ]
)


@dataclass(frozen=True, slots=True)
class Letter:
    """One dead letter; `place` says where the row came from, or where in a subscription's text the
    problem is.
    """

    code: str
    reason: str
    token: str | None
    line: int | None
    place: str | None
    subscription: str | None
    input: str


def letter_of_row(
    problem: Problem, raw: bytes | str, line: int | None = None, origin: str | None = None
) -> Letter:
    """The dead letter of a row that is no event."""
    plain = malformed(problem, raw, line)
    return Letter(plain.code, plain.reason, problem.token or None, line, origin, None, plain.input)


def letter_of_fault(
    error: Exception, raw: bytes | str, line: int | None = None, origin: str | None = None
) -> Letter:
    """The dead letter of a row that could not be read: for a problem of its own, or for a fault of
    ours.
    """
    if isinstance(error, Problem):
        return letter_of_row(error, raw, line, origin)
    plain = unreadable(error, raw)
    return Letter(plain.code, plain.reason, None, line, origin, None, plain.input)


def letter_of_subscription(problem: Problem, subscription: str, expression: str) -> Letter:
    """The dead letter of a subscription that does not compile."""
    place = None if problem.place is None else str(problem.place)
    reason = malformed(problem, "").reason
    return Letter(
        problem.code,
        reason,
        problem.token or None,
        None,
        place,
        subscription,
        shown_input(expression),
    )


def letter_array(letters: Sequence[Letter]) -> Any:
    """Dead letters as an array of structs."""
    names = [DEAD_LETTER.field(number).name for number in range(DEAD_LETTER.num_fields)]
    columns = [
        pa.array([getattr(letter, name) for letter in letters], DEAD_LETTER.field(name).type)
        for name in names
    ]
    return pa.StructArray.from_arrays(columns, names=names)


def match_array(
    subscriptions: Sequence[str],
    heads: Heads,
    told: Sequence[Match | None] = (),
    members: Any = None,
) -> Any:
    """Matches of atomic subscriptions, each with its one event, as an array of structs.

    `told` has, where it is given, for each of them what it tells beyond that it happened, or None;
    `members` is a column of what is told of its event.
    """
    count = len(subscriptions)
    tellings = told or [None] * count
    ids = [
        match_id(key, (who,)) for key, who in zip(subscriptions, heads.identities(), strict=True)
    ]
    ends = heads.ends.cast(INSTANT)
    one_each = pa.array(np.arange(count + 1, dtype=np.int32))
    columns = [
        pa.array(subscriptions, pa.string()),
        pa.ListArray.from_arrays(one_each, heads.ids),
        pa.ListArray.from_arrays(one_each, heads.sources),
        heads.starts.cast(INSTANT),
        ends,
        ends,
        heads.places,
        pa.array([_bindings(each) for each in tellings], MATCH.field("bindings").type),
        pa.array(
            [() if each is None else each.outputs for each in tellings], MATCH.field("outputs").type
        ),
        pa.array(ids, pa.string()),
        pa.nulls(count, MEMBERS) if members is None else members,
        pa.ListArray.from_arrays(one_each, heads.kept),
    ]
    fields = [MATCH.field(number) for number in range(MATCH.num_fields)]
    return pa.StructArray.from_arrays(
        [column.cast(field.type) for column, field in zip(columns, fields, strict=True)],
        fields=fields,
    )


def _bindings(told: Match | None) -> list[tuple[str, str]]:
    return [] if told is None else list(told.bindings.items())
