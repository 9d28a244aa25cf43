"""The shared operator graph as a tenant sees it: operators, sharing, partial matches, rates.

It has the operators of its subscriptions, the partial matches in each, and the occurrences received
by each. The runner inspects its operators between two steps, at most every FRESH seconds, and gives
up after PATIENCE seconds. Atomic subscriptions have no operator with state; each is shown at its
condition.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tocsin.catalog import Subscription
from tocsin.catalog.tenants import Owned
from tocsin.engine.detection.inspection import OperatorView
from tocsin.errors import Problem, StateProblem
from tocsin.explain.why import conditions_of, kind_of
from tocsin.plan.explain.operators import roles
from tocsin.plan.explain.phrases import title
from tocsin.plan.nodes.atoms import Atom
from tocsin.plan.nodes.composites import Part
from tocsin.service.runner import Runner
from tocsin.service.runner.inspection import Look
from tocsin.service.subscriptions.subscriptions import SubscriptionService

PATIENCE = 10.0
"""Seconds that an inspection may take."""


def take_look(runner: Runner, look: Look) -> Any:
    """Return the result of an inspection. Raises `NotHere` if the state is in another process,
    `Busy` after PATIENCE seconds.
    """
    done = runner.inspect(look)
    try:
        return done.result(PATIENCE)
    except TimeoutError:
        done.cancel()
        raise StateProblem(
            f"the engine did not come to it within {PATIENCE:g} s",
            code="Busy",
            hint="try again in a while; /readyz tells how it is",
        ) from None


FRESH = 2.0
"""Seconds for which an inspection is reused."""

MAX_NODES = 3_000
"""Operators returned, at most."""

MAX_TENANTS = 1_000


@dataclass(slots=True)
class _OperatorEntry:
    """An operator for the JSON; `keys` are names of the catalog."""

    part: Part
    inputs: list[str]
    keys: list[str]
    waiting: int = 0
    served: int = 0

    def as_json(self, id: str) -> dict[str, Any]:
        """Return the JSON object with the tenant's names of subscriptions."""
        return {
            "id": id,
            "kind": kind_of(self.part),
            "label": title(self.part),
            "conditions": conditions_of(self.part),
            "roles": roles(self.part),
            "inputs": self.inputs,
            "subscriptions": sorted(Owned.of_key(each).name for each in self.keys),
            "waiting": self.waiting,
            "served": self.served,
        }


@dataclass(slots=True)
class _CachedViews:
    at: float
    views: list[OperatorView] = field(default_factory=list)


class NetworkViews:
    """The last inspection of the operator graph for each tenant."""

    def __init__(self, runner: Runner, entries: SubscriptionService) -> None:
        self._runner, self._entries = runner, entries
        self._lock = threading.Lock()
        self._kept: dict[str, _CachedViews] = {}

    def of(self, tenant: str) -> list[OperatorView]:
        """Return the operators of a tenant's subscriptions; raise `NotHere` if they are in another
        process.
        """
        known = self._kept.get(tenant)
        if known is not None and time.monotonic() - known.at < FRESH:
            return known.views
        with self._entries.mirror.lock:
            self._entries.mirror.refresh()
            keys = [each.id for each in self._entries.mirror.subscriptions_of(tenant)]
        views: list[OperatorView] = take_look(self._runner, lambda hub: hub.view(keys))
        with self._lock:
            if len(self._kept) >= MAX_TENANTS:
                self._kept.clear()
            self._kept[tenant] = _CachedViews(time.monotonic(), views)
        return views

    def waiting_by_subscription(self, tenant: str) -> dict[str, int]:
        """Return the partial matches of each subscription; shared ones count for each. Empty if the
        state is in another process or busy.
        """
        try:
            views = self.of(tenant)
        except Problem:
            return {}
        counts: dict[str, int] = {}
        for view in views:
            for key in view.keys if view.waiting else ():
                own = Owned.of_key(key).name
                counts[own] = counts.get(own, 0) + view.waiting
        return counts

    def plan(self, tenant: str, match_counts: Mapping[str, int]) -> dict[str, Any]:
        """Return all operators; `match_counts` has the matches of each atomic subscription."""
        nodes: dict[str, _OperatorEntry] = {}
        atoms: dict[Atom, str] = {}
        for view in self.of(tenant):
            name = _name(view.number)
            inputs = [_name(each) for each in view.inputs]
            nodes[name] = _OperatorEntry(
                view.part, inputs, list(view.keys), view.waiting, view.received_count
            )
            if isinstance(view.part, Atom):
                atoms[view.part] = name
        with self._entries.mirror.lock:
            self._entries.mirror.refresh()
            known = self._entries.mirror.subscriptions_of(tenant)
        seen = {key for node in nodes.values() for key in node.keys}
        alone = [each for each in known if each.id not in seen]
        left_out = self._add_atomic(alone, nodes, atoms, match_counts)
        told = list(nodes.items())[:MAX_NODES]
        return {
            "nodes": [node.as_json(name) for name, node in told],
            "left_out": left_out + len(nodes) - len(told),
        }

    def _add_atomic(
        self,
        subscriptions: Iterable[Subscription],
        nodes: dict[str, _OperatorEntry],
        atoms: dict[Atom, str],
        match_counts: Mapping[str, int],
    ) -> int:
        """Add an entry for each condition that atomic subscriptions consist of; return how many are
        left out.
        """
        left_out = 0
        for each in subscriptions:
            if len(nodes) >= MAX_NODES:
                left_out += 1
                continue
            try:
                atom = self._entries.compile(each).pattern
            except Problem:
                continue
            if not isinstance(atom, Atom):
                continue
            name = atoms.setdefault(atom, f"a{len(atoms) + 1}")
            node = nodes.setdefault(name, _OperatorEntry(atom, [], []))
            node.keys.append(each.id)
            node.served = max(node.served, match_counts.get(Owned.of_key(each.id).name, 0))
        return left_out


def _name(number: int) -> str:
    return f"n{number}"
