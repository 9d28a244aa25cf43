"""The keyed composite of `bench sequences`: every event concerns it, and its table says what two
cores gain.
"""

from __future__ import annotations

from tocsin_benchmarks.sequences.command import keyed_requests, keyed_tables_of
from tocsin_benchmarks.sequences.workload import Density, SequenceWorkload

from tocsin.engine.batch import Batch
from tocsin.engine.engine import Engine
from tocsin.hosts.local.finite import read_events
from tocsin.plan.partitioning import parting_of


def test_every_event_concerns_the_keyed_composite() -> None:
    requests = keyed_requests(300, 5)
    assert [each["cores"] for each in requests] == [1, 2]
    asked = requests[0]
    workload = SequenceWorkload(Density(asked["density"]), asked["patterns"], 300, 5)
    [plan] = workload.plans().values()
    assert parting_of(plan.pattern).by == (("key",),)
    engine = Engine()
    engine.add("p0", plan)
    events = read_events(workload.lines()).events
    assert len(engine.match(Batch(events)).relevant) == 300


def test_the_table_compares_cores() -> None:
    trials = [
        {
            "trial": {"cores": cores},
            "measured_events": 1_000,
            "seconds": seconds,
            "matches": 7,
            "by_shard": shards,
        }
        for cores, seconds, shards in ((1, 2.0, [1_000]), (2, 1.25, [480, 520]))
    ]
    [table] = keyed_tables_of(trials)
    assert [row[:4] for row in table.rows] == [
        ("1", "500", "1.00", "1,000"),
        ("2", "800", "1.60", "480 + 520"),
    ]
    assert keyed_tables_of([]) == []
