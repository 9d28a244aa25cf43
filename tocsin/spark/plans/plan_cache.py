"""The subscriptions of a query, compiled and cached by every Python worker from task to task.

A worker serves exactly the requested version, also one older than the version it has (a retried
task). The cache lives in this module because a module is imported once per worker, while the
objects of a task arrive anew with each task.

Of composites a match task knows which atoms they need. Nothing is detected, that is for shards:
without operators a composite takes a tenth of the memory in every Python worker.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator

from tocsin.catalog import Changes, Snapshot, Subscription, compile_subscription
from tocsin.engine.detection.inspection import shortest_window
from tocsin.engine.detection.scheduling.network import Network
from tocsin.engine.detection.scheduling.steps import Emissions
from tocsin.errors import Problem, UnsupportedProblem
from tocsin.events.event import Event
from tocsin.plan.nodes.atoms import Atom
from tocsin.plan.nodes.composites import MAX_EMPTY_WINDOWS, Key, Part, Plan, atoms_of, parts_of
from tocsin.plan.semantics.partitioning import partition_key_of_plan
from tocsin.plan.xml.construction import Construct
from tocsin.runtime.gc_tuning import rare_collection
from tocsin.spark.output.letters import internal_problem
from tocsin.spark.plans.shard_plans import CatalogView, Route, atom_name, shard_of
from tocsin.spark.plans.sources import LiveCatalog, Source
from tocsin.values.time import Duration


class RoutedAtoms(Network):
    """The network of an engine that only matches atoms."""

    __slots__ = ("_patterns", "_windows", "users")

    def __init__(self) -> None:
        super().__init__()
        self.users: dict[Atom, dict[str, None]] = {}
        """The composites that need an atom, by atom."""
        self._patterns: dict[str, Part] = {}
        self._windows: dict[str, Duration] = {}

    def add(self, key: str, pattern: Part) -> list[Atom]:
        """Add a composite; return the atoms that are new."""
        self._patterns[key] = pattern
        length = shortest_window(_all_parts(pattern))
        if length is not None:
            self._windows[key] = length
        atoms = dict.fromkeys(atoms_of(pattern))
        new = [atom for atom in atoms if atom not in self.users]
        for atom in atoms:
            self.users.setdefault(atom, {})[key] = None
        return new

    def remove(self, key: str) -> list[Atom]:
        """Remove a composite; return the atoms that no other one needs."""
        self._windows.pop(key, None)
        atoms = dict.fromkeys(atoms_of(self._patterns.pop(key)))
        for atom in atoms:
            del self.users[atom][key]
        unused = [atom for atom in atoms if not self.users[atom]]
        for atom in unused:
            del self.users[atom]
        return unused

    def event(self, event: Event, atoms: Iterable[Atom]) -> Emissions:
        """Raise: shards detect composites."""
        raise AssertionError("a match task detects no composites")

    @property
    def shortest_pause(self) -> Duration | None:
        """Length of a pause without events from which on empty recurring windows may be emitted as
        one; None if no window recurs.
        """
        return MAX_EMPTY_WINDOWS * min(self._windows.values()) if self._windows else None


def _all_parts(part: Part) -> Iterator[Part]:
    yield part
    for inner in parts_of(part):
        yield from _all_parts(inner)


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
