"""Options of a rule: `crs`, the metric of distances and regions."""

from __future__ import annotations

from collections.abc import Mapping

from tocsin.languages.base.options import option_problem, refuse_unknown
from tocsin.values.space import Metric

_METRICS = {"planar": Metric.PLANAR, "wgs84": Metric.WGS84, "epsg:4326": Metric.WGS84}


def metric_of(options: Mapping[str, object]) -> Metric:
    """Return the metric of a subscription's options; raise if an option is unknown."""
    refuse_unknown(options, "rule", ("crs",))
    value = options.get("crs", "planar")
    metric = _METRICS.get(value.lower()) if isinstance(value, str) else None
    if metric is None:
        raise option_problem(
            f"crs {value!r} is not known", "crs", "write planar, wgs84 or EPSG:4326"
        )
    return metric
