"""Compilation from text to a checked plan, and the effects of changed definitions on plans.

A subscription that does not compile raises, and changes nothing. Through other definitions some
subscriptions break, some change their meaning, some compile again. Meaning is compared by plans,
and a plan contains its ontology: a subscription with an ontology that has changed counts as
changed. `selector` uses no definitions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cached_property
from typing import TYPE_CHECKING

from tocsin.catalog.entries import Definition, Subscription
from tocsin.catalog.knowledge import knowledge_in
from tocsin.catalog.stored_plans import definitions_digest, has_plan, load_plan, store_plan
from tocsin.catalog.tenants import Owned
from tocsin.errors import MeaningProblem, Place, Problem
from tocsin.events.matches.match import HOP_LIMIT
from tocsin.knowledge.ontology import Ontology
from tocsin.languages import read_text, window_in_subscription
from tocsin.languages.base.reading import (
    Context,
    DocumentDefinition,
    MasterDataDefinition,
    PartDefinition,
    Reading,
    RegionDefinition,
    SubscriptionSettings,
)
from tocsin.languages.base.reading import Definition as LanguageDefinition
from tocsin.lazy_import import LazyModule
from tocsin.plan.nodes.composites import Plan, Policy
from tocsin.plan.nodes.sources import NO_SOURCES, Sources, move_sources
from tocsin.plan.passes import prepared
from tocsin.plan.passes.settings import under_policy, with_settings
from tocsin.plan.semantics.bounds import (
    AbsoluteWindow,
    find_expired_window,
    past_window_problem,
)
from tocsin.plan.semantics.extent import DEFAULT_HORIZON
from tocsin.values.time import Duration, Instant, format_instant, parse_duration

if TYPE_CHECKING:
    from tocsin.plan.explain import plan as unwritten_horizon
    from tocsin.plan.semantics import construction_loops
else:
    construction_loops = LazyModule("tocsin.plan.semantics.construction_loops")
    unwritten_horizon = LazyModule("tocsin.plan.explain.plan")
from tocsin.catalog.stored_plans import may_depend


@dataclass(frozen=True)
class TenantScope:
    """The definitions that the subscriptions of one tenant can use."""

    context: Context
    definitions: tuple[Definition, ...]

    @cached_property
    def digest(self) -> str:
        """A hash of the definitions."""
        return definitions_digest(self.definitions)


@dataclass(frozen=True)
class Surroundings:
    """Definitions and ontology that subscriptions are compiled with, prepared once per tenant.

    A tenant's own definitions are visible to its own subscriptions only, and take precedence over
    shared ones.
    """

    context: Context
    shared: tuple[Definition, ...] = ()
    own: Mapping[str, tuple[Definition, ...]] = field(default_factory=dict)
    _made: dict[str, TenantScope] = field(default_factory=dict, compare=False, repr=False)

    @staticmethod
    def of(definitions: Iterable[Definition]) -> Surroundings:
        """Return the environment of definitions; an invalid ontology is reported only to
        subscriptions that need one.
        """
        by_tenant: dict[str, list[Definition]] = {}
        for each in definitions:
            by_tenant.setdefault(Owned.of_key(each.name).tenant, []).append(each)
        shared = tuple(by_tenant.pop("", ()))
        own = {tenant: tuple(named) for tenant, named in by_tenant.items()}
        return Surroundings(_context_of(shared), shared, own)

    def context_for(self, subscription: str) -> Context:
        """Return the context that a subscription is compiled with, by its id."""
        return self.seen(subscription).context

    def digest_for(self, subscription: str) -> str:
        """Return a hash of the definitions visible to a subscription, by its id."""
        return self.seen(subscription).digest

    def seen(self, subscription: str) -> TenantScope:
        """Return all that is visible to a subscription, by its id."""
        tenant = Owned.of_key(subscription).tenant
        tenant = tenant if tenant in self.own else ""
        if tenant not in self._made:
            self._made[tenant] = self._look(tenant)
        return self._made[tenant]

    def _look(self, tenant: str) -> TenantScope:
        if not tenant:
            return TenantScope(self.context, self.shared)
        own = [replace(each, name=Owned.of_key(each.name).name) for each in self.own[tenant]]
        names = {each.name for each in own}
        both = (*(each for each in self.shared if each.name not in names), *own)
        return TenantScope(_context_of(both), both)

    @property
    def ontology(self) -> Ontology | None:
        """The shared ontology, for data as RDF; None without one, or if it is invalid."""
        return self.context.ontology if isinstance(self.context.ontology, Ontology) else None

    def words_of(self, subscription: str) -> Ontology | None:
        """Return the ontology for one subscription, by its id; None without one, or if it is
        invalid.
        """
        ontology = self.context_for(subscription).ontology
        return ontology if isinstance(ontology, Ontology) else None


EnvironmentLike = Surroundings | Iterable[Definition]


@dataclass(frozen=True)
class Compiled:
    """A subscription compiled once: its plan, None if it has problems, and every problem.

    `reading` is the parse result of its language, so that the text need not be parsed again.
    """

    subscription: Subscription
    reading: Reading
    plan: Plan | None
    problems: tuple[Problem, ...] = ()

    @cached_property
    def sources(self) -> Sources:
        """The source texts of the parts of the plan; empty without one."""
        if self.plan is None or self.reading.plan is None:
            return NO_SOURCES
        return move_sources(self.reading.sources, self.reading.plan.pattern, self.plan.pattern)

    @cached_property
    def warnings(self) -> tuple[Problem, ...]:
        """The warnings about a subscription that compiles: likely mistakes, missing settings,
        unused settings.
        """
        if self.plan is None:
            return ()
        return (
            *self.reading.warnings,
            *_unsaid(self.subscription, self.reading),
            *_unread(self.subscription),
        )

    def require_plan(self) -> Plan:
        """Return the plan; raises the first problem if there is no plan."""
        if self.plan is None:
            raise self.problems[0]
        return self.plan


def read_subscription(subscription: Subscription, definitions: EnvironmentLike = ()) -> Compiled:
    """Compile a subscription; its problems are part of the result."""
    settings = _setting_problems(subscription)
    seen = _to_environment(definitions).context_for(subscription.id)
    context = seen if settings else _with_settings(subscription, seen)
    reading = read_text(
        subscription.language, subscription.expression, subscription.options, context
    )
    problems = (*settings, *reading.problems)
    if problems or reading.plan is None:
        return Compiled(subscription, reading, None, problems)
    try:
        plan = with_settings(prepared(reading.plan), _policy(subscription), _horizon(subscription))
    except Problem as problem:  # only the whole plan shows it, such as state without a bound
        return Compiled(subscription, reading, None, (problem,))
    return Compiled(subscription, reading, plan)


def compile_subscription(subscription: Subscription, definitions: EnvironmentLike = ()) -> Plan:
    """Return the plan of a subscription: the stored one if it is valid, else compiled from its
    text.

    Raises its first problem.
    """
    if subscription.stored is not None:
        light = _to_environment(definitions)
        seen = light.seen(subscription.id)
        plan = load_plan(subscription, seen.digest, seen.context.ontology)
        if plan is not None:
            return plan
        definitions = light
    return read_subscription(subscription, definitions).require_plan()


def compile_with_sources(
    subscription: Subscription, definitions: EnvironmentLike = ()
) -> tuple[Plan, Sources]:
    """Return the plan of a subscription, compiled from its text, and the text of each part.

    Parts are those of the plan, after all passes. A stored plan has no source texts, so the text is
    compiled again. Raises its first problem.
    """
    compiled = read_subscription(subscription, definitions)
    return compiled.require_plan(), compiled.sources


def with_plan(
    subscription: Subscription, definitions: EnvironmentLike = (), plan: Plan | None = None
) -> Subscription:
    """Return the subscription with its plan, compiled unless given or stored.

    Without a plan if it does not compile.
    """
    light = _to_environment(definitions)
    digest = light.digest_for(subscription.id)
    if plan is None and has_plan(subscription, digest):
        return subscription
    try:
        found = plan or read_subscription(subscription, light).require_plan()
        return store_plan(subscription, found, digest)
    except Exception:  # the hosts that serve it report it
        return replace(subscription, stored=None)


def refuse_past_windows(subscription: Subscription, plan: Plan, now: Instant | None) -> None:
    """Raise if a window of absolute time is over by the clock of a host; `now` is None without a
    clock.
    """
    window = None if now is None else find_expired_window(plan.pattern, now)
    if window is not None and now is not None:
        problem = past_window_problem(window, now)
        place, token = _written(subscription, window)
        raise MeaningProblem(
            problem.message, code=problem.code, place=place, token=token, hint=problem.hint
        )


def _written(subscription: Subscription, window: AbsoluteWindow) -> tuple[Place | None, str]:
    found = window_in_subscription(
        subscription.language, subscription.expression, window.start, window.length
    )
    return found or (None, format_instant(window.start))


def problems_of(subscription: Subscription, definitions: EnvironmentLike = ()) -> list[Problem]:
    """Return every problem of a subscription; empty iff it compiles."""
    return list(read_subscription(subscription, definitions).problems)


def warnings_of(subscription: Subscription, definitions: EnvironmentLike = ()) -> list[Problem]:
    """Return the warnings of a subscription that compiles; [] for any other."""
    return list(read_subscription(subscription, definitions).warnings)


def _unsaid(subscription: Subscription, reading: Reading) -> list[Problem]:
    if subscription.horizon is not None:
        return []
    pattern = under_policy(prepared(reading.require_plan()).pattern, _policy(subscription))
    return list(unwritten_horizon.horizon_warnings(pattern, DEFAULT_HORIZON))


def _unread(subscription: Subscription) -> Iterator[Problem]:
    """Yield warnings about settings of a subscription that have no effect yet."""
    hint = "leave it out, or give the Hub a receiver: subscribe(..., to=...)"
    if subscription.subscriber:
        yield MeaningProblem(
            "subscriber is read by nothing yet", code="NotReadYet", token="subscriber", hint=hint
        )
    if unread := sorted(set(subscription.deliver or ()) - {"content"}):
        names = ", ".join(unread)
        yield MeaningProblem(
            f"of deliver only content is read; nothing reads {names} yet",
            code="NotReadYet",
            token=unread[0],
            hint=hint,
        )


def loop_warnings(plans: Mapping[str, Plan]) -> list[Problem]:
    """Return warnings about outputs that may match their own subscriptions, also in a cycle."""
    return [_loop_warning(ids) for ids in construction_loops.loops_in(plans)]


def _loop_warning(ids: tuple[str, ...]) -> Problem:
    who = " and ".join(map(repr, ids))
    what = (
        "what {} constructs meets its own WHERE"
        if len(ids) == 1
        else "{} construct what the next of them waits for"
    )
    return MeaningProblem(
        f"{what.format(who)}: it is built again and again, up to {HOP_LIMIT} times",
        code="CONSTRUCT_LOOP",
        token=ids[0],
        hint=(
            "give what is built another outermost element, or ask for something that it does not"
            " have"
        ),
    )


def _to_environment(given: EnvironmentLike) -> Surroundings:
    return given if isinstance(given, Surroundings) else Surroundings.of(given)


def _context_of(given: tuple[Definition, ...]) -> Context:
    named = {each.name: _known_to_languages(each) for each in given if not each.ontology}
    return Context(definitions=named, ontology=_knowledge(given))


def _with_settings(subscription: Subscription, context: Context) -> Context:
    """Return the context of a text with the settings of its subscription."""
    settings = SubscriptionSettings(
        subscription.policy, _horizon(subscription), subscription.horizon is not None
    )
    return replace(context, settings=settings)


def _knowledge(definitions: tuple[Definition, ...]) -> object:
    try:
        return knowledge_in(definitions)
    except Problem as problem:
        return problem


def _known_to_languages(definition: Definition) -> LanguageDefinition:
    if definition.region is not None:
        return RegionDefinition(definition.name, definition.region)
    if definition.document:
        return DocumentDefinition(definition.name, definition.document)
    if definition.master_data is not None:
        return MasterDataDefinition(definition.name, definition.master_data)
    return PartDefinition(definition.name, definition.language, definition.expression)


def _policy(subscription: Subscription) -> Policy | None:
    return None if subscription.policy is None else Policy(subscription.policy)


def _horizon(subscription: Subscription) -> Duration | None:
    match subscription.horizon:
        case None:
            return DEFAULT_HORIZON
        case "off":
            return None
        case text:
            return parse_duration(text)


def _setting_problems(subscription: Subscription) -> list[Problem]:
    found: list[Problem] = []
    policies = [policy.value for policy in Policy]
    if subscription.policy is not None and subscription.policy not in policies:
        near = get_close_matches(subscription.policy.lower(), policies, n=1)
        meant = f"did you mean {near[0]}? " if near else ""
        found.append(
            _bad_setting("policy", subscription.policy, f"{meant}one of {', '.join(policies)}")
        )
    if subscription.horizon not in (None, "off"):
        try:
            parse_duration(str(subscription.horizon))
        except MeaningProblem as problem:
            found.append(_bad_setting("horizon", subscription.horizon, problem.hint))
    return found


def _bad_setting(name: str, value: object, hint: str) -> MeaningProblem:
    return MeaningProblem(
        f"{name} {value!r} is not known", code="SubscriptionFormatError", token=name, hint=hint
    )


@dataclass(frozen=True, slots=True)
class Effects:
    """Subscriptions that do not compile after a change, with problems; with another meaning; that
    compile again.
    """

    broken: tuple[tuple[Subscription, Problem], ...] = ()
    changed: tuple[Subscription, ...] = ()
    healed: tuple[Subscription, ...] = ()


def try_compile(subscription: Subscription, environment: Surroundings) -> Plan | Problem:
    """Return the plan of a subscription in an environment, or its problem."""
    try:
        return compile_subscription(subscription, environment)
    except Problem as problem:
        return problem


def effects_of(
    subscriptions: Iterable[Subscription], before: Iterable[Definition], after: Iterable[Definition]
) -> Effects:
    """Return the effects on subscriptions of replacing the definitions."""
    return effects_between(subscriptions, Surroundings.of(before), Surroundings.of(after))


def effects_between(
    subscriptions: Iterable[Subscription], old: Surroundings, new: Surroundings
) -> Effects:
    """Return the effects for definitions that are prepared already."""
    broken: list[tuple[Subscription, Problem]] = []
    changed: list[Subscription] = []
    healed: list[Subscription] = []
    for each in filter(may_depend, subscriptions):
        was, will = try_compile(each, old), try_compile(each, new)
        if isinstance(will, Problem):
            if not isinstance(was, Problem):
                broken.append((each, will))
        elif isinstance(was, Problem):
            healed.append(each)
        elif was != will:
            changed.append(each)
    return Effects(tuple(broken), tuple(changed), tuple(healed))
