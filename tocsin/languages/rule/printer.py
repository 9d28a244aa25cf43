"""A rule as text. Reading it gives the same tree; parentheses appear only if needed."""

from __future__ import annotations

import re
from typing import assert_never

from tocsin.languages.rule.embedded_texts import OPENERS
from tocsin.languages.rule.syntax import (
    AggregateSyntax,
    AllenRelation,
    AtomSyntax,
    Distance,
    EmbeddedAtom,
    EventAtom,
    Inside,
    Length,
    Meets,
    NearRegion,
    Over,
    PartSyntax,
    PathName,
    Region,
    Repeat,
    RuleAnd,
    RuleArithmetic,
    RuleAttribute,
    RuleComparison,
    RuleConstant,
    RuleOr,
    RuleSequence,
    RuleSyntax,
    SelectItem,
    SequenceStep,
    Slides,
    StateChangeSyntax,
    StateSyntax,
    Unit,
    ValueSyntax,
)
from tocsin.values.time import Duration

EITHER, BOTH, ORDER, UNIT, CORE = range(5)
"""Binding strength of parts; one that binds less than its place demands gets parentheses."""

_LEVELS = {
    RuleOr: EITHER,
    RuleAnd: BOTH,
    RuleSequence: ORDER,
    AllenRelation: ORDER,
    Unit: UNIT,
}
RESERVED = frozenset(
    """when then no and or within for where select over every becomes ceases holds enters leaves
    true false distinct inside near as""".split()
)
_PLAIN = re.compile(r"[^\W\d]\w*(?:\.\w+)*")
_UNITS = (
    ("d", 86_400_000_000),
    ("h", 3_600_000_000),
    ("m", 60_000_000),
    ("s", 1_000_000),
    ("ms", 1_000),
    ("us", 1),
)


def print_rule(rule: RuleSyntax) -> str:
    """Return the rule on one line, clauses set apart by two blanks."""
    return "  ".join((f"WHEN {part_text(rule.when)}", *clause_texts(rule)))


def write_lines(rule: RuleSyntax) -> str:
    """Return the rule with each clause on a line of its own."""
    return "\n  ".join((f"WHEN {part_text(rule.when)}", *clause_texts(rule)))


def clause_texts(rule: RuleSyntax) -> list[str]:
    """Return each clause that the rule has."""
    said = (
        ("FOR EACH", ", ".join(map(_key, rule.keys))),
        ("WHERE", " AND ".join(map(_comparison, rule.where))),
        ("ALL WITHIN", _length(rule.all_within)),
        ("RING", rule.ring),
        ("SELECT", ", ".join(map(_item, rule.select))),
        ("POLICY", rule.policy),
        ("HORIZON", _length(rule.horizon)),
    )
    return [f"{word} {text}" for word, text in said if text]


def part_text(part: PartSyntax, place: int = EITHER) -> str:
    """Return a part as text, in parentheses if it binds less tightly than `place`."""
    text = _part(part)
    return f"({text})" if _LEVELS.get(type(part), CORE) < place else text


def _part(part: PartSyntax) -> str:
    match part:
        case RuleOr(parts):
            return " OR ".join(_operand(each, BOTH) for each in parts)
        case RuleAnd(parts):
            return " AND ".join(_operand(each, ORDER) for each in parts)
        case RuleSequence(steps):
            return " THEN ".join(map(_step, steps))
        case AllenRelation(left, relation, right, negated):
            word = f"NOT {relation}" if negated else relation
            return f"{_operand(left, UNIT)} {word} {part_text(right, UNIT)}"
        case Unit():
            return _unit(part)
        case StateChangeSyntax():
            return _changes(part)
        case Slides():
            every = f" EVERY {_length(part.every)}" if part.every else ""
            compared = f"{_aggregate(part.aggregate)} {part.relation} {_number(part.value)}"
            return f"{compared} OVER {_length(part.over)}{every}"
        case EventAtom() | EmbeddedAtom():
            return atom_text(part)
        case _:
            assert_never(part)


def _operand(part: PartSyntax, place: int) -> str:
    """Return an operand of AND, OR or a relation.

    A part that ends in a state gets parentheses: the state would take the next word for its own.
    """
    return part_text(part, CORE + 1 if _ends_in_state(part) else place)


def _ends_in_state(part: PartSyntax) -> bool:
    match part:
        case StateChangeSyntax(_, _, Meets(), None):
            return True
        case Unit(core, _, None):
            return _ends_in_state(core)
        case RuleSequence(steps):
            return steps[-1].within is None and _ends_in_state(steps[-1].part)
        case RuleAnd(parts) | RuleOr(parts):
            return _ends_in_state(parts[-1])
        case AllenRelation(_, _, right):
            return _ends_in_state(right)
        case _:
            return False


def _step(step: SequenceStep) -> str:
    within = f" WITHIN {_length(step.within)}" if step.within else ""
    return f"{'NO ' if step.absent else ''}{part_text(step.part, UNIT)}{within}"


