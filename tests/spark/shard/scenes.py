"""Scenes for composite detection on Spark: running streams, and random worlds written as
subscriptions and lines.
"""

from __future__ import annotations

import json
import os
import random
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from tests.builders import event_text
from tests.scenarios.loading import DEFINITIONS, Scenario
from tocsin.catalog import Definition, Subscription, compile_subscription
from tocsin.events.dead_letter import DeadLetter
from tocsin.events.matches.match import Match
from tocsin.runtime.finite_run import match_events, read_events
from tocsin.spark import match_with_dead_letters
from tocsin.spark.output.batches import matches_in
from tocsin.spark.output.letters import letters_in
from tocsin.spark.versions.optional_names import to_arrow
from tocsin.values.time import parse_instant

NAMES = tuple(
    Definition(letter.upper(), language="selector", expression=f"kind = '{letter}'")
    for letter in ("a", "b", "c")
)
NEW_YEAR = parse_instant("2026-01-01T00:00:00Z")
PATTERNS = {
    "pair": "A && B",
    "then": "=|(A; 5s)(B)",
    "after": "|=(A; 3s)(C)",
    "silence": "!(A; 4s)B",
    "either": "=|(A || B; 4s)(C)",
    "same": "=|($x;; 6s)($y;) WHERE $x;.v = $y;.v, $x; = A, $y; = B",
}
RULES = {
    "burst": "WHEN COUNT(A) >= 2 OVER 4s FOR EACH v",
    "mean": "WHEN AVG(B.v) > 1 OVER 3s RING ONCE",
    "changed": "WHEN C CEASES v > 0",
    "held": "WHEN C HOLDS v > 0 FOR 4s FOR EACH v",
    "gathered": "WHEN A THEN b: B x1..2 WITHIN 5s FOR EACH v SELECT SUM(b.v) AS sum",
    "counted": "WHEN A THEN B x2+ WITHIN 9s THEN C",
}


def rules() -> list[Subscription]:
    """What counts, measures and watches for changes."""
    return [Subscription(id, "rule", text, horizon="1h") for id, text in RULES.items()]


def line(id: str, kind: str, second: float, **data: Any) -> str:
    """An event of a kind at a second of 2026."""
    return event_text(id, second=second, data={"kind": kind, **data})


def random_lines(chance: random.Random, count: int, step: float = 1.0) -> list[str]:
    """Events of three kinds and one that nobody wants, in order of time, about `step` seconds
    apart, with ties.
    """
    second, lines = 0.0, []
    for number in range(count):
        second += chance.choice([0.0, 0.5, 1.0, 1.0, 2.5]) * step
        lines.append(line(f"e{number}", chance.choice("abcz"), second, v=chance.randrange(3)))
    return lines


def shuffled_within(chance: random.Random, lines: Sequence[str], places: int) -> list[str]:
    """The lines a little out of order."""
    order = sorted(range(len(lines)), key=lambda number: number + chance.uniform(0, places))
    return [lines[number] for number in order]


def cut(chance: random.Random, lines: Sequence[str], pieces: int) -> list[Sequence[str]]:
    """The lines in order, cut at random places."""
    places = sorted(chance.randrange(len(lines) + 1) for _ in range(pieces - 1))
    return [
        lines[first:last] for first, last in zip([0, *places], [*places, len(lines)], strict=True)
    ]


def local(subscriptions: Iterable[Subscription | Definition], lines: Iterable[str]) -> list[Match]:
    """What the local host finds in all lines."""
    held = list(subscriptions)
    names = [each for each in held if isinstance(each, Definition)]
    plans = {
        each.id: compile_subscription(each, names)
        for each in held
        if isinstance(each, Subscription)
    }
    return match_events(plans, read_events(each.encode() for each in lines))


def ids(matches: Iterable[Match]) -> list[str]:
    """Who rang, readable, in order."""
    return sorted(f"{each.subscription}: {' '.join(each.events)} {each.id}" for each in matches)


