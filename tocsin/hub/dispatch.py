"""Dispatch from matches to receivers: each subscriber in order, with a policy for slow ones.

A subscriber is a receiver: one receiver given for several subscriptions gets all their matches in
the order of detection, one at a time.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from tocsin.errors import MeaningProblem
from tocsin.events.dead_letter import (
    DeadLetter,
    receiver_failure,
    slow_subscriber,
    suspended_for_slowness,
)
from tocsin.events.matches.match import Match
from tocsin.hub.mailbox import EventLoop, Mailbox, Overflow, QueuedCall, QueueLimit, is_inside

Receiver = Callable[[Match], object | Awaitable[object]]
"""Takes a match; an awaitable that it returns is awaited."""

Listener = Callable[[DeadLetter], object | Awaitable[object]]
"""Takes the dead letter of a problem with a subscription."""


@dataclass(frozen=True, slots=True)
class _Subscriber:
    receiver: Receiver | None
    problems_to: Listener | None
    room: QueueLimit
    box: Mailbox | None


_NO_SUBSCRIBER = _Subscriber(None, None, QueueLimit(), None)

QueuedDeliveries = list[tuple[Mailbox, int, str, QueueLimit]]
"""Items put into mailboxes and still to be delivered, in order: mailbox, number, subscription,
limit.
"""


@dataclass(slots=True)
class Dispatcher:
    """Subscribers by subscription.

    All methods but `deliver` are called by one thread at a time; `deliver` is called without a
    lock. `add_dead_letter` takes dead letters; `suspend` ends a subscription whose subscriber is
    too slow.
    """

    loop: EventLoop
    add_dead_letter: Callable[[DeadLetter], object]
    suspend: Callable[[str, DeadLetter], object]
    _subscribers: dict[str, _Subscriber] = field(default_factory=dict)
    _boxes: dict[object, Mailbox] = field(default_factory=dict)
    _posted: QueuedDeliveries = field(default_factory=list)

    def __contains__(self, id: object) -> bool:
        return id in self._subscribers

    def enter(
        self,
        id: str,
        to: Receiver | None = None,
        problems_to: Listener | None = None,
        room: QueueLimit | None = None,
    ) -> None:
        """Add a subscription with its receivers; without any, its matches go to none."""
        whom = problems_to if to is None else to
        box = None
        if whom is not None:
            box = self._boxes.setdefault(_name(whom), Mailbox(self.loop, self._on_fault))
            box.users += 1
        self._subscribers[id] = _Subscriber(to, problems_to, room or QueueLimit(), box)

    def cancel(self, id: str) -> None:
        """Remove a subscription at the subscriber's request. Matches found before are still
        delivered.

        A receiver that cancels while it is called is not called again.
        """
        box = self._leave(id).box
        if box is not None and is_inside():
            box.discard(id)

    def end(self, id: str, letter: DeadLetter) -> None:
        """End a subscription; its subscriber gets the reason after all matches found before."""
        self.notify_problem(id, letter)
        self._leave(id)

    def notify_problem(self, id: str, letter: DeadLetter) -> None:
        """Queue the dead letter of a problem for the subscriber, if it takes problems."""
        found = self._subscribers.get(id, _NO_SUBSCRIBER)
        if found.problems_to is not None:
            self._post(id, found, found.problems_to, letter)

    def post(self, match: Match) -> None:
        """Queue a match for its subscriber; if the queue is full, apply the overflow policy."""
        id = match.subscription
        found = self._subscribers.get(id, _NO_SUBSCRIBER)
        if found.receiver is None or found.box is None:
            return
        overflow = found.room.overflow
        if overflow is not Overflow.BLOCK and found.box.is_full(id, found.room):
            if overflow is Overflow.SUSPEND:
                self.suspend(id, suspended_for_slowness(id, found.room.size))
                return
            oldest = found.box.drop_oldest(id)
            if oldest is not None:
                self.add_dead_letter(slow_subscriber(id, _item_text(oldest.argument)))
        self._post(id, found, found.receiver, match)

    def take(self) -> QueuedDeliveries:
        """Return the items queued since the last call; the caller has to deliver them."""
        posted, self._posted = self._posted, []
        return posted

    def deliver(self, posted: QueuedDeliveries) -> None:
        """Call the receivers; block while a queue with overflow "block" is too full."""
        for box, number, _, _ in posted:
            box.deliver(number)
        for box, subscription, room in dict.fromkeys(
            (box, key, room) for box, _, key, room in posted
        ):
            box.await_room(subscription, room)

    def close(self, patience: float) -> None:
        """Wait up to `patience` seconds for receivers on the event loop; undelivered items are dead
        letters.
        """
        self.loop.close(patience)
        for box in list(self._boxes.values()):
            for item in box.abandon():
                self.add_dead_letter(
                    receiver_failure(
                        RuntimeError("the hub was closed before"), _item_text(item.argument)
                    )
                )

    def _post(
        self, id: str, found: _Subscriber, call: Callable[[Any], object], item: Match | DeadLetter
    ) -> None:
        assert found.box is not None
        self._posted.append((found.box, found.box.put(id, call, item), id, found.room))

    def _leave(self, id: str) -> _Subscriber:
        """Remove a subscription, and its mailbox with the last one that uses it.

        Items in the mailbox are still delivered.
        """
        left = self._subscribers.pop(id, _NO_SUBSCRIBER)
        whom = left.problems_to if left.receiver is None else left.receiver
        if whom is not None and left.box is not None:
            left.box.users -= 1
            if not left.box.users:
                del self._boxes[_name(whom)]
        return left

    def _on_fault(self, item: QueuedCall, error: BaseException) -> None:
        self.add_dead_letter(receiver_failure(error, _item_text(item.argument)))


def require_callable(name: str, given: object) -> None:
    """Refuse a receiver that cannot be called, when it is given."""
    if given is not None and not callable(given):
        raise MeaningProblem(
            f"{name} is a function, got {type(given).__name__}",
            code="ReceiverError",
            token=name,
            hint="give a function that takes one argument, such as print, or a coroutine function",
        )


def _name(receiver: Callable[..., object]) -> object:
    """Return the key of a receiver: equal ones are one, unless they cannot be hashed."""
    try:
        hash(receiver)
    except TypeError:
        return id(receiver)
    return receiver


def _item_text(item: Match | DeadLetter) -> str:
    """Return the text of an item; a match that cannot be rendered is shown by its id."""
    if isinstance(item, DeadLetter):
        return item.text()
    try:
        return item.line()
    except Exception:
        return item.id
