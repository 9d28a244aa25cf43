"""A server of a run is there for all who use it, and ends when the last of them is gone."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.servers import ROOT, folder_of_run, shared_server
from tests.waiting import PATIENCE, wait_until

USER = """
import sys
from pathlib import Path
from tests.servers import shared_server

with shared_server("example", Path(sys.argv[1])) as address:
    print(address, flush=True)
    sys.stdin.readline()
"""


def user(run: Path) -> subprocess.Popen[str]:
    """Another worker, which has the server until it is told to leave."""
    return subprocess.Popen(
        [sys.executable, "-c", USER, str(run)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def test_all_users_have_one_server_which_the_last_one_ends(tmp_path: Path) -> None:
    with shared_server("example", tmp_path) as first:
        with shared_server("example", tmp_path) as second:
            assert first == second
        assert Path(first).exists(), "one is still here"
    assert not Path(first).exists()
    with shared_server("example", tmp_path) as again:
        assert Path(again).exists(), "who comes later has a new one"


def test_a_server_ends_although_its_last_user_was_killed(tmp_path: Path) -> None:
    killed, leaving = user(tmp_path), user(tmp_path)
    assert killed.stdout is not None
    assert leaving.stdout is not None
    address = killed.stdout.readline().strip()
    assert leaving.stdout.readline().strip() == address
    leaving.communicate("leave\n", timeout=PATIENCE)
    assert Path(address).exists(), "the other is still here"
    killed.send_signal(signal.SIGKILL)
    killed.communicate(timeout=PATIENCE)
    wait_until(lambda: not Path(address).exists())


def test_workers_of_a_run_have_one_folder_in_common(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = tmp_path_factory.getbasetemp()
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    assert folder_of_run(tmp_path_factory) == base
    monkeypatch.setenv("PYTEST_XDIST_WORKER", "gw0")
    assert folder_of_run(tmp_path_factory) == base.parent


@pytest.mark.postgres
def test_databases_of_two_tests_are_apart(postgres: str, postgres_url: str) -> None:
    assert postgres_url.rpartition("/")[0] == postgres.rpartition("/")[0]
    assert postgres_url != postgres
