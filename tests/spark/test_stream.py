"""Streaming DataFrames: real running queries over files, one file per micro-batch; subscriptions
fixed and live.
"""

from __future__ import annotations

import random
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming import StreamingQuery  # type: ignore[attr-defined]

from tests.builders import event_text
from tests.spark.scenes import SUBSCRIPTIONS, expected, in_order, random_lines, selector
from tocsin.catalog import Catalog, Definition, Subscription, create_catalog
from tocsin.errors import Problem, UnsupportedProblem
from tocsin.events.matches.match import Match
from tocsin.spark import match, match_with_dead_letters
from tocsin.spark.output.batches import matches_in

Rung = tuple[str, str]


@dataclass
class Running:
    """A running query: files go in, what came out is kept by micro-batch."""

    inbox: Path
    query: StreamingQuery | None = None
    written: int = 0
    batches: list[list[dict[str, Any]]] = field(default_factory=list)
    matches: list[Match] = field(default_factory=list)

    def keep(self, frame: DataFrame, _: int) -> None:
        table = frame.toArrow()
        self.matches += matches_in(table)
        self.batches.append(table.to_pylist())

    def put(self, lines: Iterable[str]) -> None:
        """One file, whole at once: it is written beside the inbox and moved in."""
        self.written += 1
        beside = self.inbox.parent / f"{self.written}.txt"
        beside.write_text("".join(line + "\n" for line in lines))
        beside.rename(self.inbox / beside.name)

    def settle(self) -> None:
        assert self.query is not None
        self.query.processAllAvailable()

    def ring(self, *ids: str) -> list[Rung]:
        """What rings for these new events."""
        before = len(self.matches)
        self.put(line(id) for id in ids)
        self.settle()
        return sorted((each.subscription, each.events[0]) for each in self.matches[before:])

    def letters(self) -> list[dict[str, Any]]:
        return [
            row["dead_letter"]
            for rows in self.batches
            for row in rows
            if row["dead_letter"] is not None
        ]


def line(id: str, **data: Any) -> str:
    return event_text(id, data=data)


@pytest.fixture
def running(spark: SparkSession, tmp_path: Path) -> Iterator[Callable[..., Running]]:
    """Starts queries; stops them when the test ends."""
    started: list[Running] = []

    def start(subscriptions: Any, again: Running | None = None, **settings: Any) -> Running:
        scene = again or Running(tmp_path / f"inbox{len(started)}")
        scene.inbox.mkdir(exist_ok=True)
        lines = (
            spark.readStream.format("text").option("maxFilesPerTrigger", 1).load(str(scene.inbox))
        )
        writer = match_with_dead_letters(lines, subscriptions, **settings).writeStream.foreachBatch(
            scene.keep
        )
        checkpoint = scene.inbox.with_suffix(".checkpoint")
        scene.query = writer.option("checkpointLocation", str(checkpoint)).start()
        started.append(scene)
        return scene

    yield start
    for scene in started:
        assert scene.query is not None
        scene.query.stop()


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    return create_catalog(str(tmp_path / "catalog.db"))


def cut(chance: random.Random, lines: Sequence[str], most: int) -> Iterator[Sequence[str]]:
    """The lines in order, cut at random places into at most so many pieces."""
    places = sorted(chance.randrange(len(lines)) for _ in range(most - 1))
    for first, last in zip([0, *places], [*places, len(lines)], strict=True):
        yield lines[first:last]


@pytest.mark.parametrize("seed", [1, 2])
def test_a_stream_rings_as_the_reference_says_however_it_is_cut(
    running: Callable[..., Running], seed: int
) -> None:
    lines = random_lines(seed, count=120)
    scene = running(SUBSCRIPTIONS)
    for piece in cut(random.Random(seed), lines, most=4):
        scene.put(piece)
    scene.settle()
    assert in_order(scene.matches) == expected(lines)


def test_a_subscription_rings_from_when_it_is_added_until_it_is_removed(
    running: Callable[..., Running], catalog: Catalog
) -> None:
    catalog.add(selector("always"))
    scene = running(catalog)
    assert scene.ring("e1", "e2") == [("always", "e1"), ("always", "e2")]
    catalog.add(selector("new", "ce_id = 'e3' OR ce_id = 'e4'"))
    assert scene.ring("e3") == [("always", "e3"), ("new", "e3")]
    catalog.remove("new")
    assert scene.ring("e4") == [("always", "e4")]
    catalog.remove("always")
    catalog.add(selector("always", "ce_id = 'e6'"))
    assert scene.ring("e5", "e6") == [("always", "e6")]
    assert scene.query is not None
    assert scene.query.isActive, "it was one query all the time"


