"""The automaton of a regular path: one state per written step (Glushkov), sets of states as bits.

Bit 0 is the start. A set of states moves by the name of the next element; each move is cached.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from tocsin.plan.xml.paths import (
    PathChoice,
    PathRepeat,
    PathSequence,
    PathStep,
    RegularPath,
    steps_of,
)

START = 1
MAX_MOVES = 10_000
"""Most cached moves: documents can have any names."""


@dataclass(frozen=True, slots=True)
class _Part:
    """Of a part of a path: its possible first and last steps, and True if it may be empty."""

    first: int
    last: int
    empty: bool


class PathAutomaton:
    """The states of one path."""

    __slots__ = ("_any", "_follow", "_moves", "_named", "_steps", "accepting")

    def __init__(self, path: RegularPath) -> None:
        self._follow = [0] * (1 + sum(1 for _ in steps_of(path)))
        self._steps = 0
        self._any = 0
        self._named: dict[str, int] = {}
        self._moves: dict[tuple[int, str], int] = {}
        whole = self._part(path)
        self._follow[0] = whole.first
        self.accepting = whole.last | (START if whole.empty else 0)

    @property
    def takes_no_steps(self) -> bool:
        """True if the path may end where it starts."""
        return bool(self.accepting & START)

    def move(self, states: int, name: str) -> int:
        """Return the states after an element with a name."""
        key = (states, name)
        after = self._moves.get(key)
        if after is None:
            if len(self._moves) >= MAX_MOVES:
                self._moves.clear()
            after = self._moves[key] = self._followers(states) & (
                self._any | self._named.get(name, 0)
            )
        return after

    def _followers(self, states: int) -> int:
        found = 0
        while states:
            lowest = states & -states
            found |= self._follow[lowest.bit_length() - 1]
            states ^= lowest
        return found

    def _part(self, path: RegularPath) -> _Part:
        match path:
            case PathStep(name):
                self._steps += 1
                bit = 1 << self._steps
                if name is None:
                    self._any |= bit
                else:
                    self._named[name] = self._named.get(name, 0) | bit
                return _Part(bit, bit, False)
            case PathSequence(parts):
                return self._sequence([self._part(each) for each in parts])
            case PathChoice(parts):
                chosen = [self._part(each) for each in parts]
                first = last = 0
                for each in chosen:
                    first, last = first | each.first, last | each.last
                return _Part(first, last, any(each.empty for each in chosen))
            case PathRepeat(inner, mark):
                part = self._part(inner)
                if mark != "?":
                    self._lead(part.last, part.first)
                return _Part(part.first, part.last, part.empty or mark != "+")
            case _:
                assert_never(path)

    def _sequence(self, parts: list[_Part]) -> _Part:
        first = last = 0
        empty = True
        for part in parts:
            self._lead(last, part.first)
            first |= part.first if empty else 0
            last = part.last | (last if part.empty else 0)
            empty = empty and part.empty
        return _Part(first, last, empty)

    def _lead(self, before: int, after: int) -> None:
        """Add transitions from each of some steps to each of others."""
        while before:
            lowest = before & -before
            self._follow[lowest.bit_length() - 1] |= after
            before ^= lowest
