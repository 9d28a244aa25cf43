"""The axioms of a TBox, and the checks for reserved names, double definitions and cycles."""

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
"""Allen's relations in time: the seven of the paper and the inverses of six of them."""
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
"""Most levels of definitions by other definitions."""


@dataclass(frozen=True, slots=True)
class Definition:
    """`name := concept`: the two are the same; a bare enumeration makes an enumerated concept."""

    name: str
    concept: Concept


@dataclass(frozen=True, slots=True)
class Specialisation:
    """`name <: concept`: every member of `name` is a member of the concept."""

    name: str
    concept: Concept


@dataclass(frozen=True, slots=True)
class Equivalence:
    """Equality of `name` and the concept, besides other axioms about the name.

    Only from OWL: a member of any of the equal concepts is a member of `name`, and a member of
    `name` is a member of all of them.
    """

    name: str
    concept: Concept


Axiom = Definition | Specialisation | Equivalence


class Refusal(NamedTuple):
    """A name that a TBox knows but cannot define: subscriptions that use it are refused."""

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
    """Raise if an axiom is about a reserved word of the language."""
    for axiom in axioms:
        if axiom.name in RESERVED:
            raise reserved_word_problem(axiom.name)


def reserved_word_problem(name: str) -> MeaningProblem:
    """Return the problem of a reserved word that is used as a name."""
    return MeaningProblem(
        f"{name!r} is a reserved word",
        code="TBOX_RESERVED",
        token=name,
        hint="choose another name for the concept",
    )


def refuse_redefined(axioms: Iterable[Axiom]) -> None:
    """Raise if a name is defined twice, or defined and specialised.

    Equivalences and specialisations of one name are legal.
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
    """Raise if definitions form a cycle or are nested too deep; a depth-first search.

    An edge back to a name that is still open closes a cycle.
    """
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
