"""Clauses, and the distinct parts of all of them: found by name if that is enough.

Clauses: a concept in disjunctive form; each clause has required and refused parts.

A part is a symbol of the event or the existence of a value. `forall R.C` is the refusal of `exists
R.(not C)`. A concept without such a form, or with too many alternatives, stays as a rest that is
evaluated. In a closed world, an event with plain assertions only is an instance iff it meets a
clause.

If a filler is a union of symbols and enumerations, the name of a value, or a symbol of it, leads to
the part; a comparison is found by its limit, by bisection, so that only comparisons that hold are
touched (`!=` holds for nearly every value and is evaluated). Any other filler is evaluated, once
per value that has no facts beyond its name.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, product
from typing import Any

from tocsin.engine.concepts.facts import EventFacts
from tocsin.engine.index.growable import CountedSlots
from tocsin.engine.index.matcher_parts import WorkCounters
from tocsin.knowledge.concepts.assertions import EVENT, Individual, IndividualKind, World
from tocsin.knowledge.concepts.concept import (
    Complement,
    Concept,
    Conjunction,
    Datatype,
    Disjunction,
    Enumeration,
    Exists,
    ForAll,
    Nothing,
    Symbol,
    Thing,
    Value,
    concepts_in,
    normal_form,
)
from tocsin.knowledge.concepts.datatypes import PREFIX, TYPES
from tocsin.values.truth import Truth

Part = Symbol | Exists

LIMIT = 64
"""Most clauses of a concept."""


@dataclass(frozen=True, slots=True)
class ConceptClause:
    """An alternative: every required part holds, no refused one does, and each rest does."""

    required: frozenset[Part] = frozenset()
    refused: frozenset[Part] = frozenset()
    rest: tuple[Concept, ...] = ()

    @property
    def is_monotone(self) -> bool:
        """True if more knowledge can never undo it; then open and closed world agree."""
        return not self.refused and not self.rest and all(map(_is_monotone, self.required))


def clauses_of(concept: Concept) -> tuple[ConceptClause, ...]:
    """Return the clauses of a concept in negation normal form; empty for Nothing."""
    match concept:
        case Thing():
            return (ConceptClause(),)
        case Nothing():
            return ()
        case Symbol() | Exists():
            return (ConceptClause(required=frozenset((concept,))),)
        case Complement(operand) if isinstance(operand, Symbol):
            return (ConceptClause(refused=frozenset((operand,))),)
        case ForAll(role, filler):
            return (
                ConceptClause(
                    refused=frozenset((Exists(role, normal_form(filler, negated=True)),))
                ),
            )
        case Disjunction(operands):
            return _limited(concept, [each for operand in operands for each in clauses_of(operand)])
        case Conjunction(operands):
            return _conjoined(concept, [clauses_of(operand) for operand in operands])
        case _:
            return (ConceptClause(rest=(concept,)),)


def _conjoined(
    concept: Concept, choices: list[tuple[ConceptClause, ...]]
) -> tuple[ConceptClause, ...]:
    """Combine one clause of each operand; operands that would exceed the limit become a rest."""
    size = 1
    for number, each in enumerate(choices):
        size *= len(each)
        if size > LIMIT:
            assert isinstance(concept, Conjunction)
            choices[number] = (ConceptClause(rest=(concept.operands[number],)),)
            size //= len(each)
    return tuple(dict.fromkeys(map(_together, product(*choices))))


def _together(clauses: Iterable[ConceptClause]) -> ConceptClause:
    chosen = tuple(clauses)
    return ConceptClause(
        frozenset().union(*(each.required for each in chosen)),
        frozenset().union(*(each.refused for each in chosen)),
        tuple(dict.fromkeys(rest for each in chosen for rest in each.rest)),
    )


def _limited(concept: Concept, clauses: list[ConceptClause]) -> tuple[ConceptClause, ...]:
    return (
        tuple(dict.fromkeys(clauses))
        if len(clauses) <= LIMIT
        else (ConceptClause(rest=(concept,)),)
    )


def _is_monotone(part: Part) -> bool:
    return not any(
        isinstance(each, ForAll)
        or (isinstance(each, Complement) and isinstance(each.operand, Symbol))
        for each in concepts_in(part)
    )


_Sorted = list[tuple[Any, int]]
_LAST = float("inf")

_MET: dict[str, Callable[[_Sorted, Any], _Sorted]] = {
    "<": lambda limits, value: limits[bisect_right(limits, (value, _LAST)) :],
    "<=": lambda limits, value: limits[bisect_left(limits, (value, -1)) :],
    ">": lambda limits, value: limits[: bisect_left(limits, (value, -1))],
    ">=": lambda limits, value: limits[: bisect_right(limits, (value, _LAST))],
    "=": lambda limits, value: limits[
        bisect_left(limits, (value, -1)) : bisect_right(limits, (value, _LAST))
    ],
}
"""The limits, of those with the relation, for which it holds from the value."""


class DatatypeRanges:
    """Numbers of restricted datatypes by type and relation, in the order of their limits."""

    __slots__ = ("_limits",)

    def __init__(self) -> None:
        self._limits: dict[tuple[str, str], _Sorted] = {}

    def __len__(self) -> int:
        return sum(map(len, self._limits.values()))

    @staticmethod
    def takes(datatype: object) -> bool:
        """True if a filler is a comparison that can be indexed here."""
        return isinstance(datatype, Datatype) and datatype.relation in _MET

    def add(self, datatype: Datatype, number: int) -> None:
        """Add a comparison."""
        limits = self._limits.setdefault((datatype.type, datatype.relation), [])
        insort(limits, (_read(datatype.type, datatype.value), number))

    def remove(self, datatype: Datatype, number: int) -> None:
        """Remove a comparison."""
        key = (datatype.type, datatype.relation)
        limits = self._limits[key]
        del limits[bisect_left(limits, (_read(datatype.type, datatype.value), number))]
        if not limits:
            del self._limits[key]

    def met_by(self, value: Value) -> Iterator[int]:
        """Yield the numbers of the comparisons that a literal meets."""
        for (type_, relation), limits in self._limits.items():
            mine = _read(type_, value)
            if mine is not None:
                yield from (number for _, number in _MET[relation](limits, mine))


def _read(type_: str, value: Value) -> Any:
    return TYPES[type_.removeprefix(PREFIX)].read(value)


REMEMBERED = 50_000
"""Most values with cached parts per role; beyond it the cache is cleared."""

_Evaluated = tuple[tuple[int, ...], tuple[int, ...]]
"""The parts that a value certainly has, and those for which that is unknown."""


@dataclass(slots=True)
class _Role:
    """The existence parts of one role: by names and by symbols that decide them, and those to
    evaluate.

    Of the latter, `excluding` are those that only exclude enumerated names.
    """

    parts: dict[int, Concept] = field(default_factory=dict)
    by_element: dict[str, list[int]] = field(default_factory=dict)
    by_symbol: dict[str, list[int]] = field(default_factory=dict)
    ranges: DatatypeRanges = field(default_factory=DatatypeRanges)
    evaluated: dict[int, Concept] = field(default_factory=dict)
    excluding: dict[int, frozenset[str]] = field(default_factory=dict)
    remembered: dict[tuple[int, str], _Evaluated] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EventLiterals:
    """The parts that an event may have, and those that it certainly has; equal if nothing is
    unknown.

    `symbols` are the symbols among the possible ones; `exact` is True if nothing is unknown.
    """

    possible: set[int]
    certain: set[int]
    symbols: list[int]
    exact: bool


class LiteralTable:
    """Numbers of parts, with reference counts; the number of an unused part is reused."""

    __slots__ = ("_numbers", "_roles", "_symbols", "_work")

    def __init__(self, work: WorkCounters) -> None:
        self._work = work
        self._numbers = CountedSlots[Part]()
        self._symbols: dict[Symbol, int] = {}
        self._roles: dict[str, _Role] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    def use(self, part: Part) -> int:
        """Count one more use of a part; return its number."""
        is_new = self._numbers.slot_of(part) is None
        number = self._numbers.use(part)
        if is_new:
            self._enter(part, number)
        return number

    def release(self, part: Part) -> int:
        """Count one use less of a part; return its number. Removes the part with its last use."""
        number = self._numbers.slot_of(part)
        assert number is not None
        if self._numbers.release(number):
            self._leave(part, number)
        return number

    def literals_of(self, facts: EventFacts) -> EventLiterals:
        """Return the parts that an event has."""
        return self._plain(facts) if facts.is_plain else self._other(facts)

    def _other(self, facts: EventFacts) -> EventLiterals:
        possible, certain = set[int](), set[int]()
        for number, part in self._concerned(facts):
            self._work.predicate_evaluations += 1
            known = facts.truth(part, EVENT, World.CLOSED)
            if known is not Truth.FALSE:
                possible.add(number)
            if known is Truth.TRUE:
                certain.add(number)
        return EventLiterals(
            possible,
            certain,
            [number for number in self._symbols.values() if number in possible],
            False,
        )

    def _plain(self, facts: EventFacts) -> EventLiterals:
        symbols = [
            self._symbols[each] for each in facts.certain.get(EVENT, ()) if each in self._symbols
        ]
        certain, unknown = set(symbols), set[int]()
        for role, values in facts.values_of(EVENT).items():
            known = self._roles.get(role)
            if known is not None:
                for value in values:
                    self._note(known, value, facts, certain, unknown)
        unknown -= certain
        return EventLiterals(
            certain | unknown if unknown else certain, certain, symbols, not unknown
        )

    def _note(
        self,
        role: _Role,
        value: Individual,
        facts: EventFacts,
        certain: set[int],
        unknown: set[int],
    ) -> None:
        if value.kind is not IndividualKind.LITERAL:
            certain.update(role.by_element.get(value.name, ()))
            for each in facts.certain.get(value, ()):
                if isinstance(each, Symbol):
                    certain.update(role.by_symbol.get(each.name, ()))
        if value.kind is IndividualKind.PLACEHOLDER:
            # it may be one of the listed individuals
            unknown.update(chain.from_iterable(role.by_element.values()))
        if value.value is not None and len(role.ranges):
            certain.update(role.ranges.met_by(value.value))
        if role.evaluated:
            having, perhaps = self._evaluated(role, value, facts)
            certain.update(having)
            unknown.update(perhaps)

    def _evaluated(self, role: _Role, value: Individual, facts: EventFacts) -> _Evaluated:
        """Evaluate the other fillers for a value; cached if its name and kind are all that is known
        of it.
        """
        if value in facts.values:
            return self._having(role, value, facts)
        key = (value.kind, value.name)
        if key not in role.remembered:
            if len(role.remembered) >= REMEMBERED:
                role.remembered.clear()
            role.remembered[key] = self._having(role, value, facts)
        return role.remembered[key]

    def _having(self, role: _Role, value: Individual, facts: EventFacts) -> _Evaluated:
        self._work.predicate_evaluations += len(role.evaluated)
        is_known = value.kind is not IndividualKind.PLACEHOLDER
        settled = role.excluding if is_known else {}
        truths = [
            (number, facts.truth(filler, value, World.CLOSED))
            for number, filler in role.evaluated.items()
            if number not in settled
        ]
        name = value.name if value.kind is IndividualKind.NAMED else None
        certain = [number for number, known in truths if known is Truth.TRUE]
        certain += [number for number, names in settled.items() if name not in names]
        return (
            tuple(certain),
            tuple(number for number, known in truths if known is Truth.UNKNOWN),
        )

    def _concerned(self, facts: EventFacts) -> Iterator[tuple[int, Part]]:
        """Yield the parts that are not already false because the event does not mention them."""
        for symbol, number in self._symbols.items():
            yield number, symbol
        for name, role in self._roles.items():
            if name in facts.values_of(EVENT) or not facts.denials.has_all_values(EVENT, name):
                yield from ((number, Exists(name, filler)) for number, filler in role.parts.items())

    def _enter(self, part: Part, number: int) -> None:
        if isinstance(part, Symbol):
            self._symbols[part] = number
            return
        role = self._roles.setdefault(part.role, _Role())
        role.parts[number] = part.filler
        if isinstance(part.filler, Datatype) and DatatypeRanges.takes(part.filler):
            role.ranges.add(part.filler, number)
            return
        names = _names_of(part.filler)
        if names is None:
            role.evaluated[number] = part.filler
            excluded = _excluded_by(part.filler)
            if excluded is not None:
                role.excluding[number] = excluded
            role.remembered.clear()
            return
        for table, name in _entries(role, *names):
            table.setdefault(name, []).append(number)

    def _leave(self, part: Part, number: int) -> None:
        if isinstance(part, Symbol):
            del self._symbols[part]
            return
        role = self._roles[part.role]
        del role.parts[number]
        if not role.parts:
            del self._roles[part.role]
        elif isinstance(part.filler, Datatype) and DatatypeRanges.takes(part.filler):
            role.ranges.remove(part.filler, number)
        elif number in role.evaluated:
            del role.evaluated[number]
            role.excluding.pop(number, None)
            role.remembered.clear()
        else:
            for table, name in _entries(role, *(_names_of(part.filler) or ((), ()))):
                table[name].remove(number)
                if not table[name]:
                    del table[name]


def _entries(
    role: _Role, elements: Iterable[str], symbols: Iterable[str]
) -> Iterator[tuple[dict[str, list[int]], str]]:
    yield from ((role.by_element, name) for name in elements)
    yield from ((role.by_symbol, name) for name in symbols)


def _names_of(filler: Concept) -> tuple[set[str], set[str]] | None:
    """Return the elements and symbols whose union the filler is; None for any other filler."""
    operands = filler.operands if isinstance(filler, Disjunction) else (filler,)
    if not all(isinstance(each, Symbol | Enumeration) for each in operands):
        return None
    elements = {
        name for each in operands if isinstance(each, Enumeration) for name in each.elements
    }
    return elements, {each.name for each in operands if isinstance(each, Symbol)}


def _excluded_by(filler: Concept) -> frozenset[str] | None:
    """Return the names that the filler excludes, if it only excludes enumerations; else None.

    A named individual, or a literal, has such a filler unless its name is among them.
    """
    operands = filler.operands if isinstance(filler, Conjunction) else (filler,)
    names: set[str] = set()
    for each in operands:
        if not isinstance(each, Complement) or not isinstance(each.operand, Enumeration):
            return None
        names.update(each.operand.elements)
    return frozenset(names)
