"""Fault isolation: an item that raises is reported alone, and all other items are served.

A batch that raises is bisected until the failing item is found. If a single event raises, the
subscriptions are bisected in turn, so that the fault is attributed to one. Only `Exception` is
caught; an interrupt of the program passes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from tocsin.errors import Problem
from tocsin.events.event import Event

Item = TypeVar("Item")
Result = TypeVar("Result")

MAX_FAILURES = 3
"""The number of failures, without a match in between, at which a subscription is suspended."""

TRIALS = 256
"""The number of failing groups of subscriptions after which the event itself is at fault."""


@dataclass(slots=True)
class BisectionResult(Generic[Item, Result]):
    """The parts of a batch that were served, with their results in order, and the items that
    raised.
    """

    completed: list[tuple[Sequence[Item], Result]] = field(default_factory=list)
    failed: list[tuple[Item, Exception]] = field(default_factory=list)


def run_by_halves(
    items: Sequence[Item], work: Callable[[Sequence[Item]], Result]
) -> Iterator[tuple[Sequence[Item], Result | Exception]]:
    """Run `work` on all items; if it raises, on halves, down to the single item that raises.

    Yields each part with its result, in order, and each item that raises as a part of one with its
    error. The result is complete before it is yielded, and the next part is run when it is asked
    for: if the caller removes the cause, the remaining items pass as one part. `work` must leave no
    effect when it raises. The items may be the rows of an Arrow batch.
    """
    waiting = [items] if len(items) else []
    while waiting:
        part = waiting.pop()
        found: Result | Exception
        try:
            found = work(part)
        except Exception as error:
            if len(part) > 1:
                middle = len(part) // 2
                waiting += (part[middle:], part[:middle])
                continue
            found = error
        yield part, found


def run_with_bisection(
    items: Sequence[Item], work: Callable[[Sequence[Item]], Result]
) -> BisectionResult[Item, Result]:
    """Run `work` by halves to the end; return the results, and the items that raised."""
    found: BisectionResult[Item, Result] = BisectionResult()
    for part, result in run_by_halves(items, work):
        if isinstance(result, Exception):
            found.failed.append((part[0], result))
        else:
            found.completed.append((part, result))
    return found


@dataclass(slots=True)
class IsolationResult(Generic[Result]):
    """The results of one event for groups of subscriptions, and the errors by subscription.

    `rest` is the last error if too many groups raised to search each of them: then the event is at
    fault for the others.
    """

    results: list[Result] = field(default_factory=list)
    raised: dict[str, Exception] = field(default_factory=dict)
    rest: Exception | None = None


def isolate_subscriptions(
    keys: Sequence[str], serve: Callable[[Sequence[str]], Result]
) -> IsolationResult[Result]:
    """Serve an event that raises for all subscriptions together, by bisecting these."""
    found: IsolationResult[Result] = IsolationResult()
    failures = 0

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

    contained = run_with_bisection(keys, try_group)
    found.results = [result for _, result in contained.completed if result is not None]
    found.raised = dict(contained.failed)
    return found


class FailureCounter:
    """Failure counts of subscriptions since their last match."""

    __slots__ = ("_counts",)

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self._counts)

    def add(self, key: str) -> bool:
        """Count a failure; return True if the subscription has reached the limit."""
        self._counts[key] += 1
        return self._counts[key] >= MAX_FAILURES

    def forget(self, key: str) -> None:
        """Reset the count of a subscription that matched or was removed."""
        if self._counts:
            self._counts.pop(key, None)

    def snapshot(self) -> dict[str, int]:
        """Return the counts as plain data."""
        return dict(self._counts)

    def restore(self, counts: Mapping[str, int]) -> None:
        """Replace the counts with those of a snapshot."""
        self._counts = Counter(counts)


def is_at_fault(event: Event) -> bool:
    """True if a view of the event raises an unexpected error: then no subscription is at fault.

    A `Problem` of the event itself (malformed content) does not count.
    """
    for view in ("attributes", "document", "graph", "place_text"):
        try:
            getattr(event, view)
        except Problem:
            continue
        except Exception:
            return True
    return False
