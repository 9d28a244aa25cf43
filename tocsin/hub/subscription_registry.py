"""Registry of subscriptions and of the definitions that they are compiled with; both may change
while the engine runs: by calls, by ontology files, or by the catalog, version after version.

A subscription whose plan stays the same keeps its state. One that does not compile after a change
leaves the engine but not the registry: it returns as soon as the definitions allow it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tocsin.catalog import (
    Definition,
    Subscription,
    Surroundings,
    compile_subscription,
    ontologies,
    refuse_past_windows,
    require_agreement,
    with_plan,
)
from tocsin.catalog.compiling import try_compile
from tocsin.catalog.stored_plans import may_depend
from tocsin.engine.engine import Engine
from tocsin.errors import Problem, StateProblem, UnsupportedProblem, name_taken
from tocsin.events.dead_letter import INTERNAL_ERROR, shown_error
from tocsin.knowledge.ontology import Ontology
from tocsin.plan.nodes.atoms import Atom
from tocsin.plan.nodes.composites import Plan
from tocsin.values.time import Instant

if TYPE_CHECKING:
    from tocsin.catalog import (
        Catalog,  # loads the database libraries, which a Hub without one spares
    )


@dataclass(slots=True)
class RegistryChange:
    """The effect of a change: subscriptions added or replaced, all that were renewed, those broken.

    `renewed` are the ids that were added, replaced, removed, or mended by other definitions;
    `broken` those that do not compile, with the problem.
    """

    added: list[str] = field(default_factory=list)
    renewed: set[str] = field(default_factory=set)
    broken: list[tuple[Subscription, Problem]] = field(default_factory=list)


class SubscriptionRegistry:
    """The subscriptions of an engine, by id, and the definitions in force, by name.

    The definitions of the host, and the ontology files with the conclusions to `infer`, are used
    beside those of the catalog. `clock` returns the time of the host: a new subscription whose
    window is over by then is refused.
    """

    __slots__ = (
        "_broken",
        "_catalog",
        "_clock",
        "_engine",
        "_environment",
        "_held",
        "_infer",
        "_ontology",
        "_own",
        "_reported",
        "composites",
        "definitions",
        "version",
    )

    def __init__(
        self,
        engine: Engine,
        catalog: Catalog | None = None,
        ontology: object = None,
        infer: object = None,
        clock: Callable[[], Instant | None] = lambda: None,
    ) -> None:
        self._engine = engine
        self._catalog = catalog
        self._ontology, self._infer = ontology, infer
        self._clock = clock
        self._held: dict[str, Subscription] = {}
        self._reported: dict[str, str] = {}
        self._broken: set[str] = set()
        self._own = {each.name: each for each in ontologies(ontology, infer)}
        require_agreement((), self._own.values())
        self.composites: set[str] = set()
        """The composites that are served; without any, order and time do not matter."""
        self.version = 0
        """The version of the catalog that is served."""
        self.definitions: dict[str, Definition] = dict(self._own)
        self._environment = Surroundings.of(self.definitions.values())

    def __contains__(self, id: object) -> bool:
        return id in self._held

    def __len__(self) -> int:
        return len(self._held)

    def ids(self) -> list[str]:
        """Return the ids of all subscriptions, served or not."""
        return list(self._held)

    def words_of(self, id: str) -> Ontology | None:
        """Return the ontology for a subscription; None without one, or if it is invalid."""
        return self._environment.words_of(id)

    def held(self) -> Mapping[str, Subscription]:
        """Return the subscriptions by id."""
        return self._held

    def plans(self) -> dict[str, Plan]:
        """Return the plans served, by id; compiled again if the engine keeps none."""
        served = (each for id, each in self._held.items() if id in self._engine)
        found = {
            each.id: self._engine.plan_of(each.id) or try_compile(each, self._environment)
            for each in served
        }
        return {id: plan for id, plan in found.items() if isinstance(plan, Plan)}

    def add(self, subscription: Subscription) -> RegistryChange:
        """Add a subscription, to the catalog if there is one.

        One that does not compile, or whose id is taken, raises and changes nothing.
        """
        id = subscription.id
        if id in self._held:
            raise name_taken(id)
        plan = self._plan(subscription)
        if self._catalog is not None:
            self._catalog.add(with_plan(subscription, self._environment, plan))
            return self.follow()
        try:
            self._enter(id, plan)
        except Problem:
            raise
        except Exception as error:
            raise _internal(error) from error
        self._held[id] = subscription
        return RegistryChange([id], {id})

    def define(self, *definitions: Definition) -> RegistryChange:
        """Add definitions, to the catalog if there is one; a name that is taken raises.

        An ontology that contradicts another is refused.
        """
        for definition in definitions:
            if definition.name in self.definitions:
                raise name_taken(definition.name, "definition", "choose another name")
        require_agreement(self.definitions.values(), definitions)
        if self._catalog is not None:
            self._catalog.add(*definitions)
            return self.follow()
        self._own |= {definition.name: definition for definition in definitions}
        return self._change(self._own)

    def remove(self, id: str) -> RegistryChange:
        """Remove a subscription, from the catalog if there is one; raises if the id is unknown."""
        if id not in self._held:
            raise StateProblem(
                f"there is no subscription {id!r}", code="UnknownSubscriptionError", token=id
            )
        if self._catalog is not None:
            self._catalog.remove(id)
            return self.follow()
        self.drop(id)
        return RegistryChange(renewed={id})

    def drop(self, id: str) -> None:
        """Remove a subscription that has ended; a catalog keeps it. An unknown id is ignored."""
        if self._held.pop(id, None) is not None:
            self._leave(id)
        self._reported.pop(id, None)

    def follow(self, version: int | None = None) -> RegistryChange:
        """Apply the changes of the catalog, if there is one, up to a version; by default the newest
        one.
        """
        if self._catalog is None:
            return RegistryChange()
        version = self._catalog.version() if version is None else version
        if version == self.version:
            return RegistryChange()
        changes = self._catalog.changes(self.version, version)
        replaced = {each.id for each in changes.added}
        removed = [id for id in changes.removed if id not in replaced]
        renewed = {id for id in removed if id in self._held}
        for id in removed:
            self.drop(id)
        shared = (
            {each.name: each for each in self._catalog.definitions(version)}
            if changes.redefined
            else self._shared()
        )
        change = self._change(self._own | shared, changes.added)
        change.renewed |= renewed
        self.version = version
        return change

    def read_ontologies_again(self) -> RegistryChange:
        """Apply what has changed in the ontology files; one that is wrong raises and changes
        nothing.
        """
        own = self._own | {each.name: each for each in ontologies(self._ontology, self._infer)}
        if own == self._own:
            return RegistryChange()
        require_agreement((), own.values())
        shared, self._own = self._shared(), own
        return self._change(own | shared)

    def _shared(self) -> dict[str, Definition]:
        """Return the definitions in force that are of the catalog."""
        return {name: each for name, each in self.definitions.items() if name not in self._own}

    def _change(
        self, definitions: Mapping[str, Definition], subscriptions: Iterable[Subscription] = ()
    ) -> RegistryChange:
        """Apply other definitions, and new or replaced subscriptions, all at once.

        Compiles every subscription again whose meaning may change. A problem that was reported
        before is not reported again.
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
        broken = [(each, problem) for each, problem in found if problem is not None]
        self._broken |= {each.id for each, _ in broken}
        mended = {id for id in self._broken if id in self._engine}
        self._broken -= mended
        return RegistryChange(list(given), mended | given.keys(), broken)

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
            self.composites.add(id)

    def _leave(self, id: str) -> None:
        self.composites.discard(id)
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
