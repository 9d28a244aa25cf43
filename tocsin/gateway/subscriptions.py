"""Subscriptions and definitions of tenants in the catalog: put, got, paused, removed. What is
refused changes nothing.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tocsin.catalog import (
    Catalog,
    Definition,
    Subscription,
    compile_subscription,
)
from tocsin.catalog.tenants import MARK, name_of
from tocsin.errors import LimitProblem, MeaningProblem, StateProblem


@dataclass(frozen=True, slots=True)
class Put:
    """What came of putting something: whether it is new, and the version that has it."""

    is_new: bool
    version: int


class Entries:
    """The subscriptions and definitions of all tenants."""

    def __init__(self, catalog: Catalog, own: Iterable[Definition] = ()) -> None:
        self._catalog = catalog
        self._own = tuple(own)
        self._lock = threading.Lock()

    def put_subscription(self, tenant: str, id: str, body: Mapping[str, Any]) -> Put:
        """Adds or replaces a subscription; raises where it does not compile."""
        subscription = subscription_of(tenant, id, body)
        with self._lock:
            definitions = self._catalog.snapshot().definitions
            compile_subscription(subscription, (*self._own, *definitions))
            return self._put(subscription)

    def put_definition(self, tenant: str, name: str, body: Mapping[str, Any]) -> Put:
        """Adds or replaces a definition."""
        if "define" in body:
            raise MeaningProblem("the name of a definition is in the address", code="RequestError")
        definition = Definition.from_json({**body, "define": name_of(tenant, name)})
        with self._lock:
            return self._put(definition)

    def remove_subscription(self, tenant: str, id: str) -> int:
        """Removes a subscription; raises where there is none."""
        return self._catalog.remove(name_of(tenant, id))

    def remove_definition(self, tenant: str, name: str) -> int:
        """Removes a definition; raises where there is none."""
        return self._catalog.remove(definitions=[name_of(tenant, name)])

    def _put(self, entry: Subscription | Definition) -> Put:
        try:
            return Put(False, self._catalog.replace(entry))
        except StateProblem as problem:
            if problem.code != "UnknownSubscriptionError":
                raise
        return Put(True, self._catalog.add(entry))


def subscription_of(tenant: str, id: str, body: Mapping[str, Any]) -> Subscription:
    """The subscription of a request; its id is that of the address."""
    if "id" in body:
        raise MeaningProblem("the id of a subscription is in the address", code="RequestError")
    require_name(id)
    return Subscription.from_json({**body, "id": name_of(tenant, id)})


def require_name(name: str) -> None:
    """Raises where something cannot be called so."""
    if MARK in name:
        raise MeaningProblem(
            f"a name may not contain {MARK}", code="RequestError", token=name, hint="use - instead"
        )
    if len(name) > 200:
        raise LimitProblem("a name has 200 characters at most", code="RequestError", token="id")
