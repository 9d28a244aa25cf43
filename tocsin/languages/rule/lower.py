"""Syntax to plan, form by form. A problem in one place hides none elsewhere.

Steps in a row are joined, or absent or counted in the windows that other steps bound.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import assert_never

from tocsin.languages.base.plan_parts import ORDER, one_of_seven
from tocsin.languages.base.texts import ProblemCollector, SourceSpan
from tocsin.languages.rule.lower_aggregates import (
    PAIRED_MEASURES,
    AggregateLowering,
    merge_measures,
    with_name,
)
from tocsin.languages.rule.names import NOTHING
from tocsin.languages.rule.printer import part_text
from tocsin.languages.rule.syntax import (
    AllenRelation,
    EmbeddedAtom,
    EventAtom,
    PartSyntax,
    Repeat,
    RuleAnd,
    RuleOr,
    RuleSequence,
    SequenceStep,
    Slides,
    StateChangeSyntax,
    Unit,
)
from tocsin.plan.nodes import composites, expressions
from tocsin.plan.nodes.atoms import Atom
from tocsin.plan.nodes.composites import (
    Absence,
    AfterWindow,
    BeforeWindow,
    BetweenWindow,
    Either,
    End,
    Gathered,
    Join,
    JoinCondition,
    Key,
    Moment,
    Named,
    Part,
    Policy,
    Precedes,
)
from tocsin.plan.nodes.expressions import Measure
from tocsin.values.time import Duration, format_duration

# Steps in a row. A counted step lies between the steps around it; with WITHIN after the one before,
# or before the first. Two in a row cannot share one window, unless both are absent.

_WINDOW_CODE = "WindowError"

Window = AfterWindow | BetweenWindow | BeforeWindow


@dataclass(frozen=True, slots=True)
class SequenceContext:
    """Callbacks and settings for the parts of a sequence.

    `part` lowers a part, `made` calls a factory whose limits may raise, `open_window` is the length
    of a window without WITHIN, `alone` lowers a single step.
    """

    part: Callable[[PartSyntax], Part]
    made: Callable[[SourceSpan, Callable[[], Part]], Part]
    open_window: Callable[[SequenceStep], Duration]
    alone: Callable[[SequenceStep], Part]
    problems: ProblemCollector
    by: Key
    policy: Policy


def follows(left: Part, right: Part, within: Duration | None, by: Key, policy: Policy) -> Join:
    """Return `A THEN B WITHIN t`."""
    order = Precedes(Moment(0, End.FINISH), Moment(1, End.START))
    if within is None:
        return Join((left, right), (order,), policy, by=by)
    limit = Precedes(Moment(1, End.FINISH), Moment(0, End.FINISH), -within, or_equal=True)
    return Join((left, right), (order, limit), policy, by=by)


class SequenceLowering:
    """Lowering of one sequence: the part until now, and the steps without a window yet."""

    def __init__(self, making: SequenceContext) -> None:
        self._making = making
        self._whole: Part | None = None
        self._waiting: list[SequenceStep] = []

    def part(self, steps: Sequence[SequenceStep]) -> Part:
        """Return the part of all steps."""
        if len(steps) == 1:
            return self._making.alone(steps[0])
        for step in steps:
            if is_counted(step):
                self._count(step)
            else:
                self._follow(step)
        if self._waiting and self._whole is not None:
            self._close_after(self._making.open_window(self._waiting[-1]))
        elif self._waiting:
            self._refuse(self._waiting[0], "nothing comes before or after", "add a step with THEN")
            return self._making.part(self._waiting[0].part)
        assert self._whole is not None
        return self._whole

    def _follow(self, step: SequenceStep) -> None:
        """Add a step that happens: it closes the window of the waiting steps, or follows."""
        making, within = self._making, within_of(step)
        part = making.part(step.part)
        if self._waiting and self._whole is None:
            first = self._waiting[0]
            length = within_of(first)
            window = BeforeWindow(
                part, making.open_window(first) if length is None else length, whole=True
            )
            self._whole = self._counted(window, within, step)
        elif self._waiting:
            assert self._whole is not None
            self._whole = self._counted(BetweenWindow(self._whole, part), within, step)
        elif self._whole is None:
            if step.within is not None:
                self._refuse(step, "WITHIN counts from the step before", _WHOLE)
            self._whole = part
        else:
            self._whole = follows(self._whole, part, within, making.by, making.policy)

    def _count(self, step: SequenceStep) -> None:
        """Add an absent or counted step: with WITHIN it has its window, else it waits for one."""
        if self._waiting and not (step.absent and all(each.absent for each in self._waiting)):
            self._refuse(step, "two counted steps in a row", "say WITHIN for the first of them")
        self._waiting.append(step)
        if self._whole is not None and step.within is not None:
            self._close_after(step.within.microseconds)

    def _close_after(self, length: Duration) -> None:
        assert self._whole is not None
        self._whole = self._counted(AfterWindow(self._whole, length), None, self._waiting[-1])

    def _counted(self, window: Window, limit: Duration | None, closing: SequenceStep) -> Part:
        """Return the waiting steps as absent from the window or counted in it."""
        making, steps = self._making, self._waiting
        self._waiting = []
        first, repeat = steps[0], repeat_of(steps[0])
        parts = tuple(making.part(each.part) for each in steps)
        counted = parts[0] if len(parts) == 1 else Either(parts)
        if repeat is None:
            if isinstance(window, BeforeWindow) and limit is not None:
                self._refuse(closing, "WITHIN counts from the step before", _WHOLE)
            if isinstance(window, BeforeWindow) and len(steps) > 1:
                self._refuse(steps[1], "two absent steps before the first", "write NO (a OR b)")
            return Absence(counted, window, (), making.policy, keep=limit, by=making.by)
        return making.made(
            first.spot,
            lambda: Gathered(
                counted,
                window,
                repeat.least,
                repeat.most,
                policy=making.policy,
                by=making.by,
                limit=limit,
            ),
        )

    def _refuse(self, step: SequenceStep, message: str, hint: str) -> None:
        self._making.problems.add(_WINDOW_CODE, step.spot, message, hint)


_WHOLE = "leave it out, or bound the whole with ALL WITHIN at the end"


def repeat_of(step: SequenceStep) -> Repeat | None:
    """Return the repeat of a step; None for once, which is not counted."""
    return step.part.repeat if isinstance(step.part, Unit) else None


def is_counted(step: SequenceStep) -> bool:
    """True if a step is absent or counted in a window."""
    return step.absent or repeat_of(step) is not None


def within_of(step: SequenceStep) -> Duration | None:
    """Return the WITHIN of a step, or None."""
    return None if step.within is None else step.within.microseconds


DEFAULT_HORIZON_USED = "DefaultHorizon"

_PAIRED = (
    "AND pairs the matches of measures over other events or another window: they need not hold"
    " at one instant",
    "give both the same event, OVER and EVERY, or say with ALL WITHIN how far apart they may be",
)

_HINT_WITHIN = "write WITHIN and how long, as in WITHIN 2h"


@dataclass(slots=True)
class RuleLowering(AggregateLowering):
    """One walk over a rule: units, sequences and the operators between them."""

    def part(self, node: PartSyntax) -> Part:
        """Return the part of a node."""
        return self.sources.add(self._part(node), partial(part_text, node))

    def _part(self, node: PartSyntax) -> Part:
        match node:
            case EventAtom() | EmbeddedAtom():
                found = self.sources.add(self.names.part(node), partial(part_text, node))
                return self._bound(found, node.spot)
            case Unit():
                return self._unit(node)
            case StateChangeSyntax():
                return self._changes(node, "")
            case Slides():
                return self._slides(node, "")
            case RuleSequence(steps):
                return SequenceLowering(self._making()).part(steps)
            case AllenRelation():
                return self._stands(node)
            case RuleAnd(parts):
                return self._both(parts)
            case RuleOr(parts):
                return composites.Either(tuple(self.part(each) for each in parts))
            case _:
                assert_never(node)

    # Units

    def _unit(self, node: Unit) -> Part:
        """Return a part with a name, or a repeated part outside of a sequence.

        A sequence reads the repeats of its own steps.
        """
        if node.repeat is not None:
            return self._alone(SequenceStep(node, spot=node.spot))
        match node.core:
            case StateChangeSyntax(word="HOLDS") as core:
                return self._changes(core, node.name)
            case Slides() as core:
                return with_name(node.name, self._slides(core, node.name))
            case core:
                return with_name(node.name, self.part(core))

    def _bound(self, part: Part, spot: SourceSpan) -> Part:
        """Return a part that binds the elements of its events, if elements are a key."""
        each = self.manner.each
        if each is None:
            return part
        if not isinstance(part, Atom):
            self.problems.add(
                "ForEachError",
                spot,
                f"{spot.text} is about several events, whose elements are not told apart",
                "write the part out, or drop [] after the key",
            )
            return NOTHING
        return Named(self.hidden_name(), part, each)

    def _both(self, nodes: tuple[PartSyntax, ...]) -> Part:
        """Return parts in any order; measures of one window are tested at the same instant."""
        merged = merge_measures([self.part(each) for each in nodes])
        self.aliases |= merged.aliases
        for first, numbers in merged.groups.items():
            together = RuleAnd(tuple(nodes[number] for number in numbers))
            self.sources.add(merged.parts[first], partial(part_text, together))
        if len(merged.measures) > 1:
            self.warnings.add(PAIRED_MEASURES, nodes[merged.measures[1]].spot, *_PAIRED)
        whole, *rest = merged.parts.values()
        for each in rest:
            whole = Join((whole, each), (), self.manner.policy, by=self.manner.by)
        return whole

    def _stands(self, node: AllenRelation) -> Part:
        for side in (node.left, node.right):
            if isinstance(side, Unit) and side.repeat is not None:
                self.problems.add(
                    "RepeatError",
                    side.repeat.spot,
                    f"what happens {side.repeat.spot.text} has no interval beside {node.relation}",
                    "count in a sequence, as in a THEN b x3 WITHIN 5m",
                )
        word = "".join(each.capitalize() for each in node.relation.split())
        relation, exchanged = one_of_seven(("Un" if node.negated else "") + word)
        left, right = self.part(node.left), self.part(node.right)
        parts = (right, left) if exchanged else (left, right)
        stands = composites.Stands(0, relation, 1)
        conditions: tuple[JoinCondition, ...] = (*ORDER.get(relation, ()), stands)
        return Join(parts, conditions, self.manner.policy, by=self.manner.by)

    # Sequences

    def _making(self) -> SequenceContext:
        return SequenceContext(
            self._step_part,
            self._made,
            self._open_window,
            self._alone,
            self.problems,
            self.manner.by,
            self.manner.policy,
        )

    def _step_part(self, node: PartSyntax) -> Part:
        """Return the part of a step without its repeat, which the sequence handles."""
        return self.part(replace(node, repeat=None) if isinstance(node, Unit) else node)

    def _open_window(self, step: SequenceStep) -> Duration:
        """Return the length of a window without WITHIN: the horizon.

        Adds a warning for the default horizon, and a problem if the horizon is off.
        """
        horizon = self.manner.horizon
        what = "NO" if step.absent else "a counted step"
        if horizon is None:
            message = f"{what} without WITHIN waits for ever, and the horizon is off"
            self.problems.add("UnboundedState", step.spot, message, _HINT_WITHIN)
            return 1
        if not self.manner.says_horizon:
            message = f"{what} without WITHIN waits for the horizon: {format_duration(horizon)}"
            hint = f"{_HINT_WITHIN}, or HORIZON {format_duration(horizon)} if it is meant"
            self.warnings.add(DEFAULT_HORIZON_USED, step.spot, message, hint)
        return horizon

    def _alone(self, step: SequenceStep) -> Part:
        """Return a single step; a repeated one is an aggregate over a sliding window."""
        repeat, within = repeat_of(step), within_of(step)
        if step.absent or repeat is None:
            message = (
                "NO needs a step before or after it"
                if step.absent
                else "WITHIN counts from a step before"
            )
            hint = (
                "as in a THEN NO b WITHIN 2h, or NO b WITHIN 2h THEN a"
                if step.absent
                else "bound the whole with ALL WITHIN, or write a THEN b WITHIN 5m"
            )
            self.problems.add("WindowError", step.spot, message, hint)
            return self._step_part(step.part)
        if repeat.most not in (None, repeat.least):
            self.problems.add(
                "RepeatError",
                repeat.spot,
                f"{repeat.spot.text or 'a range'} needs a step before or after it",
                "alone only a least number is counted: write x3 WITHIN 5m",
            )
        length = self._open_window(step) if within is None else within
        assert isinstance(step.part, Unit)
        counted = self.part(step.part.core)
        self.slides = True
        made = self._made(
            step.spot,
            lambda: self._sliding(
                counted, Measure(expressions.Aggregate.COUNT), (">=", repeat.least), length
            ),
        )
        unnamed = replace(step, part=replace(step.part, name=""))
        self.sources.add(made, partial(part_text, RuleSequence((unnamed,))))
        return with_name(step.part.name, made)
