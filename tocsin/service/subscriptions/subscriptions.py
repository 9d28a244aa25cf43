"""Subscriptions of tenants: put, get, pause, remove. A refused request changes nothing.

The catalog is in memory, updated by its changes: to list, to count, and to compile new
subscriptions without reading all of it.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from tocsin.catalog import (
    Catalog,
    Definition,
    ReadPosition,
    Subscription,
    Surroundings,
    compile_subscription,
    compile_with_sources,
    problems_of,
    read_subscription,
    refuse_past_windows,
    warnings_of,
    with_plan,
)
from tocsin.catalog.tenants import Owned
from tocsin.errors import LimitProblem, MeaningProblem, Problem, StateProblem
from tocsin.plan.nodes.composites import Plan
from tocsin.plan.nodes.sources import NO_SOURCES, Sources
from tocsin.service.settings.settings import ServiceLimits
from tocsin.service.storage.subscription_status import StatusStore, StoredFailure
from tocsin.values.time import Instant


class CatalogCache:
    """The content of the catalog at `version`. To read several things of one version, take `lock`
    and call `refresh` first.

    `own` are definitions that the catalog does not have, such as ontologies of the settings.

    Nothing is compiled under `lock`: `environment`, which may take long after definitions have
    changed, has a lock of its own and must be read without `lock`.
    """

    def __init__(self, catalog: Catalog, own: Iterable[Definition] = ()) -> None:
        self._catalog = catalog
        self._own = {each.name: each for each in own}
        self.lock = threading.RLock()
        self._compiling = threading.Lock()
        self.version = 0
        self.subscriptions: dict[str, Subscription] = {}
        self.paused: dict[str, Subscription] = {}
        self._counts: Counter[str] = Counter()
        self.definitions: Mapping[str, Definition] = {}
        self._environment: tuple[Mapping[str, Definition], Surroundings] | None = None

    @property
    def environment(self) -> Surroundings:
        """Environment that subscriptions are compiled with; made again after definitions have
        changed.
        """
        with self._compiling:
            definitions, known = self.definitions, self._environment
            if known is not None and known[0] is definitions:
                return known[1]
            made = self.make_environment(definitions.values())
            self._environment = (definitions, made)
            return made

    def refresh(self) -> None:
        """Apply the changes of the catalog since `version`."""
        with self.lock:
            version = self._catalog.version()
            if version == self.version:
                return
            changes = self._catalog.changes(self.version, version)
            definitions = self._catalog.definitions(version) if changes.redefined else None
            for gone in (*changes.removed, *changes.unpaused):
                self._drop(gone)
            for each in changes.added:
                self._hold(each)
            for each in changes.paused:
                self._hold(each, paused=True)
            if definitions is not None:
                self.definitions = {each.name: each for each in definitions}
            self.version = version

    def note(
        self,
        version: int,
        added: Subscription | None = None,
        removed: str | None = None,
        *,
        paused: bool = False,
    ) -> None:
        """Apply a change that this process has made, without reading it.

        Ignored if it is not the next version: another change came between, and the next `refresh`
        reads both. Never raises, since the change is already committed.
        """
        with self.lock:
            if version != self.version + 1:
                return
            if removed is not None:
                self._drop(removed)
            if added is not None:
                self._hold(added, paused=paused)
            self.version = version

    def redefine(
        self, version: int, definitions: Mapping[str, Definition], environment: Surroundings | None
    ) -> None:
        """Apply a change of definitions that this process has made, with their compiled environment
        if there is one. Ignored if it is not the next version.
        """
        with self.lock:
            if version != self.version + 1:
                return
            if environment is not None:
                self._environment = (definitions, environment)
            self.definitions = definitions
            self.version = version

    def _hold(self, subscription: Subscription, *, paused: bool = False) -> None:
        self._drop(subscription.id, replaced=not paused and subscription.id in self.subscriptions)
        self._counts[Owned.of_key(subscription.id).tenant] += 1
        (self.paused if paused else self.subscriptions)[subscription.id] = subscription

    def _drop(self, id: str, *, replaced: bool = False) -> None:
        """Forget a subscription, served or paused; one that is replaced keeps its place."""
        if id in self.subscriptions or id in self.paused:
            self._counts[Owned.of_key(id).tenant] -= 1
        self.paused.pop(id, None)
        if not replaced:
            self.subscriptions.pop(id, None)

    def make_environment(self, definitions: Iterable[Definition]) -> Surroundings:
        """Return the environment that these definitions would give."""
        return Surroundings.of((self._own | {each.name: each for each in definitions}).values())

    def subscriptions_of(self, tenant: str) -> list[Subscription]:
        """Return the active subscriptions of a tenant, in the order of adding."""
        return [
            each for id, each in self.subscriptions.items() if Owned.of_key(id).tenant == tenant
        ]

    def paused_of(self, tenant: str) -> list[Subscription]:
        """Return the paused subscriptions of a tenant."""
        return [each for id, each in self.paused.items() if Owned.of_key(id).tenant == tenant]

    def count(self, tenant: str) -> int:
        """Return the number of subscriptions of a tenant, paused ones included."""
        return self._counts[tenant]

    def definitions_of(self, tenant: str) -> list[Definition]:
        """Return the definitions of a tenant, in the order of adding."""
        return [
            each for name, each in self.definitions.items() if Owned.of_key(name).tenant == tenant
        ]


LONGEST_NAME = 200
_UNREAD = "NotReadYet"
"""Code of catalog warnings that do not apply here: a service reads the fields they are about."""


class SubscriptionHook(Protocol):
    """A component that follows the subscriptions of the catalog."""

    def check(self, deliver: Mapping[str, Any] | None) -> None:
        """Raise Problem if matches cannot be delivered to this target; None is no target."""

    def catalog_changed(self) -> None:
        """Follow a committed change. Never raises: work that fails now is done later."""


@dataclass(frozen=True, slots=True)
class SubscriptionStatus:
    """A subscription with its state: live, paused, or suspended with the problem."""

    subscription: Subscription
    is_paused: bool = False
    trouble: StoredFailure | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the object of the subscription file, with the tenant's id, and its state."""
        body = self.subscription.as_json() | {"id": Owned.of_key(self.subscription.id).name}
        if self.is_paused:
            return body | {"paused": True, "state": "paused"}
        if self.trouble is not None:
            problem = {"code": self.trouble.code, "reason": self.trouble.reason}
            return body | {"paused": False, "state": "suspended", "problem": problem}
        return body | {"paused": False, "state": "live"}


