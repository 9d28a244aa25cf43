"""Pauses of finite input: where no event ends for so long that windows which come again are leapt
over as one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

from tocsin.values.time import Duration, Instant

Span = tuple[Instant, Instant]
"""The lowest and the highest end of some events."""


def busy_spans(ends: Iterable[Instant], longest: Duration | None) -> Iterator[Span]:
    """Spans that hold all ends and have no pause inside that is longer; one alone where pauses do
    not matter.
    """
    return joined_spans(((end, end) for end in ends), longest)


def joined_spans(spans: Iterable[Span], longest: Duration | None) -> Iterator[Span]:
    """The same of spans, joined where no longer pause lies between them, in the order of time."""
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
    """What lies between the spans: when one event ends, and when the next does."""
    joined = list(joined_spans(spans, longest))
    return [(before[1], after[0]) for before, after in pairwise(joined)]
