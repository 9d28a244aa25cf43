"""What every language offers: its text as a plan, and every problem of its text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tocsin.errors import Problem
from tocsin.languages.context import Context
from tocsin.plan.composites import Plan

Options = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Language:
    """Functions of (text, options, context): `parse` raises the first problem, `problems` returns them all.

    `warnings` tells what is legal and probably not meant.
    """

    parse: Callable[[str, Options, Context], Plan]
    problems: Callable[[str, Options, Context], list[Problem]]
    warnings: Callable[[str, Options, Context], list[Problem]] = lambda text, options, context: []