@dataclass(frozen=True, slots=True)
class PutResult:
    """The result of a put: True if new, the catalog version, warnings, and the subscription's
    state.
    """

    is_new: bool
    version: int
    warnings: tuple[Problem, ...] = ()
    listed: SubscriptionStatus | None = None


class SubscriptionService:
    """The subscriptions of all tenants. `changed` is called with each new version before the hooks;
    `position` returns the head of the log, which is stored with each version.

    The catalog is the only place where a change is made: its followers act afterwards, and catch up
    if that fails. Changes take `lock` one after the other; readers do not wait for it.
    """

    def __init__(
        self,
        catalog: Catalog,
        standing: StatusStore,
        limits: ServiceLimits,
        changed: Callable[[int], None],
        position: ReadPosition,
        own: Iterable[Definition] = (),
        clock: Callable[[], Instant | None] = lambda: None,
    ) -> None:
        self._catalog, self._standing, self._limits = catalog, standing, limits
        self._changed, self._position, self._clock = changed, position, clock
        self.lock = threading.RLock()
        self.mirror = CatalogCache(catalog, own)
        self.hooks: list[SubscriptionHook] = []
        self._take_over_paused()

    def _take_over_paused(self) -> None:
        """Move paused subscriptions that an earlier release kept in the state store into the
        catalog. One that is in both is left from a process that died between the two.
        """
        while True:
            self.mirror.refresh()
            found = self._standing.paused()  # read after the version: other gateways move them too
            if not found:
                return
            name, subscription = found.popitem()
            try:
                self._catalog.put(
                    subscription,
                    paused=True,
                    expected=self.mirror.version,
                    position=self._position,
                )
            except StateProblem as problem:
                if problem.code != "CatalogChanged":
                    raise
            else:
                self._standing.forget(name)

    def put(self, tenant: str, id: str, body: Mapping[str, Any]) -> PutResult:
        """Add or replace a subscription. Raises Problem if it does not compile, cannot be
        delivered, or exceeds the limit of the tenant.
        """
        paused, subscription = _read(tenant, id, body)
        for hook in self.hooks:
            hook.check(subscription.deliver)
        with self.lock:
            self.mirror.refresh()
            light = self.mirror.environment
            compiled = read_subscription(subscription, light)
            plan = compiled.require_plan()
            refuse_past_windows(subscription, plan, self._clock())
            subscription = with_plan(subscription, light, plan)
            is_new = not (
                subscription.id in self.mirror.paused
                or subscription.id in self.mirror.subscriptions
            )
            if is_new:
                self._require_room(tenant)
            version = self._catalog.put(subscription, paused=paused, position=self._position)
            self.mirror.note(version, added=subscription, paused=paused)
            self.notify(version)
            listed = SubscriptionStatus(subscription, is_paused=paused)
            return PutResult(is_new, version, _select_service_warnings(compiled.warnings), listed)

    def pause(self, tenant: str, id: str, paused: bool) -> SubscriptionStatus:
        """Pause or resume a subscription; return its state. Raises StateProblem if unknown."""
        with self.lock:
            found = self.get(tenant, id)
            if found.is_paused == paused:
                return found
            body = found.subscription.as_json() | {"paused": paused}
            put = self.put(tenant, id, {name: body[name] for name in body if name != "id"})
            return put.listed or found

    def remove(self, tenant: str, id: str) -> int:
        """Remove a subscription; return the new version. Raises StateProblem if it is unknown."""
        name = Owned(tenant, id).key
        with self.lock:
            self.mirror.refresh()
            if name not in self.mirror.paused and name not in self.mirror.subscriptions:
                raise _unknown(id)
            version = self._catalog.remove(name, position=self._position)
            self.mirror.note(version, removed=name)
            return self.notify(version)

    def get(self, tenant: str, id: str) -> SubscriptionStatus:
        """Return a subscription and its state; raise StateProblem if it is unknown."""
        name = Owned(tenant, id).key
        with self.mirror.lock:
            self.mirror.refresh()
            paused = self.mirror.paused.get(name)
            served = self.mirror.subscriptions.get(name)
        if paused is not None:
            return SubscriptionStatus(paused, is_paused=True)
        if served is None:
            raise _unknown(id)
        return SubscriptionStatus(served, trouble=self._standing.troubles().get(name))

    def list_all(self, tenant: str) -> list[SubscriptionStatus]:
        """Return all subscriptions of a tenant, ordered by id."""
        with self.mirror.lock:
            self.mirror.refresh()
            served = self.mirror.subscriptions_of(tenant)
            silent = self.mirror.paused_of(tenant)
        troubles = self._standing.troubles()
        live = [SubscriptionStatus(each, trouble=troubles.get(each.id)) for each in served]
        paused = [SubscriptionStatus(each, is_paused=True) for each in silent]
        return sorted([*live, *paused], key=lambda each: each.subscription.id)

    def renew(self, owned: Owned) -> None:
        """Resume a suspended subscription; raise StateProblem if it is unknown or paused."""
        name = owned.key
        with self.lock:
            self.mirror.refresh()
            if name not in self.mirror.subscriptions:
                raise _unknown(owned.name)
            known = self.mirror.subscriptions[name]
            self.notify(self._catalog.put(known, position=self._position))

    def compile(self, subscription: Subscription) -> Plan:
        """Return the plan of a subscription with current definitions; raise its first problem."""
        return compile_subscription(subscription, self.mirror.environment)

    def compile_with_sources(self, subscription: Subscription) -> tuple[Plan, Sources]:
        """Return the plan of a subscription with current definitions, and the text of each part;
        raise its first problem.
        """
        return compile_with_sources(subscription, self.mirror.environment)

    def sources_of(self, subscription: Subscription) -> Sources:
        """Return the text of each part of a subscription; empty if its text does not compile."""
        try:
            return self.compile_with_sources(subscription)[1]
        except Problem:
            return NO_SOURCES

    def problems(self, subscription: Subscription) -> list[Problem]:
        """Return every problem of a subscription."""
        self.mirror.refresh()
        found = problems_of(subscription, self.mirror.environment)
        for hook in self.hooks:
            try:
                hook.check(subscription.deliver)
            except Problem as problem:
                found.append(problem)
        return found

    def warnings(self, subscription: Subscription) -> tuple[Problem, ...]:
        """Return the warnings about a subscription that compiles."""
        return _select_service_warnings(warnings_of(subscription, self.mirror.environment))

    def notify(self, version: int) -> int:
        """Notify the service and its hooks of a committed version; return it."""
        self._changed(version)
        for hook in self.hooks:
            hook.catalog_changed()
        return version

    def _require_room(self, tenant: str) -> None:
        most = self._limits.subscriptions
        if self.mirror.count(tenant) >= most:
            raise LimitProblem(
                f"there are {most:,} subscriptions already, which is the limit",
                code="SubscriptionLimit",
                hint="remove some, or raise limits.subscriptions in the settings",
            )


