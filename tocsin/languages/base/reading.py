"""A text looked at once: its plan or its problems, and what it says that is probably not meant.

A language is one function of (text, options, context) that gives a `Reading`; whoever needs
something of a text takes it from there, and nobody reads the text a second time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, wraps
from typing import ParamSpec

from tocsin.errors import Problem
from tocsin.languages.base.context import Context
from tocsin.plan.nodes.composites import Plan

Options = Mapping[str, object]
Given = ParamSpec("Given")


@dataclass(frozen=True)
class Reading:
    """The plan of a text, None where it has problems; every problem, the first one first.

    `syntax` is what the grammar made of the text, for those who ask where something is written.
    `warn` looks for warnings in what was read; they are worked out when somebody asks.
    """

    plan: Plan | None = None
    problems: tuple[Problem, ...] = ()
    syntax: object = None
    warn: Callable[[], Iterable[Problem]] = tuple

    @cached_property
    def warnings(self) -> tuple[Problem, ...]:
        """What a text without problems says that is probably not meant."""
        return () if self.plan is None else tuple(self.warn())

    def require_plan(self) -> Plan:
        """The plan; raises the first problem where there is none."""
        if self.plan is None:
            raise self.problems[0]
        return self.plan


Parse = Callable[[str, Options, Context], Reading]
"""What a language is."""


def with_refusals(parse: Callable[Given, Reading]) -> Callable[Given, Reading]:
    """The function with a problem that it raises, which leaves nothing to look at, as the one of
    its reading.
    """

    @wraps(parse)
    def read(*given: Given.args, **named: Given.kwargs) -> Reading:
        try:
            return parse(*given, **named)
        except Problem as problem:
            return Reading(problems=(problem,))

    return read
