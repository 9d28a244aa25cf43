"""Composites: conditions of a subscription on several events, or on the absence of one.

A part is an atom or a composite. An occurrence of a part is a set of member events with an interval
(least start, greatest end), a place (hull of the members' places) and the occurrences of the named
parts inside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import assert_never

from tocsin.errors import LimitProblem, MeaningProblem
from tocsin.lazy_import import LazyModule
from tocsin.plan.cached_hash import HashedOnce, hashed_once
from tocsin.plan.nodes.atoms import Atom, variables_bound_by
from tocsin.plan.nodes.expressions import (
    MAX_COUNTED,
    Apart,
    Elements,
    Lasts,
    Measure,
    MeasureCondition,
    Ring,
    Satisfies,
    Selected,
    names_aggregated_in,
    names_in,
    require_relation,
    require_window,
)
from tocsin.plan.xml.construction import Construct
from tocsin.plan.xml.row_terms import RowCondition
from tocsin.plan.xml.xml_patterns import XmlBlock
from tocsin.values.allen import relation_of
from tocsin.values.scalars import Path
from tocsin.values.space import Metric, SpatialRelation
from tocsin.values.time import Duration, Instant

HIDDEN = "."
"""First character of internal names, which no match contains."""

explain_plan = LazyModule("tocsin.plan.explain.plan")
"""Named as text, since explanations stand on the nodes; loaded when a notebook shows a plan."""


class Policy(Enum):
    """Consumption policy: which occurrences combine, and which of them a combination consumes."""

    DEFERRED = "deferred"
    CHRONICLE = "chronicle"
    RECENT = "recent"
    EXCLUSIVE = "exclusive"
    GLOBE = "globe"
    UNRESTRICTED = "unrestricted"


class End(Enum):
    """One end of an occurrence's interval."""

    START = "start"
    FINISH = "end"


@dataclass(frozen=True, slots=True)
class Moment:
    """The start or the end of a part of a join, by the part's number."""

    part: int
    end: End


@dataclass(frozen=True, slots=True)
class Precedes:
    """The earlier moment plus `gap` is before the later one or, with `or_equal`, equal to it."""

    earlier: Moment
    later: Moment
    gap: Duration = 0
    or_equal: bool = False


@dataclass(frozen=True, slots=True)
class Near:
    """The place of one part has the relation to the place of another.

    `distance` is for relations that need one.
    """

    part: int
    relation: SpatialRelation
    other: int
    distance: float = 0.0
    metric: Metric = Metric.PLANAR

    def __post_init__(self) -> None:
        _require_distance(self.distance)


@dataclass(frozen=True, slots=True)
class Stands:
    """The interval of one part is in an Allen relation to that of another: `Before`; negated
    `UnBefore`.

    With `proper`, instants meet, overlap, start, finish and lie inside nothing.
    """

    part: int
    relation: str
    other: int
    proper: bool = False

    def __post_init__(self) -> None:
        relation_of(self.relation)


@dataclass(frozen=True, slots=True)
class PartAttribute:
    """An attribute of the event of a named part, or the value of a `variable` that the part binds.

    A variable with several values at once cannot be compared, like an attribute that is a list.
    """

    name: str
    path: Path
    variable: str = ""


@dataclass(frozen=True, slots=True)
class Related:
    """A comparison of two attributes of named parts: `=`, `<>`, `<`, `<=`, `>` or `>=`.

    Equality can partition the state.
    """

    left: PartAttribute
    relation: str
    right: PartAttribute


NamedCondition = Related | Satisfies | Apart | Lasts
"""Conditions on named parts, at any depth of an occurrence."""

JoinCondition = Precedes | Near | Stands | NamedCondition

Key = tuple[Path, ...]
"""Paths to the values that all parts have in common.

The key of an occurrence are the scalars at the paths in its members: all have them, and all the
same. An operator with a key is partitioned by it; occurrences without the key are ignored. TRUE is
not 1, and 1 is 1.0.
"""


@hashed_once
@dataclass(frozen=True, slots=True)
class Join(HashedOnce):
    """One occurrence of each part; they meet every condition, agree on named parts and share no
    other member. An event that a measure counts is not a member of its own: other parts may have it
    too.

    With `keep`, their ends are at most that far apart, so that older ones can be dropped. With
    `by`, all parts have the same key.
    """

    parts: tuple[Part, ...]
    conditions: tuple[JoinCondition, ...] = ()
    policy: Policy = Policy.DEFERRED
    keep: Duration | None = None
    by: Key = ()

    def __post_init__(self) -> None:
        if len(self.parts) < 2:
            raise MeaningProblem("a join has two parts or more")


