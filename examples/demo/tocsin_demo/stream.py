"""The demo from beginning to end: a day is made up while Spark starts, played to the query, and
cleared away.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event
from time import monotonic

from tocsin.catalog import create_catalog
from tocsin_demo.board import Board
from tocsin_demo.keeping import keeper_in
from tocsin_demo.query import load_spark, running_query, spark_session
from tocsin_demo.replay import Replay
from tocsin_demo.slices import prepare
from tocsin_demo.story import Story
from tocsin_demo.subscriptions import definitions, during_the_day, from_the_start


@dataclass(frozen=True, slots=True)
class Settings:
    """Which day, for how many seconds at most from now on, and where to keep what rang."""

    story: Story
    seconds: float
    output: Path | None


def run(settings: Settings, board: Board) -> None:
    """Runs the demo; the board shows how it goes. Leaves no process and no temporary file
    behind.
    """
    until = monotonic() + settings.seconds
    board.doing("loading PySpark")
    spark = load_spark()
    with TemporaryDirectory(prefix="tocsin-demo-") as name, keeper_in(settings.output) as keeper:
        staging, inbox, checkpoint = (
            Path(name) / each for each in ("staging", "inbox", "checkpoint")
        )
        staging.mkdir()
        inbox.mkdir()
        board.doing(
            f"checking {len(from_the_start())} subscriptions and putting them into a catalog"
        )
        catalog = create_catalog(str(Path(name) / "catalog.db"))
        board.started(from_the_start(), catalog.add(*definitions(), *from_the_start()))
        replay = Replay(board, catalog, inbox, keeper)
        with _background() as (pool, given_up):
            slices = pool.submit(prepare, settings.story, staging, given_up)
            board.doing(
                "starting Spark: a Java process, some ten seconds; meanwhile the day is made up"
            )
            with spark_session(spark) as session:
                board.doing("making up the rest of the day")
                day = slices.result()
                board.doing(
                    "starting the query: the first micro-batch waits until Python workers are there"
                )
                with running_query(
                    spark, session, catalog, (inbox, checkpoint), replay.receive
                ) as failure:
                    replay.play(day, during_the_day(), failure, until)


@contextmanager
def _background() -> Iterator[tuple[Executor, Event]]:
    """One thread beside ours, and the event that tells it to give up, set when the block ends for
    whatever reason.
    """
    given_up = Event()
    with ThreadPoolExecutor(1) as pool:
        try:
            yield pool, given_up
        finally:
            given_up.set()
