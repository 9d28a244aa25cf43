"""From text to a checked plan. A subscription that does not compile raises, and changes nothing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tocsin.catalog.entries import Definition, Subscription
from tocsin.catalog.knowledge import knowledge_in
from tocsin.errors import MeaningProblem, Problem
from tocsin.languages import parse_subscription, problems_in_subscription, warnings_in_subscription
from tocsin.languages.context import Context, DocumentDefinition, PartDefinition, RegionDefinition
from tocsin.languages.context import Definition as LanguageDefinition
from tocsin.plan.composites import Plan, Policy
from tocsin.plan.passes import prepared
from tocsin.plan.settings import DEFAULT_HORIZON, with_settings
from tocsin.values.time import Duration, parse_duration


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What subscriptions are read in the light of, made ready once for many of them."""

    context: Context

    @staticmethod
    def of(definitions: Iterable[Definition]) -> Surroundings:
        """The surroundings that definitions make; what is wrong with an ontology is told to those who need one."""
        given = tuple(definitions)
        named = {each.name: _known_to_languages(each) for each in given if not each.ontology}
        return Surroundings(Context(definitions=named, ontology=_knowledge(given)))


Light = Surroundings | Iterable[Definition]


def compile_subscription(subscription: Subscription, definitions: Light = ()) -> Plan:
    """The prepared plan of a subscription; raises its first problem."""
    for problem in _setting_problems(subscription):
        raise problem
    context = _context(definitions)
    plan = parse_subscription(subscription.language, subscription.expression, subscription.options, context)
    policy = None if subscription.policy is None else Policy(subscription.policy)
    return with_settings(prepared(plan), policy, _horizon(subscription))


def problems_of(subscription: Subscription, definitions: Light = ()) -> list[Problem]:
    """Every problem of a subscription; empty iff it compiles."""
    found = _setting_problems(subscription)
    context = _context(definitions)
    found += problems_in_subscription(subscription.language, subscription.expression, subscription.options, context)
    if not found:
        try:
            compile_subscription(subscription, Surroundings(context))
        except Problem as problem:  # what only the whole plan shows, such as state without a bound
            found.append(problem)
    return found


def warnings_of(subscription: Subscription, definitions: Light = ()) -> list[Problem]:
    """What a subscription that compiles says that is probably not meant."""
    return warnings_in_subscription(
        subscription.language, subscription.expression, subscription.options, _context(definitions)
    )


def _context(light: Light) -> Context:
    return (light if isinstance(light, Surroundings) else Surroundings.of(light)).context


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
    return PartDefinition(definition.name, definition.language, definition.expression)


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
        found.append(_bad_setting("policy", subscription.policy, f"one of {', '.join(policies)}"))
    if subscription.horizon not in (None, "off"):
        try:
            parse_duration(str(subscription.horizon))
        except MeaningProblem as problem:
            found.append(_bad_setting("horizon", subscription.horizon, problem.hint))
    return found


def _bad_setting(name: str, value: object, hint: str) -> MeaningProblem:
    return MeaningProblem(f"{name} {value!r} is not known", code="SubscriptionFormatError", token=name, hint=hint)