def subscription_of(tenant: str, id: str, body: Mapping[str, Any]) -> Subscription:
    """Return the subscription of a request; its id is taken from the address."""
    require_name(id)
    return Subscription.from_json({**body, "id": Owned(tenant, id).key})


def require_name(name: str) -> None:
    """Raise MeaningProblem if a name is not valid, LimitProblem if it is too long."""
    if not name or name != name.strip() or not name.isprintable() or _has_separator(name):
        raise MeaningProblem(
            f"{name!r} is not a name: it is printable, without / and :: and blanks at its ends",
            code="NameError",
            token=name,
            hint="use letters, digits, - and _",
        )
    if len(name) > LONGEST_NAME:
        raise LimitProblem(f"a name has {LONGEST_NAME} characters at most", code="NameError")


def _has_separator(name: str) -> bool:
    """True if a name contains a separator of names, or U+FFFD, which replaces bytes that are not
    text.
    """
    return any(each in name for each in ("::", "/", "\ufffd"))


def _read(tenant: str, id: str, body: Mapping[str, Any]) -> tuple[bool, Subscription]:
    rest = dict(body)
    paused = rest.pop("paused", False)
    if not isinstance(paused, bool):
        raise MeaningProblem("paused is true or false", code="SubscriptionFormatError")
    if rest.pop("id", id) != id:
        raise MeaningProblem(
            "the id in the body is another than in the address",
            code="SubscriptionFormatError",
            token="id",
            hint="leave it out of the body",
        )
    return paused, subscription_of(tenant, id, rest)


def _select_service_warnings(warnings: Iterable[Problem]) -> tuple[Problem, ...]:
    """Return the warnings that apply to a service, which reads fields that the catalog alone does
    not.
    """
    return tuple(each for each in warnings if each.code != _UNREAD)


def _unknown(id: str) -> StateProblem:
    return StateProblem(
        f"there is no subscription {id!r}",
        code="UnknownSubscriptionError",
        token=id,
        hint="see what there is: GET /v1/subscriptions",
    )
