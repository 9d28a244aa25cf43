"""The axioms of a TBox, and the checks for reserved names, double definitions and cycles.

Axioms of OWL that a TBox cannot unfold are left out: names defined by themselves, specialisations
that lead back to their own name, and definitions that are too deep. OWL allows all of them and real
ontologies use them (`Person <: exists parent.Person`), so one of them must not cost names that do
not depend on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from graphlib import TopologicalSorter
from typing import NamedTuple

from tocsin.errors import LimitProblem, MeaningProblem
from tocsin.knowledge.concepts.concept import Concept, conjuncts_of, symbols_in

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


Uses = dict[str, set[str]]
"""The names that the axioms of each name use, limited to names that have axioms themselves."""


@dataclass(slots=True)
class Unfoldable:
    """Axioms that can be unfolded, refused names, and names with a left-out axiom."""

    axioms: list[Axiom]
    refused: tuple[Refusal, ...] = ()
    left_out: list[str] = field(default_factory=list)


def unfoldable(axioms: Iterable[Axiom]) -> Unfoldable:
    """Return the axioms that can be unfolded, in their order."""
    given = list(axioms)
    same = [each for each in given if not isinstance(each, Specialisation)]
    circles = [each for each in components(_uses(same)) if each]
    refused = tuple(_defined_by_itself(each, _uses(same)) for each in circles)
    named = {name for circle in circles for name in circle}
    found = Unfoldable(
        [each for each in given if isinstance(each, Specialisation) or each.name not in named],
        tuple(refusal for group in refused for refusal in group),
    )
    _leave_out_circles(found)
    _leave_out_depths(found)
    return found


def components(uses: Uses) -> list[list[str]]:
    """Return the strongly connected groups of names, and single names that use themselves.

    Tarjan's algorithm, without recursion.
    """
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    path: list[str] = []
    on_path: set[str] = set()
    found: list[list[str]] = []
    for start in uses:
        work = [] if start in number else [(start, iter(sorted(uses[start])))]
        while work:
            name, rest = work[-1]
            if name not in number:
                number[name] = low[name] = len(number)
                path.append(name)
                on_path.add(name)
            following = next(rest, None)
            if following is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[name])
                if low[name] == number[name]:
                    group = path[path.index(name) :]
                    del path[-len(group) :]
                    on_path -= set(group)
                    if len(group) > 1 or name in uses[name]:
                        found.append(sorted(group))
            elif following not in number:
                work.append((following, iter(sorted(uses[following]))))
            elif following in on_path:
                low[name] = min(low[name], number[following])
    return found


def _uses(axioms: Iterable[Axiom]) -> Uses:
    found: Uses = {}
    for axiom in axioms:
        found.setdefault(axiom.name, set()).update(symbols_in(axiom.concept))
    return {name: used & found.keys() for name, used in found.items()}


def _defined_by_itself(group: list[str], uses: Uses) -> list[Refusal]:
    way = [group[0]]
    while way[-1] not in way[:-1]:
        way.append(min(uses[way[-1]] & set(group)))
    shown = " -> ".join(way[way.index(way[-1]) :])
    return [
        Refusal(name, "TBOX_CYCLE", f"the definition of {name!r} is cyclic: {shown}")
        for name in group
    ]


def _leave_out_circles(found: Unfoldable) -> None:
    """Leave out each specialisation that closes a cycle with those before it."""
    circles = [set(group) for group in components(_uses(found.axioms))]
    where = {name: circle for circle in circles for name in circle}
    uses: Uses = {}
    for axiom in found.axioms:
        if axiom.name in where and not isinstance(axiom, Specialisation):
            used = symbols_in(axiom.concept) & where[axiom.name]
            uses.setdefault(axiom.name, set()).update(used)
    kept: list[Axiom] = []
    for axiom in found.axioms:
        if axiom.name not in where or not isinstance(axiom, Specialisation):
            kept.append(axiom)
            continue
        for concept in conjuncts_of(axiom.concept):
            used = symbols_in(concept) & where[axiom.name]
            if any(_reaches(each, axiom.name, uses) for each in used):
                found.left_out.append(axiom.name)
            else:
                uses.setdefault(axiom.name, set()).update(used)
                kept.append(Specialisation(axiom.name, concept))
    found.axioms = kept


def _reaches(start: str, goal: str, uses: Mapping[str, set[str]]) -> bool:
    seen, waiting = {start}, [start]
    while waiting:
        fresh = uses.get(waiting.pop(), set()) - seen
        seen |= fresh
        waiting += fresh
    return goal in seen


def _leave_out_depths(found: Unfoldable) -> None:
    uses, depth = _uses(found.axioms), dict[str, int]()
    for name in TopologicalSorter(uses).static_order():
        depth[name] = 1 + max((depth[each] for each in uses[name]), default=0)
    deep = {name for name, levels in depth.items() if levels >= DEPTH_LIMIT}
    found.axioms = [each for each in found.axioms if each.name not in deep]
    found.refused += tuple(
        Refusal(name, "LIMIT", f"the definition of {name!r} goes deeper than {DEPTH_LIMIT} levels")
        for name in sorted(deep)
    )
