"""Graph patterns: conditions of a subscription on the graph of one event (spec 4.1, M1-M5).

A map gives every id of the pattern a vertex of the event. Home goes to the event's home, an IRI to
itself, a literal to a literal of equal value, a variable to any vertex (M1, M2). Under a map a
statement holds if an arc whose property is at or below the statement's leads from the subject's
image to the object's, a class of each end is at or below the statement's, and the filter is TRUE of
the object (M3). One id has one image, literals by value (M4); different ids have different images,
as far as `injective` says (M5). An event matches if some map makes all statements hold.

Beyond the paper:

* a statement of the property ITSELF, from home to home, holds if home is of the statement's
  class: `_:H a :A`;
* a repeated statement (`p+`) holds if a path of one or more such arcs leads from image to image;
  the classes and the filter are about the two ends, the vertices between them are free and are
  the image of no id;
* a condition between variables (`across`) belongs to a group, whatever statement carries it: it is
  TRUE of the images of its variables, which the group or the statements around it have;
* an absent group refuses a map that can be extended to the group's own variables so that M1-M5 hold
  for both together: with injectivity, "a bidder ?1, absent: a bidder ?2" therefore means exactly
  one bidder;
* an optional group never decides; it extends the map, group after group, if M1-M5 can hold for
  both together, and otherwise leaves its own variables without an image.

Of all maps the first counts (`select`): maps are compared by the images of their ids, in the order
in which the statements name them, and of two vertices the one that the document's arcs name first
is less, home least of all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType
from typing import TypeAlias, assert_never

from tocsin.errors import MeaningProblem
from tocsin.knowledge.ontology import Ontology
from tocsin.values.regex import Search
from tocsin.values.terms import Iri, Literal, Term, compare
from tocsin.values.truth import Truth, conjunction, disjunction, negation, truth

ITSELF = "the vertex itself"
"""Property of a statement that only gives the class of home.

It has blanks, so that no property of an ontology equals it.
"""

RELATIONS = ("<", "<=", ">", ">=", "=", "!=")


@dataclass(frozen=True, slots=True)
class Home:
    """The home vertex of the event, written `_:H`."""


@dataclass(frozen=True, slots=True)
class Variable:
    """A vertex to be found; the name is without the question mark."""

    name: str


Vertex: TypeAlias = Home | Variable | Iri | Literal
"""An end of a statement: an id of the pattern. Equal ids are one id."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """The object is in the relation to the value; UNKNOWN if they cannot be compared (spec 3.3)."""

    relation: str
    value: Literal | Iri

    def __post_init__(self) -> None:
        if self.relation not in RELATIONS:
            raise MeaningProblem(f"a relation is one of {' '.join(RELATIONS)}, got {self.relation}")


@dataclass(frozen=True, slots=True)
class Regex:
    """The regular expression is found somewhere in the lexical form; flags are some of `imsx`."""

    pattern: str
    flags: str = ""


@dataclass(frozen=True, slots=True)
class FilterNot:
    """The negation of a filter; of UNKNOWN it is UNKNOWN."""

    operand: Filter


@dataclass(frozen=True, slots=True)
class FilterAll:
    """Every operand is TRUE."""

    operands: tuple[Filter, ...]


@dataclass(frozen=True, slots=True)
class FilterAny:
    """At least one operand is TRUE."""

    operands: tuple[Filter, ...]


@dataclass(frozen=True, slots=True)
class VariableComparison:
    """The image of a variable is in the relation to that of another, or to a value; literals by
    value.
    """

    left: Variable
    relation: str
    right: Variable | Literal | Iri

    def __post_init__(self) -> None:
        if self.relation not in RELATIONS:
            raise MeaningProblem(f"a relation is one of {' '.join(RELATIONS)}, got {self.relation}")


@dataclass(frozen=True, slots=True)
class VariableRegex:
    """The regular expression is found in the lexical form of a variable's image."""

    variable: Variable
    pattern: str
    flags: str = ""


Filter: TypeAlias = (
    Comparison | Regex | VariableComparison | VariableRegex | FilterNot | FilterAll | FilterAny
)
"""In `filter` of a statement: conditions on its object. In `across`: those on variables."""


@dataclass(frozen=True, slots=True)
class StatementPattern:
    """An arc from the subject to the object, or a path of arcs if repeated; the module says when it
    holds.

    `across` is a condition between variables that the group must meet.
    """

    subject: Vertex
    object: Vertex
    subject_class: str
    property: str
    object_class: str
    filter: Filter | None = None
    repeated: bool = False
    across: Filter | None = None

    def __post_init__(self) -> None:
        if isinstance(self.subject, Literal):
            raise MeaningProblem(
                f"a literal has no arcs: {self.subject.lexical}", code="LITERAL_SUBJECT"
            )
        if self.property == ITSELF and self.ends() != (Home(), Home()):
            raise MeaningProblem(
                "only home is told its class without an arc", code="NO_HOME_PATTERN"
            )

    def ends(self) -> tuple[Vertex, Vertex]:
        """Return subject and object."""
        return (self.subject, self.object)


Statements: TypeAlias = tuple[StatementPattern, ...]


def home_is_a(name: str) -> StatementPattern:
    """Return the statement that home is of a class."""
    return StatementPattern(Home(), Home(), name, ITSELF, name)


class Injective(Enum):
    """Ids whose images must differ: those of resources, all, or none (as in SPARQL)."""

    RESOURCES = "resources"
    ALL = "all"
    NONE = "none"


