"""Settings of a subscription outside its text: the consumption policy of its operators, and the
horizon of its state.
"""

from __future__ import annotations

from dataclasses import replace

from tocsin.plan.nodes.composites import Absence, Gathered, Join, Part, Plan, Policy
from tocsin.plan.nodes.rewriting import with_parts
from tocsin.plan.passes.bound_siblings import with_sibling_bounds
from tocsin.plan.semantics.bounds import with_horizon
from tocsin.values.time import Duration

DEFAULT_HORIZON: Duration = 24 * 3_600 * 1_000_000
"""Lifetime of stored occurrences without another bound, in microseconds: a day."""


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
