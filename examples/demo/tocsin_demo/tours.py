"""The tours of the story: pairs of trucks drive from the warehouse to the customer, and what truly
becomes of each.

A day has the same number of tours however many events it has, and every fate at least once. Both
trucks of a tour report every 15 minutes, at the same instant, until the tour is over.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from random import Random

from tocsin.values.time import Duration, Instant, parse_duration
from tocsin_demo.happening import Happening, Report

TRUCK_TYPE = "fleet.truck.position"
LEAVES, ARRIVES, MISSING, UNLOADS, FALLS_OUT = (
    "truck-leaves",
    "truck-arrives",
    "truck-missing",
    "truck-unloads",
    "falls-out-of-convoy",
)

IN_TIME: Duration = parse_duration("2h")

_WAREHOUSE, _CUSTOMER = (9.93, 53.53), (10.35, 53.70)
_HALF_WIDTH, _HALF_HEIGHT = 0.01, 0.005
_EVERY: Duration = parse_duration("15m")
_FIRST_START: Duration = parse_duration("5h")
_NEXT_START: Duration = parse_duration("75m")
_TOURS = 12
_LEGS = (5, 6)
_JAM = 6
_STANDS_STILL = 3
_BEHIND = 0.002


class Fate(Enum):
    """How a tour goes: well; the second truck falls one leg behind; it breaks down; both stand in a
    jam for long.
    """

    TOGETHER = "together"
    FALLS_BEHIND = "falls behind"
    BREAKS_DOWN = "breaks down"
    DELAYED = "delayed"


@dataclass(frozen=True, slots=True)
class Truck:
    """One truck of a tour: how many legs of the way it has behind it, at each of its reports."""

    number: int
    role: str
    way: tuple[int, ...]

    @property
    def name(self) -> str:
        """The name that its reports carry."""
        return f"truck-{self.number}"

    def time_on_the_road(self, legs: int) -> Duration | None:
        """From the first report on the road to the first at the customer; None where it never gets
        there.
        """
        return (self.way.index(legs) - self.way.index(1)) * _EVERY if legs in self.way else None


@dataclass(frozen=True, slots=True)
class Tour:
    """Two trucks that start together; the way has so many legs."""

    number: int
    start: Instant
    legs: int
    fate: Fate
    leader: Truck
    follower: Truck

    def reports(self) -> Iterator[Report]:
        """Where the trucks are, from the warehouse on."""
        for truck in (self.leader, self.follower):
            for turn, legs in enumerate(truck.way):
                at = self.start + turn * _EVERY
                data = {"truck": truck.name, "convoy": self.number, "role": truck.role}
                happening = Happening(
                    f"/fleet/{truck.name}", TRUCK_TYPE, data, self._place(truck, legs)
                )
                yield Report(f"{truck.name}-report-{turn + 1}", at, happening)

    def truth(self) -> Iterator[tuple[str, str]]:
        """What becomes of the tour, known from its making: (what, name of the truck)."""
        for truck in (self.leader, self.follower):
            yield LEAVES, truck.name
            needed = truck.time_on_the_road(self.legs)
            yield ARRIVES if needed is not None and needed <= IN_TIME else MISSING, truck.name
            if needed is not None:
                yield UNLOADS, truck.name
        if self.fate in (Fate.FALLS_BEHIND, Fate.BREAKS_DOWN):
            yield FALLS_OUT, self.follower.name

    def _place(self, truck: Truck, legs: int) -> tuple[float, float]:
        """On the straight way; the second truck keeps some hundred metres beside it."""
        (west, south), (east, north), part = _WAREHOUSE, _CUSTOMER, legs / self.legs
        aside = 0.0 if truck is self.leader else _BEHIND
        return west + (east - west) * part - aside, south + (north - south) * part


def tours_of_the_day(seed: int, midnight: Instant) -> list[Tour]:
    """All tours; the same for the same seed."""
    dice = Random(f"tours {seed}")
    fates = [*Fate, *dice.choices(list(Fate), (5, 2, 1, 1), k=_TOURS - len(Fate))]
    dice.shuffle(fates)
    return [
        _tour(dice, number, midnight + _FIRST_START + number * _NEXT_START, fate)
        for number, fate in enumerate(fates)
    ]


def region(name: str) -> str:
    """The ground of the warehouse or of the customer, as WKT."""
    x, y = {"Warehouse": _WAREHOUSE, "Customer": _CUSTOMER}[name]
    west, east, south, north = x - _HALF_WIDTH, x + _HALF_WIDTH, y - _HALF_HEIGHT, y + _HALF_HEIGHT
    corners = ((west, south), (east, south), (east, north), (west, north), (west, south))
    return "POLYGON((" + ", ".join(f"{x:.3f} {y:.3f}" for x, y in corners) + "))"


def _tour(dice: Random, number: int, start: Instant, fate: Fate) -> Tour:
    legs = dice.choice(_LEGS)
    until = dice.randrange(2, legs - 1)
    way, second = _ways(fate, legs, until)
    leader, follower = (
        Truck(2 * number + 1, "leader", way),
        Truck(2 * number + 2, "follower", second),
    )
    return Tour(number + 1, start, legs, fate, leader, follower)


def _ways(fate: Fate, legs: int, until: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The ways of both trucks: two reports at the warehouse, one for each leg, one more at the
    customer.
    """
    smooth = (0, *range(legs + 1), legs)
    begun, rest = (0, *range(until + 1)), tuple(range(until + 1, legs + 1))
    match fate:
        case Fate.TOGETHER:
            return smooth, smooth
        case Fate.FALLS_BEHIND:
            return smooth, (*begun, until, *rest)
        case Fate.BREAKS_DOWN:
            return smooth, (*begun, *(until,) * _STANDS_STILL)
        case Fate.DELAYED:
            return ((*begun, *(until,) * _JAM, *rest, legs),) * 2
