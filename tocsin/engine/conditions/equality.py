"""The hash index for `=` and IN: from a value to the probes that contain it.

Exact for numbers of any size. One index holds values of one kind only, so that TRUE never meets 1;
within a kind, Python's equality is right.
"""

from __future__ import annotations

from itertools import repeat
from typing import Any

import numpy as np

from tocsin.engine.conditions.attribute_probes import AttributeProbes
from tocsin.engine.conditions.bitmap_matrix import PostingAnswers
from tocsin.engine.conditions.single_event import OneEvent
from tocsin.engine.index.encoding import Distinct
from tocsin.engine.index.postings import Postings

_ABSENT = -1


class MemberProbes:
    """Probes by the set of their values. The key is the value of a set of one, else the sorted
    tuple.
    """

    __slots__ = ("_attribute", "_lists", "_postings", "_probes")

    def __init__(self, attribute: AttributeProbes) -> None:
        self._attribute = attribute
        self._probes: dict[Any, int] = {}
        self._lists: dict[Any, int] = {}
        self._postings = Postings()

    def __len__(self) -> int:
        return len(self._probes)

    def probe(self, *values: Any) -> int:
        """Return the probe for a set of values, new or known."""
        key = values[0] if len(values) == 1 else tuple(sorted(values))
        found = self._probes.get(key)
        if found is None:
            found = self._probes[key] = self._attribute.new_probe(self, key)
            for value in _values(key):
                self._post(value, found)
        return found

    def drop(self, probe: int, key: Any) -> None:
        """Remove a probe, and every value that only it had."""
        del self._probes[key]
        for value in _values(key):
            if self._postings.remove(self._lists[value], probe):
                del self._lists[value]
        self._attribute.lose_probe()

    def answers(self, distinct: Distinct) -> PostingAnswers | None:
        """Return the list of probes of each distinct value of a batch; None if no probe has any of
        them.
        """
        values = distinct.values
        found = map(self._lists.get, values, repeat(_ABSENT, len(values)))
        lists = np.fromiter(found, np.int64, len(values))
        known = lists != _ABSENT
        if not known.any():
            return None
        starts = np.where(known, self._postings.starts.array[lists], 0)
        counts = np.where(known, self._postings.counts.array[lists], 0)
        return PostingAnswers(distinct.codes, starts, counts, self._postings.pool.array)

    def see(self, value: Any, one: OneEvent) -> None:
        """Mark the probes that one event with the value satisfies."""
        found = self._lists.get(value)
        if found is not None:
            one.see_all(self._postings.of(found))

    def _post(self, value: Any, probe: int) -> None:
        known = self._lists.get(value)
        if known is None:
            self._lists[value] = self._postings.new(probe)
        else:
            self._postings.append(known, probe)


def _values(key: Any) -> tuple[Any, ...]:
    return key if isinstance(key, tuple) else (key,)
