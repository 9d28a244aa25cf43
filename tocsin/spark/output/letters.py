"""Dead letters of workers: built, converted to Arrow and read from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from tocsin.errors import Problem
from tocsin.events.dead_letter import (
    INTERNAL_ERROR,
    DeadLetter,
    malformed_input,
    shown_error,
    shown_input,
    unreadable,
)
from tocsin.runtime.guarded import Outcome

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
    """One dead letter; `place` is the origin of a row, or the position in a subscription."""

    code: str
    reason: str
    token: str | None
    line: int | None
    place: str | None
    subscription: str | None
    input: str


def letter_of(plain: DeadLetter, subscription: str | None = None) -> Letter:
    """Return a dead letter of another host in this form; `subscription` names its subscription."""
    key = subscription or plain.subscription
    return Letter(plain.code, plain.reason, key, plain.line, None, key, plain.input)


def letters_of(outcome: Outcome) -> Iterator[Letter]:
    """Yield all dead letters of an outcome; those of ended subscriptions are last."""
    yield from map(letter_of, outcome.letters)
    for key, letter in outcome.ended:
        yield letter_of(letter, key)


def letter_of_row(
    problem: Problem, raw: bytes | str, line: int | None = None, origin: str | None = None
) -> Letter:
    """Return the dead letter of a row that is not an event."""
    plain = malformed_input(problem, raw, line)
    return Letter(plain.code, plain.reason, problem.token or None, line, origin, None, plain.input)


def letter_of_fault(
    error: Exception, raw: bytes | str, line: int | None = None, origin: str | None = None
) -> Letter:
    """Return the dead letter of a row that was not read: its own problem or an internal error."""
    if isinstance(error, Problem):
        return letter_of_row(error, raw, line, origin)
    plain = unreadable(error, raw)
    return Letter(plain.code, plain.reason, None, line, origin, None, plain.input)


def letter_of_subscription(problem: Problem, subscription: str, expression: str) -> Letter:
    """Return the dead letter of a subscription that does not compile."""
    place = None if problem.place is None else str(problem.place)
    reason = malformed_input(problem, "").reason
    return Letter(
        problem.code,
        reason,
        problem.token or None,
        None,
        place,
        subscription,
        shown_input(expression),
    )


def internal_problem(error: Exception) -> Problem:
    """Return an internal error as a `Problem`."""
    return Problem(
        shown_error(error), code=INTERNAL_ERROR, hint="say it in another way; please report it"
    )


def letter_array(letters: Sequence[Letter]) -> Any:
    """Return dead letters as an array of structs."""
    columns = [
        pa.array([getattr(letter, field.name) for letter in letters], field.type)
        for field in DEAD_LETTER
    ]
    return pa.StructArray.from_arrays(columns, fields=list(DEAD_LETTER))


def letters_in(both: Any) -> Iterator[DeadLetter]:
    """Yield the dead letters of a collected table with a column `dead_letter`."""
    for row in structs_in(both, "dead_letter"):
        yield DeadLetter(row["code"], row["reason"], row["input"], row["line"])


def structs_in(both: Any, name: str) -> Iterator[Mapping[str, Any]]:
    """Yield the structs of a column as dicts, with instants in microseconds; nulls are skipped."""
    column = both.column(name).drop_null()
    members = pa.Table.from_arrays(column.flatten(), names=[field.name for field in column.type])
    for number, field in enumerate(members.schema):
        if pa.types.is_timestamp(field.type):
            instants = members.column(number).cast(pa.timestamp("us", tz="UTC")).cast(pa.int64())
            members = members.set_column(number, field.name, instants)
    for batch in members.to_batches():
        yield from batch.to_pylist()
