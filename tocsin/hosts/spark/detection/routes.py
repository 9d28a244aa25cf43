"""Which shards want the events of an atom. An atom has the same name in every process, however
often it is compiled.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b

from tocsin.catalog import Subscription, Surroundings, compile_subscription
from tocsin.hosts.spark.detection.shards import shard_of
from tocsin.hosts.spark.plan_cache import Index, Indexes
from tocsin.plan.atoms import Atom
from tocsin.plan.composites import Plan, atoms_of
from tocsin.plan.wire import plan_to_json


@dataclass(frozen=True, slots=True)
class Route:
    """The name of an atom, and the numbers of the shards that want its events."""

    name: bytes
    shards: frozenset[int]


class DetectingIndex(Index):
    """All subscriptions; for the atoms of composites it knows who wants their events."""

    def __init__(self) -> None:
        super().__init__()
        self._atoms: dict[str, tuple[Atom, ...]] = {}
        self._wanted: dict[Atom, dict[str, None]] = {}
        self._routes: dict[tuple[int, int], Route] = {}

    def take(self, subscription: Subscription, light: Surroundings) -> None:
        """Adds a subscription of any kind."""
        plan = compile_subscription(subscription, light)
        self.engine.add(subscription.id, plan)
        if isinstance(plan.pattern, Atom):
            return
        self._atoms[subscription.id] = tuple(set(atoms_of(plan.pattern)))
        for atom in self._atoms[subscription.id]:
            self._wanted.setdefault(atom, {})[subscription.id] = None
        self._routes.clear()

    def leave(self, id: str) -> None:
        """Removes a subscription."""
        self.engine.remove(id)
        for atom in self._atoms.pop(id, ()):
            del self._wanted[atom][id]
            if not self._wanted[atom]:
                del self._wanted[atom]
        self._routes.clear()

    def routes(self, atoms: Iterable[Atom], shards: int) -> list[Route]:
        """Where the events of atoms go; the atoms are those of the engine, so that they can be told
        by identity.
        """
        return [self._routes.get((id(atom), shards)) or self._route(atom, shards) for atom in atoms]

    def _route(self, atom: Atom, shards: int) -> Route:
        wanted = frozenset(shard_of(subscription, shards) for subscription in self._wanted[atom])
        route = self._routes[id(atom), shards] = Route(atom_name(atom), wanted)
        return route


def atom_name(atom: Atom) -> bytes:
    """A hash of what the atom says."""
    return blake2b(plan_to_json(Plan(atom)).encode(), digest_size=16).digest()


DETECTING_INDEXES = Indexes(make=DetectingIndex)