@hashed_once
@dataclass(frozen=True, slots=True)
class Either(HashedOnce):
    """An occurrence of one of the parts alone."""

    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class DuringWindow:
    """The occurrence starts after `start` and ends at `start + length` or before."""

    start: Instant
    length: Duration


@dataclass(frozen=True, slots=True)
class AfterInstant:
    """The occurrence starts after the instant."""

    instant: Instant


@dataclass(frozen=True, slots=True)
class AtRegion:
    """The place of the occurrence has the relation to a fixed region, given as WKT."""

    relation: SpatialRelation
    region: str
    distance: float = 0.0
    metric: Metric = Metric.PLANAR

    def __post_init__(self) -> None:
        _require_distance(self.distance)


@dataclass(frozen=True, slots=True)
class Meeting:
    """At least one row of the occurrence meets the conditions."""

    conditions: tuple[RowCondition, ...]


@dataclass(frozen=True, slots=True)
class Fulfilling:
    """The named parts inside the occurrence, or the whole of it, meet the conditions."""

    conditions: tuple[NamedCondition, ...]


@dataclass(frozen=True, slots=True)
class Keyed:
    """The occurrence has a key: each of its events has a scalar at each path, and all the same."""

    by: Key


@dataclass(frozen=True, slots=True)
class Share:
    """Each event of the occurrence belongs to partition `number` of `shares`, by its values at the
    paths.

    A missing value counts as a value.
    """

    by: Key
    number: int
    shares: int

    def __post_init__(self) -> None:
        if not 0 <= self.number < self.shares:
            raise MeaningProblem(f"there is no share {self.number} of {self.shares}")


Restriction = DuringWindow | AfterInstant | AtRegion | Meeting | Fulfilling | Keyed | Share


@hashed_once
@dataclass(frozen=True, slots=True)
class Only(HashedOnce):
    """The occurrences of a part that meet a restriction of fixed time or space, or on their
    bindings.
    """

    part: Part
    restriction: Restriction


@dataclass(frozen=True, slots=True)
class FixedWindow:
    """The half-open window (start, start + length] of absolute time."""

    start: Instant
    length: Duration


@dataclass(frozen=True, slots=True)
class AfterWindow:
    """For each occurrence of the part, the half-open window (end, end + length] after it."""

    part: Part
    length: Duration


@dataclass(frozen=True, slots=True)
class BetweenWindow:
    """For each pair of occurrences, the open window from the end of the first to the start of the
    last.
    """

    first: Part
    last: Part


@dataclass(frozen=True, slots=True)
class BeforeWindow:
    """For each occurrence of the part, the window [start - length, start) before it.

    An occurrence is inside if it ends there and, with `whole`, also starts there.
    """

    part: Part
    length: Duration
    whole: bool = False


MAX_EMPTY_WINDOWS = 1_000


@dataclass(frozen=True, slots=True)
class EveryWindow:
    """Tumbling windows (origin + k length, origin + (k + 1) length]; occurrences that end there are
    inside.

    Without origin they are counted from the epoch, starting with the one that contains the first
    known instant. They recur without end; at the end of time the windows are decided that are over
    by the last known instant. If the clock advances over more than `MAX_EMPTY_WINDOWS` of them at
    once, all empty, they are one occurrence, from the first to the last.
    """

    length: Duration
    origin: Instant | None = None

    def __post_init__(self) -> None:
        if self.length <= 0:
            raise MeaningProblem(
                f"a window that comes again has a length above 0, got {self.length}"
            )


Window = FixedWindow | AfterWindow | BetweenWindow | BeforeWindow | EveryWindow


