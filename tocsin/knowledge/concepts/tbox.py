"""The TBox: what the names of concepts mean. Immutable, acyclic, equal where its axioms are.

A name symbol stands on the left of an axiom, a base symbol only on the right. Expanding replaces
name symbols until only base symbols, enumerations and datatypes remain; `C <: D` is `C := C* and
D`, with `C*` for what makes a C of a D.

A name with several equivalences has two expansions: what is said to have the name has all of them,
and what has any of them has the name when a subscription asks for it (decision 0074).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b

from tocsin.errors import StateProblem
from tocsin.knowledge.concepts.assertions import Meant, named, placeholder
from tocsin.knowledge.concepts.axioms import (
    Axiom,
    Refusal,
    Specialisation,
    refuse_cycle,
    refuse_redefined,
    refuse_reserved,
)
from tocsin.knowledge.concepts.concept import (
    Concept,
    Enumeration,
    Symbol,
    concepts_in,
    enumeration,
    symbols_in,
)
from tocsin.knowledge.concepts.expansion import SPECIAL, Expansion

EVENT_TYPES = (
    "ObjectEvent",
    "AggregationEvent",
    "TransactionEvent",
    "QuantityEvent",
    "TransformationEvent",
    "AssociationEvent",
)
"""Types of events that everybody knows: those of EPCIS."""

ACTION_TYPE = Enumeration(("ADD", "DELETE", "OBSERVE"), "ActionType")
"""What `action` says in EPCIS; known where the TBox does not say otherwise."""


@dataclass(frozen=True, eq=False)
class TBox:
    """Axioms; declared roles (none declared: any is legal) with their ranges; individuals; other
    names for names; names that are known and cannot be asked for.
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
        """What stands only on the right of axioms, and the types of events."""
        used = {name for axiom in self.axioms for name in symbols_in(axiom.concept)}
        special = {name + SPECIAL for name in self._expansion.specialised}
        known = used | special | set(EVENT_TYPES) | {each.name for each in self.refused}
        return frozenset(known - self._defined.keys() - self.enumerated.keys())

    @cached_property
    def known_individuals(self) -> frozenset[str]:
        """Elements of enumerations, and what is declared as individual."""
        listed = (
            each
            for axiom in self.axioms
            for each in concepts_in(axiom.concept)
            if isinstance(each, Enumeration)
        )
        elements = {name for each in (*listed, *self.enumerated.values()) for name in each.elements}
        return frozenset(elements | set(self.individuals))

    def is_concept(self, name: str) -> bool:
        """Whether the name is a name symbol, an enumerated concept or a base symbol."""
        return name in self._defined or name in self.enumerated or name in self.base_symbols

    def is_base(self, name: str) -> bool:
        """Whether the name is a base symbol that is not enumerated."""
        return name in self.base_symbols

    def resolved(self, name: str) -> str:
        """The full name of a name: itself where it has no other."""
        return self._aliases.get(name, name)

    def range_of(self, role: str) -> Enumeration | None:
        """The enumerated concept that is the declared range of a role."""
        return self.enumerated.get(self._ranges.get(role, ""))

    def meant(self, role: str, text: str) -> Meant:
        """What a text means as a value of a role; remembered where it is known here, as texts are
        without end.
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
            return named(name, text), None
        return (
            (named(name, text), Symbol(name))
            if self.is_base(name)
            else (placeholder(name), self.expanded(name))
        )

    def expanded(self, name: str) -> Concept:
        """What follows of a thing that is said to have the name, in base symbols and negation
        normal form; a base symbol, and any other name, is itself.
        """
        return self._expansion.of(name, asked=False)

    def expand(self, concept: Concept) -> Concept:
        """The concept in base symbols and negation normal form, as a subscription asks for it;
        LIMIT where it grows too large.
        """
        return self._expansion.normal(concept, asked=True)

    def require_served(self, concept: Concept) -> None:
        """Raises where the concept uses a name, itself or by definitions, that cannot be asked
        for.
        """
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
        """Refuses to serve subscriptions, by id, with the names that they use, where a name is not
        known here.
        """
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
        """What is a name of its own is no other name for something else."""
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


def merged(tboxes: Iterable[TBox]) -> TBox:
    """The axioms of several TBoxes together, equal ones once; one that declares no roles allows any
    to all.
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
