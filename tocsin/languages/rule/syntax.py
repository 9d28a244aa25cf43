"""Syntax tree of a rule, from text or builder, before its meaning is decided.

Trees are equal if they say the same; places in the text do not count. Text and builder are two
spellings of one tree: the text that `writing` prints is read back as the same tree.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias, assert_never

from tocsin.languages.base.texts import SourceSpan
from tocsin.values.time import Duration

NOWHERE = SourceSpan(0, "")
"""Spot of a node made by the builder: it is in no text."""

Number = int | float


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSyntaxNode:
    """Base of the nodes: the spot and the nesting depth, neither of which is compared."""

    spot: SourceSpan = field(default=NOWHERE, compare=False, repr=False)
    depth: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Length(RuleSyntaxNode):
    """A duration in microseconds; -1 if the text at the spot is not a duration."""

    microseconds: Duration


@dataclass(frozen=True, slots=True)
class PathName(RuleSyntaxNode):
    """An attribute as written, `order.items`; `each` with `[]`, for every element."""

    text: str
    each: bool = False


@dataclass(frozen=True, slots=True)
class EventAtom(RuleSyntaxNode):
    """`move(kind = 'left')`: a type, or a name of the catalog, and a condition, which may be empty.

    `start` is the offset of the condition in the text.
    """

    type: str
    condition: str = ""
    start: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class EmbeddedAtom(RuleSyntaxNode):
    """`graph{ ... }`: a text of another language, which starts at an offset."""

    language: str
    text: str
    start: int = field(default=0, compare=False, repr=False)


AtomSyntax: TypeAlias = EventAtom | EmbeddedAtom


@dataclass(frozen=True, slots=True)
class Region(RuleSyntaxNode):
    """A region: its name in the catalog, or POLYGON(...) written out."""

    text: str


@dataclass(frozen=True, slots=True)
class Meets(RuleSyntaxNode):
    """The state in which a condition of `selector` holds; it starts at an offset."""

    condition: str
    start: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Inside(RuleSyntaxNode):
    """The state of a place inside a region."""

    region: Region


@dataclass(frozen=True, slots=True)
class NearRegion(RuleSyntaxNode):
    """The state of a place at most the distance away from a region."""

    region: Region
    distance: Number


StateSyntax: TypeAlias = Meets | Inside | NearRegion


@dataclass(frozen=True, slots=True)
class StateChangeSyntax(RuleSyntaxNode):
    """`BECOMES`, `CEASES`, `HOLDS`, `ENTERS` or `LEAVES`; only HOLDS has a length, and needs it."""

    atom: AtomSyntax
    word: str
    state: StateSyntax
    length: Length | None = None


@dataclass(frozen=True, slots=True)
class AggregateSyntax(RuleSyntaxNode):
    """`COUNT(atom)`, `COUNT(DISTINCT atom.path)`, `SUM(atom.path)` and its like.

    The grammar accepts a composite here, too; it cannot be counted and is refused at lowering.
    """

    function: str
    atom: PartSyntax
    path: PathName | None = None
    distinct: bool = False


@dataclass(frozen=True, slots=True)
class Slides(RuleSyntaxNode):
    """A comparison of an aggregate, over a sliding or tumbling window, with a number."""

    aggregate: AggregateSyntax
    relation: str
    value: Number
    over: Length
    every: Length | None = None


@dataclass(frozen=True, slots=True)
class Repeat(RuleSyntaxNode):
    """`xN..M`; without an upper limit `xN+`."""

    least: int
    most: int | None


@dataclass(frozen=True, slots=True)
class Unit(RuleSyntaxNode):
    """A part with a name or a number of times, or both."""

    core: PartSyntax
    name: str = ""
    repeat: Repeat | None = None


@dataclass(frozen=True, slots=True)
class SequenceStep(RuleSyntaxNode):
    """One step of a sequence: a part or its absence, with or without WITHIN."""

    part: PartSyntax
    absent: bool = False
    within: Length | None = None


@dataclass(frozen=True, slots=True)
class RuleSequence(RuleSyntaxNode):
    """Steps in a row; a single one is an absence or has a WITHIN."""

    steps: tuple[SequenceStep, ...]


@dataclass(frozen=True, slots=True)
class AllenRelation(RuleSyntaxNode):
    """Two parts in an Allen relation, `DURING` or `MET BY`, or not in it."""

    left: PartSyntax
    relation: str
    right: PartSyntax
    negated: bool = False


@dataclass(frozen=True, slots=True)
class RuleAnd(RuleSyntaxNode):
    """Every part, in any order."""

    parts: tuple[PartSyntax, ...]


@dataclass(frozen=True, slots=True)
class RuleOr(RuleSyntaxNode):
    """One of the parts."""

    parts: tuple[PartSyntax, ...]


PartSyntax: TypeAlias = (
    AtomSyntax | StateChangeSyntax | Slides | Unit | RuleSequence | AllenRelation | RuleAnd | RuleOr
)


@dataclass(frozen=True, slots=True)
class RuleAttribute(RuleSyntaxNode):
    """`a.price`: an attribute of the part with the name."""

    name: str
    path: str


@dataclass(frozen=True, slots=True)
class RuleConstant(RuleSyntaxNode):
    """A number, a text or a truth value."""

    value: Number | str | bool
    kind: str = field(init=False, repr=False)

    def __post_init__(self) -> None:
        kind = {bool: "boolean", str: "text"}.get(type(self.value), "number")
        object.__setattr__(self, "kind", kind)  # compared, too: in Python True == 1


@dataclass(frozen=True, slots=True)
class RuleArithmetic(RuleSyntaxNode):
    """`+ - * /` between two values, or a sign before one."""

    operator: str
    operands: tuple[ValueSyntax, ...]


@dataclass(frozen=True, slots=True)
class Over(RuleSyntaxNode):
    """An aggregate over a repeated part: `COUNT(b)`, `SUM(b.amount)`, `FIRST(b).x`."""

    function: str
    name: str
    path: str = ""


@dataclass(frozen=True, slots=True)
class Distance(RuleSyntaxNode):
    """`DISTANCE(a, b)`: the distance between the places of two parts."""

    left: str
    right: str


ValueSyntax: TypeAlias = RuleAttribute | RuleConstant | RuleArithmetic | Over | Distance


@dataclass(frozen=True, slots=True)
class RuleComparison(RuleSyntaxNode):
    """Two values in one of the relations `= <> < <= > >=`; the spot is the relation's."""

    left: ValueSyntax
    relation: str
    right: ValueSyntax