@hashed_once
@dataclass(frozen=True, slots=True)
class Absence(HashedOnce):
    """No occurrence of the part that meets the conditions lies wholly inside the window.

    Conditions between the two parts that bound a window are about these alone: they decide which
    pairs bound one. With `keep`, the ends of such a window are at most that far apart. An
    occurrence of the absent part counts only if its bindings agree with those of the parts around
    the window. With `by`, the absent part and the parts around the window have the same key.
    """

    part: Part
    window: Window
    conditions: tuple[NamedCondition, ...] = ()
    policy: Policy = Policy.DEFERRED
    keep: Duration | None = None
    by: Key = ()

    def __post_init__(self) -> None:
        if self.by and isinstance(self.window, FixedWindow | EveryWindow):
            raise MeaningProblem("a window that no part bounds has no key")
        if not isinstance(self.window, BetweenWindow):
            absent = names_of(self.part)
            strange = [each for each in self.conditions if not isinstance(each, Related)]
            if any(absent.isdisjoint(names_used_by(each)) for each in strange):
                raise MeaningProblem("a condition of an absence speaks of what is absent")

    @property
    def conditions_on_bounds(self) -> tuple[NamedCondition, ...]:
        """The conditions on the two parts around a window."""
        if not isinstance(self.window, BetweenWindow):
            return ()
        names = names_of(self.window.first) | names_of(self.window.last)
        return tuple(each for each in self.conditions if names_used_by(each) <= names)

    @property
    def conditions_on_absent(self) -> tuple[NamedCondition, ...]:
        """The conditions that an occurrence of the absent part must meet to count."""
        on_bounds = self.conditions_on_bounds
        return tuple(each for each in self.conditions if each not in on_bounds)


@hashed_once
@dataclass(frozen=True, slots=True)
class Gathered(HashedOnce):
    """All occurrences of the part wholly inside a window, if their number is in the range.

    Windows, conditions, keys, and agreement of bindings are those of an absence, which is the same
    with 0..0; so it is decided row by row too, and keeps the rows for which it holds. The number is
    from `least` to `most`; without `most` there is no upper limit. Conditions with an aggregate of
    a name of the part are about all of them, the others about each. Its members are those of the
    parts around the window and of all that are counted; the names of the part stand for all of
    them.

    It is decided when the part that closes the window occurs, and after a part at the end of the
    window, with which it ends. Only a count after a part with nothing but `least` is decided with
    the first `least` in canonical order, once for each occurrence of that part.

    With `limit`, the last part ends at most that long after the latest end of the counted ones or,
    without any, after the end of the first part; a window after a part has no limit.
    """

    part: Part
    window: AfterWindow | BetweenWindow | BeforeWindow
    least: int
    most: int | None
    conditions: tuple[NamedCondition, ...] = ()
    policy: Policy = Policy.DEFERRED
    keep: Duration | None = None
    by: Key = ()
    limit: Duration | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.window, AfterWindow | BetweenWindow | BeforeWindow):
            raise MeaningProblem("what is gathered lies after, between or before parts")
        if self.least < 0 or (self.most is not None and self.most < self.least):
            raise MeaningProblem(f"the range {self.least}..{self.most} is empty")
        if max(self.least, self.most or 0) > MAX_COUNTED:
            raise LimitProblem(
                f"at most {MAX_COUNTED:,} occurrences can be asked for",
                code="TooManyCounted",
                hint="all that is counted is part of the match; count with OVER instead",
            )
        if self.limit is not None and isinstance(self.window, AfterWindow):
            raise MeaningProblem("nothing closes a window after a part")
        if not isinstance(self.window, BetweenWindow):
            require_window(self.window.length)

    @property
    def is_at_once(self) -> bool:
        """True if it is decided as soon as the least number has occurred after a part."""
        is_plain = self.most is None and self.least > 0 and not self.conditions_on_all
        return is_plain and isinstance(self.window, AfterWindow)

    @property
    def conditions_on_bounds(self) -> tuple[NamedCondition, ...]:
        """The conditions on the parts around a window, and on the whole of them."""
        around = parts_of(self)[1:]
        names = frozenset[str]().union(*map(names_of, around))
        return tuple(each for each in self.conditions if names_used_by(each) <= names)

    @property
    def conditions_on_each(self) -> tuple[NamedCondition, ...]:
        """The conditions that an occurrence must meet to count."""
        apart = (*self.conditions_on_bounds, *self.conditions_on_all)
        return tuple(each for each in self.conditions if each not in apart)

    @property
    def conditions_on_all(self) -> tuple[NamedCondition, ...]:
        """The conditions on all counted occurrences together."""
        names = names_of(self.part)
        return tuple(
            each
            for each in self.conditions
            if isinstance(each, Satisfies) and names & names_aggregated_in(each.expression)
        )


