"""One event, then another: the join of two atoms of which one surely comes last, for all
subscriptions that ask so.

What came first is kept once for all who wait for it, and what comes last asks its questions once
for all. Single use means that a pair is used up for the node that found it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence

from tocsin.engine.detection.join import ends_last, is_kept_by_expiry
from tocsin.engine.detection.join_filters import Filter, by_cost, pair_filter
from tocsin.engine.detection.min_max import Extreme, Number, Screen, screen_of
from tocsin.engine.detection.node import A_TRIAL, QUESTIONS, Node, Pending, State, Step, Writer
from tocsin.engine.detection.partition_keys import Key, homes_of, slot_keys
from tocsin.engine.detection.queue import Queue
from tocsin.engine.detection.scope import Scopes
from tocsin.engine.detection.shared_buffer import Follower, Line, joined
from tocsin.events.event import Path
from tocsin.plan.bounds import join_lifetime
from tocsin.plan.composites import (
    Join,
    Named,
    Part,
    PartAttribute,
    Policy,
    is_one_event,
    variables_of,
)
from tocsin.plan.occurrence import Occurrence, combined
from tocsin.plan.row_functions import GivenUp
from tocsin.values.time import Duration, Instant

_MARKS_ALLOWED = 64


def is_following(part: Join, scopes: Scopes) -> bool:
    """Whether a join can be served so."""
    if len(part.parts) != 2 or part.policy is not Policy.DEFERRED or scopes.names_in(part):
        return False
    if not variables_of(part.parts[0]).isdisjoint(variables_of(part.parts[1])):
        return False  # what waits is found by what it binds
    last = 1 if ends_last(part, 1) else 0
    return (
        all(map(is_one_event, part.parts))
        and ends_last(part, last)
        and join_lifetime(part, 1 - last) is not None
        and None not in _filters(part, last)
    )


def _filters(part: Join, last: int) -> list[Filter | None]:
    """The questions of what comes last, without those that equal keys and expiry answer already."""
    _, conditions = slot_keys(part.parts, part.conditions, part.by)
    homes, lifetime = homes_of(part.parts), join_lifetime(part, 1 - last)
    return [
        pair_filter(condition, part.parts, homes, last)
        for condition in by_cost(conditions)
        if not is_kept_by_expiry(condition, last, lifetime)
    ]


class FirstLine(Line):
    """What may be followed, parted by key."""

    __slots__ = ("_expires", "_extremes", "queue")

    def __init__(self, source: Node, key: Key, lifetime: Duration, address: Hashable) -> None:
        super().__init__(source, key, lifetime, address)
        self.queue = Queue(lifetime)
        self._expires = False
        self._extremes: dict[tuple[PartAttribute, str], Extreme] = {}

    keeps = True

    @property
    def kept(self) -> int:
        """How many wait to be followed."""
        return self.queue.living

    @property
    def is_empty(self) -> bool:
        """Whether nothing waits."""
        return not self.queue.living

    def extreme(self, screen: Screen) -> Extreme:
        """The extremes that an order asks for, kept for all who ask; nothing waits yet."""
        return self._extremes.setdefault((screen.attribute, screen.relation), Extreme(screen))

    def receive(self, slot: int, occurrence: Occurrence, step: Step) -> None:
        """Keeps the occurrence; without the attributes of its key it can pair with nothing."""
        queue = self.queue
        queue.forget_before(step.now)
        key = self.key(occurrence)
        if key is not None:
            self._add(occurrence, key)
            if queue.living > step.queue_limit:
                step.overfull.add(self)
            if not self._expires:
                self._expire(step)

    def forget_before(self, now: Instant) -> None:
        """Drops what waited in vain."""
        self.queue.forget_before(now)
        self.forget_restored(now)

    def next_expiry(self) -> Instant | None:
        """When the first that waits here has waited in vain."""
        soonest = self.queue.next_expiry()
        self._expires = soonest is not None
        return soonest

    def waiting(self) -> Iterator[Occurrence]:
        """All that wait, oldest first."""
        return iter(self.queue)

    def waiting_at(self, key: Hashable, now: Instant) -> Sequence[Occurrence]:
        """What waits under a key, oldest first, but for what has waited in vain."""
        waiting = self.queue.waiting(key)
        if waiting and waiting[0].end + self.lifetime < now:
            self.queue.forget_before(now)
            waiting = self.queue.waiting(key)
        return waiting

    def replace(self, occurrences: list[Occurrence], step: Step) -> None:  # type: ignore[override]
        """Has these wait, and nothing else."""
        self.queue.clear()
        for each in occurrences:
            self._add(each, self.key(each))
        if not self._expires:
            self._expire(step)

    def give_away(self) -> list[tuple[Occurrence, Hashable]]:
        """All that wait, oldest first, with their keys; they wait elsewhere from now on."""
        waiting = list(self.queue.keyed())
        self.queue.clear()
        return waiting

    @property
    def extremes(self) -> Mapping[tuple[Path, str], Extreme]:
        """The extremes that are kept, by what they are asked for."""
        return {(each.path, relation): known for (each, relation), known in self._extremes.items()}

    def take_back(self, waiting: Iterable[tuple[Occurrence, Hashable]], step: Step) -> None:
        """What waited elsewhere waits here again; what was before a restart is no special case any
        more.
        """
        self.queue.clear()
        self._restored = set()
        for occurrence, key in waiting:
            self.queue.add(occurrence, key)
        if not self._expires:
            self._expire(step)

    def _add(self, occurrence: Occurrence, key: Hashable) -> None:
        self.queue.add(occurrence, key)
        for extreme in self._extremes.values():
            extreme.note(occurrence, key)
            if extreme.is_stale(self.queue.living):
                extreme.renew(self.queue.buckets())

    def _expire(self, step: Step) -> None:
        if (soonest := self.next_expiry()) is not None:
            step.expire(self, soonest)


class LastGroup(Follower):
    """The nodes for which a source brings what comes last, with the same key and the same
    questions.
    """

    __slots__ = ("_filters", "_screen", "members")

    def __init__(
        self,
        source: Node,
        key: Key,
        filters: list[Filter],
        screen: Screen | None,
        address: Hashable,
    ) -> None:
        super().__init__(source, key, address)
        self._filters = filters
        self._screen = screen
        self.members: list[FollowingNode] = []

    def receive(self, slot: int, occurrence: Occurrence, step: Step) -> None:
        """Asks those that wait for each node, oldest first; the questions are the same for all
        nodes.
        """
        key = self.key(occurrence)
        if key is None:
            return
        asked = (
            self.members if self._screen is None else self._promising(self._screen, occurrence, key)
        )
        questions = None
        for member in asked:
            waiting = member.line.waiting_at(key, step.now)
            if waiting:
                questions = questions or [bound_to(occurrence) for bound_to in self._filters]
                member.tried += len(waiting)
                fitting = iter(waiting)
                for question in questions:
                    fitting = filter(question, fitting)
                try:
                    member.pair(fitting, len(waiting), occurrence, key, step)
                except GivenUp as why:
                    step.give_up(member, occurrence, why)

    def _promising(
        self, screen: Screen, occurrence: Occurrence, key: Hashable
    ) -> list[FollowingNode]:
        """The nodes for which something waits that may stand in the order asked for."""
        number = screen.number_of(occurrence)
        if number is None:
            return []
        compares = screen.compares
        return [
            member
            for member in self.members
            if (best := member.extremes.get(key)) is not None and compares(best, number)
        ]


class FollowingNode(Node):
    """A join of two atoms, for the subscriptions that have it."""

    __slots__ = ("_join", "_mine", "_used", "extremes", "first", "group", "line", "tried")

    def __init__(self, part: Join, inner: list[Node]) -> None:
        super().__init__(part, inner)
        self.tried = 0
        self._join = part
        self.first = 0 if ends_last(part, 1) else 1
        self._used: set[Occurrence] = set()
        self._mine: set[Occurrence] = set()
        self.extremes: Mapping[Hashable, Number] = {}

    def enter(self) -> None:
        """Joins, or makes, the line of its first part and the group of its last."""
        part, first, last = self._join, self.first, 1 - self.first
        keys, conditions = slot_keys(part.parts, part.conditions, part.by)
        lifetime = join_lifetime(part, first) or 0
        address = ("first", keys[first], lifetime)
        source = self.inner[first]
        self.line = joined(
            source, address, lambda: FirstLine(source, keys[first], lifetime, address)
        )
        asked = (
            "last",
            keys[last],
            last,
            by_cost(conditions),
            lifetime,
            tuple(map(_name_of, part.parts)),
        )
        filters = [each for each in _filters(part, last) if each is not None]
        screen = screen_of(conditions, part.parts, homes_of(part.parts), last)
        self.extremes = {} if screen is None else self.line.extreme(screen).values
        goal = self.inner[last]
        self.group = joined(
            goal, asked, lambda: LastGroup(goal, keys[last], filters, screen, asked)
        )
        self.group.members.append(self)

    def leave(self) -> None:
        """Leaves both."""
        self.group.members.remove(self)
        self.group.leave()
        self.line.leave()

    @property
    def is_empty(self) -> bool:
        """Whether nothing waits."""
        return self.line.is_empty

    def uses(self, other: Node) -> bool:
        """Whether the other is this node or its line."""
        return other in (self, self.line)

    def pair(
        self, fitting: Iterable[Occurrence], count: int, last: Occurrence, key: Hashable, step: Step
    ) -> None:
        """Brings the first pair that is to be had, out of so many that wait; GivenUp where that is
        too much work.
        """
        self.renew(step)
        self.spend(count // QUESTIONS)
        for first in fitting:
            if self.is_paired(first, last, key, step):
                return

    def is_paired(self, first: Occurrence, last: Occurrence, key: Hashable, step: Step) -> bool:
        """Brings the pair, if the first is still to be had for this node; whether it was."""
        if self.has_lost(first):
            return False
        self.spend(A_TRIAL)
        whole = combined((last, first) if self.first else (first, last), self.spend)
        if whole is None:
            return False
        step.bring(self, whole)
        self._use_up(first, key)
        return True

    def has_lost(self, first: Occurrence) -> bool:
        """Whether one that waits is not, or no more, to be had for this node."""
        return first in self._used or self.line.is_only_others(first, self._mine)

    def lost(self) -> set[Occurrence]:
        """What is not, or no more, to be had for this node, of all that waits or waited."""
        return self._used | self.line.only_others(self._mine)

    def lose(self, used: set[Occurrence]) -> None:
        """Of all that waits these, and no others, are not to be had for this node."""
        self._used, self._mine = used, set()

    def pending(self) -> Iterator[Pending]:
        """All that waits to be followed."""
        for each in self._waiting():
            yield Pending(self.part, self.first, each, each.end + self.line.lifetime)

    def snapshot(self, writer: Writer) -> State:
        """What waits, at its slot, as for any join."""
        held = [writer.write(each) for each in self._waiting()]
        return {"queues": [[], held] if self.first else [held, []]}

    def restore(self, state: State, read: Callable[[State], Occurrence], step: Step) -> None:
        """Takes over what waited for this node."""
        held = [read(each) for each in state["queues"][self.first]]
        self._mine = self.line.take_over(
            [each for each in held if self.line.key(each) is not None], step
        )

    def _waiting(self) -> list[Occurrence]:
        return [each for each in self.line.queue if not self.has_lost(each)]

    def _use_up(self, first: Occurrence, key: Hashable) -> None:
        """Who has the line for itself takes it out; else it is noted, until notes outnumber by far
        what waits.
        """
        if self.line.joined == 1:
            self.line.queue.remove(first, key)
            return
        self._used.add(first)
        if len(self._used) > 2 * self.line.queue.living + _MARKS_ALLOWED:
            self._used.intersection_update(self.line.queue)


def _name_of(part: Part) -> str | None:
    return part.name if isinstance(part, Named) else None
