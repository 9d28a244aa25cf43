"""The logistics scenario of the demo: trucks leave, arrive, do not arrive, and fall out of their
convoy.

Every question is about any truck: WHERE says which reports belong together.
"""

from __future__ import annotations

from tocsin.catalog import Definition, Subscription
from tocsin_demo.tours import ARRIVES, FALLS_OUT, LEAVES, MISSING, TRUCK_TYPE, region

_LEFT = "!($in;;$out;)$between;"
_LEFT_WHERE = "$in;.truck = $out;.truck AND $between;.truck = $out;.truck"
_LEFT_PARTS = "$in; = @(Warehouse)Truck, $out; = DIST(Warehouse; >; 0)Truck, $between; = Truck"
_THERE_WHERE, _THERE = "$there;.truck = $out;.truck", "$there; = @(Customer)Truck"

_CONVOY = (
    "=|($near;;20m)$far; WHERE $A;.convoy = $B;.convoy AND $C;.convoy = $D;.convoy AND $A;.convoy ="
    " $C;.convoy, $near; = |($A;)$B; && DIST($A;; <; 500)$B;, $far; = |($C;)$D; && DIST($C;; >;"
    " 2000)$D;, $A; = Leader, $B; = Follower, $C; = Leader, $D; = Follower"
)


def _truck(where: str = "") -> str:
    return f"ce_type = '{TRUCK_TYPE}'{where}"


DEFINITIONS = (
    Definition("Warehouse", region=region("Warehouse")),
    Definition("Customer", region=region("Customer")),
    Definition("Truck", language="selector", expression=_truck()),
    Definition("Leader", language="selector", expression=_truck(" AND role = 'leader'")),
    Definition("Follower", language="selector", expression=_truck(" AND role = 'follower'")),
)


def _opsl(id_: str, expression: str, **options: str) -> Subscription:
    """Two reports that belong together are at most half an hour apart, where the text does not say
    how far.
    """
    return Subscription(id_, "opsl", expression, horizon="30m", options=options)


LOGISTICS = (
    _opsl(LEAVES, f"{_LEFT} WHERE {_LEFT_WHERE}, {_LEFT_PARTS}"),
    _opsl(
        ARRIVES,
        f"=|({_LEFT}; 2h)$there; WHERE {_LEFT_WHERE} AND {_THERE_WHERE}, {_LEFT_PARTS}, {_THERE}",
    ),
    _opsl(
        MISSING,
        f"!({_LEFT}; 2h)$there; WHERE {_LEFT_WHERE} AND {_THERE_WHERE}, {_LEFT_PARTS}, {_THERE}",
    ),
    _opsl(FALLS_OUT, _CONVOY, crs="wgs84", max_event_duration="0s"),  # a report is an instant
)
