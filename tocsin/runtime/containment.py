"""Faults contained: what one item raises is told of that item alone, and all others are served.

A batch that raises is halved until the item is found. Where a single event still raises, the
subscriptions are halved in its turn, so that the fault has a name. Only `Exception` is caught: who
interrupts the program is obeyed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from tocsin.errors import Problem
from tocsin.events.event import Event

Item = TypeVar("Item")
Result = TypeVar("Result")

STRIKES = 3
"""So often a subscription may raise without ringing in between; then it is suspended."""

TRIALS = 256
"""So many groups of subscriptions may raise for one event before the event itself is to blame."""


@dataclass(slots=True)
class Contained(Generic[Item, Result]):
    """The parts of a batch that were served, each with its result, in order, and the items that
    raised.
    """

    served: list[tuple[Sequence[Item], Result]] = field(default_factory=list)
    failed: list[tuple[Item, Exception]] = field(default_factory=list)


def contain(
    items: Sequence[Item],
    work: Callable[[Sequence[Item]], Result],
    alone: Callable[[Item, Exception], Result | None] = lambda item, error: None,
) -> Contained[Item, Result]:
    """Works on all items at once; where that raises, on halves, down to the single item that
    raises.

    `alone` is asked at once what can still be done for it, before the others are tried again: if it
    puts the cause away, they go through as one. Where it has no answer the item failed. `work` must
    leave nothing behind when it raises.
    """
    found: Contained[Item, Result] = Contained()
    waiting = [items] if items else []
    while waiting:
        part = waiting.pop()
        try:
            found.served.append((part, work(part)))
        except Exception as error:
            if len(part) > 1:
                middle = len(part) // 2
                waiting += (part[middle:], part[:middle])
            elif (rest := alone(part[0], error)) is not None:
                found.served.append((part, rest))
            else:
                found.failed.append((part[0], error))
    return found


@dataclass(slots=True)
class Apart(Generic[Result]):
    """One event, served for groups of subscriptions: what came of those that do not raise, and who
    raises what.

    `rest` is what was raised last where too many raised to look for each: the event is to blame for
    them.
    """

    results: list[Result] = field(default_factory=list)
    raised: dict[str, Exception] = field(default_factory=dict)
    rest: Exception | None = None


def serve_apart(keys: Sequence[str], serve: Callable[[Sequence[str]], Result]) -> Apart[Result]:
    """Serves one event, which raises for all together, for ever smaller groups of subscriptions."""
    found: Apart[Result] = Apart()
    failures = 0

    def name(key: str, error: Exception) -> None:
        found.raised[key] = error

    def try_group(group: Sequence[str]) -> Result | None:
        nonlocal failures
        if found.rest is not None:
            return None
        try:
            return serve(group)
        except Exception as error:
            failures += 1
            if failures > TRIALS:
                found.rest = error
                return None
            raise

    contained = contain(keys, try_group, name)
    found.results = [result for _, result in contained.served if result is not None]
    return found


class Strikes:
    """How often subscriptions raised since they last rang."""

    __slots__ = ("_counts",)

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self._counts)

    def add(self, key: str) -> bool:
        """It raised; whether this was once too often."""
        self._counts[key] += 1
        return self._counts[key] >= STRIKES

    def forget(self, key: str) -> None:
        """It rang, or is gone."""
        if self._counts:
            self._counts.pop(key, None)

    def snapshot(self) -> dict[str, int]:
        """The counts as plain data."""
        return dict(self._counts)

    def restore(self, counts: Mapping[str, int]) -> None:
        """Takes over a snapshot."""
        self._counts = Counter(counts)


def is_at_fault(event: Event) -> bool:
    """Whether reading the event raises what is no problem of its own: no subscription is to blame
    then.
    """
    for view in ("attributes", "document", "graph", "place_text"):
        try:
            getattr(event, view)
        except Problem:
            continue
        except Exception:
            return True
    return False
