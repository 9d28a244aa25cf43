"""Suggestion for an unknown word: the nearest known one."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(word: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """Return the known word most similar to the word, or "".

    The cutoff is a similarity from 0 (any word) to 1 (equal).
    """
    return next(iter(get_close_matches(word, list(known), n=1, cutoff=cutoff)), "")


def did_you_mean(word: str, known: Iterable[str], cutoff: float = 0.6, otherwise: str = "") -> str:
    """Return "did you mean ...?" with the nearest known word; `otherwise` if none is near."""
    meant = nearest(word, known, cutoff)
    return f"did you mean {meant}?" if meant else otherwise
