"""Which subscriptions share which nodes: all composites as one graph, equal parts once.

A subscription rings for what happens from when it came on, so that parts which hold something are
not shared with it. Whatever comes into the graph or leaves it is returned: nothing runs here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import count
from operator import is_

from tocsin.engine.detection.base import Node
from tocsin.engine.detection.operator_selection import node_of
from tocsin.engine.detection.scope import Scopes
from tocsin.engine.detection.share_groups import Crowd, Crowds
from tocsin.engine.detection.stateless import AtomNode
from tocsin.errors import StateProblem
from tocsin.plan.nodes.atoms import Atom
from tocsin.plan.nodes.composites import Part, names_of, parts_of
from tocsin.plan.semantics.bounds import bounds_of
from tocsin.plan.semantics.scopes import scopes_of
from tocsin.values.time import Instant

Name = tuple[int, Part, int]
"""Owner (the number of a crowd, or 0 for all), part and generation."""

_SHARED = 0


@dataclass(frozen=True, slots=True)
class Newcomer:
    """A subscription while its nodes are found or made: from the inside out, by part; and which of
    them are new.
    """

    key: str
    owner: int
    scopes: Scopes
    nodes: dict[Part, Node] = field(default_factory=dict)
    made: list[Node] = field(default_factory=list)

    def owner_of(self, part: Part) -> int:
        """Who may use the node of a part: one crowd where it binds a name with a scope, whose
        occurrences are used up for that crowd alone; else all.
        """
        return _SHARED if self.scopes.names.isdisjoint(names_of(part)) else self.owner


Choice = Callable[[Part, list[Node], Newcomer], Name]
"""What the node of a newcomer's part, on top of the given nodes, is called: like one that is there,
or anew.
"""


class SharedGraph:
    """Subscriptions by key, and the nodes that they have in common."""

    __slots__ = (
        "_atoms",
        "_crowds",
        "_generations",
        "_names",
        "_node_numbers",
        "_owner_numbers",
        "_users",
        "nodes",
        "subscriptions",
    )

    def __init__(self) -> None:
        self.subscriptions: dict[str, Crowd] = {}
        """The equals to which each belongs: they have all nodes in common."""
        self.nodes: dict[Name, Node] = {}
        """The parts at work, from the inside out."""
        self._names: dict[Node, Name] = {}
        self._generations: dict[tuple[int, Part], dict[int, Node]] = {}
        """The nodes of a part and an owner: to hash a whole part takes long."""
        self._users: dict[Node, int] = {}
        self._atoms: dict[int, AtomNode] = {}
        self._crowds = Crowds()
        self._owner_numbers, self._node_numbers = count(1), count(1)

    def add(self, key: str, pattern: Part, now: Instant, step: int) -> list[Node]:
        """Adds a subscription now, between two steps, the last of which had this number; returns
        the nodes that are new, from the inside out.
        """
        if key in self.subscriptions:
            raise StateProblem(
                f"subscription {key!r} is there already",
                code="DuplicateSubscriptionError",
                token=key,
            )
        crowd = self._crowds.newest(pattern)
        if crowd is not None and crowd.is_empty:
            self._join(key, crowd)
            return []
        return self.build(key, pattern, self._name, scopes_at_work(pattern), now, step)

    def build(
        self, key: str, pattern: Part, choose: Choice, scopes: Scopes, now: Instant, step: int
    ) -> list[Node]:
        """Adds a subscription, of whose nodes `choose` says which are shared; returns those that
        are new.
        """
        newcomer = Newcomer(key, next(self._owner_numbers), scopes)
        root = self._node(pattern, newcomer, choose)
        crowd = self._crowds.of_root(root)
        if crowd is None:
            crowd = Crowd(tuple(newcomer.nodes.values()), scopes, now)
            self._crowds.add(crowd, step)
        self._join(key, crowd)
        return newcomer.made

    def remove(self, key: str) -> list[Node]:
        """Removes a subscription; returns the nodes that went with it, since nobody else uses
        them.
        """
        if key not in self.subscriptions:
            raise StateProblem(
                f"there is no subscription {key!r}", code="UnknownSubscriptionError", token=key
            )
        crowd = self.subscriptions.pop(key)
        crowd.root.keys.remove(key)
        if not crowd.root.keys:
            _excuse(crowd)
        dropped = self._release(crowd)
        self._drop(dropped)
        if crowd.root.is_gone:
            self._crowds.remove(crowd.root.part, {crowd.root})
        return dropped

    def may_reunite(self, now: Instant, step: int) -> bool:
        """Whether it is time to compare what equal subscriptions that are apart hold."""
        return bool(self._crowds.due(now, step))

    def reunite(self, now: Instant, step: int, moved: int) -> list[Node]:
        """Makes one of crowds that hold the same; returns the nodes that went. So many that wait
        were moved to look at them.
        """
        dropped: list[Node] = []
        for pattern in self._crowds.due(now, step):
            merged: set[Node] = set()
            for first, *others in self._crowds.equals(pattern, now, step, moved):
                for other in others:
                    dropped += self._merge(other, first)
                    merged.add(other.root)
            self._crowds.remove(pattern, merged)
        return dropped

    def nodes_of(self, key: str) -> Sequence[Node]:
        """The nodes of a subscription, from the inside out; none where there is no such."""
        crowd = self.subscriptions.get(key)
        return () if crowd is None else crowd.nodes

    def users_of(self, nodes: Iterable[Node]) -> dict[str, Node]:
        """The subscriptions that use some of the nodes, each with the first that it uses."""
        users: dict[str, Node] = {}
        for key in self.subscriptions:
            own = self.nodes_of(key)
            used = (node for node in nodes if any(each.uses(node) for each in own))
            if (first := next(used, None)) is not None:
                users[key] = first
        return users

    def atom_node(self, atom: Atom) -> AtomNode | None:
        """The node of an atom, if it has one. Found by the very object where it is one of ours: an
        atom's value takes long to hash, and events are many.
        """
        node = self._atoms.get(id(atom))
        if node is not None and node.part is atom:
            return node
        known = self.nodes.get((_SHARED, atom, 0))
        return known if isinstance(known, AtomNode) else None

    def atom_nodes(self, atoms: Iterable[Atom]) -> list[AtomNode]:
        """The nodes of those atoms that have one. Objects that are there have ids of their own, so
        that an id which is known is that of the very atom.
        """
        given = tuple(atoms)
        known = list(map(self._atoms.get, map(id, given)))
        found = known if all(known) else map(self.atom_node, given)
        return [node for node in found if node is not None]

    def new_name(self, part: Part, newcomer: Newcomer) -> Name:
        """A name for a node of its own; numbers tell generations apart."""
        owner = newcomer.owner_of(part)
        known = self._generations.get((owner, part), {})
        return (owner, part, next(number for number in count() if number not in known))

    def _name(self, part: Part, inner: list[Node], newcomer: Newcomer) -> Name:
        """The name of a node that holds nothing and has the same inside, if there is one."""
        owner = newcomer.owner_of(part)
        generations = self._generations.get((owner, part), {})
        for generation in count():
            known = generations.get(generation)
            if known is None or (known.is_empty and all(map(is_, known.inner, inner))):
                return (owner, part, generation)
        raise AssertionError("unreachable")

    def _node(self, part: Part, newcomer: Newcomer, choose: Choice) -> Node:
        """The node of a part: one that is there already, or a new one on top of the nodes inside
        it.
        """
        known = newcomer.nodes.get(part)
        if known is not None:
            return known
        inner = [self._node(each, newcomer, choose) for each in parts_of(part)]
        name = choose(part, inner, newcomer)
        node = self.nodes.get(name)
        if node is None:
            self.nodes[name] = node = node_of(part, inner, newcomer.scopes)
            self._names[node] = name
            self._generations.setdefault(name[:2], {})[name[2]] = node
            self._enter(node)
            newcomer.made.append(node)
        newcomer.nodes[part] = node
        return node

    def _enter(self, node: Node) -> None:
        node.number = next(self._node_numbers)
        node.enter()
        if isinstance(node, AtomNode):
            self._atoms[id(node.part)] = node

    def _join(self, key: str, crowd: Crowd) -> None:
        if not crowd.root.keys:
            _have_pay(crowd)
        crowd.root.keys.append(key)
        self.subscriptions[key] = crowd
        for node in crowd.nodes:
            self._users[node] = self._users.get(node, 0) + 1

    def _merge(self, crowd: Crowd, into: Crowd) -> list[Node]:
        """The subscriptions of a crowd join another, whose nodes hold the same; returns the nodes
        that went.
        """
        dropped: list[Node] = []
        for key in crowd.root.keys:
            self._join(key, into)
            dropped += self._release(crowd)
        _excuse(crowd)
        self._drop(dropped)
        return dropped

    def _release(self, crowd: Crowd) -> list[Node]:
        """One subscription less uses the nodes of a crowd; returns those that nobody uses."""
        unused: list[Node] = []
        for node in crowd.nodes:
            self._users[node] -= 1
            if not self._users[node]:
                del self._users[node]
                self._forget(node)
                unused.append(node)
        return unused

    def _forget(self, node: Node) -> None:
        """What a node was called may be another's name."""
        name = self._names.pop(node)
        del self.nodes[name]
        generations = self._generations[name[:2]]
        del generations[name[2]]
        if not generations:
            del self._generations[name[:2]]

    def _drop(self, nodes: list[Node]) -> None:
        """Nodes that nobody uses leave the graph, all at once: none need be told of another."""
        for node in nodes:
            node.is_gone = True
            self._atoms.pop(id(node.part), None)
        for node in nodes:
            node.leave()


def _have_pay(crowd: Crowd) -> None:
    """What is done at the nodes of a crowd is paid by its whole pattern from now on."""
    for node in crowd.nodes:
        node.payers = (*(each for each in node.payers if each.keys), crowd.root)


def _excuse(crowd: Crowd) -> None:
    """Nobody is left in the crowd who would pay."""
    for node in crowd.nodes:
        node.payers = tuple(each for each in node.payers if each is not crowd.root)


def scopes_at_work(pattern: Part) -> Scopes:
    """The scopes of a pattern, in which nothing is used up yet."""
    lifetimes = [bound.lifetime or 0 for bound in bounds_of(pattern)]
    return Scopes(scopes_of(pattern), sum(lifetimes))
