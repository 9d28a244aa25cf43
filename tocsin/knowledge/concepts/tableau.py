"""The tableau: assumptions hold together iff some branch of their complete form has no clash.

Rules: conjunctions and value restrictions to exhaustion, then disjunctions, then existence. A
branch ends at its first clash (criteria K1 to K6); the first complete branch without one decides.
Past the limits nothing is decided. A symbol that nothing asserts and the closed world denies
clashes as in K1: its complement is as good as asserted. Not being listed is a proof for named
individuals only. A concept of a TBox is unsatisfiable if its meaning contradicts itself.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from tocsin.errors import LimitProblem
from tocsin.knowledge.concepts.assertions import Assertions, Individual, IndividualKind, World
from tocsin.knowledge.concepts.axioms import Axiom
from tocsin.knowledge.concepts.concept import (
    Complement,
    Concept,
    Conjunction,
    Datatype,
    Disjunction,
    Enumeration,
    Exists,
    ForAll,
    Leaf,
    Nothing,
    Symbol,
    concept_text,
    concepts_in,
)
from tocsin.knowledge.concepts.datatypes import has
from tocsin.knowledge.concepts.tbox import TBox


@dataclass(frozen=True, slots=True)
class Clash:
    """The criterion that applies, the individual, and the reason in words."""

    criterion: str
    individual: Individual
    words: str


def clash_of(individual: Individual, concept: Concept, others: Collection[Concept]) -> Clash | None:
    """Return the clash of a concept of an individual with all its known concepts, itself included;
    else None.
    """
    match concept:
        case Nothing():
            return Clash("K5", individual, f"{individual.name} cannot be in Nothing")
        case Symbol() | Enumeration() | Datatype():
            return _of_leaf(individual, concept, True, others)
        case Complement(operand) if isinstance(operand, Symbol | Enumeration | Datatype):
            return _of_leaf(individual, operand, False, others)
        case _:
            return None


def _of_leaf(
    individual: Individual, leaf: Leaf, positive: bool, others: Collection[Concept]
) -> Clash | None:
    if (Complement(leaf) if positive else leaf) in others:
        return Clash(
            "K1",
            individual,
            f"{individual.name} would be {concept_text(leaf)} and not {concept_text(leaf)}",
        )
    if isinstance(leaf, Datatype):
        return _of_datatype(individual, leaf, positive)
    if individual.kind is IndividualKind.LITERAL:
        return (
            Clash("K4", individual, f"the literal {individual.name} is no {concept_text(leaf)}")
            if positive
            else None
        )
    if isinstance(leaf, Enumeration):
        return _of_listing(individual, leaf, positive) or _of_no_individual_left(individual, others)
    return None


def _of_datatype(individual: Individual, datatype: Datatype, positive: bool) -> Clash | None:
    if individual.kind is IndividualKind.FRESH:
        return None
    if (individual.value is not None and has(individual.value, datatype)) is positive:
        return None
    return Clash(
        "K3",
        individual,
        f"{individual.name} is {'not' if positive else 'indeed'} {concept_text(datatype)}",
    )


def _of_listing(individual: Individual, listed: Enumeration, positive: bool) -> Clash | None:
    if (
        not individual.is_named
        or (individual.kind is IndividualKind.NAMED and individual.name in listed.elements)
        is positive
    ):
        return None
    return Clash(
        "K2",
        individual,
        f"{individual.name} is {'not listed' if positive else 'listed'} in {concept_text(listed)}",
    )


def _of_no_individual_left(individual: Individual, others: Collection[Concept]) -> Clash | None:
    """Return clash K6 if its enumerations, without those that exclude it, leave no individual."""
    listed = [set(each.elements) for each in others if isinstance(each, Enumeration)]
    if not listed:
        return None
    excluded = (
        e.operand.elements
        for e in others
        if isinstance(e, Complement) and isinstance(e.operand, Enumeration)
    )
    left = set.intersection(*listed).difference(*excluded)
    return (
        None if left else Clash("K6", individual, f"nobody is left that {individual.name} could be")
    )


Assumption = tuple[Individual, Concept]


@dataclass(frozen=True, slots=True)
class TableauLimits:
    """Limits of a search: branches, assumptions of one branch, and all assumptions together."""

    branches: int = 2_000
    assumptions: int = 20_000
    all_assumptions: int = 1_000_000


DEFAULT_LIMITS = TableauLimits()


@dataclass(frozen=True, slots=True)
class ClosedBranch:
    """A contradictory branch: the choices that led to it, and its clash."""

    choices: tuple[Assumption, ...]
    clash: Clash


@dataclass(frozen=True, slots=True)
class OpenBranch:
    """A complete branch without a clash: its choices, and all that holds in it."""

    choices: tuple[Assumption, ...]
    assumptions: tuple[Assumption, ...]


@dataclass(frozen=True, slots=True)
class TableauResult:
    """All closed branches found, and the open one. Undecided if there is no open one and `decided`
    is False.
    """

    closed: tuple[ClosedBranch, ...]
    open: OpenBranch | None
    decided: bool = True

    @property
    def is_inconsistent(self) -> bool:
        """True if every branch has a clash."""
        return self.decided and self.open is None


class Denials:
    """Denials of the closed world: symbols and values that no assertion can imply (CW1, CW2)."""

    __slots__ = ("_roles", "_symbols", "_values")

    def __init__(self, assertions: Assertions) -> None:
        self._symbols: set[tuple[Individual, str]] = set()
        self._roles: set[tuple[Individual, str]] = set()
        self._values: dict[tuple[Individual, str], list[Individual]] = {}
        for who, role, value in assertions.roles:
            self._values.setdefault((who, role), []).append(value)
        for who, concept in assertions.concepts:
            self._exempt(who, concept)

    def denies(self, individual: Individual, symbol: str) -> bool:
        """True if an individual of the event certainly does not have the symbol."""
        return (
            individual.kind not in (IndividualKind.FRESH, IndividualKind.LITERAL)
            and (individual, symbol) not in self._symbols
        )

    def has_all_values(self, individual: Individual, role: str) -> bool:
        """True if the listed values of a role are complete."""
        return individual.kind is not IndividualKind.FRESH and (individual, role) not in self._roles

    def _exempt(self, individual: Individual, concept: Concept) -> None:
        match concept:
            case Symbol(name):
                self._symbols.add((individual, name))
            case Conjunction(operands) | Disjunction(operands):
                for operand in operands:
                    self._exempt(individual, operand)
            case ForAll(role, filler):
                for value in self._values.get((individual, role), ()):
                    self._exempt(value, filler)
            case Exists(role):
                self._roles.add((individual, role))
            case _:
                pass


class _Branch:
    """One alternative. `todo` are assumptions whose conjunctions and value restrictions are not yet
    applied.
    """

    __slots__ = ("choices", "concepts", "denials", "fresh", "size", "todo", "values")

    def __init__(self, denials: Denials | None) -> None:
        self.denials = denials
        self.concepts: dict[Individual, dict[Concept, None]] = {}
        self.values: dict[tuple[Individual, str], list[Individual]] = {}
        self.todo: list[Assumption] = []
        self.choices: tuple[Assumption, ...] = ()
        self.fresh = 0
        self.size = 0

    def copy_choosing(self, choice: Assumption) -> _Branch:
        other = _Branch(self.denials)
        other.concepts = {who: dict(concepts) for who, concepts in self.concepts.items()}
        other.values = {key: list(values) for key, values in self.values.items()}
        other.todo = [*self.todo, choice]
        other.choices = (*self.choices, choice)
        other.fresh, other.size = self.fresh, self.size
        return other

    def relate(self, individual: Individual, role: str, value: Individual) -> None:
        """Add a value of a role; apply the existing value restrictions to it."""
        self.values.setdefault((individual, role), []).append(value)
        for concept in self.concepts.get(individual, ()):
            if isinstance(concept, ForAll) and concept.role == role:
                self.todo.append((value, concept.filler))

    def saturate(self) -> Clash | None:
        """Apply the rules without choices, to exhaustion or the first clash; return the clash."""
        while self.todo:
            who, concept = self.todo.pop()
            known = self.concepts.setdefault(who, {})
            if concept in known:
                continue
            known[concept] = None
            self.size += 1
            if clash := self._clash(who, concept, known):
                return clash
            if isinstance(concept, Conjunction):
                self.todo += ((who, each) for each in concept.operands)
            elif isinstance(concept, ForAll):
                self.todo += (
                    (value, concept.filler) for value in self.values.get((who, concept.role), ())
                )
        return None

    def _clash(
        self, individual: Individual, concept: Concept, known: dict[Concept, None]
    ) -> Clash | None:
        if (
            isinstance(concept, Symbol)
            and self.denials
            and self.denials.denies(individual, concept.name)
        ):
            return Clash(
                "K1",
                individual,
                f"nothing says that {individual.name} is {concept.name}, so it is not"
                " (closed world)",
            )
        return clash_of(individual, concept, known)

    def alternatives(self) -> list[Assumption] | Clash | None:
        """Return the choices of the next disjunction, else next existence; None if complete."""
        for who, concepts in self.concepts.items():
            for concept in concepts:
                if isinstance(concept, Disjunction) and not any(
                    each in concepts for each in concept.operands
                ):
                    return [(who, each) for each in concept.operands]
        for who, concepts in self.concepts.items():
            for concept in concepts:
                if isinstance(concept, Exists) and not self._has_witness(who, concept):
                    return self._witnesses(who, concept)
        return None

    def _has_witness(self, individual: Individual, exists: Exists) -> bool:
        values = self.values.get((individual, exists.role), ())
        return any(exists.filler in self.concepts.get(value, ()) for value in values)

    def _witnesses(self, individual: Individual, exists: Exists) -> list[Assumption] | Clash:
        """Return the listed values in a closed world, else a fresh individual."""
        if self.denials and self.denials.has_all_values(individual, exists.role):
            values = self.values.get((individual, exists.role), ())
            missing = Clash(
                "CW1", individual, f"{individual.name} has no {exists.role} (closed world)"
            )
            return [(value, exists.filler) for value in values] or missing
        self.fresh += 1
        somebody = Individual(IndividualKind.FRESH, f"somebody {self.fresh}")
        self.relate(individual, exists.role, somebody)
        return [(somebody, exists.filler)]

    def opened(self) -> OpenBranch:
        found = tuple(
            (who, concept) for who, concepts in self.concepts.items() for concept in concepts
        )
        return OpenBranch(self.choices, found)


def examine(
    assertions: Assertions,
    assumed: Iterable[Assumption],
    world: World,
    limits: TableauLimits = DEFAULT_LIMITS,
) -> TableauResult:
    """Decide if the assumptions can hold together with the assertions."""
    start = _Branch(Denials(assertions) if world is World.CLOSED else None)
    for who, role, value in assertions.roles:
        start.relate(who, role, value)
    start.todo = [*reversed((*assertions.concepts, *assumed))]
    waiting, closed, held = [start], list[ClosedBranch](), 0
    while waiting:
        branch = waiting.pop()
        clash = branch.saturate()
        held += branch.size
        chosen = clash or branch.alternatives()
        if chosen is None:
            return TableauResult(tuple(closed), branch.opened())
        if isinstance(chosen, Clash):
            closed.append(ClosedBranch(branch.choices, chosen))
        else:
            waiting += (branch.copy_choosing(each) for each in reversed(chosen))
        if (
            len(closed) + len(waiting) > limits.branches
            or branch.size > limits.assumptions
            or held > limits.all_assumptions
        ):
            return TableauResult(tuple(closed), None, decided=False)
    return TableauResult(tuple(closed), None)


def assumption_text(assumption: Assumption) -> str:
    """Return an assumption as a sentence."""
    who, concept = assumption
    return f"{who.name} is {concept_text(concept)}"


_ANYTHING = Individual(IndividualKind.FRESH, "anything")
_NOTHING_SAID = Assertions((), ())
_LIMITS = TableauLimits(branches=200, assumptions=5_000, all_assumptions=50_000)
"""Beyond these limits a concept counts as satisfiable: refusing a TBox is not worth more work."""

_DENYING = (Complement, Nothing, Datatype, Enumeration, ForAll)
"""A concept made of none of these is satisfiable, whatever else is known."""


def unsatisfiable_concepts(tbox: TBox) -> frozenset[str]:
    """Return the names of all concepts that certainly can have no members.

    Only a concept that denies something can contradict: most ontologies are hierarchies, and need
    no search.
    """
    if not any(isinstance(each, _DENYING) for axiom in tbox.axioms for each in _parts(axiom)):
        return frozenset()
    return frozenset(axiom.name for axiom in tbox.axioms if _is_empty(tbox, axiom.name))


def _parts(axiom: Axiom) -> Iterator[Concept]:
    return concepts_in(axiom.concept)


def _is_empty(tbox: TBox, name: str) -> bool:
    try:
        meant = tbox.expanded(name)
    except LimitProblem:
        return False
    return examine(_NOTHING_SAID, [(_ANYTHING, meant)], World.OPEN, _LIMITS).is_inconsistent