@hashed_once
@dataclass(frozen=True, slots=True)
class Sliding(HashedOnce):
    """The occurrences of a part in the last `over`, if a measure of them meets a comparison.

    The part is about one event. W(i) are its occurrences that end after i - over and at i or
    before, f(i) is True if the measure over W(i) is in the `relation` to `limit` and every other
    one of `also` in its relation; over no value only COUNT and DISTINCT have a result, 0. f is
    evaluated at every instant at which an occurrence ends, and `over` after each, when all events
    of the instant are known. The occurrence of the whole has the members of W(i) and lasts from
    their least start to i.

    ON_CHANGE it rings if f is true and was false just before i; EVERY_TIME if f is true and an
    occurrence ends at i; ONCE as on change, and the occurrences it rings for are in no later W. If
    it rings for an empty W, it has no members but its window and the values of its key.

    With `every`, W are instead the occurrences that end in the windows (k every, k every + over],
    counted from the epoch, starting with the first that ends when time begins or later, and it
    rings at the end of each for which f is true. An empty one is evaluated only without a key. They
    recur without end, as EveryWindow does, and are reported as one if the clock advances over many
    empty ones.

    With `by` there is a W for each key and, with `each`, for each value that an occurrence of the
    part binds to that variable, which the whole binds too. If f is true of no events, a key with an
    empty W is remembered for `keep`; after that it is new, with f false before.
    """

    part: Part
    measure: Measure
    relation: str
    limit: int | float
    over: Duration
    every: Duration | None = None
    ring: Ring = Ring.ON_CHANGE
    by: Key = ()
    each: str = ""
    keep: Duration | None = None
    also: tuple[MeasureCondition, ...] = ()

    def __post_init__(self) -> None:
        require_relation(self.relation)
        require_window(self.over, 1)
        _require_one_event(self.part, "counted over a time")
        if self.every is not None:
            require_window(self.every, 1)
            if self.ring is not Ring.EVERY_TIME:
                raise MeaningProblem("windows that come again ring every time")

    @property
    def is_keyed(self) -> bool:
        """True if it has a W for each of several keys."""
        return bool(self.by or self.each)

    @property
    def conditions(self) -> tuple[MeasureCondition, ...]:
        """All measures with their relations, which must hold at the same instant."""
        return (MeasureCondition(self.measure, self.relation, self.limit), *self.also)


@hashed_once
@dataclass(frozen=True, slots=True)
class Change(HashedOnce):
    """The occurrences of a part, about one event, at which a state begins or ceases to hold.

    They are taken in canonical order, for each key and each value of the variable `each`. With
    `becomes`, those count whose state is true and was not true for the one before, or there was no
    such one; else those whose state is not true and was true for the one before. The one before
    counts for `keep` after its end.
    """

    part: Part
    state: Atom
    becomes: bool
    by: Key = ()
    each: str = ""
    keep: Duration | None = None

    def __post_init__(self) -> None:
        _require_one_event(self.part, "watched for changes")


@hashed_once
@dataclass(frozen=True, slots=True)
class Named(HashedOnce):
    """A part with a name; everywhere in a subscription the name is the same occurrence.

    With `elements`, only for a part about one event, a variable is bound to each value at a path of
    the event.
    """

    name: str
    part: Part
    elements: Elements | None = None


class Waiting(Enum):
    """Mode that selects the events which a detection sends."""

    FIRST_AFTER = (
        "the first that starts after the end, once; a newer detection replaces one that waits"
    )
    LATEST_SINCE = (
        "the latest already there that started after the start; where there is none, the first to"
        " come"
    )
    EVERY_AFTER = "every one that starts after the end, until the next detection"
    EVERY_SINCE = "every one that starts after the start, also those already there; each once"

    @property
    def is_since(self) -> bool:
        """True if it counts from the start of the detection.

        Then events from before its end matter.
        """
        return self in (Waiting.LATEST_SINCE, Waiting.EVERY_SINCE)


@hashed_once
@dataclass(frozen=True, slots=True)
class Triggered(HashedOnce):
    """An occurrence of a part together with one of the target that it sends.

    With `keep`, both are kept for that time after their ends.
    """

    part: Part
    target: Part
    waiting: Waiting
    keep: Duration | None = None


_NOTHING: frozenset[str] = frozenset()

Composite = Join | Either | Only | Absence | Gathered | Sliding | Change | Named | Triggered
Part = Atom | Composite


@dataclass(frozen=True, slots=True)
class Forward:
    """The output of a match is the match itself."""


