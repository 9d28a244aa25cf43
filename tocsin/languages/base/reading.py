"""Result of one look at a text: its plan or its problems, and its warnings.

A language is one function of (text, options, context) that returns a `Reading`; every later
question about the text is answered from it, so that no text is read twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, wraps
from typing import ParamSpec

from tocsin.errors import Problem
from tocsin.languages.base.context import Context
from tocsin.plan.nodes.composites import Plan
from tocsin.plan.nodes.sources import SourceRecorder, Sources

Options = Mapping[str, object]
Given = ParamSpec("Given")


@dataclass(frozen=True)
class Reading:
    """Plan of a text (None if it has problems) and every problem, the first one first.

    `syntax` is the syntax tree of the text, for callers that look up where something is written.
    `warn` looks for warnings in the tree; it is called on first access to `warnings`. `recorder`
    has the texts of the parts of the plan.
    """

    plan: Plan | None = None
    problems: tuple[Problem, ...] = ()
    syntax: object = None
    warn: Callable[[], Iterable[Problem]] = tuple
    recorder: SourceRecorder = field(default_factory=SourceRecorder, repr=False, compare=False)

    @cached_property
    def warnings(self) -> tuple[Problem, ...]:
        """The warnings of a text without problems: legal, but probably not meant."""
        return () if self.plan is None else tuple(self.warn())

    @cached_property
    def sources(self) -> Sources:
        """The text of every part of the plan: a piece of the given text, or one that says the same.

        Parts of definitions have the texts of these.
        """
        return self.recorder.find()

    def require_plan(self) -> Plan:
        """Return the plan, or raise the first problem."""
        if self.plan is None:
            raise self.problems[0]
        return self.plan


Parse = Callable[[str, Options, Context], Reading]
"""Signature of a language."""


def capture_problems(parse: Callable[Given, Reading]) -> Callable[Given, Reading]:
    """Return the function with a problem that it raises turned into a `Reading` of it alone."""

    @wraps(parse)
    def read(*given: Given.args, **named: Given.kwargs) -> Reading:
        try:
            return parse(*given, **named)
        except Problem as problem:
            return Reading(problems=(problem,))

    return read


def whole_text(plan: Plan, text: str) -> SourceRecorder:
    """Return the source texts of a plan of one part, which the whole text means."""
    recorder = SourceRecorder()
    recorder.add(plan.pattern, text.strip())
    return recorder
