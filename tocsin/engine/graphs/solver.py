"""One pattern against one event, thoroughly: arc consistency first, then a search.

Used if the quick search was aborted, if absent groups decide, and for the images in a match. Every
step is counted: beyond the limit the answer is `Undecided`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import TypeAlias

from tocsin.engine.graphs.encoding import HOME, EncodedGraph
from tocsin.engine.graphs.link_pairs import Relation, pairs_of
from tocsin.engine.graphs.links import LinkPattern
from tocsin.engine.graphs.work import LIMIT, Budget
from tocsin.plan.bindings import Rows
from tocsin.plan.nodes.graphs import (
    GraphPattern,
    Home,
    Injective,
    StatementPattern,
    Statements,
    Variable,
    Vertex,
    conditions_of,
    filter_truth,
    ids_of,
    variables_in,
)
from tocsin.values.terms import Literal, plain_value
from tocsin.values.truth import Truth

Map: TypeAlias = Mapping[Vertex, int]
Domains: TypeAlias = dict[Vertex, set[int]]
Choice: TypeAlias = tuple[Collection[int], Callable[[int], bool]]
"""Some images, ascending unless they are a set, and a test: True if a vertex is among them."""

_PAIRS_FOR_A_STEP = 10
"""Pairs that cost about as much as a step of the search to check."""

_TESTS_FOR_A_STEP = 4
"""Lookups of a pair of vertices that cost about as much as a step of the search."""


class Solver:
    """Maps of one pattern into one event, in their order (see plan/graphs.py)."""

    __slots__ = ("_budget", "_graph", "_of_statement", "_pattern", "_relations")

    def __init__(self, pattern: GraphPattern, graph: EncodedGraph, limit: int = LIMIT) -> None:
        self._pattern = pattern
        self._graph = graph
        self._budget = Budget(limit)
        self._relations: dict[LinkPattern, Relation] = {}
        self._of_statement: dict[int, Relation] = {}

    def exists(self) -> bool:
        """True if there is a map; ids with the fewest choices are tried first."""
        return any(not self.refuses(found) for found in self._found(in_order=False))

    def maps(self) -> Iterator[Map]:
        """Return an iterator over the maps that no absent group extends."""
        return (found for found in self._found(in_order=True) if not self.refuses(found))

    def rows(self) -> Rows:
        """Return the selected images of the first map and its optional extensions; empty without a
        map.
        """
        for found in self.maps():
            for group in self._pattern.optionals:
                found = next(self._extensions(group, found), found)  # noqa: PLW2901
            images = (
                (name, found.get(Variable(name))) for name in sorted(set(self._pattern.select))
            )
            return (
                tuple(
                    (name, plain_value(self._graph.terms[each]))
                    for name, each in images
                    if each is not None
                ),
            )
        return ()

    def refuses(self, found: Map) -> bool:
        """True if an absent group extends the map."""
        return any(
            next(self._extensions(group, found), None) is not None
            for group in self._pattern.absents
        )

    def _found(self, *, in_order: bool) -> Iterator[Map]:
        """Yield every map of the statements."""
        statements = self._pattern.statements
        domains = self._domains(statements)
        if not self._made_consistent(domains, statements):
            return
        missing: list[Vertex] = [each for each in ids_of(statements) if not isinstance(each, Home)]
        if not in_order:
            missing.sort(key=lambda each: len(domains[each]))
        yield from self._placed(statements, domains, missing, {Home(): HOME})

    def agrees(self, statements: Statements, found: Map, newest: Vertex | None = None) -> bool:
        """True if the conditions of a group between variables are TRUE of a map.

        Only conditions whose variables the map has; with `newest` only those about it.
        """
        for condition in conditions_of(statements):
            about = set(variables_in(condition))
            if about <= found.keys() and (newest is None or newest in about):
                self._budget.spend()
                images = {each: self._graph.terms[found[each]] for each in about}
                if filter_truth(condition, None, images) is not Truth.TRUE:
                    return False
        return True

    def _extensions(self, group: Statements, found: Map) -> Iterator[Map]:
        """Yield every extension of a map to the ids of a group."""
        if all(
            self._holds(each, found)
            for each in group
            if each.subject in found and each.object in found
        ):
            missing = [each for each in ids_of(group) if each not in found]
            if self.agrees(group, found):
                yield from self._placed(group, {}, missing, found)

    def _holds(self, statement: StatementPattern, found: Map) -> bool:
        self._budget.spend()
        return self._relation(statement).joins(found[statement.subject], found[statement.object])

    def _domains(self, statements: Statements) -> Domains:
        """Return the images that each id may have, without regard to statements."""
        self._budget.spend(len(self._graph) * len(ids_of(statements)) // _PAIRS_FOR_A_STEP)
        return {each: set(self._possible(each)) for each in ids_of(statements)}

    def _possible(self, wanted: Vertex) -> Sequence[int]:
        if isinstance(wanted, Home):
            return (HOME,)
        if isinstance(wanted, Variable):
            return range(len(self._graph))
        number = self._graph.number(wanted)
        return () if number is None else (number,)

    def _made_consistent(self, domains: Domains, statements: Statements) -> bool:
        """Remove every image without a pair for some statement; True if each id has one left."""
        changed = True
        while changed:
            changed = False
            for each in statements:
                for end, images in zip(each.ends(), self._fitting(each, domains), strict=True):
                    if len(images) < len(domains[end]):
                        domains[end] &= images
                        changed = True
                        if not domains[end]:
                            return False
        return True

    def _fitting(self, statement: StatementPattern, domains: Domains) -> tuple[set[int], set[int]]:
        """Return the images of both ends for which the statement has a pair."""
        starts, ends = domains[statement.subject], domains[statement.object]
        relation = self._relation(statement)
        self._budget.spend(1 + len(relation) // _PAIRS_FOR_A_STEP)
        pairs = [pair for pair in relation.pairs if pair[0] in starts and pair[1] in ends]
        return {pair[0] for pair in pairs}, {pair[1] for pair in pairs}

    def _relation(self, statement: StatementPattern) -> Relation:
        """Return the pairs of the statement's link; cached by object identity, since a link is slow
        to hash.
        """
        known = self._of_statement.get(id(statement))
        if known is None:
            known = self._of_statement[id(statement)] = self._relation_of(LinkPattern.of(statement))
        return known

    def _relation_of(self, link: LinkPattern) -> Relation:
        known = self._relations.get(link)
        if known is None:
            found = pairs_of(link, self._graph, self._pattern.ontology, self._budget)
            known = self._relations[link] = Relation(found)
            self._budget.spend(len(known))
        return known

    def _placed(
        self, statements: Statements, domains: Domains, missing: list[Vertex], found: Map
    ) -> Iterator[Map]:
        """Assign the missing ids their images one by one; yield complete maps."""
        if not missing:
            yield found
            return
        first, *others = missing
        for image in self._images(first, statements, domains, found):
            self._budget.spend(1 + len(found) // _TESTS_FOR_A_STEP)
            larger = {**found, first: image}
            if self._free(image, found) and self.agrees(statements, larger, first):
                yield from self._placed(statements, domains, others, larger)

    def _images(
        self, wanted: Vertex, statements: Statements, domains: Domains, found: Map
    ) -> Iterator[int]:
        """Return an iterator over the images that agree with the assigned ids, ascending.

        It takes the shortest list and tests it against the others.
        """
        choices = [self._choice(wanted, domains)]
        self._budget.spend(len(statements))
        for each in statements:
            pairs = self._relation(each)
            if each.subject == wanted == each.object:
                choices.append((pairs.loops, pairs.has_loop))
            elif each.subject == wanted and each.object in found:
                choices.append(
                    (pairs.starts(found[each.object]), partial(pairs.joins, end=found[each.object]))
                )
            elif each.object == wanted and each.subject in found:
                choices.append(
                    (pairs.ends(found[each.subject]), partial(pairs.joins, found[each.subject]))
                )
        shortest, _ = min(choices, key=lambda choice: len(choice[0]))
        tests = [test for images, test in choices if images is not shortest]
        ascending = sorted(shortest) if isinstance(shortest, set) else shortest
        return (image for image in ascending if self._passes(image, tests))

    def _passes(self, image: int, tests: Sequence[Callable[[int], bool]]) -> bool:
        """True if all tests allow the image; tests made count as steps."""
        asked = next((number for number, test in enumerate(tests, 1) if not test(image)), 0)
        self._budget.spend(1 + (asked or len(tests)) // _TESTS_FOR_A_STEP)
        return not asked

    def _choice(self, wanted: Vertex, domains: Domains) -> Choice:
        images = domains[wanted] if wanted in domains else self._possible(wanted)
        return (images, images.__contains__)

    def _free(self, image: int, found: Map) -> bool:
        """True if the image may be that of one more id."""
        injective = self._pattern.injective
        exempt = injective is Injective.RESOURCES and isinstance(self._graph.terms[image], Literal)
        return injective is Injective.NONE or exempt or image not in found.values()
