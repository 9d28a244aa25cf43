"""The second oracle: a concept read as a set, straight from the syntax tree and the JSON of an
event (spec 4.5).

It shares nothing with the tableau: no normal form, no expansion, no assertions. Good for events
whose types are base symbols and whose values are individuals, base symbols, literals or objects, in
a closed world.
"""

from __future__ import annotations

from operator import eq, ge, lt
from typing import Any

from tocsin.events.event import Event
from tocsin.knowledge.concepts.axioms import Definition, Specialisation
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
)
from tocsin.knowledge.concepts.tbox import TBox

COMPARE = {"<": lt, "=": eq, ">=": ge}


def is_instance(concept: Concept, event: Event, tbox: TBox, base: tuple[str, ...]) -> bool:
    """Whether the event is in the concept, which may use names of the TBox."""
    types = {event.type, *_listed(event.attributes.get("type"))}
    return _Walk(tbox, base).member(concept, event.attributes, types)


class _Walk:
    def __init__(self, tbox: TBox, base: tuple[str, ...]) -> None:
        self.tbox = tbox
        self.base = base

    def member(self, concept: Concept, thing: Any, types: set[str]) -> bool:
        match concept:
            case Thing():
                return True
            case Nothing():
                return False
            case Symbol(name):
                return self.has_name(name, thing, types)
            case Enumeration(elements):
                return _name(thing) in elements
            case Datatype(type_, relation, value):
                return _fits(thing, type_) and COMPARE[relation](thing, value)
            case Complement(operand):
                return not self.member(operand, thing, types)
            case Conjunction(operands):
                return all(self.member(each, thing, types) for each in operands)
            case Disjunction(operands):
                return any(self.member(each, thing, types) for each in operands)
            case Exists(role, filler):
                return any(
                    self.member(filler, each, self.types(each)) for each in _values(thing, role)
                )
            case ForAll(role, filler):
                return all(
                    self.member(filler, each, self.types(each)) for each in _values(thing, role)
                )

    def has_name(self, name: str, thing: Any, types: set[str]) -> bool:
        special = [
            axiom.concept
            for axiom in self.tbox.axioms
            if axiom.name == name and isinstance(axiom, Specialisation)
        ]
        if special:  # nothing asserts what distinguishes it, so nothing has it
            return False
        for axiom in self.tbox.axioms:
            if isinstance(axiom, Definition) and axiom.name == name:
                return self.member(axiom.concept, thing, types)
        return name in types

    def types(self, thing: Any) -> set[str]:
        return {thing} if isinstance(thing, str) and thing in self.base else set()


def _values(thing: Any, role: str) -> list[Any]:
    return _listed(thing.get(role)) if isinstance(thing, dict) else []


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _name(thing: Any) -> str | None:
    if isinstance(thing, str):
        return thing
    name = thing.get("id") if isinstance(thing, dict) else None
    return name if isinstance(name, str) else None


def _fits(thing: Any, type_: str) -> bool:
    return type(thing) is int if type_ == "xsd:int" else type(thing) in (int, float)
