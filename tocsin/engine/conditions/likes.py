"""The index for LIKE: candidates by a piece of text that every match has, verified if necessary.

A pattern is filed under at most three characters of its longest literal run: at the start of the
text, at its end, or anywhere. If the piece is the whole condition (`ab%`, `%ab`, `%ab%`) no check
is needed; a pattern without any literal is always a candidate. Results are cached for a bounded
number of texts, until the patterns change.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
import numpy.typing as npt

from tocsin.engine.conditions.answers import OneEvent, PostingAnswers
from tocsin.engine.conditions.probes import AttributeProbes
from tocsin.engine.index.encoding import Distinct
from tocsin.engine.index.growable import INT32, INT64, Growable, Postings
from tocsin.engine.index.matcher_parts import WorkCounters
from tocsin.values.like import LikePattern, Wild, compile_like

LONGEST_PIECE = 3


class PiecePosition(Enum):
    """Required position of a piece in a text."""

    START = "start"
    END = "end"
    ANYWHERE = "anywhere"


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A piece of text and its required position; the empty piece is in every text."""

    where: PiecePosition
    text: str


class TextPieceIndex:
    """Lists of probes by piece."""

    __slots__ = ("_lists", "_postings")

    def __init__(self) -> None:
        self._lists: dict[PiecePosition, dict[str, int]] = {where: {} for where in PiecePosition}
        self._postings = Postings()

    def __len__(self) -> int:
        return len(self._postings)

    def add(self, piece: TextPiece, probe: int) -> None:
        """File a probe under a piece."""
        lists = self._lists[piece.where]
        known = lists.get(piece.text)
        if known is None:
            lists[piece.text] = self._postings.new(probe)
        else:
            self._postings.append(known, probe)

    def remove(self, piece: TextPiece, probe: int) -> None:
        """Remove a probe."""
        lists = self._lists[piece.where]
        if self._postings.remove(lists[piece.text], probe):
            del lists[piece.text]

    def of(self, text: str) -> npt.NDArray[np.int32]:
        """Return the probes with a piece of the text, each once."""
        starts, ends, anywhere = (
            self._lists[PiecePosition.START],
            self._lists[PiecePosition.END],
            self._lists[PiecePosition.ANYWHERE],
        )
        lengths = range(1, min(LONGEST_PIECE, len(text)) + 1)
        found = [starts.get(text[:length]) for length in lengths] if starts else []
        found += [ends.get(text[-length:]) for length in lengths] if ends else []
        found += map(anywhere.get, _pieces(text)) if anywhere else ()
        lists = [self._postings.of(number) for number in found if number is not None]
        return np.concatenate(lists) if lists else np.empty(0, np.int32)


def index_keys_of(pattern: LikePattern) -> tuple[TextPiece, bool]:
    """Return a piece that every matching text has, and True if every text with it matches."""
    match pattern.tokens:
        case (str() as run, Wild.ANY_RUN):
            return TextPiece(PiecePosition.START, run[:LONGEST_PIECE]), len(run) <= LONGEST_PIECE
        case (Wild.ANY_RUN, str() as run):
            return TextPiece(PiecePosition.END, run[-LONGEST_PIECE:]), len(run) <= LONGEST_PIECE
        case (Wild.ANY_RUN, str() as run, Wild.ANY_RUN):
            return TextPiece(PiecePosition.ANYWHERE, run[:LONGEST_PIECE]), len(run) <= LONGEST_PIECE
        case (Wild.ANY_RUN,):
            return TextPiece(PiecePosition.ANYWHERE, ""), True
        case tokens:
            longest = max(pattern.literals(), key=len, default="")
            if longest and tokens[0] == longest:
                return TextPiece(PiecePosition.START, longest[:LONGEST_PIECE]), False
            if longest and tokens[-1] == longest:
                return TextPiece(PiecePosition.END, longest[-LONGEST_PIECE:]), False
            return TextPiece(PiecePosition.ANYWHERE, longest[:LONGEST_PIECE]), False


def _pieces(text: str) -> set[str]:
    """Return every piece of the text, and the empty one."""
    return {
        text[at : at + length] for length in range(1, LONGEST_PIECE + 1) for at in range(len(text))
    } | {""}


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
