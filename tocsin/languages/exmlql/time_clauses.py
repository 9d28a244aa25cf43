"""Time clauses to joins (spec 4.1, 4.2): every block is a named part, so its label is one event
everywhere.

Block variables are checked first: each labels one event, the time clause uses known labels, and
contexts are compatible. Contexts become policies: Recent takes the most recent, Exclusive the
oldest and drops it, Globe every combination.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import permutations
from typing import assert_never

from tocsin.errors import Problem
from tocsin.languages.base.texts import ProblemCollector, SourceSpan
from tocsin.languages.exmlql.source_texts import SourceTexts
from tocsin.languages.exmlql.syntax import (
    SYNTAX_CODE,
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
from tocsin.plan.nodes.composites import (
    Absence,
    AfterWindow,
    BetweenWindow,
    Either,
    End,
    Join,
    JoinCondition,
    Meeting,
    Moment,
    Named,
    Only,
    Part,
    Plan,
    Policy,
    Precedes,
    Send,
    Triggered,
    Waiting,
)
from tocsin.plan.nodes.sources import SourceRecorder
from tocsin.plan.xml.construction import Construct
from tocsin.plan.xml.row_terms import RowCondition
from tocsin.plan.xml.xml_patterns import XmlBlock
from tocsin.values.time import Duration, parse_duration

# Block variables.


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


@dataclass(frozen=True, slots=True)
class Composition:
    """A subscription about several events: blocks by label, conditions between them, output."""

    subscription: ExmlqlSubscription
    blocks: Mapping[str, XmlBlock]
    conditions: tuple[RowCondition, ...]
    output: Construct | None

    @property
    def contexts(self) -> frozenset[str]:
        """The contexts of the whole subscription."""
        given = self.subscription.contexts
        return frozenset(name.text for name in given.names) if given else frozenset()


def lower_composition(
    composition: Composition,
    problems: ProblemCollector,
    sources: SourceRecorder,
    texts: SourceTexts,
) -> Plan | None:
    """Return the plan; None if a duration is invalid."""
    lowering = _TimeClauseLowering(composition, problems, sources, texts)
    pattern = lowering.pattern()
    if problems.found:
        return None
    return (
        Plan(pattern, composition.output)
        if composition.output
        else _triggered(composition, pattern)
    )


class _TimeClauseLowering:
    """Lowering of one time clause."""

    def __init__(
        self,
        composition: Composition,
        problems: ProblemCollector,
        sources: SourceRecorder,
        texts: SourceTexts,
    ) -> None:
        self._composition = composition
        self._problems = problems
        self._sources = sources
        self._texts = texts
        self._within = self._duration(composition.subscription.within)

    def pattern(self) -> Part:
        """Return the whole pattern.

        Without a time clause it is one event of every block, the most recent of each.
        """
        time, policy = self._composition.subscription.time, _policy(self._composition.contexts)
        if time is None:
            parts = tuple(Named(label, block) for label, block in self._composition.blocks.items())
            whole = self._join(parts, (), Policy.RECENT)
            return self._sources.add(whole, self._texts.of_where)
        return self._part(time, policy)

    def _part(self, part: TimePart, policy: Policy) -> Part:
        return self._sources.add(self._lower(part, policy), partial(self._texts.of_part, part))

    def _lower(self, part: TimePart, policy: Policy) -> Part:
        match part:
            case BlockUse(spot):
                return Named(spot.text, self._composition.blocks[spot.text])
            case PartGroup(inner, contexts):
                own = _policy(frozenset(each.text for each in contexts)) if contexts else policy
                return self._group(inner, own, policy)
            case Operation(operator, left, right):
                return self._operation(
                    operator.text, self._part(left, policy), self._part(right, policy), policy
                )
            case WindowedPart():
                return self._timed(part, policy)
            case _:
                assert_never(part)

    def _group(self, inner: TimePart, own: Policy, outer: Policy) -> Part:
        """Return a group with its own contexts, which apply to its outermost operator only."""
        part = self._part(inner, outer)
        return replace(part, policy=own) if isinstance(part, Join | Absence) else part

    def _operation(self, operator: str, left: Part, right: Part, policy: Policy) -> Part:
        if operator == "|":
            return Either((left, right))
        return self._join((left, right), _CONDITIONS[operator], policy)

    def _timed(self, timed: WindowedPart, policy: Policy) -> Part:
        first, middle = self._part(timed.first, policy), self._part(timed.middle, policy)
        if isinstance(timed.last, SourceSpan):
            length = self._duration(timed.last) or 0
            if timed.absent:
                return Absence(middle, AfterWindow(first, length), policy=policy)
            return self._join((first, middle), (_before(0, 1), _ends_within(1, 0, length)), policy)
        last = self._part(timed.last, policy)
        if timed.absent:
            return Absence(middle, BetweenWindow(first, last), policy=policy, keep=self._within)
        return self._join((first, last, middle), (_before(0, 2), _before(2, 1)), policy)

    def _join(
        self, parts: tuple[Part, ...], conditions: tuple[JoinCondition, ...], policy: Policy
    ) -> Join:
        span = () if self._within is None else _span(len(parts), self._within)
        return Join(parts, (*conditions, *span), policy, self._within)

    def _duration(self, spot: SourceSpan | None) -> Duration | None:
        if spot is None:
            return None
        try:
            return parse_duration(spot.text)
        except Problem as problem:
            self._problems.add(SYNTAX_CODE, spot, problem.message, problem.hint)
            return None


def _triggered(composition: Composition, pattern: Part) -> Plan:
    """Return the plan that sends the targets.

    Targets inside the detection are sent with it; the contexts decide which events of the others.
    """
    mode, time = composition.subscription.mode, composition.subscription.time
    assert mode is not None
    assert time is not None
    inside, _ = constituents(time)
    targets = [target.text for target in mode.targets]
    members = tuple(target for target in targets if target in inside)
    others = tuple(target for target in targets if target not in inside)
    if composition.conditions:
        pattern = Only(pattern, Meeting(composition.conditions))
    waiting = _WAITING[composition.contexts]
    parts: list[Part] = [pattern] if members else []
    parts += [
        Triggered(pattern, Named(label, composition.blocks[label]), waiting) for label in others
    ]
    return Plan(parts[0] if len(parts) == 1 else Either(tuple(parts)), Send(members, others))


_WAITING = {
    frozenset[str](): Waiting.FIRST_AFTER,
    frozenset(("Recent",)): Waiting.FIRST_AFTER,
    frozenset(("Recent", "Exclusive")): Waiting.FIRST_AFTER,
    frozenset(("Recent", "Globe")): Waiting.LATEST_SINCE,
    frozenset(("Exclusive",)): Waiting.EVERY_AFTER,
    frozenset(("Globe",)): Waiting.EVERY_SINCE,
}


def _policy(contexts: frozenset[str]) -> Policy:
    if "Recent" in contexts or not contexts:
        return Policy.RECENT
    return Policy.EXCLUSIVE if "Exclusive" in contexts else Policy.GLOBE


def _start(part: int) -> Moment:
    return Moment(part, End.START)


def _finish(part: int) -> Moment:
    return Moment(part, End.FINISH)


def _before(earlier: int, later: int) -> Precedes:
    return Precedes(_finish(earlier), _start(later))


def _ends_within(part: int, after: int, length: Duration) -> Precedes:
    return Precedes(_finish(part), _finish(after), -length, or_equal=True)


def _span(parts: int, length: Duration) -> Sequence[Precedes]:
    """Return conditions that each part ends at most `length` after every other part starts."""
    return [
        Precedes(_finish(one), _start(other), -length, or_equal=True)
        for one, other in permutations(range(parts), 2)
    ]


_CONDITIONS: Mapping[str, tuple[JoinCondition, ...]] = {
    ";": (_before(0, 1),),
    ":": (
        Precedes(_start(0), _start(1)),
        Precedes(_start(1), _finish(0)),
        Precedes(_finish(0), _finish(1)),
    ),
    "||": (
        Precedes(_start(0), _finish(1), or_equal=True),
        Precedes(_start(1), _finish(0), or_equal=True),
    ),
}
