"""The keyed composite of `bench sequences`: every event concerns it, and its table says what two
cores gain.
"""

from __future__ import annotations

from tocsin_benchmarks.sequences.command import keyed_requests, keyed_tables_of
from tocsin_benchmarks.sequences.micro_batches import (
    lines_over_rows,
    lines_over_shards,
    micro_batch_requests,
    micro_batch_tables_of,
)
from tocsin_benchmarks.sequences.workload import Density, SequenceWorkload

from tocsin.engine.columns.batch import Batch
from tocsin.engine.engine import Engine
from tocsin.plan.semantics.partitioning import partition_key_of
from tocsin.runtime.finite_run import read_events


def test_every_event_concerns_the_keyed_composite() -> None:
    requests = keyed_requests(300, 5)
    assert [(each["cores"], "pinned" in each) for each in requests] == [
        (1, True),
        (1, False),
        (2, False),
    ]
    asked = requests[0]
    workload = SequenceWorkload(Density(asked["density"]), asked["patterns"], 300, 5)
    [plan] = workload.plans().values()
    assert partition_key_of(plan.pattern).by == (("key",),)
    engine = Engine()
    engine.add("p0", plan)
    events = read_events(workload.lines()).events
    assert len(engine.match(Batch(events)).composite_inputs) == 300


def test_the_table_compares_cores() -> None:
    trials = [
        {
            "trial": {"cores": cores},
            "measured_events": 1_000,
            "seconds": seconds,
            "median_rate": 900,
            "matches": 7,
            "by_shard": shards,
        }
        for cores, seconds, shards in ((1, 2.0, [1_000]), (2, 1.25, [480, 520]))
    ]
    [table] = keyed_tables_of(trials)
    assert [row[:5] for row in table.rows] == [
        ("local[1]", "500", "1.00", "900", "1,000"),
        ("local[2]", "800", "1.60", "900", "480 + 520"),
    ]
    assert keyed_tables_of([]) == []


def test_each_number_of_rows_is_measured_beside_a_bare_stream() -> None:
    asked = [{"patterns": 1, "density": "dense"}, {"patterns": 100, "density": "dense"}]
    requests = micro_batch_requests((1_000, 9_000), (1, 4), asked)
    assert [
        (each["rows"], each["patterns"], each.get("bare", False), each.get("shards"))
        for each in requests[:5]
    ] == [
        (1_000, 1, True, None),
        (1_000, 1, False, 1),
        (1_000, 1, False, 4),
        (1_000, 100, False, 1),
        (1_000, 100, False, 4),
    ]
    assert len(requests) == 10
    assert micro_batch_requests((), (1,), asked) == []
    assert [each.get("shards") for each in micro_batch_requests((5,), (), asked)] == [None] * 3


def test_the_table_compares_with_the_bare_stream() -> None:
    figures = {"measured_events": 1_000, "seconds": 4.0, "longest_seconds": 0.9}
    own = {"rows": 100, "patterns": 7, "density": "dense"}
    trials = [
        {"trial": own | {"bare": True}, **figures, "median_seconds": 0.3},
        {"trial": own | {"shards": 2}, **figures, "median_seconds": 0.45},
    ]
    [table] = micro_batch_tables_of(trials)
    assert [row[1:] for row in table.rows] == [
        ("bare stream", "-", "-", "250", "0.30 s", "0.90 s", "1.00"),
        ("7", "dense", "2", "250", "0.45 s", "0.90 s", "1.50"),
    ]
    assert micro_batch_tables_of([]) == []


def test_the_plot_has_a_line_for_each_number_of_patterns() -> None:
    def trial(rows: int, seconds: float, **more: object) -> dict[str, object]:
        own = {"rows": rows, "patterns": 7, **more}
        return {"trial": own, "measured_events": 10 * rows, "seconds": seconds}

    trials = [
        trial(1_000, 2.0, bare=True),
        trial(1_000, 5.0, shards=1),
        trial(1_000, 4.0, shards=2),
        trial(100, 1.0, bare=True),
        trial(100, 2.0, shards=2),
    ]
    assert lines_over_rows(trials) == {
        "bare stream": [(100, 1_000.0), (1_000, 5_000.0)],
        "7 patterns": [(100, 500.0), (1_000, 2_500.0)],
    }
    assert lines_over_shards(trials) == {"7 patterns": [(1, 2_000.0), (2, 2_500.0)]}
