"""Settings of a subscription outside its text: the consumption policy of its operators, and the
horizon of its state.

A join of named parts whose sibling join of the same parts has a bound gets that bound. In
`|($a;)$b; && DIST($a;; <; 200)$b;` the relation in time bounds the distance of the two ends, the
relation in space does not. Both must agree on `$a;` and `$b;`, so a pair that the first excludes is
useless to the second.
"""

from __future__ import annotations

from dataclasses import replace

from tocsin.plan.nodes.composites import Absence, Gathered, Join, Named, Part, Plan, Policy
from tocsin.plan.nodes.rewriting import with_parts
from tocsin.plan.semantics.bounds import join_lifetime, with_horizon
from tocsin.values.time import Duration

_PAIRING_ALL = (Policy.DEFERRED, Policy.UNRESTRICTED, Policy.GLOBE)
"""Policies under which a pair that completes nothing consumes nothing: names used twice have a
scope.
"""


def with_sibling_bounds(part: Part) -> Part:
    """Return the same part with its joins of named parts bounded by their siblings."""
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
    """Return the names of the parts of a join, if all have one; else the empty set."""
    if not isinstance(part, Join) or not all(isinstance(each, Named) for each in part.parts):
        return frozenset()
    return frozenset(each.name for each in part.parts if isinstance(each, Named))


def _span(part: Part) -> Duration | None:
    """Return the longest time between the ends of the parts of a join; None if it is unbounded."""
    if not isinstance(part, Join):
        return None
    lifetimes = [join_lifetime(part, slot) for slot in range(len(part.parts))]
    return None if None in lifetimes else max(each for each in lifetimes if each is not None)


def with_settings(plan: Plan, policy: Policy | None, horizon: Duration | None) -> Plan:
    """Return the plan under a policy, with the horizon for parts without a bound of their own.

    A policy of None keeps each operator's own.
    """
    return with_horizon(replace(plan, pattern=under_policy(plan.pattern, policy)), horizon)


def under_policy(pattern: Part, policy: Policy | None) -> Part:
    """Return the pattern under a policy, with bounds from sibling joins."""
    return with_sibling_bounds(pattern if policy is None else _with_policy(pattern, policy))


def _with_policy(part: Part, policy: Policy) -> Part:
    changed = with_parts(part, lambda inner: _with_policy(inner, policy))
    if isinstance(changed, Join | Absence | Gathered):
        return replace(changed, policy=policy)
    return changed
