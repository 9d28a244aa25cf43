"""What a subscription sets beside its text: the consumption policy of its operators, and the
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
"""How long a part waits for others where nothing else bounds it."""


def with_settings(plan: Plan, policy: Policy | None, horizon: Duration | None) -> Plan:
    """The plan under a policy (None keeps each operator's own), with a bound for what has none of
    its own.
    """
    return with_horizon(replace(plan, pattern=under_policy(plan.pattern, policy)), horizon)


def under_policy(pattern: Part, policy: Policy | None) -> Part:
    """The pattern under a policy, bounded by all that is written in it."""
    return with_sibling_bounds(pattern if policy is None else _with_policy(pattern, policy))


def _with_policy(part: Part, policy: Policy) -> Part:
    changed = with_parts(part, lambda inner: _with_policy(inner, policy))
    if isinstance(changed, Join | Absence | Gathered):
        return replace(changed, policy=policy)
    return changed
