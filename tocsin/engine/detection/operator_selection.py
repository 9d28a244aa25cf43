"""Choice of the operator for a part: the most special one that gives the same answers."""

from __future__ import annotations

from tocsin.engine.detection.absence import (
    AfterAbsenceOperator,
    BetweenAbsenceOperator,
    FixedAbsenceOperator,
)
from tocsin.engine.detection.absence_after import AtomAbsenceOperator, can_use_atom_absence
from tocsin.engine.detection.absence_per_value import AbsencePerValueOperator, is_by_value
from tocsin.engine.detection.base import Operator
from tocsin.engine.detection.change import ChangeOperator
from tocsin.engine.detection.count_in_window import (
    CountAfterOperator,
    CountBeforeOperator,
    CountBetweenOperator,
    CountReachedOperator,
)
from tocsin.engine.detection.hopping import HoppingAggregateOperator
from tocsin.engine.detection.join import JoinOperator, PairJoinOperator
from tocsin.engine.detection.periodic_absence import BeforeAbsenceOperator, TumblingAbsenceOperator
from tocsin.engine.detection.scope import Scopes
from tocsin.engine.detection.sequence import SequenceOperator, can_use_sequence
from tocsin.engine.detection.single_use import SingleUseOperator, is_single_use
from tocsin.engine.detection.sliding import SlidingOperator
from tocsin.engine.detection.stateless import (
    AtomSource,
    EventUnionOperator,
    FilterOperator,
    NameOperator,
    UnionOperator,
    is_either_event,
)
from tocsin.engine.detection.trigger import TriggerOperator
from tocsin.plan.nodes.atoms import Atom
from tocsin.plan.nodes.composites import (
    Absence,
    AfterWindow,
    BeforeWindow,
    BetweenWindow,
    Change,
    Either,
    EveryWindow,
    FixedWindow,
    Gathered,
    Join,
    Named,
    Only,
    Part,
    Sliding,
    Triggered,
    Window,
)


def create_operator(part: Part, inner: list[Operator], scopes: Scopes) -> Operator:
    """Return the operator of a part on top of its inputs."""
    if isinstance(part, Atom):
        return AtomSource(part, inner)
    match part:
        case Named():
            return NameOperator(part, inner)
        case Only():
            return FilterOperator(part, inner)
        case Either() if is_either_event(part):
            return EventUnionOperator(part, inner)
        case Either():
            return UnionOperator(part, inner)
        case Join() if can_use_sequence(part, scopes):
            return SequenceOperator(part, inner)
        case Join() if is_single_use(part, scopes):
            return SingleUseOperator(part, inner)
        case Join():
            return (
                PairJoinOperator(part, inner, scopes)
                if len(inner) == 2
                else JoinOperator(part, inner, scopes)
            )
        case Triggered():
            return TriggerOperator(part, inner)
        case Absence(_, window):
            return _create_absence_operator(part, window, inner, scopes)
        case Gathered():
            return _create_count_operator(part, inner, scopes)
        case Sliding(every=None):
            return SlidingOperator(part, inner)
        case Sliding(every=int(every)):
            return HoppingAggregateOperator(part, every, inner)
        case Change():
            return ChangeOperator(part, inner)
        case _:
            raise AssertionError(f"no node serves {part}")


def _create_count_operator(part: Gathered, inner: list[Operator], scopes: Scopes) -> Operator:
    match part.window:
        case AfterWindow() as window if part.is_at_once:
            return CountReachedOperator(part, window, inner, scopes)
        case AfterWindow() as window:
            return CountAfterOperator(part, window, inner, scopes)
        case BetweenWindow() as window:
            return CountBetweenOperator(part, window, inner, scopes)
        case BeforeWindow() as window:
            return CountBeforeOperator(part, window, inner)


def _create_absence_operator(
    part: Absence, window: Window, inner: list[Operator], scopes: Scopes
) -> Operator:
    match window:
        case FixedWindow():
            return FixedAbsenceOperator(part, window, inner)
        case AfterWindow() if can_use_atom_absence(part, window, scopes):
            return AtomAbsenceOperator(part, window, inner)
        case AfterWindow() if is_by_value(part, window):
            return AbsencePerValueOperator(part, window, inner, scopes)
        case AfterWindow():
            return AfterAbsenceOperator(part, window, inner, scopes)
        case BetweenWindow():
            return BetweenAbsenceOperator(part, window, inner, scopes)
        case BeforeWindow():
            return BeforeAbsenceOperator(part, window, inner)
        case EveryWindow():
            return TumblingAbsenceOperator(part, window, inner)
