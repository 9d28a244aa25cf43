"""Files of subscriptions and definitions in any order: JSON Lines, a JSON document, or YAML. All
problems are reported.

A document may be an array, an object, or several in sequence. A file in none of these formats gives
one problem.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any

from tocsin.catalog.entries import Definition, Subscription
from tocsin.catalog.yaml_text import yaml_values
from tocsin.errors import MeaningProblem, Problem, name_taken
from tocsin.events.codecs.base.bounded_lines import LineSource, bounded_lines
from tocsin.events.codecs.base.cloudevents import parse_json
from tocsin.events.codecs.base.json_values import json_values
from tocsin.events.codecs.formats import HEAD, has_object_line, is_json_lines
from tocsin.values.limits import YAML_LIMITS

_CODE = "SubscriptionFormatError"
_FORMS = "write JSON Lines, a JSON array or a YAML list, each item with id, language and expression"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_Item = tuple[int, Any]
"""The line of an item, and its value or its problem."""


@dataclass(frozen=True, slots=True)
class SubscriptionEntry:
    """A subscription and its line."""

    line: int
    subscription: Subscription


@dataclass(frozen=True, slots=True)
class LineProblem:
    """A problem of the file: the line, the subscription (if known), and the problem."""

    line: int
    subscription: str
    problem: Problem

    def __str__(self) -> str:
        whose = f" ({self.subscription})" if self.subscription else ""
        return f"line {self.line}{whose}: {self.problem}"


@dataclass(slots=True)
class Entries:
    """The entries of a file, and the problems of its lines. `lines` has the line of a definition by
    name.
    """

    subscriptions: list[SubscriptionEntry] = field(default_factory=list)
    definitions: list[Definition] = field(default_factory=list)
    problems: list[LineProblem] = field(default_factory=list)
    lines: dict[str, int] = field(default_factory=dict)


def read_entries(lines: Iterable[bytes]) -> Entries:
    """Return all entries of the lines of a file."""
    return read_entry_file(BytesIO(b"".join(lines)))


def read_entry_file(file: LineSource) -> Entries:
    """Return all entries of a file; blank lines are skipped, an invalid item becomes a problem."""
    entries = Entries()
    names: dict[tuple[str, str], int] = {}
    for line, item in _items(file):
        try:
            _take(line, item, entries, names)
        except Problem as problem:
            entries.problems.append(LineProblem(line, "", problem))
    return entries


def _items(file: LineSource) -> Iterator[_Item]:
    head = b""
    while len(head) < HEAD and (block := file.read1(HEAD)):
        head += block
    whole = len(head) < HEAD
    head = head.removeprefix(_BYTE_ORDER_MARK)
    start = head.lstrip()[:1]
    if start in (b"{", b"["):
        return _in_lines(file, head) if is_json_lines(head, whole=whole) else _in_json(file, head)
    return _in_lines(file, head) if not start or has_object_line(head) else _in_yaml(file, head)


def _in_lines(file: LineSource, head: bytes) -> Iterator[_Item]:
    for number, line in enumerate(bounded_lines(file, head), 1):
        if line.strip():
            yield number, _parsed(line)


def _in_json(file: LineSource, head: bytes) -> Iterator[_Item]:
    for raw, line, problem in json_values(file, head):
        # keeps positions of problems those in the file
        yield (
            line,
            problem or _parsed(b"\n" * (line - 1) + raw),
        )


def _in_yaml(file: LineSource, head: bytes) -> Iterator[_Item]:
    raw = head
    while len(raw) <= YAML_LIMITS.characters and (block := file.read1(HEAD)):
        raw += block
    try:
        for line, value in yaml_values(raw.decode("utf-8")):
            if not isinstance(value, dict):
                shown = f"it is no file of subscriptions: line {line} holds {str(value)[:60]!r}"
                yield line, MeaningProblem(shown, code=_CODE, hint=_FORMS)
                return
            yield line, value
    except UnicodeDecodeError:
        yield (
            1,
            MeaningProblem(
                "it is no file of subscriptions: it is no UTF-8", code=_CODE, hint=_FORMS
            ),
        )
    except Problem as problem:
        yield problem.place.line if problem.place else 1, problem


def _parsed(raw: bytes) -> Any:
    try:
        return parse_json(raw)
    except Problem as problem:
        return MeaningProblem(problem.message, code=_CODE)


def _take(line: int, body: Any, entries: Entries, names: dict[tuple[str, str], int]) -> None:
    if isinstance(body, Problem):
        raise body
    if not isinstance(body, dict):
        raise MeaningProblem("a subscription is a JSON object", code=_CODE, hint=_FORMS)
    if "define" in body:
        definition = Definition.from_json(body)
        _take_name(("definition", definition.name), line, names)
        entries.definitions.append(definition)
        entries.lines[definition.name] = line
    else:
        subscription = Subscription.from_json(body)
        _take_name(("subscription", subscription.id), line, names)
        entries.subscriptions.append(SubscriptionEntry(line, subscription))


def _take_name(name: tuple[str, str], line: int, names: dict[tuple[str, str], int]) -> None:
    if name in names:
        kind, own = name
        hint = f"line {names[name]} has it already; give one of them another name, or drop it"
        raise name_taken(own, kind, hint)
    names[name] = line
