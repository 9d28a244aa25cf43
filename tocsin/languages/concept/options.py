"""Options of a concept subscription: `world`, `intervals` and `origin`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tocsin.errors import MeaningProblem
from tocsin.knowledge.concepts.assertions import World
from tocsin.languages.base.options import option_problem, refuse_unknown
from tocsin.values.time import Instant, parse_instant

_CHOICES = {"world": tuple(each.value for each in World), "intervals": ("paper", "proper")}
_ORIGIN = "origin"


@dataclass(frozen=True, slots=True)
class ConceptOptions:
    """Options of a subscription: closed or open world, proper intervals, origin.

    In the closed world unstated facts are false. `proper` allows relations in time for proper
    intervals only. Timed negations are tested from `origin` on; without one their windows are
    counted from the epoch.
    """

    world: World = World.CLOSED
    proper: bool = False
    origin: Instant | None = None


def settings_of(options: Mapping[str, object]) -> ConceptOptions:
    """Return the settings of a subscription's options; raise if one is unknown."""
    for name, value in options.items():
        refuse_unknown((name,), "concept", (*_CHOICES, _ORIGIN))
        if name in _CHOICES and value not in _CHOICES[name]:
            raise option_problem(
                f"{name} {value!r} is not known", name, f"one of {', '.join(_CHOICES[name])}"
            )
    return ConceptOptions(
        World(options.get("world", "closed")),
        options.get("intervals") == "proper",
        _origin(options),
    )


def _origin(options: Mapping[str, object]) -> Instant | None:
    written = options.get(_ORIGIN)
    if written is None:
        return None
    try:
        return parse_instant(str(written))
    except MeaningProblem as problem:
        raise option_problem(
            f"origin: {problem.message}", _ORIGIN, "write a time such as 2026-01-31T08:00:00Z"
        ) from None
