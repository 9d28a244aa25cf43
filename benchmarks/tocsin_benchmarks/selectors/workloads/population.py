"""The population that events and operands are drawn from: numbers 0 to 999 and 1,000 words. All
attributes are present.

Words look like words, so that LIKE has prefixes and inner parts to find. A skewed population draws
words by Zipf's law, as topics, places and product kinds are distributed in practice; a flat one
draws all words alike.
"""

from __future__ import annotations

import json
from bisect import bisect
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate
from random import Random
from typing import Any

from tocsin.events.event import Event
from tocsin.values.scalars import Path
from tocsin.values.time import Interval, format_instant

NUMBERS = 1000
WORDS = 1000
PUBLISHERS = 50

_ONSETS = (
    "b",
    "br",
    "c",
    "d",
    "f",
    "g",
    "gr",
    "h",
    "k",
    "l",
    "m",
    "n",
    "p",
    "r",
    "s",
    "st",
    "t",
    "tr",
    "v",
    "z",
)
_VOWELS = ("a", "e", "i", "o", "u")
_CODAS = ("", "", "l", "n", "r", "s")
_FIRST_INSTANT = 1_767_225_600_000_000  # 2026-01-01T00:00:00Z
_ZIPF_EXPONENT = 1.1
_BETWEEN_EVENTS = 1_000


@dataclass(frozen=True, slots=True)
class Population:
    """Attribute names, half numbers and half strings (one more number where the count is odd), and
    the words.
    """

    numeric: tuple[Path, ...]
    textual: tuple[Path, ...]
    words: tuple[str, ...]
    weights: tuple[float, ...]

    @staticmethod
    def of(attributes: int, seed: int, *, skewed: bool) -> Population:
        """The population of a seed."""
        numeric = tuple((f"n{number}",) for number in range((attributes + 1) // 2))
        textual = tuple((f"s{number}",) for number in range(attributes // 2))
        weights = (rank**-_ZIPF_EXPONENT if skewed else 1.0 for rank in range(1, WORDS + 1))
        return Population(
            numeric, textual, _words(Random(f"words {seed}")), tuple(accumulate(weights))
        )

    def word(self, random: Random) -> str:
        """One word by the population's law."""
        return self.words[bisect(self.weights, random.random() * self.weights[-1])]

    def event(self, random: Random, number: int) -> Event:
        """One event with a value for every attribute."""
        data: dict[str, Any] = {path[0]: random.randrange(NUMBERS) for path in self.numeric}
        drawn = random.choices(self.words, cum_weights=self.weights, k=len(self.textual))
        data.update((path[0], word) for path, word in zip(self.textual, drawn, strict=True))
        instant = _FIRST_INSTANT + number * _BETWEEN_EVENTS
        envelope = {
            "specversion": "1.0",
            "id": f"e{number}",
            "source": f"/publisher/{number % PUBLISHERS}",
            "type": "bench",
            "time": format_instant(instant),
        }
        return Event(envelope, data, Interval(instant, instant))


def json_lines(events: Iterable[Event]) -> list[bytes]:
    """The events as CloudEvents JSON texts."""
    return [
        json.dumps({**event.envelope, "data": event.data}, separators=(",", ":")).encode()
        for event in events
    ]


def _words(random: Random) -> tuple[str, ...]:
    words: dict[str, None] = {}
    while len(words) < WORDS:
        words["".join(_syllable(random) for _ in range(random.randint(2, 3)))] = None
    return tuple(words)


def _syllable(random: Random) -> str:
    return random.choice(_ONSETS) + random.choice(_VOWELS) + random.choice(_CODAS)
