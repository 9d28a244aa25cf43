"""Matches and dead letters of composites as Arrow record batches, and packed results back as such
batches.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from tocsin.events.dead_letter import internal_error
from tocsin.events.match import Match
from tocsin.hosts.containment import contain
from tocsin.hosts.spark.contained import letters_of
from tocsin.hosts.spark.detection.messages import passed, result_of_letters, results
from tocsin.hosts.spark.detection.shard import Outcome
from tocsin.hosts.spark.headers import INSTANT
from tocsin.hosts.spark.rows import DEAD_LETTER, MATCH
from tocsin.hosts.spark.telling import Teller

MOST_MATCHES = 10_000
"""How many matches go into one Arrow batch."""


def packed_results(outcome: Outcome, teller: Teller) -> Iterator[Any]:
    """The record batches of what a step brought about."""
    if outcome.letters:
        yield result_of_letters(outcome.letters)
    yield from batches_of_matches(outcome.matches, teller)


def batches_of_matches(matches: Sequence[Match], teller: Teller) -> Iterator[Any]:
    """Record batches of matches."""
    for first in range(0, len(matches), MOST_MATCHES):
        some = matches[first : first + MOST_MATCHES]
        contained = contain(some, lambda part: _match_array(part, teller))
        for part, array in contained.served:
            yield results(array, pa.nulls(len(part), DEAD_LETTER))
        if contained.failed:
            faults = [
                internal_error(error, each.members, each.subscription)
                for each, error in contained.failed
            ]
            yield result_of_letters(letters_of(faults))


def _match_array(matches: Sequence[Match], teller: Teller) -> Any:
    keys = [each.subscription for each in matches]
    columns = [
        pa.array(keys, pa.string()),
        pa.array([each.events for each in matches], MATCH.field("events").type),
        pa.array([each.sources for each in matches], MATCH.field("sources").type),
        *(
            pa.array([getattr(each, name) for each in matches], pa.int64()).cast(INSTANT)
            for name in ("start", "end", "detected")
        ),
        pa.array([each.place for each in matches], pa.string()),
        pa.array([list(each.bindings.items()) for each in matches], MATCH.field("bindings").type),
        pa.array([each.outputs for each in matches], MATCH.field("outputs").type),
        pa.array([each.id for each in matches], pa.string()),
        teller.column(keys, lambda number: matches[number].members),
        pa.array([teller.kept(each.members) for each in matches], MATCH.field("kept").type),
    ]
    return pa.StructArray.from_arrays(
        columns, fields=[MATCH.field(number) for number in range(MATCH.num_fields)]
    )


@dataclass(frozen=True, slots=True)
class Unpacked:
    """Rows of packed results -> (match, dead_letter)."""

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """The work of one task."""
        for rows in batches:
            for payload in rows.column("payload"):
                yield passed(payload.as_buffer())
