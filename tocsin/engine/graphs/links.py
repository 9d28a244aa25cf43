"""Links: statements without their ends, each numbered once; shapes are made of them.

A plain link is decided by the classes and the property of an arc alone, so arcs with equal ones are
looked up once. Comparisons with a number are decided for many at once: numbered, with their limits
in an array. Limits are kept as floats, whose order never contradicts that of the exact numbers; if
float and limit are equal the exact numbers decide.

The shape of a pattern: its statements without names of variables, in search order.

Patterns that differ only in names, and nearly always those that differ in the order of statements,
have one shape and are searched once. A statement is ready as soon as its subject has an image. One
whose object has one, too, comes first, because it only tests; then those that continue from the
newest position.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from tocsin.engine.graphs.encoding import Arc, EncodedGraph
from tocsin.engine.index.growable import BYTE, FLOAT64, INT32, CountedSlots, Growable, put
from tocsin.knowledge.ontology import Ontology
from tocsin.plan.nodes.graphs import (
    RELATIONS,
    Comparison,
    Filter,
    GraphPattern,
    Home,
    Injective,
    StatementPattern,
    Variable,
    Vertex,
    conditions_of,
)
from tocsin.values.terms import Family, Iri, Literal, Term, value_of

NO_THRESHOLD = -1

_CODES = {relation: code for code, relation in enumerate(RELATIONS)}
_LESS = np.array([relation in ("<", "<=", "!=") for relation in RELATIONS])
_GREATER = np.array([relation in (">", ">=", "!=") for relation in RELATIONS])

Numbers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


class Thresholds:
    """Comparisons in use, with reference counts; the number of an unused one is reused."""

    __slots__ = ("_limits", "_numbers", "_relations")

    def __init__(self) -> None:
        self._numbers = CountedSlots[Comparison]()
        self._limits = Growable(FLOAT64)
        self._relations = Growable(BYTE)

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def capacity(self) -> int:
        """One more than the highest number."""
        return self._numbers.capacity

    def use(self, condition: Filter | None) -> int:
        """Count one more use of a comparison; return its number.

        NO_THRESHOLD for a filter that is not a comparison with a number.
        """
        limit = _number(condition.value) if isinstance(condition, Comparison) else None
        if limit is None or not isinstance(condition, Comparison):
            return NO_THRESHOLD
        number = self._numbers.use(condition)
        put(self._limits, number, limit)
        put(self._relations, number, _CODES[condition.relation])
        return number

    def release(self, number: int) -> None:
        """Count one use less; remove the comparison with its last use."""
        self._numbers.release(number)

    def true_of(self, term: Term, wanted: Numbers, graph: EncodedGraph) -> Flags:
        """Return a flag per number: True if that comparison is wanted and TRUE of a term."""
        answers = np.zeros(self.capacity, np.bool_)
        number = _number(term)
        if number is None:
            # NaN and resources differ from every number; other literals do not compare
            odd = _is_nan(term) or not isinstance(term, Literal)
            answers[wanted] = self._one_by_one(wanted, term, graph) if odd else False
            return answers
        limits, codes = self._limits.array[wanted], self._relations.array[wanted]
        answers[wanted] = np.where(number < limits, _LESS[codes], _GREATER[codes])
        close = wanted[limits == number]
        answers[close] = self._one_by_one(close, term, graph)
        graph.decided_at_once += len(wanted) - len(close)
        return answers

    def _one_by_one(self, wanted: Numbers, term: Term, graph: EncodedGraph) -> list[bool]:
        return [graph.passes(self._numbers.item_at(number), term) for number in wanted.tolist()]


def _number(term: Term) -> float | None:
    """Return the approximate number of a literal; None if it is not a number, or NaN."""
    content = _content(term)
    return None if content is None or content.is_nan() else float(content)


def _is_nan(term: Term) -> bool:
    content = _content(term)
    return content is not None and content.is_nan()


def _content(term: Term) -> Decimal | None:
    value = value_of(term) if isinstance(term, Literal) else None
    if value is None or value.family is not Family.NUMBER or not isinstance(value.content, Decimal):
        return None
    return value.content


Look = tuple[tuple[str, ...], tuple[str, ...], bool]
"""The classes of both ends of an arc, and True if it ends in a literal."""

NO_LINK = -1
_REMEMBERED = 1 << 16
"""Most cached looks of arcs for one property."""


@dataclass(frozen=True, slots=True)
class LinkPattern:
    """Conditions of a statement on an arc and its two ends; or on a path of arcs if repeated."""

    subject_class: str
    property: str
    object_class: str
    filter: Filter | None = None
    repeated: bool = False

    @staticmethod
    def of(statement: StatementPattern) -> LinkPattern:
        """Return the link of a statement."""
        return LinkPattern(
            statement.subject_class,
            statement.property,
            statement.object_class,
            statement.filter,
            statement.repeated,
        )

    def is_plain(self) -> bool:
        """True if classes and property decide it."""
        return self.filter is None and not self.repeated

    def base(self) -> LinkPattern | None:
        """Return the plain link that this one requires; None for a path."""
        if self.repeated:
            return None
        return self if self.filter is None else replace(self, filter=None)


class LinkTable:
    """The links in use under one ontology, with reference counts; the number of an unused link is
    reused.
    """

    __slots__ = (
        "_numbers",
        "_plain",
        "_remembered",
        "bases",
        "ontology",
        "threshold_of",
        "thresholds",
    )

    def __init__(self, ontology: Ontology) -> None:
        self.ontology = ontology
        self._numbers = CountedSlots[LinkPattern]()
        self._plain: dict[tuple[str, str], dict[str, int]] = {}
        self._remembered: dict[str, dict[Look, Numbers]] = {}
        self.bases = Growable(INT32)
        """The plain link that a link requires; NO_LINK for a path."""
        self.threshold_of = Growable(INT32)
        """The comparison with a number that a link adds to its base; NO_THRESHOLD for others."""
        self.thresholds = Thresholds()

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def capacity(self) -> int:
        """One more than the highest number."""
        return self._numbers.capacity

    def number(self, link: LinkPattern) -> int | None:
        """Return the number of a link in use; None for a new one."""
        return self._numbers.slot_of(link)

    def link(self, number: int) -> LinkPattern:
        """Return the link with a number."""
        return self._numbers.item_at(number)

    def use(self, link: LinkPattern) -> int:
        """Count one more use of a link, and of its base; return its number."""
        base = link.base()
        if base is not None and base != link:
            self.use(base)
        is_new = self._numbers.slot_of(link) is None
        number = self._numbers.use(link)
        if is_new:
            self._enter(number, link)
        return number

    def release(self, number: int) -> None:
        """Count one use less of a link, and of its base."""
        link = self._numbers.item_at(number)
        base = self.bases[number]
        if base not in (NO_LINK, number):
            self.release(base)
        if self._numbers.release(number):
            self._leave(number, link)

    def of_arc(self, arc: Arc) -> Numbers:
        """Return the plain links that an arc satisfies."""
        looks = self._remembered.setdefault(arc.property, {})
        look = (arc.subject_classes, arc.object_classes, isinstance(arc.term, Literal))
        found = looks.get(look)
        if found is None:
            if len(looks) >= _REMEMBERED:
                looks.clear()
            found = looks[look] = self._found(arc)
        return found

    def _found(self, arc: Arc) -> Numbers:
        order = self.ontology
        above = order.superdatatypes if isinstance(arc.term, Literal) else order.superclasses
        subjects = {each for one in arc.subject_classes for each in order.superclasses(one)}
        objects = {each for one in arc.object_classes for each in above(one)}
        starts = (
            self._plain.get((used, each), {})
            for used in order.superproperties(arc.property)
            for each in subjects
        )
        return np.array(
            sorted(ends[each] for ends in starts for each in ends.keys() & objects), np.int64
        )

    def _enter(self, number: int, link: LinkPattern) -> None:
        base = link.base()
        base_number = None if base is None else self._numbers.slot_of(base)
        put(self.bases, number, NO_LINK if base_number is None else base_number)
        threshold = NO_THRESHOLD if link.repeated else self.thresholds.use(link.filter)
        put(self.threshold_of, number, threshold)
        if link.is_plain():
            self._plain.setdefault((link.property, link.subject_class), {})[link.object_class] = (
                number
            )
            self._forget(link.property)

    def _leave(self, number: int, link: LinkPattern) -> None:
        if self.threshold_of[number] != NO_THRESHOLD:
            self.thresholds.release(self.threshold_of[number])
        if link.is_plain():
            ends = self._plain[link.property, link.subject_class]
            del ends[link.object_class]
            if not ends:
                del self._plain[link.property, link.subject_class]
            self._forget(link.property)

    def _forget(self, changed: str) -> None:
        """Drop cached looks of arcs that may satisfy a link with this property."""
        for used in [
            each for each in self._remembered if changed in self.ontology.superproperties(each)
        ]:
            del self._remembered[used]


HOME_POSITION = 0

Words: TypeAlias = tuple[str, str, str, str, bool]


@dataclass(frozen=True, slots=True)
class SearchStep:
    """A statement between two positions; it binds if the object has no image before."""

    subject: int
    object: int
    link: LinkPattern
    binds: bool


@dataclass(frozen=True, slots=True)
class PatternShape:
    """Steps over positions: home, then the constants, then variables as the steps reach them.

    `exact` is the pattern itself if the steps alone do not decide it.
    """

    constants: tuple[Iri | Literal, ...]
    variables: int
    steps: tuple[SearchStep, ...]
    injective: Injective
    exact: GraphPattern | None = None

    @property
    def positions(self) -> int:
        """Number of ids."""
        return 1 + len(self.constants) + self.variables


def shape_of(pattern: GraphPattern) -> PatternShape:
    """Return the shape of a pattern; select and optional groups are not part of it."""
    constants = sorted((each for each in pattern.ids if isinstance(each, Iri | Literal)), key=str)
    positions: dict[Vertex, int] = {each: place for place, each in enumerate((Home(), *constants))}
    steps = _ordered(list(dict.fromkeys(pattern.statements)), positions)
    is_open = bool(pattern.absents or conditions_of(pattern.statements))
    exact = replace(pattern, select=(), optionals=()) if is_open else None
    variables = sum(isinstance(each, Variable) for each in positions)
    return PatternShape(tuple(constants), variables, steps, pattern.injective, exact)


def _ordered(
    statements: list[StatementPattern], positions: dict[Vertex, int]
) -> tuple[SearchStep, ...]:
    """Return the statements as steps; assigns every variable a position."""
    waiting = {each: _words(each) for each in statements}
    steps: list[SearchStep] = []

    def preference(each: StatementPattern) -> tuple[bool, int, Words, int]:
        """Rank tests first, then the newest position; words make the order deterministic."""
        place = positions.get(each.object)
        return (place is None, -positions[each.subject], waiting[each], place or 0)

    while waiting:
        chosen = min((each for each in waiting if each.subject in positions), key=preference)
        del waiting[chosen]
        binds = chosen.object not in positions
        place = positions.setdefault(chosen.object, len(positions))
        steps.append(SearchStep(positions[chosen.subject], place, LinkPattern.of(chosen), binds))
    return tuple(steps)


def _words(statement: StatementPattern) -> Words:
    condition = "" if statement.filter is None else repr(statement.filter)
    return (
        statement.property,
        statement.object_class,
        statement.subject_class,
        condition,
        statement.repeated,
    )
