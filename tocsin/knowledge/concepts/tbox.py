"""The TBox: the meaning of concept names. Immutable, acyclic, equal if its axioms are.

A name symbol stands on the left of an axiom, a base symbol only on the right. Expanding replaces
name symbols until only base symbols, enumerations and datatypes remain; `C <: D` is `C := C* and
D`, with `C*` for what makes a C of a D.

A name with several equivalences has two expansions (decision 0074): as a query (`queried`) it is
any of them, as an assertion it is all of them, and all that is above it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import assert_never

from tocsin.errors import LimitProblem, StateProblem
from tocsin.knowledge.concepts.assertions import Meant, named_individual, placeholder
from tocsin.knowledge.concepts.axioms import (
    Axiom,
    Definition,
    Equivalence,
    Refusal,
    Specialisation,
    refuse_cycle,
    refuse_redefined,
    refuse_reserved,
)
from tocsin.knowledge.concepts.concept import (
    Complement,
    Concept,
    Conjunction,
    Disjunction,
    Enumeration,
    Exists,
    ForAll,
    Symbol,
    concepts_in,
    conjunction,
    disjunction,
    enumeration,
    normal_form,
    parts_of,
    symbols_in,
)

SPECIAL = "*"
"""Suffix of the base symbol for the specific part of a specialised concept."""

SIZE_LIMIT = 20_000
"""Most parts of an expanded concept."""


class Expansion:
    """The expansions of names by a set of axioms; computed on first use."""

    def __init__(self, axioms: Iterable[Axiom], enumerated: Mapping[str, Enumeration]) -> None:
        given = tuple(axioms)
        equal: dict[str, tuple[Concept, ...]] = {}
        for axiom in given:
            if isinstance(axiom, Equivalence):
                equal[axiom.name] = (*equal.get(axiom.name, ()), axiom.concept)
        self.specialised = frozenset(
            each.name
            for each in given
            if isinstance(each, Specialisation) and each.name not in equal
        )
        """Names with specialisations and without equivalences."""
        self.defined: Mapping[str, Concept] = _defined(given, equal)
        """Right side of every name symbol, equivalences and specialisations conjoined."""
        self._queried = {name: disjunction(concepts) for name, concepts in equal.items()}
        self._enumerated = enumerated
        self._found: dict[tuple[str, bool], Concept] = {}
        self._sizes: dict[str, int] = {}

    def of(self, name: str, *, queried: bool) -> Concept:
        """Return the meaning of a name in base symbols and negation normal form.

        A base symbol, and any other name, is itself.
        """
        meant = self._queried.get(name) if queried else None
        if meant is None:
            meant = self.defined.get(name)
        if meant is None:
            return self._enumerated.get(name, Symbol(name))
        if (name, queried) not in self._found:
            self._found[name, queried] = self.normal(meant, queried=queried)
        return self._found[name, queried]

    def normal(self, concept: Concept, *, queried: bool) -> Concept:
        """Return the concept in base symbols and negation normal form; raise LIMIT if it grows too
        large.
        """
        if self._size(concept) > SIZE_LIMIT:
            raise LimitProblem(
                f"the expanded concept has more than {SIZE_LIMIT:,} parts",
                code="LIMIT",
                hint="use a narrower concept, or define it with fewer names",
            )
        return normal_form(self._replaced(concept, queried))

    def _replaced(self, concept: Concept, queried: bool) -> Concept:
        match concept:
            case Symbol(name):
                return self.of(name, queried=queried)
            case Conjunction(operands):
                return Conjunction(tuple(self._replaced(each, queried) for each in operands))
            case Disjunction(operands):
                return Disjunction(tuple(self._replaced(each, queried) for each in operands))
            case Complement(operand):
                # under a complement a query asserts the operand, and the other way round
                return Complement(self._replaced(operand, not queried))
            case Exists(role, filler):
                return Exists(role, self._replaced(filler, queried))
            case ForAll(role, filler):
                return ForAll(role, self._replaced(filler, queried))
            case _:
                return concept

    def _size(self, concept: Concept) -> int:
        """Return an upper bound of the expanded size, without expanding; cut off past the limit."""
        if isinstance(concept, Symbol):
            if concept.name not in self.defined:
                return 1
            if concept.name not in self._sizes:
                self._sizes[concept.name] = self._size(self.defined[concept.name])
            return self._sizes[concept.name]
        return min(SIZE_LIMIT + 1, 1 + sum(map(self._size, parts_of(concept))))


def _defined(
    axioms: Iterable[Axiom], equal: Mapping[str, tuple[Concept, ...]]
) -> dict[str, Concept]:
    found = {name: conjunction(concepts) for name, concepts in equal.items()}
    for axiom in axioms:
        match axiom:
            case Definition(name, concept):
                if not isinstance(concept, Enumeration):
                    found[name] = concept
            case Specialisation(name, concept):
                found[name] = conjunction((found.get(name, Symbol(name + SPECIAL)), concept))
            case Equivalence():
                continue
            case _:
                assert_never(axiom)
    return found


EVENT_TYPES = (
    "ObjectEvent",
    "AggregationEvent",
    "TransactionEvent",
    "QuantityEvent",
    "TransformationEvent",
    "AssociationEvent",
)
"""Types of events known without a TBox: those of EPCIS."""

ACTION_TYPE = Enumeration(("ADD", "DELETE", "OBSERVE"), "ActionType")
"""Values of `action` in EPCIS; known unless the TBox defines the name otherwise."""


@dataclass(frozen=True, eq=False)
class TBox:
    """Axioms, roles with ranges, individuals, aliases, and refused names.

    Without declared roles, any role is legal. Refused names are known, but subscriptions may not
    use them.
    """

    axioms: tuple[Axiom, ...] = ()
    roles: tuple[str, ...] = ()
    ranges: tuple[tuple[str, str], ...] = ()
    individuals: tuple[str, ...] = ()
    aliases: tuple[tuple[str, str], ...] = ()
    refused: tuple[Refusal, ...] = ()

    def __post_init__(self) -> None:
        refuse_reserved(self.axioms)
        refuse_redefined(self.axioms)
        refuse_cycle(self._defined)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TBox) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __reduce__(self) -> tuple[object, ...]:
        return (TBox, self._sayings)

    @property
    def _sayings(self) -> tuple[tuple[object, ...], ...]:
        own = (self.axioms, self.roles, self.ranges, self.individuals, self.aliases)
        return (*own, self.refused)

    @cached_property
    def fingerprint(self) -> str:
        """The same for the same axioms, names and roles, whatever the order."""
        texts = [
            f"{number} {each!r}" for number, group in enumerate(self._sayings) for each in group
        ]
        return blake2b("\n".join(sorted(texts)).encode(), digest_size=16).hexdigest()

    @cached_property
    def enumerated(self) -> Mapping[str, Enumeration]:
        """The enumerated concepts by name."""
        given = {
            axiom.name: enumeration(axiom.concept.elements, axiom.name)
            for axiom in self.axioms
            if not isinstance(axiom, Specialisation) and isinstance(axiom.concept, Enumeration)
        }
        return (
            given if self._is_named(ACTION_TYPE.name) else {ACTION_TYPE.name: ACTION_TYPE, **given}
        )

    @cached_property
    def base_symbols(self) -> frozenset[str]:
        """Symbols that are only on the right of axioms, refused names, and the types of events."""
        used = {name for axiom in self.axioms for name in symbols_in(axiom.concept)}
        special = {name + SPECIAL for name in self._expansion.specialised}
        known = used | special | set(EVENT_TYPES) | {each.name for each in self.refused}
        return frozenset(known - self._defined.keys() - self.enumerated.keys())

    @cached_property
    def known_individuals(self) -> frozenset[str]:
        """Elements of enumerations, and declared individuals."""
        listed = (
            each
            for axiom in self.axioms
            for each in concepts_in(axiom.concept)
            if isinstance(each, Enumeration)
        )
        elements = {name for each in (*listed, *self.enumerated.values()) for name in each.elements}
        return frozenset(elements | set(self.individuals))

    def is_concept(self, name: str) -> bool:
        """True if the name is a name symbol, an enumerated concept or a base symbol."""
        return name in self._defined or name in self.enumerated or name in self.base_symbols

    def is_base(self, name: str) -> bool:
        """True if the name is a base symbol that is not enumerated."""
        return name in self.base_symbols

    def resolved(self, name: str) -> str:
        """Return the full name of an alias; any other name as it is."""
        return self._aliases.get(name, name)

    def range_of(self, role: str) -> Enumeration | None:
        """Return the enumerated concept that is the declared range of a role; else None."""
        return self.enumerated.get(self._ranges.get(role, ""))

    def meant(self, role: str, text: str) -> Meant:
        """Return the meaning of a text as a value of a role.

        Cached only for known names, since the number of texts has no limit.
        """
        found = self._meanings.get((role, text))
        if found is None:
            found = self._meant(role, self.resolved(text), text)
            if found[1] is not None or found[0].name in self.known_individuals:
                self._meanings[role, text] = found
        return found

    def _meant(self, role: str, name: str, text: str) -> Meant:
        listed = self.range_of(role)
        if not self.is_concept(name) or (listed is not None and name in listed.elements):
            return named_individual(name, text), None
        return (
            (named_individual(name, text), Symbol(name))
            if self.is_base(name)
            else (placeholder(name), self.expanded(name))
        )

    def expanded(self, name: str) -> Concept:
        """Return all that follows from having the name, in base symbols and negation normal form.

        A base symbol, and any other name, is itself.
        """
        return self._expansion.of(name, queried=False)

    def expand(self, concept: Concept) -> Concept:
        """Return the concept of a query in base symbols and negation normal form.

        Raises LIMIT if it grows too large.
        """
        return self._expansion.normal(concept, queried=True)

    def require_served(self, concept: Concept) -> None:
        """Raise if the concept uses a refused name, directly or through definitions."""
        refused = {each.name: each for each in self.refused}
        waiting, seen = sorted(symbols_in(concept)) if refused else [], set[str]()
        while waiting:
            name = waiting.pop()
            if name in refused:
                raise refused[name].problem()
            if name not in seen and name in self._defined:
                waiting += sorted(symbols_in(self._defined[name]))
            seen.add(name)

    def require(self, used: Mapping[str, Iterable[str]]) -> None:
        """Raise if a name used by a subscription (`used`: names by id) is not known here."""
        lacking = {
            key: missing
            for key, names in used.items()
            if (
                missing := [
                    name
                    for name in names
                    if not self.is_concept(name) and name not in self.known_individuals
                ]
            )
        }
        if lacking:
            told = "; ".join(
                f"{key} uses {', '.join(names)}" for key, names in sorted(lacking.items())
            )
            raise StateProblem(
                f"the new TBox lacks names of live subscriptions: {told}",
                code="TBOX_CHANGED_INCOMPATIBLE",
                token=next(iter(lacking.values()))[0],
                hint="add the names, or remove the subscriptions first",
            )

    def _is_named(self, name: str) -> bool:
        return any(axiom.name == name for axiom in self.axioms)

    @property
    def _defined(self) -> Mapping[str, Concept]:
        return self._expansion.defined

    @cached_property
    def _expansion(self) -> Expansion:
        return Expansion(self.axioms, self.enumerated)

    @cached_property
    def _meanings(self) -> dict[tuple[str, str], Meant]:
        return {}

    @cached_property
    def _aliases(self) -> Mapping[str, str]:
        """Aliases; a name with a meaning of its own is never an alias."""
        own = {*self.roles, *self.known_individuals}
        return {
            short: name
            for short, name in self.aliases
            if short not in own and not self.is_concept(short)
        }

    @cached_property
    def _ranges(self) -> Mapping[str, str]:
        return dict(self.ranges)


EMPTY = TBox()


def merge_tboxes(tboxes: Iterable[TBox]) -> TBox:
    """Return the axioms of several TBoxes together, equal ones once.

    One with axioms that declares no roles allows any role to all.
    """
    given = tuple(tboxes)
    is_open = any(each.axioms and not each.roles for each in given)
    return TBox(
        tuple(dict.fromkeys(axiom for each in given for axiom in each.axioms)),
        () if is_open else tuple(sorted({name for each in given for name in each.roles})),
        tuple(sorted({pair for each in given for pair in each.ranges})),
        tuple(sorted({name for each in given for name in each.individuals})),
        tuple(sorted({pair for each in given for pair in each.aliases})),
        tuple(sorted({name for each in given for name in each.refused})),
    )
