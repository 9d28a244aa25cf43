"""Rules in Python: a rule is a value, and every method returns another one. `str(rule)` is its
text.

Text and builder are two spellings of one tree: `parse(str(rule)) == rule`. A rule that cannot be
written cannot be built.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Generic, Literal, TypeVar

from tocsin.errors import MeaningProblem, Problem
from tocsin.languages.rule import syntax
from tocsin.languages.rule.printer import RESERVED, name_text, print_rule, write_lines
from tocsin.languages.rule.transformer import RuleLimits, read
from tocsin.values.html import preformat
from tocsin.values.time import parse_duration

Whole = TypeVar("Whole")


class Relations(Generic[Whole]):
    """Each relation as a method; `negated` means that it does not hold."""

    __slots__ = ()

    @abstractmethod
    def stands(self, relation: str, other: Whole, *, negated: bool = False) -> Whole:
        """Return this in a relation to the other."""

    def before(self, other: Whole, *, negated: bool = False) -> Whole:
        """Return the rule that this ends before the other starts."""
        return self.stands("BEFORE", other, negated=negated)

    def after(self, other: Whole, *, negated: bool = False) -> Whole:
        """Return the rule that this starts after the other ends."""
        return self.stands("AFTER", other, negated=negated)

    def meets(self, other: Whole, *, negated: bool = False) -> Whole:
        """Return the rule that this ends when the other starts."""
        return self.stands("MEETS", other, negated=negated)

    def met_by(self, other: Whole, *, negated: bool = False) -> Whole:
        """Return the rule that this starts when the other ends."""
        return self.stands("MET BY", other, negated=negated)

    def overlaps(self, other: Whole, *, negated: bool = False) -> Whole:
        """Return the rule that this starts first and ends while the other lasts."""
        return self.stands("OVERLAPS", other, negated=negated)

    def overlapped_by(self, other: Whole, *, negated: bool = False) -> Whole:
        """Return the rule that the other starts first and ends while this lasts."""
        return self.stands("OVERLAPPED BY", other, negated=negated)

    def starts(self, other: Whole, *, negated: bool = False) -> Whole:
        """Return the rule that both start together, and this ends first."""
        return self.stands("STARTS", other, negated=negated)

    def started_by(self, other: Whole, *, negated: bool = False) -> Whole:
        """Return the rule that both start together, and the other ends first."""
        return self.stands("STARTED BY", other, negated=negated)

    def during(self, other: Whole, *, negated: bool = False) -> Whole:
        """Return the rule that this starts after the other starts and ends before it ends."""
        return self.stands("DURING", other, negated=negated)

    def contains(self, other: Whole, *, negated: bool = False) -> Whole:
        """Return the rule that the other starts after this starts and ends before it ends."""
        return self.stands("CONTAINS", other, negated=negated)

    def finishes(self, other: Whole, *, negated: bool = False) -> Whole:
        """Return the rule that both end together, and this starts last."""
        return self.stands("FINISHES", other, negated=negated)

    def finished_by(self, other: Whole, *, negated: bool = False) -> Whole:
        """Return the rule that both end together, and the other starts last."""
        return self.stands("FINISHED BY", other, negated=negated)

    def equals(self, other: Whole, *, negated: bool = False) -> Whole:
        """Return the rule that both start and end together."""
        return self.stands("EQUALS", other, negated=negated)


Duration = str | timedelta
Ringing = Literal["on change", "every time", "once"]

LANGUAGE = "rule"
_LIMITS = RuleLimits()
_CODE = "RuleBuildError"


@dataclass(frozen=True, slots=True)
class Rule(Relations["Rule"]):
    """A rule: what should ring, with its clauses. Rules are equal if they say the same.

    `id` is the id of its subscription; it is not compared.
    """

    tree: syntax.RuleSyntax
    id: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        if read(print_rule(self.tree), _LIMITS) != self.tree:
            raise _problem(
                f"it cannot be written: {print_rule(self.tree)}", "look at names and texts"
            )

    def __str__(self) -> str:
        return print_rule(self.tree)

    def __repr__(self) -> str:
        return f"rule.parse({str(self)!r})"

    def _repr_html_(self) -> str:
        """Return the rule for a notebook, with a line for each clause."""
        return preformat(write_lines(self.tree).splitlines())

    # Steps in time

    def then(self, other: Rule, within: Duration | None = None) -> Rule:
        """Return this, followed by the other.

        The other starts after this has ended and, with `within`, ends at most that long after it.
        """
        return self._with_step(_step(other, within))

    def then_no(self, other: Rule, within: Duration | None = None) -> Rule:
        """Return this without the other after it: `within` a time, or before the next step."""
        return self._with_step(syntax.SequenceStep(_part(other), True, _length(within)))

    def within(self, duration: Duration) -> Rule:
        """Return the rule with a time for its last step, counted from the step before.

        After `times` it is the time between the first and the last of them.
        """
        steps = self._steps()
        last = replace(steps[-1], within=_length(duration))
        return self._changed(when=syntax.RuleSequence((*steps[:-1], last)))

    def times(self, least: int, most: int | None = None, *, or_more: bool = False) -> Rule:
        """Return this repeated: exactly `least`, from `least` to `most`, or `least` `or_more`
        times.
        """
        if or_more and most is not None:
            raise _problem("a range with an end has no more", "give most, or or_more=True")
        top = None if or_more else least if most is None else most
        repeat = syntax.Repeat(least, top)
        unit = self._own_part()
        if isinstance(unit, syntax.Unit) and unit.repeat is None:
            return self._changed(when=replace(unit, repeat=repeat))
        return self._changed(when=syntax.Unit(unit, repeat=repeat))

    def named(self, name: str) -> Rule:
        """Return the part with a name, for WHERE and SELECT.

        A rule with clauses cannot be a part; there the name is the id of its subscription.
        """
        if self._has_clauses:
            return replace(self, id=name)
        if not name.isidentifier() or name.lower() in RESERVED:
            raise _problem(f"{name!r} is no name of a part", "letters, digits and _, as in a or b2")
        unit = self._own_part()
        if isinstance(unit, syntax.Unit) and not unit.name:
            return replace(self._changed(when=replace(unit, name=name)), id=name)
        return replace(self._changed(when=syntax.Unit(unit, name)), id=name)

    # Relations of intervals

    def stands(self, relation: str, other: Rule, *, negated: bool = False) -> Rule:
        """Return this in an Allen relation to the other (BEFORE, MET BY, ...), or not in it."""
        word = " ".join(relation.upper().replace("_", " ").split())
        if word not in syntax.ALLEN:
            raise _problem(f"{relation} is no relation", f"one of {', '.join(syntax.ALLEN)}")
        return self._changed(
            when=syntax.AllenRelation(self._own_part(), word, _part(other), negated)
        )

    # Changes of a state

    def becomes(self, state: str | State) -> Rule:
        """Return an event for which the state is true, and was not for the one before."""
        return self._change("BECOMES", state)

    def ceases(self, state: str | State) -> Rule:
        """Return an event for which the state is no longer true."""
        return self._change("CEASES", state)

    def holds(self, state: str | State, lasting: Duration) -> Rule:
        """Return the rule that the state became true and lasts for `lasting`; it binds `since`."""
        return self._change("HOLDS", state, _length(lasting))

    def enters(self, region: str) -> Rule:
        """Return an event inside a region, if the one before was not."""
        return self._change("ENTERS", inside(region))

    def leaves(self, region: str) -> Rule:
        """Return an event outside a region, if the one before was inside."""
        return self._change("LEAVES", inside(region))

    # Clauses

    def for_each(self, *keys: str) -> Rule:
        """Return the rule with keys: all parts have the same values at the paths.

        `[]` after a path makes each element of a list a key.
        """
        return self._clauses(f"FOR EACH {', '.join(map(_key, keys))}")

    def where(self, *comparisons: str) -> Rule:
        """Return the rule with comparisons that must all hold.

        As in `where("b.price > a.price", "DISTANCE(a, b) < 500")`.
        """
        return self._clauses(f"WHERE {' AND '.join(comparisons)}")

    def all_within(self, duration: Duration) -> Rule:
        """Return the rule with an upper bound on the duration of the whole match."""
        return self._changed(all_within=_length(duration))

    def ring(self, mode: Ringing) -> Rule:
        """Return the rule with a ring mode for aggregates: "on change", "every time", "once"."""
        word = " ".join(mode.upper().split())
        if word not in syntax.EMIT_MODES:
            raise _problem(f"{mode!r} is no way to ring", "on change, every time or once")
        return self._changed(ring=word)

    def select(self, *values: str, **named: str) -> Rule:
        """Return the rule with values for its matches, as in `select("a.customer",
        paid="b.amount")`.
        """
        items = [*values, *(f"{value} AS {name_text(name)}" for name, value in named.items())]
        return self._clauses(f"SELECT {', '.join(items)}")

    def policy(self, name: str) -> Rule:
        """Return the rule with a consumption policy: `deferred`, `recent`, ..."""
        return self._clauses(f"POLICY {name}")

    def horizon(self, duration: Duration) -> Rule:
        """Return the rule with a horizon: the wait of a part that has no other bound."""
        return self._changed(horizon=_length(duration))

    # Implementation

    @property
    def _has_clauses(self) -> bool:
        return self.tree != syntax.RuleSyntax(self.tree.when)

    def _own_part(self) -> syntax.PartSyntax:
        return self.tree.when

    def _steps(self) -> tuple[syntax.SequenceStep, ...]:
        part = self.tree.when
        return part.steps if isinstance(part, syntax.RuleSequence) else (syntax.SequenceStep(part),)

    def _with_step(self, step: syntax.SequenceStep) -> Rule:
        return self._changed(when=syntax.RuleSequence((*self._steps(), step)))

    def _change(self, word: str, state: str | State, length: syntax.Length | None = None) -> Rule:
        atom = self._own_part()
        if not isinstance(atom, syntax.EventAtom | syntax.EmbeddedAtom):
            raise _problem(f"{word} is said of one event", 'as in event("reading").becomes(...)')
        said = state.syntax if isinstance(state, State) else _condition(atom, word, state, length)
        return self._changed(when=syntax.StateChangeSyntax(atom, word, said, length))

    def _clauses(self, text: str) -> Rule:
        """Return the rule with a clause given as text; it extends one of the same kind.

        A second POLICY replaces the first.
        """
        clause = read(f"WHEN any {text}", _LIMITS)
        mine = self.tree
        return self._changed(
            keys=(*mine.keys, *clause.keys),
            where=(*mine.where, *clause.where),
            select=(*mine.select, *clause.select),
            policy=clause.policy or mine.policy,
        )

    def _changed(self, **parts: object) -> Rule:
        """Return the rule with other parts of its tree; a new pattern has no id yet."""
        id = "" if "when" in parts else self.id
        return Rule(replace(self.tree, **parts), id)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class State:
    """State of an event: a condition, or a place inside or near a region."""

    syntax: syntax.StateSyntax


@dataclass(frozen=True, slots=True)
class Measure:
    """Aggregate over time, before it is compared with a value."""

    aggregate: syntax.AggregateSyntax
    over: syntax.Length
    every: syntax.Length | None = None

    def at_least(self, value: int | float) -> Rule:
        """Return the rule that it is the value or more."""
        return self._compared(">=", value)

    def more_than(self, value: int | float) -> Rule:
        """Return the rule that it is more than the value."""
        return self._compared(">", value)

    def at_most(self, value: int | float) -> Rule:
        """Return the rule that it is the value or less."""
        return self._compared("<=", value)

    def less_than(self, value: int | float) -> Rule:
        """Return the rule that it is less than the value."""
        return self._compared("<", value)

    def equal_to(self, value: int | float) -> Rule:
        """Return the rule that it equals the value."""
        return self._compared("=", value)

    def other_than(self, value: int | float) -> Rule:
        """Return the rule that it differs from the value."""
        return self._compared("<>", value)

    def _compared(self, relation: str, value: int | float) -> Rule:
        return rule_of(syntax.Slides(self.aggregate, relation, value, self.over, self.every))


def rule_of(part: syntax.PartSyntax) -> Rule:
    """Return a part as a rule without clauses."""
    return Rule(syntax.RuleSyntax(part))


def event_of(type: str, condition: str) -> Rule:
    """Return events of a type that meet a condition."""
    if not type or "`" in type:
        raise _problem(f"{type!r} is no type", "a text without backticks, as in com.acme.order")
    return rule_of(syntax.EventAtom(type, condition.strip()))


def absence(absent: Rule, within: Duration | None = None) -> Rule:
    """Return the absence before a step."""
    return rule_of(
        syntax.RuleSequence((syntax.SequenceStep(_part(absent), True, _length(within)),))
    )


def inside(region: str) -> State:
    """Return the state of a place inside a region: its name in the catalog, or POLYGON(...)."""
    return State(syntax.Inside(syntax.Region(" ".join(region.split()))))


def near(region: str, distance: int | float) -> State:
    """Return the state of a place at most `distance` from a region."""
    return State(syntax.NearRegion(syntax.Region(" ".join(region.split())), distance))


def measure(
    function: str,
    event: Rule,
    path: str | None,
    over: Duration,
    every: Duration | None,
    *,
    distinct: bool = False,
) -> Measure:
    """Return an aggregate over one event."""
    name = None if path is None else syntax.PathName(_key(path))
    aggregate = syntax.AggregateSyntax(function, _part(event), name, distinct)
    length = _length(over)
    assert length is not None
    return Measure(aggregate, length, _length(every))


def join_rules(rules: Iterable[Rule], kind: type[syntax.RuleAnd] | type[syntax.RuleOr]) -> Rule:
    """Return the conjunction or disjunction of the rules; raise without any."""
    parts = tuple(map(_part, rules))
    if not parts:
        raise _problem("nothing is to be joined", "give a rule or more")
    return rule_of(kind(parts) if len(parts) > 1 else parts[0])


def _part(rule: Rule) -> syntax.PartSyntax:
    if not isinstance(rule, Rule):
        raise _problem(
            f"a part is a rule, got {type(rule).__name__}", 'make one: rule.event("order")'
        )
    if rule._has_clauses:
        raise _problem(
            f"a rule with clauses is part of nothing: {rule}",
            "say for_each, where and the other clauses of the whole",
        )
    return rule.tree.when


def _step(other: Rule, within: Duration | None) -> syntax.SequenceStep:
    """Return a rule as the next step; one that is a single step with its time is that step."""
    part = _part(other)
    if isinstance(part, syntax.RuleSequence) and len(part.steps) == 1 and within is None:
        return part.steps[0]
    return syntax.SequenceStep(part, False, _length(within))


def _length(duration: Duration | None) -> syntax.Length | None:
    return None if duration is None else syntax.Length(parse_duration(duration))


def _key(path: str) -> str:
    """Return a path; a first step that is a word of the language gets backticks."""
    first, dot, rest = path.partition(".")
    return f"`{first}`{dot}{rest}" if first.lower() in RESERVED else path


def _condition(
    atom: syntax.AtomSyntax, word: str, text: str, length: syntax.Length | None
) -> syntax.Meets:
    """Return a condition as a state, in parentheses if one of its words would end it."""
    plain = syntax.Meets(text.strip())
    written = syntax.RuleSyntax(syntax.StateChangeSyntax(atom, word, plain, length))
    try:
        is_whole = read(print_rule(written), _LIMITS) == written
    except Problem:
        is_whole = False
    return plain if is_whole else syntax.Meets(f"({text.strip()})")


def _problem(message: str, hint: str) -> MeaningProblem:
    return MeaningProblem(message, code=_CODE, hint=hint)
