"""Options of an OPSL subscription: concurrency_tolerance, max_event_duration, spl_threshold and
crs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from tocsin.errors import Problem
from tocsin.languages.base.options import refuse_unknown
from tocsin.languages.opsl.problems import parameter_problem
from tocsin.languages.opsl.quantities import MILLISECOND, require_duration_limit
from tocsin.values.space import Metric
from tocsin.values.time import Duration, parse_duration

LONGEST_EVENT = "max_event_duration"
_NAMES = ("concurrency_tolerance", LONGEST_EVENT, "spl_threshold", "crs")

_METRICS = {
    "planar": Metric.PLANAR,
    "wgs84": Metric.WGS84,
    "epsg:4326": Metric.WGS84,
}


@dataclass(frozen=True, slots=True)
class OpslOptions:
    """Options of a subscription: concurrency in time, nearness of the same place, and metric.

    `tolerance` and `longest_event` are microseconds, `same_place` is in the metric's unit.
    `longest_event` bounds the duration of concurrent events; None if it is unknown.
    """

    tolerance: Duration = 0
    longest_event: Duration | None = None
    same_place: float = 1.0
    metric: Metric = Metric.PLANAR


def settings_of(options: Mapping[str, object]) -> OpslOptions:
    """Return the settings of a subscription's options; raise if one is unknown or invalid."""
    refuse_unknown(options, "opsl", _NAMES)
    return OpslOptions(
        tolerance=_duration(options, "concurrency_tolerance"),
        longest_event=_duration(options, LONGEST_EVENT) if LONGEST_EVENT in options else None,
        same_place=_threshold(options.get("spl_threshold", 1.0)),
        metric=_metric(options.get("crs", "planar")),
    )


def _duration(options: Mapping[str, object], name: str) -> Duration:
    value = options.get(name, 0)
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return require_duration_limit(value * MILLISECOND, name)
    if isinstance(value, str):
        try:
            return require_duration_limit(parse_duration(value), name)
        except Problem as problem:
            raise parameter_problem(f"{name}: {problem.message}", name, problem.hint) from None
    raise parameter_problem(
        f"{name} is a duration, got {value!r}",
        name,
        "write 500ms, 2s or a whole number of milliseconds, 0 or more",
    )


def _threshold(value: object) -> float:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not 0 < float(str(value)) < math.inf:
        raise parameter_problem(
            f"spl_threshold is a positive number, got {value!r}",
            "spl_threshold",
            "write a distance such as 1.0",
        )
    return float(str(value))


def _metric(value: object) -> Metric:
    metric = _METRICS.get(value.lower()) if isinstance(value, str) else None
    if metric is None:
        raise parameter_problem(
            f"crs {value!r} is not known", "crs", "write planar, wgs84 or EPSG:4326"
        )
    return metric
