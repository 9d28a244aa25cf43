"""The delivery fleet of the story: vans drive, deliver and break down in one city; depots keep cold
rooms cold.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, pi, radians, sin
from random import Random

from tocsin.values.time import Instant
from tocsin_demo.happening import Happening

VANS = 40

_WEST, _EAST, _SOUTH, _NORTH = 9.75, 10.25, 53.42, 53.66
_DEPOTS = {"North": (10.01, 53.63), "South": (9.98, 53.45), "Harbour": (9.93, 53.53)}
_DRIVERS = ("Ayla", "Bjarne", "Chiara", "Deniz", "Emil", "Femke", "Goran", "Hanna", "Ines", "Jonas")
_FAULTS = (
    ("tyre pressure", 2),
    ("door sensor", 1),
    ("cooling unit", 4),
    ("brake pads", 3),
    ("traction battery", 5),
)
_HANDED_TO = ("customer", "neighbour", "locker", "doorstep")
_REFUSALS = ("nobody home", "address not found", "refused", "access blocked")
_DEGREE = 111_320.0
_LONGEST_GAP = 120.0
_SECOND = 1_000_000


@dataclass(slots=True)
class _Van:
    """A van on the road: the only thing of the story that changes from one happening to the
    next.
    """

    number: int
    driver: str
    cooled: bool
    longitude: float
    latitude: float
    heading: float
    seen: Instant
    speed: float = 30.0
    limit: int = 50
    battery: float = 95.0
    cargo: float = 4.0

    @property
    def place(self) -> tuple[float, float]:
        return (self.longitude, self.latitude)


class Fleet:
    """Makes up what happens on the road and in the depots; vans move on with the time that has
    passed.
    """

    def __init__(self, dice: Random, start: Instant) -> None:
        self._dice = dice
        self._vans = [_van(dice, number, start) for number in range(1, VANS + 1)]
        self._parcels = 500_000

    def position(self, now: Instant) -> Happening:
        """A van tells where it is and how it is doing."""
        van = self._dice.choice(self._vans)
        _drive(van, self._dice, now)
        data: dict[str, object] = {
            "van": f"van-{van.number}",
            "driver": van.driver,
            "speed": round(van.speed, 1),
            "limit": van.limit,
            "battery": round(van.battery, 1),
        }
        if van.cooled:
            data["cargo"] = {
                "celsius": round(van.cargo, 1),
                "door": "open" if self._dice.random() < 0.05 else "shut",
            }
        return Happening(f"/fleet/van-{van.number}", "fleet.van.position", data, van.place)

    def fault(self) -> Happening:
        """A part of a van complains."""
        van = self._dice.choice(self._vans)
        part, severity = self._dice.choices(_FAULTS, (40, 30, 12, 12, 6))[0]
        data = {
            "van": f"van-{van.number}",
            "driver": van.driver,
            "part": part,
            "severity": severity,
        }
        return Happening(f"/fleet/van-{van.number}", "fleet.van.fault", data, van.place)

    def scanned(self) -> Happening:
        """A parcel passes the scanner of a depot."""
        dice = self._dice
        self._parcels += 1
        depot = dice.choice(list(_DEPOTS))
        data = {
            "parcel": f"P-{self._parcels}",
            "depot": depot,
            "kilos": round(dice.lognormvariate(0.9, 0.9), 2),
            "handling": dice.choices(("normal", "fragile", "cold", "hazardous"), (84, 10, 5, 1))[0],
            "customs": dice.random() < 0.03,
        }
        return Happening(f"/depots/{depot}", "fleet.parcel.scanned", data, _DEPOTS[depot])

    def delivered(self) -> Happening:
        """A parcel changes hands; most are early, some are very late."""
        dice = self._dice
        van = dice.choice(self._vans)
        data = {
            "parcel": self._some_parcel(),
            "van": f"van-{van.number}",
            "driver": van.driver,
            "to": dice.choices(_HANDED_TO, (60, 18, 14, 8))[0],
            "minutes_late": round(dice.gauss(-25, 28)),
            "signed": dice.random() < 0.7,
        }
        return Happening(f"/fleet/van-{van.number}", "fleet.parcel.delivered", data, van.place)

    def not_delivered(self) -> Happening:
        """A parcel stays in the van."""
        dice = self._dice
        van = dice.choice(self._vans)
        data = {
            "parcel": self._some_parcel(),
            "van": f"van-{van.number}",
            "reason": dice.choices(_REFUSALS, (60, 18, 12, 10))[0],
            "attempt": dice.choices((1, 2, 3), (75, 18, 7))[0],
        }
        return Happening(f"/fleet/van-{van.number}", "fleet.parcel.failed", data, van.place)

    def climate(self) -> Happening:
        """A depot measures its air."""
        dice = self._dice
        depot = dice.choice(list(_DEPOTS))
        room, usual = dice.choice((("cold", 4.0), ("dry", 19.0)))
        data = {
            "depot": depot,
            "room": room,
            "celsius": round(dice.gauss(usual, 1.3), 1),
            "humidity": round(dice.triangular(25, 80, 45)),
        }
        return Happening(f"/depots/{depot}", "depot.climate", data, _DEPOTS[depot])

    def _some_parcel(self) -> str:
        return f"P-{self._parcels - self._dice.randint(0, 999)}"


def _van(dice: Random, number: int, start: Instant) -> _Van:
    longitude, latitude = dice.choice(list(_DEPOTS.values()))
    heading = dice.uniform(0, 2 * pi)
    return _Van(number, dice.choice(_DRIVERS), number % 8 == 0, longitude, latitude, heading, start)


def _drive(van: _Van, dice: Random, now: Instant) -> None:
    """Moves a van on: roads change, batteries drain and are charged, cargo warms up and is cooled
    again.
    """
    seconds = min((now - van.seen) / _SECOND, _LONGEST_GAP)
    van.seen = now
    if dice.random() < 0.05:
        van.limit = dice.choice((30, 30, 50, 50, 50, 80))
        van.heading += dice.uniform(-1.5, 1.5)
    van.speed = min(
        130.0, max(0.0, 0.6 * van.speed + 0.4 * dice.gauss(0.75 * van.limit, 0.35 * van.limit))
    )
    metres = van.speed / 3.6 * seconds
    _move(van, metres)
    van.battery -= metres / 1_500
    if van.battery < 4:
        van.battery = dice.uniform(70, 100)
    van.cargo += dice.gauss(0.0, 0.25) + 0.04 * (4.0 - van.cargo)


def _move(van: _Van, metres: float) -> None:
    """A straight step; at the edge of the city the van turns back."""
    longitude = van.longitude + metres * cos(van.heading) / (_DEGREE * cos(radians(van.latitude)))
    latitude = van.latitude + metres * sin(van.heading) / _DEGREE
    if _WEST < longitude < _EAST and _SOUTH < latitude < _NORTH:
        van.longitude, van.latitude = longitude, latitude
    else:
        van.heading += pi
