"""What other definitions do to subscriptions: some break, some mean something else, some that were
broken heal.

Meaning is compared by plans, and a plan holds the ontology that it was read with: whoever uses an
ontology that says something else counts as changed. `selector` looks at no definition.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tocsin.catalog.compiling import Surroundings, compile_subscription
from tocsin.catalog.entries import Definition, Subscription
from tocsin.catalog.stored_plans import may_depend
from tocsin.errors import Problem
from tocsin.plan.nodes.composites import Plan

__all__ = ["Effects", "effects_between", "effects_of", "may_depend", "read_in"]


@dataclass(frozen=True, slots=True)
class Effects:
    """Subscriptions that compile no more, each with its problem; that mean something else; that
    compile again.
    """

    broken: tuple[tuple[Subscription, Problem], ...] = ()
    changed: tuple[Subscription, ...] = ()
    healed: tuple[Subscription, ...] = ()


def read_in(subscription: Subscription, light: Surroundings) -> Plan | Problem:
    """What a subscription means in some light; its problem where it means nothing."""
    try:
        return compile_subscription(subscription, light)
    except Problem as problem:
        return problem


def effects_of(
    subscriptions: Iterable[Subscription], before: Iterable[Definition], after: Iterable[Definition]
) -> Effects:
    """What it does to subscriptions that the definitions become others."""
    return effects_between(subscriptions, Surroundings.of(before), Surroundings.of(after))


def effects_between(
    subscriptions: Iterable[Subscription], old: Surroundings, new: Surroundings
) -> Effects:
    """Return the same for definitions that were compiled already."""
    broken: list[tuple[Subscription, Problem]] = []
    changed: list[Subscription] = []
    healed: list[Subscription] = []
    for each in filter(may_depend, subscriptions):
        was, will = read_in(each, old), read_in(each, new)
        if isinstance(will, Problem):
            if not isinstance(was, Problem):
                broken.append((each, will))
        elif isinstance(was, Problem):
            healed.append(each)
        elif was != will:
            changed.append(each)
    return Effects(tuple(broken), tuple(changed), tuple(healed))
