"""Plans of other languages written as rules: `tocsin explain --as rule`. A part that a rule cannot
say is refused with the reason.

The rule rings for the same events. Atoms are written in their own language and read again: one that
would be read as another is refused.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import assert_never

from tocsin.errors import Problem, UnsupportedProblem
from tocsin.languages import parse_subscription, problems_in_subscription, read_atom
from tocsin.languages.base.plan_parts import ORDER
from tocsin.languages.base.reading import Context, Options
from tocsin.languages.graph.printer import as_statements
from tocsin.languages.rule import syntax
from tocsin.languages.rule.printer import print_rule, write_lines
from tocsin.plan.explain.atoms import path_text, selector_text
from tocsin.plan.explain.exmlql import block_text
from tocsin.plan.explain.phrases import short_text
from tocsin.plan.nodes.atoms import AllOf, Atom, Condition, Equals
from tocsin.plan.nodes.composites import (
    Absence,
    AfterInstant,
    AfterWindow,
    BeforeWindow,
    BetweenWindow,
    Change,
    DuringWindow,
    Either,
    End,
    EveryWindow,
    FixedWindow,
    Forward,
    Gathered,
    Join,
    JoinCondition,
    Moment,
    Named,
    Near,
    Only,
    Part,
    Plan,
    Policy,
    Precedes,
    Related,
    Sliding,
    Stands,
    Triggered,
    parts_of,
)
from tocsin.plan.nodes.concepts import ConceptTest, concept_test_text
from tocsin.plan.nodes.graphs import GraphPattern
from tocsin.plan.passes import prepared_expression
from tocsin.plan.xml.xml_patterns import XmlBlock
from tocsin.values.scalars import ENVELOPE, Kind
from tocsin.values.space import Metric, SpatialRelation
from tocsin.values.time import Duration, format_instant, parse_duration

_TYPE = (ENVELOPE, "type")


def say_atom(atom: Atom, context: Context) -> syntax.AtomSyntax:
    """Return an atom as it stands in a rule: a type with a condition, or in braces."""
    match atom:
        case Condition(Equals(path, value)) if path == _TYPE and value.kind is Kind.STRING:
            return syntax.EventAtom(str(value.value))
        case Condition(AllOf((Equals(path, value), *rest))) if (
            path == _TYPE and value.kind is Kind.STRING and rest
        ):
            inner = rest[0] if len(rest) == 1 else AllOf(tuple(rest))
            require_same("selector", selector_text(inner), Condition(inner), atom, context)
            return syntax.EventAtom(str(value.value), selector_text(inner))
        case Condition(expression):
            return _embedded("selector", selector_text(expression), atom, context)
        case GraphPattern():
            return _embedded("graph", as_statements(atom), atom, context)
        case ConceptTest():
            return _embedded("concept", concept_test_text(atom), atom, context)
        case XmlBlock():
            return _embedded("xml", block_text(atom), atom, context)
        case _:
            assert_never(atom)


def _embedded(language: str, text: str, atom: Atom, context: Context) -> syntax.EmbeddedAtom:
    plain = text.strip()
    require_same(language, plain, atom, atom, context)
    return syntax.EmbeddedAtom(language, plain)


def require_same(language: str, text: str, meant: Atom, translated: Atom, context: Context) -> None:
    """Raise if the text of an atom would be read as another atom."""
    try:
        is_same = _plain(read_atom(language, text, context)) == _plain(meant)
    except Problem:
        is_same = False
    if not is_same:
        raise cannot(translated, f"its text in {language} would not be read as the same")


def _plain(atom: Atom) -> Atom:
    """Return the atom in a normal form that conditions of equal meaning mostly share."""
    if isinstance(atom, Condition):
        return Condition(prepared_expression(atom.expression))
    return atom


def cannot(part: Part, why: str) -> UnsupportedProblem:
    """Return the problem of a part that a rule has no words for."""
    return UnsupportedProblem(
        f"a rule cannot say this part: {short_text(part)}",
        code="NotSayable",
        hint=f"{why}; keep it in its own language, where a rule can use it as a definition",
    )


_WORDS = {
    "Before": "BEFORE",
    "Meets": "MEETS",
    "Overlaps": "OVERLAPS",
    "Starts": "STARTS",
    "During": "DURING",
    "Finishes": "FINISHES",
    "Equals": "EQUALS",
}
_DISTANCES = {
    SpatialRelation.NEARER: "<",
    SpatialRelation.WITHIN: "<=",
    SpatialRelation.AT: "=",
    SpatialRelation.FARTHER: ">",
}
_FOLLOWS = Precedes(Moment(0, End.FINISH), Moment(1, End.START))
_CHAINS = {
    ((0, 1), (1, 2)): (0, 1, 2),
    ((0, 2), (2, 1)): (0, 2, 1),
}
"""Three parts in a row: which ends before which starts, and the order of the steps."""

_ANY_ORDER = (Policy.DEFERRED.value, Policy.UNRESTRICTED.value)
"""Policies under which joining three parts at once or two at a time makes no difference."""


def as_rule(
    language: str,
    expression: str,
    options: Options,
    context: Context,
    policy: str | None = None,
    horizon: str | None = None,
) -> str:
    """Return a subscription as the text of a rule, clause by clause.

    Raises UnsupportedProblem with the part that a rule cannot say.
    """
    plan = parse_subscription(language, expression, options, context)
    rule = rule_of(plan, context, policy, horizon)
    crs = {"crs": "wgs84"} if any(_is_on_globe(each) for each in _all_parts(plan.pattern)) else {}
    for problem in problems_in_subscription("rule", print_rule(rule), crs, context):
        raise cannot(plan.pattern, problem.message)
    notes = ["-- with the option crs: wgs84"] if crs else []
    if plan.output != Forward():
        notes.append("-- it rings for the same events; what is sent or built is not said")
    return "\n".join((*notes, write_lines(rule)))


def rule_of(
    plan: Plan, context: Context, policy: str | None = None, horizon: str | None = None
) -> syntax.RuleSyntax:
    """Return the tree of a rule that rings when the plan does; it leaves out the plan's output."""
    saying = _RuleTranslator(context, policy)
    when = saying.part(plan.pattern)
    said = policy or saying.policy_of(plan.pattern)
    length = None if horizon in (None, "off") else syntax.Length(parse_duration(str(horizon)))
    return syntax.RuleSyntax(
        when,
        saying.keys(plan.pattern),
        tuple(saying.where),
        policy="" if said == Policy.DEFERRED.value else said,
        horizon=length,
    )


