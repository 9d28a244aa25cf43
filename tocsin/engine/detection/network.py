"""The network: all composite subscriptions as one graph, equal parts once. It is told the time and
never asks.

A step serves one event, or the timers of one instant. Within a step nodes are served by level, from
the inside out, so that the layout of the graph, and who else shares it, never shows in a result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from tocsin.engine.detection.batches.detector import BatchDetector
from tocsin.engine.detection.node import Node, Pending, State
from tocsin.engine.detection.scope import Scopes
from tocsin.engine.detection.sharing import SharedGraph
from tocsin.engine.detection.simple import AtomNode
from tocsin.engine.detection.snapshot import Restoring, checked, snapshot_of
from tocsin.engine.detection.timers import Timers
from tocsin.engine.detection.view import NodeView, view_of
from tocsin.events.event import Event
from tocsin.plan.atoms import Atom
from tocsin.plan.bindings import NOTHING_BOUND, Rows
from tocsin.plan.composites import MOST_EMPTY_WINDOWS, Absence, EveryWindow, Part, Sliding
from tocsin.plan.occurrence import Occurrence, occurrence_of
from tocsin.plan.past_windows import past_window, past_window_problem
from tocsin.plan.row_functions import GivenUp
from tocsin.values.time import Duration, Instant

Found = list[tuple[str, Occurrence]]
"""Subscription keys with the occurrences that they ring for."""

QUEUE_LIMIT = 1_000_000
"""How many occurrences may wait in one place."""

MOST_GIVEN_UP = 20
"""How often a subscription may be too much to work out before it is suspended."""

_BEGINNING: Instant = -(2**63)


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
        self._graph = SharedGraph()
        self._hopeless: dict[str, int] = {}
        self._timers = Timers()
        self._levels: list[list[Node]] = []
        self._touched = False
        self._found: Found = []
        self._vanished: list[tuple[Scopes, str, Occurrence]] = []
        self._firing = False

    def add(self, key: str, pattern: Part) -> list[Atom]:
        """Adds a subscription and returns the atoms that are new."""
        self.batches.note_change()
        now = max(self.now, self.known)
        if (over := past_window(pattern, now)) is not None:
            raise past_window_problem(over, now)
        made = self._graph.add(key, pattern, self.number)
        self._start(made)
        return _atoms_of(made)

    def _start(self, nodes: Iterable[Node]) -> None:
        """Nodes are new in the graph."""
        for node in nodes:
            while len(self._levels) <= node.level:
                self._levels.append([])
            node.start(self)
            if node.is_endless and self.known != _BEGINNING:
                node.begin(self.known, False, self)

    def remove(self, key: str) -> list[Atom]:
        """Removes a subscription and every part that nobody else uses; returns the atoms among
        them.
        """
        self.batches.note_change()
        dropped = self._graph.remove(key)
        self._timers.note_gone(len(dropped), self.node_count)
        self._hopeless.pop(key, None)
        return _atoms_of(dropped)

    def __len__(self) -> int:
        return len(self._graph.subscriptions)

    @property
    def node_count(self) -> int:
        """How many parts are at work, shared ones once."""
        return len(self._graph.nodes)

    @property
    def nodes(self) -> Iterable[Node]:
        """The parts at work."""
        return self._graph.nodes.values()

    @property
    def atoms(self) -> Iterable[Atom]:
        """The atoms whose events the network wants."""
        return _atoms_of(self.nodes)

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
        for atom in atoms:
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
        parts = (node.part for node in self.nodes if node.is_endless)
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
            for node in self.nodes:
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
        if self._graph.may_reunite(self.number):
            self.batches.give_back()
            dropped = self._graph.reunite(self.number)
            if dropped:
                self.batches.note_change()
                self._timers.note_gone(len(dropped), self.node_count)

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
        in_nodes = (node.kept + sum(each.kept for each in node.followers) for node in self.nodes)
        return self.batches.kept + sum(in_nodes)

    def pending(self, key: str | None = None) -> Iterator[Pending]:
        """What waits for a subscription, from the inside out; without a key, for all."""
        self.batches.give_back()
        for node in self.nodes if key is None else self._graph.nodes_of(key):
            yield from node.pending()

    def view(self, keys: Iterable[str]) -> list[NodeView]:
        """The parts that some subscriptions have at work, from the inside out, shared ones once."""
        self.batches.give_back()
        users: dict[Node, list[str]] = {}
        for key in keys:
            for node in self._graph.nodes_of(key):
                users.setdefault(node, []).append(key)
        return [view_of(node, tuple(used_by)) for node, used_by in users.items()]

    def take_overfull(self) -> list[str]:
        """The subscriptions for which more waits in one place than the limit allows; told once."""
        full, self.overfull = self.overfull, set()
        return list(self._graph.users_of(full))

    def take_faults(self) -> list[tuple[str, Exception]]:
        """The subscriptions that use a node which raised, each once, with what it raised first;
        told once.
        """
        faults, self.faults = self.faults, []
        first: dict[Node, Exception] = {}
        for node, error in faults:
            first.setdefault(node, error)
        users = self._graph.users_of(first)
        return [(key, first[node]) for node in first for key, used in users.items() if used is node]

    def snapshot(self) -> State:
        """All that is held, as plain data. Nodes go by subscription and number in it; a shared one
        is written once, and by its first place thereafter, so that any of its subscriptions may be
        gone when it is read.
        """
        self.batches.give_back()
        return snapshot_of(self._graph, self.now, self.known, self._hopeless)

    def restore(self, body: State) -> None:
        """Takes over a snapshot into a network that has its subscriptions but has seen nothing yet.

        What belongs to a subscription that is gone is left out; a subscription that is new starts
        empty. The others share again what they shared, and nothing else.
        """
        state = checked(body)
        self.batches.note_change()
        patterns = {key: crowd.root.part for key, crowd in self._graph.subscriptions.items()}
        self._clear()
        self.now, self.known = state["now"], _BEGINNING
        before = Restoring(state, self._graph)
        for key in before.keys:
            if key in patterns:
                self._start(before.build(key, patterns.pop(key)))
        before.fill(self)
        self.known = state["known"]
        counts = state.get("given_up", {})
        self._hopeless = {key: counts[key] for key in counts if key in self._graph.subscriptions}
        for key, pattern in patterns.items():
            self._start(self._graph.add(key, pattern, self.number))

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
        users = self._graph.users_of(given_up)
        found = {key: given_up[node] for key, node in users.items()}
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
        """The node of an atom, if it has one."""
        return self._graph.atom_node(atom)


def _step_of(part: Part) -> Duration:
    """How far windows that come again lie apart."""
    match part:
        case Absence(_, EveryWindow(length)) | Sliding(every=int(length)):
            return length
        case _:
            raise AssertionError(f"nothing comes again in {part}")


def _atoms_of(nodes: Iterable[Node]) -> list[Atom]:
    return [node.part for node in nodes if isinstance(node.part, Atom)]
