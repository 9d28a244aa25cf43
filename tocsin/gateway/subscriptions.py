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
from tocsin.gateway.mirror import Mirror
from tocsin.gateway.settings import Limits
from tocsin.gateway.storage.paused import KeptTrouble, Standing
from tocsin.plan.composites import Plan
from tocsin.values.time import Instant

LONGEST_NAME = 200
_UNREAD = "NotReadYet"
"""What the catalog warns of because only a service reads it."""

Key = tuple[str, str]
"""A tenant, and what it calls a subscription."""


class Hook(Protocol):
    """Who has a say when subscriptions come and go."""

    def check(self, deliver: Mapping[str, Any] | None) -> None:
        """Raises where matches cannot be delivered so."""

    def put(self, key: Key, deliver: Mapping[str, Any] | None, *, paused: bool) -> None:
        """A subscription is about to be there."""

    def remove(self, key: Key) -> None:
        """A subscription is there no more."""


@dataclass(frozen=True, slots=True)
class Put:
    """What came of putting something: whether it is new, the version that has it, and what is
    odd.
    """

    is_new: bool
    version: int
    warnings: tuple[Problem, ...] = ()


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


class Entries:
    """The subscriptions of all tenants. `changed` is told each new version before anybody
    else.
    """

    def __init__(
        self,
        catalog: Catalog,
        standing: Standing,
        limits: Limits,
        changed: Callable[[int], None],
        own: Iterable[Definition] = (),
        clock: Callable[[], Instant | None] = lambda: None,
    ) -> None:
        self._catalog, self._standing, self._limits = catalog, standing, limits
        self._changed, self._clock = changed, clock
        self.lock = threading.RLock()
        self.mirror = Mirror(catalog, own)
        self.hooks: list[Hook] = []
        self._paused = standing.paused()
        self._settle()

    def _settle(self) -> None:
        """One that is paused and in the catalog as well is what a process left that died between
        the two.
        """
        self.mirror.refresh()
        for name in self._paused.keys() & self.mirror.subscriptions.keys():
            self._tell(self._catalog.remove(name))

    def put(self, tenant: str, id: str, body: Mapping[str, Any]) -> Put:
        """Adds or replaces a subscription; raises where it does not compile."""
        paused, subscription = _read(tenant, id, body)
        for hook in self.hooks:
            hook.check(subscription.deliver)
        with self.lock:
            self.mirror.refresh()
            compiled = read_subscription(subscription, self.mirror.light)
            plan = compiled.require_plan()
            refuse_past_windows(subscription, plan, self._clock())
            subscription = with_plan(subscription, self.mirror.light, plan)
            is_new = not (
                subscription.id in self._paused or subscription.id in self.mirror.subscriptions
            )
            if is_new:
                self._require_room(tenant)
            for hook in self.hooks:
                hook.put((tenant, id), subscription.deliver, paused=paused)
            version = self._pause(subscription) if paused else self._serve(subscription)
            return Put(is_new, version, _odd(compiled.warnings))

    def pause(self, tenant: str, id: str, paused: bool) -> Listed:
        """Pauses a subscription, or has it served again."""
        with self.lock:
            found = self.get(tenant, id)
            if found.is_paused != paused:
                body = found.subscription.as_json() | {"paused": paused}
                self.put(tenant, id, {name: body[name] for name in body if name != "id"})
            return self.get(tenant, id)

    def remove(self, tenant: str, id: str) -> int:
        """Removes a subscription; raises where there is none."""
        name = Owned(tenant, id).key
        with self.lock:
            self.mirror.refresh()
            was_paused = self._paused.pop(name, None) is not None
            if was_paused:
                self._standing.forget(name)
            if name in self.mirror.subscriptions:
                self._tell(self._catalog.remove(name))
            elif not was_paused:
                raise _unknown(id)
            for hook in self.hooks:
                hook.remove((tenant, id))
            return self.mirror.version

    def get(self, tenant: str, id: str) -> Listed:
        """A subscription and how it stands; raises where there is none."""
        name = Owned(tenant, id).key
        with self.lock:
            self.mirror.refresh()
            if name in self._paused:
                return Listed(self._paused[name], is_paused=True)
            if name not in self.mirror.subscriptions:
                raise _unknown(id)
            return Listed(
                self.mirror.subscriptions[name], trouble=self._standing.troubles().get(name)
            )

    def list_all(self, tenant: str) -> list[Listed]:
        """All subscriptions of a tenant, in the order of their ids."""
        with self.lock:
            self.mirror.refresh()
            troubles = self._standing.troubles()
            live = [
                Listed(each, trouble=troubles.get(each.id))
                for each in self.mirror.subscriptions_of(tenant)
            ]
            paused = [
                Listed(each, is_paused=True)
                for name, each in self._paused.items()
                if Owned.of_key(name).tenant == tenant
            ]
        return sorted([*live, *paused], key=lambda each: each.subscription.id)

    def renew(self, whose: Owned) -> None:
        """Has a subscription served again that was suspended."""
        name = whose.key
        with self.lock:
            self.mirror.refresh()
            if name not in self.mirror.subscriptions:
                raise _unknown(whose.name)
            self._tell(self._catalog.replace(self.mirror.subscriptions[name]))

    def compile(self, subscription: Subscription) -> Plan:
        """The plan of a subscription in the light of what is defined; raises its first problem."""
        return compile_subscription(subscription, self.mirror.light)

    def problems(self, subscription: Subscription) -> list[Problem]:
        """Every problem of a subscription."""
        with self.lock:
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

    def _serve(self, subscription: Subscription) -> int:
        if subscription.id in self.mirror.subscriptions:
            version = self._catalog.replace(subscription)
        else:
            version = self._catalog.add(subscription)
        if self._paused.pop(subscription.id, None) is not None:
            self._standing.forget(subscription.id)
        self.mirror.note(version, added=subscription)
        return self._tell(version)

    def _pause(self, subscription: Subscription) -> int:
        self._standing.pause(subscription)
        self._paused[subscription.id] = subscription
        if subscription.id not in self.mirror.subscriptions:
            return self.mirror.version
        return self._tell(self._catalog.remove(subscription.id))

    def _tell(self, version: int) -> int:
        self._changed(version)
        return version

    def _require_room(self, tenant: str) -> None:
        most = self._limits.subscriptions
        paused = sum(Owned.of_key(name).tenant == tenant for name in self._paused)
        if self.mirror.count(tenant) + paused >= most:
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