def test_all_rows_of_a_micro_batch_see_one_version(
    spark: SparkSession, running: Callable[..., Running], catalog: Catalog
) -> None:
    """Subscriptions that ring for everything come and go all the time: each event shows the version
    that it met.
    """
    spark.conf.set("spark.sql.files.openCostInBytes", "1")
    spark.conf.set("spark.sql.files.maxPartitionBytes", "20000")
    catalog.add(selector("v0"))
    enough = threading.Event()

    def change() -> None:
        number = 0
        while not enough.wait(0.01):
            number += 1
            catalog.add(selector(f"v{number}"))
            catalog.remove(f"v{number - 1}")

    changer = threading.Thread(target=change)
    changer.start()
    try:
        scene = running(catalog)
        for number in range(4):
            scene.put(line(f"{number}-{each}", pad="x" * 80) for each in range(500))
        scene.settle()
    finally:
        enough.set()
        changer.join()
        spark.conf.unset("spark.sql.files.openCostInBytes")
        spark.conf.unset("spark.sql.files.maxPartitionBytes")
    seen = []
    for rows in scene.batches:
        by_event = defaultdict(set)
        for row in rows:
            by_event[row["match"]["events"][0]].add(row["match"]["subscription"])
        assert len(by_event) in {0, 500}
        versions = set(map(frozenset, by_event.values()))
        assert len(versions) <= 1
        seen += versions
    assert len(set(seen)) > 1, "the catalog did change between micro-batches"


def test_nothing_malformed_stops_the_stream(
    running: Callable[..., Running], catalog: Catalog
) -> None:
    catalog.add(selector("good"), selector("wrong", "price >"))
    scene = running(str(catalog.url))
    scene.put([line("e1"), "{", line("e2")])
    scene.settle()
    scene.put(["[]", line("e3")])
    scene.settle()
    assert sorted(each.events[0] for each in scene.matches) == ["e1", "e2", "e3"]
    rows = [letter["input"] for letter in scene.letters() if letter["subscription"] is None]
    assert sorted(rows) == ["[]", "{"]
    told = [letter for letter in scene.letters() if letter["subscription"] is not None]
    assert {(letter["subscription"], letter["code"]) for letter in told} == {
        ("wrong", "SelectorSyntaxError")
    }
    assert told[0]["place"].startswith("line 1, column ")


def test_a_stream_remembers_identities_for_the_time_it_is_told(
    running: Callable[..., Running],
) -> None:
    scene = running([selector("all")], deduplicate="10 minutes")
    assert scene.ring("e1", "e2") == [("all", "e1"), ("all", "e2")]
    assert scene.ring("e2", "e3") == [("all", "e3")]
    scene.put(["{", "{"])
    scene.settle()
    assert len(scene.letters()) == 2, "dead letters are not taken for repeats"
    assert scene.query is not None
    scene.query.stop()
    running([selector("all")], again=scene, deduplicate="10 minutes")
    assert scene.ring("e3", "e4") == [("all", "e4")], (
        "a query that was stopped and started again remembers"
    )


def test_a_stream_without_that_time_rings_again_with_the_same_id(
    running: Callable[..., Running],
) -> None:
    scene = running([selector("all")])
    assert scene.ring("e1") == scene.ring("e1") == [("all", "e1")]
    assert len({each.id for each in scene.matches}) == 1


def test_a_stream_cannot_remember_for_ever(spark: SparkSession) -> None:
    stream = spark.readStream.format("rate").load().selectExpr("CAST(value AS STRING) AS value")
    with pytest.raises(UnsupportedProblem, match="for ever"):
        match(stream, [], deduplicate=True)
    with pytest.raises(Problem, match="duration"):
        match(stream, [], deduplicate="long")


def test_a_replaced_definition_reaches_a_running_query(
    running: Callable[..., Running], catalog: Catalog
) -> None:
    def kinds(text: str) -> Definition:
        return Definition("kinds", ontology=text, media_type="text/x-tbox")

    catalog.add(
        kinds("wanted := order;"), Subscription("mine", "concept", "wanted"), selector("always")
    )
    scene = running(catalog)
    assert scene.ring("e1") == [("always", "e1")]
    catalog.replace(kinds("wanted := order or t;"))
    assert scene.ring("e2") == [("always", "e2"), ("mine", "e2")]
    catalog.replace(kinds("other := order;"))
    assert scene.ring("e3") == [("always", "e3")]
    catalog.replace(kinds("wanted := t;"))
    assert scene.ring("e4") == [("always", "e4"), ("mine", "e4")]
    scene.settle()
    told = {(letter["code"], letter["token"], letter["subscription"]) for letter in scene.letters()}
    assert told == {("UNKNOWN_NAME", "wanted", "mine"), ("EventWarning", "t", None)}


def test_atoms_need_no_shuffle(
    spark: SparkSession, catalog: Catalog, capsys: pytest.CaptureFixture[str]
) -> None:
    frame = spark.createDataFrame([(line("e1"),)], "value string")
    match(frame, catalog, deduplicate=False).explain()
    plan = capsys.readouterr().out
    assert "MapInArrow" in plan
    assert "BroadcastExchange" in plan
    assert "Exchange hashpartitioning" not in plan
    assert "Exchange SinglePartition" not in plan
