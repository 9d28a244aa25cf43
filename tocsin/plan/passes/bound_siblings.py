"""A join of named parts need not wait longer than another join of the same parts beside it lets
them lie apart.

In `|($a;)$b; && DIST($a;; <; 200)$b;` the relation in time says how far apart the two may end, the
relation in space says nothing of it. Both must agree on who `$a;` and `$b;` are, so what the first
excludes is of no use to the second.
"""

from __future__ import annotations

from dataclasses import replace

from tocsin.plan.nodes.composites import Join, Named, Part, Policy
from tocsin.plan.nodes.rewriting import with_parts
from tocsin.plan.semantics.bounds import join_lifetime
from tocsin.values.time import Duration

_PAIRING_ALL = (Policy.DEFERRED, Policy.UNRESTRICTED, Policy.GLOBE)
"""Policies under which a pair that completes nothing takes nothing away: names that stand twice
have a scope.
"""


def with_sibling_bounds(part: Part) -> Part:
    """The same part, its joins of named parts bounded by those beside them."""
    part = with_parts(part, with_sibling_bounds)
    if not isinstance(part, Join) or part.policy not in _PAIRING_ALL:
        return part
    return replace(part, parts=tuple(_bounded(each, part) for each in part.parts))


def _bounded(inner: Part, whole: Join) -> Part:
    names = _names(inner)
    if (
        not isinstance(inner, Join)
        or inner.policy not in _PAIRING_ALL
        or not names
        or _span(inner) is not None
    ):
        return inner
    spans = [
        span for each in whole.parts if _names(each) >= names and (span := _span(each)) is not None
    ]
    return replace(inner, keep=min(spans)) if spans else inner


def _names(part: Part) -> frozenset[str]:
    """The names of the parts of a join, if all have one."""
    if not isinstance(part, Join) or not all(isinstance(each, Named) for each in part.parts):
        return frozenset()
    return frozenset(each.name for each in part.parts if isinstance(each, Named))


def _span(part: Part) -> Duration | None:
    """How far apart the parts of a join end at most; None where nothing says so."""
    if not isinstance(part, Join):
        return None
    lifetimes = [join_lifetime(part, slot) for slot in range(len(part.parts))]
    return None if None in lifetimes else max(each for each in lifetimes if each is not None)
