"""Composites: what a subscription says about several events, or about the absence of one.

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
from tocsin.events.event import Path
from tocsin.lazy_import import Deferred
from tocsin.plan.cached_hash import HashedOnce, hashed_once
from tocsin.plan.nodes.atoms import Atom, variables_bound_by
from tocsin.plan.nodes.list_elements import Elements
from tocsin.plan.nodes.measures import (
    MOST_COUNTED,
    Apart,
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
from tocsin.values.allen import relation_of
from tocsin.values.space import Metric, SpatialRelation
from tocsin.values.time import Duration, Instant

explain_plan = Deferred("tocsin.plan.explain.plan")
"""Named as text, since explanations stand on the nodes; loaded when a notebook shows a plan."""


class Policy(Enum):
    """Which occurrences combine, and what is used up by a combination."""

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
    """The earlier moment plus `gap` lies before the later one or, where `or_equal`, is the later
    one.
    """

    earlier: Moment
    later: Moment
    gap: Duration = 0
    or_equal: bool = False


@dataclass(frozen=True, slots=True)
class Near:
    """The place of one part stands in the relation to the place of another; `distance` where the
    relation has one.
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
    """The interval of one part stands in a relation of Allen to that of another: `Before`, or
    `UnBefore` for not so.

    Where `proper`, instants meet, overlap, start, finish and lie inside nothing.
    """

    part: int
    relation: str
    other: int
    proper: bool = False

    def __post_init__(self) -> None:
        relation_of(self.relation)


@dataclass(frozen=True, slots=True)
class PartAttribute:
    """An attribute of the event that is the occurrence of a named part; or what the part binds to a
    `variable`.

    A variable that is bound to several values at once has none to compare, as an attribute that is
    a list.
    """

    name: str
    path: Path
    variable: str = ""


@dataclass(frozen=True, slots=True)
class Related:
    """Two attributes of named parts compare as told: `=`, `<>`, `<`, `<=`, `>` or `>=`. Equality
    can part the state.
    """

    left: PartAttribute
    relation: str
    right: PartAttribute


NamedCondition = Related | Satisfies | Apart | Lasts
"""What can be asked of named parts, wherever in an occurrence they are."""

JoinCondition = Precedes | Near | Stands | NamedCondition

Key = tuple[Path, ...]
"""Paths to the values that all parts have in common.

The key of an occurrence are the scalars at the paths in its members: all have them, and all the
same. An operator with a key is one for each key, apart from the others; what has no key takes no
part in it. TRUE is not 1, and 1 is 1.0.
"""


@hashed_once
@dataclass(frozen=True, slots=True)
class Join(HashedOnce):
    """One occurrence of each part that meet every condition, agree on named parts and share no
    other member. What a measure counts is no member of its own: other parts may have it too.

    Where `keep` is given, their ends lie at most so far apart: what is older can be forgotten. With
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
    """The place of the occurrence stands in the relation to a fixed region, given as WKT."""

    relation: SpatialRelation
    region: str
    distance: float = 0.0
    metric: Metric = Metric.PLANAR

    def __post_init__(self) -> None:
        _require_distance(self.distance)


@dataclass(frozen=True, slots=True)
class Meeting:
    """What the occurrence binds meets the conditions, in one row at least."""

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
    """Each event of the occurrence falls into share `number` of so many, by its values at the
    paths; what is missing counts as a value.
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
    """The occurrences of a part that meet a restriction of fixed time or space, or of what they
    bind.
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
    """For each occurrence of the part, the window [start - length, start) before it; what ends
    there is inside or, where `whole`, what also starts there.
    """

    part: Part
    length: Duration
    whole: bool = False


MOST_EMPTY_WINDOWS = 1_000


@dataclass(frozen=True, slots=True)
class EveryWindow:
    """One window after the other, (origin + k length, origin + (k + 1) length]; what ends there is
    inside.

    Without origin they are counted since the epoch, from the one in which the first known instant
    lies. They come again without end; at the end of time those are decided that are over by the
    last known instant. Where the clock leaps over more than `MOST_EMPTY_WINDOWS` of them at once,
    all empty, they are one occurrence, from the first to the last.
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

    Conditions between the two parts that bound a window are about these alone: which of them bound
    one. Where `keep` is given, the ends of such a window lie at most so far apart. What the absent
    part binds must agree with what the parts around the window bind, else it does not count. With
    `by`, what is absent and what is around the window have the same key.
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
            if any(absent.isdisjoint(names_asked(each)) for each in strange):
                raise MeaningProblem("a condition of an absence speaks of what is absent")

    @property
    def conditions_on_bounds(self) -> tuple[NamedCondition, ...]:
        """What the two parts around a window have to meet."""
        if not isinstance(self.window, BetweenWindow):
            return ()
        names = names_of(self.window.first) | names_of(self.window.last)
        return tuple(each for each in self.conditions if names_asked(each) <= names)

    @property
    def conditions_on_absent(self) -> tuple[NamedCondition, ...]:
        """What an occurrence of the absent part has to meet to count."""
        on_bounds = self.conditions_on_bounds
        return tuple(each for each in self.conditions if each not in on_bounds)


