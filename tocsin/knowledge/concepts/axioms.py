"""The axioms of a TBox, and what is no TBox: a name that is reserved, defined twice, or defined by
itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from tocsin.errors import LimitProblem, MeaningProblem
from tocsin.knowledge.concepts.concept import Concept, symbols_in

RELATIONS = tuple(
    "Equals Before Meets Overlaps Starts Finishes During After MetBy OverlappedBy StartedBy"
    " FinishedBy Contains".split()
)
"""The relations in time of Allen: the seven of the paper and the inverses of six of them."""
_SPELLINGS = (
    f"{paper}{negated}{name}"
    for paper in ("", "int")
    for negated in ("", "Un")
    for name in RELATIONS
)
RESERVED = frozenset(
    (*"and or not forall all exists some Thing Nothing correlate by anchored".split(), *_SPELLINGS)
)
DEPTH_LIMIT = 150
"""A name is defined by names that are defined by names, so many times at most."""


@dataclass(frozen=True, slots=True)
class Definition:
    """`name := concept`: the two are the same; a bare enumeration makes an enumerated concept."""

    name: str
    concept: Concept


@dataclass(frozen=True, slots=True)
class Specialisation:
    """`name <: concept`: every such thing has the concept."""

    name: str
    concept: Concept


@dataclass(frozen=True, slots=True)
class Equivalence:
    """`name` and the concept are the same, said beside other axioms about the name.

    Only OWL says so: what has any of the equal concepts has the name, and what has the name has
    all of them.
    """

    name: str
    concept: Concept


Axiom = Definition | Specialisation | Equivalence


class Refusal(NamedTuple):
    """A name that a TBox knows and cannot define: subscriptions that use it are refused."""

    name: str
    code: str
    message: str

    def problem(self) -> MeaningProblem:
        """Return the problem of a subscription that uses the name."""
        return MeaningProblem(
            self.message,
            code=self.code,
            token=self.name,
            hint="use another concept, or change the axioms of the ontology about it",
        )


def refuse_reserved(axioms: Iterable[Axiom]) -> None:
    """Raises where an axiom is about a word of the language."""
    for axiom in axioms:
        if axiom.name in RESERVED:
            raise reserved(axiom.name)


def reserved(name: str) -> MeaningProblem:
    """The problem of a word of the language that is used as a name."""
    return MeaningProblem(
        f"{name!r} is a reserved word",
        code="TBOX_RESERVED",
        token=name,
        hint="choose another name for the concept",
    )


def refuse_redefined(axioms: Iterable[Axiom]) -> None:
    """Raises where a name is defined twice, or defined and specialised; equivalences and
    specialisations of one name are legal.
    """
    seen: dict[str, Axiom] = {}
    for axiom in axioms:
        before = seen.setdefault(axiom.name, axiom)
        if before is not axiom and (
            isinstance(before, Definition) or isinstance(axiom, Definition)
        ):
            both = not isinstance(before, Specialisation) and not isinstance(axiom, Specialisation)
            raise MeaningProblem(
                (
                    f"{axiom.name!r} is defined twice"
                    if both
                    else f"{axiom.name!r} is defined and specialised"
                ),
                code="TBOX_REDEFINED",
                token=axiom.name,
                hint="keep one definition; several specialisations of one name are legal",
            )


def refuse_cycle(defined: Mapping[str, Concept]) -> None:
    """Walks the names depth first; the way back to a name that is still open is a cycle."""
    uses = {name: sorted(symbols_in(concept) & defined.keys()) for name, concept in defined.items()}
    done: set[str] = set()
    for start, used_first in uses.items():
        way = {} if start in done else {start: list(used_first)}
        while way:
            name, rest = next(reversed(way.items()))
            if not rest:
                del way[name]
                done.add(name)
                continue
            used = rest.pop()
            if used in way:
                names = list(way)
                raise _cyclic([*names[names.index(used) :], used])
            if used not in done:
                way[used] = list(uses[used])
            if len(way) > DEPTH_LIMIT:
                raise LimitProblem(
                    f"definitions go deeper than {DEPTH_LIMIT} levels",
                    code="LIMIT",
                    token=start,
                    hint="define with fewer levels",
                )


def _cyclic(names: list[str]) -> MeaningProblem:
    return MeaningProblem(
        f"the definition is cyclic: {' -> '.join(names)}",
        code="TBOX_CYCLE",
        token=names[0],
        hint="a concept is defined by others, never by itself; drop one of these axioms",
    )
