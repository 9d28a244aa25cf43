"""Long pauses of finite input, over which recurring windows are skipped in one step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

from tocsin.values.time import Duration, Instant

Span = tuple[Instant, Instant]
"""The lowest and the highest end of some events."""


def busy_spans(ends: Iterable[Instant], longest: Duration | None) -> Iterator[Span]:
    """Yield spans that cover all ends, without a pause longer than `longest` inside.

    With `longest` None it is one span.
    """
    return joined_spans(((end, end) for end in ends), longest)


def joined_spans(spans: Iterable[Span], longest: Duration | None) -> Iterator[Span]:
    """Yield the spans in time order, merged where the pause between them is not longer than
    `longest`.
    """
    first: Instant | None = None
    last: Instant | None = None
    for low, high in sorted(spans):
        if first is None or last is None:
            first, last = low, high
        elif longest is not None and low - last > longest:
            yield first, last
            first, last = low, high
        else:
            last = max(last, high)
    if first is not None and last is not None:
        yield first, last


def pauses(spans: Iterable[Span], longest: Duration | None) -> list[Span]:
    """Return the pauses between the merged spans: the end before each, and the end after it."""
    joined = list(joined_spans(spans, longest))
    return [(before[1], after[0]) for before, after in pairwise(joined)]