@dataclass(frozen=True, slots=True)
class SelectItem(RuleSyntaxNode):
    """A value of SELECT and its name; without one the name follows from the value."""

    value: ValueSyntax
    name: str = ""


@dataclass(frozen=True, slots=True)
class RuleSyntax(RuleSyntaxNode):
    """Pattern and clauses of a rule; `ring` and `policy` are empty without the clause."""

    when: PartSyntax
    keys: tuple[PathName, ...] = ()
    where: tuple[RuleComparison, ...] = ()
    all_within: Length | None = None
    ring: str = ""
    select: tuple[SelectItem, ...] = ()
    policy: str = ""
    horizon: Length | None = None
    spots: Mapping[str, SourceSpan] = field(default_factory=dict, compare=False, repr=False)

    def spot_of(self, clause: str) -> SourceSpan:
        """Return the place of a clause, by the name of its field."""
        return self.spots.get(clause, self.spot)


def children(node: PartSyntax) -> tuple[PartSyntax, ...]:
    """Return the parts directly inside a part, in the order of the text."""
    match node:
        case EventAtom() | EmbeddedAtom():
            return ()
        case StateChangeSyntax(atom):
            return (atom,)
        case Slides(aggregate):
            return (aggregate.atom,)
        case Unit(core):
            return (core,)
        case RuleSequence(steps):
            return tuple(step.part for step in steps)
        case AllenRelation(left, _, right):
            return (left, right)
        case RuleAnd(parts) | RuleOr(parts):
            return parts
        case _:
            assert_never(node)


def nodes_of(node: PartSyntax) -> Iterator[PartSyntax]:
    """Yield the part and everything inside it, in the order of the text."""
    yield node
    for child in children(node):
        yield from nodes_of(child)


def values_in(value: ValueSyntax) -> Iterator[ValueSyntax]:
    """Yield the value and everything inside it."""
    yield value
    if isinstance(value, RuleArithmetic):
        for operand in value.operands:
            yield from values_in(operand)


def lengths_of(rule: RuleSyntax) -> Iterator[Length]:
    """Yield every duration of a rule, in the order of the text."""
    for node in nodes_of(rule.when):
        match node:
            case StateChangeSyntax(length=Length() as length):
                yield length
            case Slides(over=over, every=every):
                yield over
                yield from (every,) if every else ()
            case RuleSequence(steps):
                yield from (step.within for step in steps if step.within)
            case _:
                pass
    yield from (each for each in (rule.all_within, rule.horizon) if each)


RELATIONS = ("=", "<>", "<", "<=", ">", ">=")
ALLEN = (
    "BEFORE",
    "AFTER",
    "MEETS",
    "MET BY",
    "OVERLAPS",
    "OVERLAPPED BY",
    "STARTS",
    "STARTED BY",
    "DURING",
    "CONTAINS",
    "FINISHES",
    "FINISHED BY",
    "EQUALS",
)
FUNCTIONS = ("COUNT", "SUM", "AVG", "MIN", "MAX")
EMIT_MODES = ("ON CHANGE", "EVERY TIME", "ONCE")
