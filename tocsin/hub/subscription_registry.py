"""Registry of subscriptions and of the definitions that they are compiled with; both may change
while the engine runs.

A subscription whose plan stays the same keeps its state. One that does not compile after a change
leaves the engine but not the registry: it returns as soon as the definitions allow it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from tocsin.catalog import (
    Definition,
    Subscription,
    Surroundings,
    compile_subscription,
    refuse_past_windows,
    with_plan,
)
from tocsin.catalog.effects import may_depend, try_compile
from tocsin.engine.engine import Engine
from tocsin.errors import Problem, UnsupportedProblem
from tocsin.events.dead_letter import INTERNAL_ERROR, shown_error
from tocsin.knowledge.ontology import Ontology
from tocsin.plan.nodes.atoms import Atom
from tocsin.plan.nodes.composites import Plan
from tocsin.values.time import Instant

Broken = list[tuple[Subscription, Problem]]


class SubscriptionRegistry:
    """The subscriptions of an engine, by id, and the definitions in force, by name.

    `clock` returns the time of the host: a new subscription whose window is over by then is
    refused.
    """

    __slots__ = (
        "_clock",
        "_composites",
        "_engine",
        "_environment",
        "_held",
        "_reported",
        "definitions",
    )

    def __init__(
        self,
        engine: Engine,
        definitions: Mapping[str, Definition],
        clock: Callable[[], Instant | None] = lambda: None,
    ) -> None:
        self._engine = engine
        self._clock = clock
        self._held: dict[str, Subscription] = {}
        self._reported: dict[str, str] = {}
        self._composites: set[str] = set()
        self.definitions = dict(definitions)
        self._environment = Surroundings.of(self.definitions.values())

    def __contains__(self, id: object) -> bool:
        return id in self._held

    def ids(self) -> list[str]:
        """Return the ids of all subscriptions, served or not."""
        return list(self._held)

    def words_of(self, id: str) -> Ontology | None:
        """Return the ontology for a subscription; None without one, or if it is invalid."""
        return self._environment.words_of(id)

    def held(self) -> Mapping[str, Subscription]:
        """Return the subscriptions by id."""
        return self._held

    @property
    def has_composites(self) -> bool:
        """True if any subscription is a composite, so that order and time matter."""
        return bool(self._composites)

    def plans(self) -> dict[str, Plan]:
        """Return the plans served, by id; compiled again if the engine keeps none."""
        served = (each for id, each in self._held.items() if id in self._engine)
        found = {
            each.id: self._engine.plan_of(each.id) or try_compile(each, self._environment)
            for each in served
        }
        return {id: plan for id, plan in found.items() if isinstance(plan, Plan)}

    def require_good(self, subscription: Subscription) -> Subscription:
        """Return the subscription with its plan; raises if it does not compile or its window is
        over.
        """
        return with_plan(subscription, self._environment, self._plan(subscription))

    def add(self, subscription: Subscription) -> None:
        """Add a subscription; one that does not compile raises and changes nothing."""
        plan = self._plan(subscription)
        try:
            self._enter(subscription.id, plan)
        except Problem:
            raise
        except Exception as error:
            raise _internal(error) from error
        self._held[subscription.id] = subscription

    def remove(self, id: str) -> None:
        """Remove a subscription; an unknown id is ignored."""
        if self._held.pop(id, None) is not None:
            self._leave(id)
        self._reported.pop(id, None)

    def change(
        self, definitions: Mapping[str, Definition], subscriptions: Iterable[Subscription] = ()
    ) -> Broken:
        """Apply other definitions, and new or replaced subscriptions, all at once.

        Compiles every subscription again whose meaning may change. Returns those that do not
        compile, with the problem, unless it was returned before.
        """
        given = {each.id: each for each in subscriptions}
        before, others = self._environment, list[Subscription]()
        if definitions != self.definitions:
            self.definitions = dict(definitions)
            self._environment = Surroundings.of(self.definitions.values())
            others = [
                each for id, each in self._held.items() if id not in given and may_depend(each)
            ]
        found = ((each, self._replace(each, before)) for each in (*others, *given.values()))
        return [(each, problem) for each, problem in found if problem is not None]

    def _replace(self, subscription: Subscription, before: Surroundings) -> Problem | None:
        """Compile a subscription again and update the engine; return its problem, unless reported
        before.
        """
        id, now = subscription.id, _read(subscription, self._environment)
        held, self._held[id] = self._held.get(id), subscription
        if held is not None and id in self._engine and _read(held, before) == now:
            return None
        self._leave(id)
        if not isinstance(now, Problem):
            try:
                refuse_past_windows(subscription, now, self._clock())
                self._enter(id, now)
            except Problem as refused:  # only the engine can detect it
                now = refused
            except Exception as error:
                self._leave(id)
                now = _internal(error)
            else:
                self._reported.pop(id, None)
                return None
        told, self._reported[id] = self._reported.get(id), f"{subscription.expression}\n{now}"
        return None if told == self._reported[id] else now

    def _plan(self, subscription: Subscription) -> Plan:
        try:
            plan = compile_subscription(subscription, self._environment)
        except Problem:
            raise
        except Exception as error:
            raise _internal(error) from error
        refuse_past_windows(subscription, plan, self._clock())
        return plan

    def _enter(self, id: str, plan: Plan) -> None:
        self._engine.add(id, plan)
        if not isinstance(plan.pattern, Atom):
            self._composites.add(id)

    def _leave(self, id: str) -> None:
        self._composites.discard(id)
        if id in self._engine:
            self._engine.remove(id)


def _read(subscription: Subscription, environment: Surroundings) -> Plan | Problem:
    """Return the plan of a subscription, or its problem; an internal error is a problem of it
    alone.
    """
    try:
        return try_compile(subscription, environment)
    except Exception as error:
        return _internal(error)


def _internal(error: Exception) -> Problem:
    return UnsupportedProblem(
        shown_error(error), code=INTERNAL_ERROR, hint="say it in another way, and please report it"
    )
