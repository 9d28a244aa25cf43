"""Files of subscriptions: JSON Lines with subscriptions and definitions in any order. All problems are reported."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from tocsin.catalog.entries import Definition, Subscription
from tocsin.errors import MeaningProblem, Problem, StateProblem
from tocsin.events.codecs.cloudevents import parse_json


@dataclass(frozen=True, slots=True)
class Entry:
    """A subscription and the line that it stands in."""

    line: int
    subscription: Subscription


@dataclass(frozen=True, slots=True)
class LineProblem:
    """A problem of the file: the line, whose it is (where known), and what is wrong in that line."""

    line: int
    subscription: str
    problem: Problem

    def __str__(self) -> str:
        whose = f" ({self.subscription})" if self.subscription else ""
        return f"line {self.line}{whose}: {self.problem}"


@dataclass(slots=True)
class Entries:
    """What a file holds, and what is wrong with its lines. `lines` tells where a definition stands, by its name."""

    subscriptions: list[Entry] = field(default_factory=list)
    definitions: list[Definition] = field(default_factory=list)
    problems: list[LineProblem] = field(default_factory=list)
    lines: dict[str, int] = field(default_factory=dict)


def read_entries(lines: Iterable[bytes]) -> Entries:
    """All entries of a file, blank lines passed over; a line that is no entry becomes a problem."""
    entries = Entries()
    names: dict[tuple[str, str], int] = {}
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                _read_line(number, line, entries, names)
            except Problem as problem:
                entries.problems.append(LineProblem(number, "", problem))
    return entries


def _read_line(number: int, line: bytes, entries: Entries, names: dict[tuple[str, str], int]) -> None:
    try:
        body = parse_json(line)
    except Problem as problem:
        raise MeaningProblem(problem.message, code="SubscriptionFormatError") from None
    if not isinstance(body, dict):
        raise MeaningProblem("a line holds a JSON object", code="SubscriptionFormatError")
    if "define" in body:
        definition = Definition.from_json(body)
        _take_name(("define", definition.name), number, names)
        entries.definitions.append(definition)
        entries.lines[definition.name] = number
    else:
        subscription = Subscription.from_json(body)
        _take_name(("id", subscription.id), number, names)
        entries.subscriptions.append(Entry(number, subscription))


def _take_name(name: tuple[str, str], line: int, names: dict[tuple[str, str], int]) -> None:
    if name in names:
        raise StateProblem(
            f"{name[0]} {name[1]!r} is used twice",
            code="DuplicateSubscriptionError",
            token=name[1],
            hint=f"line {names[name]} has it already; give one of them another name, or drop it",
        )
    names[name] = line
