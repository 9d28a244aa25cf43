"""Statements to a graph pattern. Every statement is checked, so that no problem hides another.

A path of several properties becomes a statement for each, with fresh vertices of class owl:Thing
between them; a fresh vertex has a name that no text can write, and belongs to the path and its two
ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import count

from tocsin.knowledge.ontology import Ontology
from tocsin.languages.base.texts import ProblemCollector, SourceSpan
from tocsin.languages.graph.filters import Filters, filters_of
from tocsin.languages.graph.literals import literal_of
from tocsin.languages.graph.names import GraphNameResolver
from tocsin.languages.graph.options import GraphOptions
from tocsin.languages.graph.rules import (
    check_kinds,
    check_reachable,
    check_satisfiable,
    check_selection,
)
from tocsin.languages.graph.syntax import (
    GraphSubscription,
    GraphTerm,
    PropertyStep,
    Statement,
    VertexKind,
)
from tocsin.plan.nodes.graphs import (
    GraphPattern,
    Home,
    StatementPattern,
    Variable,
    Vertex,
    home_is_a,
)
from tocsin.values.terms import THING, Iri

FRESH = "/"
"""Last character in the name of a fresh vertex: no text can write it."""


def lower(
    subscription: GraphSubscription,
    ontology: Ontology,
    settings: GraphOptions,
    problems: ProblemCollector,
) -> GraphPattern | None:
    """Return the pattern of a subscription, or None if there are problems."""
    prefixes = {each.name: each.namespace for each in subscription.prefixes}
    walk = _GraphLowering(
        GraphNameResolver(prefixes, ontology, problems), ontology, settings, problems
    )
    main, *groups = (walk.group(subscription, group) for group in subscription.groups())
    check_reachable(subscription, problems)
    check_kinds(subscription, walk.literal_objects, problems)
    check_selection(subscription, problems)
    if problems:
        return None
    optionals = len(subscription.optionals)
    return GraphPattern(
        _flat(main),
        ontology,
        settings.injective,
        tuple(dict.fromkeys(each.text[1:] for each in subscription.selection)),
        tuple(_flat(group) for group in groups[:optionals]),
        tuple(_flat(group) for group in groups[optionals:]),
        settings.strategy,
    )


def _flat(patterns: list[list[StatementPattern]]) -> tuple[StatementPattern, ...]:
    return tuple(dict.fromkeys(each for some in patterns for each in some))


class _GraphLowering:
    """Conversion of one subscription to the plan.

    `literal_objects` is True for statements whose object is a literal.
    """

    def __init__(
        self,
        names: GraphNameResolver,
        ontology: Ontology,
        settings: GraphOptions,
        problems: ProblemCollector,
    ) -> None:
        self._names = names
        self._ontology = ontology
        self._settings = settings
        self._problems = problems
        self._fresh = count(1)
        self._inside: dict[
            tuple[GraphTerm, GraphTerm, tuple[PropertyStep, ...]], list[Variable]
        ] = {}
        self._known: set[str] = set()
        self.literal_objects: dict[Statement, bool] = {}

    def group(
        self, subscription: GraphSubscription, group: tuple[Statement, ...]
    ) -> list[list[StatementPattern]]:
        """Return the patterns of a group; conditions may use the statements' variables, too."""
        self._known = {
            end.name
            for each in (*subscription.statements, *group)
            for end in (each.subject, each.object)
            if end.kind is VertexKind.VARIABLE
        }
        return [self.patterns(each) for each in group]

    def patterns(self, statement: Statement) -> list[StatementPattern]:
        """Return the patterns of a statement, one for each step of its path; empty on a problem."""
        if not statement.path:
            return self._class_of_home(statement)
        ends = self._vertex(statement.subject), self._vertex(statement.object)
        types = self._types(statement)
        object_class = types[-1]
        if object_class is not None:
            self.literal_objects[statement] = self._ontology.is_datatype(object_class)
        # an unknown class has a problem of its own, so no second one for the filter
        is_literal = self.literal_objects.get(statement, True)
        filters = filters_of(statement, is_literal, self._known, self._names, self._problems)
        if statement.subject.kind is VertexKind.LITERAL:
            self._problems.add(
                "LITERAL_SUBJECT",
                statement.subject.spot,
                "a literal says nothing",
                "put it at the end of a statement",
            )
        known = [each for each in types if each is not None]
        if len(known) == len(types):
            check_satisfiable(statement, known, self._ontology, self._settings, self._problems)
        subject, value = ends
        if self._problems or subject is None or value is None:
            return []
        return self._steps(statement, (subject, value), known, filters)

    def _class_of_home(self, statement: Statement) -> list[StatementPattern]:
        """Return the pattern of `(_:H, class)`; other vertices get their class in the statements
        that lead to them.
        """
        if statement.subject.kind is not VertexKind.HOME:
            self._problems.add(
                "NO_HOME_PATTERN",
                statement.subject.spot,
                f"(vertex, class) is about _:H, not {statement.subject.spot.text}",
                "give the class in the statement that leads there: (_:H, ?1, (class, property,"
                " class))",
            )
        name = self._names.class_of(statement.subject_class)
        if name is None:
            return []
        self.literal_objects[statement] = self._ontology.is_datatype(name)
        across = filters_of(statement, True, self._known, self._names, self._problems).across
        return [] if self._problems else [replace(home_is_a(name), across=across)]

    def _types(self, statement: Statement) -> list[str | None]:
        """Return the class of the subject, the properties of the path, the class of the object."""
        properties = (self._names.property_of(step.property) for step in statement.path)
        subject_class = self._names.class_of(statement.subject_class)
        return [subject_class, *properties, self._names.class_of(statement.object_class)]

    def _steps(
        self,
        statement: Statement,
        ends: tuple[Vertex, Vertex],
        types: Sequence[str],
        conditions: Filters,
    ) -> list[StatementPattern]:
        first, *properties, last = types
        vertices = [ends[0], *self._between(statement), ends[1]]
        classes = [first, *(THING for _ in properties[1:]), last]
        steps = [
            StatementPattern(
                vertices[place],
                vertices[place + 1],
                classes[place],
                prop,
                classes[place + 1],
                repeated=statement.path[place].repeated,
            )
            for place, prop in enumerate(properties)
        ]
        steps[-1] = replace(steps[-1], filter=conditions.own, across=conditions.across)
        return steps

    def _between(self, statement: Statement) -> list[Variable]:
        """Return the vertices inside a path; statements with equal path and ends share them."""
        path = (statement.subject, statement.object, statement.path)
        if path not in self._inside:
            self._inside[path] = [
                Variable(f"{next(self._fresh)}{FRESH}") for _ in statement.path[1:]
            ]
        return self._inside[path]

    def _vertex(self, node: GraphTerm) -> Vertex | None:
        match node.kind:
            case VertexKind.HOME:
                return Home()
            case VertexKind.VARIABLE:
                return Variable(node.name)
            case VertexKind.IRI:
                iri = self._names.term(node.spot)
                return None if iri is None else Iri(iri)
            case VertexKind.LITERAL:
                return literal_of(node, self._names, self._problems)
            case VertexKind.BLANK:
                self._refuse_blank(node.spot)
                return None

    def _refuse_blank(self, spot: SourceSpan) -> None:
        self._problems.add(
            "BLANK_LABEL",
            spot,
            f"the label {spot.text} is local to an event, so a subscription cannot know it",
            "write a variable, or _:H for the home vertex",
        )
