"""Checks of a rule before lowering: durations, repeats, names, keys, values of WHERE and SELECT.

FOR EACH names paths that all parts have in common, one of which may be of the elements of a list.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from math import isfinite

from tocsin.errors import Place, Problem
from tocsin.languages.base.texts import ProblemCollector, SourceSpan
from tocsin.languages.rule.names import ENVELOPE_NAMES, path_of
from tocsin.languages.rule.printer import value_text
from tocsin.languages.rule.syntax import (
    Distance,
    EmbeddedAtom,
    EventAtom,
    Length,
    Over,
    PathName,
    Repeat,
    RuleAttribute,
    RuleConstant,
    RuleSequence,
    RuleSyntax,
    SelectItem,
    Slides,
    StateChangeSyntax,
    Unit,
    ValueSyntax,
    lengths_of,
    nodes_of,
    values_in,
)
from tocsin.languages.rule.transformer import NO_LENGTH, RuleLimits, exceeded
from tocsin.plan.explain.atoms import selector_text
from tocsin.plan.nodes.atoms import AllOf, Condition, IsNull, Not
from tocsin.plan.nodes.composites import Change, Key, Part, parts_of
from tocsin.plan.nodes.expressions import Elements
from tocsin.plan.passes.contradictions import never_holds
from tocsin.plan.semantics.extent import MAX_STEPS
from tocsin.values.scalars import Path
from tocsin.values.time import format_duration, parse_duration

_FORM = "write a number and a unit: 500ms, 30s, 10m, 2h or 1d"


@dataclass(frozen=True, slots=True)
class PartNames:
    """Names that a rule gives to one event, to several or to a combination; and those of absent
    parts.
    """

    nodes: Mapping[str, Unit] = field(default_factory=dict)
    absent: frozenset[str] = frozenset()

    def is_several(self, name: str) -> bool:
        """True if the name stands for any number of events."""
        node = self.nodes[name]
        return node.repeat is not None or isinstance(node.core, Slides)

    def is_one(self, name: str) -> bool:
        """True if the name stands for one event."""
        node = self.nodes[name]
        one = isinstance(node.core, EventAtom | EmbeddedAtom | StateChangeSyntax)
        return node.repeat is None and one


def check(rule: RuleSyntax, problems: ProblemCollector, limits: RuleLimits) -> PartNames:
    """Add the problems of a rule and return its names."""
    _refuse_large(rule, problems, limits)
    for length in lengths_of(rule):
        _check_length(length, problems, limits)
    for node in nodes_of(rule.when):
        if isinstance(node, Unit) and node.repeat is not None:
            _check_repeat(node.repeat, problems, limits)
        if isinstance(node, Slides) and not isfinite(node.value):
            problems.add("NumberError", node.spot, "the number is too large", "write a smaller one")
    labels = _labels(rule, problems)
    for value, spot in _values(rule):
        _check_value(value, spot, labels, problems)
    _check_items(rule.select, labels, problems)
    return labels


def _refuse_large(rule: RuleSyntax, problems: ProblemCollector, limits: RuleLimits) -> None:
    size = 0
    for node in nodes_of(rule.when):
        size += 1
        if isinstance(node, RuleSequence) and len(node.steps) > limits.steps:
            raise exceeded(
                f"the sequence has {len(node.steps)} steps, the limit is {limits.steps}: each keeps"
                " all that waits for the next",
                problems.place(node.steps[limits.steps].spot),
                "define a part of it by a name and use the name",
            )
    if len(rule.keys) > limits.keys:
        raise exceeded(
            f"FOR EACH has {len(rule.keys):,} keys, the limit is {limits.keys}",
            problems.place(rule.keys[limits.keys].spot),
            "name only what tells the parts apart",
        )
    if size > limits.parts:
        raise exceeded(
            f"the rule has {size:,} parts, the limit is {limits.parts:,}",
            Place(1, 1),
            "say several conditions on one event as one, or split the rule",
        )


def _check_length(length: Length, problems: ProblemCollector, limits: RuleLimits) -> None:
    if length.microseconds == NO_LENGTH:
        try:
            parse_duration(length.spot.text)
        except Problem as problem:
            hint = _with_unit(length.spot.text) or _FORM
            problems.add("DurationError", length.spot, problem.message, hint)
    elif length.microseconds > limits.duration:
        most = format_duration(limits.duration)
        problems.found.append(
            exceeded(
                f"{length.spot.text or 'the duration'} is longer than {most}: all that lies in it"
                " would be kept",
                problems.place(length.spot),
                f"write at most {most}",
                length.spot.text,
            )
        )


def _with_unit(text: str) -> str:
    return f"say the unit, as in {text}s or {text}m" if text.isdecimal() else ""


def _check_repeat(repeat: Repeat, problems: ProblemCollector, limits: RuleLimits) -> None:
    least, most, text = repeat.least, repeat.most, repeat.spot.text
    if least == 0 and most in (None, 0):
        message = f"{text or 'x0'} asks for nothing"
        hint = "an absence is NO, as in a THEN NO b WITHIN 2h"
        problems.add("RepeatError", repeat.spot, message, hint)
    elif most is not None and most < least:
        message = f"the range {least}..{most} is empty"
        problems.add("RepeatError", repeat.spot, message, f"write x{most}..{least}")
    elif max(least, most or 0) > limits.times:
        problems.found.append(
            exceeded(
                f"more than {limits.times:,} times: all that is counted is part of the match",
                problems.place(repeat.spot),
                "count with COUNT(...) >= n OVER t instead",
                text,
            )
        )


def _labels(rule: RuleSyntax, problems: ProblemCollector) -> PartNames:
    nodes: dict[str, Unit] = {}
    absent: set[str] = set()
    for node in nodes_of(rule.when):
        if isinstance(node, Unit) and node.name:
            if node.name in nodes:
                message = f"{node.name} names a second part"
                problems.add("DuplicateName", node.spot, message, "give it a name of its own")
            nodes.setdefault(node.name, node)
        if isinstance(node, RuleSequence):
            for step in node.steps:
                inner = nodes_of(step.part) if step.absent else ()
                absent |= {each.name for each in inner if isinstance(each, Unit) and each.name}
    return PartNames(nodes, frozenset(absent))


def _values(rule: RuleSyntax) -> Iterator[tuple[ValueSyntax, SourceSpan]]:
    for comparison in rule.where:
        for side in (comparison.left, comparison.right):
            yield from ((each, each.spot) for each in values_in(side))
    for item in rule.select:
        yield from ((each, each.spot) for each in values_in(item.value))


def _check_value(
    value: ValueSyntax, spot: SourceSpan, labels: PartNames, problems: ProblemCollector
) -> None:
    match value:
        case RuleAttribute(name, path):
            if not path:
                _check_bare(name, spot, labels, problems)
            elif _is_known(name, spot, labels, problems) and not (
                labels.is_one(name) or labels.is_several(name)
            ):
                _refuse_composite(name, path, spot, problems)
        case Over(function, name, path):
            if _is_known(name, spot, labels, problems):
                _check_over(value, spot, labels, problems)
            if function != "COUNT" and not path:
                message = f"{function} is of an attribute"
                problems.add("WhereError", spot, message, f"write {function}({name}.amount)")
        case Distance(left, right):
            for name in (left, right):
                _is_known(name, spot, labels, problems)
            if left == right:
                message = f"{left} is no distance away from itself"
                problems.add("WhereError", spot, message, "name two parts")
        case RuleConstant(value=int() | float() as number) if not isfinite(number):
            problems.add("NumberError", spot, "the number is too large", "write a smaller one")
        case _:
            pass


def _is_known(name: str, spot: SourceSpan, labels: PartNames, problems: ProblemCollector) -> bool:
    if name in labels.nodes:
        return True
    near = get_close_matches(name, labels.nodes, n=1)
    hint = f"did you mean {near[0]}?" if near else f"name a part with a colon: {name}: order"
    problems.add("UnknownName", spot, f"no part is called {name}", hint)
    return False


def _check_bare(name: str, spot: SourceSpan, labels: PartNames, problems: ProblemCollector) -> None:
    if name in labels.nodes:
        message = f"{name} is a part, not a value"
        problems.add("WhereError", spot, message, f"write {name}. and the name of an attribute")
        return
    example = next(iter(labels.nodes), "a")
    problems.add(
        "WhereError",
        spot,
        f"{name} does not say of which part it is an attribute",
        f"write {example}.{name}; a condition on one event stands in parentheses after its type",
    )


def _refuse_composite(name: str, path: str, spot: SourceSpan, problems: ProblemCollector) -> None:
    message = f"{name} is about more than one event, so .{path} is the attribute of none"
    problems.add("WhereError", spot, message, "name the one event that has the attribute")


def _check_over(
    value: Over, spot: SourceSpan, labels: PartNames, problems: ProblemCollector
) -> None:
    if labels.is_several(value.name) or value.name in labels.absent:
        return
    message = f"{value.name} is not repeated, so {value_text(value)} is of one event"
    problems.add("AggregateError", spot, message, f"repeat it, as in {value.name}: order x1+")


def _check_items(
    items: tuple[SelectItem, ...], labels: PartNames, problems: ProblemCollector
) -> None:
    names: set[str] = set()
    for item in items:
        name = item_name(item)
        if name in names or name in labels.nodes:
            message = f"two values are called {name}"
            problems.add("SelectError", item.spot, message, "say another name with AS")
        names.add(name)
        for value in values_in(item.value):
            match value:
                case RuleAttribute(own, path) if own in labels.nodes and labels.is_several(own):
                    message = f"{own} is several events, so {own}.{path} is the attribute of none"
                    hint = f"write FIRST({own}).{path}, LAST({own}).{path} or SUM({own}.{path})"
                    problems.add("SelectError", item.spot, message, hint)
                case RuleAttribute(own) | Over(_, own) if own in labels.absent:
                    message = f"{own} is absent, so it has nothing to tell"
                    problems.add("SelectError", item.spot, message, "select from what happens")
                case _:
                    pass


def item_name(item: SelectItem) -> str:
    """Return the name of a SELECT value in a match.

    The given one, the last step of an attribute, or the value as written.
    """
    if item.name:
        return item.name
    if isinstance(item.value, RuleAttribute):
        return item.value.path.split(".")[-1].strip("`")
    return value_text(item.value)


# FOR EACH.

_KEY_CODE = "ForEachError"


def keys_of(keys: tuple[PathName, ...], problems: ProblemCollector) -> tuple[Key, Elements | None]:
    """Return the paths of the keys, and variable and path of the key of list elements, if any."""
    by = tuple(path_of(key.text) for key in keys if not key.each)
    lists = [key for key in keys if key.each]
    for key in lists[1:]:
        message = f"{key.text}[] is a second list whose elements are keys"
        problems.add(_KEY_CODE, key.spot, message, "take the elements of one list")
    for key in keys:
        _refuse_unknown_envelope(key, problems)
    for number, path in enumerate(by):
        if path in by[:number]:
            spot = [key for key in keys if not key.each][number].spot
            problems.add(_KEY_CODE, spot, f"{spot.text} is a key already", "leave it out")
    each = (lists[0].text.replace("`", ""), path_of(lists[0].text)) if lists else None
    return by, each


def _refuse_unknown_envelope(key: PathName, problems: ProblemCollector) -> None:
    prefix, _, rest = key.text.partition("_")
    if prefix != "ce" or rest in ENVELOPE_NAMES or not rest:
        return
    near = get_close_matches(rest, sorted(ENVELOPE_NAMES), n=1)
    known = ", ".join(f"ce_{name}" for name in sorted(ENVELOPE_NAMES))
    hint = f"did you mean ce_{near[0]}? " if near else ""
    message = f"no part can have {key.text}: the envelope has no such field"
    problems.add(
        _KEY_CODE, key.spot, message, f"{hint}known are {known}; in data write `{key.text}`"
    )


def refuse_impossible_keys(
    part: Part, keys: tuple[PathName, ...], problems: ProblemCollector
) -> None:
    """Add a problem for a key that a part can never have, because its own condition excludes it."""
    for key in keys:
        path = path_of(key.text)
        if len(path) > MAX_STEPS:
            continue  # refused by the extent of the plan
        for atom in _conditions(part):
            if _excludes(atom, path):
                message = f"no event has {key.text} of which {_shown(atom)} is true"
                hint = "every part needs a value there; choose another key, or mend the condition"
                problems.add(_KEY_CODE, key.spot, message, hint)
                break


def _conditions(part: Part) -> Iterator[Condition]:
    """Yield the conditions on events, without the states of changes."""
    if isinstance(part, Condition):
        yield part
    inner = parts_of(part)
    for each in inner[1:] if isinstance(part, Change) else inner:
        yield from _conditions(each)


def _excludes(atom: Condition, path: Path) -> bool:
    if never_holds(atom.expression):
        return False  # has a warning of its own
    return never_holds(AllOf((atom.expression, Not(IsNull(path)))))


def _shown(atom: Condition) -> str:
    text = selector_text(atom.expression)
    return text if len(text) <= 60 else text[:57] + "..."