_NAME = re.compile(r"(?<![$\w])(TRUCK5|E-A|E-B|[A-E])(?![\w-])")
_MEANING = {"TRUCK5": "id = 5 AND kind = 'truck'", "E-A": "id = 7", "E-B": "id = 1"}
_MEANING |= {letter: f"kind LIKE '%{letter.lower()}%'" for letter in "ABCDE"}


@dataclass(frozen=True)
class OwnWorld:
    """A scenario that may run beside all others."""

    subscription: Subscription
    names: list[Definition]
    lines: list[str]
    expected: tuple[str, ...]


def own_world(number: int, scenario: Scenario) -> OwnWorld:
    """A scenario apart from all others: its subscription rings for events of its own source
    only.
    """
    source = f"scenario{number}"
    expression = _NAME.sub(lambda found: f"{found[1]}x{number}", scenario.subscription.expression)
    subscription = replace(scenario.subscription, id=f"s{number}", expression=expression)
    names = [
        Definition(
            f"{name}x{number}",
            language="selector",
            expression=f"{meaning} AND ce_source = '{source}'",
        )
        for name, meaning in _MEANING.items()
        if f"{name}x{number}" in expression
    ]
    lines = [json.dumps(event | {"source": source}) for event in scenario.events]
    return OwnWorld(subscription, names, lines, scenario.expected)


def is_inline(scenario: Scenario) -> bool:
    """Whether the expression has conditions of its own, which cannot be told to look at one source
    only.
    """
    return re.search(r"ARITH|STRING|selector", scenario.subscription.expression) is not None


@dataclass
class Stream:
    """A query over a folder of files, one file per micro-batch; what came out is kept by batch
    number.
    """

    spark: SparkSession
    folder: Path
    settings: dict[str, Any] = field(default_factory=dict)
    query: StreamingQuery | None = None
    written: int = 0
    matches: dict[int, list[Match]] = field(default_factory=dict)
    letters: dict[int, list[DeadLetter]] = field(default_factory=dict)

    @property
    def inbox(self) -> Path:
        return self.folder / "inbox"

    def put(self, lines: Iterable[str]) -> None:
        """One file, whole at once."""
        self.inbox.mkdir(parents=True, exist_ok=True)
        self.written += 1
        beside = self.folder / f"{self.written:05d}.txt"
        beside.write_text("".join(each + "\n" for each in lines))
        # the source takes files by their times
        os.utime(beside, (1_000_000_000 + self.written,) * 2)
        beside.rename(self.inbox / beside.name)

    def start(self, subscriptions: Any, **trigger: Any) -> None:
        """Starts the query, or starts it again from its checkpoint."""
        self.inbox.mkdir(parents=True, exist_ok=True)
        lines = (
            self.spark.readStream.format("text")
            .option("maxFilesPerTrigger", 1)
            .load(str(self.inbox))
        )
        both = match_with_dead_letters(lines, subscriptions, **self.settings)
        writer = both.writeStream.foreachBatch(self._keep)
        if trigger:
            writer = writer.trigger(**trigger)
        self.query = writer.option("checkpointLocation", str(self.folder / "checkpoint")).start()

    def run(self, subscriptions: Any) -> None:
        """Serves all that is there, then stops."""
        self.start(subscriptions, availableNow=True)
        assert self.query is not None
        self.query.awaitTermination()

    def settle(self) -> None:
        assert self.query is not None
        self.query.processAllAvailable()

    def all_matches(self) -> list[Match]:
        return [match for found in self.matches.values() for match in found]

    def all_letters(self) -> list[DeadLetter]:
        return [letter for found in self.letters.values() for letter in found]

    def _keep(self, frame: Any, number: int) -> None:
        table = to_arrow(frame)
        self.matches[number] = list(matches_in(table))
        self.letters[number] = list(letters_in(table))


REGIONS = [each for each in DEFINITIONS if each.region is not None]
