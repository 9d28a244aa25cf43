"""The index for LIKE: candidates by a piece of text that every match has, then verified where the
piece is not all.

A pattern is filed under at most three characters of its longest literal run: at the start of the
text, at its end, or anywhere. Where that says everything (`ab%`, `%ab`, `%ab%`) no check is needed;
a pattern without any literal is always a candidate. What a text answers is remembered for a bounded
number of texts, until the patterns change.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tocsin.engine.conditions.attribute import Attribute
from tocsin.engine.conditions.bitmap_matrix import ListAnswers
from tocsin.engine.conditions.ngrams import Pieces, filed_under
from tocsin.engine.conditions.single_event import OneEvent
from tocsin.engine.encoding import Distinct
from tocsin.engine.index.work import Work
from tocsin.values.like import LikePattern, compile_like

_REMEMBERED_PROBES = 1 << 22
_REMEMBERED_LENGTH = 256

Probes = npt.NDArray[np.int32]


class LikeProbes:
    """Patterns by value, filed under pieces of text."""

    __slots__ = (
        "_attribute",
        "_certain",
        "_checks",
        "_likely",
        "_memory",
        "_probes",
        "_remembered",
        "_work",
    )

    def __init__(self, attribute: Attribute, work: Work) -> None:
        self._attribute = attribute
        self._work = work
        self._probes: dict[LikePattern, int] = {}
        self._certain = Pieces()
        self._likely = Pieces()
        self._checks: dict[int, Callable[[str], bool]] = {}
        self._memory: dict[str, Probes] = {}
        self._remembered = 0

    def __len__(self) -> int:
        return len(self._probes)

    def probe(self, pattern: LikePattern) -> int:
        """The probe for a pattern."""
        found = self._probes.get(pattern)
        if found is None:
            self._forget()
            found = self._probes[pattern] = self._attribute.new_probe(self, pattern)
            piece, certain = filed_under(pattern)
            (self._certain if certain else self._likely).add(piece, found)
            if not certain:
                self._checks[found] = compile_like(pattern)
        return found

    def drop(self, probe: int, key: Any) -> None:
        """Forgets a pattern."""
        self._forget()
        del self._probes[key]
        piece, certain = filed_under(key)
        (self._certain if certain else self._likely).remove(piece, probe)
        self._checks.pop(probe, None)
        self._attribute.lose_probe()

    def answers(self, distinct: Distinct) -> ListAnswers | None:
        """For each different text of a batch the patterns that it matches."""
        lists = self._matching_each(distinct.values)
        counts = np.fromiter(map(len, lists), np.int32, len(lists))
        if not counts.any():
            return None
        starts = np.cumsum(counts, dtype=np.int64) - counts
        return ListAnswers(distinct.codes, starts, counts, np.concatenate(lists))

    def see(self, text: str, one: OneEvent) -> None:
        """Answers for one event with the text."""
        one.see_all(self._matching(text))

    def _matching_each(self, texts: Sequence[str]) -> list[Probes]:
        known = list(map(self._memory.get, texts))
        return [
            self._matching(text) if probes is None else probes
            for text, probes in zip(texts, known, strict=True)
        ]

    def _matching(self, text: str) -> Probes:
        known = self._memory.get(text)
        if known is None:
            known = self._found(text)
            self._remember(text, known)
        return known

    def _found(self, text: str) -> Probes:
        candidates = self._likely.of(text).tolist()
        checks = self._checks
        self._work.like_checks += len(candidates)
        checked = [probe for probe in candidates if checks[probe](text)]
        return np.concatenate([self._certain.of(text), np.array(checked, np.int32)])

    def _remember(self, text: str, probes: Probes) -> None:
        if len(text) > _REMEMBERED_LENGTH:
            return
        self._remembered += len(probes) + 1
        if self._remembered > _REMEMBERED_PROBES:
            self._forget()
        self._memory[text] = probes

    def _forget(self) -> None:
        self._memory = {}
        self._remembered = 0
