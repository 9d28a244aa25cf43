"""The subscriptions of a query, compiled and cached by every Python worker from task to task.

A worker serves exactly the requested version, also one older than the version it has (a retried
task). The cache lives in this module because a module is imported once per worker, while the
objects of a task arrive anew with each task.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable

from tocsin.catalog import Changes, Snapshot, Subscription, compile_subscription
from tocsin.errors import Problem, UnsupportedProblem
from tocsin.plan.nodes.atoms import Atom
from tocsin.plan.nodes.composites import Key, Plan
from tocsin.plan.semantics.partitioning import partition_key_of_plan
from tocsin.plan.xml.construction import Construct
from tocsin.runtime.gc_tuning import rare_collection
from tocsin.spark.output.letters import internal_problem
from tocsin.spark.plans.catalog_view import CatalogView
from tocsin.spark.plans.routed_atoms import RoutedAtoms
from tocsin.spark.plans.shard_plans import Route, atom_name, shard_of
from tocsin.spark.plans.sources import LiveCatalog, Source

KEPT = 4
"""The number of sources that a worker keeps compiled; the least recently used is dropped."""


class MatchIndex(CatalogView):
    """All subscriptions of one version, and the problems of those that do not compile.

    If the query detects composites, it has the routes of their atoms to shards; otherwise a
    composite is a problem.
    """

    def __init__(self, *, detects: bool = False) -> None:
        self._routed = RoutedAtoms()
        super().__init__(self._routed)
        self.problems: dict[str, tuple[Subscription, Problem]] = {}
        self.work = 0
        self._detects = detects
        self._plans: dict[str, Plan] | None = None
        self._keys: dict[str, Key] = {}
        self.builders: set[str] = set()
        """The subscriptions whose outputs are published as events."""
        self._routes: dict[tuple[int, int], Route] = {}

    def move_to(self, snapshot: Snapshot) -> None:
        """Move to the version of a snapshot."""
        self._plans = None
        self.follow(snapshot)

    def move_by(self, changes: Changes, version: int) -> None:
        """Apply changes that do not touch definitions."""
        self._plans = None
        self.follow_changes(changes, version)

    def plans(self) -> dict[str, Plan]:
        """Return the plans that the engine serves; those of composites have the engine's own atoms.

        Used only if a row raises; cached until the next version, since such rows seldom occur
        alone.
        """
        if self._plans is None:
            served = [each for each in self.subscriptions if each.id in self.engine]
            self._plans = {
                each.id: self.engine.plan_of(each.id)
                or compile_subscription(each, self.surroundings)
                for each in served
            }
        return self._plans

    def renew(self, subscription: Subscription, *, is_new: bool) -> None:
        """Compile a subscription again and replace it; store the problem if it does not compile."""
        if not is_new:
            self.leave(subscription.id)
        self.work += 1
        try:
            self._take(subscription)
        except Problem as problem:
            self.problems[subscription.id] = (subscription, problem)
        except Exception as error:
            self.problems[subscription.id] = (subscription, internal_problem(error))

    def leave(self, id: str) -> None:
        """Remove a subscription, or its problem."""
        self.work += 1
        if self.problems.pop(id, None) is not None:
            return
        self.engine.remove(id)
        self.builders.discard(id)
        self._keys.pop(id, None)
        self._routes.clear()

    def routes(self, atoms: Iterable[Atom], shards: int) -> list[Route]:
        """Return the routes of atoms, which must be the engine's own: they are compared by
        identity.
        """
        return [self._routes.get((id(atom), shards)) or self._route(atom, shards) for atom in atoms]

    def _take(self, subscription: Subscription) -> None:
        plan = compile_subscription(subscription, self.surroundings)
        is_composite = not isinstance(plan.pattern, Atom)
        if is_composite and not self._detects:
            raise _no_detection(subscription.id, plan)
        self.engine.add(subscription.id, plan)
        if isinstance(plan.output, Construct):
            self.builders.add(subscription.id)
        if is_composite:
            self._keys[subscription.id] = partition_key_of_plan(plan).by
            self._routes.clear()

    def _route(self, atom: Atom, shards: int) -> Route:
        keys = {each: self._keys[each] if shards > 1 else () for each in self._routed.users[atom]}
        whole = frozenset(shard_of(each, shards) for each, by in keys.items() if not by)
        if not self.builders.isdisjoint(keys):
            whole = frozenset(range(shards))
        route = self._routes[id(atom), shards] = Route(
            atom_name(atom), whole, frozenset(by for by in keys.values() if by)
        )
        return route


def _no_detection(id: str, plan: Plan) -> Problem:
    return UnsupportedProblem(
        f"{id!r} is a composite ({type(plan.pattern).__name__}); there was none when the query was"
        " made, so it detects none",
        token=id,
        hint=(
            "start the query again, with composites=True where the catalog may be without"
            " composites then"
        ),
    )


class MatchIndexCache:
    """The indexes of a worker, by source and by detection of composites."""

    def __init__(self, kept: int = KEPT) -> None:
        self._kept = kept
        self._by_key: OrderedDict[tuple[str, bool], MatchIndex] = OrderedDict()

    def at(self, source: Source, version: int, *, detects: bool = False) -> MatchIndex:
        """Return the index of a source at exactly the given version."""
        key = (source.key, detects)
        index = self._by_key.pop(key, None) or MatchIndex(detects=detects)
        if index.version != version:
            with rare_collection():
                _move(index, source, version)
        self._by_key[key] = index
        while len(self._by_key) > self._kept:
            self._by_key.popitem(last=False)
        return index


def _move(index: MatchIndex, source: Source, version: int) -> None:
    """Move an index by the changes; if definitions have changed, by the whole snapshot."""
    if index.version is not None and isinstance(source, LiveCatalog):
        changes = source.changes(index.version, version)
        if not changes.redefined:
            index.move_by(changes, version)
            return
    index.move_to(source.snapshot(version))


WORKER_INDEXES = MatchIndexCache()