@dataclass(frozen=True, slots=True)
class Send:
    """The output of a match are the data of its events: all, or those of named parts.

    Of `targets` and `members` the first are sent if the match has them.
    """

    members: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()


Output = Forward | Construct | Send


@dataclass(frozen=True, slots=True)
class Plan:
    """Meaning of a subscription: a pattern, the output of a match, and its selected values."""

    pattern: Part
    output: Output = Forward()
    select: tuple[Selected, ...] = ()

    def _repr_html_(self) -> str:
        """Return the plan for a notebook, in the words of `tocsin explain`."""
        html: Callable[[Plan], str] = explain_plan.html
        return html(self)


def parts_of(part: Part) -> tuple[Part, ...]:
    """Return the parts directly inside a part."""
    if isinstance(part, Atom):
        return ()
    match part:
        case Join(parts) | Either(parts):
            return parts
        case Only(inner) | Named(_, inner) | Sliding(inner):
            return (inner,)
        case Absence(counted, window) | Gathered(counted, window):
            return (counted, *_bounding_parts(window))
        case Change(inner, state):
            return (state, inner)
        case Triggered(inner, target):
            return (inner, target)
        case _:
            assert_never(part)


def _bounding_parts(window: Window) -> tuple[Part, ...]:
    match window:
        case FixedWindow() | EveryWindow():
            return ()
        case AfterWindow(part) | BeforeWindow(part):
            return (part,)
        case BetweenWindow(first, last):
            return (first, last)
        case _:
            assert_never(window)


def emits_by_timer(part: Part) -> bool:
    """True if a timer alone can complete an occurrence, as at the end of a window of absence."""
    waits = isinstance(part, Absence | Gathered) and isinstance(
        part.window, FixedWindow | AfterWindow | EveryWindow
    )
    return waits or isinstance(part, Sliding) or any(map(emits_by_timer, parts_of(part)))


def is_one_event(part: Part) -> bool:
    """True if the part has at most one occurrence for an event, which is that event alone."""
    if isinstance(part, Only | Named | Change):
        return is_one_event(part.part)
    return isinstance(part, Atom)


def names_used_by(condition: NamedCondition) -> frozenset[str]:
    """Return the names of the parts in a condition."""
    match condition:
        case Related(left, _, right):
            return frozenset((left.name, right.name))
        case Satisfies(expression):
            return names_in(expression)
        case Apart(name, _, other):
            return frozenset((name, other))
        case Lasts():
            return frozenset()
        case _:
            assert_never(condition)


def _require_one_event(part: Part, done: str) -> None:
    if not is_one_event(part):
        raise MeaningProblem(
            f"only what is about one event can be {done}",
            code="AggregateOfComposite",
            hint="count an event, and use xN for combinations",
        )


def names_of(part: Part) -> frozenset[str]:
    """Return the names of the parts inside a part, itself included."""
    return _NOTHING if isinstance(part, Atom) else _names_in(part)


@lru_cache(maxsize=1024)
def _names_in(part: Composite) -> frozenset[str]:
    own = {part.name} if isinstance(part, Named) else _NOTHING
    return _NOTHING.union(own, *map(names_of, parts_of(part)))


def atoms_of(part: Part) -> Iterator[Atom]:
    """Yield every atom, from left to right."""
    if isinstance(part, Atom):
        yield part
    for inner in parts_of(part):
        yield from atoms_of(inner)


def _require_distance(distance: float) -> None:
    if not distance >= 0:
        raise MeaningProblem(f"a distance is 0 or more, got {distance}")


def variables_of(part: Part) -> frozenset[str]:
    """Return the variables that the rows of the part's occurrences may have; an absent part has
    none.
    """
    return variables_bound_by(part) if isinstance(part, Atom) else _variables_in(part)


def is_bare(part: Part) -> bool:
    """True if a part is an atom whose occurrences have no rows. The rows of an XML block say that
    it could be read.
    """
    return isinstance(part, Atom) and not isinstance(part, XmlBlock) and not variables_of(part)


@lru_cache(maxsize=1024)
def _variables_in(part: Composite) -> frozenset[str]:
    if isinstance(part, Sliding):
        return frozenset({part.each} - {""})
    leaves_none = isinstance(part, Absence | Gathered | Change)
    inner = parts_of(part)[1:] if leaves_none else parts_of(part)
    own = frozenset({part.elements[0]}) if isinstance(part, Named) and part.elements else _NOTHING
    return own.union(*map(variables_of, inner))
