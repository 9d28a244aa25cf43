"""Shards in the memory of workers: whichever worker gets the next step, the one that has the shard
takes it, and what rings is what would ring if one worker did all.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.spark.shard.fake import FakeHost
from tests.spark.shard.scenes import NAMES, line
from tocsin.catalog import Subscription
from tocsin.runtime.watermark import ClockSettings
from tocsin.spark.plans.sources import FixedList
from tocsin.spark.shard import state_store
from tocsin.spark.shard.state_store import ShardCache, ShardHost, ShardStore, ask_shard_host

SUBSCRIPTIONS = [
    *NAMES,
    Subscription("then", "opsl", "=|(A; 5s)B"),
    Subscription("silence", "opsl", "!(A; 4s)B"),
    Subscription("atom", "selector", "kind = 'b'"),
]
SOURCE = FixedList.of(SUBSCRIPTIONS)


class Workers:
    """Workers of one machine, of which any may get the next micro-batch; counts what is read from
    the store.
    """

    def __init__(self, folder: Path | None, count: int) -> None:
        self.caches = [ShardCache(folder=folder) for _ in range(count)]
        self.host = FakeHost(SOURCE, 2, ClockSettings(2_000_000))

    def batch(self, worker: int, lines: list[str]) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(ShardStore.__init__, "__defaults__", (self.caches[worker],))
            self.host.batch(lines)


@contextmanager
def counted_rebuilding() -> Iterator[list[int]]:
    rebuilt = ShardStore._rebuilt
    found: list[int] = []
    with pytest.MonkeyPatch.context() as patch:

        def counting(
            keeper: ShardStore,
            setting: state_store.ShardConfig,  # type: ignore[name-defined]
            head: state_store.Head,  # type: ignore[name-defined]
        ) -> object:
            found.append(setting.number)
            return rebuilt(keeper, setting, head)

        patch.setattr(ShardStore, "_rebuilt", counting)
        yield found


@st.composite
def micro_batches(draw: st.DrawFn) -> list[list[str]]:
    """Events in any order, some late, some twice, cut anywhere; the last one moves the clock."""
    events = draw(
        st.lists(st.tuples(st.sampled_from("abz"), st.integers(0, 40)), min_size=1, max_size=14)
    )
    lines = [line(f"{kind}{at}", kind, at / 2) for kind, at in events]
    cuts = sorted(draw(st.lists(st.integers(0, len(lines)), max_size=5)))
    bounds = zip([0, *cuts], [*cuts, len(lines)], strict=True)
    return [*(lines[begin:end] for begin, end in bounds if begin < end), [line("end", "z", 99)]]


@given(batches=micro_batches(), data=st.data())
def test_any_worker_may_get_the_next_step(batches: list[list[str]], data: st.DataObject) -> None:
    alone = Workers(None, 1)
    with TemporaryDirectory() as folder, counted_rebuilding() as rebuilt:
        several = Workers(Path(folder), 3)
        lost = False
        for batch in batches:
            alone.batch(0, batch)
            several.batch(data.draw(st.integers(0, 2)), batch)
            if data.draw(st.integers(0, 4)) == 0:  # a process that ends leaves its notes behind
                several.caches[data.draw(st.integers(0, 2))]._by_token.clear()
                lost = True
        assert several.host.matches == alone.host.matches
        assert several.host.letters == alone.host.letters
        assert lost or not rebuilt


def test_a_shard_that_waits_for_another_again_and_again_moves(tmp_path: Path) -> None:
    """Two shards that came to one process would share one core for ever."""
    workers = Workers(tmp_path, 2)
    home = workers.caches[0]
    workers.batch(0, [line("a0", "a", 0)])
    with counted_rebuilding() as rebuilt:
        for number in range(1, 100):
            with home._working:  # as if another shard took its step
                asking = Thread(target=workers.batch, args=(1, [line(f"z{number}", "z", number)]))
                asking.start()
                asking.join(0.1)
            asking.join()
            if rebuilt:
                break
    assert number > state_store.PATIENCE
    assert len(home._by_token) < 2
    assert workers.caches[1]._by_token


def test_the_home_of_a_process_that_is_no_more_does_not_answer(tmp_path: Path) -> None:
    script = (
        "import pathlib, sys\n"
        "from tocsin.spark.shard.state_store import ShardHost\n"
        "home = ShardHost(pathlib.Path(sys.argv[1]), lambda question: question * 2)\n"
        "home.publish_endpoint(b'state')\n"
        "print('noted', flush=True)\n"
        "sys.stdin.read()\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=dict(os.environ),
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stdout.readline() == b"noted\n"
    assert ask_shard_host(tmp_path, b"state", b"x" * 1_000_000) == b"x" * 2_000_000
    assert ask_shard_host(tmp_path, b"other", b"x") is None
    process.kill()
    process.wait()
    assert ask_shard_host(tmp_path, b"state", b"x") is None
    process.stdin.close()
    process.stdout.close()


def test_only_who_knows_the_secret_is_served_and_a_fault_is_no_answer(tmp_path: Path) -> None:
    asked: list[object] = []

    def serve(question: object) -> object:
        asked.append(question)
        raise ZeroDivisionError

    home = ShardHost(tmp_path, serve)
    home.publish_endpoint(b"state")
    (note,) = tmp_path.iterdir()
    assert note.stat().st_mode & 0o077 == 0
    assert ask_shard_host(tmp_path, b"state", "first") is None
    said = note.read_text()
    note.write_text(said.replace(said[-6:-2], "0000"))
    assert ask_shard_host(tmp_path, b"state", "second") is None
    note.write_text("{")
    assert ask_shard_host(tmp_path, b"state", "third") is None
    assert asked == ["first"]
    home.forget(b"state")
    assert list(tmp_path.iterdir()) == []
