"""Subscriptions and definitions of tenants: put, got, paused, removed. What is refused changes
nothing.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from tocsin.catalog import (
    Catalog,
    Definition,
    ReadPosition,
    Subscription,
    compile_subscription,
    problems_of,
    read_subscription,
    refuse_past_windows,
    warnings_of,
    with_plan,
)
from tocsin.catalog.tenants import Owned
from tocsin.errors import LimitProblem, MeaningProblem, Problem, StateProblem
from tocsin.plan.nodes.composites import Plan
from tocsin.service.settings.settings import Limits
from tocsin.service.storage.subscription_status import KeptTrouble, Standing
from tocsin.service.subscriptions.catalog_cache import Mirror
from tocsin.values.time import Instant

LONGEST_NAME = 200
_UNREAD = "NotReadYet"
"""What the catalog warns of because only a service reads it."""


class Hook(Protocol):
    """A part of the service that follows the subscriptions of the catalog."""

    def check(self, deliver: Mapping[str, Any] | None) -> None:
        """Raises where matches cannot be delivered so."""

    def catalog_changed(self) -> None:
        """Follow a change that is made. Never raises: what cannot be done now is done later."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A subscription and how it stands."""

    subscription: Subscription
    is_paused: bool = False
    trouble: KeptTrouble | None = None

    def as_json(self) -> dict[str, Any]:
        """The object of the subscription file, in the words of its tenant, and its state."""
        body = self.subscription.as_json() | {"id": Owned.of_key(self.subscription.id).name}
        if self.is_paused:
            return body | {"paused": True, "state": "paused"}
        if self.trouble is not None:
            problem = {"code": self.trouble.code, "reason": self.trouble.reason}
            return body | {"paused": False, "state": "suspended", "problem": problem}
        return body | {"paused": False, "state": "live"}


@dataclass(frozen=True, slots=True)
class Put:
    """What came of putting something: whether it is new, the version that has it, what is odd, and
    how a subscription stands now.
    """

    is_new: bool
    version: int
    warnings: tuple[Problem, ...] = ()
    listed: Listed | None = None


class Entries:
    """The subscriptions of all tenants. `changed` is told each new version before anybody
    else; `position` returns the head of the log, which is kept with each version.

    The catalog is the one place where a change is made: whoever follows it does so afterwards, and
    catches up where that fails. Changes take `lock` one after the other; readers do not wait for
    it.
    """

    def __init__(
        self,
        catalog: Catalog,
        standing: Standing,
        limits: Limits,
        changed: Callable[[int], None],
        position: ReadPosition,
        own: Iterable[Definition] = (),
        clock: Callable[[], Instant | None] = lambda: None,
    ) -> None:
        self._catalog, self._standing, self._limits = catalog, standing, limits
        self._changed, self._position, self._clock = changed, position, clock
        self.lock = threading.RLock()
        self.mirror = Mirror(catalog, own)
        self.hooks: list[Hook] = []
        self._take_over_paused()

    def _take_over_paused(self) -> None:
        """Move subscriptions into the catalog that an earlier release kept elsewhere while they
        were paused. One that is in both is what a process left that died between the two.
        """
        while True:
            self.mirror.refresh()
            found = self._standing.paused()  # read after the version: another gateway may do it too
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

    def put(self, tenant: str, id: str, body: Mapping[str, Any]) -> Put:
        """Adds or replaces a subscription; raises where it does not compile."""
        paused, subscription = _read(tenant, id, body)
        for hook in self.hooks:
            hook.check(subscription.deliver)
        with self.lock:
            self.mirror.refresh()
            light = self.mirror.light
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
            self.tell(version)
            listed = Listed(subscription, is_paused=paused)
            return Put(is_new, version, _odd(compiled.warnings), listed)

    def pause(self, tenant: str, id: str, paused: bool) -> Listed:
        """Pauses a subscription, or has it served again."""
        with self.lock:
            found = self.get(tenant, id)
            if found.is_paused == paused:
                return found
            body = found.subscription.as_json() | {"paused": paused}
            put = self.put(tenant, id, {name: body[name] for name in body if name != "id"})
            return put.listed or found

    def remove(self, tenant: str, id: str) -> int:
        """Removes a subscription; raises where there is none."""
        name = Owned(tenant, id).key
        with self.lock:
            self.mirror.refresh()
            if name not in self.mirror.paused and name not in self.mirror.subscriptions:
                raise _unknown(id)
            version = self._catalog.remove(name, position=self._position)
            self.mirror.note(version, removed=name)
            return self.tell(version)

    def get(self, tenant: str, id: str) -> Listed:
        """A subscription and how it stands; raises where there is none."""
        name = Owned(tenant, id).key
        with self.mirror.lock:
            self.mirror.refresh()
            paused = self.mirror.paused.get(name)
            served = self.mirror.subscriptions.get(name)
        if paused is not None:
            return Listed(paused, is_paused=True)
        if served is None:
            raise _unknown(id)
        return Listed(served, trouble=self._standing.troubles().get(name))

    def list_all(self, tenant: str) -> list[Listed]:
        """All subscriptions of a tenant, in the order of their ids."""
        with self.mirror.lock:
            self.mirror.refresh()
            served = self.mirror.subscriptions_of(tenant)
            silent = self.mirror.paused_of(tenant)
        troubles = self._standing.troubles()
        live = [Listed(each, trouble=troubles.get(each.id)) for each in served]
        paused = [Listed(each, is_paused=True) for each in silent]
        return sorted([*live, *paused], key=lambda each: each.subscription.id)

    def renew(self, whose: Owned) -> None:
        """Has a subscription served again that was suspended."""
        name = whose.key
        with self.lock:
            self.mirror.refresh()
            if name not in self.mirror.subscriptions:
                raise _unknown(whose.name)
            known = self.mirror.subscriptions[name]
            self.tell(self._catalog.put(known, position=self._position))

    def compile(self, subscription: Subscription) -> Plan:
        """The plan of a subscription in the light of what is defined; raises its first problem."""
        return compile_subscription(subscription, self.mirror.light)

    def problems(self, subscription: Subscription) -> list[Problem]:
        """Every problem of a subscription."""
        self.mirror.refresh()
        found = problems_of(subscription, self.mirror.light)
        for hook in self.hooks:
            try:
                hook.check(subscription.deliver)
            except Problem as problem:
                found.append(problem)
        return found

    def warnings(self, subscription: Subscription) -> tuple[Problem, ...]:
        """What is odd about a subscription that compiles."""
        return _odd(warnings_of(subscription, self.mirror.light))

    def tell(self, version: int) -> int:
        """Tell those who follow the catalog of a version that is made; return it."""
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
    """The subscription of a request; its id is that of the address."""
    require_name(id)
    return Subscription.from_json({**body, "id": Owned(tenant, id).key})


def require_name(name: str) -> None:
    """Raises where something cannot be called so."""
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
    """Whether a name has something in it that parts names elsewhere, or stands for bytes that no
    text has.
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


def _odd(warnings: Iterable[Problem]) -> tuple[Problem, ...]:
    """The warnings that are true of a service, which reads what others leave unread."""
    return tuple(each for each in warnings if each.code != _UNREAD)


def _unknown(id: str) -> StateProblem:
    return StateProblem(
        f"there is no subscription {id!r}",
        code="UnknownSubscriptionError",
        token=id,
        hint="see what there is: GET /v1/subscriptions",
    )
