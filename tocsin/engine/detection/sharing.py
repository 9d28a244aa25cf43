"""Graph of shared operators: all composites as one graph, equal parts once.

A subscription rings for what happens after it was added, so that operators which hold state are not
shared with it. Operators that are added or removed are returned: nothing runs here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import count
from operator import is_

from tocsin.engine.detection.base import Operator
from tocsin.engine.detection.operator_selection import create_operator
from tocsin.engine.detection.scope import Scopes
from tocsin.engine.detection.share_groups import ShareGroup, ShareGroups
from tocsin.engine.detection.stateless import AtomSource
from tocsin.errors import StateProblem, name_taken
from tocsin.plan.nodes.atoms import Atom
from tocsin.plan.nodes.composites import Part, names_of, parts_of
from tocsin.plan.semantics.bounds import bounds_of
from tocsin.plan.semantics.scopes import scopes_of
from tocsin.values.time import Instant

OperatorKey = tuple[int, Part, int]
"""Name of an operator: its owner (the number of a share group, or 0 for all), its part and its
generation.
"""

_SHARED = 0


@dataclass(frozen=True, slots=True)
class SubscriptionBuild:
    """A subscription under construction: its operators by part, inputs first, and the new ones
    among them.
    """

    key: str
    owner: int
    scopes: Scopes
    operators: dict[Part, Operator] = field(default_factory=dict)
    made: list[Operator] = field(default_factory=list)

    def owner_of(self, part: Part) -> int:
        """Return the owner of the operator of a part: one share group if it binds a name with a
        scope, whose occurrences are consumed for that group alone; otherwise 0, for all.
        """
        return _SHARED if self.scopes.names.isdisjoint(names_of(part)) else self.owner


KeyChooser = Callable[[Part, list[Operator], SubscriptionBuild], OperatorKey]
"""Returns the name of the operator for a part on top of the given inputs: that of an existing
operator, or a new one.
"""


class SharedGraph:
    """Subscriptions by key, and the operators that they share."""

    __slots__ = (
        "_atoms",
        "_generations",
        "_keys",
        "_node_numbers",
        "_owner_numbers",
        "_share_groups",
        "_user_counts",
        "operators",
        "subscriptions",
    )

    def __init__(self) -> None:
        self.subscriptions: dict[str, ShareGroup] = {}
        """Share group of each subscription, whose members have all operators in common."""
        self.operators: dict[OperatorKey, Operator] = {}
        """All operators by name, inputs first."""
        self._keys: dict[Operator, OperatorKey] = {}
        self._generations: dict[tuple[int, Part], dict[int, Operator]] = {}
        """Operators by owner and part, then generation: to hash a whole part is slow."""
        self._user_counts: dict[Operator, int] = {}
        self._atoms: dict[int, AtomSource] = {}
        self._share_groups = ShareGroups()
        self._owner_numbers, self._node_numbers = count(1), count(1)

    def add(self, key: str, pattern: Part, now: Instant, step: int) -> list[Operator]:
        """Add a subscription at `now`, between two steps, the last of which has the number `step`.
        Return the new operators, inputs first. Raise StateProblem if the key is taken.
        """
        if key in self.subscriptions:
            raise name_taken(key)
        crowd = self._share_groups.newest(pattern)
        if crowd is not None and crowd.is_empty:
            self._join(key, crowd)
            return []
        return self.build(key, pattern, self._key_of, new_scope_state(pattern), now, step)

    def build(
        self, key: str, pattern: Part, choose: KeyChooser, scopes: Scopes, now: Instant, step: int
    ) -> list[Operator]:
        """Add a subscription; `choose` decides what it shares. Return the new operators."""
        newcomer = SubscriptionBuild(key, next(self._owner_numbers), scopes)
        root = self._node(pattern, newcomer, choose)
        crowd = self._share_groups.of_root(root)
        if crowd is None:
            crowd = ShareGroup(tuple(newcomer.operators.values()), scopes, now)
            self._share_groups.add(crowd, step)
        self._join(key, crowd)
        return newcomer.made

    def remove(self, key: str) -> list[Operator]:
        """Remove a subscription; return the operators that no other one uses and that left with it.
        Raise StateProblem if the key is unknown.
        """
        if key not in self.subscriptions:
            raise StateProblem(
                f"there is no subscription {key!r}", code="UnknownSubscriptionError", token=key
            )
        crowd = self.subscriptions.pop(key)
        crowd.root.keys.remove(key)
        if not crowd.root.keys:
            _remove_payer(crowd)
        dropped = self._release(crowd)
        self._drop(dropped)
        if crowd.root.is_removed:
            self._share_groups.remove(crowd.root.part, {crowd.root})
        return dropped

    def is_merge_due(self, now: Instant, step: int) -> bool:
        """True if it is time to compare the state of equal subscriptions in different groups."""
        groups = self._share_groups
        return bool(groups.schedules) and bool(groups.due(now, step))

    def merge_equal_groups(self, now: Instant, step: int, moved: int) -> list[Operator]:
        """Merge share groups with equal state; return the operators that were removed. `moved`
        counts the occurrences that were moved out of batch tables for it.
        """
        dropped: list[Operator] = []
        for pattern in self._share_groups.due(now, step):
            merged: set[Operator] = set()
            for first, *others in self._share_groups.equals(pattern, now, step, moved):
                for other in others:
                    dropped += self._merge(other, first)
                    merged.add(other.root)
            self._share_groups.remove(pattern, merged)
        return dropped

    def operators_of(self, key: str) -> Sequence[Operator]:
        """Return the operators of a subscription, inputs first; empty if the key is unknown."""
        crowd = self.subscriptions.get(key)
        return () if crowd is None else crowd.operators

    def subscriptions_of(self, nodes: Iterable[Operator]) -> dict[str, Operator]:
        """Return the subscriptions that use some of the operators, each with the first that it
        uses.
        """
        users: dict[str, Operator] = {}
        for key in self.subscriptions:
            own = self.operators_of(key)
            used = (node for node in nodes if any(each.shares_state_with(node) for each in own))
            if (first := next(used, None)) is not None:
                users[key] = first
        return users

    def atom_source(self, atom: Atom) -> AtomSource | None:
        """Return the operator of an atom; None without one. It is found by object id if the atom is
        one of the graph: an atom takes long to hash, and events are many.
        """
        node = self._atoms.get(id(atom))
        if node is not None and node.part is atom:
            return node
        known = self.operators.get((_SHARED, atom, 0))
        return known if isinstance(known, AtomSource) else None

    def atom_sources(self, atoms: Iterable[Atom]) -> list[AtomSource]:
        """Return the operators of the atoms that have one. Living objects have distinct ids, so
        that a known id is that of the very atom.
        """
        given = tuple(atoms)
        known = list(map(self._atoms.get, map(id, given)))
        found = known if all(known) else map(self.atom_source, given)
        return [node for node in found if node is not None]

    def new_key(self, part: Part, build: SubscriptionBuild) -> OperatorKey:
        """Return a name for a new operator; numbers distinguish the generations of a part."""
        owner = build.owner_of(part)
        known = self._generations.get((owner, part), {})
        return (owner, part, next(number for number in count() if number not in known))

    def _key_of(self, part: Part, inner: list[Operator], build: SubscriptionBuild) -> OperatorKey:
        """Return the name of an operator that holds nothing and has the same inputs; a new name
        without any.
        """
        owner = build.owner_of(part)
        generations = self._generations.get((owner, part), {})
        for generation in count():
            known = generations.get(generation)
            if known is None or (known.is_empty and all(map(is_, known.inputs, inner))):
                return (owner, part, generation)
        raise AssertionError("unreachable")

    def _node(self, part: Part, build: SubscriptionBuild, choose: KeyChooser) -> Operator:
        """Return the operator of a part, made on top of its inputs if it is missing."""
        known = build.operators.get(part)
        if known is not None:
            return known
        inner = [self._node(each, build, choose) for each in parts_of(part)]
        name = choose(part, inner, build)
        node = self.operators.get(name)
        if node is None:
            self.operators[name] = node = create_operator(part, inner, build.scopes)
            self._keys[node] = name
            self._generations.setdefault(name[:2], {})[name[2]] = node
            self._attach(node)
            build.made.append(node)
        build.operators[part] = node
        return node

    def _attach(self, node: Operator) -> None:
        node.number = next(self._node_numbers)
        node.attach()
        if isinstance(node, AtomSource):
            self._atoms[id(node.part)] = node

    def _join(self, key: str, group: ShareGroup) -> None:
        if not group.root.keys:
            _add_payer(group)
        group.root.keys.append(key)
        self.subscriptions[key] = group
        for node in group.operators:
            self._user_counts[node] = self._user_counts.get(node, 0) + 1

    def _merge(self, group: ShareGroup, into: ShareGroup) -> list[Operator]:
        """Move the subscriptions of a group to another with equal state; return the operators that
        were removed.
        """
        dropped: list[Operator] = []
        for key in group.root.keys:
            self._join(key, into)
            dropped += self._release(group)
        _remove_payer(group)
        self._drop(dropped)
        return dropped

    def _release(self, group: ShareGroup) -> list[Operator]:
        """Subtract one user from the operators of a group; return those without users."""
        unused: list[Operator] = []
        for node in group.operators:
            self._user_counts[node] -= 1
            if not self._user_counts[node]:
                del self._user_counts[node]
                self._forget(node)
                unused.append(node)
        return unused

    def _forget(self, node: Operator) -> None:
        """Free the name of an operator for another."""
        name = self._keys.pop(node)
        del self.operators[name]
        generations = self._generations[name[:2]]
        del generations[name[2]]
        if not generations:
            del self._generations[name[:2]]

    def _drop(self, nodes: list[Operator]) -> None:
        """Remove unused operators from the graph, all at once: none is updated about another."""
        for node in nodes:
            node.is_removed = True
            self._atoms.pop(id(node.part), None)
        for node in nodes:
            node.detach()


def _add_payer(group: ShareGroup) -> None:
    """Charge all work at the operators of a group to the root of its pattern from now on."""
    for node in group.operators:
        node.payers = (*(each for each in node.payers if each.keys), group.root)


def _remove_payer(group: ShareGroup) -> None:
    """Stop charging work to the root of a group without subscriptions."""
    for node in group.operators:
        node.payers = tuple(each for each in node.payers if each is not group.root)


def new_scope_state(pattern: Part) -> Scopes:
    """Return the scopes of a pattern, with nothing consumed yet."""
    lifetimes = [bound.lifetime or 0 for bound in bounds_of(pattern)]
    return Scopes(scopes_of(pattern), sum(lifetimes))
