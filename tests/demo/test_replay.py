"""The replay beside a stream that is slow, fast, stopped or broken: every slice meets the
subscriptions of its hour.
"""

from __future__ import annotations

import json
import re
from io import StringIO
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import Any

import pytest
from rich.console import Console
from tocsin_demo.board import Board
from tocsin_demo.keeping import DEAD_LETTERS, MATCHES, keeper_in
from tocsin_demo.purchases import SETTLED, Fate
from tocsin_demo.query import files_read
from tocsin_demo.replay import Found, Replay
from tocsin_demo.screen import subscription_table
from tocsin_demo.slices import Slice, prepare
from tocsin_demo.story import Story
from tocsin_demo.subscriptions import COMBINING, definitions, during_the_day, from_the_start

from tests.demo.counting import elements_of, expected_of, settlement_of, told_in
from tocsin import Hub
from tocsin.catalog import Catalog, create_catalog
from tocsin.errors import Problem, StateProblem
from tocsin.events.dead_letter import DeadLetter
from tocsin.events.matches.match import Match

DAY = Story(1_200, seed=11)
COMBINED = {
    "truck-leaves": r"truck-\d+ leaves the warehouse",
    "truck-arrives": r"truck-\d+ is at the customer, in time",
    "truck-missing": r"truck-\d+ left at \d\d:\d\d and has not arrived",
    "truck-unloads": r"truck-\d+ unloads at the customer since \d\d:\d\d",
    "cold-room-warm": r"the cold room of \w+ gets warm: [\d.]+ C",
    "falls-out-of-convoy": r"convoy \d+: its trucks are over 2 km apart",
    "unpacked-before-shipped": r"pallet-\d+ was unpacked before it was shipped",
    "not-packed-within-an-hour": r"pallet-\d+ is shipped over an hour after packing",
    "packing-idle": "no pallet was packed from 22:00 to 23:00",
    "settlement": r"O-\d+ of [\w. ]+: \d+\.00 to pay",
}
"""What is said of each combination when it has rung."""

FOR_EVER = float("inf")


class FakeStream:
    """Takes file after file from the inbox, like the Spark query, and matches with the catalog as
    it is then.

    With `pauses`, before every file there is a micro-batch without input, in which matches may
    come, too.
    """

    def __init__(self, replay: Replay, catalog: Catalog, inbox: Path, pauses: bool) -> None:
        self._replay = replay
        self._hub = Hub(catalog=catalog, lateness="2m")
        self._inbox = inbox
        self._pauses = pauses
        self._batch = 0
        self._ended = Event()
        self._thread = Thread(target=self._run)

    def __enter__(self) -> FakeStream:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def failure(self) -> str | None:
        """Why it has ended by itself; without it a broken engine would leave the replay waiting for
        ever.
        """
        return None if self._thread.is_alive() else "the thread of the stream has ended"

    def _run(self) -> None:
        read = 0
        while not self._ended.wait(0.001):
            path = self._inbox / f"{read:03d}.jsonl"
            if path.exists():
                read += 1
                self._take(path, read)

    def _take(self, path: Path, read: int) -> None:
        self._hub.refresh()
        self._hub.dead_letters.clear()
        matches = self._hub.publish(*path.read_text().splitlines())
        if self._pauses:
            early = matches if read > 1 else []
            self._tell(read - 1, early, [])
            matches = matches[len(early) :]
        self._tell(read, matches, list(self._hub.dead_letters))

    def _tell(self, read: int, matches: list[Match], letters: list[DeadLetter]) -> None:
        self._replay.receive(Found(self._batch, read, matches, letters))
        self._batch += 1


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    catalog = create_catalog(str(tmp_path / "catalog.db"))
    catalog.add(*definitions(), *from_the_start())
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


@pytest.mark.parametrize("pauses", [False, True])
def test_a_replayed_day_rings_what_the_reference_counts(
    tmp_path: Path, catalog: Catalog, inbox: Path, slices: list[Slice], pauses: bool
) -> None:
    board, expected = a_board(), expected_of(DAY)
    with keeper_in(tmp_path / "kept") as keeper:
        replay = Replay(board, catalog, inbox, keeper)
        with FakeStream(replay, catalog, inbox, pauses) as stream:
            replay.play(slices, during_the_day(), stream.failure, FOR_EVER)
    assert (board.events, board.malformed, board.late) == (
        expected.events,
        expected.malformed,
        expected.late,
    )
    assert {id_: row.rings for id_, row in board.rows.items() if row.rings} == dict(
        expected.rings()
    )
    assert board.version == catalog.version() == 1 + len(board.news)
    kept = [json.loads(line) for line in (tmp_path / "kept" / MATCHES).read_text().splitlines()]
    assert len(kept) == expected.rung
    assert told_in(kept) == expected.told
    _check_what_matches_tell(kept)
    assert board.document in {output for each in kept for output in each["outputs"]}
    assert len((tmp_path / "kept" / DEAD_LETTERS).read_text().splitlines()) == board.dead_letters


