"""SPARQL-like spelling to statements: a triple becomes one statement for each pair of classes of
its ends.

A vertex has the classes that `a` gives it in its group, else those of the surrounding group;
without any it is an rdfs:Literal if it is a literal, is filtered, or is the value of rdfs:label or
rdfs:comment, else an owl:Thing. A filter that compares it with an IRI alone does not make it a
literal, and variables that are compared by = or != are of one kind. A filter belongs to the first
statement of its group that ends at its variable; one on several variables, or on one of the
surrounding group, to the last statement of its group. A group that only classifies a vertex (`?1 a
:Gift`) uses the arc that leads to the vertex; about home it stands alone: `ASK { _:H a :Selling }`
is every event of the class.

Bare triples need not name home: the one vertex that no arc leads to is home then, so that `?x a
:Selling` means the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain, islice, product

from tocsin.languages.base.texts import ProblemCollector, SourceSpan
from tocsin.languages.graph.syntax import (
    AllFilters,
    Compared,
    FilterSyntax,
    GraphSubscription,
    GraphTerm,
    RegexFilter,
    SparqlQuery,
    Statement,
    Triple,
    TripleGroup,
    VertexKind,
    class_statement,
    leaves_of,
    spot_of,
    variables_in,
)
from tocsin.values.terms import ANY_LITERAL, RDF_TYPE, RDFS, THING, XSD

_TEXT_VERBS = tuple(
    spelling.format(name)
    for spelling in ("rdfs:{}", f"<{RDFS}{{}}>")
    for name in ("label", "comment")
)
"""Properties whose values are literals in RDF Schema."""
_EQUALITIES = ("=", "!=", "≠")
_LITERALS = ("rdfs:Literal", f"<{ANY_LITERAL}>")
_TYPE_VERBS = ("a", "rdf:type", f"<{RDF_TYPE}>")


def as_statements(query: SparqlQuery, problems: ProblemCollector, most: int) -> GraphSubscription:
    """Return the statements of a query; parts without a counterpart are added as problems.

    Of each group at most one more than `most` are made, because the classes of both ends multiply.
    """
    group = _from_home(query) if query.bare else query.group
    main = _SparqlGroup(group, problems, most + 1)
    optionals, absents = (
        [_SparqlGroup(each, problems, most + 1, main) for each in inner]
        for inner in (group.optionals, group.absents)
    )
    for inner in (*optionals, *absents):
        main.filtered |= inner.filtered & main.variables()
    return GraphSubscription(
        query.prefixes,
        main.statements(),
        tuple(each.statements() for each in optionals),
        tuple(each.statements() for each in absents),
        query.selection,
    )


def _from_home(query: SparqlQuery) -> TripleGroup:
    """Return bare triples with their root as home, if they have one root and do not name home.

    A root whose value is selected stays a variable.
    """
    group = query.group
    subjects = dict.fromkeys(triple.subject for triple in group.triples)
    led_to = {triple.object for triple in group.triples if not _is_type(triple)}
    roots = [each for each in subjects if each not in led_to]
    asked_for = {spot.text for spot in query.selection}
    if len(roots) != 1 or any(each.kind is VertexKind.HOME for each in (*subjects, *led_to)):
        return group
    (root,) = roots
    is_asked_for = root.spot.text in asked_for
    if root.kind not in (VertexKind.VARIABLE, VertexKind.BLANK) or is_asked_for:
        return group
    return _renamed(group, root, GraphTerm(VertexKind.HOME, root.spot))


def _renamed(group: TripleGroup, vertex: GraphTerm, new: GraphTerm) -> TripleGroup:
    triples = tuple(
        replace(
            triple,
            subject=new if triple.subject == vertex else triple.subject,
            object=new if triple.object == vertex else triple.object,
        )
        for triple in group.triples
    )
    return replace(
        group,
        triples=triples,
        optionals=tuple(_renamed(each, vertex, new) for each in group.optionals),
        absents=tuple(_renamed(each, vertex, new) for each in group.absents),
    )


class _SparqlGroup:
    """One group: its arcs, the classes of its vertices and its filters by variable."""

    def __init__(
        self,
        group: TripleGroup,
        problems: ProblemCollector,
        most: int,
        around: _SparqlGroup | None = None,
    ) -> None:
        self._problems = problems
        self._most = most
        self._around = around
        self.arcs = [triple for triple in group.triples if not _is_type(triple)]
        self.classes: dict[GraphTerm, list[SourceSpan]] = {}
        self.filtered: set[str] = set()
        self._filters: dict[str, list[FilterSyntax]] = {}
        self._across: list[FilterSyntax] = []
        for triple in group.triples:
            if _is_type(triple):
                self._note_class(triple)
            elif isinstance(triple.verb, SourceSpan):
                self._unsupported(triple.verb, "a variable property", "name the property")
            elif (
                triple.verb[-1].property.text in _TEXT_VERBS
                and triple.object.kind is VertexKind.VARIABLE
            ):
                self.filtered.add(triple.object.name)
        for condition in group.filters:
            self._note_filter(condition)
        self._spread_kinds(group.filters)

    def variables(self) -> set[str]:
        """Return the names of the variables of the group's triples."""
        ends = (end for arc in self.arcs for end in (arc.subject, arc.object))
        return {end.name for end in ends if end.kind is VertexKind.VARIABLE}

    def statements(self) -> tuple[Statement, ...]:
        """Return the statements of the group; a filter without a place is a problem."""
        arcs = [*self.arcs, *self._borrowed()]
        waiting = dict(self._filters)
        said = chain(self._home_classes(arcs), *(self._statements_of(arc, waiting) for arc in arcs))
        found = tuple(islice(said, self._most))
        if len(found) == self._most:
            return found
        across = [*self._across, *self._of_others(waiting)]
        for name, conditions in waiting.items():
            spot = next(each for each in variables_in(conditions[0]) if each.name == name).spot
            message = f"no statement of this group ends at ?{name}"
            self._problems.add("FILTER_NOT_ALLOWED", spot, message, "filter the end of a statement")
        if not across or not found:
            return found
        return (*found[:-1], replace(found[-1], across=tuple(across)))

    def _of_others(self, waiting: dict[str, list[FilterSyntax]]) -> list[FilterSyntax]:
        """Take out the filters on variables that end no statement here but have an image.

        They get it in the surrounding group, or as a subject.
        """
        around = set() if self._around is None else self._around.variables()
        known = (self.variables() | around) & waiting.keys()
        return [each for name in sorted(known) for each in waiting.pop(name)]

    def _home_classes(self, arcs: list[Triple]) -> Iterator[Statement]:
        """Yield the class statements of home if no arc of the group has it as an end."""
        for vertex, classes in self.classes.items():
            if vertex.kind is VertexKind.HOME and not any(
                vertex in (arc.subject, arc.object) for arc in arcs
            ):
                yield from (class_statement(vertex, each) for each in classes)

    def _statements_of(
        self, triple: Triple, waiting: dict[str, list[FilterSyntax]]
    ) -> Iterator[Statement]:
        """Yield a statement for each pair of classes; the first takes the object's filters."""
        if isinstance(triple.verb, SourceSpan):
            return
        conditions = (
            waiting.pop(triple.object.name, []) if triple.object.kind is VertexKind.VARIABLE else []
        )
        condition = _join_conditions(conditions)
        for one, other in product(
            self._classes_of(triple.subject), self._classes_of(triple.object)
        ):
            yield Statement(triple.subject, triple.object, one, triple.verb, other, condition)
            condition = None

    def _classes_of(self, vertex: GraphTerm) -> list[SourceSpan]:
        groups = (self,) if self._around is None else (self, self._around)
        for group in groups:
            if vertex in group.classes:
                return group.classes[vertex]
        filtered = vertex.kind is VertexKind.VARIABLE and any(
            vertex.name in group.filtered for group in groups
        )
        literal = filtered or vertex.kind is VertexKind.LITERAL
        return [SourceSpan(vertex.spot.offset, f"<{ANY_LITERAL if literal else THING}>")]

    def _borrowed(self) -> Iterator[Triple]:
        """Yield an arc of the surrounding group for each vertex that this group only classifies."""
        touched = {end for arc in self.arcs for end in (arc.subject, arc.object)}
        for vertex in self.classes:
            if vertex not in touched:
                yield from self._arc_around(vertex)

    def _arc_around(self, vertex: GraphTerm) -> Iterator[Triple]:
        around = [] if self._around is None else self._around.arcs
        arcs = [arc for arc in around if vertex == arc.object] + [
            arc for arc in around if vertex == arc.subject
        ]
        if arcs:
            yield arcs[0]
        elif vertex.kind is not VertexKind.HOME:
            message = f"no path leads from _:H to {vertex.spot.text}"
            hint = f"say how it is reached: _:H :property {vertex.spot.text}"
            self._problems.add("PATTERN_UNREACHABLE", vertex.spot, message, hint)

    def _note_class(self, triple: Triple) -> None:
        if triple.object.kind is VertexKind.IRI:
            known = self.classes.setdefault(triple.subject, [])
            if all(each.text != triple.object.spot.text for each in known):
                known.append(triple.object.spot)
        else:
            self._unsupported(triple.object.spot, "a class that is no name", "name the class")

    def _note_filter(self, condition: FilterSyntax) -> None:
        """File a filter under its variable; filters on several variables belong to the group."""
        names = list(dict.fromkeys(each.name for each in variables_in(condition)))
        if not names:
            message = "the filter names no variable"
            self._problems.add(
                "FILTER_VARIABLE", spot_of(condition), message, "compare a variable with a value"
            )
        elif len(names) == 1:
            self._filters.setdefault(names[0], []).append(condition)
        else:
            self._across.append(condition)
        for leaf in leaves_of(condition):
            if _is_about_literals(leaf):
                self.filtered.update(each.name for each in variables_in(leaf))

    def _spread_kinds(self, conditions: Iterable[FilterSyntax]) -> None:
        """Mark every variable that is linked to a literal by comparisons between variables."""
        leaves = [leaf for condition in conditions for leaf in leaves_of(condition)]
        pairs = [
            {leaf.left, leaf.right}
            for leaf in leaves
            if isinstance(leaf, Compared)
            and leaf.left.kind is leaf.right.kind is VertexKind.VARIABLE
        ]
        growing = True
        while growing:
            more = {
                end.name for pair in pairs if any(map(self._is_literal, pair)) for end in pair
            } - self.filtered
            self.filtered |= more
            growing = bool(more)

    def _is_literal(self, vertex: GraphTerm) -> bool:
        group: _SparqlGroup | None = self
        while group is not None:
            classes = group.classes.get(vertex, ())
            if vertex.name in group.filtered or any(map(_is_datatype, classes)):
                return True
            group = group._around
        return False

    def _unsupported(self, spot: SourceSpan, what: str, hint: str) -> None:
        self._problems.add("UNSUPPORTED", spot, f"{what} is not served", hint)


def _join_conditions(conditions: list[FilterSyntax]) -> FilterSyntax | None:
    if len(conditions) < 2:
        return conditions[0] if conditions else None
    return AllFilters(tuple(conditions), depth=max(each.depth for each in conditions) + 1)


def _is_about_literals(leaf: Compared | RegexFilter) -> bool:
    """True unless the comparison can be about resources: with an IRI or a variable, by = or !=."""
    if isinstance(leaf, RegexFilter):
        return True
    kinds = {leaf.left.kind, leaf.right.kind}
    return leaf.relation.text not in _EQUALITIES or VertexKind.LITERAL in kinds


def _is_datatype(name: SourceSpan) -> bool:
    return name.text.startswith(("xsd:", f"<{XSD}")) or name.text in _LITERALS


def _is_type(triple: Triple) -> bool:
    """True if the triple gives its subject a class."""
    if isinstance(triple.verb, SourceSpan):
        return triple.verb.text == "a"
    return (
        len(triple.verb) == 1
        and not triple.verb[0].repeated
        and triple.verb[0].property.text in _TYPE_VERBS
    )
