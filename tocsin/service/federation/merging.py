"""Merging of interests: equal ones once, alternatives of one attribute as one, and none that
another covers. The result has the same meaning.

An interest is left out only for one that may travel at least as far. Candidates for covering are
found by the attributes of a condition or the properties of a graph pattern; each is then verified.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from tocsin.knowledge.concepts.concept import concepts_in
from tocsin.plan.nodes.atoms import (
    AllOf,
    AnyOf,
    Atom,
    BooleanNode,
    Condition,
    Equals,
    OneOf,
    attribute_paths,
    predicates_of,
)
from tocsin.plan.nodes.concepts import ConceptTest
from tocsin.plan.nodes.graphs import ITSELF, GraphPattern
from tocsin.service.federation.covering import EVERYTHING, covers_normalised_atom
from tocsin.service.federation.interests import Interest, Path
from tocsin.values.scalars import Constant, Kind
from tocsin.values.scalars import Path as Attribute
from tocsin.values.truth import Truth

_ROUNDS = 3
_MAX_PROOFS = 20_000
"""Pairs of graph patterns or concepts compared, at most; further ones are sent as they are."""
_Rest = frozenset[BooleanNode]
_Group = tuple[Path, Attribute, Kind, Truth, _Rest]
_ANYTHING = object()


def merge_interests(wants: Iterable[Interest]) -> list[Interest]:
    """Return equivalent, fewer interests, of atoms that have been through the passes of a plan."""
    found = _uncovered(list(dict.fromkeys(wants)))
    for _ in range(_ROUNDS):
        before = len(found)
        found = _united(found)
        if len(found) == before:
            break
    return _uncovered(found)


def _united(wants: Sequence[Interest]) -> list[Interest]:
    """Unite conditions that differ only in the value of one attribute: it has one of the values."""
    groups: dict[_Group, list[int]] = defaultdict(list)
    for number, want in enumerate(wants):
        for group in _groups(want):
            groups[group].append(number)
    left = dict(enumerate(wants))
    made: list[Interest] = []
    for group, numbers in sorted(groups.items(), key=lambda item: -len(item[1])):
        still = [number for number in numbers if number in left]
        if len(still) > 1:
            made.append(_union(group, [left.pop(number) for number in still]))
    return [*left.values(), *made]


def _groups(want: Interest) -> Iterator[_Group]:
    if not isinstance(want.atom, Condition):
        return
    literals = _conjuncts(want.atom.expression)
    for literal in literals:
        if isinstance(literal, Equals | OneOf):
            rest = frozenset(each for each in literals if each is not literal)
            kind = literal.value.kind if isinstance(literal, Equals) else literal.kind
            yield want.path, literal.path, kind, literal.mismatch, rest


def _union(group: _Group, wants: Sequence[Interest]) -> Interest:
    path, attribute, _, mismatch, rest = group
    values = frozenset(value for want in wants for value in _values(want, attribute, rest))
    test = OneOf(attribute, values, mismatch)
    literals = (test, *(each for each in _conjuncts_of(wants[0]) if each in rest))
    return Interest(Condition(AllOf(literals) if len(literals) > 1 else test), path)


def _values(want: Interest, attribute: Attribute, rest: _Rest) -> Iterator[Constant]:
    for literal in _conjuncts_of(want):
        if literal in rest:
            continue
        if isinstance(literal, Equals) and literal.path == attribute:
            yield literal.value
        elif isinstance(literal, OneOf) and literal.path == attribute:
            yield from literal.values


def _conjuncts_of(want: Interest) -> tuple[BooleanNode, ...]:
    assert isinstance(want.atom, Condition)
    return _conjuncts(want.atom.expression)


def _conjuncts(node: BooleanNode) -> tuple[BooleanNode, ...]:
    return node.operands if isinstance(node, AllOf) else (node,)


def _uncovered(wants: Sequence[Interest]) -> list[Interest]:
    """Return the interests that no other covers; of two that cover each other, one."""
    kept = _InterestIndex()
    for want in sorted(wants, key=_width):
        if not kept.has_cover_of(want):
            kept.add(want)
    for want in reversed(kept.wants()):
        if kept.has_cover_of(want):
            kept.remove(want)
    return kept.wants()


def _width(want: Interest) -> tuple[int, int]:
    """Return a sort key for wide interests first: short paths, then few tests."""
    match want.atom:
        case Condition(expression):
            size = len(list(predicates_of(expression)))
        case GraphPattern(statements):
            size = 1000 + len(statements)
        case ConceptTest(concept):
            size = 1000 + len(list(concepts_in(concept)))
        case _:
            size = 1000
    return (len(want.path), size)


class _InterestIndex:
    """Index of interests by a key, so that few candidates have to be verified."""

    def __init__(self) -> None:
        self._wants: dict[Interest, None] = {}
        self._by_key: dict[object, dict[Interest, None]] = defaultdict(dict)
        self._proofs = _MAX_PROOFS

    def wants(self) -> list[Interest]:
        return list(self._wants)

    def add(self, want: Interest) -> None:
        self._wants[want] = None
        self._by_key[_key(want)][want] = None

    def remove(self, want: Interest) -> None:
        del self._wants[want]
        del self._by_key[_key(want)][want]

    def has_cover_of(self, want: Interest) -> bool:
        return any(
            other != want and other.is_as_free_as(want) and self._is_covered(other.atom, want.atom)
            for key in _keys_of_covers(want)
            for other in self._by_key.get(key, ())
        )

    def _is_covered(self, wide: Atom, narrow: Atom) -> bool:
        if not isinstance(narrow, Condition):
            self._proofs -= 1
            if self._proofs < 0:
                return wide in (narrow, EVERYTHING)
        return covers_normalised_atom(wide, narrow)


def _key(want: Interest) -> object:
    """Return the key of an interest in the index: a value that it requires, an attribute that it
    tests, or the general key.
    """
    if want.atom == EVERYTHING:
        return _ANYTHING
    if isinstance(want.atom, GraphPattern):
        return (want.atom.ontology, want.atom.statements[0].property)
    if isinstance(want.atom, ConceptTest):
        return want.atom.tbox
    if not isinstance(want.atom, Condition):
        return want.atom
    literals = _conjuncts(want.atom.expression)
    for literal in literals:
        if isinstance(literal, Equals):
            return (literal.path, literal.value)
    for literal in literals:
        if not isinstance(literal, AnyOf):
            attributes = [path for each in predicates_of(literal) for path in attribute_paths(each)]
            if attributes:
                return attributes[0]
    return _ANYTHING


def _keys_of_covers(want: Interest) -> set[object]:
    """Return the keys of all interests that may cover this one: its attributes and values, and the
    general key.
    """
    keys: set[object] = {_ANYTHING}
    if isinstance(want.atom, GraphPattern):
        known = want.atom.ontology
        used = {each.property for each in want.atom.statements}
        above = {ITSELF}.union(*map(known.superproperties, used))
        return keys | {(known, prop) for prop in above}
    if isinstance(want.atom, ConceptTest):
        return keys | {want.atom.tbox}
    if not isinstance(want.atom, Condition):
        return keys | {want.atom}
    for predicate in predicates_of(want.atom.expression):
        paths = attribute_paths(predicate)
        keys |= {path[:length] for path in paths for length in range(1, len(path) + 1)}
        if isinstance(predicate, Equals):
            keys.add((predicate.path, predicate.value))
        elif isinstance(predicate, OneOf):
            keys |= {(predicate.path, value) for value in predicate.values}
    return keys
