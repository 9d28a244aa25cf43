"""Replay of events for a composite and each of its parts: the matches, and the partial matches that
are left, of the whole and with single events.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from tocsin.engine.columns.batch import Batch
from tocsin.engine.detection.base import Pending
from tocsin.engine.engine import Engine
from tocsin.errors import Problem
from tocsin.events.event import Event, in_canonical_order
from tocsin.plan.nodes.atoms import Atom
from tocsin.plan.nodes.composites import Part, Plan, atoms_of, parts_of
from tocsin.runtime.guarded import GuardedEngine, Outcome
from tocsin.runtime.sequencer import FiniteSequencer

MAX_PARTS = 50
"""Parts of a pattern that are evaluated one by one, at most."""

Identity = tuple[str, str]

OVER = "its time window ended before the first event"


@dataclass(slots=True)
class Replay:
    """The matches of every part of a pattern over events in canonical order.

    `outcomes` has the matches and dead letters of the whole pattern by served event, those of the
    end after the last; `pending` its partial matches at the end; `problem` why it was not run.
    """

    pattern: Part
    parts: list[Part]
    counts: Counter[Part] = field(default_factory=Counter)
    outcomes: list[tuple[Event | None, Outcome]] = field(default_factory=list)
    pending: list[Pending] = field(default_factory=list)
    problem: str | None = None
    inputs: dict[Identity, tuple[Atom, ...]] = field(default_factory=dict)
    """The atoms that an event is an occurrence of; events without any are left out."""
    matched: dict[Identity, set[Part]] = field(default_factory=dict)
    waiting: dict[Identity, list[Pending]] = field(default_factory=dict)
    """The partial matches with a watched event when it had arrived."""

    @property
    def order(self) -> list[Part]:
        """The atoms, then the composite parts."""
        return [*dict.fromkeys(atoms_of(self.pattern)), *self.parts]

    def matched_with(self, event: Event) -> set[Part]:
        """Return the parts of which a match has the event."""
        return self.matched.get(event.identity, set())

    def waiting_with(self, event: Event) -> list[tuple[Pending, bool]]:
        """Return the partial matches with a watched event when it had arrived; True for those that
        are over at the end.
        """
        still = {id(each.occurrence) for each in self.pending}
        waiting = self.waiting.get(event.identity, [])
        return [(each, id(each.occurrence) not in still) for each in waiting]


def replay(pattern: Part, events: Iterable[Event], watched: Iterable[Event]) -> Replay:
    """Replay events in canonical order, up to the end of the last."""
    run = _Run(pattern)
    run.serve(in_canonical_order(events), {each.identity for each in watched})
    return run.found


class _Run:
    """One engine with a subscription for each part of a pattern."""

    def __init__(self, pattern: Part) -> None:
        self.found = Replay(pattern, composites_in(pattern))
        self._engine = Engine()
        self._parts: dict[str, Part] = {}
        self._root = ""
        plans: dict[str, Plan] = {}
        for number, part in enumerate(self.found.parts):
            key = f"part {number}"
            try:
                self._engine.add(key, Plan(part))
            except Problem as problem:
                self.found.problem = self.found.problem or problem.message
                continue
            self._parts[key], plans[key] = part, Plan(part)
            self._root = key if part is pattern else self._root
        self._sequencer = FiniteSequencer(GuardedEngine(self._engine, lambda: plans))

    def serve(self, ordered: Sequence[Event], watched: Container[Identity]) -> None:
        """Serve events in canonical order."""
        ends = [each.interval.end for each in ordered if each.interval is not None]
        if not self._parts or not ends:
            return
        begun = self._sequencer.begin(ends[0], ends[-1], ((end, end) for end in ends))
        if self._root in dict(begun.ended):
            self.found.problem = OVER
            return
        inputs = self._engine.match(Batch(ordered)).composite_inputs
        self.found.inputs = {ordered[each.index].identity: tuple(each.atoms) for each in inputs}
        for event in ordered:
            outcome = self._sequencer.serve(event, self.found.inputs.get(event.identity, ()))
            self._note(event, outcome)
            if event.identity in watched:
                self.found.waiting[event.identity] = list(_with(event, self._pending()))
        self._note(None, Outcome(list(self._engine.advance_to(ends[-1]).matches)))
        self.found.pending = self._pending()

    def _pending(self) -> list[Pending]:
        if self._root not in self._engine:
            return []
        return list(self._engine.network.pending(self._root))

    def _note(self, event: Event | None, outcome: Outcome) -> None:
        whole = Outcome()
        for match in outcome.matches:
            part = self._parts[match.subscription]
            self.found.counts[part] += 1
            for identity in zip(match.sources, match.events, strict=True):
                self.found.matched.setdefault(identity, set()).add(part)
            if match.subscription == self._root:
                whole.matches.append(match)
        whole.letters = [
            each for each in outcome.settle().letters if each.subscription == self._root
        ]
        self.found.outcomes.append((event, whole))


def composites_in(pattern: Part) -> list[Part]:
    """Return the composite parts of a pattern, each once, from the inside out; the pattern is the
    last.
    """
    found: dict[Part, None] = {}

    def walk(part: Part) -> None:
        for inner in parts_of(part):
            walk(inner)
        if not isinstance(part, Atom):
            found.setdefault(part)

    walk(pattern)
    inside = list(found)
    return [*inside[: MAX_PARTS - 1], pattern] if len(inside) > MAX_PARTS else inside


def _with(event: Event, pending: Iterable[Pending]) -> Iterator[Pending]:
    for each in pending:
        if any(member.identity == event.identity for member in each.occurrence.members):
            yield each
