"""Choice of the operator for a part: the most special one that gives the same answers."""

from __future__ import annotations

from tocsin.engine.detection.absence import AfterAbsenceNode, BetweenAbsenceNode, FixedAbsenceNode
from tocsin.engine.detection.absence_after import SilenceNode, is_silence
from tocsin.engine.detection.absence_per_value import MissingNode, is_by_value
from tocsin.engine.detection.base import Node
from tocsin.engine.detection.change import ChangeNode
from tocsin.engine.detection.count_in_window import (
    AfterGatheredNode,
    AtOnceNode,
    BeforeGatheredNode,
    BetweenGatheredNode,
)
from tocsin.engine.detection.hopping import RecurringNode
from tocsin.engine.detection.join import JoinNode, PairNode
from tocsin.engine.detection.periodic_absence import BeforeAbsenceNode, EveryAbsenceNode
from tocsin.engine.detection.scope import Scopes
from tocsin.engine.detection.sequence import FollowingNode, is_following
from tocsin.engine.detection.single_use import SingleUseNode, is_single_use
from tocsin.engine.detection.sliding import SlidingNode
from tocsin.engine.detection.stateless import (
    AtomNode,
    EitherEventNode,
    EitherNode,
    NamedNode,
    OnlyNode,
    is_either_event,
)
from tocsin.engine.detection.trigger import TriggerNode
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


def node_of(part: Part, inner: list[Node], scopes: Scopes) -> Node:
    """Return the operator of a part on top of its inputs."""
    if isinstance(part, Atom):
        return AtomNode(part, inner)
    match part:
        case Named():
            return NamedNode(part, inner)
        case Only():
            return OnlyNode(part, inner)
        case Either() if is_either_event(part):
            return EitherEventNode(part, inner)
        case Either():
            return EitherNode(part, inner)
        case Join() if is_following(part, scopes):
            return FollowingNode(part, inner)
        case Join() if is_single_use(part, scopes):
            return SingleUseNode(part, inner)
        case Join():
            return (
                PairNode(part, inner, scopes) if len(inner) == 2 else JoinNode(part, inner, scopes)
            )
        case Triggered():
            return TriggerNode(part, inner)
        case Absence(_, window):
            return _absence_node(part, window, inner, scopes)
        case Gathered():
            return _gathered_node(part, inner, scopes)
        case Sliding(every=None):
            return SlidingNode(part, inner)
        case Sliding(every=int(every)):
            return RecurringNode(part, every, inner)
        case Change():
            return ChangeNode(part, inner)
        case _:
            raise AssertionError(f"no node serves {part}")


def _gathered_node(part: Gathered, inner: list[Node], scopes: Scopes) -> Node:
    match part.window:
        case AfterWindow() as window if part.is_at_once:
            return AtOnceNode(part, window, inner, scopes)
        case AfterWindow() as window:
            return AfterGatheredNode(part, window, inner, scopes)
        case BetweenWindow() as window:
            return BetweenGatheredNode(part, window, inner, scopes)
        case BeforeWindow() as window:
            return BeforeGatheredNode(part, window, inner)


def _absence_node(part: Absence, window: Window, inner: list[Node], scopes: Scopes) -> Node:
    match window:
        case FixedWindow():
            return FixedAbsenceNode(part, window, inner)
        case AfterWindow() if is_silence(part, window, scopes):
            return SilenceNode(part, window, inner)
        case AfterWindow() if is_by_value(part, window):
            return MissingNode(part, window, inner, scopes)
        case AfterWindow():
            return AfterAbsenceNode(part, window, inner, scopes)
        case BetweenWindow():
            return BetweenAbsenceNode(part, window, inner, scopes)
        case BeforeWindow():
            return BeforeAbsenceNode(part, window, inner)
        case EveryWindow():
            return EveryAbsenceNode(part, window, inner)
