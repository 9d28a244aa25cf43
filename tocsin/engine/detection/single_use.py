"""Two events, each used once: the join of two atoms under single use, for all subscriptions that
ask so.

What waits is kept once for each atom, whoever waits for it (`numbered_line`); what comes asks only
the nodes for which something waits, and of that only what may end at the right time. The answers
are those of `join.PairNode`, which serves all other joins of two parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from tocsin.engine.detection.join import ends_last
from tocsin.engine.detection.join_filters import Filter, Question, by_cost, pair_filter
from tocsin.engine.detection.node import (
    A_RESULT,
    A_TRIAL,
    QUESTIONS,
    Node,
    Pending,
    State,
    Step,
    Writer,
)
from tocsin.engine.detection.numbered_line import (
    END_OF_TIME,
    NumberedLine,
    Share,
)
from tocsin.engine.detection.scope import Scopes
from tocsin.plan.atoms import Atom
from tocsin.plan.bounds import join_lifetime
from tocsin.plan.composites import End, Join, JoinCondition, Policy, Precedes, variables_of
from tocsin.plan.occurrence import Occurrence, combined
from tocsin.values.time import Duration, Instant

_ARRIVALS = "arrivals"


def is_single_use(part: Join, scopes: Scopes) -> bool:
    """Whether a join can be served so."""
    return (
        part.policy is Policy.CHRONICLE
        and len(part.parts) == 2
        and all(isinstance(each, Atom) for each in part.parts)
        and part.parts[0] != part.parts[1]
        and not part.by
        and not scopes.names_in(part)
        and variables_of(part.parts[0]).isdisjoint(variables_of(part.parts[1]))
        and all(join_lifetime(part, slot) is not None for slot in (0, 1))
        and all(pair_filter(each, part.parts, {}, 0) is not None for each in part.conditions)
    )


class Questions:
    """What an occurrence that comes to a slot asks of those that wait at the other: when they ended
    at the earliest and at the latest, and the rest.

    Equal questions are one, which remembers whom it asked for last: an event comes to many nodes in
    a row.
    """

    __slots__ = ("_filters", "_lifetime", "_slot", "_spans", "asked", "high", "low", "new")

    def __init__(self, conditions: Sequence[JoinCondition], slot: int, lifetime: Duration) -> None:
        self._slot = slot
        self._lifetime = lifetime
        self._spans = [
            each
            for each in conditions
            if isinstance(each, Precedes) and each.earlier.part != each.later.part
        ]
        rest = [each for each in conditions if not _is_of_ends(each, slot)]
        self._filters = [_filter(each, slot) for each in by_cost(rest)]
        self.new: Occurrence | None = None
        self.low: Instant = 0
        self.high: Instant = 0
        self.asked: list[Question] = []

    def ask_for(self, new: Occurrence) -> None:
        """Another occurrence has come."""
        self.new = new
        self.asked = [bound_to(new) for bound_to in self._filters]
        low, high = new.end - self._lifetime, END_OF_TIME
        for each in self._spans:
            earlier, later = each.earlier, each.later
            slack = each.gap if each.or_equal else each.gap + 1
            if earlier.part == self._slot:  # what waits ends no earlier than it starts
                low = max(low, (new.start if earlier.end is End.START else new.end) + slack)
            elif earlier.end is End.FINISH:
                high = min(high, (new.start if later.end is End.START else new.end) - slack)
        self.low, self.high = low, high


@lru_cache(maxsize=4096)
def questions_of(conditions: tuple[JoinCondition, ...], slot: int, lifetime: Duration) -> Questions:
    """The questions of all who ask the same."""
    return Questions(conditions, slot, lifetime)


def _is_of_ends(condition: JoinCondition, slot: int) -> bool:
    """Whether the span in which they may have ended says it already."""
    if not isinstance(condition, Precedes) or condition.earlier.part == condition.later.part:
        return False
    theirs = condition.later if condition.earlier.part == slot else condition.earlier
    return theirs.end is End.FINISH


def _filter(condition: JoinCondition, slot: int) -> Filter:
    found = pair_filter(condition, (), {}, slot)
    assert found is not None
    return found


class _Side:
    """One slot of a node as its atom sees it: what waits at the other, and what is asked of it."""

    __slots__ = ("node", "others", "questions", "slot")

    def __init__(self, node: SingleUseNode, slot: int, others: Share, questions: Questions) -> None:
        self.node = node
        self.slot = slot
        self.others = others
        self.questions = questions


class Arrivals(Node):
    """What one atom brings, on behalf of all nodes that pair it: served at once, it has the
    occurrence wait, and hands it to the nodes for which something waits at the other slot.
    """

    __slots__ = ("lines", "nodes", "sides")

    is_direct = True

    def __init__(self, source: Node) -> None:
        super().__init__(source.part, [source])
        self.lines: dict[Duration, NumberedLine] = {}
        self.nodes: list[SingleUseNode] = []
        self.sides: list[_Side] = []

    def receive(self, slot: int, occurrence: Occurrence, step: Step) -> None:
        """One occurrence of the atom."""
        limit = step.queue_limit
        for side in self.sides:
            others = side.others
            if others.cursor < others.line.total or others.earlier:
                questions = side.questions
                if questions.new is not occurrence:
                    questions.ask_for(occurrence)
                if others.line.last_end >= questions.low or others.earlier:
                    step.hand(side.node, side.slot, occurrence)
        for line in self.lines.values():
            line.receive(0, occurrence, step)
            if 2 * len(line.items) > limit:
                step.overfull.update(
                    each for each in self.nodes if not each.inbox and each.kept > limit
                )

    def line(self, lifetime: Duration) -> NumberedLine:
        """Where occurrences of the atom wait so long, made for the first who needs it."""
        if lifetime not in self.lines:
            self.lines[lifetime] = NumberedLine(self.inner[0], lifetime)
        return self.lines[lifetime]

    def leave_with(self, node: SingleUseNode, share: Share | None) -> None:
        """A node is gone with its share; the last one takes the arrivals with it."""
        self.nodes.remove(node)
        self.sides = [side for side in self.sides if side.node is not node]
        if share is not None:
            line = share.line
            line.shares.remove(share)
            if not line.shares:
                line.is_gone = True
                del self.lines[line.lifetime]
        if not self.nodes:
            self.leave()
            del self.inner[0].shared[_ARRIVALS]


def _arrivals_of(source: Node) -> Arrivals:
    known = source.shared.get(_ARRIVALS)
    if known is None:
        known = source.shared[_ARRIVALS] = Arrivals(source)
        known.enter()
    assert isinstance(known, Arrivals)
    return known


class SingleUseNode(Node):
    """A join of two atoms under single use, for the subscriptions that have it."""

    __slots__ = ("_join", "_lifetimes", "_shares", "_sides", "_taken_in", "tried")

    def __init__(self, part: Join, inner: list[Node]) -> None:
        super().__init__(part, inner)
        self.tried = 0
        self._join = part
        self._lifetimes = [join_lifetime(part, slot) or 0 for slot in (0, 1)]
        self._shares: list[Share | None] = [None, None]
        self._sides: list[_Side | None] = [None, None]
        self._taken_in = -1

    keeps = True

    def enter(self) -> None:
        """Joins, or makes, the lines of both atoms; a slot at which nothing needs to wait has
        none.
        """
        part, lifetimes = self._join, self._lifetimes
        arrivals = [_arrivals_of(source) for source in self.inner]
        for slot, mine in enumerate(arrivals):
            mine.nodes.append(self)
            if not ends_last(part, slot):
                self._shares[slot] = share = Share(mine.line(lifetimes[slot]))
                questions = questions_of(part.conditions, 1 - slot, lifetimes[slot])
                self._sides[1 - slot] = side = _Side(self, 1 - slot, share, questions)
                arrivals[1 - slot].sides.append(side)

    def leave(self) -> None:
        """Leaves them."""
        for source, share in zip(self.inner, self._shares, strict=True):
            _arrivals_of(source).leave_with(self, share)

    @property
    def kept(self) -> int:
        """How many wait at both slots."""
        return sum(map(len, self._waiting_shares()))

    @property
    def is_empty(self) -> bool:
        """Whether nothing waits."""
        return not self.kept

    def receive(self, slot: int, occurrence: Occurrence, step: Step) -> None:
        """Brings the first pair that is to be had; where that is too much work, the occurrence
        waits like any other. One that was used up at the first slot is not to be had at the second.
        """
        side = self._sides[slot]
        if side is None or self._taken_in == step.number:
            return
        questions = side.questions
        if questions.new is not occurrence:
            questions.ask_for(occurrence)
        waiting = side.others.between(questions.low, questions.high)
        if not waiting:
            return
        self.renew(step)
        self.tried += len(waiting)
        self.spend(len(waiting) // QUESTIONS)
        fitting = iter(waiting)
        for question in questions.asked:
            fitting = filter(question, fitting)
        self._pair(slot, fitting, occurrence, step)

    def forget_before(self, now: Instant) -> None:
        """Drops what was held before a restart and has waited in vain; lines see to the rest."""
        for share in self._waiting_shares():
            share.forget_before(now)

    def next_expiry(self) -> Instant | None:
        """When the first that was held before a restart has waited in vain."""
        return min(
            (
                share.earlier[0].end + share.line.lifetime
                for share in self._waiting_shares()
                if share.earlier
            ),
            default=None,
        )

    def pending(self) -> Iterator[Pending]:
        """All that waits for others."""
        for slot, share in enumerate(self._shares):
            for each in share or ():
                yield Pending(self.part, slot, each, each.end + self._lifetimes[slot])

    def snapshot(self, writer: Writer) -> State:
        """What waits, at its slot, as for any join."""
        return {"queues": [[writer.write(each) for each in share or ()] for share in self._shares]}

    def restore(self, state: State, read: Callable[[State], Occurrence], step: Step) -> None:
        """Takes over what waited for this node."""
        for share, held in zip(self._shares, state["queues"], strict=True):
            if share is not None:
                share.earlier = [read(each) for each in held]
        if (due := self.next_expiry()) is not None:
            step.expire(self, due)

    def _waiting_shares(self) -> Iterator[Share]:
        return (share for share in self._shares if share is not None)

    def _pair(self, slot: int, fitting: Iterator[Occurrence], new: Occurrence, step: Step) -> None:
        for other in fitting:
            self.spend(A_TRIAL)
            whole = combined((other, new) if slot else (new, other), self.spend)
            if whole is not None:
                self.spend(A_RESULT + len(whole.rows))
                step.bring(self, whole)
                self._taken_in = step.number
                for share in self._waiting_shares():
                    share.use_up(other)
                    share.use_up(new)
                return