def _unit(unit: Unit) -> str:
    label = f"{unit.name}: " if unit.name else ""
    if unit.repeat is None:
        return label + part_text(unit.core, CORE)
    return f"{label}{_operand(unit.core, CORE)} {_repeat(unit.repeat)}"


def _repeat(repeat: Repeat) -> str:
    if repeat.most is None:
        return f"x{repeat.least}+"
    return f"x{repeat.least}" + ("" if repeat.most == repeat.least else f"..{repeat.most}")


def _changes(part: StateChangeSyntax) -> str:
    head = f"{atom_text(part.atom)} {part.word} "
    if part.word in ("ENTERS", "LEAVES"):
        assert isinstance(part.state, Inside)
        return head + _region(part.state.region)
    held = f" FOR {_length(part.length)}" if part.length else ""
    return head + state_text(part.state) + held


def state_text(state: StateSyntax) -> str:
    """Return a state as text."""
    match state:
        case Meets(condition):
            return condition
        case Inside(region):
            return f"INSIDE {_region(region)}"
        case NearRegion(region, distance):
            return f"NEAR {_region(region)} {_number(distance)}"
        case _:
            assert_never(state)


def _region(region: Region) -> str:
    is_written = re.match(r"(?:MULTI)?POLYGON\s*\(", region.text, re.IGNORECASE)
    return region.text if is_written else name_text(region.text)


def atom_text(atom: AtomSyntax, whole: bool = False) -> str:
    """Return an atom as text; as a `whole` name if a path follows."""
    match atom:
        case EmbeddedAtom(language, text):
            return f"{language}{{ {text} }}"
        case EventAtom(name, condition):
            own = f"`{name}`" if whole and "." in name else name_text(name)
            return f"{own}({condition})" if condition else own
        case _:
            assert_never(atom)


def _aggregate(aggregate: AggregateSyntax) -> str:
    distinct = "DISTINCT " if aggregate.distinct else ""
    path = f".{aggregate.path.text}" if aggregate.path else ""
    counted = aggregate.atom
    if not isinstance(counted, EventAtom | EmbeddedAtom):
        return f"{aggregate.function}({part_text(counted)})"
    atom = atom_text(counted, whole=bool(path) or aggregate.function != "COUNT")
    return f"{aggregate.function}({distinct}{atom}{path})"


def name_text(name: str) -> str:
    """Return a type or catalog name, in backticks if it would be read as something else."""
    first = name.lower().partition(".")[0]
    taken = first in RESERVED or first.upper() in OPENERS
    return name if _PLAIN.fullmatch(name) and not taken else f"`{name}`"


def _key(key: PathName) -> str:
    return f"{key.text}[]" if key.each else key.text


def _item(item: SelectItem) -> str:
    return (
        f"{value_text(item.value)} AS {name_text(item.name)}"
        if item.name
        else value_text(item.value)
    )


def _comparison(comparison: RuleComparison) -> str:
    return f"{value_text(comparison.left)} {comparison.relation} {value_text(comparison.right)}"


_STRENGTH = {"+": 1, "-": 1, "*": 2, "/": 2}
_SIGNED = 4
"""Strength after a sign, where everything else gets parentheses: two signs in a row start a
comment.
"""


def value_text(value: ValueSyntax, strength: int = 0) -> str:
    """Return a value as text, in parentheses if it binds less than `strength`.

    The strength is 1 in a sum, 2 in a product, 4 after a sign.
    """
    match value:
        case RuleAttribute(name, path):
            return f"{name}.{path}" if path else name
        case RuleConstant():
            return _constant(value)
        case Over("FIRST" | "LAST" as function, name, path):
            return f"{function}({name}).{path}"
        case Over(function, name, path):
            return f"{function}({name}.{path})" if path else f"{function}({name})"
        case Distance(left, right):
            return f"DISTANCE({left}, {right})"
        case RuleArithmetic(operator, (left, right)):
            own = _STRENGTH[operator]
            text = f"{value_text(left, own)} {operator} {value_text(right, own + 1)}"
            return f"({text})" if own < strength else text
        case RuleArithmetic(operator, operands):
            text = f"{operator}{value_text(operands[0], _SIGNED)}"
            return f"({text})" if strength == _SIGNED else text
        case _:
            assert_never(value)


def _constant(constant: RuleConstant) -> str:
    match constant.value:
        case bool(truth):
            return "TRUE" if truth else "FALSE"
        case str(text):
            return f"'{text.replace(chr(39), chr(39) * 2)}'"
        case number:
            return _number(number)


def _number(number: int | float) -> str:
    return str(number) if isinstance(number, int) else repr(number)


def _length(length: Length | None) -> str:
    return "" if length is None else duration_text(length.microseconds)


def duration_text(duration: Duration) -> str:
    """Return a duration in the largest unit that gives a whole number."""
    if duration == 0:
        return "0s"
    unit, size = next((unit, size) for unit, size in _UNITS if duration % size == 0)
    return f"{duration // size}{unit}"
