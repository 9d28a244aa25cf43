"""What was probably meant: the known word that is nearest to one that is not known."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(word: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """The known word that is most like the word, or nothing; the cutoff is from 0 to 1, equal."""
    return next(iter(get_close_matches(word, list(known), n=1, cutoff=cutoff)), "")


def did_you_mean(word: str, known: Iterable[str], cutoff: float = 0.6, otherwise: str = "") -> str:
    """The question for the nearest known word; else what there is to say without one."""
    meant = nearest(word, known, cutoff)
    return f"did you mean {meant}?" if meant else otherwise
