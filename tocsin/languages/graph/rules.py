"""Static rules about whole subscriptions: S1, S4, S6, and valid selections."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tocsin.knowledge.ontology import Ontology
from tocsin.languages.base.texts import ProblemCollector, SourceSpan
from tocsin.languages.graph.options import GraphOptions
from tocsin.languages.graph.syntax import GraphSubscription, GraphTerm, Statement, VertexKind
from tocsin.values.terms import THING

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
