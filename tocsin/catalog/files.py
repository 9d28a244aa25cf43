"""Files of subscriptions and definitions in any order: JSON Lines, a JSON document, or YAML. All
problems are reported.

A document may be an array, an object, or several in sequence. A file in none of these formats gives
one problem. YAML is read as the values of JSON: only `true`, `false`, `null` and decimal numbers
are no texts, so that a day is not a date and `on` not a boolean. Aliases, which let a short text
expand to a huge one, and repeated keys are refused. No other module imports PyYAML.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any

import yaml

from tocsin.catalog.entries import Definition, Subscription
from tocsin.errors import LimitProblem, MeaningProblem, Place, Problem, name_taken
from tocsin.events.codecs.base.cloudevents import parse_json
from tocsin.events.codecs.base.lines import LineSource, bounded_lines, json_values
from tocsin.events.codecs.formats import HEAD, has_object_line, is_json_lines
from tocsin.values.limits import YAML_LIMITS

_CODE = "SubscriptionFormatError"
_FORMS = "write JSON Lines, a JSON array or a YAML list, each item with id, language and expression"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_Item = tuple[int, Any]
"""The line of an item, and its value or its problem."""


def yaml_values(text: str) -> Iterator[tuple[int, Any]]:
    """Yield the line and value of each list item, or of each document that is not a list."""
    if len(text) > YAML_LIMITS.characters:
        raise _too_much(f"the YAML has more than {YAML_LIMITS.characters:,} characters")
    loader = _Loader(text)
    try:
        while loader.check_node():
            node: Any = loader.get_node()
            nodes = node.value if isinstance(node, yaml.SequenceNode) else [node]
            for each in nodes:
                yield each.start_mark.line + 1, loader.construct_object(each, deep=True)
    except yaml.MarkedYAMLError as error:
        raise _malformed(error) from None
    except yaml.YAMLError as error:
        raise MeaningProblem(f"malformed YAML: {error}", code=_CODE) from None
    except ValueError as error:  # a number with more digits than Python converts
        raise MeaningProblem(f"malformed YAML: {error}", code=_CODE) from None


def _too_much(message: str, place: Place | None = None) -> LimitProblem:
    return LimitProblem(
        message,
        code="SubscriptionLimitError",
        place=place,
        hint="write JSON Lines, which may have any length",
    )


class _Loader(yaml.SafeLoader):
    """Loader of the core values of YAML 1.2, which are those of JSON."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # PyYAML looks for it here  # noqa: RUF012

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._depth = 0
        self._count = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        """Return a node of the text, within the limits; raises for an alias."""
        if self.check_event(yaml.AliasEvent):
            mark = self.get_event().start_mark  # type: ignore[no-untyped-call]
            raise yaml.MarkedYAMLError(None, None, "an alias is not served: write it out", mark)
        self._count += 1
        self._depth += 1
        if self._count > YAML_LIMITS.values:
            raise _too_much(f"the YAML has more than {YAML_LIMITS.values:,} values", self._place())
        if self._depth > YAML_LIMITS.depth:
            raise _too_much(f"the YAML nests deeper than {YAML_LIMITS.depth} levels", self._place())
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node

    def _place(self) -> Place:
        mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
        return Place(mark.line + 1, mark.column + 1)

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        """Return a mapping; raises if a key is repeated."""
        found: dict[Any, Any] = {}
        for key_node, value_node in node.value:
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, str) or not key:
                raise yaml.MarkedYAMLError(
                    None, None, f"a key is a text, got {key!r}", key_node.start_mark
                )
            if key in found:
                raise yaml.MarkedYAMLError(
                    None, None, f"the key {key!r} is given twice", key_node.start_mark
                )
            found[key] = self.construct_object(value_node, deep=deep)
        return found


for _tag, _pattern, _first in (
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("bool", r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    ("int", r"[-+]?(?:0|[1-9][0-9]*)", list("-+0123456789")),
    ("float", r"[-+]?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?", list("-+0123456789")),
):
    _Loader.add_implicit_resolver(
        f"tag:yaml.org,2002:{_tag}", re.compile(rf"(?:{_pattern})\Z"), _first
    )


def _malformed(error: yaml.MarkedYAMLError) -> MeaningProblem:
    mark = error.problem_mark or error.context_mark
    place = None if mark is None else Place(mark.line + 1, mark.column + 1)
    return MeaningProblem(
        f"malformed YAML: {error.problem or error.context}", code=_CODE, place=place
    )


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
