"""Random ontologies, events and graph patterns: few names, so that things meet, in cycles, diamonds
and self-loops.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hypothesis import strategies as st

from tests.builders import build_event
from tocsin.engine.columns.batch import Batch
from tocsin.events.event import Event
from tocsin.knowledge.ontology import Ontology, builtin_classes, builtin_properties
from tocsin.plan.nodes.graphs import (
    Comparison,
    Filter,
    FilterAll,
    FilterAny,
    FilterNot,
    GraphPattern,
    Home,
    Injective,
    Regex,
    StatementPattern,
    Statements,
    Variable,
    VariableComparison,
    VariableRegex,
    Vertex,
    home_is_a,
    variables_of,
)
from tocsin.values.terms import (
    ANY_LITERAL,
    BOOLEAN,
    DATE,
    DATE_TIME,
    DECIMAL,
    DOUBLE,
    INTEGER,
    LANG_STRING,
    RDF_TYPE,
    STRING,
    THING,
    Blank,
    Iri,
    Literal,
    Term,
)

EX = "http://example.org/"
HOME_IRI = Iri("urn:ops:H")
CLASSES = [EX + name for name in "ABCDEF"]
PROPERTIES = [EX + name for name in "pqr"]
CONSTANTS = [Iri(EX + "i1"), Iri(EX + "i2")]
DATATYPES = [ANY_LITERAL, DECIMAL, INTEGER, STRING]

DIFFERENT_VALUES = [
    Literal("1", INTEGER),
    Literal("2.5", DECIMAL),
    Literal("a"),
    Literal("b"),
    Literal("3", INTEGER),
]
EQUAL_VALUES = [
    *DIFFERENT_VALUES,
    Literal("1.0", DECIMAL),
    Literal("01", INTEGER),
    Literal("1e0", DOUBLE),
    Literal("1"),
    Literal("a", LANG_STRING, "en"),
    Literal("abc", DECIMAL),
    Literal("true", BOOLEAN),
    Literal("NaN", DOUBLE),
    Literal("x", EX + "colour"),
]


OF_EVERY_TYPE = [
    *DIFFERENT_VALUES,
    Literal("7e0", DOUBLE),
    Literal("true", BOOLEAN),
    Literal("false", BOOLEAN),
    Literal("a", LANG_STRING, "en"),
    Literal("b", LANG_STRING, "en"),
    Literal("x", EX + "colour"),
    Literal("2006-08-22", DATE),
    Literal("2006-08-23", DATE),
    Literal("2006-08-22Z", DATE),
    Literal("2006-08-24+02:00", DATE),
    Literal("2006-08-22T10:00:00", DATE_TIME),
    Literal("2006-08-23T10:00:00", DATE_TIME),
    Literal("2006-08-22T12:00:00Z", DATE_TIME),
    Literal("2006-08-23T09:00:00-05:00", DATE_TIME),
]
"""Literals of every type, no two of one value."""


def ontology_of(
    classes: dict[str, Sequence[str]], properties: dict[str, Sequence[str]] | None = None
) -> Ontology:
    """Classes and properties with their parents."""
    return Ontology(builtin_classes(classes), builtin_properties(properties or {}))


@st.composite
def ontologies(draw: st.DrawFn) -> Ontology:
    """Hierarchies in which a name may be below any earlier ones: chains, trees, diamonds."""

    def below(names: Sequence[str]) -> dict[str, list[str]]:
        return {
            name: draw(st.lists(st.sampled_from(names[:place]), unique=True, max_size=2))
            if place
            else []
            for place, name in enumerate(names)
        }

    return ontology_of(below(CLASSES), below(PROPERTIES))


@dataclass(frozen=True, slots=True)
class World:
    """The triples of an event, in the order of the document."""

    triples: tuple[tuple[Term, str, Term], ...]

    def text(self) -> str:
        """The triples as N-Triples."""
        return "".join(f"{subject} <{prop}> {value} .\n" for subject, prop, value in self.triples)

    def arcs(self) -> list[tuple[Term, str, Term]]:
        """The triples but those that give classes."""
        return [triple for triple in self.triples if triple[1] != RDF_TYPE]

    def classes(self, vertex: Term) -> list[str]:
        """The classes that a resource is given; owl:Thing where it is given none."""
        given = [
            value.text
            for each, used, value in self.triples
            if each == vertex and used == RDF_TYPE and isinstance(value, Iri)
        ]
        return given or [THING]

    def event(self, number: int = 0) -> Event:
        """An event with these triples."""
        return event_of(self.text(), "application/n-triples", number)


def event_of(text: str, kind: str = "text/turtle", number: int = 0) -> Event:
    """An event with RDF data."""
    return build_event(f"e{number}", content_type=kind, data=text)


@st.composite
def worlds(draw: st.DrawFn, literals: Sequence[Literal] = EQUAL_VALUES) -> World:
    """Up to six resources, each below an earlier one, more arcs between any two, and literals."""
    others = draw(st.permutations([*CONSTANTS, Blank("x"), Blank("y"), Blank("z")]))
    vertices: list[Term] = [HOME_IRI, *others[: draw(st.integers(0, 5))]]
    kinds = {
        each: draw(st.lists(st.sampled_from(CLASSES), min_size=1, max_size=2, unique=True))
        for each in vertices
    }
    for each in vertices:
        if draw(st.integers(0, 5)) == 0:
            kinds[each] = draw(st.sampled_from([[THING], []]))
    arcs: list[tuple[Term, str, Term]] = [
        (
            vertices[draw(st.integers(0, place - 1))],
            draw(st.sampled_from(PROPERTIES)),
            vertices[place],
        )
        for place in range(1, len(vertices))
    ]
    ends = st.sampled_from([*vertices, *literals]) if literals else st.sampled_from(vertices)
    arcs += draw(
        st.lists(
            st.tuples(st.sampled_from(vertices), st.sampled_from(PROPERTIES), ends), max_size=6
        )
    )
    arcs = draw(st.permutations(list(dict.fromkeys(arcs))))
    if not arcs and not kinds[HOME_IRI]:
        kinds[HOME_IRI] = [THING]
    typed: list[tuple[Term, str, Term]] = [
        (each, RDF_TYPE, Iri(kind)) for each in vertices for kind in kinds[each]
    ]
    return World((*typed, *arcs))


def comparisons(
    literals: Sequence[Literal | Iri], relations: Sequence[str]
) -> st.SearchStrategy[Filter]:
    """A comparison with one of the values."""
    return st.builds(Comparison, st.sampled_from(relations), st.sampled_from(literals))


def conditions(
    names: Sequence[str], literals: Sequence[Literal] = EQUAL_VALUES
) -> st.SearchStrategy[Filter]:
    """Conditions between variables of these names, and of variables with values."""
    variable = st.sampled_from([Variable(name) for name in names])
    relations = ("<", "<=", ">", ">=", "=", "!=")
    leaves: st.SearchStrategy[Filter] = st.one_of(
        st.builds(VariableComparison, variable, st.sampled_from(relations), variable),
        st.builds(
            VariableComparison,
            variable,
            st.sampled_from(relations),
            st.one_of(variable, st.sampled_from([*literals, *CONSTANTS])),
        ),
        st.builds(VariableRegex, variable, st.sampled_from(["a", "^2", "1"])),
    )
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.builds(FilterNot, inner),
            st.builds(lambda *parts: FilterAll(parts), inner, inner),
            st.builds(lambda *parts: FilterAny(parts), inner, inner),
        ),
        max_leaves=2,
    )


@st.composite
def with_conditions(
    draw: st.DrawFn, pattern: GraphPattern, literals: Sequence[Literal] = EQUAL_VALUES
) -> GraphPattern:
    """The pattern with a condition between variables in each of its groups, where it has some."""

    def conditioned(group: Statements) -> Statements:
        known = sorted({each.name for each in variables_of((pattern.statements, group))})
        if not known or draw(st.integers(0, 3)) == 0:
            return group
        place = draw(st.integers(0, len(group) - 1))
        condition = draw(conditions(known, literals))
        return (*group[:place], replace(group[place], across=condition), *group[place + 1 :])

    return replace(
        pattern,
        statements=conditioned(pattern.statements),
        optionals=tuple(map(conditioned, pattern.optionals)),
        absents=tuple(map(conditioned, pattern.absents)),
    )


def filters() -> st.SearchStrategy[Filter]:
    """Filters of every kind."""
    leaves: st.SearchStrategy[Filter] = st.one_of(
        comparisons([*EQUAL_VALUES, *CONSTANTS], ("<", "<=", ">", ">=", "=", "!=")),
        st.builds(Regex, st.sampled_from(["a", "^1", "b|c", "[0-9]$"]), st.sampled_from(["", "i"])),
    )
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.builds(FilterNot, inner),
            st.builds(lambda *parts: FilterAll(parts), inner, inner),
            st.builds(lambda *parts: FilterAny(parts), inner, inner),
        ),
        max_leaves=3,
    )


@dataclass(slots=True)
class Drawing:
    """What a pattern is drawn from: a world to take arcs from, and the ids reached so far with
    their models.
    """

    ontology: Ontology
    world: World
    literals: Sequence[Literal]
    conditions: st.SearchStrategy[Filter]
    reached: dict[Vertex, Term | None]
    names: str

    def copy(self, names: str) -> Drawing:
        """The same, going on with other names."""
        return Drawing(
            self.ontology, self.world, self.literals, self.conditions, dict(self.reached), names
        )


@st.composite
def statements(draw: st.DrawFn, drawing: Drawing, most: int) -> Statements:
    """Statements that start at what is reached; most of them are taken from an arc of the world, so
    that some match.

    Now and then one tells only the class of home.
    """
    made = []
    for _ in range(draw(st.integers(1, most))):
        if draw(st.integers(0, 7)) == 0:
            made.append(
                home_is_a(
                    draw(st.one_of(_at_or_above(drawing, HOME_IRI), st.sampled_from(CLASSES)))
                )
            )
            continue
        subject = draw(
            st.sampled_from([each for each in drawing.reached if not isinstance(each, Literal)])
        )
        arcs = [arc for arc in drawing.world.arcs() if arc[0] == drawing.reached[subject]]
        if arcs and draw(st.integers(0, 4)):
            made.append(draw(taken_statements(drawing, subject, draw(st.sampled_from(arcs)))))
        else:
            made.append(draw(random_statements(drawing, subject)))
    return tuple(made)


@st.composite
def taken_statements(
    draw: st.DrawFn, drawing: Drawing, subject: Vertex, arc: tuple[Term, str, Term]
) -> StatementPattern:
    """A statement that the arc satisfies, if its ends may have these images."""
    start, used, end = arc
    known = [each for each, model in drawing.reached.items() if model == end]
    fresh: list[Vertex] = [
        each for each in map(Variable, drawing.names) if each not in drawing.reached
    ]
    constants: list[Vertex] = [] if isinstance(end, Blank) or end == HOME_IRI else [end]
    target = draw(
        st.sampled_from(
            [*known, *known, *fresh, *fresh, *constants] or [Variable(drawing.names[0])]
        )
    )
    drawing.reached.setdefault(target, end)
    often = 1 if isinstance(end, Literal) else 7
    filtered = isinstance(target, Variable) and draw(st.integers(0, often)) == 0
    return StatementPattern(
        subject,
        target,
        draw(_at_or_above(drawing, start)),
        draw(st.sampled_from(sorted(drawing.ontology.superproperties(used)))),
        draw(_at_or_above(drawing, end)),
        draw(drawing.conditions) if filtered else None,
        draw(st.integers(0, 5)) == 0,
    )


def _at_or_above(drawing: Drawing, term: Term) -> st.SearchStrategy[str]:
    if isinstance(term, Literal):
        return st.sampled_from(sorted(drawing.ontology.superdatatypes(term.datatype)))
    kinds = [
        each for kind in drawing.world.classes(term) for each in drawing.ontology.superclasses(kind)
    ]
    return st.sampled_from(sorted(kinds))


@st.composite
def random_statements(draw: st.DrawFn, drawing: Drawing, subject: Vertex) -> StatementPattern:
    """Any statement."""
    to_literal = bool(drawing.literals) and draw(st.integers(0, 3)) == 0
    ends: list[Vertex] = [*map(Variable, drawing.names), *drawing.reached, *CONSTANTS]
    target = draw(st.sampled_from([*ends, *drawing.literals] if to_literal else ends))
    drawing.reached.setdefault(target, None)
    filtered = to_literal and isinstance(target, Variable) and draw(st.booleans())
    return StatementPattern(
        subject,
        target,
        draw(st.sampled_from([THING, THING, *CLASSES])),
        draw(st.sampled_from(PROPERTIES)),
        draw(st.sampled_from(DATATYPES if to_literal else [THING, THING, *CLASSES])),
        draw(drawing.conditions) if filtered else None,
        draw(st.integers(0, 5)) == 0,
    )


@st.composite
def patterns(
    draw: st.DrawFn,
    ontology: Ontology,
    world: World,
    literals: Sequence[Literal] = EQUAL_VALUES,
    conditions: st.SearchStrategy[Filter] | None = None,
    most: int = 4,
) -> GraphPattern:
    """Patterns with cycles, constants, filters, paths, optional and absent groups, and every
    injectivity.
    """
    drawing = Drawing(
        ontology,
        world,
        literals,
        filters() if conditions is None else conditions,
        {Home(): HOME_IRI},
        "123",
    )
    said = draw(statements(drawing, most))
    group = st.deferred(lambda: statements(drawing.copy("456"), 2))
    absents = draw(st.lists(group, max_size=1)) if draw(st.integers(0, 2)) == 0 else []
    optionals = draw(st.lists(group, max_size=2)) if draw(st.integers(0, 2)) == 0 else []
    names = sorted(
        {
            end.name
            for part in (said, *optionals)
            for each in part
            for end in each.ends()
            if isinstance(end, Variable)
        }
    )
    return GraphPattern(
        said,
        ontology,
        draw(st.sampled_from(Injective)),
        tuple(draw(st.lists(st.sampled_from(names), unique=True))) if names else (),
        tuple(optionals),
        tuple(absents),
    )


def pairs(matcher: object, events: Sequence[Event]) -> list[tuple[int, str]]:
    """Which key hit which event, in the order of the matcher."""
    hits = matcher.match(Batch(events))  # type: ignore[attr-defined]
    keys = matcher.keys_of(hits.slots)  # type: ignore[attr-defined]
    return list(zip(hits.events.tolist(), keys, strict=True))
