"""Computed conditions of the CESQL dialect."""

from __future__ import annotations

from tocsin.events.event import Event
from tocsin.plan.expression import Expression
from tocsin.values.truth import Truth


def cesql_truth(expression: Expression, event: Event) -> Truth:
    raise NotImplementedError
