"""The network: all composite subscriptions as one graph, equal parts once. It is told the time and never asks.

A step serves one event, or the timers of one instant. Within a step nodes are served by level, from the inside out, so
that the layout of the graph, and who else shares it, never shows in a result.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import count

from tocsin.engine.detection.absence import AfterAbsenceNode, BetweenAbsenceNode, FixedAbsenceNode
from tocsin.engine.detection.join import JoinNode
from tocsin.engine.detection.keys import names_of
from tocsin.engine.detection.node import Node, Pending, State
from tocsin.engine.detection.scope import Scopes
from tocsin.engine.detection.simple import AtomNode, EitherNode, NamedNode, OnlyNode
from tocsin.engine.detection.snapshot import VERSION, SnapshotReader, SnapshotWriter, checked
from tocsin.errors import MeaningProblem, StateProblem
from tocsin.events.event import Event
from tocsin.plan.atoms import Atom, Condition
from tocsin.plan.bounds import bounds_of
from tocsin.plan.composites import (
    Absence,
    AfterWindow,
    BetweenWindow,
    Either,
    FixedWindow,
    Join,
    Named,
    Only,
    Part,
    parts_of,
)
from tocsin.plan.occurrence import Occurrence, occurrence_of
from tocsin.plan.scopes import scopes_of
from tocsin.values.time import Instant

Found = list[tuple[str, Occurrence]]
"""Subscription keys with the occurrences that they ring for."""

_BEGINNING: Instant = -(2**63)


_Name = tuple[str, Part, int]
"""Owner (a subscription, or all), part and generation."""

_SHARED = ""


@dataclass(frozen=True, slots=True)
class _Builder:
    """What the nodes of one subscription have in common while they are built."""

    key: str
    scopes: Scopes
    names: dict[Part, _Name]


class Network:
    """Composite subscriptions by key; feed it atoms' events in canonical order."""

    def __init__(self) -> None:
        self.now: Instant = _BEGINNING
        self.number = 0
        self._roots: dict[str, Node] = {}
        self._owned: dict[str, list[_Name]] = {}
        self._scopes: dict[str, Scopes] = {}
        self._nodes: dict[_Name, Node] = {}
        self._owners: dict[_Name, int] = {}
        self._timers: list[tuple[Instant, int, Node, object]] = []
        self._due: dict[Node, list[object]] = {}
        self._levels: list[list[Node]] = []
        self._found: Found = []
        self._vanished: list[tuple[Scopes, str, Occurrence]] = []
        self._numbers = count()
        self._firing = False

    def add(self, key: str, pattern: Part) -> list[Atom]:
        """Adds a subscription and returns the atoms that are new.

        It rings for what happens from now on, so that parts which hold something are not shared with it.
        """
        if key in self._roots:
            raise StateProblem(f"subscription {key!r} is there already", code="DuplicateSubscriptionError", token=key)
        self._refuse_past_windows(pattern)
        lifetimes = [bound.lifetime or 0 for bound in bounds_of(pattern)]
        builder = _Builder(key, Scopes(scopes_of(pattern), sum(lifetimes)), {})
        node = self._node(pattern, builder)
        node.keys.append(key)
        self._roots[key] = node
        self._owned[key] = list(builder.names.values())
        self._scopes[key] = builder.scopes
        for name in self._owned[key]:
            self._owners[name] = self._owners.get(name, 0) + 1
        return [part for part in builder.names if isinstance(part, Condition) and self._owners[_atom_name(part)] == 1]

    def remove(self, key: str) -> list[Atom]:
        """Removes a subscription and every part that nobody else uses; returns the atoms among them."""
        if key not in self._roots:
            raise StateProblem(f"there is no subscription {key!r}", code="UnknownSubscriptionError", token=key)
        self._roots.pop(key).keys.remove(key)
        del self._scopes[key]
        dropped = {self._nodes.pop(name) for name in self._owned.pop(key) if self._release(name)}
        for inner in {inner for node in dropped for inner in node.inner} - dropped:
            inner.users = [(user, slot) for user, slot in inner.users if user not in dropped]
        if any(timer[2] in dropped for timer in self._timers):
            self._timers = [timer for timer in self._timers if timer[2] not in dropped]
            heapq.heapify(self._timers)
        return [node.part for node in dropped if isinstance(node.part, Condition)]

    def __len__(self) -> int:
        return len(self._roots)

    @property
    def node_count(self) -> int:
        """How many parts are at work, shared ones once."""
        return len(self._nodes)

    @property
    def atoms(self) -> Iterable[Atom]:
        """The atoms whose events the network wants."""
        return [node.part for node in self._nodes.values() if isinstance(node.part, Condition)]

    def event(self, event: Event, atoms: Iterable[Atom]) -> Found:
        """One event that is an occurrence of the given atoms; timers that are due before it fire first."""
        if event.interval is None:
            return []
        found = self.advance_to(event.interval.end - 1)
        self._begin(event.interval.end)
        occurrence = occurrence_of(event)
        for atom in atoms:
            self.bring(self._nodes[_atom_name(atom)], occurrence)
        self._serve()
        return found + self._found

    def advance_to(self, now: Instant | None) -> Found:
        """No event that ends at `now` or before is missing: fires the timers up to it; None for the end of time."""
        found: Found = []
        while self._timers and (now is None or self._timers[0][0] <= now):
            due = self._timers[0][0]
            self._begin(due)
            self._firing = True
            while self._timers and self._timers[0][0] == due:
                _, _, node, token = heapq.heappop(self._timers)
                self._touch(node)
                self._due.setdefault(node, []).append(token)
            self._serve()
            self._firing = False
            found += self._found
        return found

    def next_timer(self) -> Instant | None:
        """The soonest instant at which something is to be done."""
        return self._timers[0][0] if self._timers else None

    def forget_before(self, now: Instant) -> None:
        """Drops all that no event which ends at `now` or later can complete."""
        for node in self._nodes.values():
            node.forget_before(now)

    def pending(self, key: str) -> Iterator[Pending]:
        """What waits for a subscription, from the inside out."""
        for name in self._owned[key]:
            yield from self._nodes[name].pending()

    def snapshot(self) -> State:
        """All that is held, as plain data. Nodes go by the subscription that owns them first and their number in it."""
        writer = SnapshotWriter()
        nodes = {
            f"{number} {key}": node.snapshot(writer)
            for key, names in self._owned.items()
            for number, node in enumerate(map(self._nodes.__getitem__, names))
        }
        used = {key: self._scopes[key].snapshot() for key in self._owned}
        return {"version": VERSION, "now": self.now, "events": writer.events, "nodes": nodes, "used": used}

    def restore(self, body: State) -> None:
        """Takes over a snapshot into a network that has its subscriptions but has seen nothing yet.

        What belongs to a subscription that is gone is left out; a subscription that is new starts empty.
        """
        state = checked(body)
        reader = SnapshotReader(state["events"])
        self.now = state["now"]
        restored: set[_Name] = set()
        for key, names in self._owned.items():
            self._scopes[key].restore(state["used"].get(key, []))
            for number, name in enumerate(names):
                held = state["nodes"].get(f"{number} {key}")
                if held is not None and name not in restored:
                    restored.add(name)
                    self._nodes[name].restore(held, reader.read, self)

    def bring(self, node: Node, occurrence: Occurrence) -> None:
        """An occurrence of a node's part, for all its users and subscriptions."""
        for user, slot in node.users:
            self._touch(user)
            user.inbox.append((slot, occurrence))
        for key in node.keys:
            self._found.append((key, occurrence))

    def vanish(self, scopes: Scopes, name: str, occurrence: Occurrence) -> None:
        """What a name stands for is lost to its whole scope once the step is over."""
        self._vanished.append((scopes, name, occurrence))

    def wake(self, node: Node, due: Instant, token: object) -> None:
        """Sets a timer; one that is due in the very step of timers that is being served fires in it."""
        if self._firing and due <= self.now:
            self._due.setdefault(node, []).append(token)
        else:
            heapq.heappush(self._timers, (due, next(self._numbers), node, token))

    def _begin(self, now: Instant) -> None:
        self.now = now
        self.number += 1
        self._found = []

    def _touch(self, node: Node) -> None:
        if not node.inbox and node not in self._due:
            while len(self._levels) <= node.level:
                self._levels.append([])
            self._levels[node.level].append(node)

    def _serve(self) -> None:
        for level in self._levels:
            for node in level:
                inbox, node.inbox = node.inbox, []
                if len(inbox) > 1:
                    inbox.sort(key=lambda each: (each[0], each[1].order))
                for slot, occurrence in inbox:
                    node.receive(slot, occurrence, self)
                for token in self._due.pop(node, ()):
                    node.on_timer(token, self)
            level.clear()
        for scopes, name, occurrence in self._vanished:
            scopes.lose(name, occurrence, self.now)
        self._vanished.clear()

    def _release(self, name: _Name) -> bool:
        self._owners[name] -= 1
        if self._owners[name]:
            return False
        del self._owners[name]
        return True

    def _node(self, part: Part, builder: _Builder) -> Node:
        """The node of a part: one that is there already, or a new one on top of the nodes inside it."""
        if part in builder.names:
            return self._nodes[builder.names[part]]
        inner = [self._node(each, builder) for each in parts_of(part)]
        name = self._name(part, inner, builder.key)
        builder.names[part] = name
        if name not in self._nodes:
            self._nodes[name] = node = _built(part, inner, builder.scopes)
            for slot, each in enumerate(inner):
                each.users.append((node, slot))
            node.start(self)
        return self._nodes[name]

    def _name(self, part: Part, inner: list[Node], key: str) -> _Name:
        """Who may use the node of a part: one subscription where it carries names, else all that came before it held
        anything; the number tells generations apart."""
        owner = key if names_of(part) else _SHARED
        for generation in count():
            name = (owner, part, generation)
            known = self._nodes.get(name)
            if known is None or (known.is_empty and _stands_on(known, inner)):
                return name
        raise AssertionError("unreachable")

    def _refuse_past_windows(self, part: Part) -> None:
        match part:
            case Absence(_, FixedWindow(start, length)) if start + length <= self.now:
                raise MeaningProblem("the window is over already", code="WindowInPast", hint="give a later time")
            case _:
                for inner in parts_of(part):
                    self._refuse_past_windows(inner)


def _atom_name(atom: Atom) -> _Name:
    return (_SHARED, atom, 0)


def _stands_on(node: Node, inner: list[Node]) -> bool:
    return all((node, slot) in each.users for slot, each in enumerate(inner))


def _built(part: Part, inner: list[Node], scopes: Scopes) -> Node:
    match part:
        case Condition():
            return AtomNode(part, inner)
        case Named():
            return NamedNode(part, inner)
        case Only():
            return OnlyNode(part, inner)
        case Either():
            return EitherNode(part, inner)
        case Join():
            return JoinNode(part, inner, scopes)
        case Absence(_, window):
            return _built_absence(part, window, inner, scopes)


def _built_absence(
    part: Absence, window: FixedWindow | AfterWindow | BetweenWindow, inner: list[Node], scopes: Scopes
) -> Node:
    match window:
        case FixedWindow():
            return FixedAbsenceNode(part, window, inner)
        case AfterWindow():
            return AfterAbsenceNode(part, window, inner, scopes)
        case BetweenWindow():
            return BetweenAbsenceNode(part, window, inner, scopes)
