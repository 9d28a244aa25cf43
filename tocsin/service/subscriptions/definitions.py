"""Definitions of tenants: regions, named parts, documents, master data and ontologies, each with
all its versions. A change that would break subscriptions is refused unless it is forced.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tocsin.catalog import Catalog, Definition, ReadPosition, Surroundings, effects_between
from tocsin.catalog.tenants import Owned
from tocsin.errors import LimitProblem, MeaningProblem, StateProblem
from tocsin.languages.definitions import judge_definition
from tocsin.service.settings.settings import ServiceLimits
from tocsin.service.subscriptions.subscriptions import PutResult, SubscriptionService, require_name


@dataclass(frozen=True, slots=True)
class Version:
    """A definition as of a version of the catalog; None if that version removed it."""

    version: int
    definition: Definition | None


class DefinitionService:
    """The definitions of all tenants; those of the tenant "" are shared with all others."""

    def __init__(
        self,
        catalog: Catalog,
        entries: SubscriptionService,
        limits: ServiceLimits,
        position: ReadPosition,
    ) -> None:
        self._catalog, self._entries, self._limits = catalog, entries, limits
        self._position = position

    def put(
        self, tenant: str, name: str, body: Mapping[str, Any], *, force: bool = False
    ) -> PutResult:
        """Add or replace a definition. Raises Problem if it is wrong or, without `force`, would
        break subscriptions.

        It is compiled separately; readers see the present ones until the catalog has the new one.
        """
        definition = _read(tenant, name, body)
        with self._entries.lock:
            mirror = self._entries.mirror
            mirror.refresh()
            is_new = definition.name not in mirror.definitions
            if is_new:
                self._require_room(tenant)
            after = {**mirror.definitions, definition.name: definition}
            light = mirror.make_environment(after.values())
            _require_sound(definition, light)
            self._require_harmless(tenant, light, force)
            change = self._catalog.add if is_new else self._catalog.replace
            version = change(definition, position=self._position)
            mirror.redefine(version, after, light)
            self._entries.notify(version)
        return PutResult(is_new, version)

    def remove(self, tenant: str, name: str, *, force: bool = False) -> None:
        """Remove a definition. Raises StateProblem if it is unknown or, without `force`, if
        subscriptions need it.
        """
        full = Owned(tenant, name).key
        with self._entries.lock:
            mirror = self._entries.mirror
            mirror.refresh()
            if full not in mirror.definitions:
                raise _unknown(name)
            after = {each: mirror.definitions[each] for each in mirror.definitions if each != full}
            light = mirror.make_environment(after.values())
            self._require_harmless(tenant, light, force)
            version = self._catalog.remove(definitions=[full], position=self._position)
            mirror.redefine(version, after, light)
            self._entries.notify(version)

    def get(self, tenant: str, name: str) -> Version:
        """Return a definition of a tenant, else the shared one; raise StateProblem if there is
        neither.
        """
        for whose in dict.fromkeys((tenant, "")):
            found = self._catalog.get(Owned(whose, name).key, definition=True)
            if found is not None and isinstance(found[0], Definition):
                return Version(found[1], found[0])
        raise _unknown(name)

    def versions(self, tenant: str, name: str) -> list[Version]:
        """Return every version of a definition, oldest first; raise StateProblem if unknown."""
        history = self._catalog.history(Owned(tenant, name).key)
        if not history:
            raise _unknown(name)
        return [Version(version, definition) for version, definition in history]

    def list_all(self, tenant: str) -> list[Definition]:
        """Return the definitions visible to a tenant, by name; its own hide shared ones."""
        mirror = self._entries.mirror
        with mirror.lock:
            mirror.refresh()
            shared = {each.name: each for each in mirror.definitions_of("")}
            own = {Owned.of_key(each.name).name: each for each in mirror.definitions_of(tenant)}
        return [each for _, each in sorted((shared | own).items())]

    def _require_harmless(self, tenant: str, after: Surroundings, force: bool) -> None:
        """Raise StateProblem if subscriptions would no longer compile."""
        if force:
            return
        mirror = self._entries.mirror
        concerned = (
            mirror.subscriptions_of(tenant) if tenant else list(mirror.subscriptions.values())
        )
        effects = effects_between(concerned, mirror.environment, after)
        if effects.broken:
            names = [Owned.of_key(each.id).name for each, _ in effects.broken[:5]]
            first = effects.broken[0][1]
            raise StateProblem(
                f"{len(effects.broken)} subscriptions would ring no more: {', '.join(names)}",
                code="BreaksSubscriptions",
                token=names[0],
                hint=f"{first.message}; say force=true to do it all the same",
            )

    def _require_room(self, tenant: str) -> None:
        most = self._limits.definitions
        if len(self._entries.mirror.definitions_of(tenant)) >= most:
            raise LimitProblem(
                f"there are {most:,} definitions already, which is the limit",
                code="DefinitionLimit",
                hint="remove some, or raise limits.definitions in the settings",
            )


def _require_sound(definition: Definition, environment: Surroundings) -> None:
    whose = Owned.of_key(definition.name)
    context = environment.context_for(Owned(whose.tenant, "it").key)
    known = context.definitions.get(whose.name)
    for problem in judge_definition(known, context).problems if known is not None else ():
        raise problem


def body_of(definition: Definition) -> dict[str, Any]:
    """Return the JSON object of a definition, with the tenant's name for it."""
    whose = Owned.of_key(definition.name)
    body = {name: value for name, value in definition.as_json().items() if name != "define"}
    return {"name": whose.name, "shared": not whose.tenant, **body}


def _read(tenant: str, name: str, body: Mapping[str, Any]) -> Definition:
    require_name(name)
    if body.get("define", name) != name:
        raise MeaningProblem(
            "the name in the body is another than in the address",
            code="SubscriptionFormatError",
            token="define",
            hint="leave it out of the body",
        )
    return Definition.from_json({**body, "define": Owned(tenant, name).key})


def _unknown(name: str) -> StateProblem:
    return StateProblem(
        f"there is no definition {name!r}",
        code="UnknownDefinitionError",
        token=name,
        hint="see what there is: GET /v1/definitions",
    )
