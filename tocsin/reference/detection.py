"""Detection under a consumption policy, step by step: plain queues, every candidate tried.

Nothing is optimised. Events come in canonical order, one step each; the step of a timer comes after
all events that end by its instant. Within a step, parts run from the inside out; a part processes
the outputs of its inputs from left to right, those of each input in canonical order, and only then
its timers. So the result does not depend on the layout of the plan.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import assert_never

from tocsin.events.event import Event
from tocsin.plan.nodes.atoms import Atom
from tocsin.plan.nodes.composites import (
    Absence,
    AfterWindow,
    BeforeWindow,
    BetweenWindow,
    Change,
    Either,
    EveryWindow,
    FixedWindow,
    Gathered,
    Join,
    JoinCondition,
    Key,
    Named,
    Only,
    Part,
    Policy,
    Related,
    Sliding,
    Triggered,
    parts_of,
)
from tocsin.reference.atoms import holds, rows_of
from tocsin.reference.conditions import allows, compare, conditions_on_bounds
from tocsin.reference.declarative_semantics import TriggerRun, join
from tocsin.reference.measures import has_key, have_same_key
from tocsin.reference.occurrence import (
    ReferenceOccurrence,
    occurrence_of,
    scopes_of,
    silence,
    together,
    without,
)
from tocsin.reference.sliding import WindowHistory, changes, instants_of
from tocsin.reference.windows import (
    between,
    breaks_after,
    breaks_before,
    breaks_between,
    ends_in,
    first_end,
    first_start,
    gathered_after,
    gathered_at_once,
    gathered_before,
    gathered_between,
    is_at_once,
    is_in,
    last_reported_window,
    longest_wait,
)
from tocsin.values.time import LAST_INSTANT, Duration, Instant


@dataclass(frozen=True, slots=True, eq=False)
class _Timer:
    """End of a wait at `due`: of an occurrence in a slot, or of a window.

    Without an occurrence it is a window, or, with `since`, several windows from that time on.
    """

    due: Instant
    slot: int = 0
    occurrence: ReferenceOccurrence | None = None
    since: Instant | None = None


@dataclass(slots=True, eq=False)
class _PartState:
    """State of a part: one queue per input, timers, and its emitted and consumed occurrences of
    this step.
    """

    part: Part
    inner: list[_PartState]
    queues: list[list[ReferenceOccurrence]]
    timers: list[_Timer] = field(default_factory=list)
    brought: list[ReferenceOccurrence] = field(default_factory=list)
    used: list[ReferenceOccurrence] = field(default_factory=list)


class PatternDetection:
    """One pattern over one timeline. Pass events in canonical order, then advance to the end of
    time.
    """

    def __init__(self, pattern: Part) -> None:
        self.found: list[ReferenceOccurrence] = []
        self._known: Instant | None = None
        self._quiet_until: Instant | None = None
        self._now: Instant | None = None
        self._sending: dict[Triggered, TriggerRun] = {}
        self._watches: dict[Sliding, WindowHistory] = {}
        self._scopes = scopes_of(pattern)
        self._nodes: dict[Part, _PartState] = {}
        self._vanished: list[tuple[str, ReferenceOccurrence]] = []
        self._consumed: list[tuple[str, ReferenceOccurrence]] = []
        self._root = self._node(pattern)

    def event(self, event: Event) -> None:
        """Process the next event; timers that are due before it fire first.

        An event without a time is ignored.
        """
        if event.interval is not None:
            self._begin(event.interval.end)
            self.advance_to(event.interval.end - 1)
            self._known = event.interval.end
            self._step(event, None)

    def advance_to(self, now: Instant | None) -> None:
        """Advance the watermark to `now`: all events that end by then are known. None is the end of
        time.
        """
        if now is not None:
            self._known = now if self._known is None else max(now, self._known)
        self._quiet_until = self._known
        last = LAST_INSTANT if now is None else min(now, LAST_INSTANT)
        while (due := self._next_timer(now)) is not None and due <= last:
            self._step(None, due)

    def _begin(self, now: Instant) -> None:
        """Start the timers of periodic windows at the first known instant."""
        for node in self._nodes.values() if self._known is None else ():
            match node.part:
                case Absence(_, EveryWindow(length) as window):
                    node.timers.append(_Timer(first_start(window, now) + length))
                case Sliding(every=int()):
                    node.timers.append(_Timer(first_end(node.part, now)))
                case _:
                    pass

    def _node(self, part: Part) -> _PartState:
        """Create the nodes from the inside out: inputs are created, and run, before the part."""
        if part not in self._nodes:
            inner = [self._node(each) for each in parts_of(part)]
            self._nodes[part] = _PartState(part, inner, [[] for _ in inner])
            if isinstance(part, Absence) and isinstance(part.window, FixedWindow):
                self._nodes[part].timers.append(_Timer(part.window.start + part.window.length))
        return self._nodes[part]

    def _next_timer(self, now: Instant | None) -> Instant | None:
        """Return the soonest timer.

        At the end of time, endless periodic windows stop at the last known instant.
        """
        if now is None:
            for node in self._nodes.values():
                if _is_endless(node.part):
                    node.timers = [
                        timer
                        for timer in node.timers
                        if self._known is not None and timer.due <= self._known
                    ]
        return min(
            (timer.due for node in self._nodes.values() for timer in node.timers), default=None
        )

    def _step(self, event: Event | None, due: Instant | None) -> None:
        self._now = due if event is None or event.interval is None else event.interval.end
        for node in self._nodes.values():
            node.brought = []
            node.used = []
            if event is not None and isinstance(node.part, Atom) and holds(node.part, event):
                node.brought.append(occurrence_of(event, rows_of(node.part, event)))
            for slot, inner in enumerate(node.inner):
                for occurrence in sorted(inner.brought, key=lambda each: each.order):
                    self._receive(node, slot, occurrence)
            for timer in [timer for timer in node.timers if timer.due == due]:
                node.timers.remove(timer)
                self._on_timer(node, timer)
        for name, vanished in self._vanished:
            self._forget(name, vanished)
        self._vanished.clear()
        self.found += sorted(self._root.brought, key=lambda each: each.order)

    def _receive(self, node: _PartState, slot: int, occurrence: ReferenceOccurrence) -> None:
        assert not isinstance(node.part, Atom), "an atom has no parts"
        match node.part:
            case Named(name, _, elements):
                node.brought.append(occurrence.named(name).with_elements(elements))
            case Only(_, restriction):
                if allows(restriction, occurrence):
                    node.brought.append(occurrence)
            case Either():
                if not any(each.is_same(occurrence) for each in node.brought):
                    node.brought.append(occurrence)
            case Join():
                self._on_join(node, node.part, slot, occurrence)
            case Absence(by=by):
                if has_key(by, occurrence):
                    self._on_absence(node, node.part, slot, occurrence)
            case Gathered(by=by):
                if has_key(by, occurrence):
                    self._on_gathered(node, node.part, slot, occurrence)
            case Sliding():
                self._watch(node.part).see(occurrence)
                node.timers += [_Timer(due) for due in instants_of(node.part, occurrence)]
            case Change():
                if slot == 1:
                    node.brought += changes(node.part, node.queues[1], occurrence)
                    node.queues[1].append(occurrence)
            case Triggered():
                self._on_trigger(node, node.part, slot, occurrence)
            case _:
                assert_never(node.part)

    def _on_join(
        self, node: _PartState, part: Join, slot: int, occurrence: ReferenceOccurrence
    ) -> None:
        if any(each.is_same(occurrence) for each in node.used):
            return  # single use: already consumed at another slot
        if self._is_consumed(part, occurrence):
            return  # consumed in this step through a name bound in it
        if not has_key(part.by, occurrence):
            return
        node.queues[slot].append(occurrence)
        for choice in self._choices(node, part, slot, occurrence):
            if all(each in queue for each, queue in zip(choice, node.queues, strict=True)):
                whole = join(part, choice)
                if whole is not None:
                    node.brought.append(whole)
                    self._use_up(node, part, enumerate(choice), whole)
        if occurrence in node.queues[slot]:
            self._limit_wait(node, part, slot, occurrence)

    def _limit_wait(
        self, node: _PartState, part: Join, slot: int, occurrence: ReferenceOccurrence
    ) -> None:
        """Set a timer for the longest wait of an occurrence.

        Under single use, a named occurrence that waited in vain at one operator is removed from the
        whole scope.
        """
        wait = longest_wait(part, slot)
        if (
            part.policy is Policy.CHRONICLE
            and isinstance(part.parts[slot], Named)
            and wait is not None
        ):
            node.timers.append(_Timer(occurrence.end + wait, slot, occurrence))

    def _choices(
        self, node: _PartState, part: Join, slot: int, new: ReferenceOccurrence
    ) -> Iterator[tuple[ReferenceOccurrence, ...]]:
        """Return combinations with the new occurrence, oldest first.

        Under RECENT only the most recent of each other part.
        """
        queues = [
            [new] if number == slot else _with_same_key(part.by, queue, new)
            for number, queue in enumerate(node.queues)
        ]
        if part.policy is Policy.RECENT:
            queues = [
                queue if number == slot else _most_recent(queue, new, part.conditions)
                for number, queue in enumerate(queues)
            ]
        return product(*queues)

    def _use_up(
        self,
        node: _PartState,
        part: Join | Absence | Gathered,
        chosen: Iterable[tuple[int, ReferenceOccurrence]],
        whole: ReferenceOccurrence,
    ) -> None:
        match part.policy:
            case Policy.UNRESTRICTED | Policy.GLOBE | Policy.RECENT:
                return
            case Policy.EXCLUSIVE:
                for queue in _roles(node):
                    mine = _with_same_key(part.by, queue, whole)
                    queue[:] = [
                        each for each in queue if each.start > whole.end or each not in mine
                    ]
            case Policy.DEFERRED if any(
                node.part in scope.operators for scope in self._scopes.values()
            ):
                self._settle(node, whole)
            case Policy.DEFERRED:
                for slot, each in chosen:
                    node.queues[slot].remove(each)
            case Policy.CHRONICLE:
                for _, each in chosen:
                    node.used.append(each)
                    for queue in _roles(node):
                        queue[:] = [other for other in queue if not other.is_same(each)]
            case _:
                assert_never(part.policy)

    def _settle(self, node: _PartState, whole: ReferenceOccurrence) -> None:
        """At a scope root, consume the occurrences of its names in the whole scope."""
        for name, scope in self._scopes.items():
            if scope.root == node.part and name in whole.names:
                self._consumed.append((name, whole.names[name]))
                self._forget(name, whole.names[name])

    def _is_consumed(self, part: Join, occurrence: ReferenceOccurrence) -> bool:
        return any(
            part in self._scopes[name].operators and _is_named(occurrence, name, used)
            for name, used in self._consumed
        )

    def _forget(self, name: str, removed: ReferenceOccurrence) -> None:
        for part in self._scopes[name].operators:
            for queue in self._nodes[part].queues:
                queue[:] = [each for each in queue if not _is_named(each, name, removed)]

    def _on_absence(
        self, node: _PartState, absence: Absence, slot: int, occurrence: ReferenceOccurrence
    ) -> None:
        node.queues[slot].append(occurrence)
        if slot == 1 and isinstance(absence.window, BeforeWindow):
            self._on_silence_before(node, absence, absence.window, occurrence)
        if slot == 1 and isinstance(absence.window, AfterWindow):
            self._await_silence(node, absence.window, occurrence)
        if slot == 2:
            self._on_last(node, absence, occurrence)

    def _watch(self, sliding: Sliding) -> WindowHistory:
        return self._watches.setdefault(sliding, WindowHistory(sliding))

    def _on_gathered(
        self, node: _PartState, part: Gathered, slot: int, occurrence: ReferenceOccurrence
    ) -> None:
        node.queues[slot].append(occurrence)
        came = node.queues[0]
        match part.window:
            case AfterWindow(_, length) if slot == 1:
                node.timers.append(_Timer(occurrence.end + length, 1, occurrence))
            case AfterWindow() if is_at_once(part):
                judged = [gathered_at_once(part, first, came) for first in node.queues[1]]
                node.brought += [whole for whole, _ in judged if whole is not None]
                node.queues[1][:] = [rest for _, rest in judged if rest is not None]
            case BeforeWindow() if slot == 1:
                whole = gathered_before(part, occurrence, came)
                node.brought += [] if whole is None else [whole]
            case BetweenWindow() if slot == 2:
                self._on_last_gathered(node, part, occurrence)
            case _:
                pass

    def _on_last_gathered(
        self, node: _PartState, part: Gathered, last: ReferenceOccurrence
    ) -> None:
        came, firsts, lasts = node.queues
        candidates = _with_same_key(part.by, firsts, last)
        if part.policy is Policy.RECENT:
            candidates = _most_recent(candidates, last, part.conditions)
        for first in candidates:
            if first in firsts and last in lasts:
                whole = gathered_between(part, first, last, came)
                if whole is not None:
                    node.brought.append(whole)
                    self._use_up(node, part, ((1, first), (2, last)), whole)

    def _on_trigger(
        self, node: _PartState, trigger: Triggered, slot: int, occurrence: ReferenceOccurrence
    ) -> None:
        sending = self._sending.setdefault(trigger, TriggerRun(trigger))
        assert self._now is not None
        receive = sending.on_target if slot else sending.on_detection
        node.brought += receive(occurrence, self._now)

    def _on_silence_before(
        self,
        node: _PartState,
        absence: Absence,
        window: BeforeWindow,
        occurrence: ReferenceOccurrence,
    ) -> None:
        left = without(
            occurrence,
            [each for each in node.queues[0] if breaks_before(absence, each, occurrence)],
        )
        if left is not None:
            node.brought.append(left.silent_before(occurrence.start - window.length))

    def _await_silence(
        self, node: _PartState, window: AfterWindow, occurrence: ReferenceOccurrence
    ) -> None:
        node.timers.append(_Timer(occurrence.end + window.length, 1, occurrence))

    def _on_last(self, node: _PartState, absence: Absence, last: ReferenceOccurrence) -> None:
        absent, firsts, lasts = node.queues
        candidates = _with_same_key(absence.by, firsts, last)
        if absence.policy is Policy.RECENT:
            candidates = _most_recent(candidates, last, conditions_on_bounds(absence))
        for first in candidates:
            if first in firsts and last in lasts:
                whole = between(absence, first, last)
                if whole is not None:
                    whole = without(
                        whole,
                        [
                            each
                            for each in absent
                            if breaks_between(absence, each, first, last, whole)
                        ],
                    )
                if whole is not None:
                    node.brought.append(whole)
                    self._use_up(node, absence, ((1, first), (2, last)), whole)

    def _on_timer(self, node: _PartState, timer: _Timer) -> None:
        occurrence = timer.occurrence
        match node.part:
            case Join(parts) if occurrence is not None and occurrence in node.queues[timer.slot]:
                node.queues[timer.slot].remove(occurrence)
                name = parts[timer.slot].name  # type: ignore[union-attr]
                if name in self._scopes and node.part in self._scopes[name].required:
                    self._vanished.append((name, occurrence.names[name]))
            case Absence(_, FixedWindow(start, length)):
                if not any(is_in(each, start, start + length) for each in node.queues[0]):
                    node.brought.append(silence(start, start + length))
            case Absence(part, EveryWindow(length)):
                self._on_window_over(node, part, timer, length)
            case Absence(_, AfterWindow(_, length)) if (
                occurrence is not None and occurrence in node.queues[1]
            ):
                node.queues[1].remove(occurrence)
                came = [
                    each
                    for each in node.queues[0]
                    if breaks_after(node.part, each, occurrence, length)
                ]
                left = without(occurrence, came)
                if left is not None:
                    node.brought.append(left.silent_after(occurrence.end, occurrence.end + length))
            case Gathered(_, AfterWindow()) if (
                occurrence is not None
                and occurrence in node.queues[1]
                and not is_at_once(node.part)
            ):
                node.queues[1].remove(occurrence)
                whole = gathered_after(node.part, occurrence, node.queues[0])
                node.brought += [] if whole is None else [whole]
            case Sliding(every=None):
                node.brought += self._watch(node.part).matches_at(timer.due)
            case Sliding(every=int(every)):
                self._on_measured(node, node.part, timer, every)

    def _on_measured(self, node: _PartState, part: Sliding, timer: _Timer, every: Duration) -> None:
        """End a periodic window of a measure. Many empty windows that match are emitted as one."""
        watch, due = self._watch(part), timer.due
        last = (
            last_reported_window(part.part, due, every, self._quiet_until)
            if watch.is_empty_at(due)
            else due
        )
        if last > due:
            node.timers.append(
                _Timer(last, since=due - part.over if timer.since is None else timer.since)
            )
            return
        if timer.since is not None and watch.holds_of_nothing:
            node.brought.append(silence(timer.since, due))
        elif timer.since is None:
            node.brought += watch.matches_for_window(due)
        node.timers.append(_Timer(due + every))

    def _on_window_over(
        self, node: _PartState, part: Part, timer: _Timer, length: Duration
    ) -> None:
        """End a periodic window of an absence: emit if it is empty.

        If the clock skips many empty windows, they are emitted as one.
        """
        start = timer.due - length if timer.since is None else timer.since
        last = last_reported_window(part, timer.due, length, self._quiet_until)
        if any(ends_in(each, start, timer.due) for each in node.queues[0]):
            node.timers.append(_Timer(timer.due + length))
        elif last > timer.due:
            node.timers.append(_Timer(last, since=start))
        else:
            node.brought.append(silence(start, timer.due))
            node.timers.append(_Timer(timer.due + length))


def _roles(node: _PartState) -> list[list[ReferenceOccurrence]]:
    """Return the queues that a combination consumes from; evidence against an absence is never
    consumed.
    """
    return node.queues[1:] if isinstance(node.part, Absence | Gathered) else node.queues


def _is_endless(part: Part) -> bool:
    if isinstance(part, Sliding):
        return part.every is not None
    return isinstance(part, Absence) and isinstance(part.window, EveryWindow)


def _with_same_key(
    by: Key, queue: Iterable[ReferenceOccurrence], other: ReferenceOccurrence
) -> list[ReferenceOccurrence]:
    return [each for each in queue if have_same_key(by, each, other)]


def _most_recent(
    queue: Sequence[ReferenceOccurrence],
    new: ReferenceOccurrence,
    conditions: Sequence[JoinCondition],
) -> list[ReferenceOccurrence]:
    """Return the latest occurrence that agrees with the new one on names and on attributes."""
    agreeing = [each for each in queue if _agree(each, new, conditions)]
    return sorted(agreeing, key=lambda each: each.order)[-1:]


def _agree(
    one: ReferenceOccurrence, other: ReferenceOccurrence, conditions: Sequence[JoinCondition]
) -> bool:
    both = together((one, other))
    return both is not None and all(
        compare(each, both.names)
        for each in conditions
        if isinstance(each, Related)
        and each.left.name in both.names
        and each.right.name in both.names
    )


def _is_named(occurrence: ReferenceOccurrence, name: str, used: ReferenceOccurrence) -> bool:
    return name in occurrence.names and occurrence.names[name].is_same(used)
