"""What every version of Spark must do, by the public names alone: scenarios of every language in
batch and on a stream, through a restart; the rest by the table of capabilities.

`scripts/test-ranges spark` runs this file with each minor version.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyspark
import pytest
from pyspark.sql import SparkSession

from tests.builders import event_text
from tests.scenarios.loading import Scenario, scenarios
from tests.spark.scenes import found_in, selector
from tests.spark.shard.scenes import Stream
from tests.spark.shard.test_languages import jobs
from tests.waiting import wait_until
from tocsin.catalog import Definition, Subscription, create_catalog
from tocsin.errors import UnsupportedProblem
from tocsin.events.matches.match import Match
from tocsin.spark import Watch, dead_letters, match, run_match, support
from tocsin.spark.versions.capabilities import Capability
from tocsin.values.time import format_instant, parse_instant

APART = 10 * 86_400_000_000
"""Longer than all windows and the horizon."""

LANGUAGES = ("selector", "opsl", "rule", "graph", "concept", "exmlql")
ROOT = Path(__file__).resolve().parents[2]
FOLLOWS = Subscription("follows", "opsl", "=|(ARITH: price > 1; 60s)(ARITH: price > 2)")
ALARM = Subscription("alarm", "rule", "WHEN left THEN NO arrived WITHIN 2s FOR EACH truck")


def line(number: int, second: int, price: int = 5) -> str:
    return event_text(f"e{number}", second=8 * 3600 + second, data={"price": price})


class World:
    """The scenarios of a language that can share a query: each some days after those before."""

    def __init__(self, language: str) -> None:
        found: dict[tuple[Definition, ...], list[Scenario]] = {}
        for each in scenarios(f"{language}.toml"):
            if "fixed time" in each.name:  # times of its own: it cannot be moved
                continue
            found.setdefault(each.definitions, []).append(each)
        shared = ((names, max(jobs(some, names), key=len)) for names, some in found.items())
        names, self.scenarios = max(shared, key=lambda each: len(each[1]))
        chosen = enumerate(self.scenarios)
        self.entries: list[Definition | Subscription] = [
            *names,
            *(replace(each.subscription, id=f"s{number}") for number, each in chosen),
        ]

    def lines(self) -> list[list[str]]:
        """The events of each scenario, with ids and times of their own."""
        return [
            [json.dumps(moved(event, number)) for event in each.events]
            for number, each in enumerate(self.scenarios)
        ]

    def require(self, found: list[Match]) -> None:
        """Fail if a scenario has other matches than its file says."""
        wrong = {}
        for number, each in enumerate(self.scenarios):
            own = [one for one in found if one.subscription == f"s{number}"]
            told = [text for one in own if (text := shown(one, number)) is not None]
            if sorted(told) != sorted(each.expected):
                wrong[each.name] = told
        assert wrong == {}


def moved(event: dict[str, Any], number: int) -> dict[str, Any]:
    times: dict[str, str] = {
        name: format_instant(parse_instant(event[name]) + number * APART)
        for name in ("time", "endtime")
        if name in event
    }
    return {**event, "id": f"{number}/{event['id']}", **times}


def shown(each: Match, number: int) -> str | None:
    """A match as scenarios write it; None if events of other scenarios take part."""
    assert each.detected is not None
    if {name.partition("/")[0] for name in each.events} - {str(number)}:
        return None
    names = (name.partition("/")[2] for name in each.events)
    return f"{(each.detected - number * APART) // 1000}: {' '.join(names)}".strip()


@pytest.mark.parametrize("language", LANGUAGES)
def test_scenarios_in_a_batch(spark: SparkSession, language: str) -> None:
    world = World(language)
    rows = [(each,) for some in world.lines() for each in some]
    frame = spark.createDataFrame(rows, "value string").repartition(2)
    world.require(found_in(match(frame, world.entries, shards=2)))


@pytest.mark.parametrize("language", LANGUAGES)
def test_scenarios_on_a_stream_through_a_restart(
    spark: SparkSession, tmp_path: Path, language: str
) -> None:
    world = World(language)
    lines = world.lines()
    middle = len(lines) // 2
    beyond = format_instant((len(lines) + 1) * APART)
    end = json.dumps({"id": "end/", "source": "s", "type": "end", "time": beyond})
    stream = Stream(spark, tmp_path, {"lateness": "2s", "shards": 2})
    for some in (lines[:middle], [*lines[middle:], [end]]):
        stream.put(line for each in some for line in each)
        stream.run(world.entries)
    world.require(stream.all_matches())


JOB = """
import sys, time
from pathlib import Path
from tests.spark.test_versions import ALARM, FOLLOWS
from tocsin.spark import local_session, match

