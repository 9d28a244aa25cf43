"""Concepts: ALC with enumerations and datatypes, as a tree. Identity by value.

In negation normal form a complement is only before a symbol, an enumeration or a datatype; operands
are neither nested in an operand of the same kind nor repeated. `expand` replaces names, see `tbox`;
this module does not resolve names. The text of a concept has the ASCII spelling of the language.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import assert_never

from tocsin.errors import MeaningProblem

Value = str | int | float | bool


@dataclass(frozen=True, slots=True)
class Thing:
    """Everything."""


@dataclass(frozen=True, slots=True)
class Nothing:
    """The empty concept."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """A concept known by name only; assertions alone decide its members."""

    name: str


@dataclass(frozen=True, slots=True)
class Enumeration:
    """The individuals of these names, sorted, and no others. `name` is for display only."""

    elements: tuple[str, ...]
    name: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        if not self.elements:
            raise MeaningProblem(
                "an enumeration has at least one element",
                code="EMPTY_ENUMERATION",
                token="{}",
                hint="name the individuals, or write Nothing",
            )


@dataclass(frozen=True, slots=True)
class Datatype:
    """The literals of a datatype that compare with a value: `=`, `!=`, `<`, `<=`, `>` or `>=`."""

    type: str
    relation: str
    value: Value


@dataclass(frozen=True, slots=True)
class Complement:
    """Everything that is not in the operand."""

    operand: Concept


@dataclass(frozen=True, slots=True)
class Conjunction:
    """Everything in all operands."""

    operands: tuple[Concept, ...]


@dataclass(frozen=True, slots=True)
class Disjunction:
    """Everything in at least one operand."""

    operands: tuple[Concept, ...]


@dataclass(frozen=True, slots=True)
class Exists:
    """Things with at least one value of the role in the filler."""

    role: str
    filler: Concept


@dataclass(frozen=True, slots=True)
class ForAll:
    """Things whose values of the role are all in the filler, or that have no value."""

    role: str
    filler: Concept


Leaf = Symbol | Enumeration | Datatype
Concept = (
    Thing
    | Nothing
    | Symbol
    | Enumeration
    | Datatype
    | Complement
    | Conjunction
    | Disjunction
    | Exists
    | ForAll
)


def enumeration(elements: Iterable[str], name: str = "") -> Enumeration:
    """Return the enumeration of individuals given in any order, repeated or not."""
    return Enumeration(tuple(sorted(set(elements))), name)


def conjunction(operands: Iterable[Concept]) -> Concept:
    """Return the conjunction; Thing without operands, Nothing if one operand is Nothing."""
    flat = dict.fromkeys(inner for each in operands for inner in _inner(each, Conjunction))
    flat.pop(Thing(), None)
    if Nothing() in flat:
        return Nothing()
    return next(iter(flat)) if len(flat) == 1 else Conjunction(tuple(flat)) if flat else Thing()


def disjunction(operands: Iterable[Concept]) -> Concept:
    """Return the disjunction; Nothing without operands, Thing if one operand is Thing."""
    flat = dict.fromkeys(inner for each in operands for inner in _inner(each, Disjunction))
    flat.pop(Nothing(), None)
    if Thing() in flat:
        return Thing()
    return next(iter(flat)) if len(flat) == 1 else Disjunction(tuple(flat)) if flat else Nothing()


def normal_form(concept: Concept, *, negated: bool = False) -> Concept:
    """Return the concept, or its complement, in negation normal form.

    A negated datatype keeps its complement: `not <` is not `>=`.
    """
    match concept:
        case Complement(operand):
            return normal_form(operand, negated=not negated)
        case Conjunction(operands) | Disjunction(operands):
            join = conjunction if isinstance(concept, Conjunction) is not negated else disjunction
            return join(normal_form(each, negated=negated) for each in operands)
        case Exists(role, filler) | ForAll(role, filler):
            inner = normal_form(filler, negated=negated)
            return (
                Exists(role, inner)
                if isinstance(concept, Exists) is not negated
                else ForAll(role, inner)
            )
        case Thing() | Nothing():
            return Thing() if isinstance(concept, Thing) is not negated else Nothing()
        case Symbol() | Enumeration() | Datatype():
            return Complement(concept) if negated else concept
        case _:
            assert_never(concept)


def conjuncts_of(concept: Concept) -> tuple[Concept, ...]:
    """Return the operands of a conjunction, nested ones flattened, each once; else the concept
    itself.
    """
    return tuple(dict.fromkeys(_inner(concept, Conjunction)))


def parts_of(concept: Concept) -> tuple[Concept, ...]:
    """Return the concepts directly inside a concept."""
    match concept:
        case Conjunction(operands) | Disjunction(operands):
            return operands
        case Complement(inner) | Exists(_, inner) | ForAll(_, inner):
            return (inner,)
        case _:
            return ()


def concepts_in(concept: Concept) -> Iterator[Concept]:
    """Yield the concept and everything inside it, from left to right."""
    waiting = [concept]
    while waiting:
        each = waiting.pop()
        yield each
        waiting += reversed(parts_of(each))


def symbols_in(concept: Concept) -> frozenset[str]:
    """Return the names of all symbols inside."""
    return frozenset(each.name for each in concepts_in(concept) if isinstance(each, Symbol))


def _inner(concept: Concept, kind: type[Conjunction | Disjunction]) -> tuple[Concept, ...]:
    return concept.operands if isinstance(concept, kind) else (concept,)


_SIMPLE = re.compile(r"[^\W\d_][\w-]*(?::[^\W\d_][\w-]*)?\*?")


def concept_text(concept: Concept) -> str:
    """Return the text that parses to the concept."""
    match concept:
        case Thing() | Nothing():
            return type(concept).__name__
        case Symbol(name):
            return name_text(name)
        case Enumeration(elements):
            return (
                concept.name and name_text(concept.name)
            ) or f"{{{', '.join(map(name_text, elements))}}}"
        case Datatype(type_, relation, value):
            return f"({type_} {relation} {json.dumps(value, ensure_ascii=False)})"
        case Complement(operand):
            return f"not {_operand_text(operand)}"
        case Conjunction(operands):
            return " and ".join(map(_operand_text, operands))
        case Disjunction(operands):
            return " or ".join(map(_operand_text, operands))
        case Exists(role, filler):
            return f"exists {name_text(role)}.{_operand_text(filler)}"
        case ForAll(role, filler):
            return f"forall {name_text(role)}.{_operand_text(filler)}"
        case _:
            assert_never(concept)


def name_text(name: str) -> str:
    """Return a name as the language writes it; an IRI in angle brackets."""
    return name if _SIMPLE.fullmatch(name) else f"<{name}>"


def _operand_text(concept: Concept) -> str:
    text = concept_text(concept)
    return f"({text})" if isinstance(concept, Conjunction | Disjunction) else text
