"""The replay beside a stream that is slow, fast, stopped or broken: every slice meets the subscriptions of its hour."""

from __future__ import annotations

from pathlib import Path
from threading import Event, Thread
from time import monotonic

import pytest

from tests.demo.counting import expected_of
from tocsin.catalog import Catalog, compile_subscription, open_catalog
from tocsin.cli.demo.board import Board
from tocsin.cli.demo.keeping import DEAD_LETTERS, MATCHES, keeper_in
from tocsin.cli.demo.replay import Found, Replay
from tocsin.cli.demo.slices import Slice, prepare
from tocsin.cli.demo.story import Story
from tocsin.cli.demo.subscriptions import during_the_day, from_the_start
from tocsin.errors import Problem, StateProblem
from tocsin.events.codecs.cloudevents import decode
from tocsin.events.dead_letter import DeadLetter, malformed
from tocsin.events.event import Event as Happened
from tocsin.events.match import Match
from tocsin.reference import matches

DAY = Story(600, seed=11)
FOR_EVER = float("inf")


class FakeStream:
    """Takes file after file from the inbox, like the Spark query, and matches with the catalog as it is then."""

    def __init__(self, replay: Replay, catalog: Catalog, inbox: Path) -> None:
        self._replay = replay
        self._catalog = catalog
        self._inbox = inbox
        self._ended = Event()
        self._thread = Thread(target=self._run)

    def __enter__(self) -> FakeStream:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        batch = 0
        while not self._ended.wait(0.001):
            path = self._inbox / f"{batch:03d}.jsonl"
            if path.exists():
                self._replay.receive(self._found(batch, path))
                batch += 1

    def _found(self, batch: int, path: Path) -> Found:
        events: list[Happened] = []
        letters: list[DeadLetter] = []
        for line in path.read_text().splitlines():
            try:
                events.append(decode(line))
            except Problem as problem:
                letters.append(malformed(problem, line))
        found: list[Match] = []
        for each in self._catalog.snapshot().subscriptions:
            found += matches(each.id, compile_subscription(each), events)
        return Found(batch, found, letters)


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    catalog = open_catalog(str(tmp_path / "catalog.db"))
    catalog.add(*from_the_start())
    return catalog


@pytest.fixture
def inbox(tmp_path: Path) -> Path:
    inbox = tmp_path / "inbox"
    inbox.mkdir()
    return inbox


@pytest.fixture
def slices(tmp_path: Path) -> list[Slice]:
    staging = tmp_path / "staging"
    staging.mkdir()
    return prepare(DAY, staging, Event())


def a_board() -> Board:
    board = Board()
    board.started(from_the_start(), version=1)
    return board


def test_a_replayed_day_rings_what_the_reference_counts(
    tmp_path: Path, catalog: Catalog, inbox: Path, slices: list[Slice]
) -> None:
    board, expected = a_board(), expected_of(DAY)
    with keeper_in(tmp_path / "kept") as keeper:
        replay = Replay(board, catalog, inbox, keeper)
        with FakeStream(replay, catalog, inbox):
            replay.play(slices, during_the_day(), lambda: None, FOR_EVER)
    assert (board.events, board.malformed, board.late) == (expected.events, expected.malformed, expected.late)
    assert {id_: row.rings for id_, row in board.rows.items() if row.rings} == dict(expected.rings())
    assert board.version == catalog.version() == 1 + len(board.news)
    assert len((tmp_path / "kept" / MATCHES).read_text().splitlines()) == len(expected.matches)
    assert len((tmp_path / "kept" / DEAD_LETTERS).read_text().splitlines()) == board.dead_letters


def test_nothing_is_released_when_the_time_is_over(catalog: Catalog, inbox: Path, slices: list[Slice]) -> None:
    board = a_board()
    with keeper_in(None) as keeper:
        Replay(board, catalog, inbox, keeper).play(slices, during_the_day(), lambda: None, monotonic())
    assert list(inbox.iterdir()) == []
    assert board.lines == 0


def test_a_broken_stream_ends_the_replay_with_its_reason(catalog: Catalog, inbox: Path, slices: list[Slice]) -> None:
    with keeper_in(None) as keeper, pytest.raises(StateProblem, match="the disk is full"):
        Replay(a_board(), catalog, inbox, keeper).play(slices, (), lambda: "the disk is full", FOR_EVER)


def test_a_folder_that_cannot_be_written_is_a_problem(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.write_text("a file")
    with pytest.raises(Problem, match="cannot write into"), keeper_in(taken):
        pass