class Strategy(Enum):
    """Matching algorithm: the default one, or that of the paper. Both give the same answers."""

    DEFAULT = "default"
    PAPER = "paper"


@dataclass(frozen=True, slots=True)
class GraphPattern:
    """An atom: some map makes all statements hold in the event's graph, and no absent group extends
    it.

    `select` names the variables whose images are part of a match.
    """

    statements: Statements
    ontology: Ontology
    injective: Injective = Injective.RESOURCES
    select: tuple[str, ...] = ()
    optionals: tuple[Statements, ...] = ()
    absents: tuple[Statements, ...] = ()
    strategy: Strategy = Strategy.DEFAULT

    def __post_init__(self) -> None:
        if not any(isinstance(each.subject, Home) for each in self.statements):
            raise MeaningProblem(
                "no statement starts at _:H", code="NO_HOME_PATTERN", hint="say what home points to"
            )
        if lost := _unreachable(self.statements):
            names = ", ".join(map(vertex_text, lost))
            raise MeaningProblem(
                f"no path leads from _:H to {names}", code="PATTERN_UNREACHABLE", token=names
            )
        if unknown := set(self.select) - {
            each.name for each in variables_of((self.statements, *self.optionals))
        }:
            names = ", ".join(f"?{name}" for name in sorted(unknown))
            raise MeaningProblem(
                f"no statement has {names} to select", code="UNKNOWN_VARIABLE", token=names
            )
        for group in (self.statements, *self.optionals, *self.absents):
            self._require_variables(group)

    def _require_variables(self, group: Statements) -> None:
        """Raise if a condition of a group is about a variable that has no image there."""
        known = set(variables_of((self.statements, group)))
        asked = {each for condition in conditions_of(group) for each in variables_in(condition)}
        if unknown := asked - known:
            names = ", ".join(sorted(map(vertex_text, unknown)))
            raise MeaningProblem(
                f"no statement has {names} to compare", code="UNKNOWN_VARIABLE", token=names
            )

    @property
    def ids(self) -> tuple[Vertex, ...]:
        """Home, then every id of the statements once, in the order in which they name it."""
        return ids_of(self.statements)


def ids_of(statements: Iterable[StatementPattern]) -> tuple[Vertex, ...]:
    """Return home, then every id once, in the order of the statements, subject before object."""
    return tuple(dict.fromkeys((Home(), *(end for each in statements for end in each.ends()))))


def variables_of(groups: Iterable[Statements]) -> Iterator[Variable]:
    """Yield every occurrence of a variable."""
    return (
        end
        for group in groups
        for each in group
        for end in each.ends()
        if isinstance(end, Variable)
    )


def conditions_of(statements: Iterable[StatementPattern]) -> tuple[Filter, ...]:
    """Return the conditions between variables that a group must meet."""
    return tuple(each.across for each in statements if each.across is not None)


def variables_in(condition: Filter) -> Iterator[Variable]:
    """Yield the variables of a condition between variables."""
    match condition:
        case VariableComparison(left, _, right):
            yield left
            if isinstance(right, Variable):
                yield right
        case VariableRegex(variable):
            yield variable
        case FilterNot(operand):
            yield from variables_in(operand)
        case FilterAll(operands) | FilterAny(operands):
            for operand in operands:
                yield from variables_in(operand)
        case Comparison() | Regex():
            return
        case _:
            assert_never(condition)


def is_below(term: Term, classes: Iterable[str], wanted: str, ontology: Ontology) -> bool:
    """True if one of the classes of a vertex is at or below the wanted one; a literal has
    datatypes.
    """
    above = ontology.superdatatypes if isinstance(term, Literal) else ontology.superclasses
    return any(wanted in above(each) for each in classes)


def filter_truth(
    condition: Filter, term: Term | None, images: Mapping[Variable, Term] = MappingProxyType({})
) -> Truth:
    """Return the truth of a filter for the object's term, or of a condition for images of
    variables.

    A filter that cannot be evaluated is UNKNOWN, which at the top is not TRUE.
    """
    match condition:
        case Comparison(relation, value):
            return Truth.UNKNOWN if term is None else compare(term, relation, value)
        case Regex(pattern, flags):
            return _is_found(pattern, flags, term)
        case VariableComparison(left, relation, right):
            other = images[right] if isinstance(right, Variable) else right
            return compare(images[left], relation, other)
        case VariableRegex(variable, pattern, flags):
            return _is_found(pattern, flags, images[variable])
        case FilterNot(operand):
            return negation(filter_truth(operand, term, images))
        case FilterAll(operands):
            return conjunction(filter_truth(operand, term, images) for operand in operands)
        case FilterAny(operands):
            return disjunction(filter_truth(operand, term, images) for operand in operands)
        case _:
            assert_never(condition)


def _is_found(pattern: str, flags: str, term: Term | None) -> Truth:
    if not isinstance(term, Literal):
        return Truth.UNKNOWN
    return truth(Search(pattern, flags).found_in(term.lexical))


def vertex_text(vertex: Vertex) -> str:
    """Return an id as the language writes it."""
    match vertex:
        case Home():
            return "_:H"
        case Variable(name):
            return f"?{name}"
        case _:
            return str(vertex)


def _unreachable(statements: Statements) -> list[Vertex]:
    """Return the ids that no path of statements leads to from home."""
    reached: set[Vertex] = {Home()}
    growing = True
    while growing:
        more = {each.object for each in statements if each.subject in reached} - reached
        growing = bool(more)
        reached |= more
    return [each for each in ids_of(statements) if each not in reached]
