"""The composites of the delivery fleet: trucks leave, arrive, do not arrive, unload and fall out of
their convoy, and a cold room gets warm.

All but the convoy are rules, and are shown as they are written. The convoy keeps the language of
the paper that it is from.
"""

from __future__ import annotations

from tocsin.catalog import Definition, Subscription
from tocsin_demo.tours import (
    ARRIVES,
    FALLS_OUT,
    LEAVES,
    MISSING,
    TRUCK_TYPE,
    UNLOADS,
    region,
)

WARM = "cold-room-warm"

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


def _rule(id_: str, expression: str) -> Subscription:
    return Subscription(id_, "rule", expression)


RULES = (
    _rule(LEAVES, "WHEN Truck LEAVES Warehouse FOR EACH truck"),
    _rule(
        ARRIVES, "WHEN Truck LEAVES Warehouse THEN Truck ENTERS Customer WITHIN 2h FOR EACH truck"
    ),
    _rule(
        MISSING,
        "WHEN Truck LEAVES Warehouse THEN NO Truck ENTERS Customer WITHIN 2h FOR EACH truck",
    ),
    _rule(UNLOADS, "WHEN Truck HOLDS INSIDE Customer FOR 10m FOR EACH truck"),
    _rule(WARM, "WHEN depot.climate(room = 'cold') BECOMES celsius > 5.5 FOR EACH depot"),
)
LOGISTICS = (
    *RULES,
    Subscription(
        FALLS_OUT,
        "opsl",
        _CONVOY,
        horizon="30m",  # pairs that belong together are at most so far apart
        options={"crs": "wgs84", "max_event_duration": "0s"},  # a report is an instant
    ),
)


def rule_lines() -> list[str]:
    """The rules as they are written, each after its name."""
    widest = max(len(each.id) for each in RULES)
    return [f"{each.id:{widest}} {each.expression}" for each in RULES]
