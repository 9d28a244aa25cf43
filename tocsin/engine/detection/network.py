"""The network: all composite subscriptions as one graph, equal parts once. It is told the time and
never asks.

A step serves one event, or the timers of one instant. Within a step nodes are served by level, from
the inside out, so that the layout of the graph, and who else shares it, never shows in a result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import count
from operator import is_

from tocsin.engine.detection.batches.detector import BatchDetector
from tocsin.engine.detection.crowds import Crowd, Crowds, Name
from tocsin.engine.detection.node import Node, Pending, State
from tocsin.engine.detection.node_choice import node_of
from tocsin.engine.detection.scope import Scopes
from tocsin.engine.detection.simple import AtomNode
from tocsin.engine.detection.snapshot import VERSION, SnapshotReader, SnapshotWriter, checked
from tocsin.engine.detection.timers import Timers
from tocsin.engine.detection.view import NodeView, view_of
from tocsin.errors import StateProblem
from tocsin.events.event import Event
from tocsin.plan.atoms import Atom
from tocsin.plan.bindings import NOTHING_BOUND, Rows
from tocsin.plan.bounds import bounds_of
from tocsin.plan.composites import (
    MOST_EMPTY_WINDOWS,
    Absence,
    EveryWindow,
    Part,
    Sliding,
    names_of,
    parts_of,
)
from tocsin.plan.occurrence import Occurrence, occurrence_of
from tocsin.plan.past_windows import past_window, past_window_problem
from tocsin.plan.row_functions import GivenUp
from tocsin.plan.scopes import scopes_of
from tocsin.values.time import Duration, Instant

Found = list[tuple[str, Occurrence]]
"""Subscription keys with the occurrences that they ring for."""

QUEUE_LIMIT = 1_000_000
"""How many occurrences may wait in one place."""

MOST_GIVEN_UP = 20
"""How often a subscription may be too much to work out before it is suspended."""

_BEGINNING: Instant = -(2**63)


_SHARED = 0


@dataclass(frozen=True, slots=True)
class _Builder:
    """What the nodes of one crowd have in common while they are built for a subscription."""

    key: str
    owner: int
    scopes: Scopes
    names: dict[Part, Name]

    @property
    def place(self) -> str:
        """How a snapshot calls the next part that gets a name."""
        return f"{len(self.names)} {self.key}"


_Choice = Callable[[Part, list[Node], _Builder], Name]


RowsOf = Callable[[Atom, Event], Rows]
"""What an event that is an occurrence of an atom binds."""


def nothing_bound(atom: Atom, event: Event) -> Rows:  # noqa: ARG001
    """As if atoms bound nothing."""
    return NOTHING_BOUND


class Network:
    """Composite subscriptions by key; feed it atoms' events in canonical order."""

    def __init__(self, rows: RowsOf = nothing_bound, queue_limit: int = QUEUE_LIMIT) -> None:
        self._rows = rows
        self.queue_limit = queue_limit
        self.overfull: set[Node] = set()
        self.given_up: dict[Node, tuple[Occurrence, GivenUp]] = {}
        self.faults: list[tuple[Node, Exception]] = []
        """What nodes raised: it concerns those who use the node, and nobody else."""
        self.contains_faults = False
        """Whether it goes on after a node has raised, because somebody takes the faults; else it
        raises.
        """
        self.now: Instant = _BEGINNING
        self.leap: Instant | None = None
        self.known: Instant = _BEGINNING
        self.number = 0
        self.batches = BatchDetector(self)
        self._clear()

    def _clear(self) -> None:
        self._roots: dict[str, Node] = {}
        self._owned: dict[str, list[Name]] = {}
        self._scopes: dict[str, Scopes] = {}
        self._crowds = Crowds()
        self._owner_numbers = count(1)
        self._hopeless: dict[str, int] = {}
        self._nodes: dict[Name, Node] = {}
        self._owners: dict[Name, int] = {}
        self._atoms: dict[int, AtomNode] = {}
        self._timers = Timers()
        self._levels: list[list[Node]] = []
        self._touched = False
        self._found: Found = []
        self._vanished: list[tuple[Scopes, str, Occurrence]] = []
        self._node_numbers = count(1)
        self._firing = False

    def add(self, key: str, pattern: Part) -> list[Atom]:
        """Adds a subscription and returns the atoms that are new.

        It rings for what happens from now on, so that parts which hold something are not shared
        with it.
        """
        if key in self._roots:
            raise StateProblem(
                f"subscription {key!r} is there already",
                code="DuplicateSubscriptionError",
                token=key,
            )
        self.batches.note_change()
        now = max(self.now, self.known)
        if (over := past_window(pattern, now)) is not None:
            raise past_window_problem(over, now)
        crowd = self._crowds.newest(pattern)
        if crowd is not None and self._is_empty(crowd):
            self._join(key, crowd)
            return []
        names = self._build(key, pattern, self._name, _scopes(pattern))
        return [
            part for part in names if isinstance(part, Atom) and self._owners[_atom_name(part)] == 1
        ]

    def _is_empty(self, crowd: Crowd) -> bool:
        """Whether a newcomer would see nothing of what was before."""
        return crowd.scopes.is_empty and all(self._nodes[name].is_empty for name in crowd.names)

    def _build(self, key: str, pattern: Part, choose: _Choice, scopes: Scopes) -> Iterable[Part]:
        """Makes the nodes of a subscription; `choose` says which of those that are there it
        shares.
        """
        builder = _Builder(key, next(self._owner_numbers), scopes, {})
        root = self._node(pattern, builder, choose)
        crowd = self._crowds.of_root(root)
        if crowd is None:
            crowd = Crowd(root, list(builder.names.values()), scopes)
            self._crowds.add(crowd, self.number)
        self._join(key, crowd)
        return builder.names

    def _join(self, key: str, crowd: Crowd) -> None:
        crowd.root.keys.append(key)
        self._roots[key] = crowd.root
        self._owned[key] = crowd.names
        self._scopes[key] = crowd.scopes
        for name in crowd.names:
            self._owners[name] = self._owners.get(name, 0) + 1

    def remove(self, key: str) -> list[Atom]:
        """Removes a subscription and every part that nobody else uses; returns the atoms among
        them.
        """
        if key not in self._roots:
            raise StateProblem(
                f"there is no subscription {key!r}", code="UnknownSubscriptionError", token=key
            )
        self.batches.note_change()
        root = self._roots.pop(key)
        root.keys.remove(key)
        del self._scopes[key]
        self._hopeless.pop(key, None)
        dropped = {self._nodes.pop(name) for name in self._owned.pop(key) if self._release(name)}
        self._forget_nodes(dropped)
        for node in dropped:
            node.leave()
        if root.is_gone:
            self._crowds.remove(root)
        return [node.part for node in dropped if isinstance(node.part, Atom)]

    def __len__(self) -> int:
        return len(self._roots)

    @property
    def node_count(self) -> int:
        """How many parts are at work, shared ones once."""
        return len(self._nodes)

    @property
    def nodes(self) -> Iterable[Node]:
        """The parts at work."""
        return self._nodes.values()

    @property
    def atoms(self) -> Iterable[Atom]:
        """The atoms whose events the network wants."""
        return [node.part for node in self._nodes.values() if isinstance(node.part, Atom)]

    def event(self, event: Event, atoms: Iterable[Atom]) -> Found:
        """One event that is an occurrence of the given atoms; timers that are due before it fire
        first.

        Atoms that are not, or no longer, part of the network are passed over.
        """
        if not self.batches.is_replaying:
            self.batches.give_back()
        if event.interval is None:
            return []
        end = event.interval.end
        if end > self.known:
            self._know(end)
        timers = self._timers.waiting
        before = self.advance_to(end - 1) if timers and timers[0][0] < end else []
        self._begin(end)
        occurrence = occurrence_of(event)
        nodes = self._atoms
        for atom in atoms:
            node = nodes.get(id(atom))
            if node is None or node.part is not atom:
                node = self.atom_node(atom)
            if node is not None:
                try:
                    rows = self._rows(atom, event) if node.binds else NOTHING_BOUND
                except Exception as error:
                    self._fault(node, error)
                    continue
                self.bring(
                    node, occurrence if rows is NOTHING_BOUND else occurrence_of(event, rows)
                )
        if self._touched:
            self._serve()
        return before + self._found if before else self._found

    def advance_to(self, now: Instant | None, leap: Instant | None = None) -> Found:
        """No event that ends at `now` or before is missing: fires the timers up to it; None for the
        end of time.

        Where it is known that none will come up to `leap` either, windows that come again and are
        empty up to there may be brought as one, if they are many.
        """
        found: Found = []
        self.leap = leap
        if now is not None and now > self.known:
            self._know(now)
        timers = self._timers.waiting
        while timers and (now is None or timers[0][0] <= now):
            due = timers[0][0]
            self._begin(due)
            self._firing = True
            for node, token in self._timers.take(due):
                if not (now is None and node.is_endless and due > self.known):
                    self._touch(node)
                    node.due.append(token)
            self._serve()
            self._firing = False
            found += self._found
        self.leap = None
        return found

    @property
    def shortest_window(self) -> Duration | None:
        """The length of the shortest windows that come again; None where there are none."""
        parts = (node.part for node in self._nodes.values() if node.is_endless)
        return min((_step_of(part) for part in parts), default=None)

    @property
    def shortest_pause(self) -> Duration | None:
        """Pauses that are longer may be leapt over; None where nothing comes again."""
        length = self.shortest_window
        return None if length is None else MOST_EMPTY_WINDOWS * length

    @property
    def has_begun(self) -> bool:
        """Whether any instant is known."""
        return self.known != _BEGINNING

    def begin_at(self, now: Instant) -> None:
        """The first event of all, whether it concerns a subscription or not, ends at `now`."""
        if not self.has_begun:
            self._know(now)

    def _know(self, now: Instant) -> None:
        """The clock has come so far."""
        if self.known == _BEGINNING:
            for node in self._nodes.values():
                if node.is_endless:
                    self._contain(node, node.begin, now, True, self)
        self.known = now

    def next_deadline(self) -> Instant | None:
        """The soonest timer of a part whose timers do not come again for ever."""
        return self._timers.next_deadline()

    def next_timer(self) -> Instant | None:
        """The soonest instant at which something is to be done."""
        return self._timers.next_timer()

    def forget_before(self, now: Instant) -> None:
        """Drops all that no event which ends at `now` or later can complete; nodes without such are
        not looked at.
        """
        self.batches.forget_before(now)
        for node in self._timers.take_expired(now):
            self._contain(node, self._forget, node, now)
        for pattern in self._crowds.due(self.number):
            self.batches.give_back()
            self._reunite(pattern)

    def _reunite(self, pattern: Part) -> None:
        """Makes one of crowds that hold the same."""
        for first, *others in self._crowds.equals(pattern, self._nodes, self.number):
            for other in others:
                self.batches.note_change()
                self._merge(other, first)

    def _merge(self, crowd: Crowd, into: Crowd) -> None:
        """The subscriptions of a crowd join another, whose nodes hold the same."""
        dropped: set[Node] = set()
        for key in crowd.root.keys:
            self._join(key, into)
            dropped.update(self._nodes.pop(name) for name in crowd.names if self._release(name))
        self._forget_nodes(dropped)
        for node in dropped:
            node.leave()
        self._crowds.remove(crowd.root)

    def _forget(self, node: Node, now: Instant) -> None:
        node.forget_before(now)
        due = node.next_expiry()
        if due is not None:
            self.expire(node, due)

    @property
    def kept_count(self) -> int:
        """How many occurrences are kept, those of shared parts once; what is used up counts until
        it is forgotten.
        """
        in_nodes = (
            node.kept + sum(each.kept for each in node.followers) for node in self._nodes.values()
        )
        return self.batches.kept + sum(in_nodes)

    def pending(self, key: str | None = None) -> Iterator[Pending]:
        """What waits for a subscription, from the inside out; without a key, for all."""
        self.batches.give_back()
        for name in self._nodes if key is None else self._owned.get(key, ()):
            yield from self._nodes[name].pending()

    def view(self, keys: Iterable[str]) -> list[NodeView]:
        """The parts that some subscriptions have at work, from the inside out, shared ones once."""
        self.batches.give_back()
        users: dict[Node, list[str]] = {}
        for key in keys:
            for name in self._owned.get(key, ()):
                users.setdefault(self._nodes[name], []).append(key)
        return [view_of(node, tuple(used_by)) for node, used_by in users.items()]

    def take_overfull(self) -> list[str]:
        """The subscriptions for which more waits in one place than the limit allows; told once."""
        full, self.overfull = self.overfull, set()
        return self._users_of(full)

    def take_faults(self) -> list[tuple[str, Exception]]:
        """The subscriptions that use a node which raised, each once, with what it raised first;
        told once.
        """
        faults, self.faults = self.faults, []
        first: dict[str, Exception] = {}
        for node, error in faults:
            for key in self._users_of({node}):
                first.setdefault(key, error)
        return list(first.items())

    def _users_of(self, nodes: set[Node]) -> list[str]:
        return [
            key
            for key, names in self._owned.items()
            if any(self._nodes[name].uses(node) for name in names for node in nodes)
        ]

    def snapshot(self) -> State:
        """All that is held, as plain data. Nodes go by subscription and number in it; a shared one
        is written once, and by its first place thereafter, so that any of its subscriptions may be
        gone when it is read.
        """
        self.batches.give_back()
        writer = SnapshotWriter()
        nodes: dict[str, State | str] = {}
        written: dict[Name, str] = {}
        for key, names in self._owned.items():
            for number, name in enumerate(names):
                place = f"{number} {key}"
                first = written.setdefault(name, place)
                nodes[place] = self._nodes[name].snapshot(writer) if first == place else first
        crowds = {id(scopes): key for key, scopes in reversed(self._scopes.items())}
        used = {
            key: scopes.snapshot() if crowds[id(scopes)] == key else []
            for key, scopes in self._scopes.items()
        }
        given_up = {"given_up": dict(self._hopeless)} if self._hopeless else {}
        return {
            **given_up,
            "version": VERSION,
            "now": self.now,
            "known": self.known,
            "events": writer.events,
            "nodes": nodes,
            "used": used,
        }

    def restore(self, body: State) -> None:
        """Takes over a snapshot into a network that has its subscriptions but has seen nothing yet.

        What belongs to a subscription that is gone is left out; a subscription that is new starts
        empty. The others share again what they shared, and nothing else.
        """
        state = checked(body)
        self.batches.note_change()
        patterns = {key: root.part for key, root in self._roots.items()}
        self._clear()
        self.now, self.known = state["now"], _BEGINNING
        known = [key for key in state["used"] if key in patterns]
        taken: dict[str, Name] = {}
        scopes: dict[str, Scopes] = {}
        first_of = _first_of_crowds(state)
        for key in known:
            pattern, first = patterns.pop(key), first_of.get(key, key)
            if first not in scopes:
                scopes[first] = _scopes(pattern)
                scopes[first].restore(state["used"][first])
            self._build(
                key,
                pattern,
                lambda part, _, builder: self._name_before(part, builder, state, taken),
                scopes[first],
            )
        reader = SnapshotReader(state["events"])
        for place, name in taken.items():
            if place in state["nodes"]:
                self._nodes[name].restore(state["nodes"][place], reader.read, self)
        self.known = state["known"]
        self._hopeless = {
            key: count for key, count in state.get("given_up", {}).items() if key in self._roots
        }
        for key, pattern in patterns.items():
            self._build(key, pattern, self._name, _scopes(pattern))

    def bring(self, node: Node, occurrence: Occurrence) -> None:
        """An occurrence of a node's part, for all its users and subscriptions."""
        node.brought += 1
        for follower in node.followers:
            try:
                follower.receive(0, occurrence, self)
            except GivenUp as why:
                self.give_up(follower, occurrence, why)
            except Exception as error:
                self._fault(follower, error)
        for user, slot in node.users:
            inbox = user.inbox
            if not inbox and not user.due:
                self._levels[user.level].append(user)
                self._touched = True
            inbox.append((slot, occurrence))
        for key in node.keys:
            self._found.append((key, occurrence))

    def hand(self, node: Node, slot: int, occurrence: Occurrence) -> None:
        """An occurrence for one node, which is served in its turn."""
        inbox = node.inbox
        if not inbox and not node.due:
            self._levels[node.level].append(node)
            self._touched = True
        inbox.append((slot, occurrence))

    def give_up(self, node: Node, occurrence: Occurrence, why: GivenUp) -> None:
        """What the occurrence brings about at the node is too much to work out; told once for a
        step.
        """
        self.given_up.setdefault(node, (occurrence, why))

    def take_given_up(self) -> list[tuple[str, Occurrence, GivenUp]]:
        """The subscriptions for which something was too much to work out, and the occurrences that
        came last.
        """
        given_up, self.given_up = self.given_up, {}
        found: dict[str, tuple[Occurrence, GivenUp]] = {}
        for key, names in self._owned.items():
            for node, why in given_up.items():
                if any(self._nodes[name].uses(node) for name in names):
                    found.setdefault(key, why)
        for key in found:
            self._hopeless[key] = self._hopeless.get(key, 0) + 1
        return [(key, occurrence, why) for key, (occurrence, why) in found.items()]

    def is_hopeless(self, key: str) -> bool:
        """Whether a subscription was too much to work out so often that it would only cost the
        others their time.
        """
        return self._hopeless.get(key, 0) >= MOST_GIVEN_UP

    def vanish(self, scopes: Scopes, name: str, occurrence: Occurrence) -> None:
        """What a name stands for is lost to its whole scope once the step is over."""
        self._vanished.append((scopes, name, occurrence))

    def wake(self, node: Node, due: Instant, token: object) -> None:
        """Sets a timer; one that is due in the very step of timers that is being served fires in
        it.
        """
        if self._firing and due <= self.now:
            node.due.append(token)
        else:
            self._timers.wake(node, due, token)

    def expire(self, node: Node, due: Instant) -> None:
        """Has `forget_before` look at the node once `due` has passed."""
        self._timers.expire(node, due)

    def abandon_step(self) -> None:
        """A step that was left in its midst is over: what it still had to serve is dropped."""
        for level in self._levels:
            for node in level:
                node.inbox.clear()
                node.due.clear()
            level.clear()
        self._vanished.clear()
        self._touched = self._firing = False

    def _begin(self, now: Instant) -> None:
        self.now = now
        self.number += 1
        self._found = []

    def _touch(self, node: Node) -> None:
        if not node.inbox and not node.due:
            self._levels[node.level].append(node)

    def _serve(self) -> None:
        """Serves every node that was touched, from the inside out."""
        self._touched = False
        for level in self._levels:
            if level:
                for node in level:
                    self._serve_node(node)
                level.clear()
        if self._vanished:
            for scopes, name, occurrence in self._vanished:
                scopes.lose(name, occurrence, self.now)
            self._vanished.clear()

    def _serve_node(self, node: Node) -> None:
        inbox = node.inbox
        if len(inbox) > 1:
            inbox.sort(key=lambda each: (each[0], each[1].order))
        for slot, occurrence in inbox:
            try:
                node.receive(slot, occurrence, self)
            except GivenUp as why:
                self.give_up(node, occurrence, why)
            except Exception as error:
                self._fault(node, error)
        inbox.clear()
        if node.keeps and node.kept > self.queue_limit:
            self.overfull.add(node)
        if node.due:
            due, node.due = node.due, []
            for token in due:
                self._contain(node, node.on_timer, token, self)

    def _fault(self, node: Node, error: Exception) -> None:
        if not self.contains_faults:
            raise error
        self.faults.append((node, error))

    def _contain(self, node: Node, work: Callable[..., object], *given: object) -> None:
        """What a node raises is kept as a fault of those who use it; the step goes on for the
        others.
        """
        try:
            work(*given)
        except Exception as error:
            self._fault(node, error)

    def atom_node(self, atom: Atom) -> AtomNode | None:
        """The node of an atom, if it has one. Found by the very object where it is one of ours: an
        atom's value takes long to hash, and events are many.
        """
        node = self._atoms.get(id(atom))
        if node is not None and node.part is atom:
            return node
        known = self._nodes.get(_atom_name(atom))
        return known if isinstance(known, AtomNode) else None

    def _forget_nodes(self, dropped: set[Node]) -> None:
        for node in dropped:
            node.is_gone = True
            self._atoms.pop(id(node.part), None)
        self._timers.note_gone(len(dropped), len(self._nodes))

    def _release(self, name: Name) -> bool:
        self._owners[name] -= 1
        if self._owners[name]:
            return False
        del self._owners[name]
        return True

    def _node(self, part: Part, builder: _Builder, choose: _Choice) -> Node:
        """The node of a part: one that is there already, or a new one on top of the nodes inside
        it.
        """
        if part in builder.names:
            return self._nodes[builder.names[part]]
        inner = [self._node(each, builder, choose) for each in parts_of(part)]
        name = choose(part, inner, builder)
        builder.names[part] = name
        if name not in self._nodes:
            self._nodes[name] = node = node_of(part, inner, builder.scopes)
            self._enter(node)
        return self._nodes[name]

    def _enter(self, node: Node) -> None:
        node.number = next(self._node_numbers)
        node.enter()
        while len(self._levels) <= node.level:
            self._levels.append([])
        if isinstance(node, AtomNode):
            self._atoms[id(node.part)] = node
        node.start(self)
        if node.is_endless and self.known != _BEGINNING:
            node.begin(self.known, False, self)

    def _name(self, part: Part, inner: list[Node], builder: _Builder) -> Name:
        """Who may use the node of a part: one crowd where it binds a name with a scope, whose
        occurrences are used up for that crowd alone; else all that came before it held anything.
        Numbers tell generations apart.
        """
        owner = _owner(part, builder)
        for generation in count():
            name = (owner, part, generation)
            known = self._nodes.get(name)
            if known is None or (known.is_empty and all(map(is_, known.inner, inner))):
                return name
        raise AssertionError("unreachable")

    def _name_before(
        self, part: Part, builder: _Builder, state: State, taken: dict[str, Name]
    ) -> Name:
        """Who used the node of a part when a snapshot was taken; `taken` has the places that are
        made already.
        """
        held = state["nodes"].get(builder.place)
        place = held if isinstance(held, str) else builder.place
        if place not in taken:
            owner = _owner(part, builder)
            taken[place] = next(
                name for g in count() if (name := (owner, part, g)) not in self._nodes
            )
        return taken[place]


def _step_of(part: Part) -> Duration:
    """How far windows that come again lie apart."""
    match part:
        case Absence(_, EveryWindow(length)) | Sliding(every=int(length)):
            return length
        case _:
            raise AssertionError(f"nothing comes again in {part}")


def _owner(part: Part, builder: _Builder) -> int:
    return _SHARED if builder.scopes.names.isdisjoint(names_of(part)) else builder.owner


def _scopes(pattern: Part) -> Scopes:
    lifetimes = [bound.lifetime or 0 for bound in bounds_of(pattern)]
    return Scopes(scopes_of(pattern), sum(lifetimes))


def _first_of_crowds(state: State) -> dict[str, str]:
    """For each subscription of a snapshot the one with which the node of its whole pattern was
    written; what is used up was written with it, too.
    """
    roots: dict[str, tuple[int, str]] = {}
    for place, held in state["nodes"].items():
        number, key = place.split(" ", 1)
        if int(number) >= roots.get(key, (-1, ""))[0]:
            roots[key] = (int(number), held if isinstance(held, str) else place)
    return {key: place.split(" ", 1)[1] for key, (_, place) in roots.items()}


def _atom_name(atom: Atom) -> Name:
    return (_SHARED, atom, 0)
