"""Steps in a row: joined, or absent or counted in the windows that other steps bound.

A counted step lies between the steps around it; with WITHIN after the one before, or before the
first. Two in a row cannot share one window, unless both are absent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tocsin.languages.base.texts import ProblemCollector, SourceSpan
from tocsin.languages.rule.syntax import PartSyntax, Repeat, SequenceStep, Unit
from tocsin.plan.nodes.composites import (
    Absence,
    AfterWindow,
    BeforeWindow,
    BetweenWindow,
    Either,
    End,
    Gathered,
    Join,
    Key,
    Moment,
    Part,
    Policy,
    Precedes,
)
from tocsin.values.time import Duration

CODE = "WindowError"

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
        self._making.problems.add(CODE, step.spot, message, hint)


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
