"""A rule as text: of its tree, and with the texts of other languages inside masked.

Reading the text of a tree gives the same tree; parentheses appear only if needed. Texts of other
languages are masked before the grammar reads a rule; every offset stays true.

Three kinds: atoms in braces, conditions in parentheses after a type, and the states of BECOMES,
CEASES and HOLDS. A state ends at the next word of the rule: its AND and OR are its own. Masked
characters become characters of private use, which the grammar accepts as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import assert_never

from tocsin.errors import Place, SyntaxProblem
from tocsin.languages.base.texts import blank_braces
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

CODE = "RuleSyntaxError"
PRIVATE = 0xF0000
"""First character of private use on its plane, and the offset between a character and its mask."""

_QUOTED = r"""'(?:[^']|'')*'|"(?:[^"]|"")*\""""
_WORD = r"(?:[^\W\d]\w*|`[^`]+`)(?:\.(?:\w+|`[^`]+`))*"
_BRACE = re.compile(rf"{_QUOTED}|`[^`]*`|--[^\n]*|([^\W\d]\w*)?\s*\{{")
_COMMENT = re.compile(rf"{_QUOTED}|`[^`]*`|(--[^\n]*)")
_TOKEN = re.compile(rf"{_QUOTED}|(?P<word>{_WORD})(?P<open>\s*\()?")
_BRACKET = re.compile(rf"{_QUOTED}|`[^`]*`|[()]")
OPENERS = frozenset(
    """WHEN THEN NO AND OR NOT BEFORE AFTER MEETS BY OVERLAPS STARTS DURING CONTAINS FINISHES EQUALS
    COUNT SUM AVG MIN MAX FIRST LAST DISTANCE WHERE SELECT POLYGON MULTIPOLYGON""".split()
)
"""Words before a parenthesis that is not a condition on an event; types of that name have
backticks.
"""

_CHANGES = frozenset(("BECOMES", "CEASES", "HOLDS"))
_OPERATOR_AFTER = r"(?!\s*(?:[=<>!+*/.,)-]|(?i:is|like|in|between|not)\b))"
_PLACED = re.compile(rf"\s*(?i:inside|near)\s+(?!(?i:is|like|in|between|not)\b)(?:{_WORD})")
_ALLEN = (
    r"before|after|meets|met\s+by|overlaps|overlapped\s+by|starts|started\s+by|during|contains"
    r"|finishes|finished\s+by|equals"
)
_END = re.compile(
    rf"""{_QUOTED}|`[^`]*`|[()]
    |(?<![\w.])(?P<end>(?i:then|within|where|select|policy|horizon|ring|for|over|all\s+within
      |(?:not\s+)?(?:{_ALLEN}))(?![\w.:]){_OPERATOR_AFTER})
    |(?<![\w.])(?P<signed>(?i:where|select)(?=\s*[+-]))
    |(?<![\w.])(?P<times>(?i:[x×]\s*\d+(?:\s*\.\.\s*\d+|\s*\+)?)(?![\w.])
      (?=\s*(?:$|\)|(?i:then|within|and|or|for|where|all|ring|select|policy|horizon)\b)))""",
    re.VERBOSE,
)
_INCOMPLETE = re.compile(r"(?:[<>=+*/(,-]|(?<!\w)(?i:and|or|not|like|in|between|escape))$")


def mask(text: str) -> str:
    """Return the text without comments and with all texts of other languages masked."""
    _refuse_private(text)
    blank = blank_braces(text, _BRACE, CODE)
    plain = _COMMENT.sub(_blank_comment, blank)
    pieces, kept = [], 0
    for start, end in _inner(plain):
        pieces += [plain[kept:start], _exchange(plain[start:end])]
        kept = end
    hidden = "".join((*pieces, plain[kept:]))
    return hidden if blank == text else _with_braces(text, blank, hidden)


def unmask(text: str) -> str:
    """Return the text without masks."""
    return "".join(chr(ord(each) - PRIVATE) if ord(each) >= PRIVATE else each for each in text)


def _exchange(text: str) -> str:
    return "".join(chr(ord(each) + PRIVATE) if ord(each) < 0x10000 else each for each in text)


def _with_braces(text: str, blank: str, hidden: str) -> str:
    """Return the text with the content of braces masked instead of blank."""
    return "".join(
        _exchange(each) if each != empty else left
        for each, empty, left in zip(text, blank, hidden, strict=True)
    )


def _inner(text: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of each condition and each state."""
    at = 0
    while found := _TOKEN.search(text, at):
        at, word = found.end(), (found["word"] or "").upper()
        if word in _CHANGES and not text.startswith((":", "."), found.end("word")):
            start, at = _state(text, found.end("word"))
            yield start, at
        elif found["open"] and word not in OPENERS:
            end = _closing(text, at)
            yield at, end
            at = end


def _state(text: str, start: int) -> tuple[int, int]:
    """Return start and end of a state; it is empty for a state of a region."""
    if _PLACED.match(text, start):
        return start, start
    depth, end = 0, len(text)
    for found in _END.finditer(text, start):
        depth += {"(": 1, ")": -1}.get(found[0], 0)
        stops = depth == 0 and (found["end"] or _ends_state(text, start, found))
        if depth < 0 or stops:
            end = found.start()
            break
    inside = text[start:end]
    first = start + len(inside) - len(inside.lstrip())
    return first, max(first, start + len(inside.rstrip()))


def _ends_state(text: str, start: int, found: re.Match[str]) -> bool:
    """True if `x3` is a number of times, or `select +a.v` a clause, and the state is complete.

    Both words are attributes if a value is still missing before them.
    """
    before = text[start : found.start()].rstrip()
    may_end = found["times"] is not None or found["signed"] is not None
    return may_end and bool(before) and not _INCOMPLETE.search(before)


def _closing(text: str, start: int) -> int:
    depth = 1
    for found in _BRACKET.finditer(text, start):
        depth += {"(": 1, ")": -1}.get(found[0], 0)
        if depth == 0:
            return found.start()
    raise SyntaxProblem(
        "the parenthesis is not closed",
        code=CODE,
        place=Place.at(text, start - 1),
        token="(",
        hint="close the condition with ), as in order(price < 400); a parenthesis inside quotes"
        " does not count",
    )


def _blank_comment(found: re.Match[str]) -> str:
    return " " * len(found[1]) if found[1] else found[0]


def _refuse_private(text: str) -> None:
    for offset, character in enumerate(text):
        if ord(character) >= PRIVATE:
            raise SyntaxProblem(
                "a character of private use has no place in a rule",
                code=CODE,
                place=Place.at(text, offset),
                token=ascii(character),
                hint="leave it out, or compare with an attribute that holds it",
            )


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