def _check_what_matches_tell(kept: list[dict[str, Any]]) -> None:
    """The selected values of offers, and the documents that were built of purchases."""
    values = {(each["subscription"], *each["events"], *each["bindings"].values()) for each in kept}
    assert {each for offer in DAY.offers() for each in offer.truth()} <= values
    built = {
        each["events"][-1]: each["outputs"] for each in kept if each["subscription"] == SETTLED
    }
    for purchase in DAY.purchases():
        if purchase.fate is Fate.COMPLETE:
            (document,) = built[f"{purchase.name}-invoice"]
            assert elements_of(document) == settlement_of(purchase)


def test_nothing_is_released_when_the_time_is_over(
    catalog: Catalog, inbox: Path, slices: list[Slice]
) -> None:
    board = a_board()
    with keeper_in(None) as keeper:
        Replay(board, catalog, inbox, keeper).play(
            slices, during_the_day(), lambda: None, monotonic()
        )
    assert list(inbox.iterdir()) == []
    assert board.lines == 0


def test_a_broken_stream_ends_the_replay_with_its_reason(
    catalog: Catalog, inbox: Path, slices: list[Slice]
) -> None:
    with keeper_in(None) as keeper, pytest.raises(StateProblem, match="the disk is full"):
        Replay(a_board(), catalog, inbox, keeper).play(
            slices, (), lambda: "the disk is full", FOR_EVER
        )


def test_a_folder_that_cannot_be_written_is_a_problem(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.write_text("a file")
    with pytest.raises(Problem, match="cannot write into"), keeper_in(taken):
        pass


def test_a_bell_that_rang_later_says_when(
    catalog: Catalog, inbox: Path, slices: list[Slice]
) -> None:
    board = a_board()
    with keeper_in(None) as keeper:
        replay = Replay(board, catalog, inbox, keeper)
        with FakeStream(replay, catalog, inbox, pauses=False) as stream:
            replay.play(slices, during_the_day(), stream.failure, FOR_EVER)
    words = r"(\d\d):(\d\d) truck-\d+ left at (\d\d):(\d\d) and has not arrived"
    said = re.fullmatch(words, board.rows["truck-missing"].last)
    assert said
    later_hour, later_minute, hour, minute = map(int, said.groups())
    assert (later_hour - hour, later_minute - minute) == (2, 0)


def test_rings_are_told_with_what_is_known_of_them(
    catalog: Catalog, inbox: Path, slices: list[Slice]
) -> None:
    board = a_board()
    with keeper_in(None) as keeper:
        replay = Replay(board, catalog, inbox, keeper)
        with FakeStream(replay, catalog, inbox, pauses=False) as stream:
            replay.play(slices, during_the_day(), stream.failure, FOR_EVER)
    last = {id_: row.last for id_, row in board.rows.items()}
    assert re.fullmatch(
        r"\d\d:\d\d \w+ of [\w ]+, \d+( dollar)?, value = \d+", last["cheap-computer"]
    )
    for id_, words in COMBINED.items():
        assert re.fullmatch(rf"\d\d:\d\d {words}", last[id_]), last[id_]
    assert set(COMBINED) == COMBINING
    assert last["packing-idle"].startswith("23:00 ")
    out = StringIO()
    Console(file=out, width=100, color_system=None).print(
        subscription_table(board.rows_in_order(), 100, None)
    )
    assert all(last[id_] in out.getvalue() for id_ in COMBINED), (
        "it is whole in a window of 100 columns"
    )


def test_the_checkpoint_tells_how_many_files_were_read(tmp_path: Path) -> None:
    (tmp_path / "offsets").mkdir()
    (tmp_path / "offsets" / "7").write_text('v1\n{"batchWatermarkMs":0}\n{"logOffset":4}')
    assert files_read(tmp_path, 7) == 5
    with pytest.raises(Problem, match="does not say what was read"):
        files_read(tmp_path, 8)
