"""What every node of the detection network has: a place in the graph, an inbox for the current
step, and its users.

Users that are direct are `followers`; the others are `users`, each with the slot at which it takes
what is brought. `shared` are followers that several nodes have in common, by what they have in
common.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from tocsin.engine.detection.pair_table import PairTable
from tocsin.plan.nodes.composites import Part
from tocsin.plan.semantics.occurrence import Occurrence
from tocsin.plan.xml.row_functions import GivenUp
from tocsin.values.time import Instant

if TYPE_CHECKING:
    from collections.abc import Callable

    from tocsin.engine.detection.comparison import Comparison
    from tocsin.engine.detection.scope import Scopes


@dataclass(frozen=True, slots=True)
class Pending:
    """An occurrence that waits at a slot of a part, and the last instant at which it can matter."""

    owner: Part
    slot: int
    occurrence: Occurrence
    until: Instant | None


WORK_LIMIT = 200_000
"""How much work one event, or the timers of one instant, may cause at all parts of one subscription
together: about as many microseconds.
"""

A_TRIAL = 10
"""The work of putting occurrences together to see what comes of it."""

A_RESULT = 10
"""The work of telling what came of it, rows aside."""


def work_of_telling(whole: Occurrence) -> int:
    """The work of telling what came of it: the more members, the longer it takes."""
    return A_RESULT * max(1, len(whole.members) // 2) + len(whole.rows)


QUESTIONS = 4
"""So many simple questions about what waits are work of one microsecond."""

State = dict[str, Any]
"""Plain data: lists, dictionaries, strings and numbers, as JSON has them."""


class Step(Protocol):
    """The current step: where a node puts what it brings, and where it asks to be woken.

    A node that keeps more than `queue_limit` is put into `overfull`. Up to `leap`, where there is
    one, no event comes. `pairs` under single use are served together.
    """

    now: Instant
    leap: Instant | None
    number: int
    queue_limit: int
    overfull: set[Node]
    pairs: PairTable[Node]

    def bring(self, node: Node, occurrence: Occurrence) -> None:
        """An occurrence of the node's part, for all its users."""
        ...

    def give_up(self, node: Node, occurrence: Occurrence | None, why: GivenUp) -> None:
        """What the occurrence brings about at the node is too much to work out; the subscriptions
        that cannot pay are told.
        """
        ...

    def hand(self, node: Node, slot: int, occurrence: Occurrence) -> None:
        """An occurrence for one node, which is served in its turn."""
        ...

    def vanish(self, scopes: Scopes, name: str, occurrence: Occurrence) -> None:
        """What a name stands for is lost to its whole scope once the step is over."""
        ...

    def wake(self, node: Node, due: Instant, token: object) -> None:
        """Call the node's `on_timer` with the token at `due`, after all events that end by then."""
        ...

    def expire(self, node: Node, due: Instant) -> None:
        """Call the node's `forget_before` some time after `due`, and ask for its `next_expiry`
        then.
        """
        ...


class Writer(Protocol):
    """Turns occurrences into plain data, each event once."""

    def write(self, occurrence: Occurrence) -> State:
        """The occurrence as plain data."""
        ...


class Allowance:
    """How much work may be done in one step; each step has its own."""

    __slots__ = ("_spent", "_spent_in")

    def __init__(self) -> None:
        self._spent = 0
        self._spent_in = -1

    @property
    def spent(self) -> int:
        """The work that was counted last."""
        return self._spent

    def is_overdrawn_in(self, step: Step) -> bool:
        """Whether more work was counted in this very step than it may take."""
        return self._spent > WORK_LIMIT and self._spent_in == step.number

    def allow(self, step: Step) -> None:
        """A new step has a new allowance of work."""
        if self._spent_in != step.number:
            self._spent_in, self._spent = step.number, 0

    def count(self, work: int) -> bool:
        """Counts work of about as many microseconds; whether it is not too much for one step."""
        self._spent += work
        return self._spent <= WORK_LIMIT


def too_much_work() -> GivenUp:
    """The reason why an event is undecided for a subscription."""
    return GivenUp(
        f"one event would take more than {WORK_LIMIT:,} steps to combine with what waits"
    )