@hashed_once
@dataclass(frozen=True, slots=True)
class Gathered(HashedOnce):
    """All occurrences of the part that lie wholly inside a window, where they are as many as told.

    Windows, conditions, keys, and agreement on what is bound are those of an absence, which is the
    same with 0..0; so it is judged row by row too, and keeps the rows for which it holds. From
    `least` to `most` must have come; without `most`, any number. Conditions with an aggregate of a
    name of the part are about all that came, the others about each. Its members are those of the
    parts around the window and of all that came; the names of the part stand for all of them.

    It is known when the part that closes the window comes, and after a part at the end of the
    window, with which it ends. Only where nothing but `least` is asked after a part, it is known
    with the first `least` in canonical order, once for each occurrence of that part.

    Where `limit` is given, the last part ends at most so long after the latest end of what came
    or, where nothing did, after the end of the first part; a window after a part has none.
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
        if max(self.least, self.most or 0) > MOST_COUNTED:
            raise LimitProblem(
                f"at most {MOST_COUNTED:,} occurrences can be asked for",
                code="TooManyCounted",
                hint="all that is counted is part of the match; count with OVER instead",
            )
        if self.limit is not None and isinstance(self.window, AfterWindow):
            raise MeaningProblem("nothing closes a window after a part")
        if not isinstance(self.window, BetweenWindow):
            require_window(self.window.length)

    @property
    def is_at_once(self) -> bool:
        """Whether it is known as soon as the least number has come after a part."""
        is_plain = self.most is None and self.least > 0 and not self.conditions_on_all
        return is_plain and isinstance(self.window, AfterWindow)

    @property
    def conditions_on_bounds(self) -> tuple[NamedCondition, ...]:
        """What the parts around a window have to meet, and the whole of them."""
        around = parts_of(self)[1:]
        names = frozenset[str]().union(*map(names_of, around))
        return tuple(each for each in self.conditions if names_asked(each) <= names)

    @property
    def conditions_on_each(self) -> tuple[NamedCondition, ...]:
        """What an occurrence has to meet to count."""
        apart = (*self.conditions_on_bounds, *self.conditions_on_all)
        return tuple(each for each in self.conditions if each not in apart)

    @property
    def conditions_on_all(self) -> tuple[NamedCondition, ...]:
        """What all that came has to meet."""
        names = names_of(self.part)
        return tuple(
            each
            for each in self.conditions
            if isinstance(each, Satisfies) and names & names_aggregated_in(each.expression)
        )


@hashed_once
@dataclass(frozen=True, slots=True)
class Sliding(HashedOnce):
    """The occurrences of a part in the last `over`, where a measure of them stands in a relation.

    The part is about one event. W(i) are its occurrences that end after i - over and at i or
    before, f(i) is whether the measure over W(i) stands in the `relation` to `limit` and every
    other one of `also` in its relation; over no value only COUNT and DISTINCT have one, 0. f is
    asked at every instant at which an occurrence ends, and `over` after each, when all events of
    the instant are known. The occurrence of the whole has the members of W(i) and lasts from their
    least start to i.

    ON_CHANGE it rings where f is true and was not just before i; EVERY_TIME where f is true and an
    occurrence ends at i; ONCE as on change, and what it rings for is in no W thereafter. Where an
    empty W rings, it has no members but its window and the values of its key.

    With `every`, W are instead the occurrences that end in the windows (k every, k every + over],
    counted since the epoch, from the first that ends when time begins or later, and it rings at the
    end of each for which f is true. An empty one is asked about only where there is no key. They
    come again without end, as EveryWindow does, and are told as one where the clock leaps over many
    that are empty.

    With `by` there is a W for each key and, with `each`, for each value that an occurrence of the
    part binds to that variable, which the whole binds too. Where f is true of nothing, a key whose
    W is empty is remembered for `keep`; then it is as new, f not having been true.
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
        """Whether it has a W for each of several keys."""
        return bool(self.by or self.each)

    @property
    def conditions(self) -> tuple[MeasureCondition, ...]:
        """All measures with their relations, which must hold at the same instant."""
        return (MeasureCondition(self.measure, self.relation, self.limit), *self.also)


