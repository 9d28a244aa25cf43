"""Lowering of a whole rule: its plan, its problems and its warnings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches

from tocsin.errors import Problem
from tocsin.languages.base.context import Context
from tocsin.languages.base.keys import keyed_whole
from tocsin.languages.base.texts import ProblemCollector
from tocsin.languages.rule.all_within import with_max_duration
from tocsin.languages.rule.keys import keys_of, refuse_impossible_keys
from tocsin.languages.rule.limits import RuleLimits
from tocsin.languages.rule.lower import RuleLowering
from tocsin.languages.rule.lower_aggregates import RuleSettings
from tocsin.languages.rule.names import NOTHING, RuleNameResolver
from tocsin.languages.rule.options import metric_of
from tocsin.languages.rule.push_down_where import push_down_conditions
from tocsin.languages.rule.read import read
from tocsin.languages.rule.static_checks import PartNames, check, item_name
from tocsin.languages.rule.syntax import Over, RuleSyntax, values_in
from tocsin.languages.rule.values import NUMERIC, condition_of, expression_of
from tocsin.languages.rule.where import WhereCondition, attach
from tocsin.plan.nodes.atoms import Atom
from tocsin.plan.nodes.composites import Named, Part, Plan, Policy
from tocsin.plan.nodes.expression import Attribute, Call
from tocsin.plan.nodes.measures import Ring, Selected
from tocsin.plan.nodes.sources import SourceRecorder
from tocsin.plan.passes.set_policy import with_settings
from tocsin.values.time import format_duration

_EMIT_MODES = {"ON CHANGE": Ring.ON_CHANGE, "EVERY TIME": Ring.EVERY_TIME, "ONCE": Ring.ONCE}


@dataclass(frozen=True, slots=True)
class LoweredRule:
    """Plan of a rule, its problems and its warnings; with problems the plan is meaningless."""

    plan: Plan
    problems: list[Problem]
    warnings: list[Problem]
    rule: RuleSyntax
    sources: SourceRecorder = field(default_factory=SourceRecorder)


def meaning_of(
    text: str, options: Mapping[str, object], context: Context, limits: RuleLimits
) -> LoweredRule:
    """Return the meaning of a text; raise if it cannot be read."""
    metric = metric_of(options)
    rule = read(text, limits)
    problems, warnings = ProblemCollector(text), ProblemCollector(text)
    labels = check(rule, problems, limits)
    by, each = keys_of(rule.keys, problems)
    policy = _policy(rule, context, problems)
    horizon = rule.horizon.microseconds if rule.horizon else context.settings.horizon
    _refuse_other_horizon(rule, context, problems)
    manner = RuleSettings(
        by,
        each,
        policy,
        _EMIT_MODES.get(rule.ring),
        horizon,
        context.settings.says_horizon or rule.horizon is not None,
        metric,
    )
    if problems:
        return LoweredRule(Plan(NOTHING), problems.in_reading_order(), [], rule)
    sources = SourceRecorder()
    names = RuleNameResolver(problems, context, metric, sources, rule.depth)
    lowering = RuleLowering(problems, warnings, names, manner, sources)
    rest, part = push_down_conditions(rule, lowering)
    part = sources.replace(part, attach(part, _wanted(rule, rest, manner, problems), problems))
    _refuse_needless_mode(rule, lowering, problems)
    if not problems:
        refuse_impossible_keys(part, rule.keys, problems)
    if problems:
        return LoweredRule(Plan(NOTHING), problems.in_reading_order(), [], rule)
    plan = Plan(_whole(part, rule, manner), select=_selected(rule, labels, lowering))
    if rule.horizon is not None:
        plan = with_settings(plan, None, rule.horizon.microseconds)
    sources.replace(part, plan.pattern)
    return LoweredRule(plan, [], warnings.in_reading_order(), rule, sources)


def _whole(part: Part, rule: RuleSyntax, manner: RuleSettings) -> Part:
    if isinstance(part, Named) and isinstance(part.part, Atom) and part.elements is None:
        # A match of one event needs no name; an unnamed atom rings even if its time is unknown.
        part = part if rule.select else part.part
    if rule.all_within is not None:
        part = with_max_duration(part, rule.all_within.microseconds)
    return keyed_whole(part, manner.by)


def _wanted(
    rule: RuleSyntax, rest: set[int], manner: RuleSettings, problems: ProblemCollector
) -> list[WhereCondition]:
    """Return the conditions of WHERE that are not about one event alone."""
    found = []
    for number, comparison in enumerate(rule.where):
        if number in rest:
            try:
                found.append(WhereCondition(condition_of(comparison, manner.metric), comparison))
            except Problem as problem:
                problems.at(comparison.spot, problem)
    return found


def _selected(rule: RuleSyntax, labels: PartNames, lowering: RuleLowering) -> tuple[Selected, ...]:
    """Return the values of a match.

    Selected values, since when a state holds, and how many values were not numbers.
    """
    told = [Selected(item_name(each), expression_of(each.value)) for each in rule.select]
    taken = {each.name for each in told} | set(labels.nodes)
    for number, name in enumerate(lowering.holding, 1):
        since = "since" if number == 1 else f"since{number}"
        if since not in taken:
            told.append(Selected(since, Call("END", (Attribute((name,)),))))
    measured = map(lowering.without_alias, (*lowering.measured, *_measured(rule)))
    numbers = tuple(dict.fromkeys(measured))
    if numbers and "skipped" not in taken:
        told.append(Selected("skipped", Call("SKIPPED", numbers)))
    return tuple(told)


def _measured(rule: RuleSyntax) -> list[Attribute]:
    """Return the attributes that WHERE and SELECT aggregate as numbers."""
    sides = [side for each in rule.where for side in (each.left, each.right)]
    values = [
        value
        for side in (*sides, *(item.value for item in rule.select))
        for value in values_in(side)
    ]
    found = []
    for value in values:
        if isinstance(value, Over) and value.function in NUMERIC:
            call = expression_of(value)
            assert isinstance(call, Call)
            found += [each for each in call.arguments if isinstance(each, Attribute)]
    return found


def _policy(rule: RuleSyntax, context: Context, problems: ProblemCollector) -> Policy:
    known = [policy.value for policy in Policy]
    said, beside = rule.policy.lower(), context.settings.policy
    if said and said not in known:
        near = get_close_matches(said, known, n=1)
        meant = f"did you mean {near[0]}? " if near else ""
        message = f"the policy {rule.policy} is not known"
        spot = rule.spot_of("policy")
        problems.add("PolicyError", spot, message, f"{meant}one of {', '.join(known)}")
        return Policy.DEFERRED
    if said and beside is not None and beside != said:
        _refuse_twice("policy", said, beside, rule, problems)
    return Policy(said or beside or "deferred")


def _refuse_other_horizon(rule: RuleSyntax, context: Context, problems: ProblemCollector) -> None:
    beside = context.settings
    if rule.horizon is None or not beside.says_horizon:
        return
    if beside.horizon != rule.horizon.microseconds:
        said = format_duration(rule.horizon.microseconds)
        other = "off" if beside.horizon is None else format_duration(beside.horizon)
        _refuse_twice("horizon", said, other, rule, problems)


def _refuse_twice(
    what: str, said: str, other: str, rule: RuleSyntax, problems: ProblemCollector
) -> None:
    message = f"the {what} is {said} in the rule and {other} beside it"
    problems.add("ClauseError", rule.spot_of(what), message, "say it in one of the two places")


def _refuse_needless_mode(
    rule: RuleSyntax, lowering: RuleLowering, problems: ProblemCollector
) -> None:
    if rule.ring and not lowering.slides:
        message = f"RING {rule.ring} is about COUNT, SUM, AVG, MIN and MAX, and there is none"
        problems.add("RingError", rule.spot_of("ring"), message, "leave RING out")