folder, ends = Path(sys.argv[1]), sys.argv[2] == "ends"
spark = local_session("local[2]", memory="1g")
lines = spark.readStream.format("text").option("maxFilesPerTrigger", 1).load(str(folder / "inbox"))
found = match(lines, [FOLLOWS, ALARM], lateness="1s", deduplicate="10 minutes")

def deliver(batch, number):
    rows = [f"{row.subscription} {' '.join(row.events)} {row.id}" for row in batch.collect()]
    (folder / f"{number}.out").write_text("".join(f"{each}\\n" for each in sorted(rows)))
    if number == 2 and not ends:
        (folder / "ready").touch()
        time.sleep(3600)

writer = found.writeStream.foreachBatch(deliver).option("checkpointLocation", str(folder / "kept"))
writer.trigger(availableNow=True).start().awaitTermination()
"""


def test_a_driver_that_is_killed_goes_on_where_it_was(tmp_path: Path) -> None:
    """It is killed in its third micro-batch, which is run again: by new workers, whose memory is
    empty.
    """
    inbox = tmp_path / "inbox"
    inbox.mkdir()
    pieces = [[line(1, 1)], [truck(1, 2, "left", 7)], [line(2, 3)], [line(1, 1), line(3, 30)]]
    for number, piece in enumerate(pieces):
        path = inbox / f"{number}.txt"
        path.write_text("".join(f"{each}\n" for each in piece))
        os.utime(path, (1_000_000_000 + number,) * 2)
    with started(tmp_path, "hangs") as first:
        wait_until(
            lambda: (tmp_path / "ready").exists() or first.poll() is not None,
            progress=lambda: sorted(tmp_path.iterdir()),
        )
        assert first.poll() is None, "the first driver has ended by itself"
        first.kill()
    with started(tmp_path, "ends") as second:
        assert second.wait(300) == 0
    told = [
        each for path in sorted(tmp_path.glob("*.out")) for each in path.read_text().split("\n")
    ]
    names = [each.rpartition(" ")[0] for each in told if each]
    assert sorted(names) == ["alarm t1", "follows e1 e2"]


def truck(number: int, second: int, kind: str, id: int) -> str:
    return event_text(f"t{number}", type=kind, second=8 * 3600 + second, data={"truck": id})


def started(folder: Path, how: str) -> subprocess.Popen[bytes]:
    setting = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    return subprocess.Popen([sys.executable, "-c", JOB, str(folder), how], cwd=ROOT, env=setting)


def test_an_absence_rings_on_an_idle_stream(spark: SparkSession, tmp_path: Path) -> None:
    """Only a timer can tell: no event comes after the first."""
    stream = Stream(spark, tmp_path, {"lateness": "1s", "idle": "1s", "shards": 2})
    stream.put([truck(1, 2, "left", 7)])
    stream.start([ALARM], processingTime="200 milliseconds")
    query = stream.query
    assert query is not None
    try:
        wait_until(
            lambda: stream.all_matches() or not query.isActive,
            progress=lambda: len(stream.matches),
        )
    finally:
        query.stop()
    assert [each.events for each in stream.all_matches()] == [("t1",)]


def test_typed_columns_kept_columns_and_dead_letters(spark: SparkSession) -> None:
    frame = spark.sql(
        "SELECT 'e' || id AS id, 's' AS source, 't' AS type, timestamp_seconds(id * 3) AS time,"
        " double(id) AS price, named_struct('city', 'Ghent') AS seller FROM range(4)"
    )
    mapping = {"price": "data.price", "seller": "data.seller"}
    near = selector("near", "price >= 2 AND seller.city = 'Ghent'")
    pair = Subscription("pair", "opsl", "=|(ARITH: price = 0; 4s)(ARITH: price = 1)")
    found = match(frame, [near, pair], columns=mapping, keep=["price"], content="events").collect()
    assert sorted((row.subscription, row.events, row.price) for row in found) == [
        ("near", ["e2"], [2.0]),
        ("near", ["e3"], [3.0]),
        ("pair", ["e0", "e1"], [0.0, 1.0]),
    ]
    assert {row.members[0].type for row in found} == {"t"}
    wrong = spark.createDataFrame([("{",), (line(1, 1),), (line(1, 1),)], "value string")
    assert [row.code for row in dead_letters(wrong).collect()] == ["InvalidEventError"]
    assert match(wrong, [selector("all")]).count() == 1


def test_a_live_catalog(spark: SparkSession, tmp_path: Path) -> None:
    catalog = create_catalog(str(tmp_path / "catalog.db"))
    catalog.add(selector("cheap", "price < 10"))
    stream = Stream(spark, tmp_path, {"idle": "10s", "composites": False})
    stream.put([line(1, 1)])
    stream.run(catalog)
    catalog.add(selector("dear", "price > 20"))
    stream.put([line(2, 2), line(3, 3, 30)])
    stream.run(catalog)
    found = [(each.subscription, each.events) for each in stream.all_matches()]
    assert sorted(found) == [("cheap", ("e1",)), ("cheap", ("e2",)), ("dear", ("e3",))]


def test_a_file_with_line_numbers(spark: SparkSession, tmp_path: Path) -> None:
    del spark
    (tmp_path / "events.jsonl").write_text(f"{line(1, 1)}\n\n{{\n{line(2, 2)}\n")
    found, letters = run_match([FOLLOWS, selector("all")], str(tmp_path / "events.jsonl"))
    assert [each.events for each in found] == [("e1",), ("e2",), ("e1", "e2")]
    assert [each.line for each in letters] == [3]


@pytest.fixture
def by_subscription() -> bool:
    return support().has(Capability.METRICS_BY_SUBSCRIPTION)


def test_what_passes_through_is_counted(
    spark: SparkSession, tmp_path: Path, by_subscription: bool
) -> None:
    events = spark.createDataFrame([(line(1, 1),), (line(2, 2),), ("{",)], "value string")
    watch = Watch("finite", by_subscription=by_subscription)
    assert match(events, [FOLLOWS, selector("all")], metrics=watch).count() == 3
    counted = watch.get()
    assert (counted.events, counted.matches, counted.dead_letters) == (3, 3, 1)
    assert counted.by_subscription == ({"all": 2, "follows": 1} if by_subscription else {})
    assert sum(counted.by_shard) == 2
    stream = Stream(
        spark, tmp_path, {"metrics": Watch("live", by_subscription=by_subscription), "shards": 2}
    )
    stream.put([line(1, 1), line(2, 2), line(3, 90)])
    stream.run([FOLLOWS])
    assert stream.query is not None
    told = stream.settings["metrics"].of(stream.query.lastProgress)
    assert (told.events, told.matches, told.batch) == (3, 1, 0)
    assert told.state_rows > 0


def test_what_a_version_lacks_is_refused_by_name(spark: SparkSession) -> None:
    found = support(spark)
    assert pyspark.__version__.startswith("{}.{}".format(*found.spark))
    if not found.has(Capability.METRICS_BY_SUBSCRIPTION):
        events = spark.createDataFrame([(line(1, 1),)], "value string")
        with pytest.raises(UnsupportedProblem, match="by_subscription=False") as raised:
            match(events, [FOLLOWS], metrics="all")
        assert raised.value.code == "SparkVersionError"
