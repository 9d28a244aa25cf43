"""Expressions over one event (constants, attributes, calls of named functions) and over several.

Data only. Measures of several events are aggregates, conditions on named parts, and selected
values. An expression over named parts has the functions of `selector`. The path of an attribute
begins with the name of a part: `Attribute(("b", "price"))` is the price of the one event that b is.
A part of several events has only aggregates: `Call("SUM", (Attribute(("b", "amount")),))`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from tocsin.errors import LimitProblem, MeaningProblem
from tocsin.values.scalars import Constant, Path
from tocsin.values.space import DISTANCES, Metric, SpatialRelation
from tocsin.values.time import Duration, format_duration


class Semantics(Enum):
    """Rules that evaluate an expression; one table of functions each."""

    SELECTOR = "selector"
    JMS = "jms"
    AMQP = "amqp"
    CESQL = "cesql"
    MEMBERS = "members"


@dataclass(frozen=True, slots=True)
class Value:
    """A constant."""

    constant: Constant


@dataclass(frozen=True, slots=True)
class Attribute:
    """The value of an attribute of the event."""

    path: Path


@dataclass(frozen=True, slots=True)
class Call:
    """A function or operator applied to its arguments.

    Operators go by their symbol, as in Call("+", (a, b)).
    """

    function: str
    arguments: tuple[Expression, ...]


Expression = Value | Attribute | Call

Elements = tuple[str, Path]
"""A variable, and the path to the values that it is bound to."""


def size_of(expression: Expression) -> int:
    """Return how many constants, attributes and calls the expression has."""
    if not isinstance(expression, Call):
        return 1
    return 1 + sum(map(size_of, expression.arguments))


def paths_of(expression: Expression) -> frozenset[Path]:
    """Return the attributes that the expression reads."""
    match expression:
        case Attribute(path):
            return frozenset((path,))
        case Call(_, arguments):
            return frozenset(path for argument in arguments for path in paths_of(argument))
        case _:
            return frozenset()


RELATIONS = ("=", "<>", "<", "<=", ">", ">=")

MAX_COUNTED = 10_000
"""Occurrences that a range may require at most."""

LONGEST_WINDOW: Duration = 3_660 * 24 * 3_600 * 1_000_000
"""Length of a counting window at most, in microseconds: ten years."""


class Aggregate(Enum):
    """A number computed from several events.

    COUNT counts them and DISTINCT the different scalars at a path. SUM, AVG, MIN and MAX are over
    the numbers at a path; other values are left out, and without numbers they have no value. Whole
    numbers are exact; if one is not whole, SUM is `math.fsum` of them as doubles in canonical
    order, and AVG is that divided by their number.
    """

    COUNT = "COUNT"
    DISTINCT = "COUNT DISTINCT"
    SUM = "SUM"
    AVG = "AVG"
    MIN = "MIN"
    MAX = "MAX"


OF_GROUPS = frozenset(each.name for each in Aggregate) | {"FIRST", "LAST", "SKIPPED"}
"""Calls whose arguments are paths into a part that may be several events.

FIRST and LAST read the first and the last of them in canonical order. SKIPPED is the number of them
without a number at the paths, NULL if all have one. START and END, which any part has, are its
interval as texts of time.
"""

OF_INTERVALS = frozenset(("START", "END"))


@dataclass(frozen=True, slots=True)
class Measure:
    """An aggregate over the values at a path; COUNT has none."""

    aggregate: Aggregate
    path: Path = ()

    def __post_init__(self) -> None:
        if bool(self.path) is (self.aggregate is Aggregate.COUNT):
            wants = "no path" if self.path else "a path"
            raise MeaningProblem(f"{self.aggregate.value} has {wants}, got {'.'.join(self.path)!r}")


@dataclass(frozen=True, slots=True)
class MeasureCondition:
    """A measure that is in a relation to a limit; False without a value."""

    measure: Measure
    relation: str
    limit: int | float

    def __post_init__(self) -> None:
        require_relation(self.relation)


class Ring(Enum):
    """Mode that selects the instants at which a window aggregate rings, among the true ones."""

    ON_CHANGE = "on change"
    EVERY_TIME = "every time"
    ONCE = "once"


@dataclass(frozen=True, slots=True)
class Satisfies:
    """The expression is TRUE of the named parts: a comparison, IS NULL, IN or LIKE, as in
    `selector`.

    An attribute of a name without an event, or with several events, is NULL.
    """

    expression: Expression


@dataclass(frozen=True, slots=True)
class Apart:
    """The places of two named parts are in a relation of distance or, if `negated`, are not.

    Without one of the places it is false either way.
    """

    name: str
    relation: SpatialRelation
    other: str
    distance: float
    metric: Metric = Metric.PLANAR
    negated: bool = False

    def __post_init__(self) -> None:
        if self.relation not in DISTANCES or not self.distance >= 0:
            raise MeaningProblem(
                f"a relation of distance and 0 or more are expected, got {self.relation.value}"
                f" {self.distance}"
            )


@dataclass(frozen=True, slots=True)
class Lasts:
    """The whole lasts at most `limit` from its least start to its greatest end."""

    limit: Duration

    def __post_init__(self) -> None:
        require_window(self.limit)


@dataclass(frozen=True, slots=True)
class Selected:
    """A value of a match under a name; NULL is left out."""

    name: str
    value: Expression


def names_in(expression: Expression) -> frozenset[str]:
    """Return the names of the parts in an expression."""
    return frozenset(path[0] for path, _ in _attributes(expression, False))


def names_aggregated_in(expression: Expression) -> frozenset[str]:
    """Return the names of the parts that an expression aggregates."""
    return frozenset(path[0] for path, is_grouped in _attributes(expression, False) if is_grouped)


def with_prefix(expression: Expression, prefix: str) -> Expression:
    """Return the expression with the prefix before the name of every part."""
    match expression:
        case Attribute((name, *path)):
            return Attribute((prefix + name, *path))
        case Call(function, arguments):
            return Call(function, tuple(with_prefix(each, prefix) for each in arguments))
        case _:
            return expression


def _attributes(expression: Expression, is_grouped: bool) -> Iterator[tuple[Path, bool]]:
    match expression:
        case Attribute(path):
            yield path, is_grouped
        case Call(function, arguments):
            for each in arguments:
                yield from _attributes(each, is_grouped or function in OF_GROUPS)
        case _:
            pass


def require_window(length: Duration, least: Duration = 0) -> None:
    """Raise for a length that a counting window cannot have."""
    if length < least:
        raise MeaningProblem(f"a window has a length of {least} or more, got {length}")
    if length > LONGEST_WINDOW:
        raise LimitProblem(
            f"a window of {format_duration(length)} is too long: all that lies in it is kept",
            code="WindowTooLong",
            hint=f"windows are at most {format_duration(LONGEST_WINDOW)} long",
        )


def require_relation(relation: str) -> None:
    """Raise for a relation that is not a comparison."""
    if relation not in RELATIONS:
        raise MeaningProblem(f"a relation is one of {' '.join(RELATIONS)}, got {relation}")
