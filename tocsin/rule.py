"""Rules in Python: builder calls that read like the language `rule`.

    from tocsin import rule

    left, arrived = rule.event("move", "kind = 'left'"), rule.event("move", "kind = 'arrived'")
    missing = left.then_no(arrived, within="2h").for_each("parcel").named("missing")

`str(missing)` is the text of the rule; `rule.parse` reads one back. A rule is immutable: every
method returns a new one. `Hub.subscribe`, `match` on Spark and `Subscription` take it.
"""

from __future__ import annotations

from tocsin.languages import parse_subscription
from tocsin.languages.rule.building import (
    Duration,
    Measure,
    Ringing,
    Rule,
    State,
    absence,
    event_of,
    inside,
    join_rules,
    measure,
    near,
    rule_of,
)
from tocsin.languages.rule.syntax import EmbeddedAtom, RuleAnd, RuleOr
from tocsin.languages.rule.transformer import RuleLimits, read

__all__ = [
    "Duration",
    "Measure",
    "Ringing",
    "Rule",
    "State",
    "all_of",
    "any_of",
    "atom",
    "avg",
    "count",
    "event",
    "inside",
    "max",
    "min",
    "near",
    "no",
    "parse",
    "sum",
]


def parse(text: str) -> Rule:
    """Return the rule of a text; raise if it is not a rule."""
    return Rule(read(text, RuleLimits()))


def event(type: str, condition: str = "") -> Rule:
    """Return a rule for events of a type, or of a definition, that meet a `selector` condition.

    The catalog defines names. Raises if the condition is not valid.
    """
    parse_subscription("selector", condition, {})
    return event_of(type, condition)


def atom(language: str, text: str) -> Rule:
    """Return a rule for events by a text of another language, as in `atom("graph", "?x a
    :Laptop")`.
    """
    return rule_of(EmbeddedAtom(language, text.strip()))


def no(absent: Rule, within: Duration | None = None) -> Rule:
    """Return the absence before a step: `no(payment, within="1h").then(delivery)`."""
    return absence(absent, within)


def all_of(*rules: Rule) -> Rule:
    """Return a rule for all parts, in any order: AND."""
    return join_rules(rules, RuleAnd)


def any_of(*rules: Rule) -> Rule:
    """Return a rule for one of the parts: OR."""
    return join_rules(rules, RuleOr)


def count(
    event: Rule, *, over: Duration, every: Duration | None = None, distinct: str | None = None
) -> Measure:
    """Count the events in the last `over`, or their `distinct` values at a path.

    With `every`, in consecutive windows.
    """
    return measure("COUNT", event, distinct, over, every, distinct=distinct is not None)


def sum(event: Rule, path: str, *, over: Duration, every: Duration | None = None) -> Measure:
    """Sum the numbers at a path."""
    return measure("SUM", event, path, over, every)


def avg(event: Rule, path: str, *, over: Duration, every: Duration | None = None) -> Measure:
    """Average the numbers at a path."""
    return measure("AVG", event, path, over, every)


def min(event: Rule, path: str, *, over: Duration, every: Duration | None = None) -> Measure:
    """Return the least of the numbers at a path."""
    return measure("MIN", event, path, over, every)


def max(event: Rule, path: str, *, over: Duration, every: Duration | None = None) -> Measure:
    """Return the greatest of the numbers at a path."""
    return measure("MAX", event, path, over, every)
