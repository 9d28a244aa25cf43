"""Files and topics take matches as well as webhooks do."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.service.delivery.office import opened
from tests.waiting import wait_until
from tocsin.errors import Problem, StateProblem
from tocsin.events.codecs.bindings import Message, events_of_message


def ids_in(file: Path) -> list[str]:
    return [json.loads(line)["id"] for line in file.read_text().splitlines()]


def test_a_file_has_a_line_for_every_match(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with opened(tmp_path, files=out) as office:
        office.subscribe("s", {"file": "bells"}, tenant="acme")
        office.subscribe("t", {"file": "bells"}, tenant="beta")
        with pytest.raises(Problem, match="is not a name"):
            office.subscribe("u", {"file": "bells"}, tenant="../acme")
        office.ring("s", "01", "02", tenant="acme")
        office.ring("t", "03", tenant="beta")
        wait_until(lambda: office.state("s", "acme")["delivered"] == 2)
        wait_until(lambda: office.state("t", "beta")["delivered"] == 1)
    assert ids_in(out / "acme" / "bells.jsonl") == ["01", "02"]
    files = [each.relative_to(out).as_posix() for each in out.rglob("*.jsonl")]
    assert sorted(files) == ["acme/bells.jsonl", "beta/bells.jsonl"]


def test_half_a_line_is_cut_off(tmp_path: Path) -> None:
    file = tmp_path / "out" / "shared" / "bells.jsonl"
    file.parent.mkdir(parents=True)
    file.write_text('{"id":"00"}\n{"id":"01","subs')
    with opened(tmp_path, files=tmp_path / "out") as office:
        office.subscribe("s", {"file": "bells"})
        office.ring("s", "01")
        wait_until(lambda: office.state("s")["delivered"] == 1)
    assert ids_in(file) == ["00", "01"]


def test_a_file_that_cannot_be_written_is_tried_again(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("in the way")
    with opened(tmp_path, files=tmp_path / "out") as office:
        office.subscribe("s", {"file": "bells"})
        office.ring("s", "01")
        wait_until(lambda: office.state("s")["failed"] > 1)
        (tmp_path / "out").unlink()
        wait_until(lambda: office.state("s")["delivered"] == 1)
    assert ids_in(tmp_path / "out" / "shared" / "bells.jsonl") == ["01"]


@pytest.mark.parametrize("name", ["../x", "a/b", "", ".hidden", "a" * 101, 7, None])
def test_a_file_is_a_name_without_a_path(tmp_path: Path, name: object) -> None:
    with opened(tmp_path, files=tmp_path / "out") as office:
        if name is None:
            office.subscribe("s", {"file": name})
            assert office.delivery.line(("", "s")) is None
            return
        with pytest.raises(Problem, match="no name of a file"):
            office.subscribe("s", {"file": name})


class Broker:
    """Keeps what is sent, after some failures. A real broker is in the tests of connectors."""

    def __init__(self, failures: int = 0) -> None:
        self.failures = failures
        self.sent: list[tuple[str, str | None, Message]] = []

    def send(self, topic: str, messages: Iterable[tuple[str | None, Message]]) -> None:
        if self.failures:
            self.failures -= 1
            raise StateProblem("Kafka did not answer", code="KafkaError")
        self.sent += [(topic, key, message) for key, message in messages]

    def close(self) -> None:
        pass


def test_a_topic_has_an_event_for_every_match_with_the_subscription_as_key(
    tmp_path: Path,
) -> None:
    broker = Broker(failures=2)
    with opened(tmp_path, broker) as office:
        office.subscribe("s", {"kafka": "bells"})
        office.ring("s", "01", "02")
        wait_until(lambda: office.state("s")["delivered"] == 2)
    assert [(topic, key) for topic, key, _ in broker.sent] == [("bells", "s")] * 2
    events = [event for _, _, message in broker.sent for event in events_of_message(message)]
    assert [event.id for event in events] == ["01", "02"]


@pytest.mark.parametrize("topic", ["", "a b", "..", "ä", "a" * 250, 7])
def test_a_topic_has_a_legal_name(tmp_path: Path, topic: object) -> None:
    with opened(tmp_path, Broker()) as office, pytest.raises(Problem, match="no name of a topic"):
        office.subscribe("s", {"kafka": topic})