class Memory:
    """What is kept from step to step: nothing unless a subclass says otherwise."""

    __slots__ = ()

    @property
    def is_empty(self) -> bool:
        """Whether the node holds nothing: a newcomer may then share it without seeing what was
        before.
        """
        return True

    @property
    def kept(self) -> int:
        """How many occurrences it keeps."""
        return 0

    def forget_before(self, now: Instant) -> None:
        """Drops what no occurrence that ends at `now` or later can complete."""

    def next_expiry(self) -> Instant | None:
        """Up to when nothing here will be forgotten; None where nothing ever will."""
        return None

    def pending(self) -> Iterable[Pending]:
        """What waits here."""
        return ()

    def snapshot(self, writer: Writer) -> State:
        """What the node holds, as plain data."""
        return {}

    def restore(self, state: State, read: Callable[[State], Occurrence], step: Step) -> None:
        """Takes over what a snapshot held."""

    def outline(self, comparison: Comparison) -> Hashable:
        """Cheap to find out: nodes of one part with different outlines do not hold the same, or not
        yet.
        """
        return self.kept

    def held(self, comparison: Comparison) -> Hashable:
        """What tells nodes of one part apart that do not hold the same."""
        return repr(self.snapshot(comparison))


class Node(Allowance, Memory):
    """A part at work: its place in the graph, and what it does with what comes to it."""

    __slots__ = (
        "brought",
        "due",
        "followers",
        "inbox",
        "inner",
        "is_gone",
        "keys",
        "level",
        "number",
        "part",
        "payers",
        "shared",
        "users",
    )

    is_direct = False
    """Whether it keeps nothing and has one part inside, so that it can be served at once and not in
    its turn.
    """

    keeps = False
    """Whether it keeps occurrences, so that there can be too many of them; a follower looks after
    that itself.
    """

    is_endless = False
    """Whether its timers come again for ever; it is told when time begins."""

    def __init__(self, part: Part, inner: list[Node]) -> None:
        super().__init__()
        self.part = part
        self.inner = inner
        self.level: int = 1 + max((node.level for node in inner), default=-1)
        self.users: list[tuple[Node, int]] = []
        self.followers: list[Node] = []
        self.shared: dict[Hashable, Node] = {}
        self.inbox: list[tuple[int, Occurrence]] = []
        self.due: list[object] = []
        self.keys: list[str] = []
        self.is_gone = False
        self.number = 0
        self.brought = 0
        self.payers: tuple[Node, ...] = (self,)
        """The nodes of the whole patterns that this one is part of: each pays all that is done
        here, as it would if it were alone.
        """

    def renew(self, step: Step) -> None:
        """A new step has a new allowance of work."""
        for payer in self.payers:
            payer.allow(step)

    def spend(self, work: int) -> None:
        """Counts work of about as many microseconds; GivenUp where it is too much for everybody who
        pays. As long as one can pay, the work is done.
        """
        able = False
        for payer in self.payers:
            able = payer.count(work) or able
        if not able:
            raise too_much_work()

    def uses(self, other: Node) -> bool:
        """Whether what the other keeps is kept for this node too."""
        return self is other

    def receive(self, slot: int, occurrence: Occurrence, step: Step) -> None:
        """One occurrence of the part inside at `slot`; within a step, slots come in order."""
        raise AssertionError(f"{type(self).__name__} has no parts")

    def enter(self) -> None:
        """Takes its place in the graph."""
        for slot, each in enumerate(self.inner):
            if self.is_direct:
                each.followers.append(self)
            else:
                each.users.append((self, slot))

    def leave(self) -> None:
        """Gives up its place in the graph; what goes with it need not be told."""
        for each in self.inner:
            if not each.is_gone:
                each.users = [(user, slot) for user, slot in each.users if user is not self]
                each.followers = [user for user in each.followers if user is not self]

    def start(self, step: Step) -> None:
        """Called once when the node enters the network."""

    def begin(self, now: Instant, is_first: bool, step: Step) -> None:
        """The time is known, for the first time or because the node came later."""

    def on_timer(self, token: object, step: Step) -> None:
        """The instant of a timer that the node set has come."""
