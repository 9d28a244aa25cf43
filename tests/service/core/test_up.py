"""`tocsin up` and `tocsin keys` as a user calls them."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.service.core.asking import event
from tests.service.core.process import running
from tests.waiting import PATIENCE, wait_until
from tocsin.cli.main import app
from tocsin.errors import Problem
from tocsin.service.operations.components import open_service
from tocsin.service.settings.settings import load_settings

CHEAP = {"language": "selector", "expression": "price < 400"}
BATCH = {"content-type": "application/cloudevents-batch+json"}
LONGEST = 60.0
"""Seconds to the first event; the aim is 10 on an idle machine, and a benchmark says how long."""


def test_from_the_command_to_the_first_match_and_on_after_a_stop(tmp_path: Path) -> None:
    begun = time.monotonic()
    with running(tmp_path / "data", "--engine", "local", "--no-auth") as server:
        assert server.http.put("/v1/subscriptions/cheap", json=CHEAP).status_code == 201
        server.http.post("/v1/events", json=[event("1", price=1)], headers=BATCH)
        (match,) = wait_until(lambda: server.http.get("/v1/matches").json()["matches"])
        assert match["events"] == ["1"]
        assert time.monotonic() - begun < LONGEST
        with server.http.stream("GET", "/v1/matches/stream") as stream:
            next(stream.iter_lines())
            said = server.stop(signal.SIGINT)
        assert "stopped; everything is kept" in said
        assert server.process.returncode == 0
    with running(tmp_path / "data", "--engine", "local", "--no-auth") as server:
        server.http.post(
            "/v1/events", json=[event("1", price=1), event("2", price=1)], headers=BATCH
        )
        found = wait_until(lambda: _two(server.http.get("/v1/matches").json()["matches"]))
        assert [match["events"] for match in found] == [["1"], ["2"]]
        server.stop()
        assert server.process.returncode == 0


@pytest.mark.parametrize("pause", [0.02, 0.1])
def test_who_presses_ctrl_c_again_and_again_reads_no_traceback(
    tmp_path: Path, pause: float
) -> None:
    with running(tmp_path / "data", "--engine", "local", "--no-auth") as server:
        server.http.post("/v1/events", json=[event("1", price=1)], headers=BATCH)
        while server.process.poll() is None:
            server.process.send_signal(signal.SIGINT)
            time.sleep(pause)
        assert server.process.stdout is not None
        said = server.process.stdout.read()
    assert "Traceback" not in said, said
    assert "Error" not in said, said


def test_what_fails_to_stop_keeps_nothing_else_from_stopping(tmp_path: Path) -> None:
    class Broken:
        def start(self) -> None:
            """Nothing to begin."""

        def stop(self) -> None:
            raise RuntimeError("it does not end")

    before = set(threading.enumerate())
    settings = load_settings(data=tmp_path / "data", auth=False)
    service = open_service(settings)
    service.parts.append(Broken())
    service.start()
    with pytest.raises(RuntimeError, match="it does not end"):
        service.stop()
    open_service(settings).stop()  # the folder is free, and what was there is closed
    left = set(threading.enumerate()) - before
    assert not [each.name for each in left if each.name.startswith("tocsin-")]


def _two(found: list[dict[str, object]]) -> list[dict[str, object]] | None:
    return found if len(found) > 1 else None


def test_two_services_do_not_share_a_folder_or_a_port(tmp_path: Path) -> None:
    with running(tmp_path / "data", "--engine", "local", "--no-auth") as server:
        port = server.url.rpartition(":")[2]
        same = _up("--data", str(tmp_path / "data"), "--port", "0")
        assert same.returncode == 1
        assert "DataFolderError" in same.stderr
        taken = _up("--data", str(tmp_path / "other"), "--port", port)
        assert taken.returncode == 1
        assert "PortError" in taken.stderr
        assert "Traceback" not in same.stderr + taken.stderr


def _up(*options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tocsin", "up", "--engine", "local", *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)


def test_check_tells_what_is_wrong_with_the_settings(tmp_path: Path) -> None:
    good = tmp_path / "good.toml"
    good.write_text(
        'port = 9000\nlateness = "5s"\n[limits]\nrate = 100\n[retention]\nevents = "2d"\n'
    )
    assert _check(good).stdout == "the settings are good\n"
    for text, told in (
        ("prot = 1", "prot"),
        ("port = 'x'", "port"),
        ("lateness = 'soon'", "lateness"),
        ("[limits]\nrate = -1", "limits.rate"),
        ("[retention]\nevents = 'ever'", "retention.events"),
        ("port = ", "cannot be read"),
        ("ontology = ['nowhere.ttl']", "nowhere.ttl"),
    ):
        wrong = tmp_path / "wrong.toml"
        wrong.write_text(text)
        failed = _check(wrong)
        assert isinstance(failed.exception, Problem), text
        assert told in str(failed.exception)


def _check(file: Path):  # type: ignore[no-untyped-def]
    return CliRunner().invoke(app, ["up", "--check", "--config", str(file)])


def test_the_environment_sets_too_and_the_command_line_goes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOCSIN_LATENESS", "soon")
    failed = _check(_written(tmp_path, 'lateness = "1s"'))
    assert "lateness" in str(failed.exception)
    monkeypatch.setenv("TOCSIN_LATENESS", "3s")
    monkeypatch.setenv("TOCSIN_LIMITS__RATE", "7")
    assert _check(_written(tmp_path, "")).exit_code == 0


def _written(folder: Path, text: str) -> Path:
    file = folder / "settings.toml"
    file.write_text(text)
    return file


def test_keys_are_made_listed_and_revoked(tmp_path: Path) -> None:
    runner, data = CliRunner(), ["--data", str(tmp_path / "data")]
    made = runner.invoke(
        app, ["keys", "create", "--scope", "publish,subscribe", "--tenant", "acme", *data]
    )
    key = made.stdout.strip()
    assert key.startswith("tocsin_")
    id = key.split("_")[1]
    listed = runner.invoke(app, ["keys", "list", *data]).stdout
    assert listed.startswith(f"{id} acme publish,subscribe made ")
    assert key not in listed
    assert runner.invoke(app, ["keys", "revoke", id, *data]).exit_code == 0
    assert "revoked" in runner.invoke(app, ["keys", "list", *data]).stdout
    assert "UnknownKeyError" in str(
        runner.invoke(app, ["keys", "revoke", "nobody", *data]).exception
    )
    assert "ScopeError" in str(
        runner.invoke(app, ["keys", "create", "--scope", "all", *data]).exception
    )


def test_a_key_made_while_the_service_runs_is_good_at_once(tmp_path: Path) -> None:
    with running(tmp_path / "data", "--engine", "local") as server:
        assert server.http.get("/v1/matches").status_code == 401
        runner = CliRunner()
        made = runner.invoke(
            app, ["keys", "create", "--scope", "admin", "--data", str(tmp_path / "data")]
        )
        headers = {"Authorization": f"Bearer {made.stdout.strip()}"}
        assert server.http.get("/v1/matches", headers=headers).status_code == 200
