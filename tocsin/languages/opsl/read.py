"""Text to syntax tree within the limits; every failure is a problem with its place.

Options: concurrency_tolerance, max_event_duration, spl_threshold and crs. A text beyond a limit is
refused with OpslLimitError.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

from tocsin.errors import Problem
from tocsin.languages.base.grammar import Grammar, TextLimits, grammar_of, limit_problems
from tocsin.languages.base.parsing import Parser
from tocsin.languages.base.reading import refuse_unknown
from tocsin.languages.base.texts import START, TextSlices, blank, blank_braces
from tocsin.languages.opsl.quantities import MILLISECOND, parameter_problem, require_duration_limit
from tocsin.languages.opsl.syntax import OpslSubscription, nodes_of
from tocsin.languages.opsl.syntax_errors import SYNTAX_CODE, syntax_problem
from tocsin.languages.opsl.transformer import OpslTransformer
from tocsin.values.space import Metric
from tocsin.values.time import Duration, parse_duration


@dataclass(frozen=True, slots=True)
class OpslLimits(TextLimits):
    """Bytes of text in UTF-8; nesting and parts with names written out; variables; digits of a
    number.
    """

    deepest: ClassVar[int | None] = 100

    parts: int = 1024
    variables: int = 256
    digits: int = 400


exceeded = limit_problems("OpslLimitError")


_OPENING = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|(?<![A-Za-z])([A-Za-z]+)\s*\{|\{""")
"""Opening brace of an atom of another language; or a quoted text, in which braces do not count.

A word is tried from its first letter only: a long one costs its length, not the square of it.
"""

_QUOTED = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*\"""")

_GRAMMAR = Grammar(
    SYNTAX_CODE,
    syntax_problem,
    exceeded,
    flatter="drop parentheses that change nothing, or name a part and use the name",
    shorter="split the subscription, or name its regions and parts and use the names",
    opening=_OPENING,
)


def read(text: str, limits: OpslLimits) -> OpslSubscription:
    """Return the syntax tree of a subscription."""
    subscription: OpslSubscription = _GRAMMAR.read(_parser(limits.nesting), text, limits)
    _refuse_large(subscription, limits)
    return subscription


@cache
def _parser(nesting: int) -> Parser:
    return Parser(grammar_of("opsl"), OpslTransformer(nesting))


def _refuse_large(subscription: OpslSubscription, limits: OpslLimits) -> None:
    if len(subscription.bindings) > limits.variables:
        raise exceeded(
            f"the subscription has more than {limits.variables} variables",
            START,
            "split the subscription",
        )
    bodies = (subscription.main, *(each.definition for each in subscription.bindings))
    size = len(subscription.comparisons) + sum(1 for body in bodies for _ in nodes_of(body))
    if size > limits.parts:
        raise exceeded(
            f"the subscription has {size:,} parts, the limit is {limits.parts:,}",
            START,
            "split the subscription, or say several conditions on one event as one atom: selector{"
            " ... }",
        )


def slices_of(text: str) -> TextSlices:
    """Return the pieces of a text that has been read."""
    return TextSlices(text, _mask)


def _mask(text: str) -> str:
    return blank(blank_braces(text, _OPENING, SYNTAX_CODE), _QUOTED)


LONGEST_EVENT = "max_event_duration"
_OPTIONS = ("concurrency_tolerance", LONGEST_EVENT, "spl_threshold", "crs")

_METRICS = {
    "planar": Metric.PLANAR,
    "wgs84": Metric.WGS84,
    "epsg:4326": Metric.WGS84,
}


@dataclass(frozen=True, slots=True)
class OpslOptions:
    """Options of a subscription: concurrency in time, nearness of the same place, and metric.

    `tolerance` and `longest_event` are microseconds, `same_place` is in the metric's unit.
    `longest_event` bounds the duration of concurrent events; None if it is unknown.
    """

    tolerance: Duration = 0
    longest_event: Duration | None = None
    same_place: float = 1.0
    metric: Metric = Metric.PLANAR


def settings_of(options: Mapping[str, object]) -> OpslOptions:
    """Return the settings of a subscription's options; raise if one is unknown or invalid."""
    refuse_unknown(options, "opsl", _OPTIONS)
    return OpslOptions(
        tolerance=_duration(options, "concurrency_tolerance"),
        longest_event=_duration(options, LONGEST_EVENT) if LONGEST_EVENT in options else None,
        same_place=_threshold(options.get("spl_threshold", 1.0)),
        metric=_metric(options.get("crs", "planar")),
    )


def _duration(options: Mapping[str, object], name: str) -> Duration:
    value = options.get(name, 0)
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return require_duration_limit(value * MILLISECOND, name)
    if isinstance(value, str):
        try:
            return require_duration_limit(parse_duration(value), name)
        except Problem as problem:
            raise parameter_problem(f"{name}: {problem.message}", name, problem.hint) from None
    raise parameter_problem(
        f"{name} is a duration, got {value!r}",
        name,
        "write 500ms, 2s or a whole number of milliseconds, 0 or more",
    )


def _threshold(value: object) -> float:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not 0 < float(str(value)) < math.inf:
        raise parameter_problem(
            f"spl_threshold is a positive number, got {value!r}",
            "spl_threshold",
            "write a distance such as 1.0",
        )
    return float(str(value))


def _metric(value: object) -> Metric:
    metric = _METRICS.get(value.lower()) if isinstance(value, str) else None
    if metric is None:
        raise parameter_problem(
            f"crs {value!r} is not known", "crs", "write planar, wgs84 or EPSG:4326"
        )
    return metric
