"""Effects of changed definitions on subscriptions: some break, some change their meaning, some
compile again.

Meaning is compared by plans, and a plan contains its ontology: a subscription with an ontology that
has changed counts as changed. `selector` uses no definitions.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tocsin.catalog.compiling import Surroundings, compile_subscription
from tocsin.catalog.entries import Definition, Subscription
from tocsin.catalog.stored_plans import may_depend
from tocsin.errors import Problem
from tocsin.plan.nodes.composites import Plan

__all__ = ["Effects", "effects_between", "effects_of", "may_depend", "try_compile"]


@dataclass(frozen=True, slots=True)
class Effects:
    """Subscriptions that do not compile after a change, with problems; with another meaning; that
    compile again.
    """

    broken: tuple[tuple[Subscription, Problem], ...] = ()
    changed: tuple[Subscription, ...] = ()
    healed: tuple[Subscription, ...] = ()


def try_compile(subscription: Subscription, environment: Surroundings) -> Plan | Problem:
    """Return the plan of a subscription in an environment, or its problem."""
    try:
        return compile_subscription(subscription, environment)
    except Problem as problem:
        return problem


def effects_of(
    subscriptions: Iterable[Subscription], before: Iterable[Definition], after: Iterable[Definition]
) -> Effects:
    """Return the effects on subscriptions of replacing the definitions."""
    return effects_between(subscriptions, Surroundings.of(before), Surroundings.of(after))


def effects_between(
    subscriptions: Iterable[Subscription], old: Surroundings, new: Surroundings
) -> Effects:
    """Return the effects for definitions that are prepared already."""
    broken: list[tuple[Subscription, Problem]] = []
    changed: list[Subscription] = []
    healed: list[Subscription] = []
    for each in filter(may_depend, subscriptions):
        was, will = try_compile(each, old), try_compile(each, new)
        if isinstance(will, Problem):
            if not isinstance(was, Problem):
                broken.append((each, will))
        elif isinstance(was, Problem):
            healed.append(each)
        elif was != will:
            changed.append(each)
    return Effects(tuple(broken), tuple(changed), tuple(healed))
