"""Block variables: each labels one event, the time clause uses known labels, and contexts are
compatible.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import assert_never

from tocsin.languages.base.texts import ProblemCollector, SourceSpan
from tocsin.languages.exmlql.syntax import (
    BlockUse,
    Built,
    ExmlqlSubscription,
    Nested,
    Operation,
    PartGroup,
    PatternItem,
    Template,
    TimePart,
    WindowedPart,
    XPathItem,
    uses_of,
)


def check_names(subscription: ExmlqlSubscription, problems: ProblemCollector) -> None:
    """Add every problem with labels, targets and contexts."""
    labels = _check_labels(subscription, problems)
    targets = subscription.mode.targets if subscription.mode else ()
    used = (*(uses_of(subscription.time) if subscription.time else ()), *targets)
    for use in used:
        if use.text not in labels:
            known = ", ".join(labels) or "none"
            problems.add(
                "UnknownBlock",
                use,
                f"there is no block {use.text}",
                f"the blocks of WHERE are: {known}",
            )
    if subscription.time is not None:
        names = {use.text for use in used}
        for label in labels.values():
            if label.text not in names:
                hint = f"use {label.text} in the time clause, or leave its pattern out"
                problems.add(
                    "UnusedBlock",
                    label,
                    f"the time clause does not say when {label.text} happens",
                    hint,
                )
    _check_targets(subscription, problems)
    _check_queries(subscription, labels, problems)
    _check_contexts(subscription, problems)


def constituents(part: TimePart) -> tuple[frozenset[str], frozenset[str]]:
    """Return the blocks with a member in every occurrence, and those in some occurrence."""
    match part:
        case BlockUse(spot):
            return frozenset((spot.text,)), frozenset((spot.text,))
        case PartGroup(inner):
            return constituents(inner)
        case Operation(operator, left, right):
            return _both(operator.text == "|", constituents(left), constituents(right))
        case WindowedPart(first, last, middle, absent):
            found = constituents(first)
            if not isinstance(last, SourceSpan):
                found = _both(False, found, constituents(last))
            return found if absent else _both(False, found, constituents(middle))
        case _:
            assert_never(part)


def _both(
    either: bool,
    left: tuple[frozenset[str], frozenset[str]],
    right: tuple[frozenset[str], frozenset[str]],
) -> tuple[frozenset[str], frozenset[str]]:
    return (left[0] & right[0] if either else left[0] | right[0]), left[1] | right[1]


def _check_labels(
    subscription: ExmlqlSubscription, problems: ProblemCollector
) -> dict[str, SourceSpan]:
    labels: dict[str, SourceSpan] = {}
    before: list[PatternItem | XPathItem] = []
    for item in subscription.blocks:
        if item.label is None:
            continue
        if item in before:
            hint = (
                "leave one out, or give it a label of its own; patterns with one label are about"
                " one event"
            )
            problems.add(
                "DuplicateBlock",
                item.label,
                f"the block {item.label.text} says the same twice",
                hint,
            )
        before.append(item)
        labels.setdefault(item.label.text, item.label)
    if labels and len(subscription.blocks) > sum(
        item.label is not None for item in subscription.blocks
    ):
        first = next(iter(labels.values()))
        problems.add(
            "MixedBlockLabels",
            first,
            "some patterns have a label and some have none",
            "label every pattern with its event, several with one label where they are about one"
            " event; or label none",
        )
    return labels


def _check_queries(
    subscription: ExmlqlSubscription, labels: Mapping[str, SourceSpan], problems: ProblemCollector
) -> None:
    """Check the events of queries in templates: in every match, and named among several."""
    always = frozenset(labels) if subscription.time is None else constituents(subscription.time)[0]
    templates = subscription.construct.templates if subscription.construct else ()
    for item in (
        item for template in templates for item in nested_patterns(template) if item.source is None
    ):
        if item.label is None and (len(labels) > 1 or subscription.has_operator):
            hint = f"say which: write {' or '.join(labels)} behind the pattern, or IN $v"
            message = "there are several events, and the pattern is about one of them"
            problems.add("MixedBlockLabels", item.element.tag.spot, message, hint)
        elif item.label is not None and item.label.text not in labels:
            known = ", ".join(labels) or "none"
            message = f"there is no block {item.label.text}"
            problems.add("UnknownBlock", item.label, message, f"the blocks of WHERE are: {known}")
        elif item.label is not None and item.label.text not in always:
            message = f"{item.label.text} is not part of every alternative"
            problems.add(
                "UnknownBlock", item.label, message, "write one subscription for each alternative"
            )


def nested_patterns(content: Built) -> Iterator[PatternItem]:
    """Yield the patterns of all queries inside a template."""
    if isinstance(content, Nested):
        yield from content.patterns
        yield from nested_patterns(content.content)
    elif isinstance(content, Template):
        for inner in content.contents:
            yield from nested_patterns(inner)


def _check_targets(subscription: ExmlqlSubscription, problems: ProblemCollector) -> None:
    if subscription.time is None or subscription.mode is None:
        return
    always, sometimes = constituents(subscription.time)
    for target in subscription.mode.targets:
        if target.text in sometimes - always:
            problems.add(
                "AmbiguousTarget",
                target,
                f"{target.text} is part of some alternatives and not of others",
                "write one subscription for each alternative, or choose a target that is in all of"
                " them or in none",
            )


def _check_contexts(subscription: ExmlqlSubscription, problems: ProblemCollector) -> None:
    if subscription.contexts:
        _check_context_list(subscription.contexts.names, problems)
    if subscription.time is not None:
        _check_brackets(subscription.time, problems)


def _check_brackets(part: TimePart, problems: ProblemCollector) -> None:
    match part:
        case PartGroup(inner, contexts):
            _check_context_list(contexts, problems)
            _check_brackets(inner, problems)
        case Operation(_, left, right):
            _check_brackets(left, problems)
            _check_brackets(right, problems)
        case WindowedPart(first, last, middle):
            for each in (first, last, middle):
                if not isinstance(each, SourceSpan):
                    _check_brackets(each, problems)
        case BlockUse():
            pass
        case _:
            assert_never(part)


def _check_context_list(names: Sequence[SourceSpan], problems: ProblemCollector) -> None:
    seen: set[str] = set()
    for name in names:
        if name.text in seen:
            problems.add(
                "ContextConflict", name, f"{name.text} stands twice", "name each context once"
            )
        elif {name.text, *seen} >= {"Exclusive", "Globe"}:
            problems.add(
                "ContextConflict",
                name,
                "Exclusive and Globe exclude each other",
                "Exclusive uses the oldest and drops what was used, Globe keeps every combination:"
                " choose one",
            )
        seen.add(name.text)