@dataclass(slots=True)
class _RuleTranslator:
    """One walk over a plan. `where` are the comparisons that its parts need, `policy` overrides
    theirs.
    """

    context: Context
    policy: str | None
    where: list[syntax.RuleComparison] = field(default_factory=list)
    _names: dict[str, str] = field(default_factory=dict)
    _unnamed: int = 0

    def part(self, part: Part) -> syntax.PartSyntax:
        if isinstance(part, Atom):
            return say_atom(part, self.context)
        match part:
            case Named(name, inner, elements):
                if elements is not None:
                    raise cannot(part, "it compares lists element by element")
                return syntax.Unit(self.part(inner), self._name(part, name))
            case Either(parts):
                return syntax.RuleOr(tuple(map(self.part, parts)))
            case Join():
                return self._join(part)
            case Absence():
                return self._absence(part)
            case Only(inner, DuringWindow() | AfterInstant() as restriction):
                return self._timed(part, inner, restriction)
            case Only():
                raise cannot(part, "a rule asks for a place only where it changes: ENTERS, LEAVES")
            case Triggered():
                raise cannot(part, "a rule sends no events that it waits for")
            case Gathered() | Sliding() | Change():
                raise cannot(part, "it is written in rule already")
            case _:
                assert_never(part)

    def _join(self, join: Join) -> syntax.PartSyntax:
        asked = [each for each in join.conditions if isinstance(each, Near | Related)]
        order = [each for each in join.conditions if not isinstance(each, Near | Related)]
        if join.keep is not None:
            raise cannot(join, "its parts end at most so long after each other")
        parts = list(join.parts)
        for each in asked:
            if isinstance(each, Near):
                parts = self._near(join, parts, each)
            else:
                self._related(join, each)
        if len(parts) == 3:
            return self._chain(join, parts, order)
        if len(parts) > 2:
            raise cannot(join, "more than three parts are joined at once")
        return self._pair(join, parts, order)

    def _pair(
        self, join: Join, parts: list[Part], order: Sequence[JoinCondition]
    ) -> syntax.PartSyntax:
        left, right = map(self.part, parts)
        if not order:
            return syntax.RuleAnd((left, right))
        relations = [each for each in order if isinstance(each, Stands)]
        if relations:
            return self._stands(join, relations[0], (left, right), order)
        if order[0] == _FOLLOWS and len(order) <= 2:
            within = _within(order[1:])
            if len(order) == 1 or within is not None:
                return _sequence(left, syntax.SequenceStep(right, False, within))
        raise cannot(join, "a rule has no word for this order in time")

    def _stands(
        self,
        join: Join,
        stands: Stands,
        sides: tuple[syntax.PartSyntax, syntax.PartSyntax],
        order: Sequence[JoinCondition],
    ) -> syntax.PartSyntax:
        word = stands.relation.removeprefix("Un")
        rest = tuple(each for each in order if each != stands)
        known = (stands.part, stands.other) == (0, 1) and not stands.proper
        if not known or rest != ORDER.get(stands.relation, ()):
            raise cannot(join, "instants and intervals are told apart")
        return syntax.AllenRelation(sides[0], _WORDS[word], sides[1], word != stands.relation)

    def _chain(
        self, join: Join, parts: list[Part], order: Sequence[JoinCondition]
    ) -> syntax.PartSyntax:
        pairs = tuple(
            (each.earlier.part, each.later.part)
            for each in order
            if isinstance(each, Precedes)
            and each
            == Precedes(Moment(each.earlier.part, End.FINISH), Moment(each.later.part, End.START))
        )
        row = _CHAINS.get(pairs) if len(pairs) == len(order) == 2 else None
        policy = self.policy or join.policy.value
        if row is None or policy not in _ANY_ORDER:
            raise cannot(join, "a rule joins two parts at a time")
        said = [self.part(each) for each in parts]
        first, *rest = (said[number] for number in row)
        whole = first
        for each in rest:
            whole = _sequence(whole, syntax.SequenceStep(each))
        return whole

    def _absence(self, absence: Absence) -> syntax.PartSyntax:
        for each in absence.conditions:
            if not isinstance(each, Related):
                raise cannot(absence, "a rule has no word for what it asks of its parts")
            self._related(absence, each)
        absent = self.part(absence.part)
        match absence.window:
            case AfterWindow(part, length):
                return _sequence(
                    self.part(part), syntax.SequenceStep(absent, True, _length(length))
                )
            case BetweenWindow(first, last) if absence.keep is None:
                before, after = self.part(first), self.part(last)
                return _sequence(
                    _sequence(before, syntax.SequenceStep(absent, True)), syntax.SequenceStep(after)
                )
            case BeforeWindow(part, length, True):
                step = syntax.SequenceStep(absent, True, _length(length))
                return syntax.RuleSequence((step, syntax.SequenceStep(self.part(part))))
            case BeforeWindow():
                raise cannot(absence, "what began before the window and ends in it counts too")
            case FixedWindow() | EveryWindow():
                raise cannot(absence, "the window is one of the clock, bounded by no event")
            case _:
                raise cannot(absence, "the window has a bound of its own")

    def _timed(
        self, only: Only, inner: Part, restriction: DuringWindow | AfterInstant
    ) -> syntax.PartSyntax:
        """Return an atom with the window of absolute time as a condition on the event's times."""
        if not isinstance(inner, Condition):
            raise cannot(only, "a window of absolute time is said of a condition on one event")
        start = restriction.start if isinstance(restriction, DuringWindow) else restriction.instant
        text = f"ce_time > '{format_instant(start)}'"
        if isinstance(restriction, DuringWindow):
            end = format_instant(start + restriction.length)
            text += f" AND ce_endtime <= '{end}'"
        plain = selector_text(inner.expression)
        require_same("selector", plain, inner, inner, self.context)
        return syntax.EmbeddedAtom("selector", f"({plain}) AND {text}" if plain else text)

    def _near(self, join: Join, parts: list[Part], near: Near) -> list[Part]:
        relation, distance = _DISTANCES.get(near.relation), near.distance
        if near.relation is SpatialRelation.MEETS:
            relation, distance = "<=", 0.0
        if relation is None:
            raise cannot(join, f"a rule has no word for {near.relation.value}")
        named = [self._with_name(each) for each in parts]
        names = [self._name(join, named[number].name) for number in (near.part, near.other)]
        value = syntax.Distance(names[0], names[1])
        self.where.append(syntax.RuleComparison(value, relation, syntax.RuleConstant(distance)))
        return list(named)

    def _related(self, owner: Part, related: Related) -> None:
        sides = []
        for side in (related.left, related.right):
            if side.variable:
                raise cannot(owner, "it compares what atoms bind")
            sides.append(syntax.RuleAttribute(self._name(owner, side.name), path_text(side.path)))
        self.where.append(syntax.RuleComparison(sides[0], related.relation, sides[1]))

    def _with_name(self, part: Part) -> Named:
        if isinstance(part, Named):
            return part
        self._unnamed += 1
        return Named(f"part{self._unnamed}", part)

    def _name(self, owner: Part, name: str) -> str:
        """Return a name as a rule writes it; raise if two parts would get the same."""
        plain = re.sub(r"\W", "_", name)
        plain = plain if plain[:1].isalpha() or plain[:1] == "_" else f"p{plain}"
        if self._names.setdefault(plain, name) != name:
            raise cannot(owner, f"two parts would be called {plain}")
        return plain

    def policy_of(self, pattern: Part) -> str:
        """Return the policy of all operators; raise if they differ."""
        policies = {each.policy for each in _all_parts(pattern) if isinstance(each, Join | Absence)}
        if len(policies) > 1:
            raise cannot(pattern, "its operators have different policies")
        return policies.pop().value if policies else Policy.DEFERRED.value

    def keys(self, pattern: Part) -> tuple[syntax.PathName, ...]:
        """Return the keys of all operators; raise if they differ."""
        keys = {each.by for each in _all_parts(pattern) if isinstance(each, Join | Absence)}
        if len(keys) > 1:
            raise cannot(pattern, "its operators have different keys")
        return tuple(syntax.PathName(path_text(path)) for path in (keys.pop() if keys else ()))


def _sequence(first: syntax.PartSyntax, step: syntax.SequenceStep) -> syntax.RuleSequence:
    """Return the steps of a part with one step added."""
    steps = first.steps if isinstance(first, syntax.RuleSequence) else (syntax.SequenceStep(first),)
    return syntax.RuleSequence((*steps, step))


def _within(order: Sequence[JoinCondition]) -> syntax.Length | None:
    match order:
        case [Precedes(Moment(1, End.FINISH), Moment(0, End.FINISH), gap, True)] if gap <= 0:
            return _length(-gap)
        case _:
            return None


def _length(duration: Duration) -> syntax.Length:
    return syntax.Length(duration)


def _all_parts(part: Part) -> list[Part]:
    found = [part]
    for inner in parts_of(part):
        found += _all_parts(inner)
    return found


def _is_on_globe(part: Part) -> bool:
    return isinstance(part, Join) and any(
        isinstance(each, Near) and each.metric is Metric.WGS84 for each in part.conditions
    )
