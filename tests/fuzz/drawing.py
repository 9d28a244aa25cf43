"""Cases by number: the same seed and number are the same case, in whatever process."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

from tests.fuzz.case import Case
from tests.fuzz.mutations import mutated_line, mutated_text
from tests.fuzz.seeds import expressions, lines_of_all, seeds

_MOST_LINES = 12


def drawn_case(seed: int, number: int) -> Case:
    """A good case with damage to its lines, to its subscription, or to both; or lines of
    another.
    """
    chance = random.Random(f"{seed}/{number}")
    case = chance.choice(seeds())
    what = chance.random()
    if what < 0.55:
        return replace(case, lines=_mutated_lines(chance, case.lines))
    if what < 0.85:
        return replace(case, subscription=_mutated_subscription(chance, case.subscription))
    return replace(
        case,
        lines=_mutated_lines(chance, chance.sample(lines_of_all(), 4)),
        subscription=_mutated_subscription(chance, case.subscription),
    )


def _mutated_lines(chance: random.Random, lines: Any) -> tuple[str, ...]:
    changed = [
        mutated_line(chance, line, lines_of_all()) if chance.random() < 0.7 else line
        for line in lines[:_MOST_LINES]
    ]
    if changed and chance.random() < 0.1:
        changed.append(chance.choice(changed))
    return tuple(changed)


def _mutated_subscription(chance: random.Random, body: dict[str, Any]) -> dict[str, Any]:
    changed = dict(body)
    if chance.random() < 0.9:
        changed["expression"] = mutated_text(chance, body["expression"], expressions())
    if chance.random() < 0.15:
        changed["policy"] = chance.choice(("recent", "globe", "unrestricted", "chronicle", "", "x"))
    if chance.random() < 0.1:
        changed["horizon"] = chance.choice(("1s", "0s", "9" * 30 + "d", "", "-1s", "10"))
    return changed
