"""The commands of the client as a user meets them, with a real service."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest

from tests.builders import event_text
from tests.service.delivery.office import QUICK
from tests.service.delivery.receiver import receiving
from tests.service.serving import Served, served
from tests.waiting import PATIENCE, wait_until
from tocsin.cli.main import run
from tocsin.client import Client

Done = subprocess.CompletedProcess[str]

HEEDS_CTRL_C = """
import signal
from tocsin.cli.main import run
signal.signal(signal.SIGINT, signal.default_int_handler)
run()
"""
"""The command line, also below a background job of a shell: it ignores Ctrl-C, and so do its children."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("data"), delivery=QUICK) as found:
        yield found


def tocsin(server: Served, *words: object, input: str = "") -> Done:
    """The command in this process: a new one takes seconds to load everything."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    given = io.TextIOWrapper(io.BytesIO(input.encode()))
    argv = ["tocsin", *map(str, words)]
    status = 0
    with (
        mock.patch.dict(os.environ, {"TOCSIN_SERVER": server.url}),
        mock.patch.multiple(sys, argv=argv, stdin=given, stdout=out, stderr=err),
    ):
        try:
            run()
        except SystemExit as end:
            status = int(end.code or 0)
    out_text, err_text = (each.buffer.getvalue().decode() for each in (out, err))  # type: ignore[attr-defined]
    return Done(argv, status, out_text, err_text)


def event(number: int, **data: object) -> str:
    return event_text(number, "offer", number % 60, source="shop", data=data)


def ids(output: str) -> list[str]:
    return [json.loads(line)["events"][0] for line in output.splitlines()]


def test_subscribe_publish_and_tail(server: Served, tmp_path: Path) -> None:
    (tmp_path / "subscriptions.jsonl").write_text(
        '{"define": "cheap", "language": "selector", "expression": "price < 400"}\n'
        '{"id": "a", "language": "selector", "expression": "price < 400"}\n'
        '{"id": "b", "language": "selector", "expression": "price > 400"}\n'
    )
    (tmp_path / "events.jsonl").write_text(f"{event(1, price=3)}\n{event(2, price=500)}\n")
    (tmp_path / "more.csv").write_text(
        "id,source,type,time,price\n3,shop,offer,2026-01-01T00:00:09Z,5\n"
    )
    done = tocsin(server, "subscribe", tmp_path / "subscriptions.jsonl")
    assert (done.returncode, done.stdout) == (0, "3 of 3 put\n"), done.stderr
    done = tocsin(server, "publish", tmp_path / "events.jsonl", tmp_path / "more.csv")
    assert (done.returncode, done.stdout) == (0, "3 event(s) accepted\n"), done.stderr
    done = tocsin(server, "tail", "--after", 0, "--subscription", "a", "--count", 2)
    assert (done.returncode, ids(done.stdout)) == (0, ["1", "3"]), done.stderr
    position = done.stderr.split()[-1]
    done = tocsin(server, "tail", "--after", position, "--subscription", "a", "--no-follow")
    assert (done.returncode, done.stdout) == (0, "")


def test_what_is_not_accepted_is_told_with_its_place(server: Served, tmp_path: Path) -> None:
    lines = [event(11), "{broken", event(12), '{"id": "13"}']
    (tmp_path / "events.jsonl").write_text("\n".join(lines) + "\n")
    done = tocsin(server, "publish", tmp_path / "events.jsonl", "--at-once", 1)
    assert (done.returncode, done.stdout) == (0, "2 event(s) accepted\n")
    assert "not accepted, line 2:" in done.stderr
    assert "not accepted, line 4:" in done.stderr


def test_nothing_accepted_is_exit_status_1(server: Served, tmp_path: Path) -> None:
    (tmp_path / "events.jsonl").write_text("{broken\n")
    done = tocsin(server, "publish", tmp_path / "events.jsonl")
    assert done.returncode == 1
    assert "NothingAccepted" in done.stderr
    assert "Traceback" not in done.stderr


def test_standard_input_is_published(server: Served) -> None:
    done = tocsin(server, "publish", "-", input=event(21) + "\n")
    assert (done.returncode, done.stdout) == (0, "1 event(s) accepted\n"), done.stderr


def test_an_expression_is_subscribed_with_a_webhook(server: Served) -> None:
    with receiving() as receiver:
        words = ["--id", "hook", "--expression", "price = 31", "--webhook", receiver.url]
        done = tocsin(server, "subscribe", *words)
        assert done.returncode == 0, done.stderr
        server.http.post("/v1/events", content=event(31, price=31))
        receiver.wait_for(1)
        secret = tocsin(server, "subscriptions", "secret", "hook").stdout
        assert secret.startswith("whsec_")
        wait_until(lambda: _delivered(server) == 1)
        shown = json.loads(tocsin(server, "subscriptions", "show", "hook").stdout)
        assert shown["delivery"]["state"] == "active"
        done = tocsin(server, "subscriptions", "replay", "hook", "--after", 0)
        assert json.loads(done.stdout)["position"] == 0
        receiver.wait_for(2)


def _delivered(server: Served) -> int:
    with Client(server.url) as client:
        return int(client.delivery("hook")["delivered"])


def test_wrong_subscriptions_are_told_and_the_others_put(server: Served, tmp_path: Path) -> None:
    file = tmp_path / "subscriptions.jsonl"
    file.write_text(
        '{"id": "wrong", "language": "selector", "expression": "price <"}\n'
        '{"id": "right", "language": "selector", "expression": "price < 1"}\n'
    )
    done = tocsin(server, "subscribe", file)
    assert done.returncode == 1
    assert f"{file}: line 1:" in done.stderr
    assert "1 of 2 put" in done.stdout
    assert "Traceback" not in done.stderr


def test_a_file_that_is_broken_changes_nothing(server: Served, tmp_path: Path) -> None:
    file = tmp_path / "subscriptions.jsonl"
    file.write_text('{"id": "x1", "language": "selector", "expression": "a = 1"}\n{"id": 7}\n')
    done = tocsin(server, "subscribe", file)
    assert done.returncode == 1
    assert "line 2" in done.stderr
    assert "x1" not in tocsin(server, "subscriptions", "list").stdout


@pytest.mark.parametrize(
    "words", [["subscribe"], ["subscribe", "f", "--expression", "a = 1"], ["tail", "--count", "0"]]
)
def test_wrong_usage_is_exit_status_2(server: Served, words: list[str]) -> None:
    assert tocsin(server, *words).returncode == 2


def test_subscriptions_are_listed_paused_and_deleted(server: Served) -> None:
    tocsin(server, "subscribe", "--id", "p", "--expression", "price = 41", "--paused")
    listed = [
        json.loads(line) for line in tocsin(server, "subscriptions", "list").stdout.splitlines()
    ]
    assert [each["paused"] for each in listed if each["id"] == "p"] == [True]
    assert tocsin(server, "subscriptions", "resume", "p").returncode == 0
    assert tocsin(server, "subscriptions", "pause", "p").returncode == 0
    assert tocsin(server, "subscriptions", "delete", "p").returncode == 0
    done = tocsin(server, "subscriptions", "show", "p")
    assert done.returncode == 1
    assert "UnknownSubscriptionError" in done.stderr


def test_a_service_that_is_not_there_is_told(server: Served) -> None:
    done = tocsin(server, "subscriptions", "list", "--server", "http://127.0.0.1:9")
    assert done.returncode == 1
    assert "ServerUnreachable" in done.stderr
    assert "tocsin up" in done.stderr


def test_tail_ends_on_interrupt_and_tells_where_to_go_on(server: Served) -> None:
    with Client(server.url) as client:
        client.subscribe("live", "price = 51", language="selector")
        words = [
            sys.executable,
            "-c",
            HEEDS_CTRL_C,
            "tail",
            "--subscription",
            "live",
            "--after",
            "0",
        ]
        environment = os.environ | {"TOCSIN_SERVER": server.url}
        with subprocess.Popen(
            words,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as tail:
            try:
                client.publish(json.loads(event(51, price=51)))
                assert tail.stdout is not None
                assert ids(tail.stdout.readline()) == ["51"]
                tail.send_signal(signal.SIGINT)
                _, told = tail.communicate(timeout=PATIENCE)
            finally:
                tail.kill()
        assert tail.returncode == 0
        assert "go on with --after" in told
