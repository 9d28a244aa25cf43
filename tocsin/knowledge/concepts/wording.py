"""A concept as text, in the ASCII spelling of the language; named enumerations by name."""

from __future__ import annotations

import json
import re
from typing import assert_never

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
