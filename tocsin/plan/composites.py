"""Composites: what a subscription says about several events, or about the absence of one.

A part is an atom or a composite. An occurrence of a part is a set of member events with an interval
(least start, greatest end), a place (hull of the members' places) and the occurrences of the named
parts inside it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, assert_never

from tocsin.deferred import Deferred
from tocsin.errors import MeaningProblem
from tocsin.events.event import Path
from tocsin.plan.atoms import Atom, variables_bound_by
from tocsin.plan.construction import Construct
from tocsin.plan.elements import Elements
from tocsin.plan.row_terms import RowCondition
from tocsin.values.allen import relation_of
from tocsin.values.space import Metric, SpatialRelation
from tocsin.values.time import Duration, Instant

if TYPE_CHECKING:
    from tocsin.plan.explain import plan as explain_plan
else:
    explain_plan = Deferred("tocsin.plan.explain.plan")


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


JoinCondition = Precedes | Near | Stands | Related


@dataclass(frozen=True, slots=True)
class Join:
    """One occurrence of each part that meet every condition, agree on named parts and share no
    other member.

    Where `keep` is given, their ends lie at most so far apart: what is older can be forgotten.
    """

    parts: tuple[Part, ...]
    conditions: tuple[JoinCondition, ...] = ()
    policy: Policy = Policy.DEFERRED
    keep: Duration | None = None

    def __post_init__(self) -> None:
        if len(self.parts) < 2:
            raise MeaningProblem("a join has two parts or more")


@dataclass(frozen=True, slots=True)
class Either:
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


Restriction = DuringWindow | AfterInstant | AtRegion | Meeting


@dataclass(frozen=True, slots=True)
class Only:
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
    there is inside.
    """

    part: Part
    length: Duration


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


@dataclass(frozen=True, slots=True)
class Absence:
    """No occurrence of the part that meets the conditions lies wholly inside the window.

    Conditions between the two parts that bound a window are about these alone: which of them bound
    one. Where `keep` is given, the ends of such a window lie at most so far apart. What the absent
    part binds must agree with what the parts around the window bind, else it does not count.
    """

    part: Part
    window: Window
    conditions: tuple[Related, ...] = ()
    policy: Policy = Policy.DEFERRED
    keep: Duration | None = None

    @property
    def conditions_on_bounds(self) -> tuple[Related, ...]:
        """What the two parts around a window have to meet."""
        if not isinstance(self.window, BetweenWindow):
            return ()
        names = names_of(self.window.first) | names_of(self.window.last)
        return tuple(each for each in self.conditions if {each.left.name, each.right.name} <= names)

    @property
    def conditions_on_absent(self) -> tuple[Related, ...]:
        """What an occurrence of the absent part has to meet to count."""
        on_bounds = self.conditions_on_bounds
        return tuple(each for each in self.conditions if each not in on_bounds)


@dataclass(frozen=True, slots=True)
class Named:
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


@dataclass(frozen=True, slots=True)
class Triggered:
    """An occurrence of a part together with one of the target that it sends.

    Where `keep` is given, both are remembered for so long after their ends.
    """

    part: Part
    target: Part
    waiting: Waiting
    keep: Duration | None = None


Composite = Join | Either | Only | Absence | Named | Triggered
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
    """What a subscription means: a pattern and what to put out when it occurs."""

    pattern: Part
    output: Output = Forward()

    def _repr_html_(self) -> str:
        """What a notebook shows: the words of `tocsin explain`."""
        return explain_plan.html(self)


def parts_of(part: Part) -> tuple[Part, ...]:
    """The parts directly inside a part."""
    if isinstance(part, Atom):
        return ()
    match part:
        case Join(parts) | Either(parts):
            return parts
        case Only(inner) | Named(_, inner):
            return (inner,)
        case Absence(absent, window):
            return (absent, *_bounding_parts(window))
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
    """Whether time alone may bring an occurrence about: the silent window of an absence ends when
    nothing comes.
    """
    waits = isinstance(part, Absence) and isinstance(
        part.window, FixedWindow | AfterWindow | EveryWindow
    )
    return waits or any(map(rings_by_time, parts_of(part)))


def names_of(part: Part) -> frozenset[str]:
    """The names of the parts inside a part, itself included."""
    inner = frozenset(name for each in parts_of(part) for name in names_of(each))
    return inner | {part.name} if isinstance(part, Named) else inner


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
    if isinstance(part, Atom):
        return variables_bound_by(part)
    inner = parts_of(part)[1:] if isinstance(part, Absence) else parts_of(part)
    own = (
        frozenset({part.elements[0]}) if isinstance(part, Named) and part.elements else frozenset()
    )
    return own.union(*map(variables_of, inner))