@hashed_once
@dataclass(frozen=True, slots=True)
class Change(HashedOnce):
    """The occurrences of a part, about one event, at which a state begins to hold or to hold no
    more.

    Of each key, and of each value of the variable `each`, the occurrences come in canonical order.
    Where `becomes`, those count of which the state is true and was not of the one before, or there
    was none; else those of which it is not true and was of the one before. The one before counts
    for `keep` after its end.
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
    """A part with a name; wherever the name stands in a subscription, it is one and the same
    occurrence.

    With `elements`, which only a part about one event has, a variable is bound to each value at a
    path of the event.
    """

    name: str
    part: Part
    elements: Elements | None = None


class Waiting(Enum):
    """Which events a detection sends."""

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
        """Whether it counts from the start of the detection, so that events from before its end
        matter.
        """
        return self in (Waiting.LATEST_SINCE, Waiting.EVERY_SINCE)


@hashed_once
@dataclass(frozen=True, slots=True)
class Triggered(HashedOnce):
    """An occurrence of a part together with one of the target that it sends.

    Where `keep` is given, both are remembered for so long after their ends.
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

    Of `targets` and `members` the first are sent where the match has them.
    """

    members: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()


Output = Forward | Construct | Send


@dataclass(frozen=True, slots=True)
class Plan:
    """What a subscription means: a pattern, what to put out when it occurs, and what to tell
    of it.
    """

    pattern: Part
    output: Output = Forward()
    select: tuple[Selected, ...] = ()

    def _repr_html_(self) -> str:
        """What a notebook shows: the words of `tocsin explain`."""
        html: Callable[[Plan], str] = explain_plan.html
        return html(self)


def parts_of(part: Part) -> tuple[Part, ...]:
    """The parts directly inside a part."""
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


def rings_by_time(part: Part) -> bool:
    """Whether time alone may bring an occurrence about: the window of an absence ends when nothing
    comes.
    """
    waits = isinstance(part, Absence | Gathered) and isinstance(
        part.window, FixedWindow | AfterWindow | EveryWindow
    )
    return waits or isinstance(part, Sliding) or any(map(rings_by_time, parts_of(part)))


def is_one_event(part: Part) -> bool:
    """Whether the part brings one occurrence for an event at most, that event alone."""
    if isinstance(part, Only | Named | Change):
        return is_one_event(part.part)
    return isinstance(part, Atom)


def names_asked(condition: NamedCondition) -> frozenset[str]:
    """The names of the parts that a condition speaks of."""
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
    """The names of the parts inside a part, itself included."""
    return _NOTHING if isinstance(part, Atom) else _names_in(part)


@lru_cache(maxsize=1024)
def _names_in(part: Composite) -> frozenset[str]:
    own = {part.name} if isinstance(part, Named) else _NOTHING
    return _NOTHING.union(own, *map(names_of, parts_of(part)))


def atoms_of(part: Part) -> Iterator[Atom]:
    """Every atom, from left to right."""
    if isinstance(part, Atom):
        yield part
    for inner in parts_of(part):
        yield from atoms_of(inner)


def _require_distance(distance: float) -> None:
    if not distance >= 0:
        raise MeaningProblem(f"a distance is 0 or more, got {distance}")


def variables_of(part: Part) -> frozenset[str]:
    """The variables that the rows of the part's occurrences may have; an absent part leaves
    none.
    """
    return variables_bound_by(part) if isinstance(part, Atom) else _variables_in(part)


@lru_cache(maxsize=1024)
def _variables_in(part: Composite) -> frozenset[str]:
    if isinstance(part, Sliding):
        return frozenset({part.each} - {""})
    leaves_none = isinstance(part, Absence | Gathered | Change)
    inner = parts_of(part)[1:] if leaves_none else parts_of(part)
    own = frozenset({part.elements[0]}) if isinstance(part, Named) and part.elements else _NOTHING
    return own.union(*map(variables_of, inner))
