"""The supply chain of the story: pallets are packed, shipped, carried and unpacked, told as EPCIS
events.

A day has the same number of pallets however many events it has, and every fate at least once. No
pallet is packed at lunch time, nor before and after work.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from random import Random

from tocsin.catalog import Definition, Subscription
from tocsin.values.time import Duration, Instant, format_instant, parse_duration
from tocsin_demo.happening import Happening, Report

EPCIS_TYPE = "epcis.captured"
MOVING, OPENED, WAITED, IDLE = (
    "transporting",
    "unpacked-before-shipped",
    "not-packed-within-an-hour",
    "packing-idle",
)

_HOUR: Duration = parse_duration("1h")
_MINUTE: Duration = parse_duration("1m")
_HOURS_OF_WORK = (6, 7, 8, 9, 10, 11, 13, 14, 15, 16)
_HOURS_TOLD = range(23)
_EACH_HOUR = 5
_OWN_STEP = "urn:demo:step:"
_CARRYING = ("railCarrying", "roadCarrying", "airlifting")

TAXONOMY = f"""transporting := shipping or airlifting or landCarrying;
airlifting = {{<{_OWN_STEP}airlifting>}};
landCarrying = {{<{_OWN_STEP}railCarrying>, <{_OWN_STEP}roadCarrying>}};
"""


class Fate(Enum):
    """What becomes of a pallet: all goes well; it is opened before it leaves; it stands for too
    long before it leaves; nobody sees it any more after it was packed.
    """

    WELL = "well"
    OPENED = "opened"
    WAITS = "waits"
    LOST = "lost"


def _concept(name: str, expression: str) -> Definition:
    return Definition(name, language="concept", expression=expression)


SUPPLY_TERMS = (
    Definition("steps", ontology=TAXONOMY, media_type="text/x-tbox"),
    _concept("Packed", "AggregationEvent and exists action.(ActionType = ADD)"),
    _concept("Unpacked", "AggregationEvent and exists action.(ActionType = DELETE)"),
    _concept("Shipped", "TransactionEvent and exists bizStep.shipping"),
)

MEANING = (Subscription(MOVING, "concept", "TransactionEvent and exists bizStep.transporting"),)
_OPENED = "Unpacked Before Shipped correlate by parentID"
_WAITED = "not (Packed) (60 min anchored) Before Shipped correlate by parentID"
_IDLE = "not (Packed) (PT1H)"


def combined(midnight: Instant) -> tuple[Subscription, ...]:
    """Those about several events, or about one that does not come; hours are counted from
    midnight.
    """
    return (
        Subscription(OPENED, "concept", _OPENED, horizon="12h"),
        Subscription(WAITED, "concept", _WAITED, horizon="12h"),
        Subscription(IDLE, "concept", _IDLE, options={"origin": format_instant(midnight)}),
    )


@dataclass(frozen=True, slots=True)
class Step:
    """One thing done to a pallet, so many minutes after it was packed."""

    minute: int
    kind: str
    action: str
    business: str


@dataclass(frozen=True, slots=True)
class Pallet:
    """A pallet and all that is done to it."""

    number: int
    packed: Instant
    fate: Fate
    steps: tuple[Step, ...]

    @property
    def name(self) -> str:
        """What the ids of its events begin with."""
        return f"pallet-{self.number}"

    def reports(self) -> Iterator[Report]:
        """Its steps as EPCIS events."""
        for number, step in enumerate(self.steps, 1):
            at = self.packed + step.minute * _MINUTE
            yield Report(
                f"{self.name}-step-{number}",
                at,
                Happening("/dock", EPCIS_TYPE, self._epcis(step, at)),
            )

    def truth(self) -> Iterator[tuple[str, str]]:
        """What becomes of the pallet, known from its making: (what, name of the pallet), once for
        each time.
        """
        for step in self.steps:
            if step.business == "shipping" or step.business.startswith(_OWN_STEP):
                yield MOVING, self.name
        if self.fate is Fate.OPENED:
            yield OPENED, self.name
        if self.fate is Fate.WAITS:
            yield WAITED, self.name

    def _epcis(self, step: Step, at: Instant) -> dict[str, object]:
        body = {"type": step.kind, "eventTime": format_instant(at), "eventTimeZoneOffset": "+01:00"}
        return body | self._goods(step.kind) | {"action": step.action, "bizStep": step.business}

    def _goods(self, kind: str) -> dict[str, object]:
        """What an event of this kind is about: a pallet with what is on it, or just a pallet."""
        pallet = f"urn:epc:id:sscc:4012345.{self.number:010d}"
        goods = [f"urn:epc:id:sgtin:4012345.012345.{self.number * 10 + each}" for each in range(2)]
        if kind == "AggregationEvent":
            return {"parentID": pallet, "childEPCs": goods}
        if kind == "TransactionEvent":
            order = {"type": "po", "bizTransaction": f"urn:demo:po:{self.number}"}
            return {"parentID": pallet, "epcList": goods, "bizTransactionList": [order]}
        return {"epcList": [pallet]}


def pallets_of_the_day(seed: int, midnight: Instant) -> list[Pallet]:
    """All pallets; the same for the same seed."""
    dice = Random(f"pallets {seed}")
    hours = [hour for hour in _HOURS_OF_WORK for _ in range(_EACH_HOUR)]
    fates = [*Fate, *dice.choices(list(Fate), (7, 1, 1, 1), k=len(hours) - len(Fate))]
    dice.shuffle(fates)
    return [
        _pallet(dice, number, midnight + hour * _HOUR + dice.randrange(1, 60) * _MINUTE, fate)
        for number, (hour, fate) in enumerate(zip(hours, fates, strict=True), 1)
    ]


def idle_hours(pallets: list[Pallet], midnight: Instant) -> Iterator[tuple[str, str]]:
    """The full hours in which no pallet was packed, known from the pallets: (what, time when the
    hour is over).

    The last hour of the day is not told: when the stream ends, it is not over.
    """
    busy = {(pallet.packed - midnight) // _HOUR for pallet in pallets}
    for hour in _HOURS_TOLD:
        if hour not in busy:
            yield IDLE, format_instant(midnight + (hour + 1) * _HOUR)


def _pallet(dice: Random, number: int, packed: Instant, fate: Fate) -> Pallet:
    return Pallet(
        number,
        packed,
        fate,
        tuple(_steps(fate, dice.randrange(20, 56), _OWN_STEP + dice.choice(_CARRYING))),
    )


def _steps(fate: Fate, leaves: int, carrying: str) -> Iterator[Step]:
    yield Step(0, "AggregationEvent", "ADD", "packing")
    if fate is Fate.LOST:
        return
    if fate is Fate.OPENED:
        yield Step(leaves - 10, "AggregationEvent", "DELETE", "unpacking")
    if fate is Fate.WAITS:
        leaves += 60
    yield Step(leaves, "TransactionEvent", "ADD", "shipping")
    yield Step(leaves + 45, "TransactionEvent", "OBSERVE", carrying)
    yield Step(leaves + 120, "ObjectEvent", "OBSERVE", "receiving")
    if fate is not Fate.OPENED:
        yield Step(leaves + 130, "AggregationEvent", "DELETE", "unpacking")
