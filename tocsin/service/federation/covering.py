"""Covering: a condition covers another if every event that meets the other meets it too. Only
stated if certain; in doubt both conditions are sent.

Truth has three values: an event meets a condition that is TRUE of it. Conjunctions and disjunctions
are split, attributes are compared one at a time, and list items by the constants they are compared
with. Graph patterns and concepts cover by the ontology; XML blocks cover only themselves. Work is
bounded.

The terminology is part of the concepts already: a name is expanded, so that subclasses are
conjunctions with it and superclasses are disjunctions. Parts are compared pairwise. Datatypes are
compared for equality only, as the values of an individual that an event only describes are not
known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tocsin.knowledge.concepts.concept import (
    Complement,
    Concept,
    Conjunction,
    Disjunction,
    Enumeration,
    Exists,
    ForAll,
    Nothing,
    Thing,
)
from tocsin.plan.nodes.atoms import (
    AllOf,
    AnyOf,
    Atom,
    BooleanNode,
    Computed,
    Condition,
    IsNull,
    Not,
    PlaceIs,
)
from tocsin.plan.nodes.concepts import ConceptTest
from tocsin.plan.nodes.expressions import Attribute, Call, Semantics, Value
from tocsin.plan.nodes.graphs import GraphPattern
from tocsin.plan.passes.simplify import flatten, push_not_down
from tocsin.plan.semantics.implication import follows_from
from tocsin.plan.semantics.list_conditions import SOME
from tocsin.service.federation.graph_cover import covers_graph
from tocsin.values.scalars import ENVELOPE, Constant, Kind, Path

MAX_COMPARISONS = 2_000
"""Pairs of parts compared, at most; two large concepts have too many."""


def covers_concept(wide: ConceptTest, narrow: ConceptTest) -> bool:
    """Return True if every event that passes the narrow test certainly passes the wide one."""
    if wide.tbox != narrow.tbox or wide.world is not narrow.world:
        return False
    if not set(wide.correlate) <= set(narrow.correlate):
        return False  # an event without a value of such a role is not combined with any other
    return _Subsumption().holds(wide.concept, narrow.concept)


@dataclass(slots=True)
class _Subsumption:
    """A bounded search for a proof that one concept implies another."""

    steps: int = MAX_COMPARISONS

    def holds(self, wide: Concept, narrow: Concept) -> bool:
        """Return True if the proof is found."""
        self.steps -= 1
        if self.steps < 0:
            return False
        if wide == narrow or isinstance(wide, Thing) or isinstance(narrow, Nothing):
            return True
        if isinstance(wide, Conjunction):
            return all(self.holds(each, narrow) for each in wide.operands)
        if isinstance(narrow, Disjunction):
            return all(self.holds(wide, each) for each in narrow.operands)
        return self._has_part(wide, narrow) or self._is_wider(wide, narrow)

    def _has_part(self, wide: Concept, narrow: Concept) -> bool:
        choices = wide.operands if isinstance(wide, Disjunction) else ()
        parts = narrow.operands if isinstance(narrow, Conjunction) else ()
        return any(self.holds(each, narrow) for each in choices) or any(
            self.holds(wide, each) for each in parts
        )

    def _is_wider(self, wide: Concept, narrow: Concept) -> bool:
        match wide, narrow:
            case (Exists(role, filler), Exists(other, inner)) | (
                ForAll(role, filler),
                ForAll(other, inner),
            ):
                return role == other and self.holds(filler, inner)
            case Enumeration(more), Enumeration(fewer):
                return set(fewer) <= set(more)
            case Complement(Enumeration(fewer)), Complement(Enumeration(more)):
                return set(fewer) <= set(more)
            case _:
                return False


MAX_PROOF_STEPS = 2_000
EVERYTHING = Condition(AllOf(()))
"""The atom that every event meets."""

_ANY_OF_CONSTANTS = ("=", "IS", "LIKE")
_LOWEST = ("TIME >=", "TIME >", ">=", ">")
_HIGHEST = ("TIME <=", "TIME <", "<=", "<")


def covers(wide: Atom, narrow: Atom) -> bool:
    """True if every event that meets the narrow atom certainly meets the wide one."""
    return covers_normalised_atom(_prepared(wide), _prepared(narrow))


def covers_normalised_atom(wide: Atom, narrow: Atom) -> bool:
    """As `covers`, for atoms that have been through the passes of a plan."""
    if wide in (narrow, EVERYTHING):
        return True
    if isinstance(wide, GraphPattern) and isinstance(narrow, GraphPattern):
        return covers_graph(wide, narrow)
    if isinstance(wide, ConceptTest) and isinstance(narrow, ConceptTest):
        return covers_concept(wide, narrow)
    if not isinstance(wide, Condition) or not isinstance(narrow, Condition):
        return False
    return _Proof(MAX_PROOF_STEPS).follows(wide.expression, (narrow.expression,))


def _prepared(atom: Atom) -> Atom:
    return Condition(_normal(atom.expression)) if isinstance(atom, Condition) else atom


def covers_expression(wide: BooleanNode, narrow: BooleanNode) -> bool:
    """True if every event that meets the narrow expression certainly meets the wide one."""
    return _Proof(MAX_PROOF_STEPS).follows(_normal(wide), (_normal(narrow),))


def _normal(node: BooleanNode) -> BooleanNode:
    return flatten(push_not_down(node))


@dataclass(slots=True)
class _Proof:
    """A search for a proof that gives up after `steps` steps."""

    steps: int

    def follows(self, goal: BooleanNode, known: tuple[BooleanNode, ...]) -> bool:
        """True if the goal is TRUE wherever all known expressions are TRUE."""
        self.steps -= 1
        if self.steps < 0:
            return False
        if isinstance(goal, AllOf):
            return all(self.follows(operand, known) for operand in goal.operands)
        facts = tuple(_facts(known))
        if self._follows_at_once(goal, facts):
            return True
        choice = next((fact for fact in facts if isinstance(fact, AnyOf)), None)
        if choice is None:
            return False
        rest = tuple(fact for fact in facts if fact is not choice)
        return all(self.follows(goal, (*rest, case)) for case in choice.operands)

    def _follows_at_once(self, goal: BooleanNode, facts: Sequence[BooleanNode]) -> bool:
        if goal in facts:
            return True
        if isinstance(goal, AnyOf):
            literals = tuple(fact for fact in facts if not isinstance(fact, AnyOf))
            return any(self.follows(operand, literals) for operand in goal.operands)
        return _literal_follows(goal, facts)


def _facts(known: Iterable[BooleanNode]) -> Iterator[BooleanNode]:
    for node in known:
        if isinstance(node, AllOf):
            yield from _facts(node.operands)
        else:
            yield node


def _literal_follows(goal: BooleanNode, facts: Sequence[BooleanNode]) -> bool:
    predicate = goal.operand if isinstance(goal, Not) else goal
    if isinstance(predicate, Computed):
        return predicate is goal and any(_is_narrower(fact, predicate) for fact in facts)
    if isinstance(predicate, PlaceIs | AllOf | AnyOf | Not):
        return False
    path = predicate.path
    about = [fact for fact in facts if _path(fact) == path]
    if any(_lies_below(_path(fact), path) and _is_there(fact) for fact in facts):
        about.append(Not(IsNull(path)))
    return follows_from(goal, about)


def _path(literal: BooleanNode) -> Path | None:
    predicate = literal.operand if isinstance(literal, Not) else literal
    if isinstance(predicate, Computed | PlaceIs | AllOf | AnyOf | Not):
        return None
    return predicate.path


def _lies_below(path: Path | None, above: Path) -> bool:
    """True if a path of data leads through another: a value at it implies one at the other."""
    if path is None or ENVELOPE in (path[0], above[0]):
        return False
    return len(path) > len(above) and path[: len(above)] == above


def _is_there(literal: BooleanNode) -> bool:
    """True if a literal is TRUE only where its attribute has a value."""
    return follows_from(Not(IsNull(_path(literal) or ())), (literal,))


def _is_narrower(fact: BooleanNode, goal: Computed) -> bool:
    """True if a list test implies another: same path, and each test of `goal` is implied by one of
    `fact`.
    """
    if not isinstance(fact, Computed) or not (
        fact.semantics is goal.semantics is Semantics.MEMBERS
    ):
        return False
    given, wanted = _members(fact), _members(goal)
    if given is None or wanted is None or given[0] != wanted[0]:
        return False
    return all(any(_asks_less(test, each) for each in given[1]) for test in wanted[1])


def _members(computed: Computed) -> tuple[tuple[object, ...], list[Call]] | None:
    match computed.expression:
        case Call(function, (Attribute() as first, *rest)) if function == SOME:
            steps = [each for each in rest if isinstance(each, Value)]
            return (first, *steps), [each for each in rest if isinstance(each, Call)]
        case _:
            return None


def _asks_less(wide: Call, narrow: Call) -> bool:
    if wide == narrow:
        return True
    field, *allowed = _constants(wide)
    other, *given = _constants(narrow)
    if wide.function != narrow.function or field != other or not given or not allowed:
        return False
    if wide.function in _ANY_OF_CONSTANTS:
        return set(given) <= set(allowed)
    if any(each.kind is not Kind.NUMBER for each in (*given, *allowed)):
        return False
    if wide.function in _LOWEST:
        return bool(min(_values(allowed)) <= min(_values(given)))
    return wide.function in _HIGHEST and bool(max(_values(allowed)) >= max(_values(given)))


def _constants(test: Call) -> list[Constant]:
    return [each.constant for each in test.arguments if isinstance(each, Value)]


def _values(constants: Sequence[Constant]) -> list[float]:
    return [each.value for each in constants if not isinstance(each.value, str)]
