"""The baseline of the logistics scenario: a fat client that asks every subscription about every
event.

It gets each event and asks each subscription, whose predicates on attributes are compiled into a
function, whether the event concerns it. Nothing is shared between subscriptions and nothing is
indexed; but what a subscription does with its own events is written by hand for the scenario, with
distances of points, and is as cheap as can be.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from math import hypot

from tocsin_benchmarks.logistics.workload import (
    SIDE,
    LogisticsWorkload,
    Position,
    Scenario,
    corner_of,
    kind_of_vehicle,
    leader_of,
)

WINDOW = 60_000_000
FAR = 500
APART = 100


_Attributes = Mapping[str, object]
_Predicate = Callable[[_Attributes], bool]


def _is_of(vehicle: int) -> _Predicate:
    """The predicates on attributes that a subscription has for a vehicle, compiled into one
    function.
    """
    kind = kind_of_vehicle(vehicle)
    return lambda attributes: attributes.get("id") == vehicle and attributes.get("type") == kind


class Trip:
    """(1) and (2): one vehicle in its region and then far from it, or the other way round, within a
    minute.
    """

    def __init__(self, vehicle: int, *, leaves: bool) -> None:
        self._holds, self._leaves = _is_of(vehicle), leaves
        self._x, self._y = corner_of(vehicle)
        self._waiting: deque[int] = deque()

    def feed(self, event: Position, attributes: _Attributes) -> int:
        """How many composites the event completes."""
        if not self._holds(attributes):
            return 0
        dx = max(self._x - event.x, 0, event.x - self._x - SIDE)
        dy = max(self._y - event.y, 0, event.y - self._y - SIDE)
        distance = hypot(dx, dy)
        if (distance == 0) if self._leaves else (distance > FAR):
            self._waiting.append(event.at)
            return 0
        while self._waiting and self._waiting[0] + WINDOW < event.at:
            self._waiting.popleft()
        if self._waiting and ((distance > FAR) if self._leaves else (distance == 0)):
            self._waiting.popleft()
            return 1
        return 0


class Convoy:
    """(3): a vehicle near its leader, and within a minute both at one time again, but apart."""

    def __init__(self, vehicle: int) -> None:
        self._holds, self._leader_holds = _is_of(vehicle), _is_of(leader_of(vehicle))
        self._last: Position | None = None
        self._together: deque[int] = deque()

    def feed(self, event: Position, attributes: _Attributes) -> int:
        """How many composites the event completes."""
        if not self._holds(attributes) and not self._leader_holds(attributes):
            return 0
        last, self._last = self._last, event
        if last is None or last.at != event.at or last.vehicle == event.vehicle:
            return 0
        distance = hypot(event.x - last.x, event.y - last.y)
        if distance < APART:
            self._together.append(event.at)
        elif distance > APART and self._together and self._together[0] + WINDOW >= event.at:
            self._together.popleft()
            return 1
        return 0


class FatClient:
    """All the subscriptions of a workload; each of them is asked about every event."""

    def __init__(self, workload: LogisticsWorkload) -> None:
        vehicles = range(1, workload.vehicles + 1)
        self._subscriptions: list[Trip | Convoy]
        if workload.scenario is Scenario.CONVOY:
            self._subscriptions = [Convoy(vehicle) for vehicle in vehicles]
        else:
            leaves = workload.scenario is Scenario.LEAVES
            self._subscriptions = [Trip(vehicle, leaves=leaves) for vehicle in vehicles]

    def feed(self, event: Position) -> int:
        """How many composites the event completes."""
        attributes = {"id": event.vehicle, "type": event.kind}
        return sum([subscription.feed(event, attributes) for subscription in self._subscriptions])


def composites_of_client(workload: LogisticsWorkload, events: Sequence[Position]) -> int:
    """How many composites a client with all the subscriptions of a workload finds in some
    events.
    """
    client = FatClient(workload)
    return sum(map(client.feed, events))
