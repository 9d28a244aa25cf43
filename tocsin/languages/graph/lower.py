"""Statements to a graph pattern. Every statement is checked, so that no problem hides another.

A path of several properties becomes a statement for each, with fresh vertices of class owl:Thing
between them; a fresh vertex has a name that no text can write, and belongs to the path and its two
ends. Whole subscriptions are checked by the rules S1, S4, S6, and for valid selections.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import count

from tocsin.knowledge.ontology import Ontology
from tocsin.languages.base.texts import ProblemCollector, SourceSpan
from tocsin.languages.graph.filters import Filters, filters_of
from tocsin.languages.graph.names import GraphNameResolver, literal_of
from tocsin.languages.graph.read import GraphOptions
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

# Rules about whole subscriptions: S1, S4, S6, and valid selections.

_KINDS = {VertexKind.HOME: False, VertexKind.IRI: False, VertexKind.LITERAL: True}
"""True if an end is a literal, for ends whose spelling decides it."""


def check_reachable(subscription: GraphSubscription, problems: ProblemCollector) -> None:
    """Check S1: a statement starts at home, and every vertex is reached from it.

    Vertices of a group are reached from the statements.
    """
    if not subscription.statements and not problems:
        hint = "say what home is or points to: ASK { _:H a :Class }"
        problems.add("NO_HOME_PATTERN", SourceSpan(0, ""), "nothing is said about _:H", hint)
    # a statement without a path has no edge
    main = tuple(each for each in subscription.statements if each.path)
    if main and not any(each.subject.kind is VertexKind.HOME for each in main):
        problems.add(
            "NO_HOME_PATTERN",
            main[0].spot,
            "no statement starts at _:H",
            "say what home points to: (_:H, ?1, (...))",
        )
        return
    reached = _reached(
        {home for each in main if (home := each.subject).kind is VertexKind.HOME}, main
    )
    _refuse_lost(main, reached, problems)
    for group in (*subscription.optionals, *subscription.absents):
        start = reached | {
            end for each in group for end in _ends(each) if end.kind is VertexKind.HOME
        }
        _refuse_lost(group, _reached(start, group), problems)


def check_kinds(
    subscription: GraphSubscription,
    literal_objects: Mapping[Statement, bool],
    problems: ProblemCollector,
) -> None:
    """Check S4: an id is a resource or a literal, never both.

    `literal_objects` is True for statements whose object is a literal.
    """
    kinds: dict[GraphTerm, bool] = {}
    for statement in (each for group in subscription.groups() for each in group):
        if not statement.path and statement.subject.kind is not VertexKind.HOME:
            continue  # refused elsewhere, as a literal subject is
        if statement.subject.kind is not VertexKind.LITERAL:
            _note_kind(statement.subject, False, kinds, problems)
        if statement in literal_objects:
            _note_kind(statement.object, literal_objects[statement], kinds, problems)


def check_satisfiable(
    statement: Statement,
    types: Sequence[str],
    ontology: Ontology,
    settings: GraphOptions,
    problems: ProblemCollector,
) -> None:
    """Check S6: a legal type is at or below each step; with `strict` a plain statement is legal
    itself.

    The types are the class of the subject, the properties of the path and the class of the object.
    """
    subject_class, *properties, object_class = types
    last = len(properties) - 1
    plain = last == 0 and not statement.path[0].repeated
    for place, prop in enumerate(properties):
        from_class = subject_class if place == 0 else THING
        to_class = object_class if place == last else THING
        ends = [(from_class, to_class)]
        if statement.path[place].repeated:
            ends = [(from_class, THING), (THING, to_class)]
        if not all(ontology.satisfiable(one, prop, other) for one, other in ends):
            shown = ", ".join(map(ontology.short, (from_class, prop, to_class)))
            problems.add(
                "META_UNSATISFIABLE",
                statement.path[place].property,
                f"the ontology allows no statement of type ({shown}), so that this never matches",
                _allowed(prop, ontology),
            )
        elif plain and settings.strict and not ontology.allows(from_class, prop, to_class):
            shown = ", ".join(map(ontology.short, (from_class, prop, to_class)))
            problems.add(
                "META_UNSATISFIABLE",
                statement.path[place].property,
                f"the type ({shown}) is wider than what the ontology allows",
                f"{_allowed(prop, ontology)}; or leave out the option strict",
            )


def check_selection(subscription: GraphSubscription, problems: ProblemCollector) -> None:
    """Check that each selected variable can be bound, by a statement outside absent groups."""
    groups = (subscription.statements, *subscription.optionals)
    known = {end.spot.text for group in groups for each in group for end in _ends(each)}
    for each in subscription.selection:
        if each.text not in known:
            problems.add(
                "UNKNOWN_VARIABLE",
                each,
                f"no statement has {each.text} to select",
                "select variables of statements",
            )


def _reached(start: Iterable[GraphTerm], statements: Iterable[Statement]) -> set[GraphTerm]:
    reached, growing = set(start), True
    edges = [(each.subject, each.object) for each in statements]
    while growing:
        more = {end for begin, end in edges if begin in reached} - reached
        growing = bool(more)
        reached |= more
    return reached


def _refuse_lost(
    statements: Iterable[Statement], reached: set[GraphTerm], problems: ProblemCollector
) -> None:
    lost = dict.fromkeys(end for each in statements for end in _ends(each) if end not in reached)
    for node in lost:
        # blank nodes and literals are refused elsewhere, or with their subject
        if node.kind not in (
            VertexKind.BLANK,
            VertexKind.LITERAL,
        ):
            problems.add(
                "PATTERN_UNREACHABLE",
                node.spot,
                f"no path leads from _:H to {node.spot.text}",
                f"say how it is reached: (_:H, {node.spot.text}, (...))",
            )


def _note_kind(
    node: GraphTerm, literal: bool, kinds: dict[GraphTerm, bool], problems: ProblemCollector
) -> None:
    is_literal = kinds.setdefault(node, _KINDS.get(node.kind, literal))
    if is_literal == literal or node.kind is VertexKind.BLANK:
        return
    words = ("a literal", "a resource") if is_literal else ("a resource", "a literal")
    problems.add(
        "KIND_CONFLICT",
        node.spot,
        f"{node.spot.text} is {words[0]}, and this makes it {words[1]}",
        "datatypes are for literals, all other classes for resources; use another variable",
    )


def _ends(statement: Statement) -> tuple[GraphTerm, GraphTerm]:
    return (statement.subject, statement.object)


def _allowed(prop: str, ontology: Ontology) -> str:
    wider, narrower = ontology.superproperties(prop), ontology.subproperties(prop)
    known = [each for each in ontology.meta_statements if each.property in wider | narrower]
    if not known:
        return f"no meta-statement is about {ontology.short(prop)}"
    return "allowed: " + ", ".join(
        f"({', '.join(map(ontology.short, each))})" for each in known[:3]
    )


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
