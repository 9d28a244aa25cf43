"""Lowering of a whole rule: its plan, its problems and its warnings.

Options: `crs`, the metric of distances and regions. WHERE is pushed down: conditions on one event
alone become part of its atom, where an index serves them. ALL WITHIN bounds the duration of the
whole. Warnings are rules that are legal and probably not meant; they refuse nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches

from tocsin.errors import Problem
from tocsin.languages.base.plan_parts import keyed_whole
from tocsin.languages.base.reading import Context, PartDefinition, option_problem, refuse_unknown
from tocsin.languages.base.texts import ProblemCollector, shift_problem
from tocsin.languages.rule.lower import RuleLowering
from tocsin.languages.rule.lower_aggregates import RuleSettings
from tocsin.languages.rule.names import NOTHING, SELECTOR, RuleNameResolver
from tocsin.languages.rule.printer import value_text
from tocsin.languages.rule.static_checks import (
    PartNames,
    check,
    item_name,
    keys_of,
    refuse_impossible_keys,
)
from tocsin.languages.rule.syntax import (
    Distance,
    EmbeddedAtom,
    EventAtom,
    Meets,
    Over,
    PartSyntax,
    RuleArithmetic,
    RuleAttribute,
    RuleComparison,
    RuleConstant,
    RuleSyntax,
    StateChangeSyntax,
    ValueSyntax,
    nodes_of,
    values_in,
)
from tocsin.languages.rule.transformer import RuleLimits, read
from tocsin.languages.rule.where import NUMERIC, WhereCondition, attach, condition_of, expression_of
from tocsin.plan.nodes.atoms import AllOf, Atom, BooleanNode, Condition
from tocsin.plan.nodes.composites import (
    Absence,
    BetweenWindow,
    Either,
    Fulfilling,
    Gathered,
    Join,
    Named,
    Only,
    Part,
    Plan,
    Policy,
    parts_of,
)
from tocsin.plan.nodes.expressions import Attribute, Call, Lasts, Ring, Selected
from tocsin.plan.nodes.rewriting import with_parts
from tocsin.plan.nodes.sources import SourceRecorder
from tocsin.plan.passes.settings import with_settings
from tocsin.values.space import Metric
from tocsin.values.time import Duration, format_duration

# Push-down of WHERE.


def push_down_conditions(rule: RuleSyntax, lowering: RuleLowering) -> tuple[set[int], Part]:
    """Return the numbers of the remaining comparisons, and the part with the others inside."""
    part = lowering.part(rule.when)
    able = set(_named_conditions(part))
    own: dict[str, list[BooleanNode]] = {}
    rest: set[int] = set()
    for number, comparison in enumerate(rule.where):
        name = _only_name(comparison)
        if name in able:
            text = _selector_text(comparison)
            condition = lowering.names.made_condition(text, comparison.spot)
            own.setdefault(name, []).append(condition)
        else:
            rest.add(number)
    return rest, lowering.sources.replace(part, _narrowed(part, own) if own else part)


def _named_conditions(part: Part) -> Iterator[str]:
    """Yield the names of the events that are described by a condition."""
    if isinstance(part, Named) and isinstance(part.part, Condition):
        yield part.name
    for inner in parts_of(part):
        yield from _named_conditions(inner)


def _only_name(comparison: RuleComparison) -> str:
    """Return the one part whose attributes are compared with each other or constants, or ""."""
    values = [*values_in(comparison.left), *values_in(comparison.right)]
    if any(isinstance(each, Over | Distance) for each in values):
        return ""
    names = {each.name for each in values if isinstance(each, RuleAttribute)}
    return names.pop() if len(names) == 1 else ""


def _selector_text(comparison: RuleComparison) -> str:
    left, right = _unnamed(comparison.left), _unnamed(comparison.right)
    return f"{value_text(left)} {comparison.relation} {value_text(right)}"


def _unnamed(value: ValueSyntax) -> ValueSyntax:
    """Return the value without the name of its part, as a selector writes it."""
    match value:
        case RuleAttribute(_, path):
            return RuleAttribute(path, "")
        case RuleArithmetic(_, operands):
            return replace(value, operands=tuple(map(_unnamed, operands)))
        case RuleConstant() | Over() | Distance():
            return value


def _narrowed(part: Part, own: Mapping[str, list[BooleanNode]]) -> Part:
    whole = with_parts(part, lambda inner: _narrowed(inner, own))
    if isinstance(whole, Named) and whole.name in own and isinstance(whole.part, Condition):
        narrow = Condition(AllOf((whole.part.expression, *own[whole.name])))
        return replace(whole, part=narrow)
    return whole


# ALL WITHIN.


def with_max_duration(part: Part, limit: Duration) -> Part:
    """Return the pattern with an upper bound on its duration.

    Its parts get the bound as well, so that no state is kept longer.
    """
    lasts = Lasts(limit)
    inner = _bounded_parts(part, lasts)
    return inner if _takes(inner) else Only(inner, Fulfilling((lasts,)))


def _bounded_parts(part: Part, lasts: Lasts) -> Part:
    if isinstance(part, Join | Either | Named):
        part = with_parts(part, lambda each: _bounded_parts(each, lasts))
    if isinstance(part, Join):
        return replace(part, conditions=(*part.conditions, lasts))
    if isinstance(part, Absence | Gathered) and _takes(part):
        return replace(part, conditions=(*part.conditions, lasts))
    return part  # events counted in a window do not add to the duration of the whole


def _takes(part: Part) -> bool:
    """True if the part itself can test the duration of the whole."""
    if isinstance(part, Absence):
        return isinstance(part.window, BetweenWindow)
    return isinstance(part, Join | Gathered)


_METRICS = {"planar": Metric.PLANAR, "wgs84": Metric.WGS84, "epsg:4326": Metric.WGS84}


def metric_of(options: Mapping[str, object]) -> Metric:
    """Return the metric of a subscription's options; raise if an option is unknown."""
    refuse_unknown(options, "rule", ("crs",))
    value = options.get("crs", "planar")
    metric = _METRICS.get(value.lower()) if isinstance(value, str) else None
    if metric is None:
        raise option_problem(
            f"crs {value!r} is not known", "crs", "write planar, wgs84 or EPSG:4326"
        )
    return metric


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


# Warnings. Parts that wait for the horizon for lack of a WITHIN were recorded at lowering. Warnings
# for a condition or an atom in braces come from its own language, placed in the rule.


def warnings_of(meaning: LoweredRule, text: str, context: Context) -> list[Problem]:
    """Return the warnings of a rule; empty if it has problems."""
    if meaning.problems:
        return []
    told = ProblemCollector(text)
    told.found.extend(meaning.warnings)
    for node in nodes_of(meaning.rule.when):
        for language, inner, start in _inner_texts(node, context):
            found = context.warn_of_atom(language, inner)
            told.found.extend(shift_problem(each, text, start) for each in found)
    return told.in_reading_order()


def _inner_texts(node: PartSyntax, context: Context) -> Iterator[tuple[str, str, int]]:
    """Yield texts of other languages directly in a part: language, text and start offset."""
    match node:
        case EventAtom(name, condition) if condition:
            if not isinstance(context.definitions.get(name), PartDefinition):
                yield SELECTOR, condition, node.start
        case EmbeddedAtom(language, text):
            yield language, text, node.start
        case StateChangeSyntax(_, _, Meets(condition) as state):
            yield SELECTOR, condition, state.start
        case _:
            pass
