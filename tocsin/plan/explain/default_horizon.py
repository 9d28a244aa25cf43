"""Warnings for parts that wait for the default horizon (decision 0007): legal, and perhaps not
meant.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tocsin.errors import MeaningProblem
from tocsin.plan.explain.phrases import short_text
from tocsin.plan.nodes.composites import Join, Named, Part, parts_of
from tocsin.plan.semantics.bounds import bounds_of
from tocsin.values.time import Duration, format_duration

DEFAULT_HORIZON_USED = "DefaultHorizon"


def horizon_warnings(pattern: Part, horizon: Duration) -> Iterator[MeaningProblem]:
    """Yield one warning for every join or absence that only the horizon bounds."""
    for owner, slots in _endless(pattern).items():
        parts = " and ".join(dict.fromkeys(short_text(parts_of(owner)[slot]) for slot in slots))
        until = format_duration(horizon)
        message = f"only the default horizon bounds how long {parts} is waited for or kept: {until}"
        hint = (
            f'give it a window, or write "horizon": "10m" beside the expression; "{until}" says'
            " that it is meant"
        )
        yield MeaningProblem(message, code=DEFAULT_HORIZON_USED, hint=hint)


def _endless(pattern: Part) -> Mapping[Part, list[int]]:
    found: dict[Part, list[int]] = {}
    for bound in bounds_of(pattern):
        if bound.lifetime is None and not _is_about_the_same(bound.owner):
            slots = found.setdefault(bound.owner, [])
            slots += [] if bound.slot in slots else [bound.slot]
    return found


def _is_about_the_same(owner: Part) -> bool:
    """True if a join is of conditions on the same named parts: one of them bounds the wait, or all
    hold at once.
    """
    if not isinstance(owner, Join):
        return False
    names = [
        frozenset(each.name for each in parts_of(part) if isinstance(each, Named))
        for part in owner.parts
    ]
    joined = [
        isinstance(part, Join) and len(parts_of(part)) == len(named)
        for part, named in zip(owner.parts, names, strict=True)
    ]
    return all(joined) and len(set(names)) == 1
