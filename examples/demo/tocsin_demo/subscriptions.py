"""Who wants to know what: subscriptions that are there from the start, and those that come and go
during the day.

A scenario is a group of subscriptions that show one thing. Every id is used once over all
scenarios; what is removed was there before. A further language joins in by a scenario of its own in
SCENARIOS.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tocsin.catalog import Definition, Subscription
from tocsin_demo.auction import AUCTION, AUCTION_TERMS
from tocsin_demo.composites import DEFINITIONS, LOGISTICS
from tocsin_demo.pallets import MEANING, SUPPLY_TERMS, combined
from tocsin_demo.purchases import SETTLEMENT
from tocsin_demo.story import MIDNIGHT


@dataclass(frozen=True, slots=True)
class Change:
    """At a full hour of the day subscriptions are added, or removed by their ids."""

    hour: int
    add: tuple[Subscription, ...] = ()
    remove: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Scenario:
    """Subscriptions that show one thing, how they change during the day, and the names that they
    use.
    """

    title: str
    subscriptions: tuple[Subscription, ...]
    changes: tuple[Change, ...] = ()
    definitions: tuple[Definition, ...] = ()


def _native(id_: str, expression: str) -> Subscription:
    return Subscription(id_, "selector", expression)


def _dialect(dialect: str, id_: str, expression: str) -> Subscription:
    return Subscription(id_, "selector", expression, options={"dialect": dialect})


_MARKETPLACE = Scenario(
    "marketplace",
    (
        _native("big-orders", "total >= 1500"),
        _native("gold-express", "tier = 'gold' AND express = TRUE"),
        _native("first-order-by-card", "first = TRUE AND payment = 'card' AND total > 100"),
        _native("bulk-buyers", "quantity >= 4 AND NOT category IN ('oat milk', 'frozen pizza')"),
        _native("staff-coupons", "coupon = 'STAFF30' AND tier <> 'gold'"),
        _native("spring-campaign", "coupon LIKE 'SPRING%' AND total BETWEEN 50 AND 900"),
        _native("bargain-laptops", "category = 'laptop' AND price < 1000 AND quantity = 1"),
        _native("harburg-mornings", "delivery.district = 'Harburg' AND delivery.slot = 'morning'"),
        _native("partner-invoices", "channel = 'partner' AND payment = 'invoice' AND total > 300"),
        _native("nothing-found", "ce_type = 'shop.searched' AND results = 0"),
        _native(
            "fraud",
            "ce_type = 'shop.payment.failed' AND reason = 'suspected fraud' AND amount > 20",
        ),
        _native(
            "third-attempt", "ce_source = '/payments' AND attempt >= 2 AND NOT payment = 'invoice'"
        ),
        _native("angry-reviews", "stars <= 2 AND verified = TRUE AND text LIKE '%refund%'"),
        _native("dangerous", "text LIKE '%dangerous%'"),
        _native("price-cut", "new < old * 0.8"),
        _native("given-away", "ce_type = 'shop.price.changed' AND new < 2"),
        _native("sold-out", "left <= 5 AND category IN ('laptop', 'phone', 'bicycle', 'sneakers')"),
        _native("oversold", "reserved > left + 5"),
        _native(
            "broken-goods",
            "ce_type = 'shop.return.requested' AND reason = 'arrived broken' AND days <= 7",
        ),
    ),
)

_FLEET = Scenario(
    "delivery fleet",
    (
        _native("speeding", "speed > limit + 5"),
        _native("speeding-at-schools", "limit = 30 AND speed > 35"),
        _native("battery-low", "battery < 5"),
        _native("cargo-warm", "cargo.celsius > 5.5 OR cargo.celsius < 2.5"),
        _native("door-open-while-driving", "cargo.door = 'open' AND speed > 40"),
        _native("severe-faults", "ce_type = 'fleet.van.fault' AND severity >= 3"),
        _native("heavy-parcels", "kilos > 8 AND NOT handling = 'normal'"),
        _native("hazardous", "handling = 'hazardous' AND customs IS NOT NULL"),
        _native("unsigned-at-doorstep", "to = 'doorstep' AND signed = FALSE"),
        _native("last-attempt", "ce_type = 'fleet.parcel.failed' AND attempt = 3"),
        _native("air-too-damp", "ce_type = 'depot.climate' AND humidity >= 70"),
    ),
)

_PALLETS_COMBINED = combined(MIDNIGHT)

_LOGISTICS = Scenario("logistics", LOGISTICS, definitions=DEFINITIONS)
_AUCTION = Scenario("auction", AUCTION, definitions=AUCTION_TERMS)
_SUPPLY_CHAIN = Scenario("supply chain", (*MEANING, *_PALLETS_COMBINED), definitions=SUPPLY_TERMS)
_PURCHASES = Scenario("purchases", SETTLEMENT)

_BROKERS = Scenario(
    "selectors from other brokers",
    (
        _dialect("jms", "jms-femke-drives", "driver = 'Femke' AND (speed - limit) * 10 > limit"),
        _dialect(
            "jms",
            "jms-customs-south",
            "customs = TRUE AND depot IN ('South') AND kilos NOT BETWEEN 0 AND 2",
        ),
        _dialect(
            "cesql", "cesql-van-faults", "type = 'fleet.van.fault' AND source LIKE '/fleet/van-3%'"
        ),
        _dialect(
            "cesql", "cesql-returns", "UPPER(RIGHT(type, 9)) = 'REQUESTED' AND LENGTH(id) < 13"
        ),
    ),
)

_COMING_AND_GOING = Scenario(
    "coming and going",
    (),
    (
        Change(
            4, add=(_native("night-shift-scans", "ce_type = 'fleet.parcel.scanned' AND kilos > 8"),)
        ),
        Change(
            8, add=(_native("late-parcels", "minutes_late > 20"),), remove=("night-shift-scans",)
        ),
        Change(
            10, add=(_native("ayla-and-bjarne", "driver IN ('Ayla', 'Bjarne') AND speed > 70"),)
        ),
        Change(
            12,
            add=(_native("lunch-pizza", "category = 'frozen pizza' AND total > 2"),),
            remove=("air-too-damp",),
        ),
        Change(14, remove=("lunch-pizza", "spring-campaign")),
        Change(
            16,
            add=(
                _dialect(
                    "cesql", "cesql-last-hours", "type LIKE '%parcel.failed' AND EXISTS source"
                ),
            ),
        ),
        Change(
            18,
            add=(_native("evening-gold", "tier = 'gold' AND total > 250"),),
            remove=("ayla-and-bjarne",),
        ),
        Change(
            20,
            add=(
                _native(
                    "parcels-after-eight", "ce_type = 'fleet.parcel.delivered' AND signed = FALSE"
                ),
            ),
            remove=("late-parcels",),
        ),
        Change(22, remove=("evening-gold",)),
    ),
)

SCENARIOS = (
    _LOGISTICS,
    _AUCTION,
    _SUPPLY_CHAIN,
    _PURCHASES,
    _MARKETPLACE,
    _FLEET,
    _BROKERS,
    _COMING_AND_GOING,
)

COMBINING = frozenset(each.id for each in (*LOGISTICS, *_PALLETS_COMBINED, *SETTLEMENT))
"""Who is about several events, or about one that does not come."""


def definitions() -> list[Definition]:
    """The names that subscriptions of all scenarios use."""
    return [each for scenario in SCENARIOS for each in scenario.definitions]


def from_the_start() -> list[Subscription]:
    """The subscriptions of all scenarios that are there when the day begins."""
    return [each for scenario in SCENARIOS for each in scenario.subscriptions]


def during_the_day() -> list[Change]:
    """The changes of all scenarios, by hour."""
    return sorted(
        (each for scenario in SCENARIOS for each in scenario.changes),
        key=lambda change: change.hour,
    )


def ever() -> Iterator[Subscription]:
    """Every subscription that is there at some hour."""
    yield from from_the_start()
    for change in during_the_day():
        yield from change.add
