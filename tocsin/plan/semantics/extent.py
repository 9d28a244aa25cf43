"""Limits on the extent of a plan: levels of nesting, and parts with all names written out.

Plans are walked by recursion everywhere: they are explained, written, hashed, matched. A walk of
MAX_LEVELS levels fits into the stack of every host, so nothing deeper may become a plan. The walk
here has a stack of its own and ends at the first limit that is passed.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

from tocsin.errors import LimitProblem, Place
from tocsin.knowledge.concepts.tbox import TBox
from tocsin.knowledge.ontology import Ontology
from tocsin.plan.nodes.composites import Part, parts_of
from tocsin.values.like import LikePattern
from tocsin.values.time import Duration

MAX_LEVELS = 300
"""Levels of nodes and lists. The costliest walk takes three frames for two levels; the stack has
1,000 frames, and a host itself uses up to 200.
"""

MAX_PARTS = 4_096
"""Parts of a plan, each counted at every use: four times the parts of one text."""

MAX_STEPS = 128
"""Steps of the path of an attribute: an event nests 100 levels deep at most."""

MAX_LIKE_TOKENS = 1_000
"""Wildcards of a pattern and the texts between them: each is searched in every text."""

DEFAULT_HORIZON: Duration = 24 * 3_600 * 1_000_000
"""Lifetime of stored occurrences without another bound, in microseconds: a day."""

CODE = "PlanLimitError"
_START = Place(1, 1)
_HINT = "split the subscription: its parts can be subscriptions of their own"


def require_extent(plan: object) -> None:
    """Raise LimitProblem if a plan nests too deep, or has a path or LIKE that is too long."""
    waiting: list[tuple[Any, int]] = [(plan, 1)]
    while waiting:
        value, level = waiting.pop()
        inner = _inner(value)
        if inner and level >= MAX_LEVELS:
            raise too_deep()
        waiting += [(each, level + 1) for each in inner]


def count_parts(part: Part) -> int:
    """Return the number of parts, the part itself included; raise LimitProblem past MAX_PARTS."""
    count, waiting = 0, [part]
    while waiting:
        count += 1
        if count > MAX_PARTS:
            raise too_many_parts()
        waiting += parts_of(waiting.pop())
    return count


def require_levels(body: Any) -> None:
    """Raise LimitProblem if a JSON value nests deeper than a plan may."""
    waiting = [(body, 1)]
    while waiting:
        value, level = waiting.pop()
        inner = value.values() if isinstance(value, dict) else value
        if isinstance(value, dict | list):
            if level > MAX_LEVELS:
                raise too_deep()
            waiting += [(each, level + 1) for each in inner if isinstance(each, dict | list)]


def too_deep() -> LimitProblem:
    """Return the problem of a plan with too many levels."""
    message = f"the plan nests deeper than {MAX_LEVELS} levels"
    return LimitProblem(message, code=CODE, place=_START, hint=_HINT)


def too_many_parts() -> LimitProblem:
    """Return the problem of a plan with too many parts."""
    message = f"with names written out there are more than {MAX_PARTS:,} parts"
    return LimitProblem(message, code=CODE, place=_START, hint=_HINT)


def _inner(value: Any) -> Any:
    """Return the values directly inside a node or a list that may nest further."""
    if type(value) in (tuple, frozenset):
        return [each for each in value if type(each) not in _PLAIN]
    if not is_dataclass(value) or isinstance(value, Ontology | TBox):
        return ()
    _require_short(value)
    given = (getattr(value, each.name) for each in fields(value))
    return [each for each in given if type(each) not in _PLAIN]


def _require_short(node: Any) -> None:
    if isinstance(node, LikePattern) and len(node.tokens) > MAX_LIKE_TOKENS:
        message = f"a pattern of LIKE has more than {MAX_LIKE_TOKENS:,} wildcards and texts"
        raise LimitProblem(message, code=CODE, place=_START, hint="write a shorter pattern")
    for path in (getattr(node, "path", ()), *getattr(node, "by", ())):
        if isinstance(path, tuple) and len(path) > MAX_STEPS:
            message = f"the path has {len(path):,} steps, the limit is {MAX_STEPS}"
            raise LimitProblem(message, code=CODE, place=_START, hint="no event nests so deep")


_PLAIN = frozenset((str, int, float, bool, type(None)))
