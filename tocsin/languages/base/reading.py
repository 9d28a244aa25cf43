"""What every language offers: its text as a plan, and every problem of its text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tocsin.errors import Place, Problem
from tocsin.languages.base.context import Context
from tocsin.plan.composites import Plan
from tocsin.values.time import Duration, Instant

Options = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Language:
    """Functions of (text, options, context): `parse` raises the first problem, `problems` returns
    them all.

    `warnings` tells what is legal and probably not meant. `window` finds where a text has a window
    of absolute time: its place, and how it is written there.
    """

    parse: Callable[[str, Options, Context], Plan]
    problems: Callable[[str, Options, Context], list[Problem]]
    warnings: Callable[[str, Options, Context], list[Problem]] = lambda text, options, context: []
    window: Callable[[str, Instant, Duration], tuple[Place, str] | None] = (
        lambda text, start, length: None
    )
