"""The interests of a server at its upstreams: the atoms of all its subscriptions, and the interests
of other servers that have subscribed here, each with the path that it has taken.

An interest is never sent back to a server it has passed: its path names them all, so that an
interest without a subscriber disappears from a cycle of servers too. Interests are read again when
the catalog has changed; unchanged subscriptions are not compiled again.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tocsin.catalog import Subscription, Surroundings, compile_subscription
from tocsin.errors import Problem
from tocsin.languages import parse_subscription
from tocsin.languages.plan import PATHS
from tocsin.plan.nodes.atoms import AnyOf, Atom, Condition
from tocsin.plan.nodes.composites import Plan, atoms_of
from tocsin.plan.passes import prepared_expression
from tocsin.plan.passes.contradictions import never_holds
from tocsin.service.subscriptions.subscriptions import SubscriptionService

Path = tuple[str, ...]
"""Names of the servers that an interest has passed, its origin first."""


@dataclass(frozen=True, slots=True)
class Interest:
    """Interest in events that meet the atom, of servers along the path."""

    atom: Atom
    path: Path

    def is_as_free_as(self, other: Interest) -> bool:
        """True if it may be sent wherever the other one may be sent."""
        return set(self.path) <= set(other.path)


def find_atoms(plan: Plan) -> Iterator[Atom]:
    """Yield the atoms of a plan, each alternative separately; unsatisfiable ones are left out."""
    for atom in atoms_of(plan.pattern):
        yield from alternatives(atom)


def alternatives(atom: Atom) -> Iterator[Atom]:
    """Yield atoms whose disjunction is the atom."""
    if not isinstance(atom, Condition):
        yield atom
        return
    expression = prepared_expression(atom.expression)
    operands = expression.operands if isinstance(expression, AnyOf) else (expression,)
    for operand in operands:
        if not never_holds(operand):
            yield Condition(operand)


def interests_for_upstream(
    own: Iterable[Atom], remote: Iterable[Interest], server: str, upstream: str, hops: int
) -> list[Interest]:
    """Return the interests of a server at one upstream: of its own subscriptions, and of servers
    subscribed here, with this server added to the path.
    """
    found = [Interest(atom, (server,)) for atom in own]
    for want in remote:
        is_round = server in want.path or upstream in want.path
        if not is_round and len(want.path) < hops:
            found.append(Interest(want.atom, (*want.path, server)))
    return list(dict.fromkeys(found))


# The current interests of this server.

LANGUAGE = "plan"


@dataclass(frozen=True, slots=True)
class InterestSnapshot:
    """All interests of a server at a catalog version; `remote` are those of other servers."""

    version: int
    own: tuple[Atom, ...]
    remote: tuple[Interest, ...]


@dataclass(frozen=True, slots=True)
class _SubscriptionInterests:
    subscription: Subscription
    own: tuple[Atom, ...] = ()
    remote: tuple[Interest, ...] = ()


class InterestSource:
    """The interests of the subscriptions in a catalog; may be used from several threads."""

    def __init__(self, entries: SubscriptionService) -> None:
        self._entries = entries
        self._lock = threading.Lock()
        self._read: dict[str, _SubscriptionInterests] = {}
        self._environment: Surroundings | None = None
        self._last: InterestSnapshot | None = None

    def now(self) -> InterestSnapshot:
        """Return the current interests."""
        mirror = self._entries.mirror
        with mirror.lock:
            mirror.refresh()
            version, given = mirror.version, dict(mirror.subscriptions)
        light = mirror.environment
        with self._lock:
            if (
                self._last is None
                or self._last.version != version
                or light is not self._environment
            ):
                self._last = self._gathered(version, given, light)
            return self._last

    def _gathered(
        self, version: int, given: Mapping[str, Subscription], environment: Surroundings
    ) -> InterestSnapshot:
        known = self._read if environment is self._environment else {}
        self._environment = environment
        self._read = {
            id: known[id]
            if id in known and known[id].subscription == subscription
            else _read(subscription, environment)
            for id, subscription in given.items()
        }
        own = dict.fromkeys(atom for each in self._read.values() for atom in each.own)
        heard = dict.fromkeys(want for each in self._read.values() for want in each.remote)
        return InterestSnapshot(version, tuple(own), tuple(heard))


def _read(subscription: Subscription, environment: Surroundings) -> _SubscriptionInterests:
    """Return the interests of one subscription; empty if it does not compile."""
    paths = _paths(subscription)
    try:
        if paths is None:
            own = find_atoms(compile_subscription(subscription, environment))
            return _SubscriptionInterests(subscription, own=tuple(own))
        given = subscription
        plan = parse_subscription(
            given.language, given.expression, given.options, environment.context
        )
    except Problem:
        return _SubscriptionInterests(subscription)
    assert isinstance(plan.pattern, Atom)
    return _SubscriptionInterests(subscription, remote=tuple(_wants(plan.pattern, paths)))


def _wants(atom: Atom, paths: list[Path]) -> list[Interest]:
    """Return the interests of another server in the order of its text, each with its own path."""
    if len(paths) == 1 or not _has_alternatives(atom, len(paths)):
        return [Interest(each, paths[0]) for each in alternatives(atom)]
    assert isinstance(atom, Condition)
    assert isinstance(atom.expression, AnyOf)
    pairs = zip(atom.expression.operands, paths, strict=True)
    return [Interest(each, path) for node, path in pairs for each in alternatives(Condition(node))]


def _has_alternatives(atom: Atom, count: int) -> bool:
    return (
        isinstance(atom, Condition)
        and isinstance(atom.expression, AnyOf)
        and len(atom.expression.operands) == count
    )


def _paths(subscription: Subscription) -> list[Path] | None:
    """Return the paths of the interests in a subscription; None if it is a client's."""
    given: Any = subscription.options.get(PATHS) if subscription.language == LANGUAGE else None
    if not isinstance(given, list) or not given:
        return None
    is_right = all(
        isinstance(path, list) and path and all(isinstance(name, str) for name in path)
        for path in given
    )
    return [tuple(path) for path in given] if is_right else None
