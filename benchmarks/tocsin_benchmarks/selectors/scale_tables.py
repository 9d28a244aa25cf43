"""The scale tests as tables: one per shape with all speeds side by side, and one for building and
memory.

Speeds of others stand beside ours, measured in the same run; a ratio says how many times faster the
best of our batch sizes is. A speed with ~ is an estimate from a part of the subscriptions that fits
into the time.
"""

from __future__ import annotations

from tocsin_benchmarks.harness.results import Measured, Results
from tocsin_benchmarks.harness.table import NOTHING, Table, mebibytes, rounded
from tocsin_benchmarks.selectors.contenders import Name
from tocsin_benchmarks.selectors.schedule import BATCHES, SCALE_CONTENDERS
from tocsin_benchmarks.selectors.workloads import Shape

_MODES = (*(f"batch {size}" for size in BATCHES), "single event", f"JSON, batch {BATCHES[0]}")
_OTHERS = tuple(name for name in SCALE_CONTENDERS if name is not Name.TOCSIN)


def scale_tables(results: Results) -> list[Table]:
    """The tables of the scale tests; none where they were not run."""
    ours = [
        one for one in results.measured if one.contender is Name.TOCSIN and one.shape is not None
    ]
    if not ours:
        return []
    shapes = dict.fromkeys(one.shape for one in ours if one.shape is not None)
    return [*(_speed_table(shape, ours, results) for shape in shapes), _memory_table(ours)]


def _speed_table(shape: Shape, ours: list[Measured], results: Results) -> Table:
    header = (
        "selectors",
        "attributes",
        "match rate",
        *(f"tocsin, {mode}" for mode in _MODES),
        *(name.value for name in _OTHERS),
        *(f"x {name.value}" for name in _OTHERS),
    )
    rows = tuple(_speed_row(one, results) for one in ours if one.shape is shape)
    return Table(f"Scale, {shape.label}: events/s on one core", header, rows)


def _speed_row(ours: Measured, results: Results) -> tuple[str, ...]:
    if ours.refused:
        width = 1 + len(_MODES) + 2 * len(_OTHERS)
        return (
            f"{ours.subscriptions:,}",
            str(ours.attributes),
            ours.refused,
            *[NOTHING] * (width - 1),
        )
    others = [
        results.find(name, ours.shape, ours.subscriptions, ours.attributes) for name in _OTHERS
    ]
    return (
        f"{ours.subscriptions:,}",
        str(ours.attributes),
        f"{100 * ours.match_rate:.2f} %",
        *(rounded(ours.rate(mode)) for mode in _MODES),
        *map(_speed, others),
        *(_ratio(ours, other) for other in others),
    )


def _speed(measured: Measured | None) -> str:
    if measured is None or measured.refused:
        return NOTHING if measured is None else measured.refused
    return f"{'~' if measured.is_estimate else ''}{rounded(measured.events_per_second)}"


def _ratio(ours: Measured, other: Measured | None) -> str:
    if other is None or not other.events_per_second or not ours.events_per_second:
        return NOTHING
    return rounded(ours.events_per_second / other.events_per_second)


def _memory_table(ours: list[Measured]) -> Table:
    header = (
        "selectors",
        "shape",
        "attributes",
        "build",
        "selectors/s",
        "memory",
        "bytes/selector",
        "peak memory",
    )
    return Table(
        "Scale: building and memory",
        header,
        tuple(_memory_row(one) for one in ours if not one.refused),
    )


def _memory_row(one: Measured) -> tuple[str, ...]:
    seconds, kept = one.build_seconds or 0.0, one.memory_bytes or 0
    return (
        f"{one.subscriptions:,}",
        one.shape.label if one.shape else NOTHING,
        str(one.attributes),
        f"{rounded(seconds)} s",
        rounded(one.subscriptions / seconds if seconds else None),
        mebibytes(kept),
        rounded(kept / one.subscriptions),
        mebibytes(one.peak_bytes),
    )
