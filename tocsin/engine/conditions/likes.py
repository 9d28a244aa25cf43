"""The index for LIKE: candidates by a piece of text that every match has, verified if necessary.

A pattern is filed under at most three characters of its longest literal run: at the start of the
text, at its end, or anywhere. If the piece is the whole condition (`ab%`, `%ab`, `%ab%`) no check
is needed; a pattern without any literal is always a candidate. Results are cached for a bounded
number of texts, until the patterns change.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tocsin.engine.conditions.attribute_probes import AttributeProbes
from tocsin.engine.conditions.bitmap_matrix import PostingAnswers
from tocsin.engine.conditions.ngrams import TextPieceIndex, index_keys_of
from tocsin.engine.conditions.single_event import OneEvent
from tocsin.engine.index.counters import WorkCounters
from tocsin.engine.index.encoding import Distinct
from tocsin.engine.index.growable import INT32, INT64, Growable
from tocsin.values.like import LikePattern, compile_like

_REMEMBERED_PROBES = 1 << 22
_REMEMBERED_LENGTH = 256
"""Longest text with a cached result, in characters."""


class LikeProbes:
    """Patterns by value, filed under pieces of text."""

    __slots__ = (
        "_attribute",
        "_certain",
        "_checks",
        "_counts",
        "_likely",
        "_matching",
        "_numbers",
        "_probes",
        "_starts",
        "_work",
    )

    def __init__(self, attribute: AttributeProbes, work: WorkCounters) -> None:
        self._attribute = attribute
        self._work = work
        self._probes: dict[LikePattern, int] = {}
        self._certain = TextPieceIndex()
        self._likely = TextPieceIndex()
        self._checks: dict[int, Callable[[str], bool]] = {}
        self._forget()

    def __len__(self) -> int:
        return len(self._probes)

    def probe(self, pattern: LikePattern) -> int:
        """Return the probe for a pattern, new or known."""
        found = self._probes.get(pattern)
        if found is None:
            self._forget()
            found = self._probes[pattern] = self._attribute.new_probe(self, pattern)
            piece, certain = index_keys_of(pattern)
            (self._certain if certain else self._likely).add(piece, found)
            if not certain:
                self._checks[found] = compile_like(pattern)
        return found

    def drop(self, probe: int, key: Any) -> None:
        """Remove a pattern."""
        self._forget()
        del self._probes[key]
        piece, certain = index_keys_of(key)
        (self._certain if certain else self._likely).remove(piece, probe)
        self._checks.pop(probe, None)
        self._attribute.lose_probe()

    def answers(self, distinct: Distinct) -> PostingAnswers | None:
        """Return the matching patterns of each distinct text of a batch; None without any."""
        self._make_room()
        known = list(map(self._numbers.get, distinct.values))
        numbers = np.array(
            [
                self._look_at(text) if number is None else number
                for text, number in zip(distinct.values, known, strict=True)
            ],
            np.intp,
        )
        counts = self._counts.array[numbers]
        if not counts.any():
            return None
        return PostingAnswers(
            distinct.codes, self._starts.array[numbers], counts, self._matching.array
        )

    def see(self, text: str, one: OneEvent) -> None:
        """Mark the probes that one event with the text satisfies."""
        self._make_room()
        number = self._numbers.get(text)
        if number is None:
            number = self._look_at(text)
        start = self._starts[number]
        one.see_all(self._matching.array[start : start + self._counts[number]])

    def _look_at(self, text: str) -> int:
        """Match a new text; return its number."""
        candidates = self._likely.of(text).tolist()
        checks = self._checks
        self._work.like_checks += len(candidates)
        found = self._certain.of(text).tolist()
        found += (probe for probe in candidates if checks[probe](text))
        number = self._starts.append(self._matching.extend(found))
        self._counts.append(len(found))
        if len(text) <= _REMEMBERED_LENGTH:
            self._numbers[text] = number
        return number

    def _make_room(self) -> None:
        """Clear a full cache.

        Called before texts are matched, since entries must not change while they are used.
        """
        if len(self._starts) + len(self._matching) > _REMEMBERED_PROBES:
            self._forget()

    def _forget(self) -> None:
        self._numbers: dict[str, int] = {}
        self._starts, self._counts = Growable(INT64), Growable(INT32)
        self._matching = Growable(INT32)
