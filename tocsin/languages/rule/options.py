"""The options of a rule: `crs`, which says what distances and regions are measured in."""

from __future__ import annotations

from collections.abc import Mapping

from tocsin.errors import MeaningProblem
from tocsin.values.space import Metric

_METRICS = {"planar": Metric.PLANAR, "wgs84": Metric.WGS84, "epsg:4326": Metric.WGS84}


def metric_of(options: Mapping[str, object]) -> Metric:
    """The metric of a subscription's options; raises where an option is not known."""
    for name in options:
        if name != "crs":
            raise _problem(f"the option {name!r} is not known", str(name), "rule takes: crs")
    value = options.get("crs", "planar")
    metric = _METRICS.get(value.lower()) if isinstance(value, str) else None
    if metric is None:
        raise _problem(f"crs {value!r} is not known", "crs", "write planar, wgs84 or EPSG:4326")
    return metric


def _problem(message: str, token: str, hint: str) -> MeaningProblem:
    return MeaningProblem(message, code="OptionError", token=token, hint=hint)
