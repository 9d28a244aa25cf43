"""Probes filed under short pieces of text: at its start, at its end, or anywhere in it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np
import numpy.typing as npt

from tocsin.engine.index.postings import Postings
from tocsin.values.like import LikePattern, Wild

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
